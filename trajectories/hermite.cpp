// Piecewise quintic Hermite curves. Over a span of length h the six conditions (q, v, a at both
// ends) give the Bernstein coefficients directly: with b_0 .. b_5,
//   q0 = b_0,  v0 = 5 (b_1 - b_0) / h,  a0 = 20 (b_2 - 2 b_1 + b_0) / h^2,   mirrored at the end.
#include "allclear/trajectories/hermite.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

bool increaseFromZero(const std::vector<double>& times) {
  if (times.size() < 2 || times.front() != 0.0 || !std::isfinite(times.back())) return false;
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (!(times[i - 1] < times[i])) return false;
  }
  return true;
}

}  // namespace

QuinticHermite::QuinticHermite(std::vector<double> times, MatX positions, MatX velocities,
                               MatX accelerations)
    : times_(std::move(times)),
      positions_(std::move(positions)),
      velocities_(std::move(velocities)),
      accelerations_(std::move(accelerations)) {
  ALLCLEAR_ASSERT(increaseFromZero(times_));
  for (const MatX* given : {&positions_, &velocities_, &accelerations_}) {
    ALLCLEAR_ASSERT(given->cols() == static_cast<Eigen::Index>(times_.size()));
    ALLCLEAR_ASSERT(given->rows() == positions_.rows() && given->allFinite());
  }
}

int QuinticHermite::spanAt(double t) const {
  const auto later = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
  return static_cast<int>(later - times_.begin()) - 1;
}

VecX QuinticHermite::value(double t, int order) const {
  ALLCLEAR_ASSERT(order >= 0 && !std::isnan(t));
  t = std::clamp(t, 0.0, duration());
  const int i = spanAt(t);
  // At a given time the data themselves: no rounding through the coefficients.
  const int row = t == times_[i + 1] ? i + 1 : i;
  if (order <= 2 && t == times_[row]) {
    return (order == 0 ? positions_ : order == 1 ? velocities_ : accelerations_).col(row);
  }
  const double s = (t - times_[i]) / (times_[i + 1] - times_[i]);
  VecX result(dimension());
  for (int r = 0; r < dimension(); ++r) {
    SpanCoefficients piece = coefficients(i, order, r);
    for (int level = piece.degree; level > 0; --level) {
      for (int j = 0; j < level; ++j) {
        piece.coefficient[j] += s * (piece.coefficient[j + 1] - piece.coefficient[j]);
      }
    }
    result[r] = piece.coefficient[0];
  }
  return result;
}

BernsteinSpan QuinticHermite::span(int i) const {
  const double h = times_[i + 1] - times_[i];
  MatX control(dimension(), kDegree + 1);
  control.col(0) = positions_.col(i);
  control.col(1) = positions_.col(i) + (h / 5.0) * velocities_.col(i);
  control.col(2) = positions_.col(i) + (2.0 * h / 5.0) * velocities_.col(i) +
                   (h * h / 20.0) * accelerations_.col(i);
  control.col(3) = positions_.col(i + 1) - (2.0 * h / 5.0) * velocities_.col(i + 1) +
                   (h * h / 20.0) * accelerations_.col(i + 1);
  control.col(4) = positions_.col(i + 1) - (h / 5.0) * velocities_.col(i + 1);
  control.col(5) = positions_.col(i + 1);
  return {spanTime(i), std::move(control)};
}

SpanCoefficients QuinticHermite::coefficients(int i, int order, int coordinate) const {
  ALLCLEAR_ASSERT(order >= 0 && 0 <= coordinate && coordinate < dimension());
  const double h = times_[i + 1] - times_[i];
  const double q0 = positions_(coordinate, i), q1 = positions_(coordinate, i + 1);
  const double v0 = velocities_(coordinate, i), v1 = velocities_(coordinate, i + 1);
  const double a0 = accelerations_(coordinate, i), a1 = accelerations_(coordinate, i + 1);
  SpanCoefficients result;
  result.length = h;
  result.coefficient.fill(0.0);
  if (order > kDegree) return result;
  // Sizes of the terms of a coefficient, for the error bounds: a term carries at most 8 roundings
  // of half an epsilon.
  const double step = std::max(std::abs(v0), std::abs(v1)) * h;
  const double bend = std::max(std::abs(a0), std::abs(a1)) * h * h;
  if (order == 0) {
    result.degree = 5;
    result.coefficient = {q0,
                          q0 + h * v0 / 5.0,
                          q0 + (2.0 * h * v0) / 5.0 + h * h * a0 / 20.0,
                          q1 - (2.0 * h * v1) / 5.0 + h * h * a1 / 20.0,
                          q1 - h * v1 / 5.0,
                          q1};
    result.error = 4.0 * kEpsilon * (std::max(std::abs(q0), std::abs(q1)) + step + bend);
    return result;
  }
  // The velocity's coefficients, straight from the data: q0 and q1 may be large, and differences of
  // the coefficients above would keep only their rounding. Only the middle one needs positions, and
  // of these the difference.
  const double middle = 5.0 * (q1 - q0) / h - 2.0 * (v0 + v1) + h * (a1 - a0) / 4.0;
  result.degree = 4;
  result.coefficient = {v0, v0 + h * a0 / 4.0, middle, v1 - h * a1 / 4.0, v1};
  result.error = 4.0 * kEpsilon * (5.0 * std::abs(q1 - q0) + 4.0 * step + bend) / h;
  for (int k = 1; k < order; ++k) result.differentiate();
  return result;
}

}  // namespace allclear
