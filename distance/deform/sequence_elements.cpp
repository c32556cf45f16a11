// A mesh that bends as a tree of elements. How far its triangles reach along n, max over their
// vertices of n.b(t), is a maximum of linear functions of t between two keyframes, so it is convex
// (distance/minimum/tree/search.h has the search). A node's box at an instant is that of both
// keyframes interpolated, as the vertices are.
#include "allclear/distance/deform/sequence_elements.h"

#include <algorithm>
#include <cmath>

#include "allclear/distance/minimum/tree/search_steps.h"

namespace allclear::deform {
namespace {

using tree::RigidShape;

/// Off the surface a winding number is whole.
constexpr double kInside = 0.5;

/// Of cells before the first keyframe.
constexpr int kBefore = -1;

}  // namespace

SequenceElements::SequenceElements(const DeformingMesh& mesh, const Pose& X_WO)
    : X_WF(X_WO), mesh_(mesh) {}

/// The mesh's coordinates, at any keyframe.
double SequenceElements::farthest() const {
  double size = 0.0;
  for (int k = 0; k < mesh_.keyframeCount(); ++k) {
    const AlignedBox all = box(0, {k, 0.0});
    size = std::max(size, all.lower.cwiseAbs().cwiseMax(all.upper.cwiseAbs()).norm());
  }
  return size;
}

std::vector<tree::Cell> SequenceElements::cells(std::span<const BodyCurve> a) const {
  std::vector<tree::Cell> cells;
  // The keyframe by the middle: the ends may be keyframes, where two cells meet.
  const auto add = [&](Interval time, int curve) {
    const bool is_before = time.middle() < mesh_.times()[0];
    cells.push_back({time, curve, is_before ? kBefore : mesh_.at(time.middle()).keyframe});
  };
  for (int c = 0; c < static_cast<int>(a.size()); ++c) {
    const Interval time = a[c].time;
    double t = time.lower;
    for (const double next : mesh_.breaks(time)) {
      add({t, next}, c);
      t = next;
    }
    if (time.upper > t || time.length() == 0.0) add({t, time.upper}, c);
  }
  return cells;
}

SequenceElements::Instant SequenceElements::at(int keyframe, double t) const {
  if (keyframe == kBefore) return {0, 0.0};
  if (keyframe + 1 == mesh_.keyframeCount()) return {keyframe, 0.0};
  const double from = mesh_.times()[keyframe], stretch = mesh_.times()[keyframe + 1] - from;
  return {keyframe, std::clamp((t - from) / stretch, 0.0, 1.0)};
}

AlignedBox SequenceElements::box(std::int32_t node, Instant at) const {
  if (node < 0) {
    const TriangleCorners T = corners(~node, at);
    const Vec3 a = T.corner(0), b = T.corner(1), c = T.corner(2);
    return {a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)};
  }
  const DeformingMesh::NodeBox& from = mesh_.box(node, at.keyframe);
  AlignedBox out;
  for (int axis = 0; axis < 3; ++axis) {
    out.lower[axis] = static_cast<double>(from.lower[axis]);
    out.upper[axis] = static_cast<double>(from.upper[axis]);
  }
  if (at.share == 0.0) return out;
  const DeformingMesh::NodeBox& to = mesh_.box(node, at.keyframe + 1);
  for (int axis = 0; axis < 3; ++axis) {
    out.lower[axis] += at.share * (static_cast<double>(to.lower[axis]) - out.lower[axis]);
    out.upper[axis] += at.share * (static_cast<double>(to.upper[axis]) - out.upper[axis]);
  }
  return out;
}

TriangleCorners SequenceElements::corners(std::int32_t place, Instant at) const {
  const Triangle& t = mesh_.triangles()[mesh_.order()[place]];
  return cornersOf(mesh_.position(t[0], at), mesh_.position(t[1], at), mesh_.position(t[2], at));
}

double SequenceElements::leastOf(std::int32_t place, const Vec3& n, Instant at) const {
  const TriangleCorners T = corners(place, at);
  return lowered(lowered(n.dot(T.corner(0)), n.dot(T.corner(1))), n.dot(T.corner(2)));
}

double SequenceElements::leastOfElements(std::int32_t node, const Vec3& n, Instant at) const {
  if (node < 0) return leastOf(~node, n, at);
  const DeformingMesh::Node& leaf = nodes()[node];
  double least = std::numeric_limits<double>::infinity();
  for (std::int32_t i = leaf.first; i < leaf.first + leaf.count; ++i) {
    least = lowered(least, leastOf(i, n, at));
  }
  return least;
}

std::int32_t SequenceElements::leastElement(std::int32_t node, const Vec3& n, Instant at) const {
  const DeformingMesh::Node& leaf = nodes()[node];
  std::int32_t best = leaf.first;
  double least = leastOf(best, n, at);
  for (std::int32_t i = leaf.first + 1; i < leaf.first + leaf.count; ++i) {
    const double along = leastOf(i, n, at);
    if (!(along < least)) continue;
    least = along;
    best = i;
  }
  return best;
}

tree::Nearest SequenceElements::nearest(const RigidShape& shape, const tree::RigidPart& part,
                                        const Pose& X_FG, std::int32_t element, Instant at,
                                        const Vec3& guess) const {
  const TriangleCorners T = corners(element, at);
  TriangleCorners in_G;
  for (int k = 0; k < 3; ++k) {
    const Vec3 x = X_FG.R.transpose() * (T.corner(k) - X_FG.p);
    for (int axis = 0; axis < 3; ++axis) in_G.p[k][axis] = x[axis];
  }
  const RigidShape::Nearest near = shape.nearest(part, in_G, X_FG.R.transpose() * guess);
  // The pose is only near a rotation: a point of each body in F makes a distance that occurs.
  tree::Nearest out;
  out.a = X_FG * near.a;
  out.b = nearestOnTriangle(T, out.a);
  const Vec3 way = out.b - out.a;
  const double length = way.norm();
  out.distance = length - part.radius;
  out.meets = !(near.distance > 0.0) || !(out.distance > 0.0);
  if (out.meets) {
    out.distance = 0.0;
    return out;
  }
  out.normal = way / length;
  out.a += part.radius * out.normal;
  return out;
}

/// While the surfaces stay apart solids hold one another always or never.
bool SequenceElements::meetsInside(const RigidShape& shape, const Pose& X_FG, Instant at,
                                   double t) const {
  if (!tree::meet(tree::boxAbout(shape.root(), X_FG), box(0, at))) return false;
  if (mesh_.hasInside()) {
    for (const Vec3& p : shape.points()) {
      if (std::abs(mesh_.windingNumber(X_FG * p, t)) > kInside) return true;
    }
  }
  return std::any_of(mesh_.representatives().begin(), mesh_.representatives().end(),
                     [&](std::int32_t v) {
                       return shape.contains(X_FG.R.transpose() * (mesh_.position(v, at) - X_FG.p));
                     });
}

}  // namespace allclear::deform

template class allclear::tree::Search<allclear::deform::SequenceElements>;
