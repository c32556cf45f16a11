// The accuracy table of signedDistance, pair by pair, against long-double oracles: in separation
// the normal and the witnesses prove the distance; in penetration the normal proves the depth from
// above, and brute-force separating axes (polytopes) or a polished sweep over directions (others)
// must find nothing shallower.

#include "distance/convex/signed_distance_oracle.h"

namespace allclear::test {
namespace {

/// Of the long run's sweeps, spread evenly; twice as many again where normals crowd.
constexpr int kDirections = 20000;

struct Pair {
  int A;
  int B;
};

/// Relative to the size of the pair. Closed forms: sphere with every primitive, capsule, box and
/// half-space among each other.
double tableEntry(const Pair& pair) {
  const auto isClosed = [](int kind) { return kind <= 2 || kind == kHalfSpaceIndex; };
  const bool sphere_and_primitive =
      (pair.A == 0 && pair.B != kConvexIndex) || (pair.B == 0 && pair.A != kConvexIndex);
  const bool half_space = pair.A == kHalfSpaceIndex || pair.B == kHalfSpaceIndex;
  if ((isClosed(pair.A) && isClosed(pair.B)) || sphere_and_primitive || half_space) return 1e-12;
  return 1e-8;
}

struct Sample {
  Shape A, B;
  Pose X_WA, X_WB;
  double size;
};

double radiusOf(const Shape& shape) {
  return std::holds_alternative<HalfSpace>(shape) ? 0.0 : boundingBall(shape).radius;
}
Vec3 centerOf(const Shape& shape) {
  return std::holds_alternative<HalfSpace>(shape) ? Vec3(Vec3::Zero()) : boundingBall(shape).center;
}

Sample drawSample(const Pair& pair, double aspect, Random* draw) {
  Sample s{drawShape(pair.A, draw, aspect), drawShape(pair.B, draw, aspect), {}, {}, 0.0};
  s.size = radiusOf(s.A) + radiusOf(s.B);
  s.X_WA = {draw->rotationOfQuaternion(), s.size * draw->directionOfNormals()};
  s.X_WB.R = draw->rotationOfQuaternion();
  const Vec3 apart = s.size * draw->uniform(0.0, 1.2) * draw->directionOfNormals();
  s.X_WB.p = s.X_WA * centerOf(s.A) - s.X_WB.R * centerOf(s.B) + apart;
  // Convex meshes stand off their origin: coordinates count towards the size.
  s.size += centerOf(s.A).norm() + centerOf(s.B).norm();
  if (draw->chance(0.3)) {  // nearly touching, on either side
    const SignedDistance now = signedDistance(s.A, s.X_WA, s.B, s.X_WB);
    const double wanted = s.size * draw->logUniform(1e-12, 1e-2) * (draw->chance(0.5) ? 1 : -1);
    s.X_WB.p += (wanted - now.distance) * now.normal;
  }
  return s;
}

bool bothPolytopes(const Sample& s) {
  const auto is = [](const Shape& x) { return x.index() == 1 || x.index() == 2 || x.index() == 7; };
  return is(s.A) && is(s.B);
}

class SignedDistanceAccuracy : public ::testing::TestWithParam<Pair> {};

void check(const Sample& s, double tolerance, int sweep_count, Random* draw) {
  const SignedDistance r = signedDistance(s.A, s.X_WA, s.B, s.X_WB);
  const OraclePair oracle(s.A, s.X_WA, s.B, s.X_WB);
  const double bound = tolerance * s.size;
  ASSERT_TRUE(std::isfinite(r.distance));
  EXPECT_TRUE(r.converged);
  EXPECT_NEAR(r.normal.norm(), 1.0, 1e-14);
  // No more than the room along the normal, and the witnesses that far apart.
  EXPECT_NEAR(static_cast<double>(oracle.separation(r.normal.cast<Real>())), r.distance, bound);
  EXPECT_LE((r.witness_B - r.witness_A - r.distance * r.normal).norm(), bound);
  const Vec3L a = oracle.R_WA.transpose() * (r.witness_A - s.X_WA.p).cast<Real>();
  const Vec3L b = oracle.R_WB.transpose() * (r.witness_B - s.X_WB.p).cast<Real>();
  // In the shapes; with the room along the normal used up, on their surfaces.
  EXPECT_LE(static_cast<double>(outsideBy(s.A, a)), bound);
  EXPECT_LE(static_cast<double>(outsideBy(s.B, b)), bound);
  EXPECT_NEAR(
      static_cast<double>(supportOracle(s.A, oracle.R_WA.transpose() * r.normal.cast<Real>()) -
                          a.dot(oracle.R_WA.transpose() * r.normal.cast<Real>())),
      0.0, bound);
  if (r.distance >= 0.0 || s.A.index() == kHalfSpaceIndex || s.B.index() == kHalfSpaceIndex) return;
  const Real shallowest = bothPolytopes(s)
                              ? bestSeparatingAxis(oracle, polytopeFeatures(s.A, oracle.R_WA),
                                                   polytopeFeatures(s.B, oracle.R_WB))
                              : bestDirectionSwept(oracle, sweep_count, draw);
  EXPECT_LE(static_cast<double>(shallowest), r.distance + bound);
  EXPECT_LE(static_cast<double>(shallowest), r.distance + r.gap + 1e-12 * s.size);
}

TEST_P(SignedDistanceAccuracy, IsWithinTheTable) {
  const Pair pair = GetParam();
  const int samples = isLong() ? 300 : 15;
  const int sweep_count = isLong() ? kDirections : kDirections / 10;
  for (double aspect : {3.0, 1e3, 1e6}) {
    for (int i = 0; i < samples; ++i) {
      const unsigned seed = static_cast<unsigned>(i * 64 + pair.A * 8 + pair.B);
      SCOPED_TRACE(::testing::Message() << "seed " << seed << " aspect " << aspect);
      Random draw(seed);
      const Sample s = drawSample(pair, aspect, &draw);
      check(s, tableEntry(pair), sweep_count, &draw);
      if (HasFailure()) return;
    }
  }
}

/// Parallel faces and edges, common axes, coincident centres, exact touching.
Sample drawAligned(const Pair& pair, Random* draw) {
  const auto size = [&] { return draw->chance(0.5) ? 1.0 : draw->chance(0.5) ? 0.5 : 2.0; };
  const auto shape = [&](int kind) -> Shape {
    if (kind == 0) return Sphere(size());
    if (kind == 1) return Capsule(size(), draw->chance(0.2) ? 0.0 : size());
    if (kind == 2) return Box(Vec3(size(), size(), size()));
    if (kind == 3) return Cylinder(size(), size());
    if (kind == 4) return Cone(size(), size());
    if (kind == 5) return Ellipsoid(Vec3(size(), size(), size()));
    if (kind == 6) return HalfSpace{};
    std::vector<Vec3> corners;
    for (double x : {-0.5, 0.5}) {
      for (double y : {-0.5, 0.5}) {
        for (double z : {-0.5, 0.5}) corners.push_back(Vec3(x, y, z));
      }
    }
    if (draw->chance(0.5)) corners.resize(5);
    if (draw->chance(0.2)) corners.resize(4);  // flat
    if (draw->chance(0.2)) corners.resize(2);
    return ConvexMesh(corners);
  };
  const auto rotation = [&] {
    const int first = draw->index(3);
    const int second = (first + 1 + draw->index(2)) % 3;
    Mat3 R;
    R.col(0) = Vec3::Unit(first) * (draw->chance(0.5) ? 1.0 : -1.0);
    R.col(1) = Vec3::Unit(second) * (draw->chance(0.5) ? 1.0 : -1.0);
    R.col(2) = R.col(0).cross(R.col(1));
    return R;
  };
  const auto step = [&] { return 0.25 * draw->index(9) - 1.0; };
  Sample s{shape(pair.A), shape(pair.B), {}, {}, 0.0};
  const Mat3 turn = draw->chance(0.5) ? rotation() : draw->rotationOfQuaternion();
  s.X_WA = {turn * rotation(), Vec3::Zero()};
  s.X_WB = {turn * rotation(), Vec3::Zero()};
  if (!draw->chance(0.2)) s.X_WB.p = turn * Vec3(step(), step(), draw->chance(0.5) ? 0.0 : step());
  s.size = radiusOf(s.A) + radiusOf(s.B) + 1.0;
  return s;
}

TEST_P(SignedDistanceAccuracy, IsWithinTheTableWhereEverythingIsAligned) {
  const Pair pair = GetParam();
  const int samples = isLong() ? 300 : 15;
  for (int i = 0; i < samples; ++i) {
    const unsigned seed = static_cast<unsigned>(i * 64 + pair.A * 8 + pair.B);
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random draw(seed);
    check(drawAligned(pair, &draw), tableEntry(pair), isLong() ? kDirections : kDirections / 10,
          &draw);
    if (HasFailure()) return;
  }
}

/// Centres that coincide, to rounding or a little more: a stationary normal is then easily found,
/// and rarely the best one.
TEST_P(SignedDistanceAccuracy, IsWithinTheTableWhereCentresCoincide) {
  const Pair pair = GetParam();
  const int samples = isLong() ? 1000 : 20;
  for (int i = 0; i < samples; ++i) {
    const unsigned seed = static_cast<unsigned>(i * 64 + pair.A * 8 + pair.B);
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random draw(seed);
    Sample s{drawShape(pair.A, &draw, 30.0), drawShape(pair.B, &draw, 30.0), {}, {}, 0.0};
    if (pair.A == 1 && draw.chance(0.5)) s.A = Capsule(std::get<Capsule>(s.A).radius(), 0.0);
    s.size = radiusOf(s.A) + radiusOf(s.B) + centerOf(s.A).norm() + centerOf(s.B).norm();
    s.X_WA = {draw.rotationOfQuaternion(), 0.3 * s.size * draw.directionOfNormals()};
    s.X_WB = {draw.rotationOfQuaternion(), s.X_WA.p};
    if (draw.chance(0.8))
      s.X_WB.p += s.size * draw.logUniform(1e-16, 1e-13) * draw.directionOfNormals();
    check(s, tableEntry(pair), isLong() ? kDirections : kDirections / 10, &draw);
    if (HasFailure()) return;
  }
}

std::vector<Pair> allPairs() {
  std::vector<Pair> pairs;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (i != kHalfSpaceIndex || j != kHalfSpaceIndex) pairs.push_back({i, j});
    }
  }
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Pairs, SignedDistanceAccuracy, ::testing::ValuesIn(allPairs()),
                         [](const auto& test) {
                           return std::string(kConvexNames[test.param.A]) + "_" +
                                  kConvexNames[test.param.B];
                         });

}  // namespace
}  // namespace allclear::test
