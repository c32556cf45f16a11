#pragma once

// Lower bounds of the distance between bounding volumes of A and B during an interval of time. B is
// at rest (everything is seen from B); the pose of A is constant, or a quadratic polynomial with a
// cubic remainder (minimum/mesh/motion.h).
//
// Motion. A point p of A is, at s in [-1, 1], within E0 + E1 |p| of
//   (C0 + C1 s + C2 s^2 + C3 (s^3 - 3/4 s)) p,
// each C an affine map. |s^3 - 3/4 s| <= 1/4 on [-1, 1] (a Chebyshev polynomial over 4).
//
// Lemma (why every number here is a lower bound). For a unit vector n and any sets A and B,
//   distance >= room(n) = min_{a in A} n.a - max_{b in B} n.b :
// the slab between the two planes square to n is empty. A volume holds its triangles
// (volume_fit.h), so its room is no more than theirs. A shorter n only makes a positive room
// smaller. Over the interval the room is at least
//   min_s min_{p in A} n.(C0 + C1 s + C2 s^2) p - max_{p in A} |n.C3 p| / 4 - max_{b in B} n.b
//     - E0 - E1 max_{p in A} |p|.
//
// The first term. p -> n.(R p + T) is linear in the pose, and C0 + C1 s + C2 s^2 is a convex
// combination of the controls B0 = C0 - C1 + C2, B1 = C0 - C2, B2 = C0 + C1 + C2 (Bernstein form).
// - Of one point it is a quadratic in s: its least value is exact (`leastOfQuadratic`). The least
// of
//   a triangle is that of one of its corners.
// - A box c + sum x_i g_i has the quadratic of its centre c, less the most that sum |n.R g_i| is at
// a
//   control (it is convex in s); or the least value over the controls of both together. The first
//   loses more where the box turns, the second where the distance turns in time: the larger counts.
//
// Two ways to bound a pair of volumes:
// - by what is in them, the boxes or triangles of all children, along one direction and, when that
//   fails, along a second one, turned away from the two points that were in the way. Together the
//   children fit a curved surface much closer than the box about them;
// - one volume against the children of the other, each along a direction of its own.
//
// Rounding. Everything is computed in single precision, eight lanes to a register. The terms of a
// bound add up to less than
//   M = |T| + 5 |R| reach_A + 5 reach_B + E0 + E1 reach_A,
// |T| and |R| those of C0 to C3 summed: a box is of the triangles' own size, its centre within
// sqrt 3 reach and its half axes together within 3 reach. The longest chain of roundings is 31 on
// A's side (20 for a coefficient of the quadratic, 11 for its least value), 16 on B's and 8 at the
// end, of which 4 because n is a unit vector to 4 roundings only: 55 in all. `coarsen` adds 64
// roundings of M to the error.

#include <cstdint>
#include <limits>

#include "allclear/core/simd.h"
#include "allclear/distance/mesh/bvh.h"

namespace allclear::mesh {

using namespace simd;  // lanes

static_assert(kWidth == MeshNode::kWidth);

/// p -> R p + T, rows of R.
template <class Real>
struct AffineOf {
  Real R[9];
  Real T[3];
};
using Affine = AffineOf<double>;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // never passed through a real call
template <class L>
ALLCLEAR_INLINE Vector<L> placed(const AffineOf<float>& X, const Vector<L>& p) {
  const Vector<L> q = turned(X.R, p);
  return {q.x + X.T[0], q.y + X.T[1], q.z + X.T[2]};
}
#pragma GCC diagnostic pop

/// The motion in the form that the kernels read; its error allows for their roundings.
struct CoarsePoses {
  AffineOf<float> middle;    ///< C0 + C2 / 2
  AffineOf<float> velocity;  ///< C1
  /// B0, B1, B2 and C3 / 4 side by side: rows of the 3x3 parts, then the translations. A constant
  /// pose has B0 alone.
  float controls[12][4];
  float error = 0.0F;        ///< E0 and all roundings [m]
  float error_slope = 0.0F;  ///< E1
  float motion = 0.0F;       ///< how far a point of A may get from the middle [m]
};

/// The motion during one interval, in double precision.
struct IntervalPoses {
  Affine middle;             ///< C0 + C2 / 2
  Affine velocity;           ///< C1
  Affine bend;               ///< C2
  double controls[12][4];    ///< as above
  double error = 0.0;        ///< E0, rounding included
  double error_slope = 0.0;  ///< E1
};

/// For bodies of these reaches, thicknesses included.
CoarsePoses coarsen(const IntervalPoses& poses, double reach_A, double reach_B);
CoarsePoses coarsen(const Affine& pose, double error, double reach_A, double reach_B);

/// One volume (L = float), or those of a node's eight children (L = Lanes).
template <class L>
struct CoarseVolumes {
  using Lane = L;
  L center[3];  ///< of the ball
  L box[3];
  L axis[3][3];  ///< [which][xyz]
};

inline CoarseVolumes<float> coarseVolume(const MeshVolume& volume) {
  CoarseVolumes<float> out;
  for (int k = 0; k < 3; ++k) {
    out.center[k] = static_cast<float>(volume.center[k]);
    out.box[k] = static_cast<float>(volume.box[k]);
    for (int i = 0; i < 3; ++i) out.axis[i][k] = static_cast<float>(volume.axis[i][k]);
  }
  return out;
}
inline CoarseVolumes<float> coarseVolume(const MeshNode& node, int slot) {
  CoarseVolumes<float> out;
  for (int k = 0; k < 3; ++k) {
    out.center[k] = node.ball[k][slot];
    out.box[k] = node.box[k][slot];
    for (int i = 0; i < 3; ++i) out.axis[i][k] = node.box[3 + 3 * i + k][slot];
  }
  return out;
}

/// A leaf as its triangle: a box about it would be twice as large.
struct CoarseTriangle {
  using Lane = float;
  float center[3];  ///< of its ball
  float box[3];     ///< the same point, under the name that a box has for its centre
  float corner[3][3];
  /// (p - corner 0).dual[i] is the coordinate of p along edge i from corner 0; 0 for a triangle
  /// without area.
  float dual[2][3];
};
CoarseTriangle coarseTriangle(const TriangleCorners& triangle, const CoarseVolumes<float>& volume);

/// What is in a volume: a node's eight children, as boxes, or as triangles when all are leaves.
struct Children {
  const float (*lanes)[kWidth];  ///< MeshNode::box or LeafCorners::corner
  bool are_triangles;
  const MeshNode* node;  ///< null for a leaf, which is then in every lane
};

/// The room between the children of two volumes along one direction.
struct Room {
  float room;                 ///< lower bound of the distance during the interval
  float n[3];                 ///< unit, B to A
  float least[kWidth];        ///< least n.p over each child of A during the interval
  float most[kWidth];         ///< largest n.p over each child of B
  float all_least, all_most;  ///< over all children
  float error;                ///< room = all_least - all_most - error
  float s;                    ///< where in [-1, 1] the room is least, roughly
};

/// Bounds of the children of one side against one volume of the other side.
struct LaneBounds {
  float lower[kWidth];
  float n[3][kWidth];  ///< direction of each bound, unit, B to A
  /// Squared distance of the balls' centres when nearest; set for open lanes only.
  float estimate[kWidth];
  unsigned open;  ///< bit i: lane i is below the cutoff, or NaN
  float pruned;   ///< least bound of the other lanes, or +infinity
};

// The kernels, for a motion and (`still`) for a constant pose: one or two calls per pair of
// volumes.

/// The room along `n` or, when it is below the cutoff, along a direction turned away from the two
/// points that are in the way: the larger of the two. `reach` bounds |p| over A's volume.
void roomOfChildren(const CoarsePoses& m, const Children& A, float reach, const Children& B,
                    const float* n, float cutoff, Room* out);
void stillRoomOfChildren(const CoarsePoses& m, const Children& A, float reach, const Children& B,
                         const float* n, float cutoff, Room* out);

/// The children of a node of A against one volume of B; no bound is below that of `room`.
void boundsOpeningA(const CoarsePoses& m, const Children& A, const CoarseVolumes<float>& B,
                    const Room& room, float cutoff, LaneBounds* out);
void boundsOpeningA(const CoarsePoses& m, const Children& A, const CoarseTriangle& B,
                    const Room& room, float cutoff, LaneBounds* out);
void stillBoundsOpeningA(const CoarsePoses& m, const Children& A, const CoarseVolumes<float>& B,
                         const Room& room, float cutoff, LaneBounds* out);
void stillBoundsOpeningA(const CoarsePoses& m, const Children& A, const CoarseTriangle& B,
                         const Room& room, float cutoff, LaneBounds* out);
/// One volume of A against the children of a node of B.
void boundsOpeningB(const CoarsePoses& m, const CoarseVolumes<float>& A, const Children& B,
                    const Room& room, float cutoff, LaneBounds* out);
void boundsOpeningB(const CoarsePoses& m, const CoarseTriangle& A, const Children& B,
                    const Room& room, float cutoff, LaneBounds* out);
void stillBoundsOpeningB(const CoarsePoses& m, const CoarseVolumes<float>& A, const Children& B,
                         const Room& room, float cutoff, LaneBounds* out);
void stillBoundsOpeningB(const CoarsePoses& m, const CoarseTriangle& A, const Children& B,
                         const Room& room, float cutoff, LaneBounds* out);

/// The least n.p over a triangle of A during the interval, the error not subtracted; in double
/// precision.
double leastAlong(const IntervalPoses& poses, const TriangleCorners& of_A, const double* n);

}  // namespace allclear::mesh
