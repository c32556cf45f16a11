// The inverse mass of every link by two sweeps over the tree: the articulated-body recursion of
// R. Featherstone ("Rigid Body Dynamics Algorithms", 2008, chapter 7) inward, and outward the
// recursion of the operational-space inertia (K. Kreutz-Delgado, A. Jain, G. Rodriguez, "Recursive
// formulation of operational space control", IJRR 1992).
//
// World axes. A node i has the parent λ, the axis z, the origin p; spatial quantities (angular;
// linear) are about the node's own origin, and r = p_i − p_λ shifts them. About one common origin
// they would not need shifting, but a long chain far from it would lose all digits.
//
// Inward. An impulse on the subtree of i, all joints below it free, meets the articulated inertia
// I = (J G'; G M). With S = (z; 0) for a turn and (0; z) for a slide,
//   U = I S     D = S'U + rotor     what is left without the joint: I − U U' / D
// and, shifted by r, added to the parent's:  G_λ = G − M r^,  J_λ = J + B + B',  B = r^ (G +
// G_λ)/2.
//
// Outward. Let Ω = (a b; b' d) be the answer of the parent's body (angular; linear) to a unit
// impulse on it, the whole robot free. The joint's rate answers −U'V/D to the motion V of the body
// that carries it, and S/D to an impulse on its own body, so that
//   Ω_i = (1 − S U'/D) Ω (1 − S U'/D)' + S S'/D = Ω − w S' − S w',   w = x/D − (U'x/D + 1) S/(2D),
// with x = Ω U, Ω shifted first:  b += a r^,  d −= C + C',  C = r^ (b before + b after)/2. A
// floating base takes six such steps from Ω = 0 along the axes of the world, whatever its roll,
// pitch, yaw.
//
// D is a difference: what joints below had taken away is lost from it. Where little is left, D is
// computed again as what it is, the inertia of the subtree when the joint moves at a unit rate and
// all below answer: a sum of squares, without loss. A joint that still has none moves no mass, and
// is held (1/D := 0).
//
// Three turns about one place, without mass between them, are one ball joint, which passes on force
// alone: with S = (1; 0) what is left of I is M - G J^-1 G', and J and G vanish. Impulses use that
// where the axes span space with room to spare; elsewhere, and for an impulse on a link between the
// turns, they are taken one by one.
//
// Coordinates that several nodes share (mimic joints) are first held, then freed all together: with
// Y_o the motion of all links by a unit rate of coordinate o at no impulse from the other joints,
// and A_oo' the momentum of o' in it,  Ω += Y A^-1 Y'. This is Schur's complement of the mass
// matrix.
#include "allclear/robot_models/kinematics/articulated.h"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear {

using namespace articulated;

/// Twice the kinetic energy of nodes that move so.
double EffectiveInertia::weightOf(int first, int last, const KernelNode* nodes,
                                  const Frame4* frames, const SpatialPack* velocity) {
  double twice = 0.0;
  for (int i = first; i <= last; ++i) {
    const KernelNode& node = nodes[i];
    if (!node.has_inertia) continue;
    const Frame4& F = frames[i];
    const SpatialPack& V = velocity[i];
    const Pack4 v = V.linear + cross(V.angular, rotate(F, node.p_NC));
    const Pack4 w = pack(dot(F.c[0], V.angular), dot(F.c[1], V.angular), dot(F.c[2], V.angular));
    twice += node.mass * dot(v, v) + dot(w, node.inertia_C * w);
  }
  return twice;
}

/// The sweeps, compiled for several instruction sets.
struct EffectiveInertia::Kernels {
  /// D of a joint, without its rotor: the inertia of its subtree, nodes i to `last`, when it moves
  /// at a unit rate and the joints below answer.
  static double inertiaOfAnswer(int i, int last, const KernelNode* nodes, const Frame4* frames,
                                const InertialNode* inertial, const Answer* answer,
                                SpatialPack* velocity) {
    // Outward, as sweeps of impulses do; then a sum of squares.
    double rotors = 0.0;
    for (int k = i; k <= last; ++k) {
      const Answer& joint = answer[k];
      SpatialPack V{pack(0, 0, 0), pack(0, 0, 0)};
      double rate = 1.0;
      if (k > i) {
        V = velocity[joint.parent];
        V.linear += cross(V.angular, joint.r);
        rate = -joint.inverse_D * (dot(joint.U.angular, V.angular) + dot(joint.U.linear, V.linear));
        rotors += inertial[k].rotor * rate * rate;
      }
      (joint.turns ? V.angular : V.linear) += joint.z * rate;
      velocity[k] = V;
    }
    return weightOf(i, last, nodes, frames, velocity) + rotors;
  }

  /// What the sweeps read of a joint.
  ALLCLEAR_INLINE static void describe(const KernelNode& node, const InertialNode& inertia,
                                       const Frame4* frames, int i, Answer* joint) {
    joint->parent = node.parent;
    joint->turns = node.turns;
    joint->coincides = inertia.coincides;
    joint->motion = inertia.motion;
    joint->z = axisOf(node, frames[i]);
    joint->r = node.parent < 0 ? frames[i].c[3] : frames[i].c[3] - frames[node.parent].c[3];
  }

  /// Hands a subtree's inertia, about the parent's origin, to the parent.
  ALLCLEAR_INLINE static void handOn(const Articulated& A, const InertialNode& inertia, int parent,
                                     Articulated* below) {
    if (inertia.is_last_child) {
      below[parent] = A;
    } else if (!inertia.is_only_child) {
      add(A, &below[parent]);
    }
  }

  /// Everything the sweep inward reads and writes.
  struct Inward {
    const KernelNode* nodes;
    const InertialNode* inertial;
    int count;
    const Frame4* frames;
    Articulated* below;
    Answer* answer;
    BallJoint* ball;
    Inverse* base_inverse;
    SpatialPack* velocity;
  };

  /// The three turns of the ball that ends at node i at once; false where it is none here.
  ALLCLEAR_INLINE static bool freeBallAt(const Inward& s, int i, Articulated* A) {
    for (int k = i - 2; k < i; ++k) {
      describe(s.nodes[k], s.inertial[k], s.frames, k, &s.answer[k]);
      s.answer[k].motion = Motion::kPassedBy;
    }
    s.answer[i].motion = Motion::kBall;
    const Pack4 axes[3] = {s.answer[i - 2].z, s.answer[i - 1].z, s.answer[i].z};
    return freeBall(axes, A, &s.ball[i]);
  }

  /// With `kByBalls`: balls as one joint; false where a ball or another joint is not as it should
  /// be for that, and all is to be done one by one.
  template <bool kByBalls>
  ALLCLEAR_INLINE static bool sweepIn(const Inward& s) {
    // Children come after their parents: a subtree is complete when its root's turn comes. `below`
    // has what a node's children pass to it; an only child that is also the node before stays in
    // `A`.
    Articulated A = nothing();
    for (int i = s.count - 1; i >= 0; --i) {
      const KernelNode& node = s.nodes[i];
      const InertialNode& inertia = s.inertial[i];
      Answer& joint = s.answer[i];
      describe(node, inertia, s.frames, i, &joint);
      if (inertia.children != 1) A = inertia.children == 0 ? nothing() : s.below[i];
      addBody(node, s.frames[i], &A);
      if (inertia.motion == Motion::kBase) setBase(A, &s.base_inverse[i]);
      if (inertia.motion == Motion::kBase || inertia.motion == Motion::kPassedBy) continue;
      if (kByBalls && inertia.ends_ball) {
        if (!freeBallAt(s, i, &A)) return false;
        i -= 2;
        const int parent = s.nodes[i].parent;
        if (parent < 0) continue;
        shiftBackFromBall(s.answer[i].r, &A);
        handOn(A, s.inertial[i], parent, s.below);
        continue;
      }
      if (!setJoint(A, joint.z, node.turns, inertia.rotor, &joint.U, &joint.inverse_D,
                    &joint.whole)) {
        if (kByBalls) return false;
        const double D = inertiaOfAnswer(i, inertia.last_descendant, s.nodes, s.frames, s.inertial,
                                         s.answer, s.velocity) +
                         inertia.rotor;
        joint.inverse_D = D > kMassless * joint.whole ? 1.0 / D : 0.0;
      }
      if (inertia.motion == Motion::kShared) joint.inverse_D = 0.0;
      if (node.parent < 0) continue;
      if (joint.inverse_D * joint.whole * A.weakest > 1.0) {
        A.weakest = 1.0 / (joint.inverse_D * joint.whole);
      }
      freeJoint(joint.U, joint.inverse_D, &A);
      if (!inertia.coincides) shiftBack(joint.r, &A);
      handOn(A, inertia, node.parent, s.below);
    }
    return true;
  }

  /// Every turn and slide by itself.
  ALLCLEAR_MULTIVERSION
  static void inward(const Inward& s) { sweepIn<false>(s); }
  /// False where all is to be done by `inward`.
  ALLCLEAR_MULTIVERSION
  static bool inwardByBalls(const Inward& s) { return sweepIn<true>(s); }

  ALLCLEAR_MULTIVERSION
  static void outward(const InertialNode* inertial, int count, const Answer* answer,
                      const Inverse* base_inverse, Inverse* inverse) {
    Inverse W;  // of the node before
    for (int i = 0; i < count; ++i) {
      const Answer& joint = answer[i];
      if (joint.motion == Motion::kPassedBy) continue;
      if (joint.motion == Motion::kBase) {
        W = inverse[i] = base_inverse[i];
        continue;
      }
      if (joint.parent < 0) {
        W.a = W.b = W.d = zeroColumns();
      } else {
        if (joint.parent != i - 1) W = inverse[joint.parent];
        if (!inertial[i].coincides) shift(joint.r, &W);
      }
      addJoint(joint.z, joint.turns, joint.U, joint.inverse_D, &W);
      inverse[i] = W;
    }
  }
};

/// False where it was to be by balls, and they do not do.
bool EffectiveInertia::sweepInward(Workspace& w, bool by_balls) const {
  const Kernels::Inward sweep{frames_.nodes().data(), inertial_.data(),      nodeCount(),
                              w.frames.data(),        w.below.data(),        w.answer.data(),
                              w.ball.data(),          w.base_inverse.data(), w.velocity.data()};
  if (by_balls) return Kernels::inwardByBalls(sweep);
  Kernels::inward(sweep);
  return true;
}

void EffectiveInertia::sweepOutward(Workspace& w) const {
  Kernels::outward(inertial_.data(), nodeCount(), w.answer.data(), w.base_inverse.data(),
                   w.inverse.data());
}

}  // namespace allclear
