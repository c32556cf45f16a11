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
  Trajectory(BSpline curve) : curve_(std::move(curve)) {}       // NOLINT: the kinds convert
  Trajectory(HermiteCurve curve) : curve_(std::move(curve)) {}  // NOLINT

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
  const HermiteCurve* hermite() const { return std::get_if<HermiteCurve>(&curve_); }

 private:
  std::variant<BSpline, HermiteCurve> curve_;
};

/// A curve as rows for a controller that goes from row to row as a quintic polynomial: positions,
/// velocities and accelerations at the joints of its spans, and at k / rate [Hz] between them if
/// `rate` is positive. Of a quintic spline with continuous acceleration these rows are the curve
/// itself, to rounding and to half a nanosecond at the end, with or without the rate.
///
/// All times are whole nanoseconds, which ROS 2 messages hold; the values are those at the rounded
/// times, and at the end those of the curve's end. A joint within a microsecond of the row before
/// has no row, nor has an instant of the rate within a tenth of its period of a joint: so short a
/// step would turn the rounding of positions into accelerations.
HermiteCurve controllerRows(const Trajectory& trajectory, double rate = 0.0);

}  // namespace allclear
