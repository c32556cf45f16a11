#include "allclear/distance/mesh_depth_bound.h"

#include <array>
#include <cmath>
#include <limits>

#include "allclear/distance/mesh_search.h"

namespace allclear::mesh {
namespace {

/// Distance from p to the triangles.
double surfaceDistance(const MeshBody& body, const Vec3& p) {
  struct Item {
    double lower;
    std::int32_t node;
  };
  std::vector<Item> stack{{0.0, 0}};
  double best = std::numeric_limits<double>::infinity();
  while (!stack.empty()) {
    const Item item = stack.back();
    stack.pop_back();
    if (item.lower >= best) continue;
    const MeshNode& node = body.bvh()->nodes()[item.node];
    const std::size_t first = stack.size();
    for (int k = 0; k < body.bvh()->width(item.node); ++k) {
      const Vec3 c(static_cast<double>(node.ball[0][k]), static_cast<double>(node.ball[1][k]),
                   static_cast<double>(node.ball[2][k]));
      const double lower = (p - c).norm() - static_cast<double>(node.ball[3][k]);
      if (lower >= best) continue;
      if (node.child[k] < 0) {
        const TriangleCorners& triangle = body.bvh()->triangles()[~node.child[k]];
        best = std::min(best, (nearestOnTriangle(triangle, p) - p).norm());
        continue;
      }
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

double depthBelowSurface(const MeshBody& body, const Vec3& p) {
  if (body.core() != nullptr) return -std::numeric_limits<double>::infinity();
  const double from_triangles = surfaceDistance(body, p), rounding = 1e-13 * body.reach();
  const double below = body.contains(p) ? from_triangles : -from_triangles;
  return below + body.thickness() - rounding;
}

double ballDepth(const MeshBody& A, const Pose& X_BA, const MeshBody& B, const Vec3& c) {
  const double below_B = depthBelowSurface(B, c);
  const double below_A = depthBelowSurface(A, X_BA.R.transpose() * (c - X_BA.p));
  if (std::max(below_A, below_B) <= 0.0) return 0.0;
  return std::max(below_A + below_B, 0.0);
}

}  // namespace allclear::mesh
