#pragma once

// Translations of a body A along a line beside a body B at rest: for which s do parts of them meet?
// Seen from B, a point p of A is at R p + T + s v, s any real number.
//
// Two convex sets are apart at s if and only if some axis separates them. Along an axis x each set
// covers an interval, and A's moves at the constant speed x.v: the sets overlap along x for the s
// of one interval [in, out]. The sets meet at s only if they overlap along every axis, so the
// intersection of these intervals over *any* axes contains all s at which they meet
// (conservative), and over all axes of two triangles it is exact.

#include "allclear/distance/geometry/triangles.h"
#include "allclear/distance/mesh/bvh.h"

namespace allclear::mesh {

/// The line, in double precision.
struct LineMotion {
  double R[9];  ///< rows
  double T[3];  ///< at s = 0
  double v[3];  ///< per s
  /// Sets nearer than this count as meeting [m]. Pre: positive, or an axis without a direction
  /// (parallel edges) would end the meeting at s = 0.
  double offset = 0.0;
};

/// The line in single precision; its room allows for roundings at s in [0, limit].
struct CoarseLine {
  float R[9];
  float T[3];
  float v[3];
  float room;   ///< the offset and all roundings: of a unit axis [m]
  float least;  ///< added for axes too short to have a length in single precision
};
/// For bodies of these reaches.
CoarseLine coarsen(const LineMotion& m, double limit, double reach_A, double reach_B);

/// The box of one volume: its centre, then the three axes.
struct LineBox {
  float box[12];
};
inline LineBox lineBox(const MeshNode& node, int slot) {
  LineBox volume;
  for (int k = 0; k < 12; ++k) volume.box[k] = node.box[k][slot];
  return volume;
}
inline LineBox lineBox(const MeshVolume& of) {
  LineBox volume;
  for (int k = 0; k < 3; ++k) {
    volume.box[k] = static_cast<float>(of.box[k]);
    for (int i = 0; i < 3; ++i) volume.box[3 + 3 * i + k] = static_cast<float>(of.axis[i][k]);
  }
  return volume;
}

/// For each lane the s in [0, limit] outside which the volumes do not meet; none when in > out.
struct LaneIntervals {
  float in[MeshNode::kWidth];
  float out[MeshNode::kWidth];
};

/// The children of a node of A against one volume of B. Bit i: lane i may meet at some s in
/// [first, last], a part of [0, limit].
unsigned intervalsOpeningA(const CoarseLine& m, const MeshNode& A, const LineBox& B, float first,
                           float last, LaneIntervals* out);
/// One volume of A against the children of a node of B.
unsigned intervalsOpeningB(const CoarseLine& m, const LineBox& A, const MeshNode& B, float first,
                           float last, LaneIntervals* out);

/// The triangles of a leaf node's children (of A, or of B) against one triangle of the other side,
/// along the normals of both: narrows the intervals and returns the lanes of `meeting` that still
/// may meet.
unsigned narrowAlongNormals(const CoarseLine& m, const LeafCorners& children, bool are_of_A,
                            const TriangleCorners& other, float first, float last, unsigned meeting,
                            LaneIntervals* intervals);

/// Two triangles. The translations at which they meet form a convex polytope; its facets are square
/// to the axes of the separating axis test. They meet for the s in [in, out] only and, unless they
/// are degenerate, for all of these. Directions point from B to A.
struct TriangleSweep {
  double in = 0.0;       ///< they begin to meet here
  double out = 0.0;      ///< and end here; they never meet when in > out
  double normal_in[3];   ///< unit normal of the facet passed at `in`
  double normal_out[3];  ///< and at `out`
  double gap = 0.0;      ///< at s = 0: the widest room along a facet normal (negative: they meet)
  double normal_gap[3];
  bool thin = false;  ///< one has no area: the polytope has facets that were not examined
};
/// Pre: `A` is turned by R already. The offset moves each facet outward, which is at least as far
/// as the set of translations with a distance below it.
void sweepTriangles(const LineMotion& m, const TriangleCorners& A, const TriangleCorners& B,
                    TriangleSweep* out);

}  // namespace allclear::mesh
