#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/core/types.h"
#include "allclear/distance/distance_result.h"
#include "allclear/distance/minimum_distance.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// A triangle mesh that moves and bends by keyframes: between two of them every vertex moves along
/// a straight line at constant speed; before the first and after the last one it rests. Positions
/// are in the mesh's own frame [m], times in s. Immutable; share it by `shared_ptr`.
///
/// Closed parts (every edge joins two triangles that agree on the outside) bound a solid; other
/// parts are sheets, which have no inside.
class DeformingMesh {
 public:
  /// `keyframes[k]` holds the positions of all vertices at `times[k]`. Throws `InputError` when
  /// there is no triangle or no keyframe, counts differ, a position or time is not finite or beyond
  /// 1e9, times do not ascend strictly, an index is out of range, or the closed parts are inside
  /// out (they enclose a negative volume) at some keyframe.
  DeformingMesh(std::vector<Triangle> triangles, std::vector<std::vector<Vec3>> keyframes,
                std::vector<double> times);

  const std::vector<Triangle>& triangles() const { return triangles_; }
  const std::vector<double>& times() const { return times_; }
  int vertexCount() const { return static_cast<int>(keyframes_[0].size()); }
  int keyframeCount() const { return static_cast<int>(times_.size()); }
  const std::vector<Vec3>& keyframe(int k) const { return keyframes_[k]; }

  /// An instant: `share` of the way from `keyframe` to the next one, in [0, 1]. While it rests the
  /// share is 0 and `keyframe` the first or the last.
  struct Instant {
    int keyframe = 0;
    double share = 0.0;
  };
  Instant at(double t) const;
  Vec3 position(int vertex, Instant when) const {
    const Vec3& from = keyframes_[when.keyframe][vertex];
    if (when.share == 0.0) return from;
    return (1.0 - when.share) * from + when.share * keyframes_[when.keyframe + 1][vertex];
  }
  /// [m/s]; between two stretches that of the later one, at rest 0.
  Vec3 velocity(int vertex, double t) const;
  /// All vertices at t.
  std::vector<Vec3> positions(double t) const;
  /// Velocity [m/s] of the material point nearest to p at t.
  Vec3 velocityNear(const Vec3& p, double t) const;
  /// Of the triangles, as a mesh at rest.
  TriangleMesh frozen(double t) const;

  /// Keyframe times strictly inside of `time`, ascending.
  std::vector<double> breaks(Interval time) const;

  /// A vertex of each part (parts are joined by edges).
  const std::vector<std::int32_t>& representatives() const { return representatives_; }

  /// Some part is closed.
  bool hasInside() const { return !closed_triangles_.empty(); }
  /// How often the closed parts wind about p at t: 0 outside, not 0 inside; any value between on
  /// the surface. By solid angles, O(triangles).
  double windingNumber(const Vec3& p, double t) const;

  /// A tree of boxes along the axes. A node has the triangles `order()[first]` ...
  /// `order()[first + count - 1]`; its children, if any, are `child` and `child + 1`. Leaves have
  /// at most `kLeaf` triangles. Node 0 is the root.
  struct Node {
    std::int32_t first = 0;
    std::int32_t count = 0;
    std::int32_t child = -1;  ///< -1: a leaf
  };
  static constexpr int kLeaf = 8;
  /// Holds all vertices of the node's triangles, in single precision, rounded outward. At an
  /// instant between two keyframes the boxes interpolated hold them.
  struct NodeBox {
    std::array<float, 3> lower;
    std::array<float, 3> upper;
  };
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<std::int32_t>& order() const { return order_; }
  const NodeBox& box(int node, int keyframe) const {
    return boxes_[static_cast<std::size_t>(keyframe) * nodes_.size() + node];
  }

  /// Vertices of bunches of neighbouring triangles; together all patches have every triangle. The
  /// hulls of a patch's vertices enclose its triangles at every instant. At most `most` patches
  /// (but at least one), cut along the tree, at last to single triangles. Deterministic.
  std::vector<std::vector<std::int32_t>> patches(int most) const;

  /// Bytes of boxes and nodes, and of the vertices' positions.
  std::size_t treeBytes() const;
  std::size_t bytes() const;

 private:
  void check() const;
  void findParts();
  void checkOrientation() const;
  void buildTree();
  void refit(int keyframe);

  std::vector<Triangle> triangles_;
  std::vector<std::vector<Vec3>> keyframes_;
  std::vector<double> times_;
  std::vector<std::int32_t> closed_triangles_;
  std::vector<std::int32_t> representatives_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> order_;
  std::vector<NodeBox> boxes_;  ///< by keyframe, then node
};

// A rigid shape A against a mesh B that bends, which stands in the world at X_WO.
//
// Apart, the distance is that to the nearest triangle. Contact is where A, a solid, meets a
// triangle, or is inside of a closed part of B, or (where A is a closed triangle mesh) B inside of
// it. There the distance is negative: minus the depth of A in the convex hull of the few triangles
// (at most `DeformingMesh::kLeaf`) that it is deepest in; of a mesh with closed parts, in the hull
// of all of it. That is a way out, not the shortest one. A triangle mesh A counts as its hull
// there.

/// Brackets min_t distance(A(t), B(t)) over the whole interval of A's curves, their remainders and
/// rounding included, by branch and bound over A's triangles, B's tree and time: both ends are
/// proved. Options and statuses as of `minimumDistance` of two shapes; `options.spread` and
/// `check_unique` are not supported (`unique` stays false). In contact `penetrating` is set,
/// `lower` is what A's size allows, and `upper` the distance at the deepest of a few instants.
/// Throws `InputError` for a half-space and for bad options.
DistanceBracket minimumDistance(const MovingShape& a, const DeformingMesh& B, const Pose& X_WO,
                                const McdOptions& options);

/// The distance at one instant [s].
SignedDistance signedDistance(const Shape& A, const Pose& X_WA, const DeformingMesh& B,
                              const Pose& X_WO, double t);

}  // namespace allclear
