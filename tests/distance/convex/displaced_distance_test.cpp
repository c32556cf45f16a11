// Signed distances to a body that may be displaced within an ellipsoid, against what they have to
// be: at most the distance at every single place (drawn at random), attained at the place that the
// normal names, and never less than the room along any direction.
#include <gtest/gtest.h>

#include "allclear/distance/support.h"
#include "distance/convex/signed_distance_oracle.h"

namespace allclear::test {
namespace {

/// A random ellipsoid of displacements with semi-axes of this size; flat ones, lines and points
/// among them.
Mat3 drawSpread(Random* draw, double size, Mat3* root) {
  Vec3 axes(draw->logUniform(0.02, 1.0), draw->logUniform(0.02, 1.0), draw->logUniform(0.02, 1.0));
  if (draw->chance(0.2)) axes[0] = 0.0;
  if (draw->chance(0.2)) axes[1] = 0.0;
  const Mat3 R = draw->rotation();
  *root = size * R * axes.asDiagonal();
  return *root * root->transpose();
}

/// The least room of the bodies along n, displacements taken off: a lower bound of the distance.
double roomAlong(const Shape& A, const Pose& X_A, const Shape& B, const Pose& X_B, const Mat3& K,
                 const Vec3& n) {
  const Vec3L in_A = (X_A.R.transpose() * n).cast<Real>(),
              in_B = -(X_B.R.transpose() * n).cast<Real>();
  return static_cast<double>(-supportOracle(A, in_A) - supportOracle(B, in_B)) +
         n.dot(X_B.p - X_A.p) - displacementReach(K, n);
}

struct DisplacedCase {
  Shape A = Sphere(1.0), B = Sphere(1.0);
  Pose X_A, X_B;
  Mat3 K, root;
};

DisplacedCase drawCase(Random* draw, int kind_A, int kind_B) {
  DisplacedCase c;
  c.A = drawShape(kind_A, draw, 20.0);
  c.B = drawShape(kind_B, draw, 20.0);
  c.X_A = draw->pose(1.0);
  c.X_B = draw->pose(draw->logUniform(0.1, 4.0));
  c.K = drawSpread(draw, draw->logUniform(0.01, 1.0), &c.root);
  return c;
}

SignedDistance displaced(const DisplacedCase& c) {
  DistanceOptions options;
  options.spread = &c.K;
  return signedDistance(c.A, c.X_A, c.B, c.X_B, nullptr, options);
}

double at(const DisplacedCase& c, const Vec3& e) {
  Pose X_B = c.X_B;
  X_B.p += e;
  return signedDistance(c.A, c.X_A, c.B, X_B).distance;
}

constexpr double kAccuracy = 1e-6;  // of sizes of 1: flat ellipsoids have edges

TEST(DisplacedDistance, IsTheLeastOfAllPlacesAndAttained) {
  Random draw(41);
  int apart = 0, deep = 0, attained = 0;
  for (int i = 0; i < (isLong() ? 40000 : 1500); ++i) {
    const DisplacedCase c = drawCase(&draw, draw.index(8), draw.index(8) % kHalfSpaceIndex);
    const SignedDistance d = displaced(c);
    // No place is nearer; any direction's room is no more.
    for (int k = 0; k < 10; ++k) {
      const Vec3 e = c.root * draw.direction() * (draw.chance(0.5) ? 1.0 : draw.uniform(0.0, 1.0));
      ASSERT_LE(d.distance, at(c, e) + kAccuracy) << "case " << i;
      if (std::holds_alternative<HalfSpace>(c.A)) continue;
      ASSERT_LE(roomAlong(c.A, c.X_A, c.B, c.X_B, c.K, draw.direction()),
                d.distance + d.gap + kAccuracy)
          << "case " << i;
    }
    // Proven by its own normal, and attained: the gap of the witnesses along it, one a point of A,
    // the other of B displaced.
    if (!std::holds_alternative<HalfSpace>(c.A)) {
      ASSERT_NEAR(roomAlong(c.A, c.X_A, c.B, c.X_B, c.K, d.normal), d.distance, kAccuracy) << i;
    }
    // Of depths some stay unproven, as without displacements.
    ASSERT_TRUE(d.gap <= kAccuracy || d.distance < 0.0) << "case " << i;
    ASSERT_LE((d.witness_B - d.witness_A - d.distance * d.normal).norm(), kAccuracy) << i;
    (d.distance > 0.0 ? apart : deep) += 1;
    if (d.distance <= 0.0) continue;
    // A flat ellipsoid may touch with all of its disc: then one normal names no single place.
    const Vec3 e = -farthestDisplacement(c.K, d.normal);
    if (displacementReach(c.K, d.normal) < 1e-2 * c.root.norm()) continue;
    ++attained;
    ASSERT_NEAR(at(c, e), d.distance, kAccuracy) << "case " << i;
  }
  EXPECT_GT(apart, 200);
  EXPECT_GT(deep, 200);
  EXPECT_GT(attained, 200);
}

/// Ellipsoids with common axes add up along them, whatever else they are.
TEST(DisplacedDistance, OfEllipsoidsAddsUpAlongCommonAxes) {
  Random draw(42);
  for (int i = 0; i < 300; ++i) {
    const Vec3 a = draw.vector(0.5).cwiseAbs() + Vec3::Constant(0.1);
    const Vec3 b = draw.vector(0.5).cwiseAbs() + Vec3::Constant(0.1);
    const Vec3 k = draw.vector(0.5).cwiseAbs() + Vec3::Constant(0.1);
    const Mat3 R = draw.rotation(), K = R * k.cwiseAbs2().asDiagonal() * R.transpose();
    const int axis = draw.index(3);
    DisplacedCase c{Ellipsoid(a), Ellipsoid(b), {R, Vec3::Zero()}, {R, 5.0 * R.col(axis)}, K, {}};
    EXPECT_NEAR(displaced(c).distance, 5.0 - a[axis] - b[axis] - k[axis], 1e-9);
    // And balls in every direction.
    c.A = Sphere(a[0]);
    c.B = Sphere(b[0]);
    c.K = k[0] * k[0] * Mat3::Identity();
    EXPECT_NEAR(displaced(c).distance, 5.0 - a[0] - b[0] - k[0], 1e-9);
  }
}

TEST(DisplacedDistance, IsTheSameFromEitherSide) {
  Random draw(43);
  for (int i = 0; i < 300; ++i) {
    const DisplacedCase c = drawCase(&draw, draw.index(6), draw.index(6));
    const DisplacedCase other{c.B, c.A, c.X_B, c.X_A, c.K, c.root};
    EXPECT_NEAR(displaced(c).distance, displaced(other).distance, kAccuracy) << "case " << i;
  }
}

TEST(DisplacedDistance, OfAMeshIsNeverTooLarge) {
  Random draw(44);
  std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 200; ++i) {
    DisplacedCase c = drawCase(&draw, 0, draw.index(6));
    c.A = TriangleMesh(corners, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}});
    const SignedDistance d = displaced(c);
    for (int k = 0; k < 20; ++k) {
      ASSERT_LE(d.distance, at(c, c.root * draw.direction()) + kAccuracy) << "case " << i;
    }
    const Vec3 e = -farthestDisplacement(c.K, d.normal);
    if (d.distance + d.gap <= 0.0) continue;
    EXPECT_GE(d.distance + d.gap, std::min(at(c, e), at(c, Vec3::Zero())) - kAccuracy);
  }
}

TEST(DisplacedDistance, DecidesOnTheRightSideOfALimit) {
  Random draw(45);
  for (int i = 0; i < 1000; ++i) {
    const DisplacedCase c = drawCase(&draw, draw.index(8), draw.index(8) % kHalfSpaceIndex);
    const SignedDistance d = displaced(c);
    const double off = draw.logUniform(1e-5, 1.0);
    EXPECT_TRUE(distanceAtLeast(c.A, c.X_A, c.B, c.X_B, d.distance - off, nullptr, &c.K)) << i;
    EXPECT_FALSE(distanceAtLeast(c.A, c.X_A, c.B, c.X_B, d.distance + off, nullptr, &c.K)) << i;
  }
}

TEST(Displacement, ReachIsAttainedByItsPointAndBoundedAbove) {
  Random draw(46);
  for (int i = 0; i < 2000; ++i) {
    Mat3 root;
    const Mat3 K = drawSpread(&draw, draw.logUniform(1e-6, 1e3), &root);
    const Vec3 n = draw.chance(0.2) ? Vec3(root.col(1).cross(root.col(2)).stableNormalized())
                                    : draw.direction();
    const double exact = (root.transpose() * n).norm();
    const double size = displacementRadius(K);
    EXPECT_NEAR(displacementReach(K, n), exact, 1e-7 * size);
    EXPECT_NEAR(farthestDisplacement(K, n).dot(n), displacementReach(K, n), 1e-12 * size);
    EXPECT_GE(upperDisplacementReach(K, n), exact);
    EXPECT_LE(upperDisplacementReach(K, n), exact + 3e-7 * size);
    EXPECT_GE(size * (1.0 + 1e-14), root.norm() / std::sqrt(3.0));
    EXPECT_GE(size * (1.0 + 1e-14), (root * draw.direction()).norm());
  }
}

}  // namespace
}  // namespace allclear::test
