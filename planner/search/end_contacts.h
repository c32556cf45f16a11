#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allclear/planner/certificate/instant.h"

namespace allclear {

/// The pairs that no plan can start or end with in configuration `q` of the robot, measured as the
/// certificate measures them: nearer than their margin, but for those that `EndMargin::kRelax` lets
/// be so. The nearest to its margin (or deepest) first; without a time those of obstacles that move
/// are left out.
std::vector<PairDistance> contactsAt(const Problem& problem, const CertifiedGeometry& geometry,
                                     const VecX& q, std::optional<double> t);

/// "'a' and 'b' overlap by 12 mm", or "... are 0.4 mm apart, nearer than their margin of 1 mm".
std::string pairText(const PairDistance& pair);

/// What the user can do about a pair at `end` ("start", "goal", "waypoint 2"), without its end:
/// "move the goal or obstacle 'wall', or, if they may touch, list the pair: ..".
std::string contactAdvice(const Problem& problem, const std::string& end, const PairDistance& pair);

/// Bodies that no planned joint moves and obstacles that do, at an instant at which they are nearer
/// than their margin: no plan can help. Only instants that every plan covers count: up to the
/// shortest duration, and until the last obstacle stops where the robot rests after its end. Found
/// at samples, so a short meeting may be missed; what is found is certain.
std::vector<std::string> unavoidableMeetings(const Problem& problem,
                                             const CertifiedGeometry& geometry);

}  // namespace allclear
