#pragma once

#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/problem.h"

namespace allclear {

/// Limits that neither the URDF nor the task gives, those that the task changes, and those that are
/// not kept. Empty where there is nothing of the kind.
std::vector<Assumption> limitAssumptions(const Problem& problem);

}  // namespace allclear
