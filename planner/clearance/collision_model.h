#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "allclear/distance/convex_cover.h"
#include "allclear/planner/problem.h"
#include "allclear/planner/problem/end_margin.h"

namespace allclear {

/// A rigid body to keep apart from others: a link, an attached object, or an obstacle.
struct CollisionBody {
  std::string name;
  int link = -1;      ///< the link that carries it; -1 for obstacles
  int obstacle = -1;  ///< index into `Problem::obstacles`; -1 else
  /// Solids that together enclose the body, by fidelity; in the link's or object's frame. Hulls
  /// always exist, finer solids only where a pair needs them.
  std::array<std::vector<Geometry>, kMeshFidelityCount> solids_by_fidelity;
  Ball ball;  ///< around all hulls, in that frame
  /// Of an obstacle that is a cloud: the node whose elements this body has, and the box about them
  /// is its solid. Distances are to the elements themselves.
  int cloud_node = -1;

  const std::vector<Geometry>& solids(MeshFidelity fidelity) const {
    return solids_by_fidelity[static_cast<int>(fidelity)];
  }
};

/// Two bodies to keep apart.
struct CollisionPair {
  int a = -1;  ///< a link or attached object
  int b = -1;
  double margin = 0.0;  ///< [m]; below zero where they touch at a contact (ground_pairs.h)
  EndMargins ends;      ///< [m] what they keep at start and goal
  MeshFidelity fidelity = MeshFidelity::kHull;  ///< of the solids between which it is measured

  /// What it keeps at these ends: at an end of the motion, or near one where it may touch.
  bool isRelaxed() const { return ends.start < margin || ends.goal < margin; }
  double leastMargin() const { return std::min({margin, ends.start, ends.goal}); }
};

/// Which pairs follow meshes more closely than by hulls. In order: each policy is at least as fine
/// as the one before.
enum class FidelityPolicy {
  kHulls,        ///< none
  kWhereNeeded,  ///< pairs whose hulls are nearer than their margin at start or goal
  kEverywhere,   ///< all, by pieces; more closely where these are too near at start or goal
  kSurfaces,     ///< all, by the exact meshes
};

/// The policy that a search for a plan starts with: what the task asks for.
FidelityPolicy firstPolicy(const Problem& problem);

/// Whether any body is a mesh, so that policies differ.
bool hasMeshes(const Problem& problem);

/// The bodies of a problem, as solids, and the pairs that a plan has to keep apart. A mesh is
/// enclosed, pair by pair, by its convex hull or by several pieces, or is measured exactly
/// (convex_cover.h).
struct CollisionModel {
  std::vector<CollisionBody> bodies;
  std::vector<CollisionPair> pairs;        ///< of bodies that the plan can move against each other
  std::vector<CollisionPair> fixed_pairs;  ///< of bodies that never move against each other
};

/// `threads` share the making of solids; the result does not depend on them.
CollisionModel collisionModel(const Problem& problem, FidelityPolicy policy, int threads = 1);

}  // namespace allclear
