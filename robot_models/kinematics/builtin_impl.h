#pragma once

// What the kernels of the built-in kinematics share. Internal: not for users' code.

#include <vector>

#include "allclear/core/simd.h"
#include "allclear/robot_models/kinematics/builtin.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {

/// A motion node laid out for the kernels.
struct KernelNode {
  Pack4 fixed[4];      ///< columns of R_PF, then p_PF
  Columns4 inertia_C;  ///< about the centre of mass, in N
  Pack4 p_NC;
  double mass;
  int parent;
  int axis;
  bool turns;
  bool rotated;  ///< R_PF is not the identity
  bool has_inertia;
};

/// A link that does not coincide with its node.
struct KernelMount {
  Pack4 X_NL[4];
  int node;
  bool identity;
};

/// World pose of a node: three columns and the origin.
struct Frame4 {
  Pack4 c[4];
};

struct BuiltinKinematics::Impl {
  explicit Impl(const RobotModel& model, const Vec3& gravity);

  MotionTree tree;
  Vec3 gravity_W;
  std::vector<KernelNode> nodes;
  std::vector<KernelMount> mounts;
  std::vector<int> coordinate;      ///< by node
  std::vector<double> multiplier;   ///< by node
  std::vector<double> offset;       ///< by node
  std::vector<int> depth;           ///< by node: number of ancestors
  int deepest = 0;                  ///< greatest depth + 1
  bool shared_coordinates = false;  ///< some coordinate moves several nodes

  int nodeCount() const { return static_cast<int>(nodes.size()); }
};

/// What the Newton-Euler recursion keeps for a node.
struct RneaNode {
  Pack4 omega;
  Pack4 alpha;
  Pack4 linear;  ///< acceleration of the node's origin, minus gravity
  Pack4 force;
  Pack4 moment;  ///< about the node's origin
};

/// Composite quantities of a subtree about the world origin, and the node's own motion vectors.
struct DerivativeNode {
  Pack4 S[2];        ///< motion axis: angular, linear (as all spatial vectors here)
  Pack4 psi_dot[2];  ///< v_parent x S
  Pack4 psi_ddot[2];
  Pack4 velocity[2];
  Pack4 acceleration[2];
  Pack4 force[2];    ///< moment, force
  Columns4 inertia;  ///< rotational, about the world origin
  Pack4 h;           ///< mass times centre of mass
  double mass;
  Columns4 K;      ///< velocity-product matrix (upper left block of 2B)
  Pack4 momentum;  ///< linear
};

struct BuiltinKinematics::Workspace::Impl {
  VecX x;  ///< joint variable by node
  VecX sines;
  VecX cosines;
  std::vector<Frame4> frames;  ///< by node
  std::vector<RneaNode> rnea_nodes;
  std::vector<DerivativeNode> derivative_nodes;
  std::vector<double> stack;  ///< rows of path vectors, by depth
  std::vector<double> products;
  std::vector<int> path;
  VecX node_v;
  VecX node_a;
};

/// Fills workspace.x, sines, cosines and frames from q.
void computeFrames(const BuiltinKinematics::Impl& impl, const VecX& q,
                   BuiltinKinematics::Workspace::Impl& workspace);

/// Joint velocities and accelerations by node, from those by coordinate.
void spreadRates(const BuiltinKinematics::Impl& impl, const VecX& v, const VecX& a,
                 BuiltinKinematics::Workspace::Impl& workspace);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

/// R * I_C * R^T for the node's orientation.
ALLCLEAR_INLINE Columns4 worldInertia(const Frame4& frame, const Columns4& I) {
  const Pack4* R = frame.c;
  Columns4 RI;
  for (int k = 0; k < 3; ++k) RI.c[k] = R[0] * I.c[k][0] + R[1] * I.c[k][1] + R[2] * I.c[k][2];
  Columns4 W;
  for (int k = 0; k < 3; ++k) W.c[k] = RI.c[0] * R[0][k] + RI.c[1] * R[1][k] + RI.c[2] * R[2][k];
  return W;
}

ALLCLEAR_INLINE Pack4 rotate(const Frame4& frame, Pack4 v) {
  return frame.c[0] * v[0] + frame.c[1] * v[1] + frame.c[2] * v[2];
}

#pragma GCC diagnostic pop

}  // namespace allclear
