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

/// Adds 64 roundings of all that the numbers of a bound can add up to.
void addRounding(double far, double stretch, double error, double slope, double reach_A,
                 double reach_B, CoarsePoses* out) {
  constexpr double kRounding = 64.0 * 0.5 * std::numeric_limits<float>::epsilon();
  const double most = far + 5.0 * stretch * reach_A + 5.0 * reach_B + error + slope * reach_A;
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
  double far = 0.0, stretch = 0.0;
  for (const Affine& X : {poses.middle, poses.velocity, poses.bend, rest}) {
    far += norm(X.T, 3);
    stretch += norm(X.R, 9);
  }
  out.motion = static_cast<float>(norm(poses.velocity.T, 3) + 0.5 * norm(poses.bend.T, 3) +
                                  norm(rest.T, 3) + poses.error +
                                  (norm(poses.velocity.R, 9) + 0.5 * norm(poses.bend.R, 9) +
                                   norm(rest.R, 9) + poses.error_slope) *
                                      reach_A);
  addRounding(far, stretch, poses.error, poses.error_slope, reach_A, reach_B, &out);
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
  // Without area, or too small for a reciprocal, a corner is as good a point as another.
  const float area = aa * bb - ab * ab;
  if (!(area > std::max(1e-5F * aa * bb, 1e-30F))) return out;
  const float scale = 1.0F / area;
  for (int c = 0; c < 3; ++c) {
    out.dual[0][c] = scale * (bb * edge(0, c) - ab * edge(1, c));
    out.dual[1][c] = scale * (aa * edge(1, c) - ab * edge(0, c));
  }
  return out;
}

ALLCLEAR_MULTIVERSION
double leastAlong(const IntervalPoses& poses, const TriangleCorners& of_A, const double* n) {
  double w[4][4];  // [xyz, then the translation][control]
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
/// How much farther than to just clear the point in the way a direction is turned.
constexpr float kBeyond = 1.5F;

/// The corner of a lane farthest along w.
ALLCLEAR_INLINE Vector<float> extreme(const Children& of, int lane, const Vector<float>& w) {
  const float* x = of.lanes[0] + lane;
  const auto at = [&](int k) ALLCLEAR_INLINE_LAMBDA {
    return Vector<float>{x[3 * k * kWidth], x[(3 * k + 1) * kWidth], x[(3 * k + 2) * kWidth]};
  };
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

/// The lane that holds the least; any where that is not a number.
ALLCLEAR_INLINE int laneOf(const Lanes& x, float least) {
  return std::countr_zero(lanesBelow(Lanes(x - least), 1e-36F) | 128U);
}

/// Where in [-1, 1] the quadratic of these Bernstein coefficients is least, near enough.
ALLCLEAR_INLINE float leastAt(float b0, float b1, float b2) {
  return clamped((b0 - b2) / larger(b0 - 2.0F * b1 + b2, 1e-12F));
}

/// Turns n so that the two points of lanes a and b that are least apart along it would be apart by
/// more than the cutoff; false where that is too far to turn.
template <bool kMoving>
ALLCLEAR_INLINE bool turn(const CoarsePoses& m, const Functionals<float>& f, const Children& A,
                          int a, const Children& B, int b, float wanting, Vector<float>* n,
                          float* s) {
  const Vector<float> back = turnedBack(m.middle.R, *n);
  const Vector<float> p = extreme(A, a, {-back.x, -back.y, -back.z}), r = extreme(B, b, *n);
  const Vector<float> q = placed(m.middle, p);
  Vector<float> d{q.x - r.x, q.y - r.y, q.z - r.z};
  if constexpr (kMoving) {
    *s = leastAt(f.at(0, p), f.at(1, p), f.at(2, p));
    const Vector<float> v = placed(m.velocity, p);
    d = {d.x + *s * v.x, d.y + *s * v.y, d.z + *s * v.z};
  }
  const float ahead = dot(d, *n);
  const Vector<float> t{d.x - ahead * n->x, d.y - ahead * n->y, d.z - ahead * n->z};
  const float side = dot(t, t), by = kBeyond * wanting;
  if (!(by * by < side)) return false;
  const float scale = by / side;
  const Vector<float> next{n->x + scale * t.x, n->y + scale * t.y, n->z + scale * t.z};
  const float unit = 1.0F / std::sqrt(dot(next, next));
  *n = {next.x * unit, next.y * unit, next.z * unit};
  return true;
}

template <bool kMoving>
ALLCLEAR_INLINE void roomOf(const CoarsePoses& m, const Children& A, float farthest,
                            const Children& B, const float* given, float cutoff, Room* out) {
  Vector<float> n = vectorOf(given);
  const float error = m.error + m.error_slope * farthest;
  out->error = error;
  out->s = 0.0F;
  out->room = out->all_least = -kInfinity;
  out->all_most = kInfinity;
  std::fill_n(out->least, kWidth, -kInfinity);
  std::fill_n(out->most, kWidth, kInfinity);
  std::copy_n(given, 3, out->n);
  for (int attempt = 0;; ++attempt) {
    Functionals<float> f;
    take<kMoving>(m, n, &f);
    const Lanes low = withContent(
        A, [&](const auto& of_A) ALLCLEAR_INLINE_LAMBDA { return leastAlong<kMoving>(f, of_A); });
    const Lanes high = withContent(
        B, [&](const auto& of_B) ALLCLEAR_INLINE_LAMBDA { return Lanes(-mostAlong(n, of_B)); });
    // The least of lanes would pass over what is not a number.
    if (lanesBelow(Lanes((low - low) + (high - high)), 0.0F) != 0) return;
    const float least = leastLane(low), most = -leastLane(high);
    const float room = least - most - error;
    if (room > out->room) {
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
    if (attempt == 1 || !(room < cutoff)) return;
    if (!turn<kMoving>(m, f, A, laneOf(low, least), B, laneOf(high, -most), cutoff - room, &n,
                       &out->s)) {
      return;
    }
  }
}

template <bool kMoving, class VA, class VB>
ALLCLEAR_INLINE void ownBounds(const CoarsePoses& m, const VA& A, const VB& B, Lanes lower,
                               const Room& room, float cutoff, LaneBounds* out) {
  Vector<Lanes> n{all<Lanes>(room.n[0]), all<Lanes>(room.n[1]), all<Lanes>(room.n[2])};
  out->open = lanesBelow(lower, cutoff);
  if (out->open != 0) {
    const Vector<Lanes> own = ownDirection(m, A, B);
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
    ownBounds<kMoving>(m, of_A, B, lower, room, cutoff, out);
  });
}
template <bool kMoving, class Whole>
ALLCLEAR_INLINE void openB(const CoarsePoses& m, const Whole& A, const Children& B,
                           const Room& room, float cutoff, LaneBounds* out) {
  const Lanes lower = (room.all_least - room.error) - lanesOf(room.most);
  withVolumes(B, [&](const auto& of_B) ALLCLEAR_INLINE_LAMBDA {
    ownBounds<kMoving>(m, A, of_B, lower, room, cutoff, out);
  });
}

}  // namespace

ALLCLEAR_MULTIVERSION
void roomOfChildren(const CoarsePoses& m, const Children& A, float farthest, const Children& B,
                    const float* n, float cutoff, Room* out) {
  roomOf<true>(m, A, farthest, B, n, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void stillRoomOfChildren(const CoarsePoses& m, const Children& A, float farthest, const Children& B,
                         const float* n, float cutoff, Room* out) {
  roomOf<false>(m, A, farthest, B, n, cutoff, out);
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
