#pragma once

#include <vector>

#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/builtin_kernels.h"
#include "allclear/robot_models/kinematics/motion_tree.h"
#include "allclear/robot_models/kinematics/node_frames.h"

namespace allclear {

/// The built-in backend of `Kinematics`, over Eigen alone. See there for what the calls mean; the
/// facade checks that the workspace holds a configuration.
class BuiltinKinematics {
 public:
  struct Workspace;

  BuiltinKinematics(const RobotModel& model, const Vec3& gravity_W);

  int dimension() const { return tree_.dimension(); }
  int linkCount() const { return static_cast<int>(mounts_.size()); }
  Workspace makeWorkspace() const;

  void linkPoses(const VecX& q, Workspace& workspace, std::vector<Pose>& X_WL) const;
  void pointJacobian(const Workspace& workspace, int link, const Vec3& p_WQ, Jacobian& J) const;
  void inverseDynamics(const VecX& q, const VecX& v, const VecX& a, Workspace& workspace,
                       VecX& tau) const;
  void inverseDynamicsDerivatives(const VecX& q, const VecX& v, const VecX& a, Workspace& workspace,
                                  InverseDynamics& out) const;
  Vec3 centerOfMass(const Workspace& workspace) const;
  void centerOfMassJacobian(Workspace& workspace, Mat3X& J) const;
  Wrench groundReaction(const VecX& q, const VecX& v, const VecX& a, Workspace& workspace) const;

 private:
  int nodeCount() const { return frames_.count(); }
  const std::vector<KernelNode>& nodes() const { return frames_.nodes(); }
  /// Fills node_v and node_a of the workspace from velocities and accelerations by coordinate.
  void spreadRates(const VecX& v, const VecX& a, Workspace& workspace) const;
  /// Fills node_force and returns the load of all nodes on the world.
  Wrench newtonEuler(const VecX& q, const VecX& v, const VecX& a, Workspace& workspace) const;
  /// Rewrites the rows of the path from the base to `node` that hold another node.
  void updatePath(int node, int stride, Workspace& workspace) const;
  /// Adds what node j has to do with each of its ancestors, from the products of the path.
  void addProducts(int j, int stride, const Workspace& workspace, InverseDynamics& out) const;

  MotionTree tree_;
  Vec3 gravity_W_;
  NodeFrames frames_;
  std::vector<KernelMount> mounts_;
  // By node.
  std::vector<int> coordinate_;
  std::vector<double> multiplier_;
  std::vector<int> depth_;  ///< number of ancestors
  int deepest_ = 0;         ///< greatest depth + 1
};

/// Everything by node, but the path's rows. Holds the configuration placed last, and the scratch of
/// single calls.
struct BuiltinKinematics::Workspace : NodeFrames::Workspace {
  VecX node_v;
  VecX node_a;
  VecX node_force;    ///< generalised force
  VecX subtree_mass;  ///< mass of the subtree
  std::vector<RneaNode> rnea_nodes;
  std::vector<DerivativeNode> derivative_nodes;
  std::vector<double> path_rows;  ///< rows of the path's vectors, by depth
  std::vector<double> products;   ///< rows of their products with one node, by depth
  std::vector<int> path;          ///< node of the path by depth
};

}  // namespace allclear
