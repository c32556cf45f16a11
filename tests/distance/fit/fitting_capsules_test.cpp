// Several capsules about one body, and what they are made with: hulls, volumes, cuts.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "allclear/distance/fit/least_distance.h"
#include "allclear/distance/fit/surface.h"
#include "allclear/distance/fitting.h"
#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/distance/shape.h"

namespace allclear {
namespace {

using Random = std::mt19937;

double uniform(Random* random, double lower, double upper) {
  return std::uniform_real_distribution<double>(lower, upper)(*random);
}

Vec3 inCube(Random* random) {
  return {uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
}

// A closed box as triangles.
void addBox(const Vec3& lower, const Vec3& upper, std::vector<Vec3>* vertices,
            std::vector<Triangle>* triangles) {
  const int first = static_cast<int>(vertices->size());
  for (int i = 0; i < 8; ++i) {
    vertices->emplace_back(i & 1 ? upper.x() : lower.x(), i & 2 ? upper.y() : lower.y(),
                           i & 4 ? upper.z() : lower.z());
  }
  const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                           {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (const auto& q : quads) {
    triangles->push_back({first + q[0], first + q[1], first + q[2]});
    triangles->push_back({first + q[0], first + q[2], first + q[3]});
  }
}

// A long thin tube along x and one along z: no single capsule suits.
TriangleMesh elbow() {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  addBox({-0.05, -0.05, -0.05}, {0.5, 0.05, 0.05}, &vertices, &triangles);
  addBox({-0.05, -0.05, 0.05}, {0.05, 0.05, 0.5}, &vertices, &triangles);
  return {vertices, triangles};
}

bool isInside(const Geometry& capsule, const Vec3& p) {
  const auto& c = std::get<Capsule>(capsule.shape);
  const Vec3 q = capsule.X_BG.R.transpose() * (p - capsule.X_BG.p);
  const double z = std::max(std::abs(q.z()) - 0.5 * c.length(), 0.0);
  return std::hypot(q.x(), q.y(), z) <= c.radius() * (1.0 + 1e-13);
}

bool isCovered(std::span<const Geometry> capsules, const Vec3& p) {
  return std::any_of(capsules.begin(), capsules.end(),
                     [&](const Geometry& g) { return isInside(g, p); });
}

// True when the triangle lies in the union: whole in one capsule, or in quarters that do; at the
// last every corner has to be covered.
bool isCovered(std::span<const Geometry> capsules, const Vec3& a, const Vec3& b, const Vec3& c,
               int depth = 9) {
  for (const Geometry& g : capsules) {
    if (isInside(g, a) && isInside(g, b) && isInside(g, c)) return true;
  }
  if (!isCovered(capsules, a) || !isCovered(capsules, b) || !isCovered(capsules, c)) return false;
  if (depth == 0) return true;
  const Vec3 ab = 0.5 * (a + b);
  const Vec3 bc = 0.5 * (b + c);
  const Vec3 ca = 0.5 * (c + a);
  return isCovered(capsules, a, ab, ca, depth - 1) && isCovered(capsules, b, bc, ab, depth - 1) &&
         isCovered(capsules, c, ca, bc, depth - 1) && isCovered(capsules, ab, bc, ca, depth - 1);
}

void expectCovers(std::span<const Geometry> capsules, const Geometry& mesh) {
  const auto& m = std::get<TriangleMesh>(mesh.shape);
  for (const Triangle& t : m.triangles()) {
    EXPECT_TRUE(isCovered(capsules, mesh.X_BG * m.vertices()[t[0]], mesh.X_BG * m.vertices()[t[1]],
                          mesh.X_BG * m.vertices()[t[2]]));
  }
}

TEST(FitCapsules, CoverEveryTriangleOfAnElbowWithLittleVolume) {
  Random random(1);
  for (double scale : {1e-5, 1.0, 1e5}) {
    const TriangleMesh unit = elbow();
    std::vector<Vec3> vertices;
    for (const Vec3& p : unit.vertices()) vertices.push_back(scale * p);
    const Geometry mesh{TriangleMesh(vertices, unit.triangles()),
                        {rotationFromRpy({0.3, -1.0, 2.0}), scale * inCube(&random)}};
    const CapsuleSet set = fitCapsules({&mesh, 1});
    EXPECT_GE(set.capsules.size(), 2u);
    EXPECT_TRUE(set.covers_inside);
    expectCovers(set.capsules, mesh);
    EXPECT_LT(set.volume, 0.6 * shapeVolume(fitCapsule({&mesh, 1}).shape));
    EXPECT_NEAR(set.solid_volume, scale * scale * scale * 0.01, 1e-9 * scale * scale * scale);
  }
}

TEST(FitCapsules, CoverTheInsideOfABlockCutInEight) {
  Random random(2);
  for (const Vec3& size : {Vec3(1, 1, 1), Vec3(1, 1, 0.2), Vec3(0.4, 0.4, 0.9)}) {
    const Geometry box{Box(size), {rotationFromRpy({1, 2, 3}), {0.1, 0.2, 0.3}}};
    const CapsuleSet set = fitCapsules({&box, 1}, {8, 0.0, 0.0});
    for (int i = 0; i < 20000; ++i) {
      const Vec3 p = box.X_BG * Vec3(0.5 * size.cwiseProduct(inCube(&random)));
      ASSERT_TRUE(isCovered(set.capsules, p)) << p.transpose();
    }
    EXPECT_LE(set.volume, shapeVolume(fitCapsule({&box, 1}).shape) * (1.0 + 2e-3));
  }
}

TEST(FitCapsules, CoverMixturesOfPrimitives) {
  Random random(3);
  for (int seed = 0; seed < 6; ++seed) {
    const auto pose = [&] {
      return Pose{rotationFromRpy(3.0 * inCube(&random)), 0.5 * inCube(&random)};
    };
    const std::vector<Geometry> shapes = {{Cylinder(0.3, 0.05), pose()},
                                          {Capsule(0.05, 0.6), pose()},
                                          {Cone(0.1, 0.4), pose()},
                                          {Ellipsoid({0.05, 0.1, 0.3}), pose()},
                                          {Sphere(0.1), pose()}};
    const CapsuleSet set = fitCapsules(shapes);
    EXPECT_GT(set.capsules.size(), 1u);
    for (int i = 0; i < 20000; ++i) {
      const Vec3 w = inCube(&random);
      if (w.norm() > 1.0) continue;
      const Vec3 d = Vec3(w.x(), w.y(), 0.0).normalized();
      const Vec3 points[] = {
          shapes[0].X_BG * Vec3(0.3 * d + Vec3(0, 0, 0.025 * w.z())),
          shapes[1].X_BG * Vec3(0.05 * w + Vec3(0, 0, std::copysign(0.3, w.x()))),
          shapes[2].X_BG * Vec3(0.1 * d - Vec3(0, 0, 0.2)),
          shapes[2].X_BG * Vec3(0, 0, 0.2),
          shapes[3].X_BG * Vec3(0.05 * w.x(), 0.1 * w.y(), 0.3 * w.z()),
          shapes[4].X_BG * Vec3(0.1 * w)};
      for (const Vec3& p : points) ASSERT_TRUE(isCovered(set.capsules, p)) << "seed " << seed;
    }
  }
}

TEST(FitCapsules, StayOneWhereOneIsEnough) {
  const Geometry capsule{Capsule(0.1, 1.0), {}};
  const CapsuleSet set = fitCapsules({&capsule, 1});
  EXPECT_EQ(set.capsules.size(), 1u);
  EXPECT_NEAR(set.volume / set.solid_volume, 1.0, 1e-6);
  const Geometry mesh{elbow(), {}};
  EXPECT_EQ(fitCapsules({&mesh, 1}, {1, 0.1, 0.1}).capsules.size(), 1u);
  EXPECT_LE(fitCapsules({&mesh, 1}, {3, 0.0, 0.0}).capsules.size(), 3u);
}

TEST(FitCapsules, SayThatAnOpenMeshHasNoInside) {
  const Geometry sheet{TriangleMesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}), {}};
  const CapsuleSet set = fitCapsules({&sheet, 1});
  EXPECT_FALSE(set.covers_inside);
  expectCovers(set.capsules, sheet);
}

TEST(ConvexHull, HoldsAllPointsBelowItsFacets) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const double scale = std::exp(uniform(&random, -14.0, 14.0));
    std::vector<Vec3> points;
    for (int i = 0; i < 200; ++i) points.push_back(scale * inCube(&random));
    const ConvexHull hull = convexHull(points);
    double volume = 0.0;
    for (const Triangle& t : hull.facets) {
      const Vec3 n = (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]);
      volume += points[t[0]].dot(n) / 6.0;
      for (const Vec3& p : points) {
        ASSERT_LE((p - points[t[0]]).dot(n.normalized()), 1e-12 * scale) << "seed " << seed;
      }
    }
    EXPECT_NEAR(hull.volume / volume, 1.0, 1e-10);
    EXPECT_EQ(hull.facets.size(), 2 * hull.vertices.size() - 4);  // Euler
  }
}

TEST(ConvexHull, OfManyCoplanarPointsIsTheBoxTheyAreOn) {
  std::vector<Vec3> points;
  for (int i = 0; i < 11 * 11 * 11; ++i) points.emplace_back(i % 11, i / 11 % 11, i / 121);
  const ConvexHull hull = convexHull(points);
  EXPECT_NEAR(hull.volume, 1000.0, 1e-9);
}

TEST(ConvexHull, OfFlatSetsHasNoFacets) {
  EXPECT_TRUE(convexHull({}).vertices.empty());
  EXPECT_EQ(convexHull(std::vector<Vec3>(3, Vec3(1, 2, 3))).vertices.size(), 1u);
  EXPECT_EQ(convexHull(std::vector<Vec3>{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}).vertices.size(), 2u);
  const ConvexHull square = convexHull(
      std::vector<Vec3>{{0, 0, 5}, {1, 0, 5}, {1, 1, 5}, {0, 1, 5}, {0.5, 0.5, 5}, {0.5, 0, 5}});
  EXPECT_TRUE(square.isFlat());
  EXPECT_EQ(square.vertices.size(), 4u);
}

TEST(Volume, OfTheUnionOfCapsulesMatchesRandomSampling) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    Random random(seed);
    std::vector<Geometry> capsules;
    for (int i = 0; i < 4; ++i) {
      capsules.push_back({Capsule(uniform(&random, 0.05, 0.5), uniform(&random, 0.0, 1.0)),
                          {rotationFromRpy(3.0 * inCube(&random)), 0.5 * inCube(&random)}});
    }
    const int count = 400000;
    int inside = 0;
    for (int i = 0; i < count; ++i) inside += isCovered(capsules, 1.6 * inCube(&random)) ? 1 : 0;
    const double box = 3.2 * 3.2 * 3.2;
    const double share = static_cast<double>(inside) / count;
    const double deviation = box * std::sqrt(share * (1.0 - share) / count);
    EXPECT_NEAR(capsuleUnionVolume(capsules), box * share, 5.0 * deviation) << "seed " << seed;
    const Geometry twice[] = {capsules[0], capsules[0]};
    EXPECT_NEAR(capsuleUnionVolume(twice) / shapeVolume(capsules[0].shape), 1.0, 1e-3);
  }
}

TEST(Volume, OfClosedMeshesIsSignedAndOpenOnesCountAsTheirHulls) {
  const TriangleMesh closed = elbow();
  EXPECT_TRUE(isClosed(closed));
  EXPECT_NEAR(shapeVolume(closed), 0.01, 1e-15);
  std::vector<Triangle> open = closed.triangles();
  open.pop_back();
  const Geometry torn{TriangleMesh(closed.vertices(), open), {}};
  EXPECT_FALSE(isClosed(std::get<TriangleMesh>(torn.shape)));
  EXPECT_NEAR(solidVolume({&torn, 1}), convexHull(closed.vertices()).volume, 1e-12);
}

double areaOf(const fitting::Surface& surface) {
  double area = 0.0;
  for (int i = 0; i < surface.size(); ++i) {
    const auto corner = surface.polygon(i);
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 2; k < corner.size(); ++k) {
      sum += (corner[k - 1] - corner[0]).cross(corner[k] - corner[0]);
    }
    area += 0.5 * sum.norm();
  }
  return area;
}

TEST(Surface, CutByPlanesLosesNothing) {
  const Geometry mesh{elbow(), {}};
  const fitting::Surface whole = fitting::cuttableSolids({&mesh, 1}).closed;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const fitting::Plane first{inCube(&random).normalized(), uniform(&random, -0.2, 0.3)};
    const fitting::Plane second{inCube(&random).normalized(), uniform(&random, -0.2, 0.3)};
    double sum = 0.0;
    for (const fitting::Plane& a : {first, first.flipped()}) {
      for (const fitting::Plane& b : {second, second.flipped()}) {
        const fitting::Surface part = whole.below(a).below(b);
        for (const Vec3& p : part.corners) {
          EXPECT_LE(std::max(a.height(p), b.height(p)), 1e-15);
        }
        sum += areaOf(part);
      }
    }
    EXPECT_NEAR(sum, areaOf(whole), 1e-13) << "seed " << seed;
  }
}

TEST(Surface, WindsOnceAboutPointsInside) {
  const Geometry shapes[] = {{Box({1, 2, 3}), {}},
                             {Cylinder(0.5, 1.0), {}},
                             {Cone(1.0, 1.0), {}},
                             {ConvexMesh({{0, 0, -1}, {1, 0, 0}, {0, 1, 0}, {-1, -1, 1}}), {}}};
  for (const Geometry& g : shapes) {
    const fitting::Surface closed = fitting::cuttableSolids({&g, 1}).closed;
    EXPECT_NEAR(fitting::windingNumber(closed, Vec3(0.01, 0.02, -0.03)), 1.0, 1e-12);
    EXPECT_NEAR(fitting::windingNumber(closed, Vec3(3, 4, 5)), 0.0, 1e-12);
  }
}

TEST(Surface, CornersOfACellAreWhereThreePlanesMeet) {
  std::vector<fitting::Plane> octant;
  for (int k = 0; k < 3; ++k) octant.push_back({Vec3::Unit(k), 0.5});
  const auto corners = fitting::cellCorners(octant);
  ASSERT_EQ(corners.size(), 1u);
  EXPECT_LT((corners[0] - Vec3::Constant(0.5)).norm(), 1e-15);
  octant.push_back({Vec3::UnitX(), 0.2});  // cuts that corner off and makes another
  const auto cut = fitting::cellCorners(octant);
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_LT((cut[0] - Vec3(0.2, 0.5, 0.5)).norm(), 1e-15);
}

TEST(LeastDistance, FindsThePointThatItsMultipliersProve) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const int count = 1 + static_cast<int>(seed % 60);
    fitting::Constraints constraints(8, count);
    // Feasible by construction: some point fulfils all.
    fitting::Vec7 feasible;
    for (int k = 0; k < 7; ++k) feasible[k] = uniform(&random, -3, 3);
    for (int j = 0; j < count; ++j) {
      for (int k = 0; k < 7; ++k) constraints(k, j) = uniform(&random, -1, 1);
      constraints(7, j) =
          constraints.col(j).head<7>().dot(feasible) - uniform(&random, 0.0, seed % 3);
    }
    fitting::Vec7 y;
    ASSERT_TRUE(fitting::leastDistance(constraints, &y)) << "seed " << seed;
    EXPECT_LE(y.norm(), feasible.norm() * (1.0 + 1e-9));
    for (int j = 0; j < count; ++j) {
      EXPECT_GE(constraints.col(j).head<7>().dot(y) - constraints(7, j), -1e-8) << seed;
    }
    // No feasible point along any segment from y to random feasible ones is nearer: y is optimal
    // when y . (x - y) >= 0 for all feasible x.
    for (int i = 0; i < 20; ++i) {
      fitting::Vec7 x = feasible;
      for (int k = 0; k < 7; ++k) x[k] += uniform(&random, -1, 1);
      bool fulfils = true;
      for (int j = 0; j < count; ++j) {
        fulfils = fulfils && constraints.col(j).head<7>().dot(x) >= constraints(7, j);
      }
      EXPECT_TRUE(!fulfils || y.dot(x - y) >= -1e-8) << seed;
    }
    EXPECT_GE(y.dot(feasible - y), -1e-8) << seed;
  }
}

}  // namespace
}  // namespace allclear
