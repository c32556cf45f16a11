#pragma once

#include <string>
#include <vector>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/run/run_context.h"
#include "allclear/trajectories/hermite.h"

namespace allclear {

/// A motion of the planned coordinates along a line, from rest to rest, at rest at its corners.
struct LineMotion {
  HermiteCurve curve;        ///< at some pace within the limits where the duration allows it
  std::string origin;        ///< "line", "line, another posture (2)"
  double unclear = 0.0;      ///< share of its stations that are not clear
  double seconds = 0.0;      ///< [s] that its path takes at full speed alone
  bool is_hopeless = false;  ///< what the line leads is in an obstacle: no posture parts them
  std::string contact;       ///< of the worst station that is not clear: where, and who; else empty
};

struct LineMotions {
  std::vector<LineMotion> motions;  ///< clear ones first, the shortest first
  int tried = 0;                    ///< choices of posture
  std::string fault;  ///< where, and why, the choice that came farthest cannot follow the line;
                      ///< empty where all can
};

/// Motions along a line by inverse kinematics, one for each of several choices of what the joints
/// that the line leaves free do. Held poses (`KeepPose`) are kept too. Deterministic for the seed
/// of `context`. Pre: the line starts where the start has its frame.
LineMotions motionsAlong(const ClearanceEvaluator& evaluator, const KeepOnLine& line,
                         const RunContext& context);

}  // namespace allclear
