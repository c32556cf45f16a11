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
  std::vector<Geometry> pieces;  ///< convex, together enclosing the body; in the link's or object's
                                 ///< frame
  Ball ball;                     ///< about all pieces, in that frame
};

/// Two bodies to keep apart.
struct CollisionPair {
  int a = -1;  ///< moved by the plan
  int b = -1;
  double margin = 0.0;  ///< [m]
};

/// The bodies of a problem, as convex pieces, and the pairs that a plan has to keep apart.
///
/// Meshes stand for themselves by the convex hull of their vertices, which encloses them.
struct CollisionModel {
  std::vector<CollisionBody> bodies;
  std::vector<CollisionPair> pairs;        ///< of bodies that the planned coordinates move apart
  std::vector<CollisionPair> fixed_pairs;  ///< of bodies that never move against each other
};

CollisionModel collisionModel(const Problem& problem);

/// The margin that a task asks of two bodies (names as in the task).
double marginBetween(const CollisionSettings& settings, const std::string& a, const std::string& b);

}  // namespace allclear
