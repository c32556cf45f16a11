#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// A link that touches an obstacle on purpose: at a contact. The two keep no margin, but they stay
/// a pair: neither planner nor certificate lets them be deeper in one another than `depth`.
struct GroundPair {
  int link = -1;
  int obstacle = -1;
  Contact::Kind kind = Contact::Kind::kFlat;
  double depth = 0.0;  ///< [m]
};

/// How near [m] the place of a contact is to what it rests on: more than models of floors and soles
/// are off by, less than the next thing to stand on.
inline constexpr double kGroundReach = 5e-3;

/// The pairs that a contact holds together: its link, and every other one that is rigidly joined to
/// it and within `kGroundReach` of the obstacle at the start, with every obstacle at rest within
/// `kGroundReach` of the contact's sole or point at the start. All other pairs of these links keep
/// their margins. Of several contacts of one pair the greatest depth counts, and a sole's kind.
std::vector<GroundPair> groundPairs(const Problem& problem);

/// The pair of these two; null when there is none.
const GroundPair* groundPair(const std::vector<GroundPair>& pairs, int link, int obstacle);

/// The same by the names of two bodies: null where the second is no obstacle.
const GroundPair* groundPair(const std::vector<GroundPair>& pairs, const Problem& problem,
                             const std::string& a, const std::string& b);

/// The link's own contact, or of one joined to it, which may be given a greater depth, in words:
/// what to do where the two are deeper in one another.
std::string depthAdvice(const GroundPair& pair, const std::string& link,
                        const std::string& obstacle);

}  // namespace allclear
