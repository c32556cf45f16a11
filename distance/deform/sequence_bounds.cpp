// Stretches of time, and what one of them proves of two volumes (sequence_search.cpp).
#include <algorithm>
#include <cmath>

#include "allclear/distance/deform/sequence_search.h"

namespace allclear::deform {
namespace {

/// Roundings of poses, interpolations and sums, relative to the coordinates: a few hundred
/// operations at most.
constexpr double kRounding = 500.0 * std::numeric_limits<double>::epsilon();

}  // namespace

SequenceSearch::SequenceSearch(const RigidShape& shape, const MovingShape& a,
                               const DeformingMesh& mesh, const Pose& X_WO, double remainder)
    : shape_(shape), a_(a), mesh_(mesh), X_OW_(X_WO.inverse()), remainder_(remainder) {
  parts_.push_back({shape.root(), -1, 0});
  double farthest = 0.0;
  for (const BodyCurve& curve : a.curves) {
    for (const Pose& X : curve.control) farthest = std::max(farthest, X.p.norm());
  }
  const double scale =
      X_WO.p.norm() + a.X_BG.p.norm() + shape.root().center.norm() + shape.root().reach + farthest;
  // The mesh's coordinates, at any keyframe.
  double size = 0.0;
  for (int k = 0; k < mesh.keyframeCount(); ++k) {
    const DeformingMesh::NodeBox& box = mesh.box(0, k);
    for (int axis = 0; axis < 3; ++axis) {
      size = std::max({size, std::abs(static_cast<double>(box.lower[axis])),
                       std::abs(static_cast<double>(box.upper[axis]))});
    }
  }
  rounding_ = kRounding * (2.0 * scale + 2.0 * size);
}

int SequenceSearch::curveAt(double t) const {
  int i = 0;
  while (i + 1 < static_cast<int>(a_.curves.size()) && a_.curves[i].time.upper < t) ++i;
  return i;
}

/// `P0`: the pose at its beginning, known from the stretch before.
void SequenceSearch::addSlice(int curve, double t0, double t1, const Pose& P0) {
  Slice slice;
  slice.t0 = t0;
  slice.t1 = t1;
  slice.curve = curve;
  // By the middle: the ends may be keyframes, where two stretches meet.
  const double middle = 0.5 * (t0 + t1);
  const DeformingMesh::Instant when = mesh_.at(middle);
  slice.keyframe = when.keyframe;
  const int k = when.keyframe;
  if (k + 1 < mesh_.keyframeCount() && middle >= mesh_.times()[k]) {
    const double stretch = mesh_.times()[k + 1] - mesh_.times()[k];
    slice.f0 = std::clamp((t0 - mesh_.times()[k]) / stretch, 0.0, 1.0);
    slice.f1 = std::clamp((t1 - mesh_.times()[k]) / stretch, 0.0, 1.0);
  }
  slice.P0 = P0;
  slice.P1 = t1 > t0 ? pose(curve, t1) : P0;
  slices_.push_back(slice);
}

/// Cuts the time where curves and keyframes end.
void SequenceSearch::makeSlices() {
  for (int c = 0; c < static_cast<int>(a_.curves.size()); ++c) {
    const Interval time = a_.curves[c].time;
    double t = time.lower;
    Pose P = pose(c, t);
    for (const double next : mesh_.breaks(time)) {
      addSlice(c, t, next, P);
      P = slices_.back().P1;
      t = next;
    }
    if (time.upper > t || time.length() == 0.0) addSlice(c, t, time.upper, P);
  }
}

void SequenceSearch::needMiddle(int i) {
  Slice& slice = slices_[i];
  if (slice.has_middle) return;
  slice.has_middle = true;
  slice.Pm = slice.t1 > slice.t0 ? pose(slice.curve, 0.5 * (slice.t0 + slice.t1)) : slice.P0;
}

int SequenceSearch::halves(int i) {
  if (slices_[i].child >= 0) return slices_[i].child;
  needMiddle(i);
  const int child = static_cast<int>(slices_.size());
  slices_[i].child = child;
  Slice first = slices_[i];
  first.child = -1;
  first.has_middle = false;
  // The middle of the whole is an end of both; linear shares halve as times do.
  Slice second = first;
  first.t1 = second.t0 = 0.5 * (first.t0 + first.t1);
  first.f1 = second.f0 = 0.5 * (first.f0 + first.f1);
  first.P1 = second.P0 = slices_[i].Pm;
  slices_.push_back(first);
  slices_.push_back(second);
  return child;
}

void SequenceSearch::needChildren(int part) {
  if (parts_[part].child >= 0) return;
  std::vector<RigidPart> children;
  shape_.forChildren(parts_[part].part, [&](const RigidPart& child) { children.push_back(child); });
  parts_[part].child = static_cast<int>(parts_.size());
  parts_[part].children = static_cast<int>(children.size());
  for (RigidPart& child : children) parts_.push_back({child, -1, 0});
}

SequenceSearch::NodeBox SequenceSearch::boxAt(const Slice& slice, std::int32_t node,
                                              double f) const {
  if (node < 0) {
    const TriangleCorners T = cornersAt(slice, ~node, f);
    const Vec3 a = T.corner(0), b = T.corner(1), c = T.corner(2);
    return {a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)};
  }
  // Boxes at both keyframes, interpolated as the vertices are.
  const DeformingMesh::NodeBox& from = mesh_.box(node, slice.keyframe);
  NodeBox out;
  for (int axis = 0; axis < 3; ++axis) {
    out.lower[axis] = static_cast<double>(from.lower[axis]);
    out.upper[axis] = static_cast<double>(from.upper[axis]);
  }
  if (f == 0.0) return out;
  const DeformingMesh::NodeBox& to = mesh_.box(node, slice.keyframe + 1);
  for (int axis = 0; axis < 3; ++axis) {
    out.lower[axis] += f * (static_cast<double>(to.lower[axis]) - out.lower[axis]);
    out.upper[axis] += f * (static_cast<double>(to.upper[axis]) - out.upper[axis]);
  }
  return out;
}

TriangleCorners SequenceSearch::cornersAt(const Slice& slice, std::int32_t place, double f) const {
  const Triangle& t = mesh_.triangles()[mesh_.order()[place]];
  const DeformingMesh::Instant when{slice.keyframe, f};
  return cornersOf(mesh_.position(t[0], when), mesh_.position(t[1], when),
                   mesh_.position(t[2], when));
}

/// The part's farthest point from the curve's reference point.
double SequenceSearch::radiusOf(const Slice& slice, const RigidPart& part) const {
  return (a_.X_BG * part.center - a_.curves[slice.curve].reference_B).norm() + part.reach;
}

double SequenceSearch::errorOf(const Slice& slice, const RigidPart& part) const {
  return a_.curves[slice.curve].error(radiusOf(slice, part)) + rounding_;
}

double SequenceSearch::remainderOf(const Slice& slice, const RigidPart& part) const {
  const double h = slice.t1 - slice.t0;
  const DerivativeBounds& bounds = a_.curves[slice.curve].bounds;
  return remainder_ * h * h / 8.0 * (bounds.linear[1] + bounds.angular[1] * radiusOf(slice, part));
}

/// The least over both ends of [ min n.b - max n.a ].
double SequenceSearch::roomAlong(const Slice& slice, const RigidPart& part, std::int32_t node,
                                 const Vec3& n) const {
  double least = std::numeric_limits<double>::infinity();
  for (const bool end : {false, true}) {
    const Pose& P = end ? slice.P1 : slice.P0;
    const double f = end ? slice.f1 : slice.f0;
    double of_b = 0.0;
    if (node >= 0) {
      const NodeBox box = boxAt(slice, node, f);
      for (int axis = 0; axis < 3; ++axis) {
        of_b += n[axis] * (n[axis] > 0.0 ? box.lower[axis] : box.upper[axis]);
      }
    } else {
      const TriangleCorners T = cornersAt(slice, ~node, f);
      of_b = std::min({n.dot(T.corner(0)), n.dot(T.corner(1)), n.dot(T.corner(2))});
    }
    const double of_a = n.dot(P.p) + shape_.reachAlong(part, P.R.transpose() * n);
    // Negated, so that NaN proves nothing.
    if (!(of_b - of_a >= least)) least = of_b - of_a;
    if (slice.t1 == slice.t0) break;
  }
  return least;
}

/// From the ball about A and the box about B: the cheap first test of a stretch.
double SequenceSearch::ballBound(const Slice& slice) const {
  const RigidPart& root = parts_[0].part;
  const Vec3 c0 = slice.P0 * root.center, c1 = slice.P1 * root.center;
  const NodeBox b0 = boxAt(slice, 0, slice.f0), b1 = boxAt(slice, 0, slice.f1);
  const Vec3 c = 0.5 * (c0 + c1);
  const Vec3 n = c.cwiseMax(0.5 * (b0.lower + b1.lower)).cwiseMin(0.5 * (b0.upper + b1.upper)) - c;
  const double length = n.norm();
  if (!(length > 0.0)) return -std::numeric_limits<double>::infinity();
  const auto room = [&](const NodeBox& box, const Vec3& center) {
    double along = -n.dot(center);
    for (int k = 0; k < 3; ++k) along += n[k] * (n[k] > 0.0 ? box.lower[k] : box.upper[k]);
    return along / length;
  };
  // |R| of a polynomial pose exceeds 1 by its rotation error at most, which `errorOf` includes.
  return std::min(room(b0, c0), room(b1, c1)) - root.reach - remainderOf(slice, root) -
         2.0 * errorOf(slice, root);
}

/// From the part's box to the node's at the middle, by a few alternating projections; zero where
/// they meet.
Vec3 SequenceSearch::direction(const Slice& slice, const RigidPart& part, std::int32_t node) const {
  const NodeBox box = boxAt(slice, node, 0.5 * (slice.f0 + slice.f1));
  const Mat3 half = slice.Pm.R * part.half;
  const Vec3 center = slice.Pm * part.center;
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
  return length > 0.0 ? Vec3(n / length) : Vec3(Vec3::Zero());
}

}  // namespace allclear::deform
