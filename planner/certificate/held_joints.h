#pragma once

#include <vector>

#include "allclear/planner/certificate.h"

namespace allclear {

/// Which joints stay, and where; and that the base of a robot that stands on a contact does not: it
/// moves with the joints, though nobody plans it.
std::vector<Assumption> heldJointAssumptions(const Problem& problem);

}  // namespace allclear
