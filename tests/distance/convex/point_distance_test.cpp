#include "allclear/distance/convex/point_distance.h"

#include <functional>

#include "distance/convex/signed_distance_oracle.h"

namespace allclear::test {
namespace {

struct Solid {
  const char* name;
  Shape shape;
  std::function<PointDistance(const Vec3&)> distance;
};

std::vector<Solid> solids() {
  const Vec3 half(0.5, 0.3, 0.8), radii(1.0, 0.5, 0.2);
  return {
      {"box", Box(2.0 * half), [=](const Vec3& p) { return pointToBox(p, half); }},
      {"cylinder", Cylinder(0.4, 1.0), [](const Vec3& p) { return pointToCylinder(p, 0.4, 0.5); }},
      {"cone", Cone(0.4, 1.0), [](const Vec3& p) { return pointToCone(p, 0.4, 0.5); }},
      {"ellipsoid", Ellipsoid(radii), [=](const Vec3& p) { return pointToEllipsoid(p, radii); }},
  };
}

TEST(PointDistance, LeadsToASurfacePointWithTheGradientAsItsNormal) {
  Random random(20);
  for (const Solid& solid : solids()) {
    for (int i = 0; i < 1000; ++i) {
      const Vec3 p = random.inBox(1.2);
      const PointDistance d = solid.distance(p);
      ASSERT_NEAR(d.gradient.norm(), 1.0, 1e-14) << solid.name;
      const Vec3L surface = (p - d.distance * d.gradient).cast<Real>();
      ASSERT_NEAR(static_cast<double>(outsideBy(solid.shape, surface)), 0.0, 1e-14) << solid.name;
      // The solid ends there along the gradient: outside this proves that no point is nearer.
      const Real reach = supportOracle(solid.shape, d.gradient.cast<Real>());
      ASSERT_NEAR(static_cast<double>(reach - surface.dot(d.gradient.cast<Real>())), 0.0, 1e-14)
          << solid.name << " at " << p.transpose();
    }
  }
}

TEST(PointDistance, InsideIsTheShortestWayOut) {
  Random random(21);
  for (const Solid& solid : solids()) {
    for (int i = 0; i < 300; ++i) {
      const Vec3 p = random.inBox(0.3);
      const PointDistance d = solid.distance(p);
      if (d.distance >= 0.0) continue;
      // Any direction's way out is at least as long.
      for (int k = 0; k < 50; ++k) {
        const Vec3 n = random.direction();
        const double way =
            static_cast<double>(supportOracle(solid.shape, n.cast<Real>())) - n.dot(p);
        ASSERT_GE(way, -d.distance - 1e-14) << solid.name;
      }
    }
  }
}

TEST(PointDistance, IsNotUniqueOnTheMedialAxis) {
  EXPECT_FALSE(pointToBox({0, 0, 0}, {1, 1, 1}).unique);
  EXPECT_FALSE(pointToBox({0.5, -0.5, 0.2}, {1, 1, 1}).unique);
  EXPECT_TRUE(pointToBox({0.0, 0.0, 0.2}, {1, 1, 1}).unique);
  EXPECT_FALSE(pointToCylinder({0, 0, 0}, 0.5, 2.0).unique);
  EXPECT_TRUE(pointToCylinder({0, 0, 1.9}, 0.5, 2.0).unique);
  EXPECT_FALSE(pointToCone({0, 0, 0.2}, 0.5, 1.0).unique);
  EXPECT_FALSE(pointToEllipsoid({0.1, 0.1, 0.0}, {1.0, 0.9, 0.2}).unique);
  EXPECT_TRUE(pointToEllipsoid({0.1, 0.1, 0.01}, {1.0, 0.9, 0.2}).unique);
  EXPECT_FALSE(pointToSegment({0, 0, 0.5}, 1.0).unique);
  EXPECT_TRUE(pointToSegment({0.1, 0, 0.5}, 1.0).unique);
  EXPECT_DOUBLE_EQ(pointToSegment({0.3, 0.4, 1.5}, 1.5).distance, 0.5);
}

}  // namespace
}  // namespace allclear::test
