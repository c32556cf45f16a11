#include "allclear/distance/minimum/mesh/motion.h"

#include <cmath>
#include <limits>

#include "allclear/core/assert.h"

namespace allclear::mcd {
namespace {

constexpr int kCount = BodyCurve::kDegree + 1;
/// What static distances promise, relative to the bodies' size: between triangles, and with a core
/// whose distance is iterated.
constexpr double kTriangleAccuracy = 1e-12;
constexpr double kCoreAccuracy = 1e-8;

}  // namespace

MeshMotion::MeshMotion(const MeshBody& A, const MovingShape& a, const MeshBody& B,
                       const MovingShape& b)
    : A_(A),
      B_(B),
      a_(a),
      b_(b),
      X_AC_{a.X_BG.R, a.X_BG * A.center()},
      X_BC_{b.X_BG.R, b.X_BG * B.center()},
      cells_(static_cast<int>(std::max(a.curves.size(), b.curves.size()))),
      timed_by_b_(b.curves.size() > 1 || (a.curves.size() == 1 && isStill(a.curves[0]))) {
  ALLCLEAR_ASSERT(A.bvh() != nullptr && !a.curves.empty() && !b.curves.empty());
}

/// The centres' difference D(s) has Bernstein coefficients D_k. Along the unit vector of their sum
/// it is at least the least of theirs; the bodies lie within their reach of the centres.
double MeshMotion::sweptBound(int cell) const {
  const BodyCurve &a = curveA(cell), &b = curveB(cell);
  Vec3 D[kCount], sum = Vec3::Zero();
  for (int k = 0; k < kCount; ++k) {
    D[k] = a.control[k] * X_AC_.p - b.control[k] * X_BC_.p;
    sum += D[k];
  }
  const double length = sum.norm();
  // No direction, or NaN: no bound.
  if (!(length > 0.0)) return -std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (const Vec3& d : D) {
    least = std::min(least, sum.dot(d) / length);
    most = std::max(most, d.cwiseAbs().maxCoeff());
  }
  const double error = a.error((X_AC_.p - a.reference_B).norm()) +
                       b.error((X_BC_.p - b.reference_B).norm()) +
                       kRelativeRounding * (most + a.control[0].p.norm() + b.control[0].p.norm());
  return least - error - A_.reach() - B_.reach();
}

double MeshMotion::coarseDistance() const {
  const BodyCurve &a = curveA(0), &b = curveB(0);
  const Vec3 D = a.control[0] * X_AC_.p - b.control[0] * X_BC_.p;
  return D.norm() + A_.reach() + B_.reach() + a.error((X_AC_.p - a.reference_B).norm()) +
         b.error((X_BC_.p - b.reference_B).norm());
}

RelativeCurve MeshMotion::relative(int cell) const {
  return relativeCurve(curveA(cell), X_AC_, curveB(cell), X_BC_);
}

std::vector<RelativeCurve> MeshMotion::relativeCurves() const {
  std::vector<RelativeCurve> curves(cells_);
  for (int cell = 0; cell < cells_; ++cell) curves[cell] = relative(cell);
  return curves;
}

Pose MeshMotion::frameOfB(TimePoint when) const {
  const BodyCurve& b = curveB(when.cell);
  const Pose X = isStill(b) ? b.control[0] : b.pose(timeAt(when));
  return X * X_BC_;
}

double MeshMotion::timeAt(TimePoint when) const {
  const Interval time = cellTime(when.cell);
  return when.s < 1.0 ? time.lower + when.s * time.length() : time.upper;
}

double MeshMotion::error(std::span<const RelativeCurve> curves) const {
  double most = 0.0;
  for (const RelativeCurve& curve : curves) {
    // Distances are taken at the rotation R* nearest to the polynomial matrix M. The true rotation
    // R is within the error of M, and R* is no farther from M than R: |R* - R| is at most twice the
    // error.
    most = std::max(most, 2.0 * (curve.error + curve.error_slope * A_.reach()));
  }
  const double accuracy = B_.core() != nullptr ? kCoreAccuracy : kTriangleAccuracy;
  return most + accuracy * (A_.reach() + B_.reach());
}

double MeshMotion::leverSpeed(int cell) const {
  const auto speed = [](const BodyCurve& curve, const Vec3& center, double reach) {
    return curve.bounds.linear[0] +
           curve.bounds.angular[0] * ((center - curve.reference_B).norm() + reach);
  };
  return speed(curveA(cell), X_AC_.p, A_.reach()) + speed(curveB(cell), X_BC_.p, B_.reach());
}

}  // namespace allclear::mcd
