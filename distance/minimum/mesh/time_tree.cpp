// Intervals of time with what the bounds need to know of the motion there.

#include "allclear/distance/minimum/mesh/time_tree.h"

#include <algorithm>

namespace allclear::mcd {
namespace {

/// What the evaluation of a leaf's distance adds to the pose's error, relative to the bodies' size:
/// between triangles, and with a core whose distance is iterated.
constexpr double kTriangleRounding = 1e-14;
constexpr double kCoreAccuracy = 1e-8;

}  // namespace

std::int32_t TimeTree::addCell(int cell) {
  const double size = motion_.A().reach() + motion_.B().reach();
  RelativeCurve& curve = curves_[cell];
  curve = motion_.relative(cell);
  curve.error += kTriangleRounding * size;
  if (motion_.B().core() != nullptr) curve.error += kCoreAccuracy * size;
  return add(cell, -1.0, 1.0);
}

std::int32_t TimeTree::add(int cell, double s0, double s1) {
  TimeNode& node = nodes_.emplace_back();
  node.s0 = s0;
  node.s1 = s1;
  node.cell = cell;
  node.halves = 0;
  std::fill_n(node.n, 3, 0.0);
  economise(curves_[cell], s0, s1, thickness_, &node.poses);
  node.coarse = coarsen(node.poses, motion_.A().reach(), motion_.B().reach());
  return static_cast<std::int32_t>(nodes_.size()) - 1;
}

std::int32_t TimeTree::halvesOf(std::int32_t node) {
  if (nodes_[node].halves != 0) return nodes_[node].halves;
  // `add` may move the nodes: no reference to one is kept.
  const double s0 = nodes_[node].s0, s1 = nodes_[node].s1, middle = 0.5 * (s0 + s1);
  const int cell = nodes_[node].cell;
  const std::int32_t first = add(cell, s0, middle);
  add(cell, middle, s1);
  nodes_[node].halves = first;
  // The direction of the whole serves the halves until they have a better one.
  for (int k = 0; k < 2; ++k) std::copy_n(nodes_[node].n, 3, nodes_[first + k].n);
  return first;
}

}  // namespace allclear::mcd
