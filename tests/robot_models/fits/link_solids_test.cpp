#include "allclear/robot_models/fits/link_solids.h"

#include <gtest/gtest.h>

#include "support/mesh_samples.h"
#include "support/random_robot.h"

namespace allclear {
namespace {

Pose at(double x, double y, double z) { return {Mat3::Identity(), Vec3(x, y, z)}; }

bool overlap(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  const LinkSolids A({{a, Pose{}}}), B({{b, Pose{}}});
  const bool found = LinkSolids::overlap(A, X_WA, B, X_WB);
  EXPECT_EQ(LinkSolids::overlap(B, X_WB, A, X_WA), found) << shapeName(a) << " " << shapeName(b);
  return found;
}

TEST(LinkSolids, OfSpheresAgreesWithTheirDistance) {
  test::Random random(11);
  int touching = 0;
  for (int i = 0; i < 500; ++i) {
    const double ra = random.logUniform(1e-2, 1.0), rb = random.logUniform(1e-2, 1.0);
    const Pose X_AG = random.pose(0.3), X_BG = random.pose(0.3);
    const LinkSolids A({{Sphere(ra), X_AG}}), B({{Sphere(rb), X_BG}});
    const Pose X_WA = random.pose(0.6), X_WB = random.pose(0.6);
    const double apart = ((X_WA * X_AG).p - (X_WB * X_BG).p).norm();
    const bool found = LinkSolids::overlap(A, X_WA, B, X_WB);
    EXPECT_EQ(found, apart <= ra + rb) << i << " of seed 11";
    touching += found;
  }
  EXPECT_GT(touching, 30);
}

/// Boxes are apart exactly when one of 15 directions separates them.
bool boxesTouch(const Box& a, const Pose& X_WA, const Box& b, const Pose& X_WB) {
  std::vector<Vec3> axes;
  for (int i = 0; i < 3; ++i) {
    axes.push_back(X_WA.R.col(i));
    axes.push_back(X_WB.R.col(i));
    for (int j = 0; j < 3; ++j) axes.push_back(X_WA.R.col(i).cross(X_WB.R.col(j)));
  }
  for (const Vec3& axis : axes) {
    if (axis.norm() < 1e-9) continue;
    const double reach = (X_WA.R.transpose() * axis).cwiseAbs().dot(a.halfSize()) +
                         (X_WB.R.transpose() * axis).cwiseAbs().dot(b.halfSize());
    if (std::abs(axis.dot(X_WB.p - X_WA.p)) > reach) return false;
  }
  return true;
}

TEST(LinkSolids, OfBoxesAgreesWithSeparatingAxes) {
  test::Random random(12);
  int touching = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto size = [&] {
      return Vec3(random.logUniform(1e-3, 1), random.logUniform(1e-3, 1),
                  random.logUniform(1e-3, 1));
    };
    const Box a(size()), b(size());
    const Pose X_WA = random.pose(0.2), X_WB = random.pose(0.2);
    const bool expected = boxesTouch(a, X_WA, b, X_WB);
    EXPECT_EQ(overlap(a, X_WA, b, X_WB), expected) << i << " of seed 12";
    touching += expected;
    // The same boxes as surfaces: only one wholly inside of the other makes a difference.
    if (i % 10 == 0 && !expected) {
      EXPECT_FALSE(overlap(test::boxMesh(a.halfSize()), X_WA, test::boxMesh(b.halfSize()), X_WB));
    }
  }
  EXPECT_GT(touching, 500);
  EXPECT_LT(touching, 4500);
}

TEST(LinkSolids, FindsOnePrimitiveInsideAnother) {
  EXPECT_TRUE(overlap(Cylinder(1.0, 2.0), Pose{}, Sphere(0.1), at(0.3, 0.2, 0.5)));
}

TEST(LinkSolids, FindsAMeshInsideAPrimitiveButNothingInsideAMesh) {
  const TriangleMesh small = test::boxMesh(Vec3::Constant(0.1));
  const TriangleMesh large = test::boxMesh(Vec3::Constant(1.0));
  const Pose X = at(0.2, -0.1, 0.3);
  const Shape solids[] = {Sphere(1.0), Box(Vec3::Constant(2.0)), Cylinder(1.0, 2.0)};
  for (const Shape& solid : solids) EXPECT_TRUE(overlap(solid, Pose{}, small, X));
  const Shape contents[] = {small, Sphere(0.1), Box(Vec3::Constant(0.2)), Cylinder(0.1, 0.2)};
  for (const Shape& content : contents) EXPECT_FALSE(overlap(large, Pose{}, content, X));
  // Moved through a face, all of them meet the surface.
  for (const Shape& content : contents) EXPECT_TRUE(overlap(large, Pose{}, content, at(1, 0, 0)));
}

TEST(LinkSolids, SurfacesThatTouchOverlapWithoutCrossing) {
  const TriangleMesh cube = test::boxMesh(Vec3::Constant(0.5));
  EXPECT_TRUE(overlap(cube, Pose{}, cube, at(1.0, 0.25, 0.0)));
  EXPECT_FALSE(overlap(cube, Pose{}, cube, at(1.0 + 1e-8, 0.25, 0.0)));
}

TEST(LinkSolids, OneOfManyPartsIsEnoughAndNoneIsNever) {
  const LinkSolids parts({{Sphere(0.1), at(-1, 0, 0)},
                          {test::boxMesh(Vec3::Constant(0.1)), at(1, 0, 0)},
                          {Box(Vec3::Constant(0.2)), at(0, 1, 0)}});
  const LinkSolids ball({{Sphere(0.05), Pose{}}});
  EXPECT_TRUE(LinkSolids::overlap(parts, Pose{}, ball, at(-1, 0.1, 0)));
  EXPECT_TRUE(LinkSolids::overlap(parts, Pose{}, ball, at(0.9, 0, 0)));
  EXPECT_TRUE(LinkSolids::overlap(parts, Pose{}, ball, at(0, 1, 0)));
  EXPECT_FALSE(LinkSolids::overlap(parts, Pose{}, ball, Pose{}));
  EXPECT_FALSE(LinkSolids::overlap(LinkSolids({}), Pose{}, ball, Pose{}));
}

}  // namespace
}  // namespace allclear
