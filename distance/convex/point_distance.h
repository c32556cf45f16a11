#pragma once

#include "allclear/core/types.h"

namespace allclear {

/// Signed distance of a point to a solid in the solid's frame, negative inside.
struct PointDistance {
  double distance;
  Vec3 gradient;       ///< unit, outward; point - distance * gradient is the nearest surface point
  bool unique = true;  ///< false on the solid's medial axis
};

PointDistance pointToSegment(const Vec3& point, double half_length);
PointDistance pointToBox(const Vec3& point, const Vec3& half_size);
PointDistance pointToCylinder(const Vec3& point, double radius, double half_length);
/// Base at -half_length, apex at +half_length.
PointDistance pointToCone(const Vec3& point, double radius, double half_length);
PointDistance pointToEllipsoid(const Vec3& point, const Vec3& radii);

}  // namespace allclear
