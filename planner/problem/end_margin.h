#pragma once

#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// The clearances [m] that a pair keeps near the ends of the motion: its margin, or less where
/// `EndMargin::kRelax` gives it what it has there.
struct EndMargins {
  double start = 0.0;
  double goal = 0.0;
};

/// Of a margin and the pair's distance at an end: the margin where that is kept, or where the
/// bodies are in contact (which nothing relaxes); else the distance but for four tolerances, or
/// half of it, for the bounds of planner and certificate.
double marginAtEnd(double margin, double distance, double tolerance);

/// What pairs keep near the ends, from the problem alone: planner and certificate both ask here.
class EndClearances {
 public:
  explicit EndClearances(const Problem& problem);

  /// A body: of a link (the link's own geometry, or an attached object's), or an obstacle.
  struct Body {
    int link = -1;
    int obstacle = -1;
    const std::vector<Geometry>* geometry = nullptr;
  };

  /// Of two bodies that the plan moves against each other. Both margins where the problem does not
  /// relax them, where an obstacle moves, and at a goal that is a pose, whose configuration the
  /// planner chooses.
  EndMargins of(const Body& a, const Body& b, double margin) const;

 private:
  double at(const std::vector<Pose>& X_WL, const Body& a, const Body& b, double margin) const;

  const Problem& problem_;
  std::vector<Pose> start_;  ///< of all links; empty where nothing is relaxed
  std::vector<Pose> goal_;
};

}  // namespace allclear
