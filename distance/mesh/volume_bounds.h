#pragma once

// Lower bounds of the distance of bounding volumes A and B during an interval of time; B stands
// still, the pose of A is a quadratic polynomial plus a remainder (mcd_mesh_motion.h), or constant.
//
//   position of p = (C0 + C1 s + C2 s^2 + C3 (s^3 - 3/4 s)) p, s in [-1, 1], within E0 + E1 |p| of
//   the true one; |s^3 - 3/4 s| <= 1/4.
//
// For a unit n, p -> n.(R p + T) is linear in the pose, and C0 + C1 s + C2 s^2 is a convex
// combination of B0 = C0 - C1 + C2, B1 = C0 - C2, B2 = C0 + C1 + C2 (Bernstein): the room along n
// is
//   min_s min_{p in A} n.(C0 + C1 s + C2 s^2) p - max_{p in A} |n.C3 p| / 4 - max_{b in B} n.b
//     - E(largest |p|).
// The first term is that of one point exactly (a quadratic), so that a triangle's is the least of
// its corners'. A box has its centre's, less the most that its half axes reach along n at a control
// (convex in s); or the least over the controls of both together, which loses more where the
// distance turns in time and less where the box turns. Two volumes are taken
// - as what is in them, the boxes or triangles of all children, along one direction (and a second
//   one, turned away from what was in the way along the first): hulls fit much closer than boxes;
// - one of them child by child, each along a direction of its own.
//
// All is done in single precision, eight lanes to a register. The terms of a bound add up to less
// than
//   M = |T| + 5 |R| reach_A + 5 reach_B + E0 + E1 reach_A, |T| and |R| those of C0 to C3 summed
// (a box is of the triangles' own size: its centre within sqrt 3 reach, its half axes together
// within 3), and the longest chain of roundings on the way is 31 on A's side (20 to a coefficient
// of the quadratic, of which the least takes a mean of theirs and 11 roundings), 16 on B's and 8 at
// the end, directions that are unit to 4 roundings included. `coarsen` adds 64 to the error.

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

/// As the kernels take it, with room for their roundings in the error.
struct CoarsePoses {
  AffineOf<float> middle;    ///< C0 + C2 / 2
  AffineOf<float> velocity;  ///< C1
  /// B0, B1, B2 and C3 / 4 side by side: rows of the 3x3 parts, then the translations. Of a pose
  /// that stays the first alone.
  float controls[12][4];
  float error = 0.0F;
  float error_slope = 0.0F;
  float motion = 0.0F;  ///< how far a point of A may get from the middle [m]
};

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

/// Volumes of one side: one, or those of a node's children.
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

/// A leaf, of which the box would hold twice as much.
struct CoarseTriangle {
  using Lane = float;
  float center[3];  ///< of its ball
  float box[3];     ///< a point within
  float corner[3][3];
  float dual[2][3];  ///< (p - corner 0).dual: the coordinates along the edges from it
};
CoarseTriangle coarseTriangle(const TriangleCorners& triangle, const CoarseVolumes<float>& volume);

/// What is in a volume: the boxes of a node's children, or the triangles that they are.
struct Children {
  const float (*lanes)[kWidth];  ///< MeshNode::box or LeafCorners::corner
  bool are_triangles;
  const MeshNode* node;  ///< null for a leaf: itself is in every lane
};

/// What is left along n between the children of two volumes.
struct Room {
  float room;           ///< lower bound of the distance during the interval
  float n[3];           ///< unit, B to A
  float least[kWidth];  ///< of n.p over each child of A as it moves
  float most[kWidth];   ///< over each child of B
  float all_least, all_most;
  float error;  ///< room = all_least - all_most - error
  float s;      ///< about where in [-1, 1] it is least
};

/// Bounds of the children of one side against one volume of the other, and the direction, B to A,
/// of each.
struct LaneBounds {
  float lower[kWidth];
  float n[3][kWidth];
  /// Of the open lanes: squared, the distance of their balls' centres when nearest.
  float estimate[kWidth];
  unsigned open;  ///< bit i: lane i is below the cutoff, or not a number
  float pruned;   ///< least of the others, or +infinity
};

// The kernels, of a motion and (`still`) of a pose that stays: one or two calls per pair of
// volumes.

/// Along `n` and, when the room there is below the cutoff, along a direction turned away from what
/// is in the way. `farthest` bounds |p| over A's volume.
void roomOfChildren(const CoarsePoses& m, const Children& A, float farthest, const Children& B,
                    const float* n, float cutoff, Room* out);
void stillRoomOfChildren(const CoarsePoses& m, const Children& A, float farthest, const Children& B,
                         const float* n, float cutoff, Room* out);

/// The children of a node of A against one volume of B: at least what `room` says of them.
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

/// The least of n.p over a triangle of A as it moves, without the error; in double precision.
double leastAlong(const IntervalPoses& poses, const TriangleCorners& of_A, const double* n);

}  // namespace allclear::mesh
