#pragma once

#include <array>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// The surfaces of a body for contact tests: triangles, with a tree of boxes over them. Spheres and
/// cylinders are taken as inscribed polyhedra, slightly too small.
class ContactBody {
 public:
  /// Spheres, boxes, cylinders and meshes, in the body frame.
  explicit ContactBody(const std::vector<Geometry>& geometry);

  /// True when surfaces touch or cross, or a part of one body lies inside a primitive of the
  /// other. A part wholly inside a mesh is not found.
  static bool inContact(const ContactBody& A, const Pose& X_WA, const ContactBody& B,
                        const Pose& X_WB);

 private:
  using Corners = std::array<Vec3, 3>;
  struct BoxNode {
    Vec3 center = Vec3::Zero();
    Vec3 half = Vec3::Zero();
    int right = -1;  ///< the left child follows its parent; -1: a leaf
    int first = 0;   ///< of a leaf: its triangles
    int count = 0;
  };

  void addTriangles(const Geometry& geometry);
  int build(int first, int count);
  bool holdsPart(const ContactBody& other, const Pose& X_this_other) const;
  bool crosses(const ContactBody& other, const Pose& X_this_other) const;
  bool leavesCross(const BoxNode& leaf, const ContactBody& other, const BoxNode& other_leaf,
                   const Pose& X_this_other) const;

  std::vector<Corners> triangles_;
  std::vector<BoxNode> nodes_;
  std::vector<Geometry> primitives_;
  std::vector<Vec3> part_points_;  ///< one point of every geometry
};

}  // namespace allclear
