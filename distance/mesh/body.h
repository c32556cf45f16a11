#pragma once

#include <optional>

#include "allclear/distance/convex/core.h"
#include "allclear/distance/mesh/bvh.h"
#include "allclear/distance/mesh/topology.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// A bounded shape made ready for queries with meshes; immutable, to be shared. In the shape's
/// frame G it consists of all points within `thickness` of either
/// - triangles, whose closed parts have an inside: those of a mesh, the faces of a box or convex
///   mesh, or the axis of a ball or capsule as a triangle without area;
/// - or a convex core (cylinder, cone, ellipsoid).
///
/// Meshes that do not bound a solid are safe: an open part has distances but no inside, a part that
/// crosses itself is solid wherever it winds about, parts that face inward are turned (topology.h),
/// coplanar and single triangles are like any others.
class MeshBody {
 public:
  /// Throws `InputError` for a half-space and for more than 2^27 triangles.
  explicit MeshBody(const Shape& shape);

  /// Bounding volumes and triangles relative to `center()`. Null for a convex core.
  const MeshBvh* bvh() const { return bvh_ ? &*bvh_ : nullptr; }
  const ConvexCore* core() const { return core_ ? &*core_ : nullptr; }
  const Vec3& center() const { return center_; }  ///< in G
  double thickness() const { return thickness_; }
  const MeshVolume& root() const { return root_; }  ///< about all of it but the thickness
  /// Every point is within this of `center()`.
  double reach() const { return root_.length + root_.radius + thickness_; }

  /// Empty for a convex core. Triangle i of the BVH has the number `order()[i]` in the topology.
  const MeshTopology& topology() const { return topology_; }
  const std::vector<std::int32_t>& order() const { return order_; }

  /// At least one part is closed.
  bool hasInside() const { return has_inside_; }
  /// Whether p, relative to `center()`, is within a closed part; on the surface either answer.
  bool contains(const Vec3& p) const;
  /// One point of each part, relative to `center()`.
  const std::vector<Vec3>& representatives() const { return representatives_; }

  /// The convex hull of a mesh; any other shape itself.
  const Shape& hull() const { return *hull_; }
  /// The body is its hull: a convex shape, or a closed mesh without dents (to 1e-9 of its size).
  bool isConvex() const { return is_convex_; }

  std::size_t bytes() const;  ///< of memory

 private:
  void setTriangles(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles);
  void setCore(const Shape& shape);
  void addRepresentatives();
  void setHull(const std::vector<Vec3>& points);
  bool isHull(double hull_volume) const;
  std::optional<int> crossings(const Vec3& p, const Vec3& direction) const;

  std::optional<MeshBvh> bvh_;
  std::optional<ConvexCore> core_;
  std::optional<Shape> hull_;
  MeshTopology topology_;
  std::vector<std::int32_t> order_;
  std::vector<Vec3> representatives_;
  Vec3 center_ = Vec3::Zero();
  MeshVolume root_{};
  double thickness_ = 0.0;
  bool has_inside_ = false;
  bool is_convex_ = false;
};

}  // namespace allclear
