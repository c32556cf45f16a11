#pragma once

#include "allclear/planner/clearance/cable_model.h"

namespace allclear {

/// Proves straight segments of the planned coordinates clear of what cables forbid, at every
/// configuration between their ends; in the way of `SegmentCertifier`, which asks here. Obstacles
/// that move do not count. What strays is that of the places looked at.
class CableSegments {
 public:
  /// The problem must outlive it.
  explicit CableSegments(const Problem& problem) : problem_(problem), model_(problem) {}

  bool isNeeded() const { return !model_.isEmpty(); }

  /// Whether every demand is kept by `extra` [m] at the planned coordinates q.
  bool isClear(const VecX& q, double extra) const;
  /// Whether it is on the whole segment, proved. False also when by less than `resolution` [m].
  bool isClear(const VecX& from, const VecX& to, double extra, double resolution) const;

 private:
  const Problem& problem_;
  CableModel model_;
};

}  // namespace allclear
