#pragma once

#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// What is wrong with the path constraints of a problem, its indices of links taken as checked.
std::vector<Finding> pathFindings(const Problem& problem);

}  // namespace allclear
