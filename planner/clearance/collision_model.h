#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "allclear/distance/convex_cover.h"
#include "allclear/planner/problem.h"

namespace allclear {

/// What moves as one: a link with what it carries, one attached object, or an obstacle.
struct CollisionBody {
  std::string name;
  int link = -1;      ///< the link that carries it; -1 for obstacles
  int obstacle = -1;  ///< index into `Problem::obstacles`; -1 else
  /// Together enclosing the body; in the link's or object's frame. Only those are made that
  /// a pair asks for, and hulls.
  std::array<std::vector<Geometry>, kMeshFidelityCount> solids_by_fidelity;
  Ball ball;  ///< about all hulls, in that frame

  const std::vector<Geometry>& solids(MeshFidelity fidelity) const {
    return solids_by_fidelity[static_cast<int>(fidelity)];
  }
};

/// Two bodies to keep apart.
struct CollisionPair {
  int a = -1;  ///< moved by the plan
  int b = -1;
  double margin = 0.0;                          ///< [m]
  MeshFidelity fidelity = MeshFidelity::kHull;  ///< of the solids that it is measured between
};

/// Which pairs follow meshes more closely than by hulls.
enum class FidelityPolicy {
  kHulls,        ///< none
  kWhereNeeded,  ///< those that would be nearer than their margin at start or goal
  kEverywhere,   ///< all; even more closely those that would be nearer at start or goal
  kSurfaces,     ///< all, by the meshes themselves
};

/// The bodies of a problem, as solids, and the pairs that a plan has to keep apart.
///
/// Meshes are enclosed by their convex hull or, pair by pair, by several pieces, or taken as they
/// are (enclosing_solids.h).
struct CollisionModel {
  std::vector<CollisionBody> bodies;
  std::vector<CollisionPair> pairs;        ///< of bodies that the planned coordinates move apart
  std::vector<CollisionPair> fixed_pairs;  ///< of bodies that never move against each other
};

CollisionModel collisionModel(const Problem& problem, FidelityPolicy detail);

/// The margin that a task asks of two bodies (names as in the task).
double marginBetween(const CollisionSettings& settings, const std::string& a, const std::string& b);

}  // namespace allclear
