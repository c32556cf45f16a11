#pragma once

#include <vector>

#include "allclear/trajectories/bernstein_span.h"
#include "allclear/trajectories/span_coefficients.h"

namespace allclear {

/// The piecewise quintic curve in R^n through given positions, velocities and accelerations at
/// given times: what a joint trajectory controller executes. Twice continuously differentiable. A
/// value type.
///
/// Times are clamped to [0, duration]: before the start and after the end the value and the
/// derivatives are those at the end point. A NaN time is a broken contract.
class QuinticHermite {
 public:
  static constexpr int kDegree = 5;

  /// `times` [s] start at 0 and increase strictly, at least two; one column per time in the others,
  /// all finite.
  QuinticHermite(std::vector<double> times, MatX positions, MatX velocities, MatX accelerations);

  int dimension() const { return static_cast<int>(positions_.rows()); }
  double duration() const { return times_.back(); }
  const std::vector<double>& times() const { return times_; }
  const MatX& positions() const { return positions_; }
  const MatX& velocities() const { return velocities_; }
  const MatX& accelerations() const { return accelerations_; }

  /// The `order`-th time derivative at t; at a joint of spans, from the right. At the given times
  /// the given positions, velocities and accelerations come back to the bit.
  VecX value(double t, int order = 0) const;

  int spanCount() const { return static_cast<int>(times_.size()) - 1; }
  Interval spanTime(int i) const { return {times_[i], times_[i + 1]}; }
  /// The span that holds t (clamped); at a joint, the later one.
  int spanAt(double t) const;
  BernsteinSpan span(int i) const;

  /// Bernstein form of the `order`-th derivative of one coordinate over span i, with a bound of its
  /// rounding error.
  SpanCoefficients coefficients(int i, int order, int coordinate) const;

 private:
  std::vector<double> times_;
  MatX positions_, velocities_, accelerations_;
};

}  // namespace allclear
