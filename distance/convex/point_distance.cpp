#include "allclear/distance/convex/point_distance.h"

namespace allclear {
namespace {

/// Of the root: a Newton step this small changes the last bit at most.
constexpr double kLastBit = 1e-16;

}  // namespace

// Eberly, "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid": the nearest
// point is x_i = e_i^2 y_i / (t + e_i^2) with the largest root t of sum (x_i / e_i)^2 = 1. Here
// s = t + e_min^2 is the unknown, so that points near the medial disc lose no digits, and Newton
// runs on 1 / |x / e|, which is nearly linear in s and convergent from the left.
//
// On the medial disc (the component of y along the least axis is 0, and y is well inside) no s > 0
// solves the equation: s = 0, and the missing part of the normal points along the least axis,
// either way.
PointDistance pointToEllipsoid(const Vec3& point, const Vec3& radii) {
  constexpr int kMostSteps = 60;  // quadratic in the end: far more than are needed
  int least = 0;
  const double e_min = radii.minCoeff(&least);
  const Vec3 y = point.cwiseAbs();
  Vec3 ey = radii.cwiseProduct(y);
  Vec3 beyond;  // e_i^2 - e_min^2
  for (int i = 0; i < 3; ++i) beyond[i] = (radii[i] - e_min) * (radii[i] + e_min);
  // No root is left of where one term alone is 1: e_i y_i = s + beyond_i.
  double s = std::max(0.0, (ey - beyond).maxCoeff());
  const auto term = [&](int i, double at) { return ey[i] > 0.0 ? ey[i] / (at + beyond[i]) : 0.0; };
  bool medial = false;
  if (s == 0.0) {
    // Only possible with the component along the least axis (and its equals) zero.
    const double sum2 =
        term(0, 0.0) * term(0, 0.0) + term(1, 0.0) * term(1, 0.0) + term(2, 0.0) * term(2, 0.0);
    medial = sum2 <= 1.0;
  }
  for (int i = 0; !medial && i < kMostSteps; ++i) {
    double sum2 = 0.0;
    double slope = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double x = term(k, s);
      sum2 += x * x;
      if (x > 0.0) slope += x * x / (s + beyond[k]);
    }
    const double norm = std::sqrt(sum2);
    const double step = (norm - 1.0) * sum2 / slope;
    if (!(std::abs(step) > kLastBit * s)) break;
    s += step;
  }
  Vec3 normal;  // x_i / e_i^2
  for (int i = 0; i < 3; ++i) normal[i] = y[i] > 0.0 ? y[i] / (s + beyond[i]) : 0.0;
  if (medial) {
    const double rest = 1.0 - normal.cwiseProduct(radii).squaredNorm();
    normal[least] = std::sqrt(std::max(0.0, rest)) / e_min;
  }
  const double length = normal.norm();
  const double t = s - e_min * e_min;
  PointDistance out{t * length, normal / length, !medial};
  for (int i = 0; i < 3; ++i) out.gradient[i] = std::copysign(out.gradient[i], point[i]);
  if (s <= point_distance::kTie * e_min * e_min) out.unique = false;
  return out;
}

}  // namespace allclear
