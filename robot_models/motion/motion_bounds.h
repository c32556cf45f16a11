#pragma once

#include <array>
#include <span>
#include <vector>

#include "allclear/core/types.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {

/// One joint between a base and a body point: how fast it can move the point.
struct ChainJoint {
  int coordinate = -1;
  double factor = 1.0;  ///< |d(joint variable) / dq[coordinate]|
  double offset = 0.0;  ///< size of the joint variable at q[coordinate] = 0
  bool turns = true;
  double reach = 0.0;  ///< [m] upper bound of the point's distance to the axis; 0 for slides
};

/// The joints from a base to a body point, the base's first.
struct ReachChain {
  std::vector<ChainJoint> joints;
};

/// Ranges that the coordinates keep: the position limits, [0, 0] where there are none. Only those
/// of slides matter for reach.
std::vector<Interval> coordinateRanges(const RobotModel& model);

/// Reach of the point p_LQ of `link` from the axis of every joint between it and `base_link` (-1:
/// the world), over all configurations: any angles, slides within `ranges` [m]. With a base link
/// that moves, the motion is the one seen from the base link's frame.
ReachChain reachChain(const MotionTree& tree, int base_link, int link, const Vec3& p_LQ,
                      const std::vector<Interval>& ranges);

/// Highest order of derivative that is bounded.
inline constexpr int kMotionOrder = 15;

/// Upper bounds of |q_k^(m)| over a cell: row k, column m - 1, for m = 1 ... kMotionOrder.
using DerivativeSuprema = Eigen::Matrix<double, Eigen::Dynamic, kMotionOrder>;

/// Upper bounds of the derivatives of a moving body, for orders n = 1 ... kMotionOrder (index n;
/// index 0 is unused): |d^n x / dt^n| <= linear[n] + angular[n] |u| for the body point u from the
/// chain's.
struct MotionMajorant {
  std::array<double, kMotionOrder + 1> linear{};
  std::array<double, kMotionOrder + 1> angular{};
};

/// The bounds of `docs/algorithms/motion-bounds.md`, padded for rounding. O(joints).
MotionMajorant motionMajorant(const ReachChain& chain, const DerivativeSuprema& suprema);

/// Pad of a bound for the roundings of its computation: a few hundred of 1.1e-16 each, so 1e-12 is
/// far more than enough.
inline constexpr double kMajorantRounding = 1.0 + 1e-12;

/// Pad of the difference of two series e - e', relative to e: each has the rounding of some tens of
/// operations, about 1e-15 of e.
inline constexpr double kSeriesCancellation = 1e-14;

/// Coefficients 0 ... kMotionOrder of a power series in time.
using TimeSeries = std::array<double, kMotionOrder + 1>;

/// exp(sum_{m>=1} W^(m) t^m / m!) for the rates `w`, w[m] = W^(m).
TimeSeries exponentialSeries(const TimeSeries& w);

/// The same of each of `w`, several at a time.
void exponentialSeries(std::span<const TimeSeries> w, std::span<TimeSeries> out);

}  // namespace allclear
