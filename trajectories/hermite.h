#pragma once

#include <array>
#include <vector>

#include "allclear/trajectories/bernstein_span.h"

namespace allclear {

/// The piecewise polynomial curve in R^n through rows of data: what a joint trajectory controller
/// executes. The columns that are given decide the degree:
///
///   positions                                degree 1, continuous
///   positions, velocities                    degree 3, once continuously differentiable
///   positions, velocities, accelerations     degree 5, twice
///
/// A value type.
///
/// Times are clamped to [0, duration]: before the start and after the end the value and the
/// derivatives are those at the end point. A NaN time is a broken contract.
class HermiteCurve {
 public:
  /// `times` [s] start at 0 and increase strictly, at least two; one column per time in the others,
  /// all finite. Empty matrices are not given; accelerations need velocities.
  HermiteCurve(std::vector<double> times, MatX positions, MatX velocities = {},
               MatX accelerations = {});

  int dimension() const { return static_cast<int>(rows_[0].rows()); }
  double duration() const { return times_.back(); }
  const std::vector<double>& times() const { return times_; }
  const MatX& positions() const { return rows_[0]; }
  const MatX& velocities() const { return rows_[1]; }     ///< empty when not given
  const MatX& accelerations() const { return rows_[2]; }  ///< empty when not given

  /// The highest derivative that the rows give: 0, 1 or 2. It and those below do not jump.
  int givenOrder() const { return given_order_; }
  int degree() const { return 2 * given_order_ + 1; }

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
  std::array<MatX, 3> rows_;  ///< by derivative
  int given_order_;
};

}  // namespace allclear
