#pragma once

#include <vector>

#include "allclear/core/text/value.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// The half-space against the unit normal n through the point offset * n: all x with n . x <=
/// offset are solid.
Geometry halfSpace(const Vec3& n, double offset);

/// `keep_in`: the robot stays inside of the convex polyhedron of `planes`, all x with n . x <= d
/// for each. Everything outside is solid: one half-space for each plane. It may be open to some
/// sides. Fails when it holds no ball.
std::vector<Geometry> readKeepIn(const Value& planes);

/// `keep_out`: the convex polyhedron of `planes` is solid. A single plane is a half-space; more
/// must enclose a bounded solid. Fails when it holds no ball, or has no end.
Geometry readKeepOut(const Value& planes);

}  // namespace allclear
