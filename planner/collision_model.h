#pragma once

#include <string>
#include <utility>
#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// What moves as one: a link with what it carries, one attached object, or an obstacle.
struct CollisionBody {
  std::string name;
  int link = -1;                 ///< the link that carries it; -1 for obstacles
  int obstacle = -1;             ///< index into `Problem::obstacles`; -1 else
  std::vector<Geometry> hulls;   ///< convex, together enclosing the body; in the link's or object's
                                 ///< frame
  std::vector<Geometry> pieces;  ///< the same more closely; empty where no pair asks for them
  Ball ball;                     ///< about all hulls, in that frame

  const std::vector<Geometry>& parts(bool close) const { return close ? pieces : hulls; }
};

/// Two bodies to keep apart.
struct CollisionPair {
  int a = -1;  ///< moved by the plan
  int b = -1;
  double margin = 0.0;  ///< [m]
  bool close = false;   ///< measured between `CollisionBody::pieces` rather than hulls
};

/// How closely meshes are followed.
enum class Closeness {
  kHulls,        ///< by their convex hulls
  kWhereNeeded,  ///< by pieces in pairs whose hulls are nearer than their margin at start or goal
  kEverywhere,   ///< by pieces
};

/// The bodies of a problem, as convex solids, and the pairs that a plan has to keep apart.
///
/// Meshes are enclosed by their convex hull or, pair by pair, by several pieces (convex_cover.h).
struct CollisionModel {
  std::vector<CollisionBody> bodies;
  std::vector<CollisionPair> pairs;        ///< of bodies that the planned coordinates move apart
  std::vector<CollisionPair> fixed_pairs;  ///< of bodies that never move against each other
};

CollisionModel collisionModel(const Problem& problem, Closeness closeness);

/// The margin that a task asks of two bodies (names as in the task).
double marginBetween(const CollisionSettings& settings, const std::string& a, const std::string& b);

}  // namespace allclear
