#include "allclear/distance/shape.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "allclear/core/input_error.h"
#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/distance/geometry/support_corners.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class Make>
std::string refusal(const Make& make) {
  try {
    make();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Shape, SizesThatMakeNoSolidAreRefusedByName) {
  EXPECT_EQ(refusal([] { Sphere(-1.0); }),
            "sphere radius: '-1': must be a positive finite number [m]");
  EXPECT_EQ(refusal([] { Cone(1.0, kNan); }),
            "cone length: 'nan': must be a positive finite number [m]");
  EXPECT_EQ(refusal([] { Box(Vec3(1.0, 0.0, 1.0)); }),
            "box size y: '0': must be a positive finite number [m]");
  EXPECT_EQ(refusal([] { Capsule(1.0, -0.1); }),
            "capsule length: '-0.1': must be a finite number, not negative [m]");
  EXPECT_EQ(refusal([] { Cylinder(kInfinity, 1.0); }),
            "cylinder radius: 'inf': must be a positive finite number [m]");
  EXPECT_EQ(refusal([] { Ellipsoid(Vec3(1.0, 1.0, 1e200)); }),
            "ellipsoid radii z: '1e+200': must be between 1e-30 and 1e30 m");
  EXPECT_EQ(refusal([] { Capsule(1.0, 0.0); }), "");
}

TEST(Shape, PointsThatMakeNoMeshAreRefusedByNumber) {
  EXPECT_EQ(refusal([] { ConvexMesh({}); }), "convex mesh: has no points");
  EXPECT_EQ(refusal([] {
              ConvexMesh({Vec3::Zero(), Vec3(0.0, kNan, 0.0)});
            }),
            "convex mesh: 'nan': vertex 1 must have finite coordinates, within 1e30 m");
  const std::vector<Vec3> corners = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  EXPECT_EQ(refusal([&] { TriangleMesh(corners, {}); }), "triangle mesh: has no triangles");
  EXPECT_EQ(refusal([&] {
              TriangleMesh(corners, {{0, 1, 4}});
            }),
            "triangle mesh: triangle 0 uses vertex 4 of 4");
  EXPECT_EQ(refusal([&] {
              TriangleMesh(corners, {{0, 1, 1}});
            }),
            "triangle mesh: is degenerate: no triangle has an area");
}

TEST(Shape, AMeshSaysWhichEdgeIsOpen) {
  const std::vector<Vec3> corners = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  std::vector<Triangle> faces = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  EXPECT_EQ(whyNotClosed(TriangleMesh(corners, faces)), "");
  std::vector<Triangle> open(faces.begin(), faces.end() - 1);
  EXPECT_EQ(whyNotClosed(TriangleMesh(corners, open)),
            "the edge from vertex 0 to 2 belongs to one triangle only");
  std::swap(faces[0][1], faces[0][2]);
  EXPECT_EQ(whyNotClosed(TriangleMesh(corners, faces)),
            "the edge from vertex 0 to 1 belongs to 2 triangles on one side");
}

TEST(ConvexHull, HoldsEveryPointBehindEveryFaceAndKeepsOnlyCorners) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> decade(-3.0, 0.0);
    const Vec3 scale(std::pow(10.0, decade(random)), std::pow(10.0, decade(random)),
                     std::pow(10.0, decade(random)));
    std::vector<Vec3> points;
    const int count = 5 + static_cast<int>(random() % 200);
    const bool grid = seed % 3 == 0;  // many points in one plane, on one line, repeated
    for (int i = 0; i < count; ++i) {
      Vec3 p(normal(random), normal(random), normal(random));
      if (grid) p = p.array().round();
      points.push_back(scale.cwiseProduct(p));
    }
    const ConvexHull hull = convexHull(points);
    if (hull.isFlat()) continue;  // a flat grid
    double size = 0.0;
    for (const Vec3& p : points) size = std::max(size, (p - points[0]).norm());
    EXPECT_EQ(hull.facets.size(), 2 * hull.vertices.size() - 4);  // Euler
    for (const auto& face : hull.facets) {
      const Vec3& a = points[face[0]];
      const Vec3 n = (points[face[1]] - a).cross(points[face[2]] - a);
      if (n.norm() < 1e-9 * size * size) continue;
      for (const Vec3& p : points) EXPECT_LE(n.normalized().dot(p - a), 1e-13 * size);
    }
  }
}

TEST(ConvexHull, OfFlatPointsIsEmpty) {
  std::vector<Vec3> square;
  for (int i = 0; i < 4; ++i) square.push_back(Vec3(i % 2, i / 2, 0.5));
  EXPECT_TRUE(convexHull(square).isFlat());
  EXPECT_TRUE(convexHull(std::vector<Vec3>{Vec3::Zero()}).isFlat());
  EXPECT_TRUE(convexHull(std::vector<Vec3>{Vec3::Zero(), Vec3::Zero(), Vec3::UnitX()}).isFlat());
}

TEST(ConvexHull, InAPlaneGoesAroundTheCorners) {
  const Mat3 turn = rotationFromRpy({0.4, 1.1, -2.0});
  std::vector<Vec3> points;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) points.push_back(turn * Vec3(i, j, 3.0));
  }
  const PlanarHull hull = planarHull(points);
  ASSERT_EQ(hull.corners.size(), 4u);
  for (int k = 0; k < 4; ++k) {
    const Vec3& a = points[hull.corners[k]];
    const Vec3 edge = points[hull.corners[(k + 1) % 4]] - a;
    for (const Vec3& p : points) EXPECT_GE(hull.normal.dot(edge.cross(p - a)), -1e-12);
  }
  points.resize(5);
  EXPECT_EQ(planarHull(points).corners.size(), 2u);
  EXPECT_EQ(planarHull({Vec3::UnitX(), Vec3::UnitX()}).corners.size(), 1u);
}

TEST(PointCloud, FindsTheFarthestPointAsLookingAtAllDoes) {
  for (int count : {1, 3, 4, 9, 16, 17, 60, 500}) {
    std::mt19937 random(static_cast<unsigned>(count));
    std::normal_distribution<double> normal;
    const auto vector = [&] { return Vec3(normal(random), normal(random), normal(random)); };
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) {
      points.push_back(Vec3(5.0, 0.0, 0.0) + Vec3(1.0, 0.1, 1e-3).cwiseProduct(vector()));
    }
    const PointCloud cloud(points);
    for (int i = 0; i < 2000; ++i) {
      Vec3 d = vector();
      if (i % 5 == 0) d[i % 3] = 0.0;
      double best = -kInfinity;
      for (const Vec3& p : points) best = std::max(best, d.dot(p - cloud.ball().center));
      EXPECT_NEAR(d.dot(cloud.corner(cloud.farthest(d))), best, 1e-14) << count;
    }
  }
}

}  // namespace
}  // namespace allclear
