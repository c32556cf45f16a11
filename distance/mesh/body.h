#pragma once

#include <memory>
#include <optional>

#include "allclear/distance/convex/core.h"
#include "allclear/distance/mesh/bvh.h"
#include "allclear/distance/mesh/topology.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// A bounded shape made ready for queries with meshes; immutable, to be shared. In the shape's
/// frame G it is all points within `thickness` of one of
/// - triangles (meshes; boxes and convex meshes as their faces; a capsule's or a ball's axis as a
///   triangle without area), of which closed parts have an inside,
/// - a convex core (cylinder, cone, ellipsoid).
///
/// Meshes that are not the boundary of a solid are safe: an open part has distances but no inside,
/// a part that crosses itself counts as solid wherever it winds about, parts that face inward are
/// turned (mesh_topology.h), coplanar triangles and single ones are like any others.
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

  /// Empty for a convex core. Triangle i of the BVH is number `order()[i]` here.
  const MeshTopology& topology() const { return topology_; }
  const std::vector<std::int32_t>& order() const { return order_; }

  /// Some part is closed.
  bool hasInside() const { return has_inside_; }
  /// Whether p, relative to `center()`, is within a closed part. On the surface either answer.
  bool contains(const Vec3& p) const;
  /// One point of each part, relative to `center()`.
  const std::vector<Vec3>& representatives() const { return representatives_; }

  /// Of a mesh the convex hull, all that a plane sees of it; of other shapes the shape.
  const Shape& hull() const { return *hull_; }
  /// The body is its hull: a convex shape, or a closed mesh without dents (to 1e-9 of its size).
  bool isConvex() const { return is_convex_; }

  std::size_t bytes() const;  ///< of memory

 private:
  void takeTriangles(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles);
  void takeCore(const Shape& shape);
  void takeHull(const std::vector<Vec3>& points);
  bool isHull(double hull_volume) const;
  int crossings(const Vec3& p, const Vec3& direction, bool* doubtful) const;

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

/// The body of a shape: of a mesh its own, shared; of others a new one.
std::shared_ptr<const MeshBody> meshBody(const Shape& shape);

}  // namespace allclear
