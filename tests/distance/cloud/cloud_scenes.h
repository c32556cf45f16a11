#pragma once

// Random clouds, and their distance from a shape by brute force over all elements.

#include <cmath>
#include <vector>

#include "allclear/distance/cloud.h"
#include "allclear/distance/signed_distance.h"
#include "support/random.h"

namespace allclear::test {

/// Points on a bent sheet about 1 m wide, in a ball, on a line, all the same, or a single one; some
/// of them more than once.
inline std::vector<Vec3> randomPoints(Random& random, int most) {
  const int count = random.chance(0.1) ? 1 : random.integer(1, most);
  const int kind = random.integer(0, 3);
  const Mat3 R = random.rotation();
  const double bend = random.uniform(-0.5, 0.5);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const double x = random.uniform(-0.5, 0.5), y = random.uniform(-0.5, 0.5);
    if (kind == 0) points.push_back(R * Vec3(x, y, bend * (x * x - y * y)));
    if (kind == 1) points.push_back(random.inBox(0.4));
    if (kind == 2) points.push_back(R * Vec3(x, 0.0, 0.0));
    if (kind == 3) points.push_back(R * Vec3(0.1, bend, 0.0));
    if (random.chance(0.1)) points.push_back(points.back());
  }
  return points;
}

/// Cells of a grid, as of an octree, some of them flat.
inline std::vector<AlignedBox> randomBoxes(Random& random, int most) {
  std::vector<AlignedBox> boxes;
  const double edge = random.logUniform(0.01, 0.2);
  for (int i = random.integer(1, most); i > 0; --i) {
    const Vec3 corner = edge * (random.inBox(0.4) / edge).array().round().matrix();
    Vec3 size = Vec3::Constant(edge * random.integer(1, 2));
    if (random.chance(0.2)) size[random.integer(0, 2)] = 0.0;
    boxes.push_back({corner, corner + size});
  }
  return boxes;
}

/// The least signed distance of any element: balls from round shapes in long double and in closed
/// form, all else by the product's distance of two shapes at rest.
inline double bruteDistance(const Shape& shape, const Pose& X_WG, const Cloud& cloud,
                            const Pose& X_WO) {
  using Real = long double;
  double radius = -1.0, half = 0.0, least = HUGE_VAL;
  if (const auto* s = std::get_if<Sphere>(&shape)) radius = s->radius();
  if (const auto* c = std::get_if<Capsule>(&shape)) {
    radius = c->radius();
    half = 0.5 * c->length();
  }
  const Vec3 from = X_WG * Vec3(0, 0, -half), way = X_WG.R.col(2) * (2.0 * half);
  for (std::int32_t i = 0; i < cloud.size(); ++i) {
    const Vec3 p = X_WO * cloud.center(i);
    if (radius >= 0.0 && cloud.isBalls()) {
      Real along = 0, squared = 0;
      for (int k = 0; k < 3; ++k) {
        along += (Real(p[k]) - Real(from[k])) * Real(way[k]);
        squared += Real(way[k]) * Real(way[k]);
      }
      const Real s = squared > 0 ? std::min(Real(1), std::max(Real(0), along / squared)) : Real(0);
      Real sum = 0;
      for (int k = 0; k < 3; ++k) {
        const Real d = Real(p[k]) - Real(from[k]) - s * Real(way[k]);
        sum += d * d;
      }
      least = std::min(least,
                       static_cast<double>(std::sqrt(sum) - Real(radius) - Real(cloud.radius())));
      continue;
    }
    const Vec3 size = (cloud.upper(i) - cloud.lower(i)).cwiseMax(1e-9);
    const Shape element = cloud.isBalls() ? Shape(Sphere(cloud.radius())) : Shape(Box(size));
    least = std::min(least, signedDistance(shape, X_WG, element, {X_WO.R, p}).distance);
  }
  return least;
}

}  // namespace allclear::test
