#pragma once

#include <variant>

#include "allclear/trajectories/bspline.h"
#include "allclear/trajectories/hermite.h"

namespace allclear {

/// A curve in R^n over [0, duration] [s], of one of the kinds below: the one type that robots are
/// moved along. A value type.
///
/// Times are clamped to [0, duration]: before the start and after the end the value and the
/// derivatives are those at the end point. A NaN time is a broken contract.
class Trajectory {
 public:
  Trajectory(BSpline curve) : curve_(std::move(curve)) {}         // NOLINT: the kinds convert
  Trajectory(QuinticHermite curve) : curve_(std::move(curve)) {}  // NOLINT

  int dimension() const;
  double duration() const;

  /// The `order`-th time derivative at t; at a joint of spans, from the right.
  VecX value(double t, int order = 0) const;

  int spanCount() const;
  Interval spanTime(int i) const;
  /// The span that holds t (clamped); at a joint, the later one.
  int spanAt(double t) const;
  /// Polynomial piece i, exact to rounding.
  BernsteinSpan span(int i) const;
  /// Its `order`-th derivative, more accurate than span(i).derivative(order): positions far from
  /// zero do not cancel.
  BernsteinSpan derivativeSpan(int i, int order) const;

  /// Upper bounds, per coordinate, of |q^(order)(t)| for all t of `part` (clamped to [0, duration];
  /// it may straddle spans and may be a single instant). Rigorous: the hull of the derivative's
  /// Bernstein coefficients restricted to `part`, padded by a bound of all rounding errors.
  VecX derivativeBound(int order, Interval part) const;

  struct Bounds {
    VecX lower, upper;
  };
  /// Bounds of the values themselves, likewise; order 0 bounds the positions.
  Bounds bounds(int order, Interval part) const;

  const BSpline* bspline() const { return std::get_if<BSpline>(&curve_); }
  const QuinticHermite* hermite() const { return std::get_if<QuinticHermite>(&curve_); }

 private:
  std::variant<BSpline, QuinticHermite> curve_;
};

/// The values, velocities and accelerations of a curve at rows of a fixed rate [Hz], as a
/// controller is given them: at k / rate and at the last instant, which takes the place of a row
/// less than a tenth of a period before it.
QuinticHermite sampledAtRate(const Trajectory& trajectory, double rate);

}  // namespace allclear
