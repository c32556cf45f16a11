#include <gtest/gtest.h>

#include "allclear/distance/fitting.h"
#include "allclear/distance/support.h"
#include "support/random.h"

namespace allclear {
namespace {

using test::Random;

double level(const Geometry& ellipsoid, const Vec3& p) {
  const Vec3& radii = std::get<Ellipsoid>(ellipsoid.shape).radii();
  return (ellipsoid.X_BG.inverse() * p).cwiseQuotient(radii).norm();
}

double product(const Geometry& ellipsoid) {
  return std::get<Ellipsoid>(ellipsoid.shape).radii().prod();
}

/// Whether the ellipsoid's support is at least that of the solid, all around.
void expectEnclosed(const Geometry& solid, const Geometry& ellipsoid, Random* draw) {
  const double size = std::get<Ellipsoid>(ellipsoid.shape).radii().maxCoeff();
  for (int i = 0; i < 300; ++i) {
    const Vec3 n = draw->direction();
    const auto reach = [&n](const Geometry& g) {
      return n.dot(g.X_BG.p) + supportValue(g.shape, g.X_BG.R.transpose() * n);
    };
    EXPECT_GE(reach(ellipsoid), reach(solid) - 1e-13 * size);
  }
}

TEST(FitEllipsoid, OfABoxHasItsHalfEdgesTimesTheRootOfThree) {
  Random draw(71);
  for (int i = 0; i < 20; ++i) {
    const Vec3 size(draw.logUniform(0.05, 2.0), draw.logUniform(0.05, 2.0),
                    draw.logUniform(0.05, 2.0));
    const Geometry box{Box(size), Pose{draw.rotation(), draw.inBox(2.0)}};
    const Geometry fit = fitEllipsoid(std::vector<Geometry>{box});
    EXPECT_NEAR(product(fit) / (std::pow(std::sqrt(3.0) / 2.0, 3) * size.prod()), 1.0, 1e-3);
    EXPECT_LT((fit.X_BG.p - box.X_BG.p).norm(), 1e-3 * size.maxCoeff());
    expectEnclosed(box, fit, &draw);
  }
}

TEST(FitEllipsoid, OfPointsHoldsAllAndIsAsSmallAsRandomSearchFinds) {
  Random draw(72);
  for (int i = 0; i < 20; ++i) {
    std::vector<Vec3> points;
    const Vec3 scale(draw.logUniform(0.01, 1.0), draw.logUniform(0.01, 1.0), 1.0);
    const Pose X{draw.rotation(), draw.inBox(5.0)};
    for (int k = 0; k < 500; ++k) {
      points.push_back(X * Vec3(scale.cwiseProduct(draw.uniform(0.5, 1.0) * draw.direction())));
    }
    const Geometry fit = fitEllipsoid(std::vector<Geometry>{{ConvexMesh(points), Pose()}});
    for (const Vec3& p : points) EXPECT_LE(level(fit, p), 1.0);
    // All points lie in the ellipsoid of `scale`: the least one is no larger.
    EXPECT_LE(product(fit), scale.prod() * (1.0 + 1e-3));
    // Any other ellipsoid near the fit that holds all points is no smaller.
    const Geometry start = fit;
    for (int k = 0; k < 200; ++k) {
      const double step = draw.logUniform(1e-4, 0.1);
      const Vec3 radii = std::get<Ellipsoid>(start.shape).radii();
      const Vec3 other = radii.cwiseProduct(Vec3::Ones() + step * draw.inBox(1.0));
      const Pose X_other{rotationAbout(draw.direction(), step) * start.X_BG.R,
                         start.X_BG.p + step * radii.minCoeff() * draw.direction()};
      Geometry rival{Ellipsoid(other), X_other};
      double most = 0.0;
      for (const Vec3& p : points) most = std::max(most, level(rival, p));
      EXPECT_GE(other.prod() * most * most * most, product(fit) * (1.0 - 1e-3));
    }
  }
}

TEST(FitEllipsoid, EnclosesCurvedSolids) {
  Random draw(73);
  const std::vector<Shape> shapes = {Sphere(0.3),
                                     Capsule(0.1, 0.8),
                                     Cylinder(0.2, 0.5),
                                     Cone(0.3, 0.6),
                                     Ellipsoid(Vec3(0.1, 0.2, 0.6)),
                                     Cylinder(0.5, 0.02),
                                     Capsule(0.02, 1.5)};
  for (const Shape& first : shapes) {
    const Geometry one{first, Pose{draw.rotation(), draw.inBox(1.0)}};
    expectEnclosed(one, fitEllipsoid(std::vector<Geometry>{one}), &draw);
    const Geometry two{shapes[draw.index(7)], Pose{draw.rotation(), draw.inBox(1.0)}};
    const Geometry both = fitEllipsoid(std::vector<Geometry>{one, two});
    expectEnclosed(one, both, &draw);
    expectEnclosed(two, both, &draw);
  }
  const Geometry egg{Ellipsoid(Vec3(0.1, 0.2, 0.6)), Pose()};
  EXPECT_LT(product(fitEllipsoid(std::vector<Geometry>{egg})), 1.1 * 0.1 * 0.2 * 0.6);
}

TEST(FitEllipsoid, TakesFlatSetsAndSinglePoints) {
  const std::vector<Vec3> flat = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  const std::vector<Vec3> line = {{0, 0, 0}, {1, 2, 3}}, point = {{1, 2, 3}};
  for (const std::vector<Vec3>& points : {flat, line, point}) {
    const Geometry fit = fitEllipsoid(std::vector<Geometry>{{ConvexMesh(points), Pose()}});
    for (const Vec3& p : points) EXPECT_LE(level(fit, p), 1.0);
    EXPECT_LT(product(fit), 1e-6);
  }
}

}  // namespace
}  // namespace allclear
