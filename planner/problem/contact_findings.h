#pragma once

#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// What is wrong with the contacts of a problem: numbers, soles that are smaller than their
/// margins, links that are held twice. Pre: their links exist.
std::vector<Finding> contactFindings(const Problem& problem);

}  // namespace allclear
