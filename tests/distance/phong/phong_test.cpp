#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "allclear/core/input_error.h"
#include "allclear/distance/phong/mesh.h"
#include "allclear/distance/phong/surface.h"
#include "allclear/distance/phong/tree.h"
#include "allclear/distance/phong/triangle.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using phong::PhongMesh;
using phong::SurfacePoint;

double degreesBetweenPlanes(const phong::Plane& a, const phong::Plane& b) {
  const Vec3 m = Vec3(a.row(0)).cross(Vec3(a.row(1)));
  const Vec3 n = Vec3(b.row(0)).cross(Vec3(b.row(1)));
  return std::atan2(m.cross(n).norm(), std::abs(m.dot(n))) * 180.0 / std::numbers::pi;
}

/// Every vertex moved at random: edges of all angles.
TriangleMesh randomMesh(std::mt19937_64* random, int kind) {
  std::normal_distribution<double> normal(0.0, 1.0);
  const TriangleMesh base = kind == 0   ? test::blobMesh(1.0, 6, 9, 0.2)
                            : kind == 1 ? test::torusMesh(1.0, 0.4, 9, 7)
                                        : test::boxMesh({1.0, 0.6, 0.3});
  std::vector<Vec3> vertices = base.vertices();
  for (Vec3& v : vertices) v += 0.06 * Vec3(normal(*random), normal(*random), normal(*random));
  return {vertices, base.triangles()};
}

TEST(PhongSurface, PlanesAndHalfPhongPositionsAreContinuousAcrossEdges) {
  std::mt19937_64 random(20240501);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  double most = 0.0;
  int oriented = 0;
  for (int kind = 0; kind < 9; ++kind) {
    const PhongBody body{Shape(randomMesh(&random, kind % 3))};
    for (double radius : {0.0, 0.1, 0.35}) {
      const PhongSurface& surface = body.surface(radius * body.size());
      const PhongMesh& mesh = surface.mesh();
      for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
        for (int k = 0; k < 3; ++k) {
          const int other = mesh.neighbours[i][k];
          ASSERT_GE(other, 0);
          const double s = unit(random);
          SurfacePoint here{static_cast<int>(i), Vec3::Zero()}, there{other, Vec3::Zero()};
          here.weights[(k + 1) % 3] = s;
          here.weights[(k + 2) % 3] = 1.0 - s;
          for (int c = 0; c < 3; ++c) {
            for (int d = 0; d < 3; ++d) {
              if (mesh.triangles[other][d] == mesh.triangles[i][c]) {
                there.weights[d] = here.weights[c];
              }
            }
          }
          const double turn =
              degreesBetweenPlanes(surface.plane(here).value, surface.plane(there).value);
          most = std::max(most, turn);
          ASSERT_LE(turn, 1e-5) << "mesh " << kind << " radius " << radius << " edge at " << s;
          ASSERT_LE((surface.halfPhongPosition(here) - surface.halfPhongPosition(there)).norm(),
                    1e-13);
          // Where normals at a triangle's corners are more than 90 degrees apart, only the planes
          // are continuous: they turn the shorter way.
          const auto gentle = [&](int t) {
            const auto& n = surface.vertexNormals();
            const Triangle& c = mesh.triangles[t];
            return std::min({n[c[0]].dot(n[c[1]]), n[c[1]].dot(n[c[2]]), n[c[2]].dot(n[c[0]])}) > 0;
          };
          if (!gentle(static_cast<int>(i)) || !gentle(other)) continue;
          ++oriented;
          const double along = surface.normal(here).value.dot(surface.normal(there).value);
          ASSERT_GT(along, 0.0) << "inside out on one side";
        }
      }
    }
  }
  RecordProperty("degrees", std::to_string(most));
  EXPECT_GT(most, 0.0);
  EXPECT_GT(oriented, 1000);
}

TEST(PhongSurface, DerivativesOfPlanesAndNormalsAreThoseOfDifferences) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0.0, 1.0);
  std::exponential_distribution<double> share(1.0);
  for (int sample = 0; sample < 2000; ++sample) {
    std::array<Vec3, 3> normals;
    const Vec3 mean = Vec3(normal(random), normal(random), normal(random)).normalized();
    const double spread = std::pow(10.0, -3.0 + 3.0 * sample / 2000.0);
    for (Vec3& n : normals) {
      n = (mean + 0.5 * spread * Vec3(normal(random), normal(random), normal(random))).normalized();
    }
    const phong::PhongTriangle triangle = phong::phongTriangle(normals);
    Vec3 w(share(random) + 0.05, share(random) + 0.05, share(random) + 0.05);
    w /= w.sum();
    const phong::PhongPlane plane = phong::phongPlane(triangle, w);
    const phong::PhongNormal n = phong::phongNormal(plane, triangle.sign);
    for (int k = 0; k < 2; ++k) {
      constexpr double kStep = 1e-5;
      Vec3 step = -kStep * Vec3::UnitZ();
      step[k] = kStep;
      const auto up = phong::phongPlane(triangle, w + step);
      const auto down = phong::phongPlane(triangle, w - step);
      const phong::Plane by_differences = (up.value - down.value) / (2.0 * kStep);
      ASSERT_LE((plane.derivative[k] - by_differences).norm(), 1e-6) << sample;
      const Vec3 turn = (phong::phongNormal(up, triangle.sign).value -
                         phong::phongNormal(down, triangle.sign).value) /
                        (2.0 * kStep);
      ASSERT_LE((n.derivative[k] - turn).norm(), 1e-6 * (1.0 + turn.norm())) << sample;
    }
  }
}

TEST(PhongSurface, PlaneAtAVertexIsTheVertexNormals) {
  const PhongBody body{Shape(test::boxMesh({1.0, 0.6, 0.3}))};
  const PhongSurface& surface = body.surface(0.0);
  for (std::size_t i = 0; i < surface.mesh().triangles.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const Vec3 n = surface.normal({static_cast<int>(i), Vec3::Unit(k)}).value;
      EXPECT_GT(n.dot(surface.vertexNormals()[surface.mesh().triangles[i][k]]), 1.0 - 1e-7);
    }
  }
}

TEST(PhongSurface, NearestOrthogonalMatrixIsNearest) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0.0, 1.0);
  for (int sample = 0; sample < 500; ++sample) {
    phong::Mat2 M;
    M << normal(random), normal(random), normal(random), normal(random);
    const phong::Mat2 Q = phong::nearestOrthogonal(M);
    EXPECT_LE((Q * Q.transpose() - phong::Mat2::Identity()).norm(), 1e-14);
    const Eigen::JacobiSVD<phong::Mat2> svd(M, Eigen::ComputeFullU | Eigen::ComputeFullV);
    EXPECT_LE((Q - svd.matrixU() * svd.matrixV().transpose()).norm(), 1e-10) << M;
  }
}

TEST(PhongSurface, ProjectionMovesContinuouslyNearASmoothSurface) {
  // Around a torus at some height over it, across many facets: the projection's normal follows.
  const PhongBody body{Shape(test::torusMesh(1.0, 0.4, 30, 20))};
  const PhongSurface& surface = body.surface(0.0);
  constexpr int kSteps = 2000;
  SurfacePoint at = body.tree().nearest(body.mesh(), {1.55, 0.0, 0.0});
  Vec3 last = Vec3::Zero();
  double most = 0.0;
  for (int i = 0; i <= kSteps; ++i) {
    const double u = 2.0 * std::numbers::pi * i / kSteps, v = 3.0 * u;
    const double rho = 1.0 + 0.55 * std::cos(v);
    const Vec3 p(rho * std::cos(u), rho * std::sin(u), 0.55 * std::sin(v));
    const auto q = surface.project(p, at);
    ASSERT_TRUE(q) << "step " << i;
    const Vec3 n = surface.normal(*q).value, d = p - phong::position(surface.mesh(), *q);
    EXPECT_LE(n.cross(d).norm(), 1e-11);
    EXPECT_GT(n.dot(d), 0.0);
    if (i > 0) most = std::max(most, std::acos(std::min(1.0, n.dot(last))));
    last = n;
    at = *q;
  }
  // The direction of the torus itself turns by about 0.6 degrees a step, with a facet's unevenness.
  EXPECT_LE(most * 180.0 / std::numbers::pi, 2.0);
}

TEST(PhongSurface, ProjectionOnATriangleAgreesWithTheWalk) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const PhongBody body{Shape(test::blobMesh(1.0, 8, 12, 0.1))};
  const PhongSurface& surface = body.surface(0.0);
  const PhongMesh& mesh = surface.mesh();
  int agreed = 0;
  for (int sample = 0; sample < 300; ++sample) {
    const Vec3 p = 1.15 * Vec3(unit(random), unit(random), unit(random)).normalized();
    const auto q = surface.project(p, body.tree().nearest(mesh, p));
    if (!q || q->weights.minCoeff() < 1e-3) continue;
    const int t = q->triangle;
    const auto w = phong::projectOnTriangle(
        surface.triangle(t), {mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2)}, p);
    ASSERT_TRUE(w) << sample;
    EXPECT_LE((*w - q->weights).norm(), 1e-9) << sample;
    ++agreed;
  }
  EXPECT_GT(agreed, 200);
}

TEST(PhongSurface, HalfPhongPatchIsNearerToItsNormalsThanTheFacets) {
  const PhongBody body{Shape(test::blobMesh(1.0, 14, 24))};
  const PhongSurface& surface = body.surface(0.0);
  double flat = 0.0, half = 0.0;
  for (std::size_t i = 0; i < surface.mesh().triangles.size(); ++i) {
    for (const Vec3& w : {Vec3(0.6, 0.2, 0.2), Vec3(0.2, 0.6, 0.2), Vec3(0.2, 0.2, 0.6)}) {
      const SurfacePoint at{static_cast<int>(i), w};
      const auto moved = [&](const Vec3& dw) {
        return surface.halfPhongPosition({at.triangle, w + dw});
      };
      const Vec3 u = moved({1e-6, 0, -1e-6}) - moved({-1e-6, 0, 1e-6});
      const Vec3 v = moved({0, 1e-6, -1e-6}) - moved({0, -1e-6, 1e-6});
      const Vec3 n = surface.normal(at).value;
      half += std::acos(std::min(1.0, n.dot(u.cross(v).normalized())));
      flat += std::acos(std::min(1.0, n.dot(surface.mesh().normals[i])));
    }
  }
  EXPECT_LT(half, 0.35 * flat);
}

TEST(PhongMesh, RefinementKeepsTheSurfaceAndCutsEveryLongEdge) {
  const TriangleMesh box = test::boxMesh({1.0, 0.4, 0.1});
  const MeshTopology topology = cleaned(box.vertices(), box.triangles());
  const PhongMesh mesh = phong::refined(topology, 0.2);
  double area = 0.0, volume = 0.0;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const int t = static_cast<int>(i);
    const Vec3 a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2);
    area += 0.5 * (b - a).cross(c - a).norm();
    volume += a.dot(b.cross(c)) / 6.0;
    for (int k = 0; k < 3; ++k) {
      EXPECT_LE((mesh.corner(t, k) - mesh.corner(t, (k + 1) % 3)).norm(), 0.2);
      const int n = mesh.neighbours[i][k];
      ASSERT_GE(n, 0);
      EXPECT_NE(n, t);
    }
  }
  EXPECT_NEAR(area, 2.0 * (0.8 * 2.0 + 0.2 * 2.0 + 0.2 * 0.8), 1e-12);
  EXPECT_NEAR(volume, 2.0 * 0.8 * 0.2, 1e-12);
}

TEST(PhongMesh, WalkIsAStraightLineOnAFlatFaceAndFollowsAnEdgeRound) {
  const PhongBody body{Shape(test::boxMesh({1.0, 1.0, 1.0}))};
  const PhongMesh& mesh = body.mesh();
  SurfacePoint at = body.tree().nearest(mesh, {-0.7, 0.31, 1.0});
  phong::walk(mesh, {1.2, -0.5, 0.0}, &at);
  EXPECT_LE((phong::position(mesh, at) - Vec3(0.5, -0.19, 1.0)).norm(), 1e-12);
  phong::walk(mesh, {0.8, 0.1, 0.0}, &at);  // 0.5 to the edge, the rest down the side
  EXPECT_LE((phong::position(mesh, at) - Vec3(1.0, -0.09, 0.7)).norm(), 1e-12);
}

TEST(PhongTree, NearestPointIsThatOfAllTriangles) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(0.0, 1.0);
  const PhongBody body{Shape(test::torusMesh(1.0, 0.3, 17, 11, 0.2))};
  const PhongMesh& mesh = body.mesh();
  for (int sample = 0; sample < 200; ++sample) {
    const Vec3 p = 0.8 * Vec3(normal(random), normal(random), normal(random));
    double least = 1e9;
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      const int t = static_cast<int>(i);
      const auto corners = cornersOf(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2));
      least = std::min(least, (nearestOnTriangle(corners, p) - p).norm());
    }
    const SurfacePoint found = body.tree().nearest(mesh, p, sample % 50);
    EXPECT_NEAR((phong::position(mesh, found) - p).norm(), least, 1e-13);
  }
}

TEST(PhongTree, BallsHoldTheirTriangles) {
  const PhongBody body{Shape(test::blobMesh(1.0, 9, 11, 0.3))};
  const PhongMesh& mesh = body.mesh();
  const auto& nodes = body.tree().nodes();
  const std::function<void(int, std::vector<int>)> check = [&](int node, std::vector<int> above) {
    above.push_back(node);
    if (nodes[node].child >= 0) {
      check(nodes[node].child, above);
      check(nodes[node].child + 1, above);
      return;
    }
    const int t = ~nodes[node].child;
    for (int a : above) {
      for (int k = 0; k < 3; ++k) {
        EXPECT_LE((mesh.corner(t, k) - nodes[a].center).norm(), nodes[a].radius);
      }
    }
  };
  check(0, {});
}

TEST(PhongBody, RefusesShapesWithoutTriangles) {
  EXPECT_THROW(PhongBody{Shape(Sphere(1.0))}, InputError);
  EXPECT_THROW(PhongBody{Shape(Cylinder(1.0, 1.0))}, InputError);
  EXPECT_NO_THROW(PhongBody{Shape(Box(Vec3(1.0, 1.0, 1.0)))});
}

}  // namespace
}  // namespace allclear
