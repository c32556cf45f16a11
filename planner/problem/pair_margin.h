#pragma once

#include <string>

#include "allclear/planner/settings.h"

namespace allclear {

/// The clearance to keep between two bodies [m], by their names in the task. Entries that name both
/// (in either order) win over entries that name one, and these over the general margin; among
/// entries of one kind the largest wins. Planner and certificate both ask here.
double pairMargin(const CollisionSettings& settings, const std::string& a, const std::string& b);

}  // namespace allclear
