#pragma once

// Lower bounds of the distance of bounding volumes A and B during an interval of time, for one
// volume of one side and up to eight of the other in parallel lanes; B stands still, the pose of A
// is a quadratic polynomial plus a remainder (mcd_mesh_motion.h), or constant.
//
//   position of p = (C0 + C1 s + C2 s^2) p, s in [-1, 1], within E0 + E1 |p| of the true one.
//
// Ball test: with m = C0 + C2 / 2, the centre c is within |C2 c| / 2 of m c + s C1 c (as
// |s^2 - 1/2| <= 1/2), so that the distance is at least
//   |q + s* C1 c| - |C2 c| / 2 - E(c) - r_A - r_B,   q = m c - b,   s* the nearest of [-1, 1].
// Directional test: for a unit n, p -> n.(R p + T) is linear in the pose, and the pose is a convex
// combination of B0 = C0 - C1 + C2, B1 = C0 - C2, B2 = C0 + C1 + C2 (Bernstein): the room along n
// is
//   min_k min_{p in A} n.(R_k p + T_k) - max_{b in B} n.b - E(largest |p|).
//
// All is done in single precision, eight lanes to a register. The terms of a bound add up to less
// than
//   M = |T| + 5 |R| reach_A + 5 reach_B + E0 + E1 reach_A, |T| and |R| those of C0, C1, C2 summed
// (a box is of the triangles' own size: its centre within sqrt 3 reach, its half axes together
// within 3), and the longest chain of roundings on the way is 20 on A's side, 16 on B's and 7 at
// the end, directions that are unit to 4 roundings included; the ball test's s, off by 10 roundings
// of |q| / |C1 c|, moves its point by 10 of M. `coarsen` adds 64 to the error.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "allclear/core/multiversion.h"
#include "allclear/distance/mesh_bvh.h"

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
  AffineOf<float> bend;        ///< C2
  AffineOf<float> control[3];  ///< B0, B1, B2
  float error = 0.0F;
  float error_slope = 0.0F;
};

struct IntervalPoses {
  Affine middle;             ///< C0 + C2 / 2
  Affine velocity;           ///< C1
  Affine bend;               ///< C2
  Affine control[3];         ///< B0, B1, B2
  double error = 0.0;        ///< E0, rounding included
  double error_slope = 0.0;  ///< E1
};

/// For bodies of these reaches, thicknesses included; of a pose that stays, control[0] alone.
CoarsePoses coarsen(const IntervalPoses& poses, double reach_A, double reach_B);
CoarsePoses coarsen(const Affine& pose, double error, double reach_A, double reach_B);

constexpr int kWidth = MeshNode::kWidth;

/// Bounds per lane, and the direction, B to A, of the best of them (kept when it is the one given).
struct LaneBounds {
  float lower[kWidth];
  float n[3][kWidth];
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // never passed through a real call

/// Eight numbers in one register; what follows is for these and for single ones alike.
using Lanes = float __attribute__((vector_size(32)));

/// Volumes of one side: of the children of a node, or one for all.
template <class L>
struct CoarseVolumes {
  L center[3];
  L radius;
  L length;
  L box[3];
  L axis[3][3];  ///< [which][xyz]
};

ALLCLEAR_ALWAYS_INLINE Lanes lanesOf(const float* x) {
  Lanes lanes;
  std::memcpy(&lanes, x, sizeof lanes);
  return lanes;
}

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

ALLCLEAR_ALWAYS_INLINE float larger(float a, float b) { return a > b ? a : b; }
ALLCLEAR_ALWAYS_INLINE Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }
ALLCLEAR_ALWAYS_INLINE float smaller(float a, float b) { return a < b ? a : b; }
ALLCLEAR_ALWAYS_INLINE Lanes smaller(Lanes a, Lanes b) { return a < b ? a : b; }
ALLCLEAR_ALWAYS_INLINE float root(float x) { return std::sqrt(x); }
ALLCLEAR_ALWAYS_INLINE Lanes root(Lanes x) {
  float each[kWidth];
  std::memcpy(each, &x, sizeof x);
  for (int l = 0; l < kWidth; ++l) each[l] = std::sqrt(each[l]);
  return lanesOf(each);
}
/// A number in every lane.
template <class L>
ALLCLEAR_ALWAYS_INLINE L all(float x) {
  return L{} + x;
}
template <class L>
ALLCLEAR_ALWAYS_INLINE L magnitude(L x) {
  return larger(x, -x);
}
template <class L>
ALLCLEAR_ALWAYS_INLINE L clamped(L x) {
  return smaller(larger(x, all<L>(-1.0F)), all<L>(1.0F));
}

template <class L>
struct Vector {
  L x, y, z;
};
template <class L, class M>
ALLCLEAR_ALWAYS_INLINE auto dot(const Vector<L>& a, const Vector<M>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class L>
ALLCLEAR_ALWAYS_INLINE Vector<L> vectorOf(const L* v) {
  return {v[0], v[1], v[2]};
}
/// R p, and its transpose times p.
template <class L>
ALLCLEAR_ALWAYS_INLINE Vector<L> turned(const float* R, const Vector<L>& p) {
  return {R[0] * p.x + R[1] * p.y + R[2] * p.z, R[3] * p.x + R[4] * p.y + R[5] * p.z,
          R[6] * p.x + R[7] * p.y + R[8] * p.z};
}
template <class L>
ALLCLEAR_ALWAYS_INLINE Vector<L> turnedBack(const float* R, const Vector<L>& p) {
  return {R[0] * p.x + R[3] * p.y + R[6] * p.z, R[1] * p.x + R[4] * p.y + R[7] * p.z,
          R[2] * p.x + R[5] * p.y + R[8] * p.z};
}
template <class L>
ALLCLEAR_ALWAYS_INLINE Vector<L> placed(const AffineOf<float>& X, const Vector<L>& p) {
  const Vector<L> q = turned(X.R, p);
  return {q.x + X.T[0], q.y + X.T[1], q.z + X.T[2]};
}

/// Ball test.
template <bool kMoving, class LA, class LB>
ALLCLEAR_ALWAYS_INLINE auto ballBound(const CoarsePoses& m, const CoarseVolumes<LA>& A,
                                      const CoarseVolumes<LB>& B) {
  using L = decltype(LA{} + LB{});
  const Vector<LA> c = vectorOf(A.center), p = placed(m.middle, c);
  Vector<L> q{p.x - B.center[0], p.y - B.center[1], p.z - B.center[2]};
  L loss = m.error + m.error_slope * A.length + A.radius + B.radius;
  if constexpr (kMoving) {
    const Vector<LA> v = placed(m.velocity, c), w = placed(m.bend, c);
    const L s = clamped(L(-dot(q, v) / larger(dot(v, v), all<LA>(1e-30F))));
    q = {q.x + s * v.x, q.y + s * v.y, q.z + s * v.z};
    loss = loss + 0.5F * root(dot(w, w));
  }
  return L(root(dot(q, q)) - loss);
}

/// The least of n.p over A's boxes at the control poses. n may have a lane or many.
template <bool kMoving, class LA, class LN>
ALLCLEAR_ALWAYS_INLINE auto leastAlong(const CoarsePoses& m, const CoarseVolumes<LA>& A,
                                       const Vector<LN>& n) {
  using L = decltype(LA{} + LN{});
  L least = all<L>(std::numeric_limits<float>::infinity());
  for (int k = 0; k < (kMoving ? 3 : 1); ++k) {
    const AffineOf<float>& X = m.control[k];
    const Vector<LN> w = turnedBack(X.R, n);
    L room = dot(w, vectorOf(A.box)) + (n.x * X.T[0] + n.y * X.T[1] + n.z * X.T[2]);
    for (int i = 0; i < 3; ++i) room = room - magnitude(L(dot(w, vectorOf(A.axis[i]))));
    least = smaller(least, room);
  }
  return least;
}

/// Directional test.
template <bool kMoving, class LA, class LB, class LN>
ALLCLEAR_ALWAYS_INLINE auto roomAlong(const CoarsePoses& m, const CoarseVolumes<LA>& A,
                                      const CoarseVolumes<LB>& B, const Vector<LN>& n) {
  using L = decltype(LN{} + LB{});
  L most = dot(n, vectorOf(B.box));
  for (int i = 0; i < 3; ++i) most = most + magnitude(L(dot(n, vectorOf(B.axis[i]))));
  const LA error = m.error + m.error_slope * (A.length + A.radius);
  return leastAlong<kMoving>(m, A, n) - most - error;
}

/// The point of a box nearest (for orthogonal axes) to p.
template <class LV, class L>
ALLCLEAR_ALWAYS_INLINE Vector<L> nearestInBox(const CoarseVolumes<LV>& V, const Vector<L>& p) {
  const Vector<L> d{p.x - V.box[0], p.y - V.box[1], p.z - V.box[2]};
  Vector<L> r{L{} + V.box[0], L{} + V.box[1], L{} + V.box[2]};
  for (int i = 0; i < 3; ++i) {
    const Vector<LV> g = vectorOf(V.axis[i]);
    const L t = clamped(L(dot(d, g) / larger(dot(g, g), all<LV>(1e-30F))));
    r = {r.x + t * g.x, r.y + t * g.y, r.z + t * g.z};
  }
  return r;
}

/// A direction per lane, B to A, by projecting from box to box in the middle of the interval. Once:
/// again would leave 2 % fewer pairs, and take more time than they do.
template <class LA, class LB>
ALLCLEAR_ALWAYS_INLINE auto boxDirection(const CoarsePoses& m, const CoarseVolumes<LA>& A,
                                         const CoarseVolumes<LB>& B) {
  using L = decltype(LA{} + LB{});
  const float* T = m.middle.T;
  const Vector<LB> back{B.box[0] - T[0], B.box[1] - T[1], B.box[2] - T[2]};
  const Vector<LB> turned_back = turnedBack(m.middle.R, back);
  const Vector<L> from{L{} + turned_back.x, L{} + turned_back.y, L{} + turned_back.z};
  const Vector<L> a = placed(m.middle, nearestInBox(A, from));
  const Vector<L> b = nearestInBox(B, a);
  const Vector<L> n{a.x - b.x, a.y - b.y, a.z - b.z};
  const L scale = 1.0F / root(larger(dot(n, n), all<L>(1e-30F)));
  return Vector<L>{n.x * scale, n.y * scale, n.z * scale};
}

ALLCLEAR_ALWAYS_INLINE bool noneBelow(float x, float cutoff) { return x >= cutoff; }
ALLCLEAR_ALWAYS_INLINE bool noneBelow(Lanes x, float cutoff) {
  const auto below = x < cutoff;
  std::int64_t pairs[4];
  std::memcpy(pairs, &below, sizeof below);
  return (pairs[0] | pairs[1] | pairs[2] | pairs[3]) == 0;
}

/// All tests; those that cost more are left out when the others have pushed all lanes to `cutoff`.
template <bool kMoving, class LA, class LB>
ALLCLEAR_ALWAYS_INLINE void bounds(const CoarsePoses& m, const CoarseVolumes<LA>& A,
                                   const CoarseVolumes<LB>& B, const float* given, float cutoff,
                                   LaneBounds* out) {
  using L = decltype(LA{} + LB{});
  L lower = ballBound<kMoving>(m, A, B);
  Vector<L> n{all<L>(given[0]), all<L>(given[1]), all<L>(given[2])};
  if (!noneBelow(lower, cutoff)) {
    lower = larger(lower, L(roomAlong<kMoving>(m, A, B, vectorOf(given))));
  }
  if (!noneBelow(lower, cutoff)) {
    const Vector<L> own = boxDirection(m, A, B);
    const L room = roomAlong<kMoving>(m, A, B, own);
    n = {room > lower ? own.x : n.x, room > lower ? own.y : n.y, room > lower ? own.z : n.z};
    lower = larger(lower, room);
  }
  std::memcpy(out->lower, &lower, sizeof lower);
  std::memcpy(out->n[0], &n.x, sizeof lower);
  std::memcpy(out->n[1], &n.y, sizeof lower);
  std::memcpy(out->n[2], &n.z, sizeof lower);
}

#pragma GCC diagnostic pop

// The kernels: one call per node opened.

/// The children of a node of A against one volume of B.
void boundsOpeningA(const CoarsePoses& m, const MeshNode& A, const CoarseVolumes<float>& B,
                    const float* n, float cutoff, LaneBounds* out);
/// One volume of A against the children of a node of B.
void boundsOpeningB(const CoarsePoses& m, const CoarseVolumes<float>& A, const MeshNode& B,
                    const float* n, float cutoff, LaneBounds* out);
/// One volume against one (lane 0).
void boundsOfPair(const CoarsePoses& m, const CoarseVolumes<float>& A,
                  const CoarseVolumes<float>& B, const float* n, float cutoff, LaneBounds* out);
// The same for a pose that stays: control[0], and `middle` equal to it.
void stillBoundsOpeningA(const CoarsePoses& m, const MeshNode& A, const CoarseVolumes<float>& B,
                         const float* n, float cutoff, LaneBounds* out);
void stillBoundsOpeningB(const CoarsePoses& m, const CoarseVolumes<float>& A, const MeshNode& B,
                         const float* n, float cutoff, LaneBounds* out);

}  // namespace allclear::mesh
