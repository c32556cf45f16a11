// The contact that features give: named by hand where the answer is known, by GJK and by the faces
// of the penetration polytope on random pairs, where long double and the shapes' own definitions
// judge it.

#include "allclear/distance/convex/feature_descent.h"

#include "allclear/distance/convex/contact_feature.h"
#include "allclear/distance/convex/gjk.h"
#include "distance/convex/signed_distance_oracle.h"

namespace allclear::test {
namespace {

struct Sample {
  Shape A, B;
  Pose X_WA, X_WB;

  CorePair cores() const { return CorePair(coreOf(A), X_WA, coreOf(B), X_WB); }
};

/// Many corners, so that contacts lie on edges and corners of a nearly round surface.
Shape drawManyCorners(Random* draw) {
  const Vec3 scale(draw->uniform(0.2, 1.0), draw->uniform(0.2, 1.0), draw->uniform(0.2, 1.0));
  std::vector<Vec3> points;
  for (int i = 0; i < 24; ++i) points.push_back(scale.cwiseProduct(draw->directionOfNormals()));
  return ConvexMesh(points);
}

/// A curved shape and any but a sphere or half-space, their centres `apart` times the size apart.
Sample drawPair(double aspect, double apart, Random* draw) {
  const int others[] = {1, 2, 3, 4, 5, 7};
  const int other = others[draw->index(6)];
  Sample s{drawShape(3 + draw->index(3), draw, aspect),
           other == 7 && draw->chance(0.5) ? drawManyCorners(draw) : drawShape(other, draw, aspect),
           {},
           {}};
  if (draw->chance(0.5)) std::swap(s.A, s.B);
  s.X_WA = {draw->rotationOfQuaternion(), Vec3::Zero()};
  s.X_WB.R = draw->chance(0.1) ? s.X_WA.R : draw->rotationOfQuaternion();
  const Ball a = boundingBall(s.A), b = boundingBall(s.B);
  s.X_WB.p = s.X_WA * a.center - s.X_WB.R * b.center +
             apart * (a.radius + b.radius) * draw->directionOfNormals();
  return s;
}

NamedContact namedBy(const GjkResult& r) {
  NamedContact named;
  for (int i = 0; i < r.size; ++i) {
    named.a[named.count] = r.simplex[i].a;
    named.b[named.count++] = r.simplex[i].b;
  }
  return named;
}

/// The room is that along n, the points are in the shapes (less their radii), and they are opposite
/// to each other: apart this proves the distance.
void expectContact(const Sample& s, const CorePair& pair, const NormalCandidate& found,
                   const SupportContact& contact) {
  const Ball ball_A = boundingBall(s.A), ball_B = boundingBall(s.B);
  const double size = ball_A.radius + ball_A.center.norm() + ball_B.radius + ball_B.center.norm() +
                      (s.X_WB.p - s.X_WA.p).norm();
  const Vec3 n = s.X_WA.R * found.n;
  const OraclePair oracle(s.A, s.X_WA, s.B, s.X_WB);
  const double radii = pair.A.radius + pair.B.radius;
  EXPECT_NEAR(static_cast<double>(oracle.separation(n.cast<Real>())), found.separation - radii,
              2e-14 * size);
  EXPECT_NEAR((contact.b - contact.a - found.separation * found.n).norm(), contact.mismatch,
              1e-14 * size);
  const double s_or_size = found.separation > 0.0 ? 2.0 * found.separation : pair.scale;
  EXPECT_LE(contact.mismatch * contact.mismatch, 4e-15 * size * s_or_size + 1e-26 * size * size);
  const Vec3 a = contact.a + pair.A.offset;
  const Vec3 b = pair.R.transpose() * (contact.b - pair.p) + pair.B.offset;
  EXPECT_LE(static_cast<double>(outsideBy(s.A, a.cast<Real>())) + pair.A.radius, 1e-13 * size);
  EXPECT_LE(static_cast<double>(outsideBy(s.B, b.cast<Real>())) + pair.B.radius, 1e-13 * size);
}

TEST(FeatureDescent, FindsTheDistanceThatACoarseGjkNames) {
  Random draw(71);
  const int count = isLong() ? 20000 : 1000;
  int named = 0, found_by_features = 0;
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    const double aspects[] = {3.0, 3.0, 100.0};
    const Sample s = drawPair(aspects[i % 3], draw.uniform(0.4, 1.2), &draw);
    const CorePair pair = s.cores();
    GjkOptions options;
    options.gap = 1e-3 * pair.scale;
    const GjkResult r = gjk(pair, pair.p, options);
    if (r.overlap || r.lower <= 0.0) continue;
    ++named;
    NormalCandidate found;
    SupportContact contact;
    if (!descendByFeatures(pair, namedBy(r), r.v / r.upper, &found, &contact)) continue;
    ++found_by_features;
    EXPECT_TRUE(found.isolated);
    EXPECT_GE(found.separation, r.lower - 8.0 * pair.rounding);
    EXPECT_LE(found.separation, r.upper + 8.0 * pair.rounding);
    expectContact(s, pair, found, contact);
  }
  EXPECT_GE(named, count / 2);
  // What is left: parallel faces and edges, and aspects that need a better start.
  EXPECT_GE(found_by_features, 0.96 * named);
}

/// Overlapping, what it finds is a local maximum: no normal a little off has more room.
TEST(FeatureDescent, FindsLocalMaximaWhereCoresOverlap) {
  Random draw(72);
  const int count = isLong() ? 20000 : 1000;
  int found_by_features = 0;
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    const Sample s = drawPair(5.0, draw.chance(0.1) ? 0.0 : draw.uniform(0.0, 0.6), &draw);
    const CorePair pair = s.cores();
    // As a face of the penetration polytope: three support points about a way out.
    const Vec3 out = s.X_WA.R.transpose() * signedDistance(s.A, s.X_WA, s.B, s.X_WB).normal;
    const Vec3 n0 = (out + 0.03 * draw.directionOfNormals()).normalized();
    NamedContact named;
    for (int k = 0; k < 3; ++k) {
      const Vec3 n = (n0 + 0.05 * draw.directionOfNormals()).normalized();
      named.a[k] = pair.supportA(n);
      named.b[k] = pair.supportB(n);
      named.count = k + 1;
    }
    NormalCandidate found;
    SupportContact contact;
    if (!descendByFeatures(pair, named, n0, &found, &contact)) continue;
    ++found_by_features;
    expectContact(s, pair, found, contact);
    for (int k = 0; k < 20; ++k) {
      const Vec3 near = (found.n + 1e-4 * draw.directionOfNormals()).normalized();
      EXPECT_LE(pair.separation(near), found.separation + 1e-14 * (pair.scale + pair.p.norm()));
    }
  }
  // From starts this coarse half; the search goes on from nearer ones.
  EXPECT_GE(found_by_features, 0.45 * count);
}

/// The signed distance of the pair by features, named by the support points along n and near it.
double byFeatures(const Shape& A, const Shape& B, const Pose& X_WB, const Vec3& n,
                  SupportContact* contact, double spread = 0.0) {
  const CorePair pair(coreOf(A), Pose{}, coreOf(B), X_WB);
  NamedContact named;
  const Vec3 s = n.unitOrthogonal(), t = n.cross(s);
  for (const Vec3& off : {Vec3(Vec3::Zero()), s, t}) {
    const Vec3 m = (n + spread * off).normalized();
    named.a[named.count] = pair.supportA(m);
    named.b[named.count++] = pair.supportB(m);
    if (spread == 0.0) break;
  }
  NormalCandidate found;
  if (!descendByFeatures(pair, named, n.normalized(), &found, contact)) return std::nan("");
  return found.separation;
}

Pose at(double x, double y, double z) { return {Mat3::Identity(), Vec3(x, y, z)}; }
Pose turned(const Vec3& axis, double angle, const Vec3& p) {
  return {rotationAbout(axis, angle), p};
}

TEST(FeatureDescent, KnowsEveryKindOfContact) {
  const Cylinder can(1.0, 2.0);
  const Cone cone(1.0, 2.0);  // apex at z = 1
  const Ellipsoid egg(Vec3(1.0, 2.0, 3.0));
  const Box box(Vec3(2.0, 2.0, 2.0));
  SupportContact c;
  const double diagonal = std::sqrt(2.0);
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  const double quarter = std::acos(-1.0) / 4.0;
  // Rim and corner: the apex of a cone that points down, at (3, 0, 2).
  const Pose down = turned(x, 4.0 * quarter, Vec3(3.0, 0.0, 3.0));
  EXPECT_NEAR(byFeatures(can, cone, down, Vec3(1.0, 0.1, 0.7), &c), std::sqrt(5.0), 1e-14);
  // Cap and corner; and named so beyond the rim, where the rim is the answer.
  EXPECT_NEAR(byFeatures(can, cone, turned(x, 4.0 * quarter, Vec3(0.3, 0.2, 4.0)), z, &c, 0.001),
              2.0, 1e-14);
  EXPECT_NEAR((c.a - Vec3(0.3, 0.2, 1.0)).norm(), 0.0, 1e-13);
  EXPECT_NEAR(byFeatures(can, cone, turned(x, 4.0 * quarter, Vec3(3.0, 0.0, 4.0)), z, &c, 0.001),
              std::sqrt(8.0), 1e-14);
  // Side and side, crossing; side and an edge; side and a corner.
  EXPECT_NEAR(byFeatures(can, can, turned(x, 2.0 * quarter, Vec3(3.0, 0.0, 0.0)),
                         Vec3(1.0, 0.01, 0.02), &c, 0.05),
              1.0, 1e-14);
  EXPECT_NEAR(byFeatures(can, box, turned(y, quarter, Vec3(4.0, 0.1, 0.2)), Vec3(1.0, 0.02, 0.01),
                         &c, 0.05),
              3.0 - diagonal, 1e-14);
  EXPECT_NEAR(byFeatures(can, cone, turned(y, -2.0 * quarter, Vec3(3.0, 0.0, 0.2)), x, &c, 0.05),
              1.0, 1e-14);
  // Rim and rim, in one plane through both axes.
  EXPECT_NEAR(byFeatures(can, can, at(3.0, 0.0, 3.0), Vec3(1.0, 0.2, 0.9), &c), diagonal, 1e-14);
  // Rim and edge: the box above and aside, its lower edge along y.
  EXPECT_NEAR(byFeatures(can, box, at(3.0, 0.0, 3.0), Vec3(1.0, 0.05, 1.0), &c, 0.1), diagonal,
              1e-14);
  // Rim and face: a tilted can over the box.
  const Pose tilted = turned(y, 0.3, Vec3(0.0, 0.0, 4.0));
  EXPECT_NEAR(byFeatures(box, can, tilted, z, &c, 0.01), 3.0 - std::cos(0.3) - std::sin(0.3),
              1e-14);
  // Cone: its side against a corner, apex against a face.
  const Pose beside = turned(y, -2.0 * quarter, Vec3(2.0, 0.0, 0.0));  // its apex at (1, 0, 0)
  EXPECT_NEAR(byFeatures(cone, cone, beside, Vec3(1.0, 0.0, 0.4), &c, 0.2), 1.0 / std::sqrt(5.0),
              1e-14);
  EXPECT_NEAR(
      byFeatures(box, cone, turned(x, 4.0 * quarter + 0.1, Vec3(0.0, 0.0, 4.0)), z, &c, 0.01),
      3.0 - std::cos(0.1), 1e-14);
  // Ellipsoid against ellipsoid, face and rim.
  EXPECT_NEAR(byFeatures(egg, egg, at(0.0, 0.0, 7.0), Vec3(0.1, 0.05, 1.0), &c), 1.0, 1e-14);
  EXPECT_NEAR(byFeatures(egg, box, at(0.0, 0.2, 5.0), z, &c, 0.01), 1.0, 1e-14);
}

/// Two segments that miss each other's end by a little: the way to the end is longer than the room
/// between their lines.
TEST(FeatureDescent, GivesUpWhatTheContactIsNotOn) {
  const Capsule line(0.1, 2.0);
  const Pose across = turned(Vec3::UnitY(), std::acos(0.0), Vec3(1.0 + 1e-7, 1e-6, 0.3));
  const CorePair pair(coreOf(line), Pose{}, coreOf(line), across);
  NamedContact named;
  for (const double end : {1.0, -1.0}) {
    named.a[named.count] = Vec3(0.0, 0.0, end);
    named.b[named.count++] = across * Vec3(0.0, 0.0, end);
  }
  NormalCandidate found;
  SupportContact contact;
  ASSERT_TRUE(descendByFeatures(pair, named, Vec3::UnitY(), &found, &contact));
  EXPECT_NEAR(found.separation, std::hypot(1e-6, 1e-7), 1e-15);
}

TEST(FeatureDescent, LeavesContactsOfManyPointsAlone) {
  const Cylinder can(1.0, 2.0);
  const Box box(Vec3(2.0, 2.0, 2.0));
  SupportContact c;
  const Vec3 x = Vec3::UnitX(), z = Vec3::UnitZ();
  // Cap on cap, cap on face, side along a side.
  EXPECT_TRUE(std::isnan(byFeatures(can, can, at(0.2, 0.0, 3.0), z, &c, 0.001)));
  EXPECT_TRUE(std::isnan(byFeatures(can, box, at(0.2, 0.0, 3.0), z, &c, 0.001)));
  EXPECT_TRUE(std::isnan(byFeatures(can, can, at(3.0, 0.0, 0.2), x, &c, 0.001)));
  // signedDistance answers for all of these.
  EXPECT_NEAR(signedDistance(can, Pose{}, can, at(0.2, 0.0, 3.0)).distance, 1.0, 1e-14);
  EXPECT_NEAR(signedDistance(can, Pose{}, box, at(3.0, 0.0, 0.2)).distance, 1.0, 1e-14);
}

/// Degenerate sizes: needles, flat discs, points nearly; centres that coincide. Whatever is found
/// must be right.
TEST(FeatureDescent, IsRightOrSilentForDegenerateShapes) {
  Random draw(73);
  int found_by_features = 0;
  for (int i = 0; i < (isLong() ? 20000 : 600); ++i) {
    SCOPED_TRACE(i);
    const Sample s = drawPair(1e6, draw.chance(0.2) ? 0.0 : draw.uniform(0.0, 1.1), &draw);
    const CorePair pair = s.cores();
    GjkOptions options;
    options.gap = 1e-3 * pair.scale;
    const GjkResult r = gjk(pair, draw.directionOfNormals(), options);
    if (!(r.upper > 0.0)) continue;
    NormalCandidate found;
    SupportContact contact;
    if (!descendByFeatures(pair, namedBy(r), r.v / r.upper, &found, &contact)) continue;
    ++found_by_features;
    expectContact(s, pair, found, contact);
  }
  EXPECT_GE(found_by_features, 150);
}

/// Normals that are an axis but for rounding: what is left across the axis is rounding too, and
/// lies along it as often as not.
TEST(ContactFeature, PointsOfRimsStayOnThemNearTheAxis) {
  Random draw(75);
  for (int i = 0; i < 2000; ++i) {
    const Shape B = draw.chance(0.5) ? Shape(Cylinder(1.0, 0.2)) : Shape(Cone(1.0, 0.2));
    const Pose X_WB{draw.rotationOfQuaternion(), Vec3::Zero()};
    const CorePair pair(coreOf(Box(Vec3(1.0, 1.0, 1.0))), Pose{}, coreOf(B), X_WB);
    const double off = draw.chance(0.2) ? 0.0 : draw.logUniform(1e-18, 1e-8);
    const Vec3 n = (pair.R.col(2) + off * draw.directionOfNormals()).normalized();
    // A point of the base and one of the top name the side.
    const Vec3 named[2] = {pair.R * Vec3(1.0, 0.0, -0.1), pair.R * Vec3(0.0, 0.0, 0.1)};
    for (const int count : {1, 2}) {
      const ContactFeature feature(pair, true, named, count, n);
      const Vec3 on_base = pair.R.transpose() * -feature.reach(n).point;
      if (feature.form() != ContactFeature::Form::kCap) {
        EXPECT_NEAR(on_base.z(), -0.1, 1e-15);
        EXPECT_NEAR(on_base.head<2>().norm(), 1.0, 1e-15);
      }
      Vec3 lines[2];
      if (feature.lines(n, lines) == 0) continue;
      const Vec3 on_top = on_base - pair.R.transpose() * lines[0];
      EXPECT_NEAR(on_top.z(), 0.1, 1e-15);
    }
  }
}

TEST(Gjk, GoesOnFromAnEarlyEnd) {
  Random draw(74);
  for (int i = 0; i < 200; ++i) {
    const Sample s = drawPair(5.0, draw.uniform(0.2, 1.2), &draw);
    const CorePair pair = s.cores();
    GjkOptions early, late;
    early.gap = 1e-3 * pair.scale;
    late.gap = 1e-7 * pair.scale;
    GjkResult r = gjk(pair, Vec3::UnitX(), early);
    const GjkResult whole = gjk(pair, Vec3::UnitX(), late);
    if (!r.overlap) continueGjk(pair, late, &r);
    EXPECT_EQ(r.overlap, whole.overlap);
    if (r.overlap) continue;
    EXPECT_NEAR(r.upper, whole.upper, 2e-7 * pair.scale);
    EXPECT_LE(r.upper - r.lower, 1.01e-7 * pair.scale);
  }
}

}  // namespace
}  // namespace allclear::test
