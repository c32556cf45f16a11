#pragma once

// Translations of a body A along a line beside a body B at rest: when do parts of them meet? A
// point p of A is at R p + T + s v, seen from B, with s in (-infinity, infinity).

#include "allclear/distance/geometry/triangles.h"
#include "allclear/distance/mesh/bvh.h"

namespace allclear::mesh {

struct LineMotion {
  double R[9];          ///< rows
  double T[3];          ///< at s = 0
  double v[3];          ///< per s
  double offset = 0.0;  ///< nearer than this [m] counts as meeting
};

/// In single precision, with room for its roundings at s in [0, most].
struct CoarseLine {
  float R[9];
  float T[3];
  float v[3];
  float room;   ///< the offset, and roundings
  float least;  ///< what directions that vanish are granted
};
/// For bodies of these reaches.
CoarseLine coarsen(const LineMotion& m, double most, double reach_A, double reach_B);

/// The box of one volume: its centre, then the three axes.
struct DepthVolume {
  float box[12];
};
inline DepthVolume depthVolume(const MeshNode& node, int slot) {
  DepthVolume volume;
  for (int k = 0; k < 12; ++k) volume.box[k] = node.box[k][slot];
  return volume;
}
inline DepthVolume depthVolume(const MeshVolume& of) {
  DepthVolume volume;
  for (int k = 0; k < 3; ++k) {
    volume.box[k] = static_cast<float>(of.box[k]);
    for (int i = 0; i < 3; ++i) volume.box[3 + 3 * i + k] = static_cast<float>(of.axis[i][k]);
  }
  return volume;
}

/// Per lane the values of s in [0, most] outside of which the volumes do not meet; none when
/// in > out.
struct LaneIntervals {
  float in[MeshNode::kWidth];
  float out[MeshNode::kWidth];
};

/// The children of a node of A against one volume of B. A bit is set for each lane that may meet
/// at some s in [first, last], of those in [0, most].
unsigned intervalsOpeningA(const CoarseLine& m, const MeshNode& A, const DepthVolume& B,
                           float first, float last, LaneIntervals* out);
/// One volume of A against the children of a node of B.
unsigned intervalsOpeningB(const CoarseLine& m, const DepthVolume& A, const MeshNode& B,
                           float first, float last, LaneIntervals* out);

/// The same for the triangles of a leaf node's children (of A, or of B) against one triangle of the
/// other side, along the normals of both: narrows the intervals, and returns the lanes of `meeting`
/// that still may meet.
unsigned facesMeeting(const CoarseLine& m, const LeafCorners& children, bool are_of_A,
                      const TriangleCorners& other, float first, float last, unsigned meeting,
                      LaneIntervals* intervals);

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
  bool thin = false;  ///< one of them has no area: then there are more facets than were looked at
};
/// `A` as placed by R alone. The offset is that of the facets: no less than the distance.
void sweepTriangles(const LineMotion& m, const TriangleCorners& A, const TriangleCorners& B,
                    TriangleSweep* out);

}  // namespace allclear::mesh
