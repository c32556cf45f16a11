#include "allclear/distance/support.h"

#include <algorithm>
#include <limits>

#include "allclear/distance/convex/core.h"

namespace allclear {

Vec3 support(const Shape& shape, const Vec3& direction_G) {
  // A mesh and its convex hull reach equally far, and a vertex of the hull is one of the mesh.
  if (const TriangleMesh* mesh = std::get_if<TriangleMesh>(&shape)) {
    return *std::max_element(
        mesh->vertices().begin(), mesh->vertices().end(),
        [&](const Vec3& a, const Vec3& b) { return a.dot(direction_G) < b.dot(direction_G); });
  }
  const ConvexCore core = coreOf(shape);
  const Vec3 point = coreSupport(core, direction_G) + core.offset;
  return core.radius > 0.0 ? point + core.radius * direction_G.normalized() : point;
}

double supportValue(const Shape& shape, const Vec3& direction_G) {
  if (std::holds_alternative<HalfSpace>(shape)) {
    // Only exactly along its normal (+z of G) a half-space ends: at its plane, z = 0.
    const bool along_normal =
        direction_G.x() == 0.0 && direction_G.y() == 0.0 && direction_G.z() > 0.0;
    return along_normal ? 0.0 : std::numeric_limits<double>::infinity();
  }
  if (const Ellipsoid* ellipsoid = std::get_if<Ellipsoid>(&shape)) {
    return ellipsoid->radii().cwiseProduct(direction_G).norm();  // no point is needed
  }
  return support(shape, direction_G).dot(direction_G);
}

}  // namespace allclear
