#pragma once

#include "allclear/planner/planner.h"

namespace allclear {

/// `plan` to one of the configurations that meet the goal: `end`, of the planned coordinates. The
/// certificate is about the problem's own goal.
Plan planTo(const Problem& problem, const VecX& end, const PlanOptions& options,
            const PlanHooks& hooks);

/// `plan`, whose first guess is an earlier plan of the same planned coordinates, bent to the new
/// start and goal; null: without one.
Plan planFrom(const Problem& problem, const PlanOptions& options, const PlanHooks& hooks,
              const Trajectory* earlier);

}  // namespace allclear
