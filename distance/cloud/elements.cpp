// A cloud as a tree of elements: where they are, how far they reach, and what bounds their motion
// (distance/minimum/tree/search.h has the search).
#include "allclear/distance/cloud/elements.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/minimum/tree/search_steps.h"

namespace allclear::cloud {
namespace {

using tree::RigidShape;

double farthestPose(std::span<const BodyCurve> curves) {
  double farthest = 0.0;
  for (const BodyCurve& curve : curves) {
    for (const Pose& X : curve.control) farthest = std::max(farthest, X.p.norm());
  }
  return farthest;
}

}  // namespace

CloudElements::CloudElements(const MovingCloud& b)
    : cloud_(*b.cloud), curves_(b.curves), root_(b.node) {
  const DerivativeBounds& motion = b.curves.front().bounds;
  is_still = b.curves.size() == 1 && motion.linear[0] == 0.0 && motion.angular[0] == 0.0 &&
             motion.linear[1] == 0.0 && motion.angular[1] == 0.0;
  if (is_still) X_WF = b.curves.front().control.front();
}

double CloudElements::farthest() const { return cloud_.farthest() + farthestPose(curves_); }

std::vector<tree::Cell> CloudElements::cells(std::span<const BodyCurve> a) const {
  const auto& longer = a.size() >= curves_.size() ? a : curves_;
  std::vector<tree::Cell> cells(longer.size());
  for (int c = 0; c < static_cast<int>(longer.size()); ++c) {
    cells[c].time = longer[c].time;
    cells[c].curve = std::min(c, static_cast<int>(a.size()) - 1);
    cells[c].own = std::min(c, static_cast<int>(curves_.size()) - 1);
  }
  return cells;
}

double CloudElements::leastOf(std::int32_t i, const Vec3& w) const {
  if (cloud_.isBalls()) return w.dot(cloud_.lower(i));
  return tree::leastAlong({cloud_.lower(i), cloud_.upper(i)}, w);
}

double CloudElements::leastOfBox(std::int32_t node, const Vec3& n, const Instant& at) const {
  const double least = tree::leastAlong(boxOf(cloud_, node), inO(n, at));
  return is_still ? least : least + n.dot(at.p);
}

double CloudElements::leastOfElements(std::int32_t node, const Vec3& n, const Instant& at) const {
  const Vec3 w = inO(n, at);
  const Cloud::Node one{{}, {}, ~node, 1, -1};
  const Cloud::Node& leaf = node < 0 ? one : nodes()[node];
  double least = std::numeric_limits<double>::infinity();
  for (std::int32_t i = leaf.first; i < leaf.first + leaf.count; ++i) {
    least = lowered(least, leastOf(i, w));
  }
  return is_still ? least : least + n.dot(at.p);
}

std::int32_t CloudElements::leastElement(std::int32_t node, const Vec3& n,
                                         const Instant& at) const {
  const Vec3 w = inO(n, at);
  const Cloud::Node& leaf = nodes()[node];
  std::int32_t best = leaf.first;
  double least = leastOf(best, w);
  for (std::int32_t i = leaf.first + 1; i < leaf.first + leaf.count; ++i) {
    const double along = leastOf(i, w);
    if (!(along < least)) continue;
    least = along;
    best = i;
  }
  return best;
}

tree::Nearest CloudElements::nearest(const RigidShape& shape, const tree::RigidPart& part,
                                     const Pose& X_FG, std::int32_t element, const Instant& at,
                                     const Vec3& guess) const {
  tree::Nearest d = elementDistance(shape, part, X_FG, cloud_, element, at, guess);
  // In contact the poses, which are only near rotations, count once more.
  if (!(d.distance > 0.0)) d.errors = 2.0;
  d.meets = shape.isMesh() && !(d.distance > 0.0);
  return d;
}

/// The farthest point of what a node has, the balls included, from the curve's reference point.
double CloudElements::radiusOf(int curve, std::int32_t node) const {
  const AlignedBox box = boxOf(cloud_, node);
  const Vec3 half = 0.5 * (box.upper - box.lower);
  return (box.lower + half - curves_[curve].reference_B).norm() + half.norm() + cloud_.radius();
}

double CloudElements::error(int curve, std::int32_t node) const {
  const BodyCurve& own = curves_[curve];
  if (own.rotation_error == 0.0) return own.position_error;
  return own.error(radiusOf(curve, node));
}

/// A cloud that turns moves its far elements fastest: by their own distance.
double CloudElements::acceleration(int curve, std::int32_t node) const {
  if (is_still) return 0.0;
  const DerivativeBounds& bounds = curves_[curve].bounds;
  return bounds.linear[1] + bounds.angular[1] * radiusOf(curve, node);
}

double CloudElements::leastThreshold(const RigidShape& shape, double threshold) const {
  return shape.isMesh() ? std::max(tree::kLeastApart, threshold) : threshold;
}

/// Convex solids within balls of radii rho_A, rho_B are never deeper than 2 (rho_A + rho_B): so far
/// a move along any line frees them.
double CloudElements::floor(const RigidShape& shape) const {
  const Cloud::Node& node = nodes()[root_];
  double size = 2.0 * cloud_.radius();
  if (!cloud_.isBalls()) {
    for (int k = 0; k < 3; ++k) size += static_cast<double>(node.upper[k] - node.lower[k]);
  }
  return -2.0 * (shape.root().reach + size);
}

/// While the surface of a mesh stays off all elements it holds one always or never. Elements beside
/// the shape's box are not inside of it.
bool CloudElements::meetsInside(const RigidShape& shape, const Pose& X_FG, const Instant& at,
                                double) const {
  if (!shape.isMesh()) return false;
  const Pose X_OG = inO(X_FG, at);
  const AlignedBox about = tree::boxAbout(shape.root(), X_OG);
  std::vector<std::int32_t> open{root_};
  while (!open.empty()) {
    throwIfStopped();
    const std::int32_t n = open.back();
    open.pop_back();
    if (!tree::meet(about, box(n, at))) continue;
    const Cloud::Node& node = nodes()[n];
    if (node.child >= 0) {
      open.push_back(node.child);
      open.push_back(node.child + 1);
      continue;
    }
    for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
      // A ball that is cut by the surface was met before: its middle tells for all of it.
      if (shape.contains(X_OG.R.transpose() * (cloud_.center(i) - X_OG.p))) return true;
    }
  }
  return false;
}

}  // namespace allclear::cloud

template class allclear::tree::Search<allclear::cloud::CloudElements>;
