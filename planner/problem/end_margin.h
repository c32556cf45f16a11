#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// How deep [m] two bodies may be in one another and count as touching, where they do not move
/// relative to each other, or are let touch near an end (`CollisionSettings::leaves`): the default
/// margin, of the size of what models are off by where a base stands on a table. Deeper ones are a
/// fault of the task.
inline constexpr double kTouchingDepth = 1e-3;

/// The clearances [m] that a pair keeps near the ends of the motion: its margin, or less where
/// `EndMargin::kRelax` gives it what it has there, or where it may touch.
struct EndMargins {
  double start = 0.0;
  double goal = 0.0;
  bool leaves = false;  ///< `start` is that of a pair that touches and parts; may be negative
  bool lands = false;   ///< `goal`, of a pair that comes together
};

/// Of a margin and the pair's distance at an end: the margin where that is kept, or where the
/// bodies are in contact; else the distance but for four tolerances, or half of it, for the bounds
/// of planner and certificate.
double marginAtEnd(double margin, double distance, double tolerance);

/// The same of a pair that may touch there: the distance but for four tolerances, also in contact
/// up to `kTouchingDepth`; the margin where that is less, and of bodies deeper in one another.
double marginAtTouch(double margin, double distance, double tolerance);

/// Whether a list of pairs by name has this one, in either order.
bool holdsPair(const std::vector<std::pair<std::string, std::string>>& pairs, const std::string& a,
               const std::string& b);

/// What is wrong with `leaves` and `lands`: names that are not there, obstacles that move, an
/// uncertainty.
std::vector<Finding> touchingFindings(const Problem& problem);

/// What pairs keep near the ends, from the problem alone: planner and certificate both ask here.
class EndClearances {
 public:
  explicit EndClearances(const Problem& problem);

  /// A body: of a link (the link's own geometry, or an attached object's), or an obstacle.
  struct Body {
    const std::string* name = nullptr;
    int link = -1;
    int obstacle = -1;
    const std::vector<Geometry>* geometry = nullptr;
  };

  /// Of two bodies that the plan moves against each other. Both margins where the problem does not
  /// relax them, where an obstacle moves, and at a goal that is a pose, whose configuration the
  /// planner chooses; there a pair that lands has what the deepest touch would leave it.
  EndMargins of(const Body& a, const Body& b, double margin) const;

 private:
  double distance(const std::vector<Pose>& X_WL, const Body& a, const Body& b, double margin,
                  int levels) const;
  double startOf(const Body& a, const Body& b, double margin, bool leaves) const;
  double goalOf(const Body& a, const Body& b, double margin, bool lands) const;

  const Problem& problem_;
  std::vector<Pose> start_;  ///< of all links; empty where nothing is relaxed
  std::vector<Pose> goal_;   ///< empty at a goal that is a pose, too
};

}  // namespace allclear
