#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/core/types.h"
#include "allclear/distance/distance_result.h"
#include "allclear/distance/minimum_distance.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// A box along the axes of the frame it is in [m]; a point where both corners are the same.
struct AlignedBox {
  Vec3 lower = Vec3::Zero();
  Vec3 upper = Vec3::Zero();
};

/// Many small solids in one frame O: balls of one radius about points (a scan), or boxes along the
/// axes of O (the cells of an octree, the columns of a height map). Solid is their union.
/// Immutable; share it by `shared_ptr`.
///
/// The elements are kept in the order of a tree of boxes, which takes about 29 bytes a point with
/// the points, 60 bytes a box with the boxes. Making it takes O(n log n).
class Cloud {
 public:
  /// Elements that a cloud may have: 1 GB of points.
  static constexpr std::size_t kMostElements = 20'000'000;

  /// Balls about points. Throws `InputError` when there is no point or more than `kMostElements`,
  /// one is not finite or beyond 1e9 m, or the radius is not within 1e-30 to 1e9 m. Points may
  /// come more than once.
  static Cloud balls(const std::vector<Vec3>& points, double radius);
  /// Boxes. Throws `InputError` likewise, and when a lower corner is above the upper one.
  static Cloud boxes(const std::vector<AlignedBox>& boxes);

  bool isBalls() const { return upper_.empty(); }
  /// Of the balls [m]; 0 for boxes.
  double radius() const { return radius_; }
  std::int32_t size() const { return static_cast<std::int32_t>(lower_.size()); }
  /// Element number i, in the order of the tree, without the radius.
  Vec3 lower(std::int32_t i) const { return lower_[i]; }
  Vec3 upper(std::int32_t i) const { return isBalls() ? lower_[i] : upper_[i]; }
  Vec3 center(std::int32_t i) const {
    return isBalls() ? lower_[i] : Vec3(0.5 * (lower_[i] + upper_[i]));
  }

  /// A node has the elements `first` ... `first + count - 1`; its children, if any, are `child` and
  /// `child + 1`. Node 0 is the root. Its box holds them (without the radius), in single precision,
  /// rounded outward.
  struct Node {
    std::array<float, 3> lower;
    std::array<float, 3> upper;
    std::int32_t first = 0;
    std::int32_t count = 0;
    std::int32_t child = -1;  ///< -1: a leaf
  };
  static constexpr int kLeaf = 16;  ///< elements of a leaf at most
  const std::vector<Node>& nodes() const { return nodes_; }

  /// Nodes that together have every element once: at most `most` of them (but at least one), those
  /// of the widest boxes cut first. Deterministic.
  std::vector<std::int32_t> parts(int most) const;
  /// A solid box about all that a node has, the radius included.
  Geometry boxAbout(std::int32_t node = 0) const;
  /// The greatest distance of a point of the cloud from the origin of O is at most this [m].
  double farthest() const;

  /// Without the elements whose place `drop` marks; null when none is left. Pre: one mark for each.
  std::shared_ptr<const Cloud> without(const std::vector<char>& drop) const;

  std::size_t bytes() const;

 private:
  Cloud(const std::vector<AlignedBox>& elements, double radius, bool are_balls);
  void build(const std::vector<AlignedBox>& elements, bool are_balls);
  void place(const std::vector<AlignedBox>& elements, const std::vector<std::int32_t>& order,
             bool are_balls);

  double radius_ = 0.0;
  std::vector<Vec3> lower_;  ///< points, or lower corners
  std::vector<Vec3> upper_;  ///< empty for balls
  std::vector<Node> nodes_;
};

/// A cloud fixed to a moving frame; `curves` as of `MovingShape`. Elements of one node alone count.
struct MovingCloud {
  const Cloud* cloud = nullptr;
  std::span<const BodyCurve> curves;
  std::int32_t node = 0;
};

// Distances between a rigid shape A and a cloud B.
//
// The distance is the least of the signed distances of A and one element. In contact it is minus
// the depth in the element that A is deepest in: the true depth in the union is that or more, as
// what frees A of all elements frees it of each. A triangle mesh A that meets the cloud, or holds
// some of it inside, counts as its hull there.

/// Brackets min_t distance(A(t), B(t)) over the curves' whole interval, their remainders and
/// rounding included, by branch and bound over A's triangles, B's tree and time: both ends are
/// proven. The cost grows with the logarithm of the number of elements. Options and statuses as of
/// `minimumDistance` of two shapes; the ball about `options.spread` counts for it, and `unique`
/// stays false. In contact a bracket counts as narrow when it is within a fifth of the depth; above
/// `focus` [m], if that is finite, within a fifth of what the distance is beyond it. Throws
/// `InputError` for a half-space, for bad options and for curves that do not match.
DistanceBracket minimumDistance(const MovingShape& a, const MovingCloud& b,
                                const McdOptions& options,
                                double focus = std::numeric_limits<double>::infinity());

/// The distance at rest. `unique_normal` and `unique_witness` are false, as other elements are not
/// looked at for that.
SignedDistance signedDistance(const Shape& A, const Pose& X_WA, const Cloud& B, const Pose& X_WO,
                              std::int32_t node = 0);

/// Whether that distance is at least `limit` [m]; far cheaper where it is.
bool distanceAtLeast(const Shape& A, const Pose& X_WA, const Cloud& B, const Pose& X_WO,
                     double limit, std::int32_t node = 0);

/// How many of the limits `low` <= `high` [m] that distance is at least: 0, 1 or 2. Both cost
/// little more than one of them.
int limitsKept(const Shape& A, const Pose& X_WA, const Cloud& B, const Pose& X_WO, double low,
               double high, std::int32_t node = 0);

/// Marks the elements whose distance from A is below `limit` [m] (of an element whose distance is
/// within rounding of it either may be said). Pre: `marks` has an entry for each element.
void markNear(const Shape& A, const Pose& X_WA, const Cloud& B, const Pose& X_WO, double limit,
              std::vector<char>* marks);

}  // namespace allclear
