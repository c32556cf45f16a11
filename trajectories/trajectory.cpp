// One type over B-splines and Hermite curves. Bounds over a part of time visit the spans that it
// touches, take the derivative there in Bernstein form with its rounding error, cut it to the part,
// and read off the extreme coefficients: rigorous by the convex hull property.
#include "allclear/trajectories/trajectory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Calls `visit(coordinate, coefficients)` with every piece of the derivative inside `part`.
template <class Curve, class Visit>
void forEachPiece(const Curve& curve, int order, Interval part, Visit visit) {
  ALLCLEAR_ASSERT(order >= 0 && part.lower <= part.upper);
  const double from = std::clamp(part.lower, 0.0, curve.duration());
  const double to = std::clamp(part.upper, 0.0, curve.duration());
  // A part that begins at a joint also touches the span before it, where a high derivative may have
  // another value; so near a joint that rounding decides on which side of it, both are taken.
  const double slack = 4.0 * kEpsilon * curve.duration();
  const int last = curve.spanAt(to + slack);
  for (int i = curve.spanAt(from - slack - std::numeric_limits<double>::min()); i <= last; ++i) {
    const Interval span = curve.spanTime(i);
    const double u0 = std::clamp((from - span.lower) / span.length(), 0.0, 1.0);
    const double u1 = std::clamp((to - span.lower) / span.length(), u0, 1.0);
    // u0 and u1 carry the roundings of a difference of times and a division.
    const double parameter_error = 8.0 * kEpsilon * (1.0 + span.upper / span.length());
    for (int k = 0; k < curve.dimension(); ++k) {
      SpanCoefficients piece = curve.coefficients(i, order, k);
      piece.restrict(u0, u1, parameter_error);
      visit(k, piece);
    }
  }
}

}  // namespace

int Trajectory::dimension() const {
  return std::visit([](const auto& curve) { return curve.dimension(); }, curve_);
}

double Trajectory::duration() const {
  return std::visit([](const auto& curve) { return curve.duration(); }, curve_);
}

VecX Trajectory::value(double t, int order) const {
  return std::visit([&](const auto& curve) { return curve.value(t, order); }, curve_);
}

int Trajectory::spanCount() const {
  return std::visit([](const auto& curve) { return curve.spanCount(); }, curve_);
}

Interval Trajectory::spanTime(int i) const {
  return std::visit([&](const auto& curve) { return curve.spanTime(i); }, curve_);
}

int Trajectory::spanAt(double t) const {
  return std::visit([&](const auto& curve) { return curve.spanAt(t); }, curve_);
}

BernsteinSpan Trajectory::span(int i) const {
  return std::visit([&](const auto& curve) { return curve.span(i); }, curve_);
}

BernsteinSpan Trajectory::derivativeSpan(int i, int order) const {
  return std::visit(
      [&](const auto& curve) {
        // Coordinate by coordinate, each with its rounding error: more accurate than differences of
        // the span's own coefficients.
        MatX control;
        for (int k = 0; k < curve.dimension(); ++k) {
          const SpanCoefficients piece = curve.coefficients(i, order, k);
          if (k == 0) control.resize(curve.dimension(), piece.degree + 1);
          for (int j = 0; j <= piece.degree; ++j) control(k, j) = piece.coefficient[j];
        }
        return BernsteinSpan(curve.spanTime(i), std::move(control));
      },
      curve_);
}

VecX Trajectory::derivativeBound(int order, Interval part) const {
  VecX bound = VecX::Zero(dimension());
  std::visit(
      [&](const auto& curve) {
        forEachPiece(curve, order, part, [&](int k, const SpanCoefficients& piece) {
          bound[k] = std::max(bound[k], piece.magnitude());
        });
      },
      curve_);
  return bound;
}

Trajectory::Bounds Trajectory::bounds(int order, Interval part) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Bounds result{VecX::Constant(dimension(), kInfinity), VecX::Constant(dimension(), -kInfinity)};
  std::visit(
      [&](const auto& curve) {
        forEachPiece(curve, order, part, [&](int k, const SpanCoefficients& piece) {
          result.lower[k] = std::min(result.lower[k], piece.lower());
          result.upper[k] = std::max(result.upper[k], piece.upper());
        });
      },
      curve_);
  return result;
}

SpanCoefficients coefficientsOf(const Trajectory& trajectory, int i, int order, int k) {
  if (const BSpline* spline = trajectory.bspline()) return spline->coefficients(i, order, k);
  return trajectory.hermite()->coefficients(i, order, k);
}

QuinticHermite sampledAtRate(const Trajectory& trajectory, double rate) {
  ALLCLEAR_ASSERT(rate > 0.0 && std::isfinite(rate));
  const double end = trajectory.duration();
  ALLCLEAR_ASSERT(end * rate < 1e8);  // rows that memory can hold
  std::vector<double> times{0.0};
  // The last instant is a row of its own; a regular row just before it would make a step that a
  // controller cannot follow.
  for (double row = 1.0; row <= end * rate - 0.1; row += 1.0) times.push_back(row / rate);
  times.push_back(end);
  const auto count = static_cast<Eigen::Index>(times.size());
  std::array<MatX, 3> rows;
  for (int order = 0; order < 3; ++order) {
    rows[order].resize(trajectory.dimension(), count);
    for (Eigen::Index i = 0; i < count; ++i) {
      rows[order].col(i) = trajectory.value(times[i], order);
    }
  }
  return {std::move(times), std::move(rows[0]), std::move(rows[1]), std::move(rows[2])};
}

}  // namespace allclear
