// The s at which two boxes, or two triangles, may meet on a line; eight lanes to a register.
//
// Boxes. The axes are the three half edges x of either box (its face normals). With `between` the
// vector from B's centre to A's at s = 0, the boxes overlap along x while
//   |x.(between + s v)| <= x.x + sum over the other box's half edges y of |x.y|
//                          + |x| (skew + offset).
// The first term is the box's own reach along x; `skew` allows for half edges that are at right
// angles to rounding only, `offset` for sets that count as meeting although they are apart. The
// nine products of edges are left out as axes: the interval only becomes longer by that
// (conservative).
//
// Triangles. The axes are the two normals; the reach of each along an axis is half the extent of
// its three corners, the centre the middle of that extent. There is no skew.
//
// Rounding. Both sides of the inequality add up to no more than |x| M for s in [0, limit], with
//   M = |T| + 5 |R| reach_A + 5 reach_B + limit |v| + offset
// (a box is of the triangles' own size: its centre within sqrt 3 reach, its half edges together
// within 3 reach). The longest chain has 18 roundings on either side, those of the inputs included:
// 36 in all, and `coarsen` grants 40. The ends of the interval are one product and one quotient
// more (two roundings) and are moved outward by eight. The square of an axis shorter than 1e-18 m
// is denormal: |x| is then wrong by up to 6e-23 m, and both sides by up to that times M. The 1e-22
// M that is added (`least`) covers it.

#include <cmath>
#include <limits>

#include "allclear/core/simd.h"
#include "allclear/distance/mesh/volume_bounds.h"
#include "allclear/distance/mesh_depth/line_kernels.h"

// The lanes are never passed through a real call.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear::mesh {
namespace {

/// The half edges of a stored box are at right angles to rounding only: single precision turns each
/// by up to sqrt 3 2^-24 = 1.04e-7. Ten times what two of them can lose.
constexpr float kSkew = 2e-6F;
/// Slower lines count as this fast: one over it does not overflow, and the interval is either
/// empty within any limit or all of it.
constexpr float kLeastSpeed = 1e-30F;
/// See the opening comment.
constexpr double kVanishing = 1e-22;
constexpr double kRoundings = 40.0;
constexpr float kUlp = std::numeric_limits<float>::epsilon();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// One box (L = float), or those of a node's children (L = Lanes).
template <class L>
struct Boxes {
  Vector<L> center;
  Vector<L> axis[3];
};

ALLCLEAR_INLINE void load(const MeshNode& node, Boxes<Lanes>* out) {
  out->center = {lanesOf(node.box[0]), lanesOf(node.box[1]), lanesOf(node.box[2])};
  for (int i = 0; i < 3; ++i) {
    out->axis[i] = {lanesOf(node.box[3 + 3 * i]), lanesOf(node.box[4 + 3 * i]),
                    lanesOf(node.box[5 + 3 * i])};
  }
}

ALLCLEAR_INLINE void load(const LineBox& volume, Boxes<float>* out) {
  const float* box = volume.box;
  out->center = {box[0], box[1], box[2]};
  for (int i = 0; i < 3; ++i) out->axis[i] = {box[3 + 3 * i], box[4 + 3 * i], box[5 + 3 * i]};
}

template <class L>
struct Interval {
  L in, out;
};

/// Narrows an interval to the s with |at + s speed| <= reach.
template <class L, class S>
ALLCLEAR_INLINE void clip(const L& at, const S& speed, const L& reach, Interval<L>* kept) {
  const S least = all<S>(kLeastSpeed);
  const S size = larger(magnitude(speed), least);
  const S w = 1.0F / (speed < all<S>(0.0F) ? -size : size);
  const L s0 = (-reach - at) * w, s1 = (reach - at) * w;
  kept->in = larger(kept->in, smaller(s0, s1));
  kept->out = smaller(kept->out, larger(s0, s1));
}

/// Stores the intervals, moved outward by their own roundings; returns the lanes that may meet in
/// [first, last].
template <class L>
ALLCLEAR_INLINE unsigned store(Interval<L> kept, float first, float last, LaneIntervals* result) {
  kept.in = kept.in - 4.0F * kUlp * magnitude(kept.in);
  kept.out = kept.out + 4.0F * kUlp * magnitude(kept.out);
  std::memcpy(result->in, &kept.in, sizeof kept.in);
  std::memcpy(result->out, &kept.out, sizeof kept.out);
  const auto meets = (kept.in <= kept.out) & (kept.out >= first) & (kept.in <= last);
  std::int32_t each[kWidth];
  std::memcpy(each, &meets, sizeof each);
  unsigned lanes = 0;
  for (int l = 0; l < kWidth; ++l) lanes |= static_cast<unsigned>(each[l]) & 1U << l;
  return lanes;
}

template <class LA, class LB>
ALLCLEAR_INLINE unsigned boxIntervals(const CoarseLine& m, const Boxes<LA>& A, const Boxes<LB>& B,
                                      float first, float last, LaneIntervals* result) {
  using L = decltype(LA{} + LB{});
  const Vector<float> v{m.v[0], m.v[1], m.v[2]};
  Vector<LA> a[3], p = turned(m.R, A.center);
  for (int i = 0; i < 3; ++i) a[i] = turned(m.R, A.axis[i]);
  // Placed at s = 0, seen from B.
  p = {p.x + m.T[0], p.y + m.T[1], p.z + m.T[2]};
  const Vector<L> between{p.x - B.center.x, p.y - B.center.y, p.z - B.center.z};
  L shared[3][3];  // |x.y| for the half edges of A and B: each counts for both boxes' axes
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) shared[i][j] = magnitude(L(dot(a[i], B.axis[j])));
  }
  LA length_A[3], sum_A = all<LA>(0.0F);
  LB length_B[3], sum_B = all<LB>(0.0F);
  for (int i = 0; i < 3; ++i) {
    length_A[i] = root(LA(dot(a[i], a[i])));
    length_B[i] = root(LB(dot(B.axis[i], B.axis[i])));
    sum_A = sum_A + length_A[i];
    sum_B = sum_B + length_B[i];
  }
  const LA room_A = kSkew * sum_A + m.room;
  const LB room_B = kSkew * sum_B + m.room;
  Interval<L> kept{all<L>(-kInfinity), all<L>(kInfinity)};
  for (int j = 0; j < 3; ++j) {
    const LB own = length_B[j] * (length_B[j] + room_B) + m.least;
    const L reach = own + shared[0][j] + shared[1][j] + shared[2][j];
    clip(L(dot(B.axis[j], between)), LB(dot(B.axis[j], v)), reach, &kept);
  }
  for (int j = 0; j < 3; ++j) {
    const LA own = length_A[j] * (length_A[j] + room_A) + m.least;
    const L reach = own + shared[j][0] + shared[j][1] + shared[j][2];
    clip(L(dot(a[j], between)), LA(dot(a[j], v)), reach, &kept);
  }
  return store(kept, first, last, result);
}

template <class L>
using Corners = Vector<L>[3];

ALLCLEAR_INLINE void load(const LeafCorners& from, Corners<Lanes>& out) {
  for (int v = 0; v < 3; ++v) {
    out[v] = {lanesOf(from.corner[3 * v]), lanesOf(from.corner[3 * v + 1]),
              lanesOf(from.corner[3 * v + 2])};
  }
}
ALLCLEAR_INLINE void load(const TriangleCorners& from, Corners<float>& out) {
  for (int v = 0; v < 3; ++v) {
    out[v] = {static_cast<float>(from.p[v][0]), static_cast<float>(from.p[v][1]),
              static_cast<float>(from.p[v][2])};
  }
}

/// Not unit: twice the area long.
template <class L>
ALLCLEAR_INLINE Vector<L> normalOf(const Corners<L>& p) {
  const Vector<L> e{p[1].x - p[0].x, p[1].y - p[0].y, p[1].z - p[0].z};
  const Vector<L> f{p[2].x - p[0].x, p[2].y - p[0].y, p[2].z - p[0].z};
  return {e.y * f.z - e.z * f.y, e.z * f.x - e.x * f.z, e.x * f.y - e.y * f.x};
}

/// Narrows an interval to the s at which two triangles overlap along n, which need not be unit.
template <class LN, class LA, class LB, class L>
ALLCLEAR_INLINE void clipAlong(const CoarseLine& m, const Vector<LN>& n, const Corners<LA>& A,
                               const Corners<LB>& B, Interval<L>* kept) {
  L least_A = {}, most_A = {}, least_B = {}, most_B = {};
  for (int v = 0; v < 3; ++v) {
    const L of_A = L{} + dot(n, A[v]), of_B = L{} + dot(n, B[v]);
    // Corners relative to s = 0; the middle of each extent stands for the centre of a box.
    least_A = v == 0 ? of_A : smaller(least_A, of_A);
    most_A = v == 0 ? of_A : larger(most_A, of_A);
    least_B = v == 0 ? of_B : smaller(least_B, of_B);
    most_B = v == 0 ? of_B : larger(most_B, of_B);
  }
  const L reach =
      0.5F * ((most_A - least_A) + (most_B - least_B)) + (root(LN(dot(n, n))) * m.room + m.least);
  clip(L(0.5F * ((least_A + most_A) - (least_B + most_B))),
       LN(dot(n, Vector<float>{m.v[0], m.v[1], m.v[2]})), reach, kept);
}

template <class LA, class LB>
ALLCLEAR_INLINE unsigned faceIntervals(const CoarseLine& m, const Corners<LA>& of_A,
                                       const Corners<LB>& B, float first, float last,
                                       LaneIntervals* result) {
  Corners<LA> A;
  for (int v = 0; v < 3; ++v) {
    const Vector<LA> p = turned(m.R, of_A[v]);
    A[v] = {p.x + m.T[0], p.y + m.T[1], p.z + m.T[2]};
  }
  Interval<Lanes> kept{lanesOf(result->in), lanesOf(result->out)};
  clipAlong(m, normalOf(A), A, B, &kept);
  clipAlong(m, normalOf(B), A, B, &kept);
  return store(kept, first, last, result);
}

double norm(const double* x, int count) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

}  // namespace

CoarseLine coarsen(const LineMotion& m, double limit, double reach_A, double reach_B) {
  CoarseLine out;
  for (int i = 0; i < 9; ++i) out.R[i] = static_cast<float>(m.R[i]);
  for (int i = 0; i < 3; ++i) out.T[i] = static_cast<float>(m.T[i]);
  for (int i = 0; i < 3; ++i) out.v[i] = static_cast<float>(m.v[i]);
  const double sum = norm(m.T, 3) + 5.0 * norm(m.R, 9) * reach_A + 5.0 * reach_B +
                     std::abs(limit) * norm(m.v, 3) + m.offset;
  out.room = static_cast<float>(m.offset + kRoundings * 0.5 * static_cast<double>(kUlp) * sum);
  out.least = static_cast<float>(kVanishing * sum);
  return out;
}

ALLCLEAR_MULTIVERSION
unsigned intervalsOpeningA(const CoarseLine& m, const MeshNode& A, const LineBox& B, float first,
                           float last, LaneIntervals* out) {
  Boxes<Lanes> a;
  Boxes<float> b;
  load(A, &a);
  load(B, &b);
  return boxIntervals(m, a, b, first, last, out);
}

ALLCLEAR_MULTIVERSION
unsigned intervalsOpeningB(const CoarseLine& m, const LineBox& A, const MeshNode& B, float first,
                           float last, LaneIntervals* out) {
  Boxes<float> a;
  Boxes<Lanes> b;
  load(A, &a);
  load(B, &b);
  return boxIntervals(m, a, b, first, last, out);
}

ALLCLEAR_MULTIVERSION
unsigned narrowAlongNormals(const CoarseLine& m, const LeafCorners& children, bool are_of_A,
                            const TriangleCorners& other, float first, float last, unsigned meeting,
                            LaneIntervals* intervals) {
  Corners<Lanes> lanes;
  Corners<float> one;
  load(children, lanes);
  load(other, one);
  return meeting & (are_of_A ? faceIntervals(m, lanes, one, first, last, intervals)
                             : faceIntervals(m, one, lanes, first, last, intervals));
}

}  // namespace allclear::mesh
