#pragma once

#include "allclear/planner/seeds/configuration_space.h"
#include "allclear/planner/seeds/segment_certifier.h"
#include "allclear/trajectories/spline_fit.h"

namespace allclear {

/// From rest to rest along the straight line, by the smooth step of least jerk: on `spans` spans,
/// exact.
BSpline straightSpline(const VecX& start, const VecX& goal, int spans, double duration);

/// A quintic spline of `spans` spans that follows a path of straight segments, from `start` to
/// `end` (their positions are the ends of the path). `dwell` >= 0: how much it slows at corners;
/// the more, the less it cuts them.
BSpline splineAlong(const ConfigurationSpace& space, const std::vector<VecX>& path, int spans,
                    double duration, double dwell, const EndState& start, const EndState& end);

/// Share of `samples` instants of the curve that are not clear by margin + `extra`.
double unclearShare(SegmentCertifier& certifier, const BSpline& curve, double extra, int samples);

}  // namespace allclear
