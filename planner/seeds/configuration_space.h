#pragma once

#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/run/random_stream.h"

namespace allclear {

/// The planned coordinates as a space to search: ranges to sample, shortest steps, lengths.
///
/// Lengths are in metres: a coordinate counts by how far it can move a point of the robot.
class ConfigurationSpace {
 public:
  /// `reach`: metres of motion per unit of each coordinate. Angles without limits are sampled half
  /// a turn about the start when they wrap, else a radian beyond start and goal. Slides without
  /// limits (a base that drives) are sampled at all scales from a metre beyond start and goal to
  /// beyond all obstacles.
  ConfigurationSpace(const Problem& problem, const VecX& goal, VecX reach);

  int dimension() const { return static_cast<int>(reach_.size()); }
  const VecX& reach() const { return reach_; }
  bool wraps() const { return wraps_; }
  bool wraps(int k) const { return wrapping_[k] != 0; }

  VecX sample(RandomStream& random) const;

  /// The step from `from` to `to`, along the shorter arc of wrapping coordinates.
  VecX difference(const VecX& from, const VecX& to) const;

  /// Length of a step [m].
  double length(const VecX& step) const { return step.cwiseProduct(reach_).norm(); }

 private:
  VecX lower_, upper_;
  VecX least_, greatest_;      ///< of start and goal
  std::vector<char> is_open_;  ///< slides without limits that matter
  double room_ = 0.0;          ///< [m] beyond start and goal, at most, of these
  VecX reach_;
  std::vector<char> wrapping_;
  bool wraps_ = false;
};

/// Length of `path` [m].
double pathLength(const ConfigurationSpace& space, const std::vector<VecX>& path);

}  // namespace allclear
