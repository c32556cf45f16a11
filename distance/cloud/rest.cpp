// The nearest element of a cloud at rest: depth first through its tree, the nearer child first.
//
// A node is passed over when the room between its box and the body's, along the axes of the cloud
// or along the line between the nearest points of the two boxes, along the nearest normal so far,
// or between its box and the body itself, is at least the distance that is known already. Elements
// of a leaf likewise, by directions that are known: so few of them are measured.
#include "allclear/distance/cloud/rest.h"

#include <algorithm>
#include <array>
#include <limits>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/minimum/tree/boxes.h"

namespace allclear::cloud {
namespace {

using tree::Nearest;
using tree::RigidPart;
using tree::RigidShape;

/// Of a tree of at most 2^31 leaves, with two children waiting at each level.
constexpr int kMostOpen = 80;

/// Roundings of poses, supports and sums, relative to the coordinates.
constexpr double kRounding = 100.0 * std::numeric_limits<double>::epsilon();

/// All in O, the frame of the cloud.
class RestSearch {
 public:
  RestSearch(const RigidShape& shape, const Pose& X_WA, const Cloud& cloud, const Pose& X_WO)
      : shape_(shape), cloud_(cloud), X_OA_(X_WO.inverse() * X_WA) {
    const RigidPart& root = shape.root();
    // The box about A, slanted and along the axes.
    center_ = X_OA_ * root.center;
    half_ = X_OA_.R * root.half;
    box_half_ = half_.cwiseAbs().rowwise().sum();
    rounding_ = kRounding * (X_WA.p.norm() + X_WO.p.norm() + root.center.norm() + root.reach +
                             cloud.farthest());
  }

  Nearest nearest(std::int32_t node) {
    best_.distance = std::numeric_limits<double>::infinity();
    run(node);
    return best_;
  }

  /// How many of both limits are kept.
  int limitsKept(std::int32_t node, double low, double high) {
    decides_ = true;
    low_ = low;
    ceiling_ = high;
    run(node);
    return kept_;
  }

 private:
  struct Open {
    std::int32_t node = 0;
    double squared_gap = 0.0;
  };

  void run(std::int32_t node) {
    std::array<Open, kMostOpen> open;
    int count = 0;
    open[count++] = {node, squaredGap(node)};
    StopSteps steps;
    while (count > 0 && kept_ > 0) {
      steps.step();
      const Open top = open[--count];
      // What was nearer when it was put aside may be beyond by now.
      if (isBeyond(top.squared_gap) || isApart(top.node)) continue;
      const Cloud::Node& at = cloud_.nodes()[top.node];
      if (at.child < 0) {
        measureLeaf(at);
        continue;
      }
      Open near{at.child, squaredGap(at.child)}, far{at.child + 1, squaredGap(at.child + 1)};
      // The nearer one is taken first: what it finds may spare the other.
      if (far.squared_gap < near.squared_gap) std::swap(near, far);
      open[count++] = far;
      open[count++] = near;
    }
  }

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
    const double needed = ceiling_ + cloud_.radius() + rounding_;
    return squared_gap > 0.0 && (needed <= 0.0 || squared_gap >= needed * needed);
  }

  /// Whether some direction leaves enough room between the body and the node's box.
  bool isApart(std::int32_t n) {
    const Cloud::Node& node = cloud_.nodes()[n];
    const AlignedBox box = boxOf(cloud_, n);
    // From the cheapest direction to the dearest; the last only where a leaf is at stake.
    if (leavesRoom(box, best_along_)) return true;
    if (leavesRoom(box, along(tree::directionBetweenBoxes(center_, half_, box)))) return true;
    if (node.child >= 0) return false;
    leaf_along_ = along(tree::directionTo(shape_, shape_.root(), X_OA_, box));
    return leavesRoom(box, leaf_along_);
  }

  /// A direction of O, or zero, and how far A reaches along it: dear, so it is kept.
  struct Reach {
    Vec3 n = Vec3::Zero();
    double most = 0.0;
  };
  Reach along(const Vec3& n) const {
    if (n.isZero(0.0)) return {};
    return {n, n.dot(X_OA_.p) + shape_.reachAlong(shape_.root(), X_OA_.R.transpose() * n)};
  }
  bool leavesRoom(const AlignedBox& box, const Reach& reach) const {
    if (reach.n.isZero(0.0)) return false;
    const double room = tree::leastAlong(box, reach.n) - reach.most;
    return room - cloud_.radius() - rounding_ >= ceiling_;
  }

  /// The nearest one along the leaf's direction comes first: it is the nearest, or about that.
  void measureLeaf(const Cloud::Node& leaf) {
    std::int32_t first = leaf.first;
    double least = std::numeric_limits<double>::infinity();
    for (std::int32_t i = leaf.first; i < leaf.first + leaf.count; ++i) {
      const double room = tree::leastAlong(boxOf(cloud_, ~i), leaf_along_.n);
      if (!(room < least)) continue;
      least = room;
      first = i;
    }
    measure(first);
    for (std::int32_t i = leaf.first; i < leaf.first + leaf.count && kept_ > 0; ++i) {
      if (i != first) measure(i);
    }
  }

  void measure(std::int32_t i) {
    const AlignedBox box = boxOf(cloud_, ~i);
    if (leavesRoom(box, best_along_) || leavesRoom(box, leaf_along_)) return;
    Nearest d = distanceOf(i, leaf_along_.n, decides_ ? ceiling_ : kExact);
    // Written so that NaN counts as near.
    if (d.distance >= ceiling_) return;
    if (!decides_) {
      best_ = d;
      ceiling_ = d.distance;
    } else {
      // An upper bound that decides the higher limit may leave the lower one open.
      if (kept_ > 1 && d.distance >= low_) d = distanceOf(i, d.normal, low_);
      kept_ = d.distance >= low_ ? 1 : 0;
      ceiling_ = low_;
    }
    best_along_ = along(d.normal);
  }
  Nearest distanceOf(std::int32_t i, const Vec3& guess, double enough) const {
    return elementDistance(shape_, shape_.root(), X_OA_, cloud_, i, Pose(), guess, enough);
  }

  const RigidShape& shape_;
  const Cloud& cloud_;
  const Pose X_OA_;
  Vec3 center_;    ///< of the box about A, in O
  Mat3 half_;      ///< its half edges, as columns
  Vec3 box_half_;  ///< of the box along the axes of O about that one
  double rounding_ = 0.0;
  double ceiling_ = std::numeric_limits<double>::infinity();  ///< what is as far does not count
  bool decides_ = false;  ///< asked for `kept_`, not for the nearest
  double low_ = 0.0;
  int kept_ = 2;  ///< limits
  Nearest best_;
  Reach best_along_;  ///< of its normal
  Reach leaf_along_;  ///< of the leaf that was looked at last
};

}  // namespace

Nearest restDistance(const RigidShape& shape, const Pose& X_WA, const Cloud& cloud,
                     const Pose& X_WO, std::int32_t node) {
  Nearest found = RestSearch(shape, X_WA, cloud, X_WO).nearest(node);
  found.a = X_WO * found.a;
  found.b = X_WO * found.b;
  found.normal = X_WO.R * found.normal;
  return found;
}

int limitsKept(const RigidShape& shape, const Pose& X_WA, const Cloud& cloud, const Pose& X_WO,
               std::int32_t node, double low, double high) {
  return RestSearch(shape, X_WA, cloud, X_WO).limitsKept(node, low, high);
}

}  // namespace allclear::cloud
