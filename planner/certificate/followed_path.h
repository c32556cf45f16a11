#pragma once

#include <functional>

#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// Whether it is proven that `curve` follows `path` within `within` [units of the coordinates], in
/// every coordinate, as `FollowedPath` says: with its order, and all of it. False also where it
/// does by less than 3 % of `within`. Times do not matter. Pre: the same dimension, within > 0.
/// O(pieces of the curve x pieces of the path near each).
bool isProvenToFollow(const Trajectory& curve, const Trajectory& path, double within);

/// The least such bound, to 2 %, at most `most`; infinite when there is none. At least 1e-9 [units
/// of the coordinates]: what is nearer is the path but for rounding.
double provenDeviation(const Trajectory& curve, const Trajectory& path, double most);

}  // namespace allclear
