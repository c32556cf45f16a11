#pragma once

#include <cmath>
#include <vector>

#include "allclear/core/assert.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {

// Speeds and kinetic energy by recursion, for any scalar type (double, or enclosures of functions
// of time). Every twist is in its node's own frame: speeds and energies do not depend on the frame,
// a body's inertia and points are constants there, and the robot's place in the world is not
// needed.

/// Of a node, in its own frame N: its angular velocity, and the velocity of N's origin.
template <class Scalar>
struct Twist {
  Vec3T<Scalar> angular = Vec3T<Scalar>::Zero();
  Vec3T<Scalar> linear = Vec3T<Scalar>::Zero();
};

/// How far a node has turned or slid.
template <class Scalar>
struct NodeMotion {
  Scalar x, cosine, sine;  ///< cosine and sine of nodes that turn
};

inline double squared(double x) { return x * x; }

template <class Scalar>
std::vector<NodeMotion<Scalar>> nodeMotions(const MotionTree& tree, const std::vector<Scalar>& q) {
  using std::cos;
  using std::sin;
  ALLCLEAR_ASSERT(static_cast<int>(q.size()) == tree.dimension());
  std::vector<NodeMotion<Scalar>> motions;
  for (const MotionNode& node : tree.nodes()) {
    const Scalar x = q[node.coordinate] * node.multiplier + Scalar(node.offset);
    if (node.turns) {
      motions.push_back({x, cos(x), sin(x)});
    } else {
      motions.push_back({x, Scalar(1.0), Scalar(0.0)});
    }
  }
  return motions;
}

inline Vec3 timesConstant(const Mat3& M, const Vec3& a) { return M * a; }

/// M a, of a constant matrix: most of its entries are 0 or 1, and cost nothing.
template <class Scalar>
Vec3T<Scalar> timesConstant(const Mat3& M, const Vec3T<Scalar>& a) {
  Vec3T<Scalar> out = Vec3T<Scalar>::Zero();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      // Most axes are aligned: ones and zeros cost no product, and no rounding.
      if (M(i, j) == 1.0) {
        out[i] += a[j];
      } else if (M(i, j) == -1.0) {
        out[i] -= a[j];
      } else if (M(i, j) != 0.0) {
        out[i] += a[j] * M(i, j);
      }
    }
  }
  return out;
}

/// The velocity of the body's point p: v + omega x p.
template <class Scalar>
Vec3T<Scalar> pointVelocity(const Twist<Scalar>& twist, const Vec3& p) {
  Mat3 minus_cross;  // omega x p = -p x omega
  minus_cross << 0.0, p[2], -p[1], -p[2], 0.0, p[0], p[1], -p[0], 0.0;
  return twist.linear + timesConstant(minus_cross, twist.angular);
}

inline Vec3 pointVelocity(const Twist<double>& twist, const Vec3& p) {
  return twist.linear + twist.angular.cross(p);
}

/// The twist that a node would have if its own joint stood still.
template <class Scalar>
Twist<Scalar> carried(const MotionNode& node, const NodeMotion<Scalar>& motion,
                      const Twist<Scalar>& parent) {
  Mat3 R_FP = Mat3::Zero();  // GCC's sanitizers take Eigen's check for aliases for a read of it
  R_FP = node.X_PF.R.transpose();
  Twist<Scalar> twist{timesConstant(R_FP, parent.angular),
                      timesConstant(R_FP, pointVelocity(parent, node.X_PF.p))};
  const int b = (node.axis + 1) % 3, c = (node.axis + 2) % 3;
  if (node.turns) {
    // Into the turned frame.
    for (Vec3T<Scalar>* w : {&twist.angular, &twist.linear}) {
      const Scalar wb = (*w)[b], wc = (*w)[c];
      (*w)[b] = wb * motion.cosine + wc * motion.sine;
      (*w)[c] = wc * motion.cosine - wb * motion.sine;
    }
  } else {
    twist.linear[b] += twist.angular[c] * motion.x;
    twist.linear[c] -= twist.angular[b] * motion.x;
  }
  return twist;
}

/// Twists of all nodes at the rates of the coordinates. `moves[i]`: whether node i has any; the
/// others are at rest.
template <class Scalar>
void nodeTwists(const MotionTree& tree, const std::vector<NodeMotion<Scalar>>& motions,
                const std::vector<Scalar>& rates, const std::vector<bool>& moves,
                std::vector<Twist<Scalar>>* twists) {
  twists->assign(tree.nodes().size(), {});
  for (std::size_t i = 0; i < twists->size(); ++i) {
    if (!moves[i]) continue;
    const MotionNode& node = tree.nodes()[i];
    Twist<Scalar>& twist = (*twists)[i];
    // Below nodes that stay, velocities start from zero.
    if (node.parent >= 0 && moves[node.parent]) {
      twist = carried(node, motions[i], (*twists)[node.parent]);
    }
    (node.turns ? twist.angular : twist.linear)[node.axis] +=
        rates[node.coordinate] * node.multiplier;
  }
}

template <class Scalar>
Scalar squaredLength(const Vec3T<Scalar>& v) {
  return squared(v[0]) + squared(v[1]) + squared(v[2]);
}

/// The kinetic energy of a node's own body.
template <class Scalar>
Scalar bodyEnergy(const MotionNode& node, const Twist<Scalar>& twist) {
  const Vec3T<Scalar>& w = twist.angular;
  const Mat3& I = node.inertia.I_C;
  Scalar sum = squaredLength(pointVelocity(twist, node.inertia.p_LC)) * node.inertia.mass;
  for (int i = 0; i < 3; ++i) {
    if (I(i, i) != 0.0) sum += squared(w[i]) * I(i, i);
    for (int j = i + 1; j < 3; ++j) {
      if (I(i, j) != 0.0) sum += w[i] * w[j] * (2.0 * I(i, j));
    }
  }
  return sum * 0.5;
}

}  // namespace allclear
