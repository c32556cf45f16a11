#pragma once

#include <memory>

#include "allclear/planner/problem.h"

namespace allclear {

/// Proves configurations and straight segments of a problem's planned coordinates clear, for
/// planners of your own: a segment is clear when every pair of bodies keeps its margin at every
/// configuration between its ends, not at samples. Obstacles that move do not count: a segment has
/// no time.
///
/// Answers do not depend on earlier calls, except for distances within rounding of a margin. Calls
/// share scratch, so one object serves one thread at a time; copy it for another thread. A copy
/// shares the bodies' geometry and costs little.
class SegmentClearance {
 public:
  /// Queries so far.
  struct Statistics {
    long segments = 0;   ///< asked about
    long certified = 0;  ///< proved clear
  };

  /// Keeps a copy of the problem. Its meshes are followed as closely as `plan` does at first
  /// (`CollisionSettings::geometry`). Pre: the problem passes `validate`.
  explicit SegmentClearance(const Problem& problem);
  ~SegmentClearance();
  SegmentClearance(const SegmentClearance& other);
  SegmentClearance& operator=(const SegmentClearance& other);
  SegmentClearance(SegmentClearance&& other) noexcept;
  SegmentClearance& operator=(SegmentClearance&& other) noexcept;

  /// Whether all pairs keep their margins at the planned coordinates `q`.
  bool isClear(const VecX& q);

  /// Whether all pairs keep their margins on the whole segment, proved. Also false for segments
  /// that keep them by less than 1e-5 m.
  bool isClear(const VecX& from, const VecX& to);

  const Statistics& statistics() const { return statistics_; }

 private:
  struct Model;
  struct Scratch;
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Scratch> scratch_;
  Statistics statistics_;
};

}  // namespace allclear
