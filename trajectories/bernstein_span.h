#pragma once

#include "allclear/core/types.h"

namespace allclear {

/// One polynomial piece of a curve in R^n, in Bernstein form over `time`:
/// c(t) = sum_i B_i(s) control.col(i), s = (t - t0) / (t1 - t0).
///
/// By the convex hull property every coordinate stays between the least and the greatest of its
/// coefficients, for all t of `time`.
class BernsteinSpan {
 public:
  BernsteinSpan() = default;
  /// `control` is n x (degree + 1). The interval must have positive length unless the degree is 0.
  BernsteinSpan(Interval time, MatX control);

  const Interval& time() const { return time_; }
  const MatX& control() const { return control_; }
  int dimension() const { return static_cast<int>(control_.rows()); }
  int degree() const { return static_cast<int>(control_.cols()) - 1; }

  /// The `order`-th time derivative at t, by de Casteljau; t may lie outside `time`
  /// (extrapolation).
  VecX value(double t, int order = 0) const;

  /// The `order`-th time derivative as a span of degree max(0, degree - order). Its rounding error
  /// is that of differences of coefficients, relative to the coefficients' size: of a trajectory,
  /// `Trajectory::derivativeSpan` is more accurate.
  BernsteinSpan derivative(int order = 1) const;

  /// The same polynomial in Bernstein form over a sub-interval of `time` (end points clamped to
  /// it; of positive length unless the degree is 0). Ends that coincide with those of `time` keep
  /// their coefficients to the bit.
  BernsteinSpan restricted(Interval part) const;

  /// Least and greatest coefficient of each coordinate: bounds for all t of `time`.
  VecX lowerBound() const { return control_.rowwise().minCoeff(); }
  VecX upperBound() const { return control_.rowwise().maxCoeff(); }

  /// Upper bound of |c_k(t)| for all t of `time`, per coordinate k, padded for the rounding of
  /// `value` and `restricted`.
  VecX magnitudeBound() const;

 private:
  Interval time_;
  MatX control_;
};

}  // namespace allclear
