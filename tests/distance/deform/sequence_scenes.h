#pragma once

// Random meshes that bend, and their distance from a shape by brute force over all triangles.

#include <cmath>
#include <vector>

#include "allclear/distance/deforming_mesh.h"
#include "allclear/distance/geometry/triangles.h"
#include "allclear/distance/signed_distance.h"
#include "support/random.h"

namespace allclear::test {

/// The triangles of a grid of n x m cells; vertex (i, j) has the number i (m + 1) + j.
inline std::vector<Triangle> gridTriangles(int n, int m) {
  std::vector<Triangle> out;
  const auto at = [m](int i, int j) { return i * (m + 1) + j; };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      out.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      out.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return out;
}

/// A sheet of n x n cells, about 1 m wide, that waves: so many keyframes from `start` to `end`.
inline DeformingMesh wavingSheet(Random& random, int n, int keyframes, double start, double end) {
  const double amplitude = random.logUniform(0.001, 0.3), waves = random.uniform(1.0, 8.0),
               speed = random.uniform(0.0, 9.0), noise = random.logUniform(1e-5, 0.05);
  const Mat3 R = random.rotation();
  std::vector<std::vector<Vec3>> frames;
  std::vector<double> times;
  for (int k = 0; k < keyframes; ++k) {
    times.push_back(keyframes == 1 ? start : start + (end - start) * k / (keyframes - 1));
    std::vector<Vec3> frame;
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; j <= n; ++j) {
        const double x = static_cast<double>(i) / n - 0.5, y = static_cast<double>(j) / n - 0.5;
        const double z = amplitude * std::sin(waves * x + speed * times.back() + 2.0 * y);
        frame.push_back(R * Vec3(x, y, z) + random.vector(noise));
      }
    }
    frames.push_back(std::move(frame));
  }
  return {gridTriangles(n, n), std::move(frames), std::move(times)};
}

inline std::vector<Vec3> boxCorners(const Vec3& half) {
  std::vector<Vec3> out;
  for (int i = 0; i < 8; ++i) {
    out.push_back(half.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  }
  return out;
}

inline std::vector<Triangle> boxTriangles() {
  return {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
          {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
}

/// The distance from the surface of the mesh at t; 0 or less where they meet. By the product's
/// distances of two shapes at rest, triangle by triangle, or in closed form for round shapes.
inline double bruteDistance(const Shape& shape, const Pose& X_WG, const DeformingMesh& mesh,
                            const Pose& X_WO, double t) {
  const std::vector<Vec3> positions = mesh.positions(t);
  double least = HUGE_VAL;
  double half = 0.0, radius = -1.0;
  if (const auto* s = std::get_if<Sphere>(&shape)) radius = s->radius();
  if (const auto* c = std::get_if<Capsule>(&shape)) {
    radius = c->radius();
    half = 0.5 * c->length();
  }
  for (const Triangle& tri : mesh.triangles()) {
    const Vec3 a = X_WO * positions[tri[0]], b = X_WO * positions[tri[1]],
               c = X_WO * positions[tri[2]];
    if (radius >= 0.0) {
      const Vec3 p = X_WG * Vec3(0, 0, half), q = X_WG * Vec3(0, 0, -half);
      least = std::min(least,
                       triangleDistance(cornersOf(p, q, q), cornersOf(a, b, c)).distance - radius);
    } else {
      const Vec3 middle = (a + b + c) / 3.0;
      const Ball ball = boundingBall(shape);
      const double gap = (X_WG * ball.center - middle).norm() - ball.radius -
                         std::max({(a - middle).norm(), (b - middle).norm(), (c - middle).norm()});
      if (gap > least) continue;
      least = std::min(least, signedDistance(shape, X_WG, ConvexMesh({a, b, c}), Pose()).distance);
    }
  }
  return least;
}

}  // namespace allclear::test
