#pragma once

#include <string>

#include "allclear/planner/planner.h"
#include "allclear/planner/run/run_context.h"

namespace allclear {

/// Whether smaller margins lead to a plan, and how large they may be, as a sentence for the user;
/// empty when that could not be found out. Takes about as long as the run so far.
std::string marginHint(const Problem& problem, const PlanOptions& options,
                       const RunContext& context);

}  // namespace allclear
