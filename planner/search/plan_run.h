#pragma once

#include "allclear/planner/planner.h"

namespace allclear {

/// `plan`, whose first guess is an earlier plan of the same planned coordinates, bent to the new
/// start and goal; null: without one.
Plan planFrom(const Problem& problem, const PlanOptions& options, const PlanHooks& hooks,
              const Trajectory* earlier);

}  // namespace allclear
