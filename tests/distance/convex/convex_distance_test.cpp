#include "allclear/distance/convex/convex_distance.h"

#include "allclear/core/assert.h"
#include "allclear/distance/convex/pairs.h"
#include "distance/convex/signed_distance_oracle.h"
#include "support/mesh_samples.h"

namespace allclear::test {
namespace {

TEST(ConvexDistance, IsThePublicOneOfConvexShapesToTheBit) {
  Random random(40);
  for (int i = 0; i < 64 * 8; ++i) {
    const Shape A = drawShape(i % 8, &random, 10.0), B = drawShape(i / 8 % 8, &random, 10.0);
    const Pose X_WA = random.pose(0.5), X_WB = random.pose(0.5);
    const SignedDistance r = convexDistance(A, X_WA, B, X_WB);
    const SignedDistance s = signedDistance(A, X_WA, B, X_WB);
    EXPECT_EQ(r.distance, s.distance);
    EXPECT_EQ(r.witness_A, s.witness_A);
    EXPECT_EQ(r.normal, s.normal);
    if (!std::isfinite(r.distance)) continue;
    for (double limit : {r.distance - 1e-6, r.distance + 1e-6}) {
      EXPECT_EQ(convexDistanceAtLeast(A, X_WA, B, X_WB, limit), r.distance >= limit);
    }
  }
}

TEST(ConvexDistance, OfATriangleMeshViolatesTheContract) {
  const Shape mesh = boxMesh(Vec3(1, 1, 1));
  for (const Shape& other : {Shape(Sphere(1.0)), Shape(HalfSpace{}), mesh}) {
    EXPECT_THROW(convexDistance(mesh, Pose{}, other, Pose{}), ContractViolation);
    EXPECT_THROW(convexDistanceAtLeast(other, Pose{}, mesh, Pose{}, 0.0), ContractViolation);
  }
}

TEST(PairFunctions, OfClosedFormAgreeWithTheSearchForAnyConvexPair) {
  constexpr double kNoLimit = std::numeric_limits<double>::quiet_NaN();
  struct Entry {
    int A, B;
    PairFunction closed;
  };
  const Entry entries[] = {{0, 0, sphereSphere},   {0, 1, sphereCapsule},  {0, 2, sphereBox},
                           {0, 3, sphereCylinder}, {0, 4, sphereCone},     {0, 5, sphereEllipsoid},
                           {1, 1, capsuleCapsule}, {6, 5, halfSpaceConvex}};
  Random random(41);
  for (const Entry& entry : entries) {
    for (int i = 0; i < 100; ++i) {
      const Shape A = drawShape(entry.A, &random, 5.0), B = drawShape(entry.B, &random, 5.0);
      const Pose X_WA = random.pose(1.0), X_WB = random.pose(1.0);
      const SignedDistance closed = entry.closed({A, X_WA, B, X_WB, kNoLimit, nullptr});
      EXPECT_LT((closed.witness_B - closed.witness_A - closed.distance * closed.normal).norm(),
                1e-14);
      if (entry.A == 6) continue;  // no core: nothing to compare with
      const SignedDistance searched = convexConvex({A, X_WA, B, X_WB, kNoLimit, nullptr});
      EXPECT_NEAR(closed.distance, searched.distance, 1e-11) << entry.A << " " << entry.B;
    }
  }
}

}  // namespace
}  // namespace allclear::test
