#pragma once

#include "allclear/robot_models/kinematics/effective_inertia.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear {

ALLCLEAR_INLINE double product(const SpatialPack& a, const SpatialPack& b) {
  const Pack4 both = a.angular * b.angular + a.linear * b.linear;
  return both[0] + both[1] + both[2];
}

ALLCLEAR_INLINE double alongJoint(const EffectiveInertia::Workspace::Answer& joint,
                                  const SpatialPack& p) {
  return dot(joint.z, joint.turns ? p.angular : p.linear);
}

ALLCLEAR_INLINE SpatialPack still() {
  const Pack4 zero = pack(0, 0, 0);
  return {zero, zero};
}

/// Both sweeps, for one impulse or three at once: all of a node stands together.
struct EffectiveInertia::Sweeps {
  const Workspace::Answer* answer;
  const Workspace::Inverse* base_inverse;
  const Workspace::BallJoint* ball;
  SpatialPack* momentum;
  SpatialPack* velocity;
  double* rate;

  /// One impulse.
  explicit Sweeps(Workspace& w)
      : answer(w.answer.data()),
        base_inverse(w.base_inverse.data()),
        ball(w.ball.data()),
        momentum(w.momentum.data()),
        velocity(w.velocity.data()),
        rate(w.rate.data()) {}
  /// Three.
  static Sweeps ofThree(Workspace& w) {
    Sweeps s(w);
    s.momentum = w.momentum_of_three.data();
    s.velocity = w.velocity_of_three.data();
    s.rate = w.rate_of_three.data();
    return s;
  }

  /// Momenta of the path's nodes to those of the base. Rates of free joints on the path become
  /// their u; rates of shared joints are given.
  static void inward(const Sweeps& s, const int* path, int length);
  /// Velocities of all nodes and rates of free joints.
  static void outward(const Sweeps& s, int count);
  /// Before three impulses are set.
  static void clearPath(const Sweeps& s, const int* path, int length);
  static void carry(const KernelNode* nodes, const Frame4* frames, const int* coordinate,
                    const double* multiplier, const double* v, int node, Pack4* velocity_at_p,
                    const Pack4* p_W);
  /// Three impulses, in and out along a path alone.
  static void alongPath(const Sweeps& s, const int* path, int length);

 private:
  template <int N>
  static void sendInward(const Sweeps& s, const int* path, int length);
  template <int N>
  static void visit(const Sweeps& s, int i);
  template <int N>
  static void visitBall(const Sweeps& s, int i);
};

}  // namespace allclear

#pragma GCC diagnostic pop
