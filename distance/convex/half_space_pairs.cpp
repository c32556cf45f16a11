// A half-space with a bounded shape: only one normal, the plane's, gives a finite room, so the
// lowest point of the shape along it is the answer, apart and overlapping alike.

#include <limits>

#include "allclear/distance/convex/core.h"
#include "allclear/distance/convex/pairs.h"
#include "allclear/distance/support.h"

namespace allclear {

SignedDistance halfSpaceHalfSpace(const PairQuery& query) {
  // Normals that differ from opposite by less than rounding of two rotation matrices leaves.
  constexpr double kOpposite = 1e-12;
  const Vec3 n_A = query.X_WA.R.col(2);
  const Vec3 n_B = query.X_WB.R.col(2);
  SignedDistance out;
  out.normal = n_A;
  out.witness_A = query.X_WA.p;
  out.unique_witness = false;
  if ((n_A + n_B).norm() <= kOpposite) {
    out.distance = n_A.dot(query.X_WB.p - query.X_WA.p);
    out.witness_B = out.witness_A + out.distance * out.normal;
    return out;
  }
  // Planes that are not parallel cross somewhere: no translation separates the half-spaces.
  out.distance = -std::numeric_limits<double>::infinity();
  out.witness_B = query.X_WB.p;
  out.unique_normal = false;
  return out;
}

SignedDistance halfSpaceConvex(const PairQuery& query) {
  constexpr double kOnCrease = 1e-9;  // [rad] a face or edge as level as this touches as a whole
  const ConvexCore core = coreOf(query.B);
  const Vec3 n = query.X_WA.R.col(2);
  const Vec3 down = -(query.X_WB.R.transpose() * n);
  Vec3 lowest = query.X_WB.R * (coreSupport(core, down) + core.offset + core.radius * down);
  if (query.spread != nullptr) lowest -= farthestDisplacement(*query.spread, n);
  SignedDistance out;
  out.normal = n;
  out.distance = n.dot(query.X_WB.p - query.X_WA.p) + n.dot(lowest);
  out.witness_B = query.X_WB.p + lowest;
  out.witness_A = out.witness_B - out.distance * n;
  out.unique_witness = supportSet(core, down, kOnCrease).dimension() == 0;
  return out;
}

}  // namespace allclear
