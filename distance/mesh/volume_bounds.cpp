// The kernels that volume_bounds.h declares; its opening comment derives every bound.
//
// A kernel is a template over the kind of motion (moving or constant) and of volume (box or
// triangle) behind a plain function that is compiled for several instruction sets. It bounds in two
// steps: `boundRoom` bounds all 8 x 8 pairs of children along one direction, and turns it once when
// that fails; `boundLanes` then bounds the eight children of one side against the other volume as a
// whole, each along its own direction. Both may choose directions as they like: by the lemma of the
// header every unit direction proves a lower bound.

#include "allclear/distance/mesh/volume_bounds.h"

#include <bit>
#include <cmath>

#include "allclear/distance/mesh/volume_bounds_kernels.h"

// The lanes are never passed through a real call.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear::mesh {
namespace {

double norm(const double* x, int count) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

AffineOf<float> single(const Affine& X) {
  AffineOf<float> out;
  for (int i = 0; i < 9; ++i) out.R[i] = static_cast<float>(X.R[i]);
  for (int i = 0; i < 3; ++i) out.T[i] = static_cast<float>(X.T[i]);
  return out;
}

/// Adds 64 roundings of M, the most that the terms of a bound can add up to (see the header).
/// `sum_T` and `sum_R` are |T| and |R| summed over C0 to C3; epsilon / 2 is one rounding.
void addRounding(double sum_T, double sum_R, double error, double slope, double reach_A,
                 double reach_B, CoarsePoses* out) {
  constexpr double kRounding = 64.0 * 0.5 * std::numeric_limits<float>::epsilon();
  const double most = sum_T + 5.0 * sum_R * reach_A + 5.0 * reach_B + error + slope * reach_A;
  out->error = static_cast<float>(error + kRounding * most);
  out->error_slope = static_cast<float>(slope);
}

}  // namespace

CoarsePoses coarsen(const IntervalPoses& poses, double reach_A, double reach_B) {
  Affine rest;
  for (int c = 0; c < 9; ++c) rest.R[c] = poses.controls[c][3];
  for (int c = 0; c < 3; ++c) rest.T[c] = poses.controls[9 + c][3];
  CoarsePoses out;
  out.middle = single(poses.middle);
  out.velocity = single(poses.velocity);
  for (int c = 0; c < 12; ++c) {
    for (int k = 0; k < 4; ++k) out.controls[c][k] = static_cast<float>(poses.controls[c][k]);
  }
  double sum_T = 0.0, sum_R = 0.0;
  for (const Affine& X : {poses.middle, poses.velocity, poses.bend, rest}) {
    sum_T += norm(X.T, 3);
    sum_R += norm(X.R, 9);
  }
  // |C1 s + C2 (s^2 - 1/2) + C3 (s^3 - 3/4 s)| p + E over [-1, 1], p within reach_A.
  out.motion = static_cast<float>(norm(poses.velocity.T, 3) + 0.5 * norm(poses.bend.T, 3) +
                                  norm(rest.T, 3) + poses.error +
                                  (norm(poses.velocity.R, 9) + 0.5 * norm(poses.bend.R, 9) +
                                   norm(rest.R, 9) + poses.error_slope) *
                                      reach_A);
  addRounding(sum_T, sum_R, poses.error, poses.error_slope, reach_A, reach_B, &out);
  return out;
}

CoarsePoses coarsen(const Affine& pose, double error, double reach_A, double reach_B) {
  CoarsePoses out{};
  out.middle = single(pose);
  for (int c = 0; c < 9; ++c) out.controls[c][0] = out.middle.R[c];
  for (int c = 0; c < 3; ++c) out.controls[9 + c][0] = out.middle.T[c];
  addRounding(norm(pose.T, 3), norm(pose.R, 9), error, 0.0, reach_A, reach_B, &out);
  return out;
}

CoarseTriangle coarseTriangle(const TriangleCorners& triangle, const CoarseVolumes<float>& volume) {
  CoarseTriangle out{};
  for (int c = 0; c < 3; ++c) {
    out.center[c] = out.box[c] = volume.center[c];
    for (int v = 0; v < 3; ++v) out.corner[v][c] = static_cast<float>(triangle.p[v][c]);
  }
  const auto edge = [&](int i, int c) { return out.corner[i + 1][c] - out.corner[0][c]; };
  float aa = 0.0F, ab = 0.0F, bb = 0.0F;
  for (int c = 0; c < 3; ++c) {
    aa += edge(0, c) * edge(0, c);
    ab += edge(0, c) * edge(1, c);
    bb += edge(1, c) * edge(1, c);
  }
  // area = aa bb sin^2 of the angle between the edges. A needle's (sin^2 < 1e-5) has lost its
  // digits in single precision, a tiny one's reciprocal overflows: the duals then stay 0, and
  // `nearestIn` gives corner 0. Points only steer directions, so any point of the triangle will do.
  constexpr float kNeedle = 1e-5F, kTiny = 1e-30F;
  const float area = aa * bb - ab * ab;
  if (!(area > std::max(kNeedle * aa * bb, kTiny))) return out;
  const float scale = 1.0F / area;
  for (int c = 0; c < 3; ++c) {
    out.dual[0][c] = scale * (bb * edge(0, c) - ab * edge(1, c));
    out.dual[1][c] = scale * (aa * edge(1, c) - ab * edge(0, c));
  }
  return out;
}

ALLCLEAR_MULTIVERSION
double leastAlong(const IntervalPoses& poses, const TriangleCorners& of_A, const double* n) {
  // w[.][k]: n.X p = w.p + shift for control X number k; then the least quadratic of the corners.
  double w[4][4];  // [xyz, then the shift][control]
  for (int k = 0; k < 4; ++k) {
    for (int c = 0; c < 3; ++c) {
      w[c][k] = n[0] * poses.controls[c][k] + n[1] * poses.controls[3 + c][k] +
                n[2] * poses.controls[6 + c][k];
    }
    w[3][k] =
        n[0] * poses.controls[9][k] + n[1] * poses.controls[10][k] + n[2] * poses.controls[11][k];
  }
  double least = std::numeric_limits<double>::infinity();
  for (const auto& p : of_A.p) {
    double at[4];
    for (int k = 0; k < 4; ++k) at[k] = w[3][k] + w[0][k] * p[0] + w[1][k] * p[1] + w[2][k] * p[2];
    least = std::min(least, leastOfQuadratic(at[0], at[1], at[2]) - std::abs(at[3]));
  }
  return least;
}

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
/// A direction is turned by half as much again as what just clears the two points in the way: they
/// are seldom the only ones.
constexpr float kOvershoot = 1.5F;

/// The corner of one lane's triangle or box that is farthest along w.
ALLCLEAR_INLINE Vector<float> farthestCorner(const Children& of, int lane, const Vector<float>& w) {
  const float* x = of.lanes[0] + lane;
  const auto at = [&](int k) ALLCLEAR_INLINE_LAMBDA {
    return Vector<float>{x[3 * k * kWidth], x[(3 * k + 1) * kWidth], x[(3 * k + 2) * kWidth]};
  };
  // Rows 0 to 2 hold a triangle's first corner, or a box's centre.
  Vector<float> p = at(0);
  if (of.are_triangles) {
    const float along[3] = {dot(w, p), dot(w, at(1)), dot(w, at(2))};
    int best = along[1] > along[0] ? 1 : 0;
    if (along[2] > along[best]) best = 2;
    return at(best);
  }
  for (int i = 1; i < 4; ++i) {
    const Vector<float> axis = at(i);
    const float sign = std::copysign(1.0F, dot(w, axis));
    p = {p.x + sign * axis.x, p.y + sign * axis.y, p.z + sign * axis.z};
  }
  return p;
}

/// The lane that holds the least number; any lane when it is NaN. Coordinates of
/// a mesh differ by far more than kZero unless they are equal.
ALLCLEAR_INLINE int laneOf(const Lanes& x, float least) {
  constexpr float kZero = 1e-36F;
  return std::countr_zero(lanesBelow(Lanes(x - least), kZero) | 128U);
}

/// Where in [-1, 1] the quadratic of these Bernstein coefficients is least: exact for convex ones.
/// A concave or straight one is least at an end: dividing by a tiny number gives that end.
ALLCLEAR_INLINE float leastAt(float b0, float b1, float b2) {
  constexpr float kStraight = 1e-12F;
  return clamped((b0 - b2) / larger(b0 - 2.0F * b1 + b2, kStraight));
}

/// Turns n so that the two points in its way, p of lane a and r of lane b, would be apart along it
/// by more than the cutoff; false when the turn would be more than 45 degrees.
///
/// With d = p - r and its part `beside` square to n, the direction n + x beside has
///   (n + x beside).d = n.d + x |beside|^2 :
/// x is chosen so that this grows by `needed`. It is the step of a perceptron.
template <bool kMoving>
ALLCLEAR_INLINE bool turnAway(const CoarsePoses& m, const Functionals<float>& f, const Children& A,
                              int a, const Children& B, int b, float missing, Vector<float>* n,
                              float* s) {
  const Vector<float> back = turnedBack(m.middle.R, *n);
  const Vector<float> p = farthestCorner(A, a, {-back.x, -back.y, -back.z}),
                      r = farthestCorner(B, b, *n);
  const Vector<float> q = placed(m.middle, p);
  Vector<float> d{q.x - r.x, q.y - r.y, q.z - r.z};
  if constexpr (kMoving) {
    // d at the time when p is farthest back along n.
    *s = leastAt(f.at(0, p), f.at(1, p), f.at(2, p));
    const Vector<float> v = placed(m.velocity, p);
    d = {d.x + *s * v.x, d.y + *s * v.y, d.z + *s * v.z};
  }
  const float along = dot(d, *n);
  const Vector<float> beside{d.x - along * n->x, d.y - along * n->y, d.z - along * n->z};
  const float squared = dot(beside, beside), needed = kOvershoot * missing;
  if (!(needed * needed < squared)) return false;
  const float scale = needed / squared;
  const Vector<float> next{n->x + scale * beside.x, n->y + scale * beside.y,
                           n->z + scale * beside.z};
  const float unit = 1.0F / std::sqrt(dot(next, next));
  *n = {next.x * unit, next.y * unit, next.z * unit};
  return true;
}

/// Keeps the rooms of one direction.
ALLCLEAR_INLINE void keepRoom(float room, const Lanes& low, float least, const Lanes& high,
                              float most, const Vector<float>& n, Room* out) {
  out->room = room;
  out->all_least = least;
  out->all_most = most;
  const Lanes upper = -high;
  std::memcpy(out->least, &low, sizeof low);
  std::memcpy(out->most, &upper, sizeof upper);
  out->n[0] = n.x;
  out->n[1] = n.y;
  out->n[2] = n.z;
}

/// The room of all pairs of children along the given direction and, when it is below the cutoff,
/// along the direction turned away; keeps the larger room.
template <bool kMoving>
ALLCLEAR_INLINE void boundRoom(const CoarsePoses& m, const Children& A, float reach,
                               const Children& B, const float* given, float cutoff, Room* out) {
  Vector<float> n = vectorOf(given);
  const float error = m.error + m.error_slope * reach;
  // Until a direction proves something: the bounds that hold for anything.
  out->error = error;
  out->s = 0.0F;
  out->room = out->all_least = -kInfinity;
  out->all_most = kInfinity;
  std::fill_n(out->least, kWidth, -kInfinity);
  std::fill_n(out->most, kWidth, kInfinity);
  std::copy_n(given, 3, out->n);
  for (int attempt = 0;; ++attempt) {
    Functionals<float> f;
    project<kMoving>(m, n, &f);
    const Lanes low = withContent(
        A, [&](const auto& of_A) ALLCLEAR_INLINE_LAMBDA { return leastAlong<kMoving>(f, of_A); });
    const Lanes high = withContent(
        B, [&](const auto& of_B) ALLCLEAR_INLINE_LAMBDA { return Lanes(-mostAlong(n, of_B)); });
    // x - x is NaN for NaN and for infinity. A least over lanes would skip a NaN lane, so that the
    // room would not hold for it: prove nothing then.
    if (lanesBelow(Lanes((low - low) + (high - high)), 0.0F) != 0) return;
    const float least = leastLane(low), most = -leastLane(high);
    const float room = least - most - error;
    if (room > out->room) {
      keepRoom(room, low, least, high, most, n, out);
    }
    if (attempt == 1 || !(room < cutoff)) return;
    if (!turnAway<kMoving>(m, f, A, laneOf(low, least), B, laneOf(high, -most), cutoff - room, &n,
                           &out->s)) {
      return;
    }
  }
}

/// Bounds eight lanes, each along a direction of its own; `lower` is what the common direction of
/// `room` proves of them. Of the two bounds the larger one counts.
template <bool kMoving, class VA, class VB>
ALLCLEAR_INLINE void boundLanes(const CoarsePoses& m, const VA& A, const VB& B, Lanes lower,
                                const Room& room, float cutoff, LaneBounds* out) {
  Vector<Lanes> n{all<Lanes>(room.n[0]), all<Lanes>(room.n[1]), all<Lanes>(room.n[2])};
  out->open = lanesBelow(lower, cutoff);
  // Lanes that the common direction pruned are computed along, and can only gain.
  if (out->open != 0) {
    const Vector<Lanes> own = directionBetween(m, A, B);
    const Lanes along = roomAlong<kMoving>(m, A, B, own, room.error);
    n = {along > lower ? own.x : n.x, along > lower ? own.y : n.y, along > lower ? own.z : n.z};
    lower = larger(lower, along);
    out->open = lanesBelow(lower, cutoff);
    const Lanes centers = centerDistance<kMoving>(m, A, B);
    std::memcpy(out->estimate, &centers, sizeof centers);
  }
  out->pruned = leastLane(Lanes(lower >= cutoff ? lower : all<Lanes>(kInfinity)));
  std::memcpy(out->lower, &lower, sizeof lower);
  std::memcpy(out->n[0], &n.x, sizeof lower);
  std::memcpy(out->n[1], &n.y, sizeof lower);
  std::memcpy(out->n[2], &n.z, sizeof lower);
}

template <bool kMoving, class Whole>
ALLCLEAR_INLINE void openA(const CoarsePoses& m, const Children& A, const Whole& B,
                           const Room& room, float cutoff, LaneBounds* out) {
  const Lanes lower = lanesOf(room.least) - (room.all_most + room.error);
  withVolumes(A, [&](const auto& of_A) ALLCLEAR_INLINE_LAMBDA {
    boundLanes<kMoving>(m, of_A, B, lower, room, cutoff, out);
  });
}
template <bool kMoving, class Whole>
ALLCLEAR_INLINE void openB(const CoarsePoses& m, const Whole& A, const Children& B,
                           const Room& room, float cutoff, LaneBounds* out) {
  const Lanes lower = (room.all_least - room.error) - lanesOf(room.most);
  withVolumes(B, [&](const auto& of_B) ALLCLEAR_INLINE_LAMBDA {
    boundLanes<kMoving>(m, A, of_B, lower, room, cutoff, out);
  });
}

}  // namespace

ALLCLEAR_MULTIVERSION
void roomOfChildren(const CoarsePoses& m, const Children& A, float reach, const Children& B,
                    const float* n, float cutoff, Room* out) {
  boundRoom<true>(m, A, reach, B, n, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void stillRoomOfChildren(const CoarsePoses& m, const Children& A, float reach, const Children& B,
                         const float* n, float cutoff, Room* out) {
  boundRoom<false>(m, A, reach, B, n, cutoff, out);
}

ALLCLEAR_MULTIVERSION
void boundsOpeningA(const CoarsePoses& m, const Children& A, const CoarseVolumes<float>& B,
                    const Room& room, float cutoff, LaneBounds* out) {
  openA<true>(m, A, B, room, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void boundsOpeningB(const CoarsePoses& m, const CoarseVolumes<float>& A, const Children& B,
                    const Room& room, float cutoff, LaneBounds* out) {
  openB<true>(m, A, B, room, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void boundsOpeningA(const CoarsePoses& m, const Children& A, const CoarseTriangle& B,
                    const Room& room, float cutoff, LaneBounds* out) {
  openA<true>(m, A, B, room, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void boundsOpeningB(const CoarsePoses& m, const CoarseTriangle& A, const Children& B,
                    const Room& room, float cutoff, LaneBounds* out) {
  openB<true>(m, A, B, room, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void stillBoundsOpeningA(const CoarsePoses& m, const Children& A, const CoarseVolumes<float>& B,
                         const Room& room, float cutoff, LaneBounds* out) {
  openA<false>(m, A, B, room, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void stillBoundsOpeningB(const CoarsePoses& m, const CoarseVolumes<float>& A, const Children& B,
                         const Room& room, float cutoff, LaneBounds* out) {
  openB<false>(m, A, B, room, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void stillBoundsOpeningA(const CoarsePoses& m, const Children& A, const CoarseTriangle& B,
                         const Room& room, float cutoff, LaneBounds* out) {
  openA<false>(m, A, B, room, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void stillBoundsOpeningB(const CoarsePoses& m, const CoarseTriangle& A, const Children& B,
                         const Room& room, float cutoff, LaneBounds* out) {
  openB<false>(m, A, B, room, cutoff, out);
}

}  // namespace allclear::mesh
