#pragma once

#include <memory>
#include <vector>

#include "allclear/trajectories/bspline.h"
#include "allclear/trajectories/hermite.h"

namespace allclear {

/// Position, velocity and acceleration at one end of a curve, each of the curve's dimension.
struct EndState {
  VecX position;
  VecX velocity;
  VecX acceleration;

  static EndState atRest(const VecX& position) {
    return {position, VecX::Zero(position.size()), VecX::Zero(position.size())};
  }
};

/// The first three control points of a curve that starts in `state`, as n x 3; any duration > 0.
/// Degree at least 2.
MatX startControl(const BSplineBasis& basis, double duration, const EndState& state);
/// The last three control points of a curve that ends in `state`, in their order in the curve.
MatX endControl(const BSplineBasis& basis, double duration, const EndState& state);

/// Samples of a curve: column i of `values` at times[i] in [0, duration], in any order.
struct Samples {
  std::vector<double> times;
  MatX values;
};

/// The curve on `basis` from `start` to `end` with the least sum of squared distances to the
/// samples; among several such (too few samples for the control points) that of the least integral
/// of squared jerk. It passes through the samples when the control points suffice. At least six
/// control points, degree at least 3.
BSpline fitSpline(std::shared_ptr<const BSplineBasis> basis, double duration,
                  const Samples& samples, const EndState& start, const EndState& end);

/// The C4 quintic spline through `positions` (one column per time) from rest to rest: the curve
/// through them of the least integral of squared jerk. `times` start at 0 and increase. O(rows).
HermiteCurve interpolatePositions(std::vector<double> times, MatX positions);

}  // namespace allclear
