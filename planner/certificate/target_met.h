#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allclear/planner/certificate.h"

namespace allclear {

/// One thing that a target asks for at an instant. It is met where `off` is at most `allowed`.
struct Asked {
  std::string fault;     ///< the sentence for where it is missed
  double off = 0.0;      ///< [m or rad]
  double allowed = 0.0;  ///< 0 for a joint, which is to be at its value
};

/// All that a target asks for, measured at planned coordinates and the poses of the links there. A
/// joint that wraps may be whole turns away. The target is no `AnyTarget`.
std::vector<Asked> askedOf(const Problem& problem, const Target& target, const VecX& q_planned,
                           const std::vector<Pose>& X_WL);

/// By how much the target is missed, over what is allowed (joints: over `end_tolerance`); at most 1
/// where it is met but for that tolerance.
double missOf(const std::vector<Asked>& asked, double end_tolerance);

/// What is asked for and missed by more than `end_tolerance`, one sentence each.
std::vector<std::string> faultsOf(const std::vector<Asked>& asked, double end_tolerance);

/// A problem whose goal has alternatives, with that alternative alone which a trajectory ends at:
/// the first that its end meets, else the one that it misses least.
struct ProvenGoal {
  Problem problem;
  int alternative = 0;
  std::optional<ReachedGoal> reached;  ///< none where no alternative is met
};

/// From the problem and the trajectory alone. The goal has alternatives, and the trajectory is of
/// the problem's planned coordinates.
ProvenGoal provenGoal(const Problem& problem, const Trajectory& trajectory,
                      const CertifiedLimitOptions& options);

/// "The goal that it reaches is 'top' (2 of 5)."
std::string reachedText(const ReachedGoal& reached);

/// "'side' (2 of 4)", or "alternative 2 of 4" of one without a name.
std::string alternativeText(const ReachedGoal& reached);

}  // namespace allclear
