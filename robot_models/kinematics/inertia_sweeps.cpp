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
// Coordinates that several nodes share (mimic joints) are first held, then freed all together: with
// Y_o the motion of all links by a unit rate of coordinate o at no impulse from the other joints,
// and A_oo' the momentum of o' in it,  Ω += Y A^-1 Y'. This is Schur's complement of the mass
// matrix.
#include "allclear/robot_models/kinematics/effective_inertia.h"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear {
namespace {

using Articulated = EffectiveInertia::Workspace::Articulated;
using Answer = EffectiveInertia::Workspace::Answer;
using Inverse = EffectiveInertia::Workspace::Inverse;

/// A joint's share D, relative to its whole inertia (what the joints below have taken away added).
/// Differences round to 1e-16 of the whole, some hundred of them to the first; one joint with a
/// small share below amplifies them by that share, which makes the second. What is less is computed
/// anew, and below the third taken for zero: a millionth of a millionth is no mass of a robot.
constexpr double kSuspicious = 1e-10;
constexpr double kSuspiciousAbove = 1e-13;
constexpr double kMassless = 1e-11;

ALLCLEAR_INLINE Columns4 transposed(const Columns4& M) {
  return {{pack(M.c[0][0], M.c[1][0], M.c[2][0]), pack(M.c[0][1], M.c[1][1], M.c[2][1]),
           pack(M.c[0][2], M.c[1][2], M.c[2][2])}};
}

/// M' v.
ALLCLEAR_INLINE Pack4 transposedTimes(const Columns4& M, Pack4 v) {
  return pack(dot(M.c[0], v), dot(M.c[1], v), dot(M.c[2], v));
}

/// M r^, by columns M (r x e_k).
ALLCLEAR_INLINE Columns4 timesCross(const Columns4& M, Pack4 r) {
  return {{M.c[1] * r[2] - M.c[2] * r[1], M.c[2] * r[0] - M.c[0] * r[2],
           M.c[0] * r[1] - M.c[1] * r[0]}};
}

/// r^ (M + N) / 2 and its transpose added up.
ALLCLEAR_INLINE Columns4 symmetricCross(Pack4 r, const Columns4& M, const Columns4& N) {
  const Pack4 half = r * 0.5;
  Columns4 B;
  for (int k = 0; k < 3; ++k) B.c[k] = cross(half, M.c[k] + N.c[k]);
  const Columns4 Bt = transposed(B);
  for (int k = 0; k < 3; ++k) B.c[k] += Bt.c[k];
  return B;
}

ALLCLEAR_INLINE double trace(const Columns4& M) { return M.c[0][0] + M.c[1][1] + M.c[2][2]; }

ALLCLEAR_INLINE Columns4 zeroColumns() {
  const Pack4 zero = pack(0, 0, 0);
  return {{zero, zero, zero}};
}

/// Adds the node's own body about the node's origin.
ALLCLEAR_INLINE void addBody(const KernelNode& node, const Frame4& F, Articulated* A) {
  if (!node.has_inertia) return;
  // The parallel-axis theorem; G = -m c^, so that the force of a turn is that of its centre.
  const double m = node.mass;
  const Pack4 c = rotate(F, node.p_NC);
  const Pack4 h = c * m;
  // Steiner: I_C + m (c.c 1 - c c'), about the node's own origin.
  const double hc = dot(h, c);
  const Pack4 unit[3] = {pack(1, 0, 0), pack(0, 1, 0), pack(0, 0, 1)};
  const Columns4 I = worldInertia(F, node.inertia_C);
  for (int k = 0; k < 3; ++k) {
    A->J.c[k] += I.c[k] + unit[k] * hc - h * c[k];
    A->M.c[k] += unit[k] * m;
  }
  A->G.c[0] += pack(0, -h[2], h[1]);
  A->G.c[1] += pack(h[2], 0, -h[0]);
  A->G.c[2] += pack(-h[1], h[0], 0);
}

ALLCLEAR_INLINE Articulated nothing() {
  return {zeroColumns(), zeroColumns(), zeroColumns(), 0.0, 0.0, 1.0};
}

/// U and 1/D of a motion along z; zero when the motion moves no mass. Returns false when D may be
/// rounding; `whole` is what it has to be held against.
ALLCLEAR_INLINE bool setJoint(const Articulated& A, Pack4 z, bool turns, double rotor,
                              SpatialPack* U, double* inverse_D, double* whole) {
  // S picks one half of I: no product with zeros.
  double D;
  // U = A S: the column of the axis, without building S.
  if (turns) {
    *U = {A.J * z, A.G * z};
    D = dot(z, U->angular) + rotor;
    *whole = trace(A.J) + A.removed_J;
  } else {
    *U = {transposedTimes(A.G, z), A.M * z};
    D = dot(z, U->linear) + rotor;
    *whole = trace(A.M) + A.removed_M;
  }
  *inverse_D = D > kMassless * *whole ? 1.0 / D : 0.0;
  return D * A.weakest > kSuspiciousAbove * *whole && D > kSuspicious * *whole;
}

/// Takes away what a free joint does not pass on. 1/D comes late, from a division: products that do
/// not need it are made first.
ALLCLEAR_INLINE void freeJoint(const SpatialPack& U, double inverse_D, Articulated* A) {
  // Outer products of U by columns.
  Columns4 J, G, M;
  for (int k = 0; k < 3; ++k) {
    J.c[k] = U.angular * U.angular[k];
    G.c[k] = U.linear * U.angular[k];
    M.c[k] = U.linear * U.linear[k];
  }
  const double removed_J = trace(J), removed_M = trace(M);
  for (int k = 0; k < 3; ++k) {
    A->J.c[k] -= J.c[k] * inverse_D;
    A->G.c[k] -= G.c[k] * inverse_D;
    A->M.c[k] -= M.c[k] * inverse_D;
  }
  A->removed_J += removed_J * inverse_D;
  A->removed_M += removed_M * inverse_D;
}

/// The same inertia about a point r before.
ALLCLEAR_INLINE void shiftBack(Pack4 r, Articulated* A) {
  const Columns4 Mr = timesCross(A->M, r);
  Columns4 G;
  for (int k = 0; k < 3; ++k) G.c[k] = A->G.c[k] - Mr.c[k];
  const Columns4 B = symmetricCross(r, A->G, G);
  for (int k = 0; k < 3; ++k) A->J.c[k] += B.c[k];
  A->G = G;
  // What is removed turns about this origin too.
  A->removed_J += A->removed_M * dot(r, r);
}

ALLCLEAR_INLINE void add(const Articulated& child, Articulated* A) {
  for (int k = 0; k < 3; ++k) {
    A->J.c[k] += child.J.c[k];
    A->G.c[k] += child.G.c[k];
    A->M.c[k] += child.M.c[k];
  }
  A->removed_J += child.removed_J;
  A->removed_M += child.removed_M;
  if (child.weakest < A->weakest) A->weakest = child.weakest;
}

/// Ω about a point r further.
ALLCLEAR_INLINE void shift(Pack4 r, Inverse* W) {
  const Columns4 ar = timesCross(W->a, r);
  Columns4 b;
  for (int k = 0; k < 3; ++k) b.c[k] = W->b.c[k] + ar.c[k];
  const Columns4 C = symmetricCross(r, W->b, b);
  for (int k = 0; k < 3; ++k) W->d.c[k] -= C.c[k];
  W->b = b;
}

/// Ω of a body on the joint (z, U, D), from Ω of what carries it.
ALLCLEAR_INLINE void addJoint(Pack4 z, bool turns, const SpatialPack& U, double inverse_D,
                              Inverse* W) {
  const Pack4 x_angular = (W->a * U.angular + W->b * U.linear) * inverse_D;
  const Pack4 x_linear = (transposedTimes(W->b, U.angular) + W->d * U.linear) * inverse_D;
  // S S' and -(a S' + S a') in one symmetric update, as w = x - half (see the head).
  const double Ux = dot(U.angular, x_angular) + dot(U.linear, x_linear);
  // Of S only one half is not zero: the other block on the diagonal stays.
  const Pack4 half = z * (0.5 * (Ux + 1.0) * inverse_D);
  if (turns) {
    const Pack4 w = x_angular - half;
    for (int k = 0; k < 3; ++k) {
      W->a.c[k] -= w * z[k] + z * w[k];
      W->b.c[k] -= z * x_linear[k];
    }
  } else {
    const Pack4 w = x_linear - half;
    for (int k = 0; k < 3; ++k) {
      W->d.c[k] -= w * z[k] + z * w[k];
      W->b.c[k] -= x_angular * z[k];
    }
  }
}

/// Ω of a floating base: three turns and three slides are taken away, and come back in reverse. The
/// base itself may have no mass: always taking the motion away that is left with the largest part
/// of its inertia keeps the rounding of a motion without mass below `kMassless`.
ALLCLEAR_INLINE void setBase(const Articulated& base, Inverse* W) {
  const Pack4 unit[3] = {pack(1, 0, 0), pack(0, 1, 0), pack(0, 0, 1)};
  Articulated rest = base;
  double whole[6], inverse_D[6];
  int order[6] = {0, 1, 2, 3, 4, 5};  // turns, then slides
  for (int k = 0; k < 6; ++k) whole[k] = (k < 3 ? base.J : base.M).c[k % 3][k % 3];
  SpatialPack U[6];
  for (int step = 0; step < 6; ++step) {
    double most = -1.0;
    int at = step;
    for (int s = step; s < 6; ++s) {
      const int k = order[s];
      const double left = (k < 3 ? rest.J : rest.M).c[k % 3][k % 3];
      if (left > most * whole[k]) {
        most = left / whole[k];
        at = s;
      }
    }
    const int k = order[at];
    order[at] = order[step];
    order[step] = k;
    double scale;
    setJoint(rest, unit[k % 3], k < 3, 0.0, &U[step], &inverse_D[step], &scale);
    freeJoint(U[step], inverse_D[step], &rest);
  }
  W->a = W->b = W->d = zeroColumns();
  for (int step = 5; step >= 0; --step) {
    addJoint(unit[order[step] % 3], order[step] < 3, U[step], inverse_D[step], W);
  }
}

}  // namespace

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

  ALLCLEAR_MULTIVERSION
  static void inward(const KernelNode* nodes, const InertialNode* inertial, int count,
                     const Frame4* frames, Articulated* below, Answer* answer,
                     Inverse* base_inverse, SpatialPack* velocity) {
    // Children come after their parents: a subtree is complete when its root's turn comes. `below`
    // has what a node's children pass to it; an only child that is also the node before stays in
    // `A`.
    Articulated A = nothing();
    for (int i = count - 1; i >= 0; --i) {
      const KernelNode& node = nodes[i];
      const InertialNode& inertia = inertial[i];
      Answer& joint = answer[i];
      joint.parent = node.parent;
      joint.turns = node.turns;
      joint.coincides = inertia.coincides;
      joint.motion = inertia.motion;
      joint.z = axisOf(node, frames[i]);
      joint.r = node.parent < 0 ? frames[i].c[3] : frames[i].c[3] - frames[node.parent].c[3];
      if (inertia.children != 1) A = inertia.children == 0 ? nothing() : below[i];
      addBody(node, frames[i], &A);
      if (inertia.motion == Motion::kBase) setBase(A, &base_inverse[i]);
      if (inertia.motion == Motion::kBase || inertia.motion == Motion::kPassedBy) continue;
      if (!setJoint(A, joint.z, node.turns, inertia.rotor, &joint.U, &joint.inverse_D,
                    &joint.whole)) {
        const double D =
            inertiaOfAnswer(i, inertia.last_descendant, nodes, frames, inertial, answer, velocity) +
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
      if (inertia.is_last_child) {
        below[node.parent] = A;
      } else if (!inertia.is_only_child) {
        add(A, &below[node.parent]);
      }
    }
  }

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

void EffectiveInertia::sweepInward(Workspace& w) const {
  Kernels::inward(frames_.nodes().data(), inertial_.data(), nodeCount(), w.frames.data(),
                  w.below.data(), w.answer.data(), w.base_inverse.data(), w.velocity.data());
}

void EffectiveInertia::sweepOutward(Workspace& w) const {
  Kernels::outward(inertial_.data(), nodeCount(), w.answer.data(), w.base_inverse.data(),
                   w.inverse.data());
}

}  // namespace allclear
