#pragma once

// Lower bounds of the distance of bounding volumes A and B during an interval of time, for one
// volume of one side and up to eight of the other in parallel lanes; B stands still, the pose of A
// is a quadratic polynomial plus a remainder (mcd_mesh_motion.h), or constant.
//
//   position of p = (C0 + C1 s + C2 s^2 + C3 (s^3 - 3/4 s)) p, s in [-1, 1], within E0 + E1 |p| of
//   the true one; |s^3 - 3/4 s| <= 1/4.
//
// Ball test: with m = C0 + C2 / 2, the centre c is within |C2 c| / 2 + |C3 c| / 4 of m c + s C1 c
// (as |s^2 - 1/2| <= 1/2), so that the distance is at least
//   |q + s* C1 c| - e_T - e_R |c| - E(c) - r_A - r_B,   q = m c - b,   s* the nearest of [-1, 1],
// with e_T and e_R the same two terms of the translations and of the Frobenius norms.
// Directional test: for a unit n, p -> n.(R p + T) is linear in the pose, and C0 + C1 s + C2 s^2 is
// a convex combination of B0 = C0 - C1 + C2, B1 = C0 - C2, B2 = C0 + C1 + C2 (Bernstein): the room
// along n is
//   min_s min_{p in A} n.(C0 + C1 s + C2 s^2) p - max_{p in A} |n.C3 p| / 4 - max_{b in B} n.b
//     - E(largest |p|).
// The first term is that of one point exactly (a quadratic), so that a triangle's is the least of
// its corners'. A box has its centre's, less the most that its half axes reach along n at a control
// (convex in s); or the least over the controls of both together, which loses more where the
// distance turns in time and less where the box turns.
//
// All is done in single precision, eight lanes to a register. The terms of a bound add up to less
// than
//   M = |T| + 5 |R| reach_A + 5 reach_B + E0 + E1 reach_A, |T| and |R| those of C0 to C3 summed
// (a box is of the triangles' own size: its centre within sqrt 3 reach, its half axes together
// within 3), and the longest chain of roundings on the way is 31 on A's side (20 to a coefficient
// of the quadratic, of which the least takes a mean of theirs and 11 roundings), 16 on B's and 8 at
// the end, directions that are unit to 4 roundings included; the ball test's s, off by 10 roundings
// of |q| / |C1 c|, moves its point by 10 of M. `coarsen` adds 64 to the error.

#include <cstring>
#include <limits>

#include "allclear/distance/mesh_bvh.h"
#include "allclear/distance/mesh_lanes.h"

namespace allclear::mesh {

/// p -> R p + T, rows of R.
template <class Real>
struct AffineOf {
  Real R[9];
  Real T[3];
};
using Affine = AffineOf<double>;

/// As the kernels take it, with room for their roundings in the error.
struct CoarsePoses {
  AffineOf<float> middle;      ///< C0 + C2 / 2
  AffineOf<float> velocity;    ///< C1
  AffineOf<float> control[3];  ///< B0, B1, B2
  AffineOf<float> rest;        ///< C3 / 4
  float error = 0.0F;
  float error_slope = 0.0F;
  float ball_error = 0.0F;  ///< what C2 and C3 add to the errors in the ball test
  float ball_error_slope = 0.0F;
  float motion = 0.0F;  ///< how far a point of A may get from the middle [m]
};

struct IntervalPoses {
  Affine middle;    ///< C0 + C2 / 2
  Affine velocity;  ///< C1
  Affine bend;      ///< C2
  /// B0, B1, B2 and C3 / 4 side by side: rows of the 3x3 parts, then the translations.
  double control[12][4];
  double error = 0.0;        ///< E0, rounding included
  double error_slope = 0.0;  ///< E1
};

/// For bodies of these reaches, thicknesses included; of a pose that stays, control[0] alone.
CoarsePoses coarsen(const IntervalPoses& poses, double reach_A, double reach_B);
CoarsePoses coarsen(const Affine& pose, double error, double reach_A, double reach_B);

static_assert(kWidth == MeshNode::kWidth);

/// Bounds per lane, and the direction, B to A, of the best of them (kept when it is the one given).
struct LaneBounds {
  float lower[kWidth];
  float n[3][kWidth];
  unsigned open;  ///< bit i: lane i is below the cutoff, or not a number
  float pruned;   ///< least of the others, or +infinity
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // never passed through a real call

/// Volumes of one side: of the children of a node, or one for all.
template <class L>
struct CoarseVolumes {
  using Lane = L;
  L center[3];
  L radius;
  L length;
  L box[3];
  L axis[3][3];  ///< [which][xyz]
};

ALLCLEAR_ALWAYS_INLINE void load(const MeshNode& node, CoarseVolumes<Lanes>* out) {
  for (int k = 0; k < 3; ++k) {
    out->center[k] = lanesOf(node.ball[k]);
    out->box[k] = lanesOf(node.box[k]);
    for (int i = 0; i < 3; ++i) out->axis[i][k] = lanesOf(node.box[3 + 3 * i + k]);
  }
  out->radius = lanesOf(node.ball[3]);
  out->length = lanesOf(node.ball[4]);
}

inline CoarseVolumes<float> coarseVolume(const MeshVolume& volume) {
  CoarseVolumes<float> out;
  for (int k = 0; k < 3; ++k) {
    out.center[k] = static_cast<float>(volume.center[k]);
    out.box[k] = static_cast<float>(volume.box[k]);
    for (int i = 0; i < 3; ++i) out.axis[i][k] = static_cast<float>(volume.axis[i][k]);
  }
  out.radius = static_cast<float>(volume.radius);
  out.length = static_cast<float>(volume.length);
  return out;
}
inline CoarseVolumes<float> coarseVolume(const MeshNode& node, int slot) {
  CoarseVolumes<float> out;
  for (int k = 0; k < 3; ++k) {
    out.center[k] = node.ball[k][slot];
    out.box[k] = node.box[k][slot];
    for (int i = 0; i < 3; ++i) out.axis[i][k] = node.box[3 + 3 * i + k][slot];
  }
  out.radius = node.ball[3][slot];
  out.length = node.ball[4][slot];
  return out;
}

/// A leaf, of which the box would hold twice as much.
struct CoarseTriangle {
  using Lane = float;
  float center[3];  ///< of its ball
  float radius;
  float length;
  float box[3];  ///< a point within
  float corner[3][3];
  float dual[2][3];  ///< (p - corner 0).dual: the coordinates along the edges from it
};
CoarseTriangle coarseTriangle(const TriangleCorners& triangle, const CoarseVolumes<float>& volume);

template <class L>
ALLCLEAR_ALWAYS_INLINE Vector<L> placed(const AffineOf<float>& X, const Vector<L>& p) {
  const Vector<L> q = turned(X.R, p);
  return {q.x + X.T[0], q.y + X.T[1], q.z + X.T[2]};
}

/// Ball test.
template <bool kMoving, class VA, class VB>
ALLCLEAR_ALWAYS_INLINE auto ballBound(const CoarsePoses& m, const VA& A, const VB& B) {
  using LA = typename VA::Lane;
  using L = decltype(LA{} + typename VB::Lane{});
  const Vector<LA> c = vectorOf(A.center), p = placed(m.middle, c);
  Vector<L> q{p.x - B.center[0], p.y - B.center[1], p.z - B.center[2]};
  L loss = m.error + m.error_slope * A.length + A.radius + B.radius;
  if constexpr (kMoving) {
    const Vector<LA> v = placed(m.velocity, c);
    const L s = clamped(L(-dot(q, v) / larger(dot(v, v), all<LA>(1e-30F))));
    q = {q.x + s * v.x, q.y + s * v.y, q.z + s * v.z};
    loss = loss + m.ball_error + m.ball_error_slope * A.length;
  }
  return L(root(dot(q, q)) - loss);
}

/// n.X p for the box's centre, and by how much it varies over the box.
template <class LA, class LN, class L>
ALLCLEAR_ALWAYS_INLINE void along(const AffineOf<float>& X, const CoarseVolumes<LA>& A,
                                  const Vector<LN>& n, L* center, L* reach) {
  const Vector<LN> w = turnedBack(X.R, n);
  *center = dot(w, vectorOf(A.box)) + (n.x * X.T[0] + n.y * X.T[1] + n.z * X.T[2]);
  *reach = magnitude(L(dot(w, vectorOf(A.axis[0]))));
  for (int i = 1; i < 3; ++i) *reach = *reach + magnitude(L(dot(w, vectorOf(A.axis[i]))));
}

/// The least of n.p over A's box as it moves: the exact one of its centre less the most that the
/// half axes reach at a control, or the least at a control, whichever is more. n may have a lane or
/// many.
template <bool kMoving, class LA, class LN>
ALLCLEAR_ALWAYS_INLINE auto leastAlong(const CoarsePoses& m, const CoarseVolumes<LA>& A,
                                       const Vector<LN>& n) {
  using L = decltype(LA{} + LN{});
  constexpr int kControls = kMoving ? 3 : 1;
  L at[kControls], reach[kControls];
  for (int k = 0; k < kControls; ++k) along(m.control[k], A, n, &at[k], &reach[k]);
  if constexpr (kMoving) {
    L rest, rest_reach;
    along(m.rest, A, n, &rest, &rest_reach);
    const L most = larger(larger(reach[0], reach[1]), reach[2]);
    const L hull = smaller(smaller(L(at[0] - reach[0]), L(at[1] - reach[1])), L(at[2] - reach[2]));
    return L(larger(hull, L(leastOfQuadratic(at[0], at[1], at[2]) - most)) - magnitude(rest) -
             rest_reach);
  } else {
    return L(at[0] - reach[0]);
  }
}

/// A triangle's is the least of its corners', exact but for the rest.
template <bool kMoving, class LN>
ALLCLEAR_ALWAYS_INLINE LN leastAlong(const CoarsePoses& m, const CoarseTriangle& A,
                                     const Vector<LN>& n) {
  constexpr int kControls = kMoving ? 3 : 1;
  LN at[4][3];
  for (int k = 0; k < (kMoving ? 4 : 1); ++k) {
    const AffineOf<float>& X = k < kControls ? m.control[k] : m.rest;
    const Vector<LN> w = turnedBack(X.R, n);
    const LN shift = n.x * X.T[0] + n.y * X.T[1] + n.z * X.T[2];
    for (int v = 0; v < 3; ++v) at[k][v] = dot(w, vectorOf(A.corner[v])) + shift;
  }
  LN least = all<LN>(std::numeric_limits<float>::infinity());
  for (int v = 0; v < 3; ++v) {
    if constexpr (kMoving) {
      const LN corner = leastOfQuadratic(at[0][v], at[1][v], at[2][v]) - magnitude(at[3][v]);
      least = smaller(least, corner);
    } else {
      least = smaller(least, at[0][v]);
    }
  }
  return least;
}

/// The most of n.b over a volume of B.
template <class LB, class LN>
ALLCLEAR_ALWAYS_INLINE auto mostAlong(const CoarseVolumes<LB>& B, const Vector<LN>& n) {
  auto most = dot(n, vectorOf(B.box));
  for (int i = 0; i < 3; ++i) most = most + magnitude(decltype(most)(dot(n, vectorOf(B.axis[i]))));
  return most;
}
template <class LN>
ALLCLEAR_ALWAYS_INLINE LN mostAlong(const CoarseTriangle& B, const Vector<LN>& n) {
  const LN first = dot(n, vectorOf(B.corner[0])), second = dot(n, vectorOf(B.corner[1]));
  return larger(larger(first, second), LN(dot(n, vectorOf(B.corner[2]))));
}

/// Directional test.
template <bool kMoving, class VA, class VB, class LN>
ALLCLEAR_ALWAYS_INLINE auto roomAlong(const CoarsePoses& m, const VA& A, const VB& B,
                                      const Vector<LN>& n) {
  const auto error = m.error + m.error_slope * (A.length + A.radius);
  return leastAlong<kMoving>(m, A, n) - mostAlong(B, n) - error;
}

/// The point of a box nearest (for orthogonal axes) to p.
template <class LV, class L>
ALLCLEAR_ALWAYS_INLINE Vector<L> nearestIn(const CoarseVolumes<LV>& V, const Vector<L>& p) {
  const Vector<L> d{p.x - V.box[0], p.y - V.box[1], p.z - V.box[2]};
  Vector<L> r{L{} + V.box[0], L{} + V.box[1], L{} + V.box[2]};
  for (int i = 0; i < 3; ++i) {
    const Vector<LV> g = vectorOf(V.axis[i]);
    const L t = clamped(L(dot(d, g) / larger(dot(g, g), all<LV>(1e-30F))));
    r = {r.x + t * g.x, r.y + t * g.y, r.z + t * g.z};
  }
  return r;
}
/// A point of the triangle near the one that is nearest to p.
template <class L>
ALLCLEAR_ALWAYS_INLINE Vector<L> nearestIn(const CoarseTriangle& V, const Vector<L>& p) {
  const float(&c)[3][3] = V.corner;
  const Vector<L> d{p.x - c[0][0], p.y - c[0][1], p.z - c[0][2]};
  L u = larger(L(dot(d, vectorOf(V.dual[0]))), L{}),
    v = larger(L(dot(d, vectorOf(V.dual[1]))), L{});
  const L scale = 1.0F / larger(L(u + v), all<L>(1.0F));
  u = u * scale;
  v = v * scale;
  return {c[0][0] + u * (c[1][0] - c[0][0]) + v * (c[2][0] - c[0][0]),
          c[0][1] + u * (c[1][1] - c[0][1]) + v * (c[2][1] - c[0][1]),
          c[0][2] + u * (c[1][2] - c[0][2]) + v * (c[2][2] - c[0][2])};
}

/// A direction per lane, B to A, by projecting from volume to volume in the middle of the interval.
/// Once: again would leave 2 % fewer pairs, and take more time than they do.
template <class VA, class VB>
ALLCLEAR_ALWAYS_INLINE auto ownDirection(const CoarsePoses& m, const VA& A, const VB& B) {
  using LB = typename VB::Lane;
  using L = decltype(typename VA::Lane{} + LB{});
  const float* T = m.middle.T;
  const Vector<LB> back{B.box[0] - T[0], B.box[1] - T[1], B.box[2] - T[2]};
  const Vector<LB> turned_back = turnedBack(m.middle.R, back);
  const Vector<L> from{L{} + turned_back.x, L{} + turned_back.y, L{} + turned_back.z};
  const Vector<L> a = placed(m.middle, nearestIn(A, from));
  const Vector<L> b = nearestIn(B, a);
  const Vector<L> n{a.x - b.x, a.y - b.y, a.z - b.z};
  const L scale = 1.0F / root(larger(dot(n, n), all<L>(1e-30F)));
  return Vector<L>{n.x * scale, n.y * scale, n.z * scale};
}

/// All tests; those that cost more are left out when the others have pushed all lanes to `cutoff`.
template <bool kMoving, bool kGiven, class VA, class VB>
ALLCLEAR_ALWAYS_INLINE void bounds(const CoarsePoses& m, const VA& A, const VB& B,
                                   const float* given, float cutoff, LaneBounds* out) {
  using L = decltype(typename VA::Lane{} + typename VB::Lane{});
  L lower = ballBound<kMoving>(m, A, B);
  Vector<L> n{all<L>(given[0]), all<L>(given[1]), all<L>(given[2])};
  out->open = lanesBelow(lower, cutoff);
  if (kGiven && out->open != 0) {
    lower = larger(lower, L(roomAlong<kMoving>(m, A, B, vectorOf(given))));
    out->open = lanesBelow(lower, cutoff);
  }
  if (out->open != 0) {
    const Vector<L> own = ownDirection(m, A, B);
    const L room = roomAlong<kMoving>(m, A, B, own);
    n = {room > lower ? own.x : n.x, room > lower ? own.y : n.y, room > lower ? own.z : n.z};
    lower = larger(lower, room);
    out->open = lanesBelow(lower, cutoff);
  }
  out->pruned =
      leastLane(L(lower >= cutoff ? lower : all<L>(std::numeric_limits<float>::infinity())));
  std::memcpy(out->lower, &lower, sizeof lower);
  std::memcpy(out->n[0], &n.x, sizeof lower);
  std::memcpy(out->n[1], &n.y, sizeof lower);
  std::memcpy(out->n[2], &n.z, sizeof lower);
}

#pragma GCC diagnostic pop

/// The least of n.p over a triangle of A as it moves, without the error.
double leastAlong(const IntervalPoses& poses, const TriangleCorners& of_A, const double* n);

// The kernels: one call per node opened.

/// The children of a node of A against one volume of B.
void boundsOpeningA(const CoarsePoses& m, const MeshNode& A, const CoarseVolumes<float>& B,
                    const float* n, float cutoff, LaneBounds* out);
/// One volume of A against the children of a node of B.
void boundsOpeningB(const CoarsePoses& m, const CoarseVolumes<float>& A, const MeshNode& B,
                    const float* n, float cutoff, LaneBounds* out);
void boundsOpeningA(const CoarsePoses& m, const MeshNode& A, const CoarseTriangle& B,
                    const float* n, float cutoff, LaneBounds* out);
void boundsOpeningB(const CoarsePoses& m, const CoarseTriangle& A, const MeshNode& B,
                    const float* n, float cutoff, LaneBounds* out);
/// One volume against one (lane 0).
void boundsOfPair(const CoarsePoses& m, const CoarseVolumes<float>& A,
                  const CoarseVolumes<float>& B, const float* n, float cutoff, LaneBounds* out);
// The same for a pose that stays: control[0], and `middle` equal to it.
void stillBoundsOpeningA(const CoarsePoses& m, const MeshNode& A, const CoarseVolumes<float>& B,
                         const float* n, float cutoff, LaneBounds* out);
void stillBoundsOpeningB(const CoarsePoses& m, const CoarseVolumes<float>& A, const MeshNode& B,
                         const float* n, float cutoff, LaneBounds* out);
void stillBoundsOpeningA(const CoarsePoses& m, const MeshNode& A, const CoarseTriangle& B,
                         const float* n, float cutoff, LaneBounds* out);
void stillBoundsOpeningB(const CoarsePoses& m, const CoarseTriangle& A, const MeshNode& B,
                         const float* n, float cutoff, LaneBounds* out);

}  // namespace allclear::mesh
