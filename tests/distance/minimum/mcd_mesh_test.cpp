#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/minimum/mesh/mesh.h"

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "allclear/distance/minimum/reference/reference.h"
#include "distance/mesh/mesh_poses.h"
#include "distance/minimum/mcd_motions.h"
#include "distance/minimum/mcd_oracle.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using test::ChainMotion;
using test::Random;

struct Pair {
  ChainMotion a, b;
  std::vector<BodyCurve> curves_a, curves_b;
  const Shape* shape_A = nullptr;
  const Shape* shape_B = nullptr;
  bool b_moves = false;

  MovingShape movingA() const { return {shape_A, Pose{}, curves_a}; }
  MovingShape movingB() const { return {shape_B, Pose{}, curves_b}; }
  void makeCurves(double error) {
    const int cells =
        std::max(a.cellsFor({0, 1}, error, 1.0), b_moves ? b.cellsFor({0, 1}, error, 1.0) : 1);
    curves_a = a.curves({0, 1}, cells);
    curves_b = b_moves ? b.curves({0, 1}, cells)
                       : std::vector<BodyCurve>{BodyCurve::still(b.pose(0), {0, 1})};
  }
  Pose poseB(double t) const { return b.pose(b_moves ? t : 0.0); }
};

double trueDistance(const Pair& pair, double t, MeshCache* cache) {
  const MeshDistance found = meshDistance(*bodyOf(*pair.shape_A), pair.a.pose(t),
                                          *bodyOf(*pair.shape_B), pair.poseB(t), {}, cache);
  return found.contact ? 0.0 : found.distance;
}

/// The brackets of all algorithms hold the true minimum.
void check(const Pair& pair, const McdOptions& options, int samples) {
  MeshCache cache;
  const test::TrueMinimum truth =
      test::trueMinimum([&](double t) { return trueDistance(pair, t, &cache); }, {0, 1}, samples);
  MeshCache warm;
  for (int round = 0; round < 2; ++round) {  // cold, warm
    const DistanceBracket bracket =
        minimumDistance(*bodyOf(*pair.shape_A), pair.movingA(), *bodyOf(*pair.shape_B),
                        pair.movingB(), options, &warm);
    ASSERT_LE(bracket.lower, truth.value + 1e-10) << "round " << round << " t " << truth.t;
    ASSERT_LE(bracket.lower, bracket.upper);
    if (bracket.evaluated && !bracket.penetrating) {
      ASSERT_GE(bracket.upper, trueDistance(pair, bracket.t_star, &cache) - 1e-10);
    }
    if (bracket.penetrating) {
      ASSERT_LE(truth.value, 1e-3);  // the polynomial motion's error
      ASSERT_LE(bracket.lower, 0.0);
    }
    if (bracket.status == McdStatus::kBracketed) {
      ASSERT_LE(bracket.upper - bracket.lower, 2.0 * options.tolerance);
    }
    if (bracket.status == McdStatus::kCertifiedAbove) {
      ASSERT_GE(truth.value, *options.threshold - 1e-10);
    }
    if (bracket.status == McdStatus::kBelow) {
      ASSERT_LT(truth.value, *options.threshold + 1e-10);
    }
    if (options.max_evaluations > 1000) {
      ASSERT_TRUE(bracket.penetrating || bracket.status != McdStatus::kUndecided)
          << bracket.lower << " " << bracket.upper;
    }
  }
}

std::vector<std::pair<Shape, Shape>> shapePairs(bool large) {
  std::vector<std::pair<Shape, Shape>> pairs{
      {test::boxMesh({0.1, 0.2, 0.05}), test::boxMesh({0.2, 0.1, 0.3})},
      {test::blobMesh(0.2, 9, 15, 0.3), test::blobMesh(0.25, 10, 15, 0.2)},
      {test::torusMesh(0.3, 0.1, 40, 24), test::blobMesh(0.15, 20, 24, 0.2)},
      {test::blobMesh(0.2, 9, 15, 0.3), Capsule(0.05, 0.3)},
      {test::torusMesh(0.3, 0.1, 20, 12, 0.2), Cylinder(0.1, 0.3)},
      {Box(Vec3(0.2, 0.1, 0.3)), test::blobMesh(0.2, 30, 40, 0.4)},
      {test::torusMesh(0.3, 0.05, 60, 30, 0.3), test::torusMesh(0.3, 0.05, 30, 20)},
      {Sphere(0.1), test::torusMesh(0.4, 0.1, 24, 12)}};
  if (large) {
    const TriangleMesh fine = test::blobMesh(0.15, 33, 51, 0.3);
    pairs.push_back({test::blobMesh(0.3, 20, 40, 0.2), test::blobMesh(1.0, 200, 250, 0.1)});
    pairs.push_back({fine, test::blobMesh(0.1, 17, 27, 0.2)});
    pairs.push_back({fine, test::torusMesh(0.3, 0.1, 40, 24)});
    pairs.push_back({test::torusMesh(0.3, 0.05, 30, 20), test::blobMesh(0.2, 9, 15, 0.3)});
    pairs.push_back({test::boxMesh({0.1, 0.02, 0.3}), test::torusMesh(0.4, 0.1, 24, 12, 0.3)});
  }
  return pairs;
}

TEST(MeshMinimum, BracketsHoldTheTrueMinimum) {
  const bool longer = std::getenv("ALLCLEAR_LONG") != nullptr;
  const auto shapes = shapePairs(longer);
  const int cases = longer ? 10000 : 96;
  Random draw(40);
  int separated = 0, penetrating = 0;
  for (int i = 0; i < cases; ++i) {
    SCOPED_TRACE("seed 40, case " + std::to_string(i));
    Pair pair;
    const auto& two = shapes[i % shapes.size()];
    pair.shape_A = &two.first;
    pair.shape_B = &two.second;
    pair.a = test::randomChain(draw, draw.integer(1, 4), draw.chance(0.1) ? 3.0 : 0.8);
    pair.b = test::randomChain(draw, draw.integer(1, 3), 0.8);
    pair.b_moves = draw.chance(0.5);
    pair.makeCurves(1e-6);
    McdOptions options;
    options.tolerance = draw.logUniform(1e-4, 1e-2);
    if (draw.chance(0.3)) {
      // Near contact: B's base is moved so that the least distance is about `gap`.
      const DistanceBracket first = minimumDistance(pair.movingA(), pair.movingB(), options);
      if (!first.penetrating) {
        const double gap = draw.logUniform(1e-5, 1e-2);
        const Vec3 shift = (gap - first.upper) * first.normal;
        pair.b.joints[0].X_PJ.p += shift;
        pair.makeCurves(1e-7);
      }
    }
    options.max_evaluations = 3000000;
    if (draw.chance(0.3)) options.threshold = draw.uniform(0.0, 0.3);
    options.decide_only = draw.chance(0.5);
    check(pair, options, 24);
    if (HasFatalFailure()) return;
    (minimumDistance(pair.movingA(), pair.movingB(), options).penetrating ? penetrating
                                                                          : separated)++;
  }
  EXPECT_GT(separated, cases / 4);
  EXPECT_GT(penetrating, cases / 50);
}

TEST(MeshMinimum, OrbitsAtConstantDistance) {
  Random draw(41);
  const Shape ring = test::torusMesh(0.3, 0.1, 400, 24), probe = test::blobMesh(0.1, 12, 16, 0.2);
  for (int i = 0; i < (std::getenv("ALLCLEAR_LONG") ? 300 : 10); ++i) {
    SCOPED_TRACE("seed 41, case " + std::to_string(i));
    Pair pair;
    pair.shape_A = &probe;
    pair.shape_B = &ring;
    test::ChainJoint joint;
    joint.axis = Vec3::UnitZ();
    joint.polynomial = {draw.uniform(-3, 3), draw.uniform(-2.5, 2.5)};
    pair.a.joints = {joint};
    pair.a.X_JB = {draw.rotation(),
                   Vec3(0.5 + draw.logUniform(0.02, 0.5), 0, draw.uniform(-0.1, 0.1))};
    pair.makeCurves(1e-7);
    McdOptions options;
    check(pair, options, 40);
    if (HasFatalFailure()) return;
  }
}

TEST(MeshMinimum, AlgorithmsAgreeAndContainmentIsPenetration) {
  Random draw(42);
  const Shape a = test::blobMesh(0.2, 9, 15, 0.3), b = test::torusMesh(0.3, 0.1, 20, 12);
  for (int i = 0; i < 12; ++i) {
    SCOPED_TRACE("seed 42, case " + std::to_string(i));
    Pair pair;
    pair.shape_A = &a;
    pair.shape_B = &b;
    pair.a = test::randomChain(draw, 2, 0.5);
    pair.b = test::randomChain(draw, 1, 0.5);
    pair.b_moves = i % 2 == 0;
    pair.makeCurves(1e-7);
    McdOptions options;
    options.tolerance = 0.01;
    const DistanceBracket best = minimumDistance(pair.movingA(), pair.movingB(), options);
    for (ReferenceAlgorithm algorithm :
         {ReferenceAlgorithm::kSampling, ReferenceAlgorithm::kSubdivision}) {
      const DistanceBracket other =
          referenceMinimum(algorithm, pair.movingA(), pair.movingB(), options);
      EXPECT_LE(other.lower, best.upper + 1e-9);
      EXPECT_LE(best.lower, other.upper + 1e-9);
      EXPECT_EQ(other.penetrating, best.penetrating);
    }
    EXPECT_THROW(
        referenceMinimum(ReferenceAlgorithm::kGolden, pair.movingA(), pair.movingB(), options),
        InputError);
  }
  const Shape shell = test::blobMesh(2.0, 20, 30);
  const BodyCurve still = BodyCurve::still(Pose{}, {0, 1});
  const MovingShape outer{&shell, Pose{}, {&still, 1}}, inner{&a, Pose{}, {&still, 1}};
  const DistanceBracket inside = minimumDistance(inner, outer, McdOptions());
  EXPECT_TRUE(inside.penetrating);
  EXPECT_LE(inside.upper, 0.0);
}

TEST(MeshMinimum, GivesUpWithAValidBracket) {
  Random draw(43);
  const Shape a = test::blobMesh(0.2, 30, 40, 0.3), b = test::torusMesh(0.3, 0.1, 60, 40);
  for (int i = 0; i < 20; ++i) {
    SCOPED_TRACE("seed 43, case " + std::to_string(i));
    Pair pair;
    pair.shape_A = &a;
    pair.shape_B = &b;
    pair.a = test::randomChain(draw, 2, 0.8);
    pair.b = test::randomChain(draw, 1, 0.8);
    pair.makeCurves(1e-7);
    McdOptions options;
    options.tolerance = 1e-5;
    options.max_evaluations = static_cast<int>(draw.logUniform(1, 300));
    check(pair, options, 20);
    if (HasFatalFailure()) return;
  }
}

/// A bar that swings there and back: its one end leaves its obstacle while the other nears its own.
TEST(MeshSubdivision, ExtremaOfFrozenWitnessesAreNoBound) {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  const auto addBox = [&](const Vec3& at, const Vec3& half) {
    const TriangleMesh box = test::boxMesh(half);
    const int first = static_cast<int>(points.size());
    for (const Vec3& p : box.vertices()) points.push_back(p + at);
    for (const Triangle& t : box.triangles()) {
      triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
  };
  // B: below the left end near, below the right end a little farther.
  // Narrow, for all points of faces side by side are as near.
  addBox({-1.0, 0.0, -0.50}, {0.005, 0.05, 0.05});
  addBox({1.0, 0.0, -0.51}, {0.005, 0.05, 0.05});
  const Shape obstacles = TriangleMesh(points, triangles);
  const Shape bar = test::boxMesh({1.0, 0.02, 0.02});
  Pair pair;
  pair.shape_A = &bar;
  pair.shape_B = &obstacles;
  test::ChainJoint joint;
  joint.axis = Vec3::UnitY();
  joint.polynomial = {0.0, 0.4, -0.4};  // 0.4 t (1 - t): up to 0.1 rad and back
  pair.a.joints = {joint};
  pair.b.joints.clear();
  pair.makeCurves(HUGE_VAL);  // one cell
  ASSERT_LT(pair.curves_a[0].error(1.1), 1e-3);
  MeshCache cache;
  const double truth =
      test::trueMinimum([&](double t) { return trueDistance(pair, t, &cache); }, {0, 1}, 200).value;
  McdOptions options;
  options.tolerance = 1e-3;
  const DistanceBracket sound =
      referenceMinimum(ReferenceAlgorithm::kSubdivision, pair.movingA(), pair.movingB(), options);
  EXPECT_LE(sound.lower, truth);
  EXPECT_NEAR(sound.upper, truth, 1.1e-3);
  // Tight motion bounds, as the thesis's (4.7) takes them at their best: the total path of the
  // bar's ends. The interval [0, 1] is then discarded although it holds the minimum.
  pair.curves_a[0].bounds.linear[0] = 0.0;
  ASSERT_EQ(pair.curves_a.size(), 1U);
  pair.curves_a[0].bounds.angular[0] = 0.2;  // integral of |dq/dt| over [0, 1]
  options.tolerance = 5e-3;
  const DistanceBracket guess = referenceMinimum(ReferenceAlgorithm::kSubdivisionExtrema,
                                                 pair.movingA(), pair.movingB(), options);
  EXPECT_GT(guess.lower, truth + 0.05);
  EXPECT_LE(
      referenceMinimum(ReferenceAlgorithm::kSubdivision, pair.movingA(), pair.movingB(), options)
          .lower,
      truth);
}

TEST(MeshMotion, RelativeCurvesAreWithinTheirErrors) {
  Random draw(44);
  const Shape shape = test::boxMesh({0.1, 0.2, 0.3});
  for (int i = 0; i < 200; ++i) {
    Pair pair;
    pair.shape_A = pair.shape_B = &shape;
    pair.a = test::randomChain(draw, 3, 1.5);
    pair.b = test::randomChain(draw, 3, 1.5);
    pair.b_moves = draw.chance(0.7);
    pair.makeCurves(draw.logUniform(1e-8, 1e-2));
    const auto body = bodyOf(shape);
    const MovingShape a = pair.movingA(), b = pair.movingB();
    const mcd::MeshMotion motion(*body, a, *body, b);
    for (int cell = 0; cell < motion.cells(); ++cell) {
      const mcd::RelativeCurve curve = motion.relative(cell);
      const double s0 = draw.uniform(-1, 1), s1 = std::min(1.0, s0 + draw.logUniform(1e-4, 2.0));
      mesh::IntervalPoses poses;
      mcd::economise(curve, s0, s1, 0.0, &poses);
      for (int k = 0; k < 20; ++k) {
        const double x = draw.uniform(-1, 1), s = 0.5 * (s0 + s1) + 0.5 * (s1 - s0) * x;
        const double t = motion.timeAt({cell, 0.5 * (1 + s)});
        const Vec3 u = draw.direction() * draw.logUniform(1e-3, 1.0);
        const Vec3 truth = pair.poseB(t).inverse() * (pair.a.pose(t) * u);
        const auto apply = [&](const mesh::Affine& X) {
          Vec3 p(X.T[0], X.T[1], X.T[2]);
          for (int c = 0; c < 9; ++c) p[c / 3] += X.R[c] * u[c % 3];
          return p;
        };
        ASSERT_LE((apply(curve.at(s)) - truth).norm(), curve.error + curve.error_slope * u.norm())
            << "seed 44, case " << i;
        const double w[3] = {0.25 * (1 - x) * (1 - x), 0.5 * (1 - x * x), 0.25 * (1 + x) * (1 + x)};
        Vec3 quadratic = Vec3::Zero();
        for (int c = 0; c < 3; ++c) quadratic += w[c] * apply(test::control(poses, c));
        const Vec3 rest = (4.0 * x * x * x - 3.0 * x) * apply(test::control(poses, 3));
        ASSERT_LE((quadratic + rest - truth).norm(), poses.error + poses.error_slope * u.norm())
            << "seed 44, case " << i;
        // m p + s C1 p + (s^2 - 1/2) C2 p is the same quadratic.
        const Vec3 other =
            apply(poses.middle) + x * apply(poses.velocity) + (x * x - 0.5) * apply(poses.bend);
        ASSERT_NEAR((other - quadratic).norm(), 0.0, 1e-12) << "seed 44, case " << i;
      }
    }
  }
}

TEST(MeshMotion, NextInstantsLeadToALeastDistance) {
  Random draw(46);
  const auto point = [](const Vec3& p) {
    const Vec3 tiny(1e-7, 0, 0), other(0, 1e-7, 0);
    return MeshBody(Shape(TriangleMesh({p, p + tiny, p + other}, {{0, 1, 2}})));
  };
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE("seed 46, case " + std::to_string(i));
    const MeshBody a = point(draw.inBox(0.3)), b = point(draw.inBox(0.3));
    mcd::RelativeCurve curve{};
    const Mat3 R = draw.rotation();
    for (int c = 0; c < 9; ++c) curve.C[0][c] = R(c / 3, c % 3);
    const Vec3 from = draw.direction(), by = draw.direction() * draw.logUniform(0.02, 0.3),
               bend = draw.inBox(0.05);
    for (int c = 0; c < 3; ++c) {
      curve.C[0][9 + c] = from[c];
      curve.C[1][9 + c] = by[c];
      curve.C[2][9 + c] = bend[c];
    }
    const auto at = [&](double s) { return leafDistance(a, 0, curve.at(s), b, 0); };
    double s = draw.uniform(-1.0, 1.0), gain = 0.0;
    const double first = at(s).distance;
    const mcd::NextInstant next = nextInstant(curve, at(s), s, 2.0);
    constexpr double kStep = 1e-5;
    const double slope = (at(s + kStep).distance - at(s - kStep).distance) / (2.0 * kStep);
    ASSERT_NEAR(next.gain, std::abs(slope * (next.s - s)), 1e-5);
    const double limited = nextInstant(curve, at(s), s, 1e-3).s;
    ASSERT_LE(std::abs(limited - s), 1e-3 + 1e-15);
    for (int step = 0; step < 30; ++step) {
      const mcd::NextInstant after = nextInstant(curve, at(s), s, 0.5);
      s = after.s;
      gain = after.gain;
      ASSERT_LE(std::abs(s), 1.0);
    }
    for (const double near : {s - 0.01, s + 0.01}) {
      ASSERT_LE(at(s).distance, at(std::clamp(near, -1.0, 1.0)).distance + 1e-9);
    }
    ASSERT_LE(at(s).distance, first + 1e-12);
    ASSERT_LE(gain, 1e-4);
  }
}

TEST(MeshMinimum, SurfacesApartAreNoProofOfAThresholdOfPenetration) {
  const Shape mesh = test::boxMesh({0.2, 0.2, 0.2});
  const BodyCurve still = BodyCurve::still(Pose{}, {0.0, 1.0});
  // Crossing, and one inside of the other without surfaces that meet.
  for (const Shape& other : {Shape(test::boxMesh({0.1, 0.3, 0.1})), Shape(Sphere(0.05))}) {
    McdOptions options;
    options.threshold = -0.01;
    for (bool decide : {false, true}) {
      options.decide_only = decide;
      const DistanceBracket bracket =
          minimumDistance({&mesh, {}, {&still, 1}}, {&other, {}, {&still, 1}}, options);
      EXPECT_NE(bracket.status, McdStatus::kCertifiedAbove);
      EXPECT_LE(bracket.lower, -0.05);
      EXPECT_TRUE(bracket.penetrating);
    }
  }
}

}  // namespace
}  // namespace allclear
