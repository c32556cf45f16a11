#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// Findings about `Problem::uncertainty`: sizes, and numbers that are negative or not finite.
std::vector<Finding> uncertaintyFindings(const Problem& problem);

/// The uncertainty in words: "joints within 1 mrad, 'wrist' within 2 mrad; obstacles within 2 mm".
/// Empty when there is none.
std::string uncertaintyText(const Problem& problem);

}  // namespace allclear
