#pragma once

#include <optional>
#include <string>

#include "allclear/planner/clearance/evaluator.h"

namespace allclear {

/// Why a pose goal has no configuration, and what to change: what is in the way at `in_contact`,
/// which meets the pose, or that the joints do not get there.
std::string poseGoalFault(const ClearanceEvaluator& evaluator,
                          const std::optional<VecX>& in_contact);

}  // namespace allclear
