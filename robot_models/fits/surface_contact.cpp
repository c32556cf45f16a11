// Two triangles are apart when one of these directions separates them (separating axis theorem for
// convex polygons in space): their normals, the products of their edges, and, in a common plane,
// the normals of the edges within it.
#include "allclear/robot_models/fits/surface_contact.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

using Corners = std::array<Vec3, 3>;

constexpr int kLeafSize = 4;
constexpr int kCircleSides = 24;
constexpr int kSphereRings = 12;
// sin² of the angle below which two edges count as parallel.
constexpr double kParallel = 1e-20;

bool separates(const Vec3& axis, const Corners& a, const Corners& b) {
  const double a0 = axis.dot(a[0]), a1 = axis.dot(a[1]), a2 = axis.dot(a[2]);
  const double b0 = axis.dot(b[0]), b1 = axis.dot(b[1]), b2 = axis.dot(b[2]);
  return std::max({a0, a1, a2}) < std::min({b0, b1, b2}) ||
         std::max({b0, b1, b2}) < std::min({a0, a1, a2});
}

bool trianglesTouch(const Corners& a, const Corners& b) {
  const Vec3 ea[] = {a[1] - a[0], a[2] - a[1], a[0] - a[2]};
  const Vec3 eb[] = {b[1] - b[0], b[2] - b[1], b[0] - b[2]};
  const Vec3 na = ea[0].cross(ea[1]);
  const Vec3 nb = eb[0].cross(eb[1]);
  if (separates(na, a, b) || separates(nb, a, b)) return false;
  for (const Vec3& u : ea) {
    for (const Vec3& v : eb) {
      const Vec3 axis = u.cross(v);
      if (axis.squaredNorm() <= kParallel * u.squaredNorm() * v.squaredNorm()) continue;
      if (separates(axis, a, b)) return false;
    }
  }
  for (int i = 0; i < 3; ++i) {
    if (separates(na.cross(ea[i]), a, b) || separates(nb.cross(eb[i]), a, b)) return false;
  }
  return true;
}

void addQuad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d,
             std::vector<Corners>& out) {
  out.push_back({a, b, c});
  out.push_back({a, c, d});
}

/// A surface of revolution about z through the rings (radius, height), the ends closed.
std::vector<Corners> revolved(const std::vector<Vec2>& rings) {
  const auto point = [&](std::size_t ring, int side) {
    const double angle = 2.0 * std::numbers::pi * side / kCircleSides;
    return Vec3(rings[ring].x() * std::cos(angle), rings[ring].x() * std::sin(angle),
                rings[ring].y());
  };
  std::vector<Corners> out;
  for (std::size_t r = 0; r + 1 < rings.size(); ++r) {
    for (int s = 0; s < kCircleSides; ++s) {
      addQuad(point(r, s), point(r, s + 1), point(r + 1, s + 1), point(r + 1, s), out);
    }
  }
  return out;
}

std::vector<Corners> surfaceOf(const Sphere& sphere) {
  std::vector<Vec2> rings;
  for (int i = 0; i <= kSphereRings; ++i) {
    const double angle = std::numbers::pi * i / kSphereRings;
    rings.push_back(sphere.radius() * Vec2(std::sin(angle), -std::cos(angle)));
  }
  return revolved(rings);
}

std::vector<Corners> surfaceOf(const Cylinder& cylinder) {
  const double r = cylinder.radius(), h = 0.5 * cylinder.length();
  return revolved({{0, -h}, {r, -h}, {r, h}, {0, h}});
}

std::vector<Corners> surfaceOf(const Box& box) {
  std::vector<Corners> out;
  const Vec3 h = box.halfSize();
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 u = h[(axis + 1) % 3] * Vec3::Unit((axis + 1) % 3);
    const Vec3 v = h[(axis + 2) % 3] * Vec3::Unit((axis + 2) % 3);
    for (double sign : {-1.0, 1.0}) {
      const Vec3 c = sign * h[axis] * Vec3::Unit(axis);
      addQuad(c - u - v, c + u - v, c + u + v, c - u + v, out);
    }
  }
  return out;
}

std::vector<Corners> surfaceOf(const TriangleMesh& mesh) {
  std::vector<Corners> out;
  for (const Triangle& t : mesh.triangles()) {
    out.push_back({mesh.vertices()[t[0]], mesh.vertices()[t[1]], mesh.vertices()[t[2]]});
  }
  return out;
}

/// Other shapes do not come out of a URDF.
template <class Other>
std::vector<Corners> surfaceOf(const Other&) {
  ALLCLEAR_ASSERT(false && "a shape that a URDF can hold");
  return {};
}

bool isInside(const Vec3& p, const Sphere& s) { return p.squaredNorm() <= s.radius() * s.radius(); }
bool isInside(const Vec3& p, const Box& s) {
  return (p.cwiseAbs().array() <= s.halfSize().array()).all();
}
bool isInside(const Vec3& p, const Cylinder& s) {
  return p.head<2>().norm() <= s.radius() && std::abs(p.z()) <= 0.5 * s.length();
}
template <class Other>
bool isInside(const Vec3&, const Other&) {
  return false;
}

}  // namespace

ContactBody::ContactBody(const std::vector<Geometry>& geometry) {
  for (const Geometry& item : geometry) addTriangles(item);
  if (!triangles_.empty()) build(0, static_cast<int>(triangles_.size()));
}

void ContactBody::addTriangles(const Geometry& geometry) {
  const auto surface =
      std::visit([](const auto& shape) { return surfaceOf(shape); }, geometry.shape);
  if (!std::holds_alternative<TriangleMesh>(geometry.shape)) primitives_.push_back(geometry);
  part_points_.push_back(geometry.X_BG * surface.front()[0]);
  for (const Corners& t : surface) {
    // Triangles without area have no normal to separate them by; their neighbours cover them.
    if ((t[1] - t[0]).cross(t[2] - t[0]).isZero(0.0)) continue;
    triangles_.push_back({geometry.X_BG * t[0], geometry.X_BG * t[1], geometry.X_BG * t[2]});
  }
}

int ContactBody::build(int first, int count) {
  Vec3 lower = triangles_[first][0];
  Vec3 upper = lower;
  for (int i = first; i < first + count; ++i) {
    for (const Vec3& p : triangles_[i]) {
      lower = lower.cwiseMin(p);
      upper = upper.cwiseMax(p);
    }
  }
  const int index = static_cast<int>(nodes_.size());
  nodes_.push_back({0.5 * (lower + upper), 0.5 * (upper - lower), -1, first, count});
  if (count <= kLeafSize) return index;
  int axis = 0;
  (upper - lower).maxCoeff(&axis);
  const int half = count / 2;
  std::nth_element(triangles_.begin() + first, triangles_.begin() + first + half,
                   triangles_.begin() + first + count, [axis](const Corners& a, const Corners& b) {
                     return a[0][axis] + a[1][axis] + a[2][axis] <
                            b[0][axis] + b[1][axis] + b[2][axis];
                   });
  build(first, half);
  nodes_[index].right = build(first + half, count - half);
  return index;
}

bool ContactBody::holdsPart(const ContactBody& other, const Pose& X_this_other) const {
  for (const Geometry& primitive : primitives_) {
    const Pose X_G_other = primitive.X_BG.inverse() * X_this_other;
    for (const Vec3& point : other.part_points_) {
      const Vec3 p = X_G_other * point;
      if (std::visit([&](const auto& shape) { return isInside(p, shape); }, primitive.shape)) {
        return true;
      }
    }
  }
  return false;
}

bool ContactBody::leavesCross(const BoxNode& leaf, const ContactBody& other,
                              const BoxNode& other_leaf, const Pose& X_this_other) const {
  for (int j = other_leaf.first; j < other_leaf.first + other_leaf.count; ++j) {
    const Corners& t = other.triangles_[j];
    const Corners b{X_this_other * t[0], X_this_other * t[1], X_this_other * t[2]};
    for (int i = leaf.first; i < leaf.first + leaf.count; ++i) {
      if (trianglesTouch(triangles_[i], b)) return true;
    }
  }
  return false;
}

bool ContactBody::crosses(const ContactBody& other, const Pose& X_this_other) const {
  if (nodes_.empty() || other.nodes_.empty()) return false;
  const Mat3 spread = X_this_other.R.cwiseAbs();
  std::vector<std::pair<int, int>> open{{0, 0}};
  while (!open.empty()) {
    const auto [i, j] = open.back();
    open.pop_back();
    const BoxNode& a = nodes_[i];
    const BoxNode& b = other.nodes_[j];
    // Box b in this frame, enclosed by a box along its axes; and the other way round.
    const Vec3 offset = X_this_other * b.center - a.center;
    if ((offset.cwiseAbs().array() > (a.half + spread * b.half).array()).any()) continue;
    const Vec3 turned = X_this_other.R.transpose() * offset;
    const Vec3 reach = b.half + spread.transpose() * a.half;
    if ((turned.cwiseAbs().array() > reach.array()).any()) continue;
    if (a.right < 0 && b.right < 0) {
      if (leavesCross(a, other, b, X_this_other)) return true;
    } else if (b.right < 0 || (a.right >= 0 && a.half.norm() >= b.half.norm())) {
      open.emplace_back(a.right, j);
      open.emplace_back(i + 1, j);
    } else {
      open.emplace_back(i, b.right);
      open.emplace_back(i, j + 1);
    }
  }
  return false;
}

bool ContactBody::inContact(const ContactBody& A, const Pose& X_WA, const ContactBody& B,
                            const Pose& X_WB) {
  const Pose X_AB = X_WA.inverse() * X_WB;
  return A.holdsPart(B, X_AB) || B.holdsPart(A, X_AB.inverse()) || A.crosses(B, X_AB);
}

}  // namespace allclear
