#pragma once

// Translations of a body A along a line beside a body B at rest: when do parts of them meet? A
// point p of A is at R p + T + s v, seen from B, with s in (-infinity, infinity).

#include "allclear/distance/mesh_bvh.h"
#include "allclear/distance/triangle_pair.h"

namespace allclear::mesh {

struct LineMotion {
  double R[9];          ///< rows
  double T[3];          ///< at s = 0
  double v[3];          ///< per s
  double offset = 0.0;  ///< nearer than this [m] counts as meeting
};

/// Per lane the values of s outside of which the volumes do not meet; empty when in > out.
struct LaneIntervals {
  double in[MeshNode::kWidth];
  double out[MeshNode::kWidth];
};

/// The children of a node of A against one volume of B.
void intervalsOpeningA(const LineMotion& m, const MeshNode& A, const MeshVolume& B,
                       LaneIntervals* out);
/// One volume of A against the children of a node of B.
void intervalsOpeningB(const LineMotion& m, const MeshVolume& A, const MeshNode& B,
                       LaneIntervals* out);

/// Two triangles. The set of translations at which they meet is a convex polytope, here by its
/// facets: the common values of s are in [in, out] and, unless the triangles are degenerate, are
/// all of these. Directions point from B to A.
struct TriangleSweep {
  double in = 0.0;       ///< they meet from here
  double out = 0.0;      ///< to here; never when in > out
  double normal_in[3];   ///< unit normal of the facet passed at `in`
  double normal_out[3];  ///< and at `out`
  double gap = 0.0;      ///< at s = 0: the widest room along a facet normal (negative: they meet)
  double normal_gap[3];
};
/// `A` as placed by R alone. The offset is that of the facets: no less than the distance.
void sweepTriangles(const LineMotion& m, const TriangleCorners& A, const TriangleCorners& B,
                    TriangleSweep* out);

}  // namespace allclear::mesh
