#pragma once

#include <vector>

#include "allclear/config/values/input_files.h"
#include "allclear/core/text/value.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// `shell`, `fill` or `error`: what stands for the open parts of a mesh.
OpenMeshes readOpenMeshes(const Value& word);

/// The words that `type` may be, of objects of a scene.
const std::vector<std::string>& shapeTypes();

/// The keys that describe a shape in Allclear's own form: `type` and, according to it,
/// `dimensions`; `file`, `scale`, `convex` or `vertices`, `triangles` (mesh); `normal`, `offset`
/// (plane); `planes` (keep_in, keep_out).
std::vector<std::string> shapeKeys();

/// The geometry of an object in its own form, in the object's frame. A plane is a half-space: all
/// points x with normal . x <= offset are solid. Several for `keep_in`, one for all other types.
std::vector<Geometry> readShape(const Value& object, InputFiles& files);

/// A shape_msgs/SolidPrimitive; the type is its number or its name.
Shape readSolidPrimitive(const Value& message);

/// A shape_msgs/Mesh, or MotionBenchMaker's `{resource: , dimensions: scale}` or
/// `{vertices: , triangles: [[a, b, c], ..]}`.
Shape readMeshMessage(const Value& message, InputFiles& files);

/// A shape_msgs/Plane, a x + b y + c z + d = 0, as the half-space against its normal.
Geometry readPlaneMessage(const Value& message);

}  // namespace allclear
