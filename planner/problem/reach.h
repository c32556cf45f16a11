#pragma once

#include <string>

#include "allclear/planner/problem.h"

namespace allclear {

/// How far a point of a link can get, whatever the planned joints do: a ball about `center`.
struct Reach {
  Vec3 center = Vec3::Zero();  ///< world: the origin of the first joint on the way that is planned
  double radius = 0.0;         ///< [m]; infinite with a planned base that floats or slides freely
  std::string joint;           ///< that first joint; empty when no planned joint moves the link
};

/// Along the links, each joint's origin and travel straight: an upper bound.
Reach reachOf(const Problem& problem, int link, const Vec3& p_LQ);

/// The longest reach of any link's origin from the first planned joint on its way [m]: the size of
/// the robot, for messages. At least 0, perhaps infinite.
double longestReach(const Problem& problem);

/// Why the position of a pose is out of reach for certain, whatever its orientation: "the pose of
/// 'hand' is 1.53 m from joint 'lift', and 'hand' gets no farther than 0.9 m from there". Empty
/// when it may be in reach.
std::string outOfReach(const Problem& problem, const PoseTarget& target);

}  // namespace allclear
