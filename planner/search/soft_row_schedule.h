#pragma once

#include <map>
#include <utility>
#include <vector>

#include "allclear/planner/clearance/soft_clearance.h"
#include "allclear/planner/program/clearance_rows.h"

namespace allclear {

/// Decides, solve by solve, which clearance rows use the softened distance, how soft it is, and
/// what is added to it (`ClearanceRow`): rows of pairs so deep in contact that the direction of the
/// Euclidean distance may point anywhere.
///
/// The softness is large at first, so that a row sees past the features that the body would have to
/// go around, and smaller after every solve. The margin that a solve then still lacks, measured by
/// the Euclidean distance, is demanded of the next solve.
class SoftRowSchedule {
 public:
  SoftRowSchedule(const SoftClearance& soft, const CollisionModel& model, DistanceMode mode)
      : soft_(soft), model_(model), mode_(mode) {}

  /// Sets the first centre: `near` are the clearances of the first guess.
  void start(const std::vector<Clearance>& near) { at_center_ = depths(near); }

  /// Learns from a solve with the rows `rows`: `near` are the clearances of the curve that it ended
  /// with, which became the centre or not.
  void learn(const std::vector<Clearance>& near, const std::vector<ClearanceRow>& rows,
             bool is_center);

  /// The row of a pair over a span in the next solve.
  ClearanceRow row(int pair, int span) const;

 private:
  using Depths = std::map<std::pair<int, int>, double>;  ///< [m] by pair and span
  static Depths depths(const std::vector<Clearance>& near);
  static double depthIn(const Depths& depths, int pair, int span);

  const SoftClearance& soft_;
  const CollisionModel& model_;
  DistanceMode mode_;
  Depths at_center_, latest_;
  Depths lacking_;  ///< summed over the solves
  int solves_ = 0;
};

}  // namespace allclear
