#pragma once

#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// A link that touches an obstacle on purpose: at a contact.
struct GroundPair {
  int link = -1;
  int obstacle = -1;
};

/// How near [m] the place of a contact is to what it rests on: more than models of floors and soles
/// are off by, less than the next thing to stand on.
inline constexpr double kGroundReach = 5e-3;

/// The pairs that need not stay apart, as a contact holds them together: every link that is rigidly
/// joined to that of a contact, with every obstacle at rest within `kGroundReach` of the contact's
/// sole or point at the start. All other pairs of these links keep their margins.
std::vector<GroundPair> groundPairs(const Problem& problem);

bool isGroundPair(const std::vector<GroundPair>& pairs, int link, int obstacle);

}  // namespace allclear
