// Where two cores touch once B has moved by -separation * n. Along n, A ends in a support set (a
// corner, an edge or a face) and B begins in one; moved, the two sets lie in one plane. They meet
// if n is the answer, and a pair of nearest points tells how far from meeting they are.

#include "allclear/distance/convex/support_contact.h"

#include "allclear/distance/geometry/segments.h"

namespace allclear {
namespace {

/// Normals within this of the normal of a face (or square to an edge) support the whole face, or
/// edge. Refined normals are this exact; a wider angle would add points that n does not support.
constexpr double kOnCrease = 1e-10;  // [rad]

/// Edges and faces that are parallel to this have no single pair of nearest points in practice.
constexpr double kParallel = 1e-9;  // [rad]

SupportContact between(const Vec3& a, const Vec3& b, const Vec3& n, double separation) {
  return {a, b, (b - a - separation * n).norm()};
}

/// Where the origin of B's core is when B is displaced as far against n as it may be.
Vec3 originOfB(const CorePair& pair, const Vec3& n) {
  return pair.is_displaced ? pair.p + pair.displacement(n) : pair.p;
}

/// Projects back and forth between the sets; they lie in one plane once B is moved by
/// -separation * n.
SupportContact alternate(const CorePair& pair, const SupportSet& A, const SupportSet& B,
                         const Vec3& n, double separation) {
  // Alternating projections onto two convex sets converge to a nearest pair. Sets that meet in more
  // than a point need few; `mismatch` tells when 30 were not enough.
  constexpr int kMostProjections = 30;
  const Vec3 room = separation * n;
  // B's own corners, edges and faces stand where its displacement along n puts them.
  const Vec3 p = originOfB(pair, n);
  Vec3 b = pair.R * B.center + p;
  Vec3 a = nearestInSet(pair.A, A, b - room);
  for (int i = 0; i < kMostProjections; ++i) {
    b = pair.R * nearestInSet(pair.B, B, pair.R.transpose() * (a + room - p)) + p;
    a = nearestInSet(pair.A, A, b - room);
    if ((b - a - room).squaredNorm() <= pair.rounding * pair.rounding) break;
  }
  return between(a, b, n, separation);
}

}  // namespace

SupportContact contactAt(const CorePair& pair, const Vec3& n, double separation) {
  const SupportSet A = supportSet(pair.A, n, kOnCrease);
  const SupportSet B = supportSet(pair.B, pair.towardA(n), kOnCrease);
  const Vec3 p = originOfB(pair, n);
  // Two edges.
  if (A.dimension() == 1 && B.dimension() == 1) {
    const Vec3 center_B = pair.R * B.center + p;
    const Vec3 v = pair.R * B.half_edge;
    const SegmentPoints at =
        nearestOnSegments(A.center - center_B + separation * n, A.half_edge, v);
    return between(A.center + at.s * A.half_edge, center_B + at.t * v, n, separation);
  }
  if (A.dimension() > 0 && B.dimension() > 0) return alternate(pair, A, B, n, separation);
  // A corner of A with anything of B, then anything of A with a corner of B: one projection.
  if (A.dimension() == 0) {
    const Vec3 wanted = pair.R.transpose() * (A.center + separation * n - p);
    const Vec3 b = pair.R * nearestInSet(pair.B, B, wanted) + p;
    return between(A.center, b, n, separation);
  }
  const Vec3 b = pair.R * B.center + p;
  return between(nearestInSet(pair.A, A, b - separation * n), b, n, separation);
}

bool contactIsUnique(const CorePair& pair, const Vec3& n) {
  const SupportSet A = supportSet(pair.A, n, kParallel);
  if (A.dimension() == 0) return true;
  const SupportSet B = supportSet(pair.B, pair.towardA(n), kParallel);
  if (B.dimension() == 0) return true;
  // A face with an edge or a face overlaps it in more than a point, or only by accident not.
  if (A.dimension() + B.dimension() > 2) return false;
  const Vec3 edge_B = pair.R * B.half_edge;
  return A.half_edge.cross(edge_B).norm() > kParallel * A.half_edge.norm() * edge_B.norm();
}

}  // namespace allclear
