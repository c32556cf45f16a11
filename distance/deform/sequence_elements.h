#pragma once

#include <span>
#include <vector>

#include "allclear/distance/deforming_mesh.h"
#include "allclear/distance/minimum/tree/search.h"

namespace allclear::deform {

/// The triangles of a mesh that bends, for a search over time; elements by their place in the
/// mesh's order. Borrows the mesh.
class SequenceElements {
 public:
  using Instant = DeformingMesh::Instant;

  SequenceElements(const DeformingMesh& mesh, const Pose& X_WO);

  Pose X_WF;  ///< F is O: the frame stands still, what is in it moves
  static constexpr bool is_still = true;
  static constexpr int kNearLeaves = DeformingMesh::kLeaf;  ///< one level more costs decisions 30 %

  const std::vector<DeformingMesh::Node>& nodes() const { return mesh_.nodes(); }
  std::int32_t root() const { return 0; }
  double radius() const { return 0.0; }
  double farthest() const;
  /// Time is cut where curves and keyframes end.
  std::vector<tree::Cell> cells(std::span<const BodyCurve> a) const;
  /// `keyframe`: of a cell.
  Instant at(int keyframe, double t) const;

  AlignedBox box(std::int32_t node, Instant at) const;
  const Pose& inO(const Pose& X, Instant) const { return X; }
  const Vec3& inO(const Vec3& n, Instant) const { return n; }
  const Vec3& inF(const Vec3& n, Instant) const { return n; }
  double leastOfBox(std::int32_t node, const Vec3& n, Instant at) const {
    return tree::leastAlong(box(node, at), n);
  }
  double leastOfElements(std::int32_t leaf, const Vec3& n, Instant at) const;
  std::int32_t leastElement(std::int32_t leaf, const Vec3& n, Instant at) const;
  tree::Nearest nearest(const tree::RigidShape& shape, const tree::RigidPart& part,
                        const Pose& X_FG, std::int32_t element, Instant at,
                        const Vec3& guess) const;

  double error(int, std::int32_t) const { return 0.0; }
  double acceleration(int, std::int32_t) const { return 0.0; }
  /// What surfaces prove is a distance of 0 at most; depths are measured apart.
  double leastThreshold(const tree::RigidShape&, double threshold) const {
    return std::max(tree::kLeastApart, threshold);
  }
  bool meetsInside(const tree::RigidShape& shape, const Pose& X_FG, Instant at, double t) const;
  Vec3 point(Instant at) const { return mesh_.position(mesh_.triangles()[0][0], at); }

 private:
  TriangleCorners corners(std::int32_t place, Instant at) const;
  double leastOf(std::int32_t place, const Vec3& n, Instant at) const;

  const DeformingMesh& mesh_;
};

using SequenceSearch = tree::Search<SequenceElements>;

}  // namespace allclear::deform

extern template class allclear::tree::Search<allclear::deform::SequenceElements>;
