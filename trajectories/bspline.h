#pragma once

#include <memory>

#include "allclear/trajectories/bernstein_span.h"
#include "allclear/trajectories/bspline_basis.h"
#include "allclear/trajectories/span_coefficients.h"

namespace allclear {

/// A clamped B-spline curve in R^n over [0, duration] [s]: a basis (shared, immutable), control
/// points and a duration. A value type; copies share the basis.
///
/// Times are clamped to [0, duration]: before the start and after the end the value and the
/// derivatives are those at the end point. A NaN time is a broken contract.
class BSpline {
 public:
  /// `control` is n x basis->controlCount(); duration > 0 and all entries finite.
  BSpline(std::shared_ptr<const BSplineBasis> basis, MatX control, double duration);
  /// On control.cols() - degree equal spans.
  BSpline(const MatX& control, double duration, int degree = 5);

  int dimension() const { return static_cast<int>(control_.rows()); }
  int degree() const { return basis_->degree(); }
  double duration() const { return duration_; }
  const MatX& control() const { return control_; }
  const BSplineBasis& basis() const { return *basis_; }
  const std::shared_ptr<const BSplineBasis>& sharedBasis() const { return basis_; }

  /// The `order`-th time derivative at t; at a joint of spans, from the right.
  VecX value(double t, int order = 0) const;

  /// The weights of the control points in value(t, order): basis().weights(order, t / T) / T^order.
  BasisWeights linearMap(int order, double t) const;

  int spanCount() const { return basis_->spanCount(); }
  Interval spanTime(int i) const;
  int spanAt(double t) const { return basis_->spanAt(t / duration_); }
  /// Span i in Bernstein form, exact to rounding: one small product and one allocation.
  BernsteinSpan span(int i) const;

  /// Bernstein form of the `order`-th derivative of one coordinate over span i, with a bound of its
  /// rounding error.
  SpanCoefficients coefficients(int i, int order, int coordinate) const;

  /// The time derivative, of degree one less. Interior knots must be repeated at most degree times.
  BSpline derivative() const;

  /// The same curve on more knots, given in normalised time, each inside (0, 1).
  BSpline withInsertedKnots(std::vector<double> normalised_knots) const;

  /// The part over `part` (clamped to [0, duration], of positive length), its time shifted so that
  /// it starts at 0.
  BSpline restricted(Interval part) const;

  /// The same path with its time scaled.
  BSpline withDuration(double duration) const { return {basis_, control_, duration}; }
  /// Other control points on the same basis and duration.
  BSpline withControl(MatX control) const { return {basis_, std::move(control), duration_}; }

 private:
  std::shared_ptr<const BSplineBasis> basis_;
  MatX control_;
  double duration_;
};

}  // namespace allclear
