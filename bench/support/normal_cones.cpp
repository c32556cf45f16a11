// Cones of normals of C.-J. Lee, "Efficient normal cone culling method for collision detection of
// deformable model" (Seoul National University, 2020), and of M. Tang et al., "ICCD: interactive
// continuous collision detection between deformable models using connectivity-based culling" (TVCG
// 2009), as that thesis describes them. Unsound: see the header.
//
// Control points of a triangle's normal: N0, N1, N2 of patch_rows.cpp; the thesis halves the curve
// once by de Casteljau, which gives five. Its cone of five points is the least one (G. Barequet and
// G. Elber, "Optimal bounding cones of vectors in three dimensions", 2005), found here by the
// incremental search for the smallest enclosing ball, carried over to caps.
#include "bench/support/normal_cones.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace allclear::bench {
namespace {

constexpr double kPi = std::numbers::pi;
/// A point counts as inside of a cap up to this: cosines are rounded.
constexpr double kInside = 1e-12;
/// Sums of opposite axes are shorter than this and give no direction.
constexpr double kLeastSum = 1e-9;

double angleBetween(const Vec3& a, const Vec3& b) {
  return std::acos(std::clamp(a.dot(b), -1.0, 1.0));
}

NormalCone everything() { return {Vec3::UnitZ(), kPi}; }

/// A cap by its axis and the cosine of its angle.
struct Cap {
  Vec3 axis;
  double cosine;
  bool holds(const Vec3& p) const { return axis.dot(p) >= cosine - kInside; }
};

Cap capOf(const Vec3& p, const Vec3& q) {
  const Vec3 axis = (p + q).normalized();
  return {axis, std::min(axis.dot(p), axis.dot(q))};
}

/// With all three on its rim.
Cap capOf(const Vec3& p, const Vec3& q, const Vec3& r) {
  Vec3 axis = (q - p).cross(r - p).normalized();
  if (axis.dot(p) < 0) axis = -axis;
  return {axis, std::min({axis.dot(p), axis.dot(q), axis.dot(r)})};
}

NormalCone leastCone(const Vec3* p, int n) {
  Cap cap = capOf(p[0], p[1]);
  for (int i = 2; i < n; ++i) {
    if (cap.holds(p[i])) continue;
    cap = capOf(p[0], p[i]);
    for (int j = 1; j < i; ++j) {
      if (cap.holds(p[j])) continue;
      cap = capOf(p[j], p[i]);
      for (int k = 0; k < j; ++k) {
        if (!cap.holds(p[k])) cap = capOf(p[k], p[j], p[i]);
      }
    }
  }
  const double angle = std::acos(std::clamp(cap.cosine, -1.0, 1.0));
  return std::isfinite(angle) ? NormalCone{cap.axis, angle} : everything();
}

NormalCone coneOfTriangle(const MeshStep& step, const Triangle& t, ConeMethod method) {
  const Vec3 e0 = step.start[t[1]] - step.start[t[0]], f0 = step.start[t[2]] - step.start[t[0]];
  const Vec3 e1 = step.end[t[1]] - step.end[t[0]], f1 = step.end[t[2]] - step.end[t[0]];
  const Vec3 n0 = e0.cross(f0), n2 = e1.cross(f1), n1 = 0.5 * (e0.cross(f1) + e1.cross(f0));
  const auto isZero = [](const Vec3& n) { return !(n.squaredNorm() > 0.0); };
  if (isZero(n0) || isZero(n1) || isZero(n2)) return everything();
  if (method == ConeMethod::kTang) {
    const NormalCone ends = mergedByProvot({n0.normalized(), 0.0}, {n2.normalized(), 0.0});
    return mergedByProvot(ends, {n1.normalized(), 0.0});
  }
  const Vec3 early = 0.5 * (n0 + n1), late = 0.5 * (n1 + n2), middle = 0.5 * (early + late);
  if (isZero(early) || isZero(late) || isZero(middle)) return everything();
  const Vec3 points[5] = {n0.normalized(), early.normalized(), middle.normalized(),
                          late.normalized(), n2.normalized()};
  return leastCone(points, 5);
}

}  // namespace

NormalCone mergedByProvot(const NormalCone& a, const NormalCone& b) {
  const Vec3 sum = a.axis + b.axis;
  const double length = sum.norm();
  if (!(length > kLeastSum)) return everything();
  return {sum / length, 0.5 * angleBetween(a.axis, b.axis) + std::max(a.angle, b.angle)};
}

NormalCone mergedByLee(const NormalCone& a, const NormalCone& b) {
  if (a.angle >= kPi || b.angle >= kPi) return everything();
  const double between = angleBetween(a.axis, b.axis);
  const double angle = 0.5 * (between + a.angle + b.angle);
  if (angle <= a.angle) return a;
  if (angle <= b.angle) return b;
  // The weights place the axis so that both outer rims are `angle` away from it.
  const Vec3 sum = std::sin(angle - b.angle) * a.axis + std::sin(angle - a.angle) * b.axis;
  const double length = sum.norm();
  if (angle >= kPi || !(length > kLeastSum)) return everything();
  return {sum / length, angle};
}

void fillCones(const MeshStep& step, const deform::PatchTree& tree, ConeMethod method,
               std::vector<NormalCone>* cones) {
  cones->resize(tree.nodes.size());
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const deform::PatchTree::Node& node = tree.nodes[i];
    NormalCone& cone = (*cones)[i];
    if (node.isLeaf()) {
      cone = coneOfTriangle(step, step.triangles[tree.order[node.begin]], method);
    } else if (method == ConeMethod::kTang) {
      cone = mergedByProvot((*cones)[i + 1], (*cones)[node.right]);
    } else {
      cone = mergedByLee((*cones)[i + 1], (*cones)[node.right]);
    }
  }
}

std::vector<int> skippedNodes(const deform::PatchTree& tree, const std::vector<NormalCone>& cones) {
  std::vector<int> out;
  const int n = static_cast<int>(tree.nodes.size());
  for (int i = 0; i < n;) {
    const bool is_skipped = !tree.nodes[i].isLeaf() && cones[i].angle < kPi / 2;
    if (is_skipped) out.push_back(i);
    i += is_skipped ? 2 * tree.nodes[i].size() - 1 : 1;
  }
  return out;
}

}  // namespace allclear::bench
