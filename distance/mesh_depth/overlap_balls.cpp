// Lower bounds of the depth by balls inside both bodies, and the depth of a point below a surface
// that their radii are: the distance to the nearest triangle, found by branch and bound, with the
// sign of the inside test.

#include "allclear/distance/mesh_depth/overlap_balls.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/mesh/point_bounds.h"

namespace allclear::mesh {
namespace {

/// Of the bodies' size. Radii are shortened by it, and balls not larger are dropped: what is nearly
/// a point could be inside by rounding alone.
constexpr double kLeastRadius = 1e-8;
/// Of the body's reach: the exact distance of a point and a triangle is right to 1e-15 of it.
constexpr double kDistanceRounding = 1e-13;

/// Distance from p to the triangles. `nearest` goes in as a triangle to begin with (negative: none)
/// and comes out as the nearest one.
double surfaceDistance(const MeshBody& body, const Vec3& p, int* nearest) {
  struct Item {
    double lower;
    std::int32_t node;
  };
  const auto& triangles = body.bvh()->triangles();
  double best = std::numeric_limits<double>::infinity();
  const auto measure = [&](int leaf) {
    const double here = (nearestOnTriangle(triangles[leaf], p) - p).norm();
    if (here >= best) return;
    best = here;
    *nearest = leaf;
  };
  // Best first among the children of a node, depth first otherwise. Single precision bounds the
  // volumes from below, so no triangle that could be nearer is pruned.
  if (*nearest >= 0) measure(*nearest);
  const CoarsePoint from = coarsePoint(p, body.reach());
  std::vector<Item> stack;
  stack.reserve(64);
  stack.push_back({0.0, 0});
  StopSteps steps;
  while (!stack.empty()) {
    steps.step();
    const Item item = stack.back();
    stack.pop_back();
    if (item.lower >= best) continue;
    if (item.node < 0) {
      measure(~item.node);
      continue;
    }
    const MeshNode& node = body.bvh()->nodes()[item.node];
    const std::size_t first = stack.size();
    float bounds[MeshNode::kWidth];
    childrenBeyond(node, from, bounds);
    for (int k = 0; k < body.bvh()->width(item.node); ++k) {
      const auto lower = static_cast<double>(bounds[k]);
      if (lower >= best) continue;
      stack.push_back({lower, node.child[k]});
      for (std::size_t j = stack.size() - 1; j > first && stack[j - 1].lower < stack[j].lower;
           --j) {
        std::swap(stack[j - 1], stack[j]);
      }
    }
  }
  return best;
}

}  // namespace

double depthBelowSurface(const MeshBody& body, const Vec3& p, int* nearest) {
  if (body.core() != nullptr) return -std::numeric_limits<double>::infinity();
  int found = nearest != nullptr ? *nearest : -1;
  const double from_triangles = surfaceDistance(body, p, &found),
               rounding = kDistanceRounding * body.reach();
  if (nearest != nullptr) *nearest = found;
  const double below = body.contains(p) ? from_triangles : -from_triangles;
  return below + body.thickness() - rounding;
}

OverlapBalls::OverlapBalls(const MeshBody& A, const Pose& X_BA, const MeshBody& B)
    : A_(A), B_(B), X_BA_(X_BA) {}

double OverlapBalls::addAt(const Vec3& c) {
  const double in_B = depthBelowSurface(B_, c, &nearest_B_);
  const double in_A = depthBelowSurface(A_, X_BA_.R.transpose() * (c - X_BA_.p), &nearest_A_);
  if (std::max(in_A, in_B) <= 0.0) return 0.0;
  const double least = kLeastRadius * (A_.reach() + B_.reach());
  if (std::max(in_A, in_B) > least) balls_.push_back({c, in_A - least, in_B - least});
  return std::max(in_A + in_B, 0.0);
}

bool OverlapBalls::proveContactAt(const Vec3& t) const {
  const double length = t.norm();
  if (!(length > 0.0)) return false;
  for (const Ball& ball : balls_) {
    // A's ball moved by t still holds c + (1 - r / |t|) t, its point nearest to c: is that in B?
    // And the other way round.
    if (ball.in_A > 0.0 && B_.contains(ball.center + std::max(1.0 - ball.in_A / length, 0.0) * t)) {
      return true;
    }
    if (ball.in_B > 0.0) {
      const Vec3 back = ball.center - std::max(1.0 - ball.in_B / length, 0.0) * t;
      if (A_.contains(X_BA_.R.transpose() * (back - X_BA_.p))) return true;
    }
  }
  return false;
}

}  // namespace allclear::mesh
