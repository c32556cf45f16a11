#pragma once

#include <vector>

#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// One scalar motion of the robot: a turn about, or a slide along, an axis of its own frame N.
///
/// N moves in its parent's frame P as X_PN(x) = X_PF * motion(x), with F the frame at x = 0 and
/// x = multiplier * q[coordinate] + offset.
struct MotionNode {
  int parent = -1;  ///< node, or -1 for the world
  Pose X_PF;
  bool turns = true;  ///< revolute, else prismatic
  int axis = 2;       ///< 0, 1, 2: along x, y or z of N
  int coordinate = -1;
  double multiplier = 1.0;
  double offset = 0.0;
  bool has_inertia = false;
  Inertia inertia;           ///< of everything that moves rigidly with N, in N
  int last_descendant = -1;  ///< nodes [own index, last_descendant] are this one's subtree
};

/// Where a link sits: X_WL = X_WN * X_NL; node -1 is the world.
struct LinkMount {
  int node = -1;
  Pose X_NL;
  bool is_identity = false;
};

/// A robot as scalar motions only, in depth-first order: floating and planar joints become chains
/// of slides and turns, mimic joints nodes that share a coordinate, fixed joints part of their
/// parent.
class MotionTree {
 public:
  explicit MotionTree(const RobotModel& model);

  const std::vector<MotionNode>& nodes() const { return nodes_; }
  const std::vector<LinkMount>& mounts() const { return mounts_; }  ///< by link
  const Inertia& worldInertia() const { return world_inertia_; }    ///< of links that never move
  /// By coordinate; 0 where none is known.
  const std::vector<double>& rotorInertia() const { return rotors_; }
  int dimension() const { return dimension_; }
  int nodeCount() const { return static_cast<int>(nodes_.size()); }
  /// True when every node has a coordinate of its own.
  bool hasMimics() const { return has_mimics_; }

  /// Nodes from the base to `node`, both included.
  std::vector<int> pathTo(int node) const;

 private:
  void addJoint(const RobotModel& model, const Joint& joint);
  LinkMount addNode(const LinkMount& on, const Pose& X_LF, const Vec3& axis, bool turns,
                    int coordinate, double multiplier, double offset);

  std::vector<MotionNode> nodes_;
  std::vector<LinkMount> mounts_;
  Inertia world_inertia_;
  std::vector<double> rotors_;
  int dimension_ = 0;
  bool has_mimics_ = false;
};

/// Mass properties of two bodies held together, in the same frame.
Inertia combined(const Inertia& a, const Inertia& b);

/// The same body seen from frame A, given X_AB.
Inertia expressedIn(const Pose& X_AB, const Inertia& inertia_B);

}  // namespace allclear
