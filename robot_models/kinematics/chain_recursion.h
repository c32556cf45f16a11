#pragma once

#include <cmath>
#include <vector>

#include "allclear/core/assert.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {

// The recursions of kinematics and dynamics (builtin_dynamics.cpp has the formulas) for any scalar
// type: a derivative (dual) number gives
// exact derivatives along any direction, an interval a bound over a box of configurations. The
// built-in backend of `Kinematics` does the same for double only, several times faster.

/// World poses of the nodes of the tree at q.
template <class Scalar>
std::vector<PoseT<Scalar>> nodePoses(const MotionTree& tree, const std::vector<Scalar>& q) {
  using std::cos;
  using std::sin;
  ALLCLEAR_ASSERT(static_cast<int>(q.size()) == tree.dimension());
  std::vector<PoseT<Scalar>> X_WN(tree.nodes().size());
  for (std::size_t i = 0; i < X_WN.size(); ++i) {
    const MotionNode& node = tree.nodes()[i];
    const Scalar x = q[node.coordinate] * Scalar(node.multiplier) + Scalar(node.offset);
    // X_WN = X_WP X_PF motion(x), the motion a turn about, or a slide along, an axis of N.
    PoseT<Scalar> motion;
    if (node.turns) {
      const int b = (node.axis + 1) % 3;
      const int c = (node.axis + 2) % 3;
      motion.R(b, b) = motion.R(c, c) = cos(x);
      motion.R(c, b) = sin(x);
      motion.R(b, c) = -motion.R(c, b);
    } else {
      motion.p[node.axis] = x;
    }
    const PoseT<Scalar> X_PF{node.X_PF.R.template cast<Scalar>(),
                             node.X_PF.p.template cast<Scalar>()};
    X_WN[i] = node.parent < 0 ? X_PF * motion : X_WN[node.parent] * (X_PF * motion);
  }
  return X_WN;
}

/// World poses of all links.
template <class Scalar>
std::vector<PoseT<Scalar>> linkPosesOf(const MotionTree& tree, const std::vector<Scalar>& q) {
  const std::vector<PoseT<Scalar>> X_WN = nodePoses(tree, q);
  std::vector<PoseT<Scalar>> X_WL;
  X_WL.reserve(tree.mounts().size());
  for (const LinkMount& mount : tree.mounts()) {
    const PoseT<Scalar> X_NL{mount.X_NL.R.template cast<Scalar>(),
                             mount.X_NL.p.template cast<Scalar>()};
    X_WL.push_back(mount.node < 0 ? X_NL : X_WN[mount.node] * X_NL);
  }
  return X_WL;
}

/// Net force that the ground supplies and its moment about a point of the world.
template <class Scalar>
struct GroundWrench {
  Vec3T<Scalar> force = Vec3T<Scalar>::Zero();
  Vec3T<Scalar> moment = Vec3T<Scalar>::Zero();
  Vec3 about = Vec3::Zero();  ///< given
};

/// Force and moment (about the node's origin) that move the body of each node, gravity included.
template <class Scalar>
struct NodeLoads {
  std::vector<Vec3T<Scalar>> force;
  std::vector<Vec3T<Scalar>> moment;
};

/// Outward pass: the motion of every node, and the load that moves its own body. `X` are its poses.
template <class Scalar>
NodeLoads<Scalar> bodyLoads(const MotionTree& tree, const std::vector<PoseT<Scalar>>& X,
                            const std::vector<Scalar>& v, const std::vector<Scalar>& a,
                            const Vec3& gravity_W) {
  using Vector = Vec3T<Scalar>;
  const std::size_t count = tree.nodes().size();
  std::vector<Vector> omega(count, Vector::Zero()), alpha = omega, linear = omega;
  NodeLoads<Scalar> loads{omega, omega};
  for (std::size_t i = 0; i < count; ++i) {
    const MotionNode& node = tree.nodes()[i];
    const Vector z = X[i].R.col(node.axis);
    const Scalar rate = v[node.coordinate] * Scalar(node.multiplier);
    const Scalar second = a[node.coordinate] * Scalar(node.multiplier);
    const bool based = node.parent < 0;
    const Vector r = based ? X[i].p : Vector(X[i].p - X[node.parent].p);
    const Vector w = based ? Vector(Vector::Zero()) : omega[node.parent];
    const Vector al = based ? Vector(Vector::Zero()) : alpha[node.parent];
    linear[i] = based ? Vector(-gravity_W.template cast<Scalar>()) : linear[node.parent];
    linear[i] += al.cross(r) + w.cross(Vector(w.cross(r)));
    omega[i] = w;
    alpha[i] = al;
    const Vector slide = z * rate;
    if (node.turns) {
      alpha[i] += z * second + w.cross(slide);
      omega[i] += slide;
    } else {
      linear[i] += z * second + w.cross(slide) * Scalar(2.0);
    }
    const Vector c = X[i].R * node.inertia.p_LC.template cast<Scalar>();
    const Mat3T<Scalar> I = X[i].R * node.inertia.I_C.template cast<Scalar>() * X[i].R.transpose();
    const Vector acceleration =
        linear[i] + alpha[i].cross(c) + omega[i].cross(Vector(omega[i].cross(c)));
    loads.force[i] = acceleration * Scalar(node.inertia.mass);
    loads.moment[i] = I * alpha[i] + omega[i].cross(Vector(I * omega[i])) + c.cross(loads.force[i]);
  }
  return loads;
}

/// Generalised forces by coordinate: Newton and Euler's equations body by body in world axes. `X`
/// are the poses of the nodes. The ground carries all that moves, not what is fixed to the world.
template <class Scalar>
std::vector<Scalar> inverseDynamicsAt(const MotionTree& tree, const std::vector<PoseT<Scalar>>& X,
                                      const std::vector<Scalar>& v, const std::vector<Scalar>& a,
                                      const Vec3& gravity_W, GroundWrench<Scalar>* ground) {
  using Vector = Vec3T<Scalar>;
  auto [force, moment] = bodyLoads(tree, X, v, a, gravity_W);
  // Inward: loads of subtrees, and their share along each axis.
  std::vector<Scalar> tau(tree.dimension(), Scalar(0.0));
  // Rotors turn with their joints.
  for (int c = 0; c < tree.dimension(); ++c) {
    if (tree.rotorInertia()[c] > 0.0) tau[c] = a[c] * Scalar(tree.rotorInertia()[c]);
  }
  for (std::size_t i = force.size(); i-- > 0;) {
    const MotionNode& node = tree.nodes()[i];
    const Vector z = X[i].R.col(node.axis);
    tau[node.coordinate] += z.dot(node.turns ? moment[i] : force[i]) * Scalar(node.multiplier);
    if (node.parent >= 0) {
      force[node.parent] += force[i];
      moment[node.parent] += moment[i] + Vector(X[i].p - X[node.parent].p).cross(force[i]);
    } else if (ground != nullptr) {
      const Vector arm = X[i].p - ground->about.template cast<Scalar>();
      ground->force += force[i];
      ground->moment += moment[i] + arm.cross(force[i]);
    }
  }
  return tau;
}

/// The same at q; the ground carries the whole robot.
template <class Scalar>
std::vector<Scalar> inverseDynamicsOf(const MotionTree& tree, const std::vector<Scalar>& q,
                                      const std::vector<Scalar>& v, const std::vector<Scalar>& a,
                                      const Vec3& gravity_W,
                                      GroundWrench<Scalar>* ground = nullptr) {
  std::vector<Scalar> tau = inverseDynamicsAt(tree, nodePoses(tree, q), v, a, gravity_W, ground);
  if (ground != nullptr) {
    const Vec3 weight = -tree.worldInertia().mass * gravity_W;
    ground->force += weight.template cast<Scalar>();
    const Vec3 arm = tree.worldInertia().p_LC - ground->about;
    ground->moment += Vec3(arm.cross(weight)).template cast<Scalar>();
  }
  return tau;
}

}  // namespace allclear
