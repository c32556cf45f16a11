#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {

/// A convex part of a body's surface, but for a radius around it: a force along the normal of the
/// surface acts as one at a convex combination of these points.
struct ImpactCore {
  int first = 0;  ///< of `ImpactBody::points`
  int count = 0;
  double radius = 0.0;  ///< the surface is this much farther out [m]
};

/// What a person may touch of a link: its collision geometry, or an object that it carries.
struct ImpactBody {
  std::string name;  ///< of the link or the object
  int link = -1;
  int node = -1;             ///< of the tree
  int branch = -1;           ///< `ImpactModel::branch`
  std::vector<Vec3> points;  ///< in the node's frame [m]
  std::vector<ImpactCore> cores;
  Ball ball;              ///< about the points
  bool is_round = false;  ///< some points are inside of the surface, as centres of spheres are
};

/// The bodies that planned coordinates move and people may touch, and what moves with them.
///
/// Branches: subtrees that hang on the world apart from each other. An impact on one does not move
/// the others, so only its own energy counts. Chains that a coordinate moves together are one
/// branch.
class ImpactModel {
 public:
  explicit ImpactModel(const Problem& problem);

  const MotionTree& tree() const { return tree_; }
  const std::vector<ImpactBody>& bodies() const { return bodies_; }
  const std::vector<int>& branch() const { return branch_; }  ///< by node
  const std::vector<int>& coordinateBranch() const { return coordinate_branch_; }
  const std::vector<bool>& moves() const { return moves_; }  ///< by node: by planned coordinates
  const std::vector<bool>& planned() const { return planned_; }  ///< by coordinate
  int pointCount() const { return point_count_; }
  /// Whether the exact energy of a contact may be used. Contacts that hold moving links in place
  /// are constraints that the tree does not have, and any may give way: then only the bound T K /
  /// (T + K) is sure (impact_bounds.cpp).
  bool mayBeExact() const { return may_be_exact_; }

  /// Whether the limit is on this body.
  static bool limits(const ContactLimit& limit, const ImpactBody& body);

 private:
  void findBranches();
  void addBody(const std::string& name, int link, const std::vector<Geometry>& geometry);

  MotionTree tree_;
  std::vector<ImpactBody> bodies_;
  std::vector<int> branch_;
  std::vector<int> coordinate_branch_;
  std::vector<bool> moves_;
  std::vector<bool> planned_;
  int point_count_ = 0;
  bool may_be_exact_ = true;
};

/// Of the planned coordinates, those whose rotor inertia nobody gave, by name.
std::vector<std::string> jointsWithoutRotor(const Problem& problem);

}  // namespace allclear
