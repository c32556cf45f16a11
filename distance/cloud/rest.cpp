// The nearest element of a cloud at rest: depth first through its tree, the nearer child first.
//
// A node is passed over when the room between its box and the body's, along the axes of the cloud
// or along the line between the nearest points of the two boxes, or between its box and the body
// itself, is at least the distance that is known already.
#include "allclear/distance/cloud/rest.h"

#include <algorithm>
#include <array>
#include <limits>

#include "allclear/core/stop_scope.h"

namespace allclear::cloud {
namespace {

using deform::RigidPart;
using deform::RigidShape;

/// Of a tree of at most 2^31 leaves, with two children waiting at each level.
constexpr int kMostOpen = 80;

/// Roundings of poses, supports and sums, relative to the coordinates.
constexpr double kRounding = 100.0 * std::numeric_limits<double>::epsilon();

class RestSearch {
 public:
  RestSearch(const RigidShape& shape, const Pose& X_WA, const Cloud& cloud, const Pose& X_WO)
      : shape_(shape), X_WA_(X_WA), cloud_(cloud), X_WO_(X_WO), X_OA_(X_WO.inverse() * X_WA) {
    const RigidPart& root = shape.root();
    // The box about A in the frame of the cloud, slanted and along the axes.
    center_ = X_OA_ * root.center;
    half_ = X_OA_.R * root.half;
    box_half_ = half_.cwiseAbs().rowwise().sum();
    rounding_ = kRounding * (X_WA.p.norm() + X_WO.p.norm() + root.center.norm() + root.reach +
                             cloud.farthest());
    best_.distance = std::numeric_limits<double>::infinity();
  }

  ElementDistance run(std::int32_t node, double ceiling, bool any) {
    ceiling_ = ceiling;
    std::array<Open, kMostOpen> open;
    int count = 0;
    open[count++] = {node, squaredGap(node)};
    StopSteps steps;
    while (count > 0) {
      steps.step();
      const Open top = open[--count];
      // What was nearer when it was put aside may be beyond by now.
      if (isBeyond(top.squared_gap) || isApart(top.node)) continue;
      const Cloud::Node& at = cloud_.nodes()[top.node];
      if (at.child < 0) {
        measureLeaf(at);
        if (any && best_.distance < ceiling_) return best_;
        continue;
      }
      Open near{at.child, squaredGap(at.child)}, far{at.child + 1, squaredGap(at.child + 1)};
      // The nearer one is taken first: what it finds may spare the other.
      if (far.squared_gap < near.squared_gap) std::swap(near, far);
      open[count++] = far;
      open[count++] = near;
    }
    return best_;
  }

 private:
  struct Open {
    std::int32_t node = 0;
    double squared_gap = 0.0;
  };

  double least() const { return std::min(best_.distance, ceiling_); }

  /// Of the boxes along the axes.
  double squaredGap(std::int32_t n) const {
    const Cloud::Node& node = cloud_.nodes()[n];
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double gap =
          std::max({0.0, static_cast<double>(node.lower[k]) - center_[k] - box_half_[k],
                    center_[k] - box_half_[k] - static_cast<double>(node.upper[k])});
      sum += gap * gap;
    }
    return sum;
  }
  bool isBeyond(double squared_gap) const {
    const double needed = least() + cloud_.radius() + rounding_;
    return squared_gap > 0.0 && (needed <= 0.0 || squared_gap >= needed * needed);
  }

  /// Whether some direction leaves enough room between the body and the node's box.
  bool isApart(std::int32_t n) const {
    const Cloud::Node& node = cloud_.nodes()[n];
    AlignedBox box;
    for (int k = 0; k < 3; ++k) {
      box.lower[k] = static_cast<double>(node.lower[k]);
      box.upper[k] = static_cast<double>(node.upper[k]);
    }
    // From the cheapest direction to the dearest; the last only where a leaf is at stake.
    if (leavesRoom(box, betweenBoxes(box))) return true;
    if (best_.distance < std::numeric_limits<double>::infinity() &&
        leavesRoom(box, X_WO_.R.transpose() * best_.normal)) {
      return true;
    }
    if (node.child >= 0) return false;
    return leavesRoom(box,
                      X_WO_.R.transpose() * directionTo(shape_, shape_.root(), X_WA_, box, X_WO_));
  }

  bool leavesRoom(const AlignedBox& box, const Vec3& n) const {
    if (n.isZero(0.0)) return false;
    double along = -n.dot(X_OA_.p) - shape_.reachAlong(shape_.root(), X_OA_.R.transpose() * n);
    for (int k = 0; k < 3; ++k) along += n[k] * (n[k] > 0.0 ? box.lower[k] : box.upper[k]);
    return along - cloud_.radius() - rounding_ >= least();
  }

  /// By a few alternating projections.
  Vec3 betweenBoxes(const AlignedBox& box) const {
    Vec3 a = center_, b = a;
    // Three half steps: more would make the direction better by little.
    for (int i = 0; i < 3; ++i) {
      b = a.cwiseMax(box.lower).cwiseMin(box.upper);
      if (i == 2) break;
      a = center_;
      for (int axis = 0; axis < 3; ++axis) {
        const double squared = half_.col(axis).squaredNorm();
        if (!(squared > 0.0)) continue;
        a += std::clamp((b - center_).dot(half_.col(axis)) / squared, -1.0, 1.0) * half_.col(axis);
      }
    }
    const double length = (b - a).norm();
    return length > 0.0 ? Vec3((b - a) / length) : Vec3(Vec3::Zero());
  }

  void measureLeaf(const Cloud::Node& leaf) {
    for (std::int32_t i = leaf.first; i < leaf.first + leaf.count; ++i) {
      if (best_.distance < std::numeric_limits<double>::infinity() &&
          leavesRoom({cloud_.lower(i), cloud_.upper(i)}, X_WO_.R.transpose() * best_.normal)) {
        continue;
      }
      const ElementDistance d = elementDistance(shape_, shape_.root(), X_WA_, cloud_, i, X_WO_);
      if (d.distance < best_.distance && d.distance < ceiling_) best_ = d;
    }
  }

  const RigidShape& shape_;
  const Pose X_WA_;
  const Cloud& cloud_;
  const Pose X_WO_;
  const Pose X_OA_;
  Vec3 center_;    ///< of the box about A, in O
  Mat3 half_;      ///< its half edges, as columns
  Vec3 box_half_;  ///< of the box along the axes of O about that one
  double rounding_ = 0.0;
  double ceiling_ = 0.0;
  ElementDistance best_;
};

}  // namespace

ElementDistance restDistance(const RigidShape& shape, const Pose& X_WA, const Cloud& cloud,
                             const Pose& X_WO, std::int32_t node, double ceiling, bool any) {
  return RestSearch(shape, X_WA, cloud, X_WO).run(node, ceiling, any);
}

}  // namespace allclear::cloud
