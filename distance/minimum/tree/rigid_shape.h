#pragma once

#include <memory>

#include "allclear/core/pose.h"
#include "allclear/distance/convex/core.h"
#include "allclear/distance/mesh/body.h"
#include "allclear/distance/shape.h"

namespace allclear::tree {

/// A part of the rigid shape, in its frame G: a convex core (the whole of a convex shape), a box of
/// the tree of a triangle mesh, or a triangle of it; grown by `radius`.
struct RigidPart {
  enum class Kind : unsigned char { kCore, kVolume, kTriangle };
  Kind kind = Kind::kCore;
  std::int32_t node = -1;        ///< kVolume: the node within it, or ~triangle
  Vec3 center = Vec3::Zero();    ///< of a box about the part
  Mat3 half = Mat3::Identity();  ///< columns: half edges of the box
  double radius = 0.0;           ///< by which core or triangle is grown; in the box already
  double reach = 0.0;            ///< every point is within this of `center`
  TriangleCorners corners = {};  ///< kTriangle
};

/// The rigid shape of a query, and its parts.
class RigidShape {
 public:
  /// Throws `InputError` for a half-space. Borrows the shape.
  explicit RigidShape(const Shape& shape);

  const RigidPart& root() const { return root_; }
  bool isSplit(const RigidPart& part) const { return part.kind == RigidPart::Kind::kVolume; }
  /// Calls visit(child). Pre: `isSplit(part)`.
  template <class Visit>
  void forChildren(const RigidPart& part, const Visit& visit) const {
    const MeshBvh& bvh = *body_->bvh();
    if (part.node < 0) return visit(triangle(~part.node));
    for (int slot = 0; slot < bvh.width(part.node); ++slot) {
      visit(volume(bvh.volume(part.node, slot), bvh.nodes()[part.node].child[slot]));
    }
  }

  /// max over the part of d.p, in G; d of any length.
  double reachAlong(const RigidPart& part, const Vec3& d) const;

  /// The nearest points of the part and of triangle T, both in G; `distance` between them, less the
  /// part's radius, which may be negative. Pre: a core or a triangle.
  struct Nearest {
    Vec3 a;  ///< on the core or triangle, not grown
    Vec3 b;
    Vec3 normal;  ///< unit, from A to B; zero where they meet
    double distance = 0.0;
  };
  Nearest nearest(const RigidPart& part, const TriangleCorners& T, const Vec3& hint) const;

  /// A closed triangle mesh holds p (in G), off its surface.
  bool contains(const Vec3& p) const;
  /// One point of each connected part.
  std::vector<Vec3> points() const;
  /// Pre: not a triangle mesh.
  const ConvexCore& core() const { return core_; }
  bool isMesh() const { return body_ != nullptr; }

  /// The shape, of a triangle mesh its hull.
  const Shape& hull() const { return body_ ? body_->hull() : shape_; }

 private:
  RigidPart volume(const MeshVolume& volume, std::int32_t node) const;
  RigidPart triangle(std::int32_t i) const;

  const Shape& shape_;
  std::shared_ptr<const MeshBody> body_;  ///< of a triangle mesh
  ConvexCore core_;                       ///< of any other shape
  RigidPart root_;
};

}  // namespace allclear::tree
