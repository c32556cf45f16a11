// The polytope inside of B - A that a search for depths grows.
#include "allclear/distance/convex/inner_polytope.h"

#include <gtest/gtest.h>

#include "support/random.h"

namespace allclear::test {
namespace {

Pose drawPose(Random& random, double reach) {
  return {Eigen::AngleAxisd(random.uniform(0.0, 3.0), random.direction()).toRotationMatrix(),
          random.uniform(0.0, reach) * random.direction()};
}

TEST(InnerPolytope, GrowsInsideTheDifferenceAndNamesItsCorners) {
  Random random(40);
  for (int i = 0; i < 100; ++i) {
    const auto size = [&random] { return random.uniform(0.1, 1.0); };
    const Ellipsoid one({size(), size(), size()}), other({size(), size(), size()});
    const CorePair pair(coreOf(one), Pose{}, coreOf(other), drawPose(random, 0.1));
    InnerPolytope polytope(pair);
    Vec3 flat;
    ASSERT_TRUE(polytope.start(&flat)) << "case " << i;
    double before = polytope.leastOffset();
    for (int round = 0; round < 40; ++round) {
      const int f = polytope.nearestFace();
      if (f < 0) break;
      const ShellFace face = polytope.face(f);
      const MinkowskiPoint farthest = polytope.support(face.u);
      // No face is beyond B - A, and its corners are differences of the points that it names.
      EXPECT_LE(face.offset, face.u.dot(farthest.w) + 1e-12) << "case " << i;
      const NamedContact named = polytope.namedBy(f);
      ASSERT_EQ(named.count, 3);
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(face.u.dot(named.b[k] - named.a[k]), face.offset, 1e-12) << "case " << i;
      }
      const bool is_beyond = face.u.dot(farthest.w) > face.offset + 1e-9;
      if (!is_beyond || !polytope.extend(f, farthest)) polytope.setDone(f);
      EXPECT_GE(polytope.leastOffset(), before - 1e-12) << "grows";
      before = polytope.leastOffset();
    }
  }
}

TEST(InnerPolytope, OfAFlatDifferenceHasItsNormal) {
  const Capsule along_x(0.1, 1.0), along_y(0.1, 0.7);  // their cores are segments
  const auto turned = [](const Vec3& axis) {
    return Pose{Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), axis).toRotationMatrix(), {}};
  };
  Pose X_A = turned(Vec3::UnitX()), X_B = turned(Vec3::UnitY());
  X_A.p = X_B.p = Vec3::Zero();
  const CorePair pair(coreOf(along_x), X_A, coreOf(along_y), X_B);
  InnerPolytope polytope(pair);
  Vec3 normal;
  EXPECT_FALSE(polytope.start(&normal));
  EXPECT_NEAR(std::abs((X_A.R * normal).z()), 1.0, 1e-12) << "across both axes";
}

}  // namespace
}  // namespace allclear::test
