// Alternatives of joints are judged by themselves before the search, each as if it were the only
// goal; and poses by whether the robot is long enough for them.
#include "allclear/planner/search/usable_goals.h"

#include <algorithm>

#include "allclear/core/stop_scope.h"
#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/problem/alternatives.h"
#include "allclear/planner/problem/reach.h"
#include "allclear/planner/problem/target_findings.h"
#include "allclear/planner/search/end_faults.h"
#include "allclear/planner/search/verdict.h"

namespace allclear {
namespace {

/// Why no plan ends at these joints; empty where one may.
std::string faultOf(const Problem& problem, int alternative, const JointTarget& joints,
                    int threads) {
  for (std::size_t k = 0; k < joints.coordinates.size(); ++k) {
    const double value = joints.values[static_cast<Eigen::Index>(k)];
    const auto finding = positionFinding(problem, "", joints.coordinates[k], value);
    if (finding) return finding->message.substr(2);  // without ": "
  }
  // An evaluator of its own: pairs that hulls put in contact there get finer geometry.
  const Problem single = withAlternative(problem, alternative);
  const ClearanceEvaluator evaluator(single, firstPolicy(single), threads);
  return reasonIn(goalFault(evaluator));
}

/// Why a position of a pose, or of one of several, is out of reach; empty where all may be in it.
std::string outOfReachOf(const Problem& problem, const GoalAlternative& alternative) {
  std::vector<PoseTarget> poses;
  if (const auto* pose = std::get_if<PoseTarget>(&alternative.target)) poses = {*pose};
  if (const auto* posture = std::get_if<PostureTarget>(&alternative.target)) poses = posture->poses;
  for (const PoseTarget& pose : poses) {
    const std::string fault = outOfReach(problem, pose);
    if (!fault.empty()) return "out of reach: " + fault;
  }
  return "";
}

}  // namespace

UsableGoals keepUsableGoals(Problem* problem, int threads) {
  UsableGoals usable;
  const AnyTarget* any = alternativesOf(*problem);
  if (any == nullptr) return usable;
  // Poses have no configuration yet: but for their reach, the search finds out about them.
  AnyTarget kept;
  for (int i = 0; i < static_cast<int>(any->alternatives.size()); ++i) {
    throwIfStopped();
    const GoalAlternative& alternative = any->alternatives[static_cast<std::size_t>(i)];
    const auto* joints = std::get_if<JointTarget>(&alternative.target);
    const std::string why = joints == nullptr ? outOfReachOf(*problem, alternative)
                                              : faultOf(*problem, i, *joints, threads);
    if (!why.empty()) {
      usable.left_out.push_back({i, alternativeName(*any, i), why});
      continue;
    }
    usable.kept.push_back(i);
    kept.alternatives.push_back(alternative);
  }
  problem->goal = std::move(kept);
  return usable;
}

std::vector<LeftOutAlternative> allLeftOut(const Problem& problem, const UsableGoals& usable,
                                           const std::vector<LeftOutAlternative>& in_search) {
  std::vector<LeftOutAlternative> all = usable.left_out;
  for (LeftOutAlternative one : in_search) {
    one.alternative = usable.kept[static_cast<std::size_t>(one.alternative)];
    one.name = alternativeName(*alternativesOf(problem), one.alternative);
    all.push_back(std::move(one));
  }
  std::sort(all.begin(), all.end(), [](const LeftOutAlternative& a, const LeftOutAlternative& b) {
    return a.alternative < b.alternative;
  });
  return all;
}

}  // namespace allclear
