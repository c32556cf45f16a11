#pragma once

// The data of the built-in kinematics as its kernels read them: 3-vectors in registers of four
// doubles, world axes throughout.

#include <vector>

#include "allclear/core/simd.h"

namespace allclear {

/// A motion node (see `MotionNode`) laid out for the kernels.
struct KernelNode {
  Pack4 fixed[4];      ///< columns of R_PF, then p_PF
  Columns4 inertia_C;  ///< about the centre of mass, in N
  Pack4 p_NC;          ///< centre of mass, in N
  double mass;
  int parent;
  int axis;
  bool turns;
  bool rotated;  ///< R_PF is not the identity
  bool stays;    ///< p_PF is zero
  bool has_inertia;
};

/// Where a link sits on its node (see `LinkMount`).
struct KernelMount {
  Pack4 X_NL[4];  ///< columns of R_NL, then p_NL
  int node;
  bool identity;
};

/// World pose of a node: three columns of R_WN and the origin p_WN.
struct Frame4 {
  Pack4 c[4];
};

/// What the Newton-Euler recursion keeps for a node.
struct RneaNode {
  Pack4 omega;   ///< angular velocity
  Pack4 alpha;   ///< angular acceleration
  Pack4 linear;  ///< acceleration of the node's origin, minus gravity
  Pack4 force;   ///< that the parent must supply to the subtree
  Pack4 moment;  ///< of that load, about the node's origin
};

/// What the derivatives of inverse dynamics keep for a node: spatial vectors (angular, linear)
/// about the world origin. Inertia, momentum, K and force first are the body's own; the backward
/// sweep sums them over the subtree.
struct DerivativeNode {
  Pack4 S[2];         ///< motion axis
  Pack4 psi_dot[2];   ///< v_parent x S
  Pack4 psi_ddot[2];  ///< a_parent x S + v_parent x psi_dot
  Pack4 velocity[2];
  Pack4 acceleration[2];
  Pack4 force[2];    ///< moment, force
  Columns4 inertia;  ///< rotational, about the world origin
  Pack4 h;           ///< mass times centre of mass
  double mass;
  Columns4 K;      ///< velocity-product matrix (upper left block of 2B)
  Pack4 momentum;  ///< linear
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

ALLCLEAR_INLINE Frame4 identityFrame() {
  return {{pack(1, 0, 0), pack(0, 1, 0), pack(0, 0, 1), pack(0, 0, 0)}};
}

ALLCLEAR_INLINE Pack4 rotate(const Frame4& frame, Pack4 v) {
  return frame.c[0] * v[0] + frame.c[1] * v[1] + frame.c[2] * v[2];
}

/// The node's motion axis in world axes. Spelt out by axis: indexing registers by a variable would
/// send them through memory.
ALLCLEAR_INLINE Pack4 axisOf(const KernelNode& node, const Frame4& frame) {
  return node.axis == 0 ? frame.c[0] : node.axis == 1 ? frame.c[1] : frame.c[2];
}

/// R * I_C * R^T for the node's orientation R.
ALLCLEAR_INLINE Columns4 worldInertia(const Frame4& frame, const Columns4& I) {
  const Pack4* R = frame.c;
  Columns4 RI;
  for (int k = 0; k < 3; ++k) RI.c[k] = R[0] * I.c[k][0] + R[1] * I.c[k][1] + R[2] * I.c[k][2];
  Columns4 W;
  for (int k = 0; k < 3; ++k) W.c[k] = RI.c[0] * R[0][k] + RI.c[1] * R[1][k] + RI.c[2] * R[2][k];
  return W;
}

#pragma GCC diagnostic pop

}  // namespace allclear
