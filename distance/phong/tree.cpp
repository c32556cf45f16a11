#include "allclear/distance/phong/tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "allclear/distance/geometry/triangles.h"

namespace allclear::phong {
namespace {

TriangleCorners cornersOfTriangle(const PhongMesh& mesh, int triangle) {
  return cornersOf(mesh.corner(triangle, 0), mesh.corner(triangle, 1), mesh.corner(triangle, 2));
}

Vec3 centroid(const PhongMesh& mesh, int triangle) {
  return (mesh.corner(triangle, 0) + mesh.corner(triangle, 1) + mesh.corner(triangle, 2)) / 3.0;
}

}  // namespace

SphereTree::SphereTree(const PhongMesh& mesh) {
  std::vector<int> items(mesh.triangles.size());
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<int>(i);
  nodes_.reserve(2 * items.size());
  nodes_.emplace_back();
  build(mesh, &items, 0, static_cast<int>(items.size()), 0);
}

void SphereTree::build(const PhongMesh& mesh, std::vector<int>* items, int first, int count,
                       int node) {
  constexpr double kRounding = 1e-14;  // a few ulps of a root of a sum of three squares
  Vec3 low = mesh.corner((*items)[first], 0), high = low;
  for (int i = first; i < first + count; ++i) {
    for (int k = 0; k < 3; ++k) {
      low = low.cwiseMin(mesh.corner((*items)[i], k));
      high = high.cwiseMax(mesh.corner((*items)[i], k));
    }
  }
  SphereNode out;
  out.center = 0.5 * (low + high);
  double radius2 = 0.0;
  for (int i = first; i < first + count; ++i) {
    for (int k = 0; k < 3; ++k) {
      radius2 = std::max(radius2, (mesh.corner((*items)[i], k) - out.center).squaredNorm());
    }
  }
  out.radius = std::sqrt(radius2) * (1.0 + kRounding);
  if (count == 1) {
    out.child = ~(*items)[first];
    nodes_[node] = out;
    return;
  }
  // Two halves of equal number by their centres along the longest side. Ties go by index, so that
  // the tree is the same everywhere.
  int axis = 0;
  (high - low).maxCoeff(&axis);
  const int half = count / 2;
  std::nth_element(items->begin() + first, items->begin() + first + half,
                   items->begin() + first + count, [&](int a, int b) {
                     const double pa = centroid(mesh, a)[axis], pb = centroid(mesh, b)[axis];
                     return pa != pb ? pa < pb : a < b;
                   });
  out.child = static_cast<std::int32_t>(nodes_.size());
  nodes_[node] = out;
  nodes_.resize(nodes_.size() + 2);
  build(mesh, items, first, half, out.child);
  build(mesh, items, first + half, count - half, out.child + 1);
}

SurfacePoint SphereTree::nearest(const PhongMesh& mesh, const Vec3& p, int start) const {
  struct Candidate {
    std::int32_t node;
    double lower;  ///< of the distance to its triangles
  };
  std::array<Candidate, 128> stack;  // twice the depth, which is below 40
  int top = 0, best = -1;
  double least = std::numeric_limits<double>::infinity();
  Vec3 at = Vec3::Zero();
  const auto visit = [&](int triangle) {
    const Vec3 q = nearestOnTriangle(cornersOfTriangle(mesh, triangle), p);
    const double d = (q - p).norm();
    if (d >= least) return;
    least = d;
    at = q;
    best = triangle;
  };
  const auto lower = [&](std::int32_t node) {
    return (nodes_[node].center - p).norm() - nodes_[node].radius;
  };
  if (start >= 0) visit(start);
  stack[top++] = {0, lower(0)};
  while (top > 0) {
    const Candidate item = stack[--top];
    if (item.lower >= least) continue;
    const std::int32_t child = nodes_[item.node].child;
    if (child < 0) {
      visit(~child);
      continue;
    }
    // The nearer child is visited first: it sets a bound that may spare the other one.
    Candidate a{child, lower(child)}, b{child + 1, lower(child + 1)};
    if (a.lower < b.lower) std::swap(a, b);
    stack[top++] = a;
    stack[top++] = b;
  }
  // The projection is on the triangle but for rounding, which may leave a weight below 0.
  SurfacePoint out;
  out.triangle = best;
  out.weights = barycentric(mesh, best, at).cwiseMax(0.0);
  out.weights /= out.weights.sum();
  return out;
}

}  // namespace allclear::phong
