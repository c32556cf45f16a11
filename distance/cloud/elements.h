#pragma once

#include <span>
#include <vector>

#include "allclear/distance/cloud.h"
#include "allclear/distance/cloud/element.h"
#include "allclear/distance/minimum/tree/search.h"

namespace allclear::cloud {

/// The balls or boxes of a cloud on a moving frame, for a search over time. Borrows the cloud and
/// its curves.
class CloudElements {
 public:
  /// X_FO; while the cloud is at rest F is O.
  using Instant = Pose;

  explicit CloudElements(const MovingCloud& cloud);

  Pose X_WF;
  bool is_still = false;
  /// GJK to a box is dear, and of a larger node proves less than its halves do.
  static constexpr int kNearLeaves = 2 * Cloud::kLeaf;

  const std::vector<Cloud::Node>& nodes() const { return cloud_.nodes(); }
  std::int32_t root() const { return root_; }
  double radius() const { return cloud_.radius(); }
  double farthest() const;
  /// One for each cell: the curves of a body at rest may be a single one for all.
  std::vector<tree::Cell> cells(std::span<const BodyCurve> a) const;
  Instant at(int curve, double t) const { return is_still ? Pose() : curves_[curve].pose(t); }

  AlignedBox box(std::int32_t node, const Instant&) const { return boxOf(cloud_, node); }
  Pose inO(const Pose& X, const Instant& at) const { return is_still ? X : at.inverse() * X; }
  Vec3 inO(const Vec3& n, const Instant& at) const {
    return is_still ? n : Vec3(at.R.transpose() * n);
  }
  Vec3 inF(const Vec3& n, const Instant& at) const {
    return is_still ? n : Vec3((at.R * n).normalized());
  }
  double leastOfBox(std::int32_t node, const Vec3& n, const Instant& at) const;
  double leastOfElements(std::int32_t leaf, const Vec3& n, const Instant& at) const;
  std::int32_t leastElement(std::int32_t leaf, const Vec3& n, const Instant& at) const;
  tree::Nearest nearest(const tree::RigidShape& shape, const tree::RigidPart& part,
                        const Pose& X_FG, std::int32_t element, const Instant& at,
                        const Vec3& guess) const;

  double error(int curve, std::int32_t node) const;
  double acceleration(int curve, std::int32_t node) const;
  /// Surfaces that are nearer may cross, so that what is inside does not tell any more.
  double leastThreshold(const tree::RigidShape& shape, double threshold) const;
  bool meetsInside(const tree::RigidShape& shape, const Pose& X_FG, const Instant& at,
                   double t) const;
  Vec3 point(const Instant& at) const { return at * cloud_.center(nodes()[root_].first); }
  /// No distance of a convex shape is below this [m].
  double floor(const tree::RigidShape& shape) const;

 private:
  double radiusOf(int curve, std::int32_t node) const;
  double leastOf(std::int32_t i, const Vec3& w) const;

  const Cloud& cloud_;
  std::span<const BodyCurve> curves_;
  std::int32_t root_;
};

using CloudSearch = tree::Search<CloudElements>;

}  // namespace allclear::cloud

extern template class allclear::tree::Search<allclear::cloud::CloudElements>;
