#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {

/// A cable between two neighbouring clips.
struct CableStretch {
  int cable = -1;  ///< index into `Problem::cables`
  CableClip a;
  CableClip b;
  double length = 0.0;  ///< [m]
  double radius = 0.0;
  double reserve = 0.0;

  /// How far apart its clips may be.
  double longestSpan() const { return length - reserve; }
};

/// All stretches of all cables, in order. Pre: `cableFindings` is empty.
std::vector<CableStretch> cableStretches(const Problem& problem);

/// "between link3 and link7".
std::string betweenClips(const Problem& problem, const CableStretch& stretch);

/// "cable 'hose': 12 mm short at t = 1.31 s between link3 and link7", for a span of the clips [m].
std::string tautText(const Problem& problem, const CableStretch& stretch, double span, double t);

/// A body that a cable may have to keep clear of.
struct CableBody {
  std::string name;
  int link = -1;  ///< that it moves with; -1 for obstacles
  bool is_attached = false;
};

/// Why the body need not keep clear of the stretch; empty when it must: it is a link that holds one
/// of the stretch's ends or is joined rigidly to such a link, or the task allows it by name.
std::string cableExemption(const Problem& problem, const MotionTree& tree,
                           const CableStretch& stretch, const CableBody& body);

/// What is wrong with the cables: ids, clips, lengths, names, a length below its ends' distance at
/// the start, and obstacles that bend. Where links or counts are wrong, only that. Pre: the robot
/// and the dimension of the start are right.
std::vector<Finding> cableFindings(const Problem& problem);

}  // namespace allclear
