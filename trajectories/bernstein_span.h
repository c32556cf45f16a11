#pragma once

#include <array>

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

class Trajectory;

/// One coordinate of one polynomial piece in Bernstein form, on the stack: the allocation-free
/// working form of span bounds. `coefficient[0..degree]` over a piece of `length` [s]; every
/// coefficient is within `error` of the one that exact arithmetic gives.
struct SpanCoefficients {
  static constexpr int kMaxDegree = 15;

  std::array<double, kMaxDegree + 1> coefficient;
  int degree = 0;
  double length = 0.0;
  double error = 0.0;

  /// The time derivative; the error bound follows.
  void differentiate();

  /// The part [u0, u1] of the piece, 0 <= u0 <= u1 <= 1 in units of its length (u0 == u1 gives the
  /// constant). The error bound grows by the rounding of de Casteljau's steps and by that of u0 and
  /// u1 when these are within `parameter_error` of what was meant; that it is finite is checked.
  void restrict(double u0, double u1, double parameter_error);

  /// Bounds of the polynomial on the piece, error included.
  double lower() const;
  double upper() const;
  double magnitude() const;
};

/// The `order`-th derivative of coordinate k on span i of the trajectory.
SpanCoefficients coefficientsOf(const Trajectory& trajectory, int i, int order, int k);

}  // namespace allclear
