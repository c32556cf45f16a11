// The ellipsoid of least volume about the solids.
//
// For points: L. Khachiyan, "Rounding of polytopes in the real number model of computation" (1996),
// with the away steps of M. Todd and E. Yildirim, "On Khachiyan's algorithm for the computation of
// minimum-volume enclosing ellipsoids" (2007). Weights u on the points, sum 1, define
// X(u) = sum u_i q_i q_i' with q_i = (x_i, 1). At the optimum no q' X^-1 q exceeds 4 and those with
// a weight are equal to 4; each step moves weight to the point with the largest value, or away
// from the one with the smallest, by the amount that makes det X largest.
//
// Few points carry weight: the search works on some, adds those that reach out of its ellipsoid,
// and goes on. Curved pieces take part by points on them. The last step is exact for all of them:
// in the coordinates in which the ellipsoid is the unit ball the solids are ellipsoids, discs and
// points again, and how far they reach from its centre scales it to enclose them.

#include <algorithm>
#include <cmath>

#include "allclear/distance/fit/enclose.h"
#include "allclear/distance/fit/extreme_points.h"
#include "allclear/distance/fitting.h"

namespace allclear {
namespace {

using Vec4 = Eigen::Vector4d;
using Mat4 = Eigen::Matrix4d;

/// Of the 4 that is the optimum: volume within three times this of the least.
constexpr double kWeightTolerance = 1e-5;
constexpr int kMostSteps = 20000;
constexpr int kRounds = 30;
/// Points this far out of the unit ball join the search.
constexpr double kReached = 1e-6;
constexpr int kExtremeDirections = 32;
/// Of the largest semi-axis, about: flat and linear sets get semi-axes of this size.
constexpr double kFlat = 1e-7;  // its square is well above rounding

/// An ellipsoid: the points center + axes * w, |w| <= 1; the axes are orthogonal columns.
struct Rounding {
  Vec3 center;
  Mat3 directions;  ///< a rotation
  Vec3 radii;

  Vec3 toBall(const Vec3& p) const {
    return (directions.transpose() * (p - center)).cwiseQuotient(radii);
  }
  Mat3 toBallLinear(const Mat3& axes) const {
    return radii.cwiseInverse().asDiagonal() * directions.transpose() * axes;
  }
};

/// The weights of the points at the optimum.
VecX khachiyan(const std::vector<Vec3>& points) {
  const int count = static_cast<int>(points.size());
  VecX u = VecX::Constant(count, 1.0 / count);
  const auto lifted = [&](int i) { return Vec4(points[i].x(), points[i].y(), points[i].z(), 1.0); };
  for (int step = 0; step < kMostSteps; ++step) {
    Mat4 X = Mat4::Zero();
    for (int i = 0; i < count; ++i) X += u[i] * lifted(i) * lifted(i).transpose();
    X.diagonal().array() += kFlat * kFlat;
    const Mat4 inverse = X.inverse();
    int far = 0, near = -1;
    double most = -1.0, least = HUGE_VAL;
    for (int i = 0; i < count; ++i) {
      const double value = lifted(i).dot(inverse * lifted(i));
      if (value > most) {
        most = value;
        far = i;
      }
      if (u[i] > 0.0 && value < least) {
        least = value;
        near = i;
      }
    }
    if (most <= 4.0 * (1.0 + kWeightTolerance) && least >= 4.0 * (1.0 - kWeightTolerance)) break;
    if (most - 4.0 >= 4.0 - least) {
      const double share = (most - 4.0) / (4.0 * (most - 1.0));
      u *= 1.0 - share;
      u[far] += share;
    } else {
      // No more than the point has; then it leaves.
      const double all = u[near] / (1.0 - u[near]);
      const double wanted = least > 1.0 ? (4.0 - least) / (4.0 * (least - 1.0)) : all;
      const double share = std::min(wanted, all);
      u *= 1.0 + share;
      u[near] = share == all ? 0.0 : u[near] - share;
    }
  }
  return u;
}

Rounding roundingOf(const std::vector<Vec3>& points) {
  const VecX u = khachiyan(points);
  Rounding out;
  out.center.setZero();
  for (std::size_t i = 0; i < points.size(); ++i) out.center += u[static_cast<int>(i)] * points[i];
  Mat3 spread = Mat3::Zero();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 x = points[i] - out.center;
    spread += u[static_cast<int>(i)] * x * x.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(spread);
  out.directions = eigen.eigenvectors();
  if (out.directions.determinant() < 0.0) out.directions.col(0) *= -1.0;
  out.radii = (3.0 * eigen.eigenvalues().cwiseMax(0.0)).cwiseSqrt().cwiseMax(kFlat);
  return out;
}

/// How far the solids reach from the centre where the ellipsoid is the unit ball (an upper bound).
double reachIn(const fitting::Solids& solids, const Rounding& ellipsoid) {
  fitting::Solids mapped;
  for (const Vec3& p : solids.points) mapped.points.push_back(ellipsoid.toBall(p));
  for (const Ball& ball : solids.balls) {
    mapped.ellipsoids.push_back(
        {ellipsoid.toBall(ball.center), ellipsoid.toBallLinear(ball.radius * Mat3::Identity())});
  }
  for (const fitting::Disc& disc : solids.discs) {
    Mat3 axes;
    axes << disc.radius * disc.u, disc.radius * disc.v, kFlat * disc.radius * disc.normal;
    mapped.ellipsoids.push_back({ellipsoid.toBall(disc.center), ellipsoid.toBallLinear(axes)});
  }
  for (const fitting::EllipsoidSolid& solid : solids.ellipsoids) {
    mapped.ellipsoids.push_back(
        {ellipsoid.toBall(solid.center), ellipsoid.toBallLinear(solid.axes)});
  }
  return fitting::farthestFromSegment(mapped, {Vec3::Zero(), Vec3::Zero()}).distance;
}

}  // namespace

Geometry fitEllipsoid(std::span<const Geometry> shapes) {
  using namespace fitting;
  const Solids solids = gather(shapes);
  const UnitFrame frame(solids);
  std::vector<Vec3> all = samplePoints(solids);
  for (Vec3& p : all) p = frame.toUnit(p);
  std::vector<Vec3> some;
  for (int i : extremePoints(all, kExtremeDirections)) some.push_back(all[i]);
  Rounding unit = roundingOf(some);
  for (int round = 0; round < kRounds; ++round) {
    // The farthest of all points joins: others that reach out mostly follow it in.
    const auto reach = [&](const Vec3& p) { return unit.toBall(p).squaredNorm(); };
    const auto farthest = std::max_element(
        all.begin(), all.end(), [&](const Vec3& p, const Vec3& q) { return reach(p) < reach(q); });
    if (reach(*farthest) <= 1.0 + kReached) break;
    some.push_back(*farthest);
    unit = roundingOf(some);
  }
  // Semi-axes are at least what points are rounded by: then single points have an ellipsoid too.
  const double pad = padding(solids.largestCoordinate(), frame.scale);
  Rounding metric{frame.fromUnit(unit.center), unit.directions,
                  (frame.scale * unit.radii).cwiseMax(pad)};
  metric.radii *= std::max(reachIn(solids, metric), kFlat);
  // A point out by `pad` along a short axis is out by pad / (short axis) of it.
  const Vec3 radii = metric.radii * (1.0 + pad / metric.radii.minCoeff()) + Vec3::Constant(pad);
  return {Ellipsoid(radii), Pose{metric.directions, metric.center}};
}

}  // namespace allclear
