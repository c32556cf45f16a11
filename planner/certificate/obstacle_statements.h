#pragma once

#include <vector>

#include "allclear/planner/certificate.h"

namespace allclear {

/// What the certificate takes for granted of obstacles that move or bend.
std::vector<Assumption> obstacleAssumptions(const Problem& problem);

}  // namespace allclear
