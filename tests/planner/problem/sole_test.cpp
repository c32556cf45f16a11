#include "allclear/planner/problem/sole.h"

#include <gtest/gtest.h>

#include <numbers>

#include "allclear/distance/geometry/convex_hull.h"
#include "support/random.h"
#include "support/robot_builder.h"

namespace allclear {
namespace {

using test::RobotBuilder;

std::shared_ptr<const RobotModel> robotWith(std::vector<Geometry> geometry) {
  RobotBuilder builder;
  builder.add(JointType::kRevolute, 0, Vec3::Zero(), Vec3::UnitY(), std::move(geometry));
  return builder.build();
}

TEST(Sole, OfABoxIsItsLowerFace) {
  test::Random random(91);
  for (int trial = 0; trial < 20; ++trial) {
    const Vec3 size(random.uniform(0.05, 0.3), random.uniform(0.05, 0.3), random.uniform(0.01, 1));
    const Vec3 p = random.vector(0.5);
    const auto robot = robotWith({{Box(size), {Mat3::Identity(), p}}});
    const auto sole = soleOf(*robot, 1, Vec3::UnitZ());
    ASSERT_TRUE(sole.has_value());
    EXPECT_LT((sole->X_LC.p - (p - Vec3(0, 0, 0.5 * size.z()))).norm(), 1e-5);
    EXPECT_NEAR(sole->half_size.x(), 0.5 * size.x(), 1e-5);
    EXPECT_NEAR(sole->half_size.y(), 0.5 * size.y(), 1e-5);
    EXPECT_LT((sole->X_LC.R.col(2) - Vec3::UnitZ()).norm(), 1e-12);
    EXPECT_LT(soleOverhang(*robot, *sole), 1e-5);
  }
}

TEST(Sole, OfATiltedFootHasTheFacesNormal) {
  const Mat3 R = rotationAbout(Vec3::UnitY(), 0.15);
  const auto robot = robotWith({{Box(Vec3(0.2, 0.1, 0.05)), {R, Vec3::Zero()}}});
  const auto sole = soleOf(*robot, 1, Vec3::UnitZ());
  ASSERT_TRUE(sole.has_value());
  EXPECT_LT((sole->X_LC.R.col(2) - R.col(2)).norm(), 1e-9);
  EXPECT_NEAR(sole->half_size.x(), 0.1, 1e-4);
  // Beyond 0.2 rad no face looks down.
  const auto steep =
      robotWith({{Box(Vec3(0.2, 0.1, 0.05)), {rotationAbout(Vec3::UnitY(), 0.4), Vec3::Zero()}}});
  EXPECT_FALSE(soleOf(*steep, 1, Vec3::UnitZ()).has_value());
  EXPECT_FALSE(soleOf(*robotWith({}), 1, Vec3::UnitZ()).has_value());
}

TEST(Sole, OfARoundFootIsASquareInside) {
  const auto robot = robotWith({{Cylinder(0.1, 0.05), Pose()}});
  const auto sole = soleOf(*robot, 1, Vec3::UnitZ());
  ASSERT_TRUE(sole.has_value());
  EXPECT_LE(sole->half_size.norm(), 0.1 + 1e-9);
  EXPECT_NEAR(4.0 * sole->half_size.prod(), 2.0 * 0.01, 2e-4);
}

// Against many rectangles drawn at random inside of the face: none is larger, and the one found is
// inside.
TEST(Sole, IsTheLargestRectangleOfAPolygon) {
  test::Random random(92);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Vec3> points;
    const int count = random.integer(3, 10);
    for (int i = 0; i < count; ++i) {
      const double angle = random.uniform(0.0, 2.0 * std::numbers::pi);
      const Vec3 p(0.2 * random.logUniform(0.2, 1.0) * std::cos(angle), 0.1 * std::sin(angle), 0.0);
      points.push_back(p);
      points.push_back(p + Vec3(0, 0, 0.1));
    }
    const auto robot = robotWith({{ConvexMesh(points), Pose()}});
    const auto sole = soleOf(*robot, 1, Vec3::UnitZ());
    if (!sole) continue;
    EXPECT_LT(soleOverhang(*robot, *sole), 1e-6);
    const double area = 4.0 * sole->half_size.prod();
    for (int i = 0; i < 2000; ++i) {
      Contact other = *sole;
      other.X_LC.p.head<2>() +=
          0.05 * Eigen::Vector2d(random.uniform(-1, 1), random.uniform(-1, 1));
      other.half_size = other.half_size.cwiseProduct(
          Eigen::Vector2d(random.logUniform(0.5, 2.0), random.logUniform(0.5, 2.0)));
      if (soleOverhang(*robot, other) > 0.0) continue;
      EXPECT_LE(4.0 * other.half_size.prod(), area * (1.0 + 1e-3));
    }
  }
}

}  // namespace
}  // namespace allclear
