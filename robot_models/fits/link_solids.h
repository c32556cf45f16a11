#pragma once

#include <memory>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/mesh/distance.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// The collision geometry of a link, made ready for overlap tests.
class LinkSolids {
 public:
  /// Spheres, boxes, cylinders and meshes (all that a URDF can hold), in the link frame.
  explicit LinkSolids(const std::vector<Geometry>& geometry);

  /// Returns true when two parts overlap or touch: solids for primitives, surfaces for meshes. A
  /// part of a mesh inside a primitive overlaps it; what lies wholly inside a mesh does not overlap
  /// the mesh. Exact to rounding (1e-14 of the size; 1e-8 between cylinders, or of a cylinder and
  /// a mesh).
  static bool overlap(const LinkSolids& A, const Pose& X_WA, const LinkSolids& B, const Pose& X_WB);

 private:
  struct Part {
    Geometry geometry;
    Ball ball;  ///< about it, in the link frame
    bool is_mesh = false;
    std::shared_ptr<const MeshBody> body;
  };

  static bool partsOverlap(const Part& a, const Pose& X_WA, const Part& b, const Pose& X_WB);
  static bool surfaceMeetsSolid(const Part& a, const Pose& X_WA, const Part& b, const Pose& X_WB);

  Ball ball_;  ///< about all parts, in the link frame
  std::vector<Part> parts_;
};

}  // namespace allclear
