// Stretches of time, and what one of them proves of two volumes (search.cpp has the inequality).
#include <algorithm>
#include <cmath>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/cloud/search.h"

namespace allclear::cloud {
namespace {

using deform::RigidPart;

/// Roundings of poses, interpolations and sums, relative to the coordinates: a few hundred
/// operations at most.
constexpr double kRounding = 500.0 * std::numeric_limits<double>::epsilon();

double farthestPose(std::span<const BodyCurve> curves) {
  double farthest = 0.0;
  for (const BodyCurve& curve : curves) {
    for (const Pose& X : curve.control) farthest = std::max(farthest, X.p.norm());
  }
  return farthest;
}

}  // namespace

CloudSearch::CloudSearch(const deform::RigidShape& shape, const MovingShape& a,
                         const MovingCloud& b, const BoundTerms& terms)
    : shape_(shape), a_(a), b_(b), cloud_(*b.cloud), terms_(terms) {
  parts_.push_back({shape.root(), -1, 0});
  const DerivativeBounds& motion = b.curves.front().bounds;
  b_is_still_ = b.curves.size() == 1 && motion.linear[0] == 0.0 && motion.angular[0] == 0.0 &&
                motion.linear[1] == 0.0 && motion.angular[1] == 0.0;
  // Lengths that are added up: of A in its curve, of the cloud in its own.
  const double of_a =
      a.X_BG.p.norm() + shape.root().center.norm() + shape.root().reach + farthestPose(a.curves);
  rounding_ = kRounding * 2.0 * (of_a + cloud_.farthest() + farthestPose(b.curves));
}

Interval CloudSearch::time() const {
  const auto& curves = a_.curves.size() >= b_.curves.size() ? a_.curves : b_.curves;
  return {curves.front().time.lower, curves.back().time.upper};
}

/// Convex solids within balls of radii rho_A, rho_B are never deeper than 2 (rho_A + rho_B): so far
/// a move along any line frees them.
double CloudSearch::floor() const {
  const Cloud::Node& node = cloud_.nodes()[b_.node];
  double size = 2.0 * cloud_.radius();
  if (!cloud_.isBalls()) {
    for (int k = 0; k < 3; ++k) size += static_cast<double>(node.upper[k] - node.lower[k]);
  }
  return -2.0 * (parts_[0].part.reach + size) - rounding_;
}

Pose CloudSearch::poseB(int curve, double t) const {
  return b_is_still_ ? b_.curves.front().control.front() : b_.curves[curve].pose(t);
}

/// One for each cell: the curves of a body at rest may be a single one for all.
void CloudSearch::makeSlices() {
  const bool by_a = a_.curves.size() >= b_.curves.size();
  const auto& cells = by_a ? a_.curves : b_.curves;
  for (int c = 0; c < static_cast<int>(cells.size()); ++c) {
    Slice slice;
    slice.t0 = cells[c].time.lower;
    slice.t1 = cells[c].time.upper;
    slice.curve_a = std::min(c, static_cast<int>(a_.curves.size()) - 1);
    slice.curve_b = std::min(c, static_cast<int>(b_.curves.size()) - 1);
    // Poses at both ends; the middle when a bound first needs it.
    slice.A0 = poseA(slice.curve_a, slice.t0);
    slice.B0 = poseB(slice.curve_b, slice.t0);
    slice.A1 = slice.t1 > slice.t0 ? poseA(slice.curve_a, slice.t1) : slice.A0;
    slice.B1 = slice.t1 > slice.t0 ? poseB(slice.curve_b, slice.t1) : slice.B0;
    slices_.push_back(slice);
  }
}

void CloudSearch::needMiddle(int i) {
  Slice& slice = slices_[i];
  if (slice.has_middle) return;
  slice.has_middle = true;
  const double middle = 0.5 * (slice.t0 + slice.t1);
  slice.Am = slice.t1 > slice.t0 ? poseA(slice.curve_a, middle) : slice.A0;
  slice.Bm = slice.t1 > slice.t0 ? poseB(slice.curve_b, middle) : slice.B0;
}

int CloudSearch::halves(int i) {
  if (slices_[i].child >= 0) return slices_[i].child;
  needMiddle(i);
  const int child = static_cast<int>(slices_.size());
  slices_[i].child = child;
  Slice first = slices_[i];
  first.child = -1;
  first.has_middle = false;
  // The middle of the whole is an end of both.
  Slice second = first;
  first.t1 = second.t0 = 0.5 * (first.t0 + first.t1);
  first.A1 = second.A0 = slices_[i].Am;
  first.B1 = second.B0 = slices_[i].Bm;
  slices_.push_back(first);
  slices_.push_back(second);
  return child;
}

void CloudSearch::needChildren(int part) {
  if (parts_[part].child >= 0) return;
  std::vector<RigidPart> children;
  shape_.forChildren(parts_[part].part, [&](const RigidPart& child) { children.push_back(child); });
  parts_[part].child = static_cast<int>(parts_.size());
  parts_[part].children = static_cast<int>(children.size());
  for (RigidPart& child : children) parts_.push_back({child, -1, 0});
}

AlignedBox CloudSearch::boxOf(std::int32_t node) const {
  if (node < 0) return {cloud_.lower(~node), cloud_.upper(~node)};
  const Cloud::Node& n = cloud_.nodes()[node];
  AlignedBox box;
  for (int k = 0; k < 3; ++k) {
    box.lower[k] = static_cast<double>(n.lower[k]);
    box.upper[k] = static_cast<double>(n.upper[k]);
  }
  return box;
}

/// The part's farthest point from the curve's reference point.
double CloudSearch::radiusOfA(const Slice& slice, const RigidPart& part) const {
  return (a_.X_BG * part.center - a_.curves[slice.curve_a].reference_B).norm() + part.reach;
}

double CloudSearch::radiusOfB(const Slice& slice, const AlignedBox& box) const {
  const Vec3 half = 0.5 * (box.upper - box.lower);
  return (box.lower + half - b_.curves[slice.curve_b].reference_B).norm() + half.norm() +
         cloud_.radius();
}

double CloudSearch::errorOf(const Slice& slice, const RigidPart& part,
                            const AlignedBox& box) const {
  const double of_a = a_.curves[slice.curve_a].error(radiusOfA(slice, part));
  const double of_b = b_.curves[slice.curve_b].error(radiusOfB(slice, box));
  return of_a + of_b + rounding_;
}

double CloudSearch::remainderOf(const Slice& slice, const RigidPart& part,
                                const AlignedBox& box) const {
  const double h = slice.t1 - slice.t0;
  const DerivativeBounds& A = a_.curves[slice.curve_a].bounds;
  double sum = terms_.remainder_a * (A.linear[1] + A.angular[1] * radiusOfA(slice, part));
  if (!b_is_still_) {
    const DerivativeBounds& B = b_.curves[slice.curve_b].bounds;
    // A cloud that turns moves its far elements fastest: by their own distance.
    sum += terms_.remainder_b * (B.linear[1] + B.angular[1] * radiusOfB(slice, box));
  }
  return h * h / 8.0 * sum;
}

/// All that the inequality subtracts.
double CloudSearch::lossOf(const Slice& slice, const RigidPart& part, const AlignedBox& box) const {
  return terms_.radius * cloud_.radius() + remainderOf(slice, part, box) +
         terms_.error * errorOf(slice, part, box);
}

/// The least over both ends of [ min n.b - max n.a ].
double CloudSearch::roomAlong(const Slice& slice, const RigidPart& part, std::int32_t node,
                              const AlignedBox& box, const Vec3& n) const {
  double least = std::numeric_limits<double>::infinity();
  for (const bool end : {false, true}) {
    const Pose &A = end ? slice.A1 : slice.A0, &B = end ? slice.B1 : slice.B0;
    const Vec3 w = B.R.transpose() * n;
    double of_b = 0.0;
    if (node >= 0 && cloud_.nodes()[node].child < 0 && cloud_.isBalls()) {
      // A leaf by its points.
      const Cloud::Node& leaf = cloud_.nodes()[node];
      of_b = std::numeric_limits<double>::infinity();
      for (std::int32_t i = leaf.first; i < leaf.first + leaf.count; ++i) {
        of_b = std::min(of_b, w.dot(cloud_.lower(i)));
      }
    } else {
      for (int k = 0; k < 3; ++k) of_b += w[k] * (w[k] > 0.0 ? box.lower[k] : box.upper[k]);
    }
    const double room =
        of_b + n.dot(B.p) - n.dot(A.p) - shape_.reachAlong(part, A.R.transpose() * n);
    // Negated, so that NaN proves nothing.
    if (!(room >= least)) least = room;
    if (slice.t1 == slice.t0 || terms_.far_end == 0.0) break;
  }
  return least;
}

/// From the ball about A and the box about B: the cheap first test of a stretch.
double CloudSearch::ballBound(const Slice& slice) const {
  const RigidPart& root = parts_[0].part;
  const AlignedBox box = boxOf(b_.node);
  // In B's frame at both ends; the direction at the middle of them.
  const Vec3 c0 = slice.A0 * root.center, c1 = slice.A1 * root.center;
  const Vec3 from = slice.B0.R.transpose() * (c0 - slice.B0.p);
  const Vec3 to = slice.B1.R.transpose() * (c1 - slice.B1.p);
  const Vec3 c = 0.5 * (from + to);
  const Vec3 way = c.cwiseMax(box.lower).cwiseMin(box.upper) - c;
  if (!(way.norm() > 0.0)) return -std::numeric_limits<double>::infinity();
  const Vec3 n = (slice.B0.R * way).normalized();
  const auto room = [&](const Pose& B, const Vec3& center) {
    const Vec3 w = B.R.transpose() * n;
    double along = n.dot(B.p) - n.dot(center);
    for (int k = 0; k < 3; ++k) along += w[k] * (w[k] > 0.0 ? box.lower[k] : box.upper[k]);
    return along;
  };
  // |R| of a polynomial pose exceeds 1 by its rotation error at most, which the error includes.
  const double at_ends =
      terms_.far_end == 0.0 ? room(slice.B0, c0) : std::min(room(slice.B0, c0), room(slice.B1, c1));
  return at_ends - root.reach - lossOf(slice, root, box) - terms_.error * errorOf(slice, root, box);
}

/// From the part's box to the node's at the middle, by a few alternating projections; zero where
/// they meet.
Vec3 CloudSearch::direction(const Slice& slice, const RigidPart& part,
                            const AlignedBox& box) const {
  const Mat3 R = slice.Bm.R.transpose() * slice.Am.R;
  const Mat3 half = R * part.half;
  const Vec3 center = slice.Bm.R.transpose() * (slice.Am * part.center - slice.Bm.p);
  // From one box's nearest point to the other's.
  Vec3 a = center, b = a;
  for (int i = 0; i < 3; ++i) {
    b = a.cwiseMax(box.lower).cwiseMin(box.upper);
    if (i == 2) break;
    a = center;
    for (int axis = 0; axis < 3; ++axis) {
      const double squared = half.col(axis).squaredNorm();
      if (!(squared > 0.0)) continue;
      a += std::clamp((b - center).dot(half.col(axis)) / squared, -1.0, 1.0) * half.col(axis);
    }
  }
  const Vec3 n = b - a;
  const double length = n.norm();
  return length > 0.0 ? Vec3(slice.Bm.R * n / length).normalized() : Vec3(Vec3::Zero());
}

/// While the surface of a mesh stays off all elements it holds one always or never: the beginning
/// tells. Elements beside the shape's box are not inside of it.
bool CloudSearch::holdsElement() const {
  if (!shape_.isMesh()) return false;
  const Pose X_OG = poseB(0, time().lower).inverse() * poseA(0, time().lower);
  const RigidPart& root = parts_[0].part;
  const Vec3 center = X_OG * root.center, half = (X_OG.R * root.half).cwiseAbs().rowwise().sum();
  std::vector<std::int32_t> open{b_.node};
  while (!open.empty()) {
    const std::int32_t n = open.back();
    open.pop_back();
    const AlignedBox box = boxOf(n);
    if ((box.lower.array() > (center + half).array()).any() ||
        (box.upper.array() < (center - half).array()).any()) {
      continue;
    }
    throwIfStopped();
    const Cloud::Node& node = cloud_.nodes()[n];
    if (node.child >= 0) {
      open.push_back(node.child);
      open.push_back(node.child + 1);
      continue;
    }
    for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
      // A ball that is cut by the surface was met before: its middle tells for all of it.
      if (shape_.contains(X_OG.R.transpose() * (cloud_.center(i) - X_OG.p))) return true;
    }
  }
  return false;
}

/// A distance that occurs, or more than one.
double CloudSearch::someDistance() const {
  const std::int32_t first = cloud_.nodes()[b_.node].first;
  const AlignedBox box = boxOf(~first);
  return (poseA(0, time().lower) * shape_.points().front() -
          poseB(0, time().lower) * cloud_.center(first))
             .norm() +
         errorOf(slices_[0], parts_[0].part, box);
}

}  // namespace allclear::cloud
