#pragma once

// What sweeps over a tree do at one node: the articulated inertia of its subtree takes in a body,
// frees a joint and moves to another point, and so does the inverse mass outward. The mathematics
// stand in inertia_sweeps.cpp. All are inlined into kernels.

#include "allclear/robot_models/kinematics/effective_inertia.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear::articulated {

using Articulated = EffectiveInertia::Workspace::Articulated;
using Answer = EffectiveInertia::Workspace::Answer;
using Inverse = EffectiveInertia::Workspace::Inverse;
using BallJoint = EffectiveInertia::Workspace::BallJoint;

/// A joint's share D, relative to its whole inertia (what the joints below have taken away added).
/// Differences round to 1e-16 of the whole, some hundred of them to the first; one joint with a
/// small share below amplifies them by that share, which makes the second. What is less is computed
/// anew, and below the third taken for zero: a millionth of a millionth is no mass of a robot.
inline constexpr double kSuspicious = 1e-10;
inline constexpr double kSuspiciousAbove = 1e-13;
inline constexpr double kMassless = 1e-11;
/// A ball is taken as one joint where the volume of its three axes, and the least moment of inertia
/// relative to their sum, leave twelve digits of what an inverse of 3 x 3 entries is good for.
inline constexpr double kLeastVolume = 0.05;
inline constexpr double kLeastMoment = 1e-4;

/// M'.
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

/// The sum of the diagonal.
ALLCLEAR_INLINE double trace(const Columns4& M) { return M.c[0][0] + M.c[1][1] + M.c[2][2]; }

/// A matrix of zeros.
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

/// The inertia of a subtree without bodies.
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

/// Of a symmetric matrix without a negative eigenvalue; `least`: not above the least of them.
ALLCLEAR_INLINE Columns4 inverseOf(const Columns4& J, double* least) {
  // So is the inverse: rows of the adjugate are columns as well.
  Columns4 out = {{cross(J.c[1], J.c[2]), cross(J.c[2], J.c[0]), cross(J.c[0], J.c[1])}};
  const double det = dot(J.c[0], out.c[0]), sum = trace(J);
  // The other two eigenvalues have at most sum^2 / 4 as their product.
  *least = 4.0 * det / (sum * sum);
  const double inverse_det = 1.0 / det;
  for (int k = 0; k < 3; ++k) out.c[k] *= inverse_det;
  return out;
}

/// Frees a ball about these axes; false where its turns are better taken one by one.
ALLCLEAR_INLINE bool freeBall(const Pack4* z, Articulated* A, BallJoint* ball) {
  double least;
  ball->inverse_J = inverseOf(A->J, &least);
  const double own = trace(A->J), whole = own + A->removed_J;
  const Pack4 normal = cross(z[1], z[2]);
  const double volume = dot(z[0], normal);
  const bool is_clear = volume * volume > kLeastVolume * kLeastVolume &&
                        least > kLeastMoment * own && least > kSuspicious * whole &&
                        least * A->weakest > kSuspiciousAbove * whole;
  if (!is_clear) return false;
  const double inverse_volume = 1.0 / volume;
  ball->rates = transposed({{normal * inverse_volume, cross(z[2], z[0]) * inverse_volume,
                             cross(z[0], z[1]) * inverse_volume}});
  Columns4 K;  // G J^-1
  for (int k = 0; k < 3; ++k) K.c[k] = A->G * ball->inverse_J.c[k];
  ball->K = transposed(K);
  double removed = 0.0;
  for (int k = 0; k < 3; ++k) {
    const Pack4 gone = K.c[0] * A->G.c[0][k] + K.c[1] * A->G.c[1][k] + K.c[2] * A->G.c[2][k];
    A->M.c[k] -= gone;
    removed += gone[k];
  }
  A->removed_J = whole;
  A->removed_M += removed;
  if (least < A->weakest * whole) A->weakest = least / whole;
  return true;
}

/// Of a ball, about a point r before: of what it is handed J and G do not count.
ALLCLEAR_INLINE void shiftBackFromBall(Pack4 r, Articulated* A) {
  const Columns4 Mr = timesCross(A->M, r);
  for (int k = 0; k < 3; ++k) {
    A->G.c[k] = -Mr.c[k];
    A->J.c[k] = cross(r, A->G.c[k]);
  }
  A->removed_J += A->removed_M * dot(r, r);
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

/// Adds what a child hands on, about the same point.
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

/// Ω of a floating base by 3 x 3 blocks: the inverse of (J G'; G M). False where that would lose
/// digits.
ALLCLEAR_INLINE bool setBaseByBlocks(const Articulated& A, Inverse* W) {
  const double whole_M = trace(A.M) + A.removed_M, whole_J = trace(A.J) + A.removed_J;
  double least_M, least_S;
  const Columns4 M = inverseOf(A.M, &least_M);
  const auto is_clear = [&](double least, double own, double whole) ALLCLEAR_INLINE_LAMBDA {
    return least > kLeastMoment * own && least > kSuspicious * whole &&
           least * A.weakest > kSuspiciousAbove * whole;
  };
  if (!is_clear(least_M, trace(A.M), whole_M)) return false;
  // K = M^-1 G answers to turns; S = J - G'K is what they meet.
  Columns4 K, S;
  for (int k = 0; k < 3; ++k) K.c[k] = M * A.G.c[k];
  for (int k = 0; k < 3; ++k) S.c[k] = A.J.c[k] - transposedTimes(A.G, K.c[k]);
  W->a = inverseOf(S, &least_S);
  if (!is_clear(least_S, trace(A.J), whole_J)) return false;
  // b = -a K', d = M^-1 - K b; of b the transpose is at hand: column k of K a.
  Columns4 Ka;
  for (int k = 0; k < 3; ++k) Ka.c[k] = K * W->a.c[k];
  W->b = transposed(Ka);
  for (int k = 0; k < 3; ++k) W->b.c[k] = -W->b.c[k];
  for (int k = 0; k < 3; ++k) W->d.c[k] = M.c[k] - K * W->b.c[k];
  return true;
}

/// Ω of a floating base: three turns and three slides are taken away, and come back in reverse. The
/// base itself may have no mass: always taking the motion away that is left with the largest part
/// of its inertia keeps the rounding of a motion without mass below `kMassless`.
ALLCLEAR_INLINE void setBase(const Articulated& base, Inverse* W) {
  if (setBaseByBlocks(base, W)) return;
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

}  // namespace allclear::articulated

#pragma GCC diagnostic pop
