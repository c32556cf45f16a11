#include "allclear/planner/search/goal_fault.h"

#include "allclear/planner/search/end_faults.h"

namespace allclear {
namespace {

/// " or 'wall', or, ..": what else than the goal may be changed, where a body is in an obstacle.
std::string obstacleAdvice(const CollisionModel& model, const Clearance& c) {
  const CollisionBody& a = model.bodies[model.pairs[c.pair].a];
  const CollisionBody& b = model.bodies[model.pairs[c.pair].b];
  if (b.obstacle < 0) return "";
  return " or '" + b.name + "', or, if these two may touch, list the pair: collision.allowed: [[" +
         a.name + ", " + b.name + "]]";
}

}  // namespace

std::string poseGoalFault(const ClearanceEvaluator& evaluator,
                          const std::optional<VecX>& in_contact) {
  const std::string text =
      "no configuration within the limits and clear of everything reaches the goal's pose";
  // A body in the way is the likelier cause: cables are looked at where there is none.
  if (in_contact) {
    ClearanceEvaluator::Workspace workspace(evaluator);
    const Clearance worst = evaluator.atRest(*in_contact, std::nullopt, workspace);
    if (worst.pair >= 0 && worst.upper < worst.demand) {
      return text + ": where it is reached, " + contactText(evaluator.model(), worst) +
             ". Move the goal" + obstacleAdvice(evaluator.model(), worst) +
             ", or loosen its tolerance.";
    }
    const std::string cable = cableFault(evaluator.problem(), *in_contact, std::nullopt);
    if (!cable.empty()) {
      return text + ": where it is reached, " + cable + ". Move the goal, or loosen its tolerance.";
    }
  }
  return text +
         ": the joints do not get there, or not with that orientation (orientation: [x, y, z, w]; "
         "rpy in radians). Move it, or loosen its tolerance.";
}

}  // namespace allclear
