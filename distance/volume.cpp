// Volumes of shapes and of unions of capsules.
//
// A closed mesh: the signed volumes of the tetrahedra over its triangles add up to its own,
// whatever the common apex (divergence theorem); the apex is one of its corners, so that little
// cancels.
//
// A union of capsules has no simple formula. Parallel lines along x on a grid in y and z each meet
// a capsule in one interval; the length of the union of the intervals, times the area of a grid
// cell, adds up to the volume (midpoint rule).

#include "allclear/distance/shape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

#include "allclear/core/assert.h"
#include "allclear/distance/fitting.h"
#include "allclear/distance/geometry/convex_hull.h"

namespace allclear {
namespace {

constexpr double kPi = std::numbers::pi;
/// sin^2 of the angle between a line and a capsule's axis below which they are parallel: one over
/// it would turn rounding into a result.
constexpr double kParallel = 1e-24;
/// Cosine of that angle below which they are square to each other.
constexpr double kSquare = 1e-12;

/// Negative for a mesh that is turned inside out.
double signedVolume(const TriangleMesh& mesh) {
  const Vec3 origin = mesh.vertices()[mesh.triangles().front()[0]];
  double six = 0.0;
  for (const Triangle& t : mesh.triangles()) {
    const Vec3 a = mesh.vertices()[t[0]] - origin;
    const Vec3 b = mesh.vertices()[t[1]] - origin;
    const Vec3 c = mesh.vertices()[t[2]] - origin;
    six += a.dot(b.cross(c));
  }
  return six / 6.0;
}

struct Volume {
  double operator()(const Sphere& s) const { return 4.0 / 3.0 * kPi * std::pow(s.radius(), 3); }
  double operator()(const Capsule& s) const {
    return kPi * s.radius() * s.radius() * (s.length() + 4.0 / 3.0 * s.radius());
  }
  double operator()(const Box& s) const { return s.size().prod(); }
  double operator()(const Cylinder& s) const { return kPi * s.radius() * s.radius() * s.length(); }
  double operator()(const Cone& s) const {
    return kPi * s.radius() * s.radius() * s.length() / 3.0;
  }
  double operator()(const Ellipsoid& s) const { return 4.0 / 3.0 * kPi * s.radii().prod(); }
  double operator()(const HalfSpace&) const { return std::numeric_limits<double>::infinity(); }
  double operator()(const ConvexMesh& s) const { return convexHull(s.points()).volume; }
  double operator()(const TriangleMesh& s) const { return signedVolume(s); }
};

/// A capsule, the points within `radius` of the segment from a to b, as lines along x see it.
struct Tube {
  Vec3 a, b;
  double radius;

  /// The interval of x in which the line through (0, y, z) is inside; false when it is not at all.
  /// A line meets the convex capsule in one interval, which is that of its two balls and its wall
  /// together.
  bool cut(double y, double z, Interval* x) const {
    x->lower = std::numeric_limits<double>::infinity();
    x->upper = -x->lower;
    cutBall(a, y, z, x);
    cutBall(b, y, z, x);
    cutWall(y, z, x);
    return x->lower < x->upper;
  }

 private:
  static void widen(double lower, double upper, Interval* x) {
    if (lower > upper) return;
    x->lower = std::min(x->lower, lower);
    x->upper = std::max(x->upper, upper);
  }
  void cutBall(const Vec3& c, double y, double z, Interval* x) const {
    const double h = radius * radius - (y - c.y()) * (y - c.y()) - (z - c.z()) * (z - c.z());
    if (h > 0.0) widen(c.x() - std::sqrt(h), c.x() + std::sqrt(h), x);
  }
  // The wall, with d the unit axis and q from a to the line's point at x = 0. The point at x is at
  // s + x e along the axis (s = q.d, e = d.x) and off it by w + x g. It is inside while
  // |w + x g|^2 <= r^2, a quadratic in x, and 0 <= s + x e <= length.
  void cutWall(double y, double z, Interval* x) const {
    const double length = (b - a).norm();
    if (length == 0.0) return;
    const Vec3 d = (b - a) / length;
    const Vec3 q = Vec3(0.0, y, z) - a;
    const double s = q.dot(d);
    const double e = d.x();
    const Vec3 w = q - s * d;
    const Vec3 g = Vec3::UnitX() - e * d;
    const double gg = g.squaredNorm();
    double lower = -std::numeric_limits<double>::infinity();
    double upper = -lower;
    if (gg > kParallel) {
      const double half = w.dot(g);
      const double discriminant = half * half - gg * (w.squaredNorm() - radius * radius);
      if (discriminant <= 0.0) return;
      lower = (-half - std::sqrt(discriminant)) / gg;
      upper = (-half + std::sqrt(discriminant)) / gg;
    } else if (w.squaredNorm() > radius * radius) {
      // Along the axis, and outside of it all the way.
      return;
    }
    if (std::abs(e) > kSquare) {
      lower = std::max(lower, std::min(-s / e, (length - s) / e));
      upper = std::min(upper, std::max(-s / e, (length - s) / e));
    } else if (s < 0.0 || s > length) {
      return;
    }
    widen(lower, upper, x);
  }
};

/// The length of the union of intervals; sorts them.
double unionLength(std::vector<Interval>* cuts) {
  std::sort(cuts->begin(), cuts->end(),
            [](const Interval& a, const Interval& b) { return a.lower < b.lower; });
  double sum = 0.0;
  double reached = -std::numeric_limits<double>::infinity();
  for (const Interval& cut : *cuts) {
    if (cut.upper <= reached) continue;
    sum += cut.upper - std::max(cut.lower, reached);
    reached = cut.upper;
  }
  return sum;
}

/// For each vertex the number of its place: vertices at the same place get the same number.
std::vector<int> placeNumbers(const std::vector<Vec3>& vertices) {
  std::vector<int> order(vertices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int i) {
    return std::array<double, 3>{vertices[i].x(), vertices[i].y(), vertices[i].z()};
  };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  // Equal places are neighbours in the order.
  std::vector<int> place(vertices.size());
  int count = -1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || key(order[i]) != key(order[i - 1])) ++count;
    place[order[i]] = count;
  }
  return place;
}

}  // namespace

double shapeVolume(const Shape& shape) { return std::visit(Volume{}, shape); }

bool isClosed(const TriangleMesh& mesh) {
  const std::vector<int> place = placeNumbers(mesh.vertices());
  std::vector<std::array<int, 3>> edges;  // smaller, larger, sense
  edges.reserve(3 * mesh.triangles().size());
  for (const Triangle& t : mesh.triangles()) {
    for (int i = 0; i < 3; ++i) {
      const int from = place[t[i]];
      const int to = place[t[(i + 1) % 3]];
      if (from != to) edges.push_back({std::min(from, to), std::max(from, to), from < to ? 1 : -1});
    }
  }
  // Uses of one edge are neighbours now; their senses must cancel.
  std::sort(edges.begin(), edges.end());
  for (std::size_t i = 0; i < edges.size();) {
    int sum = 0;
    std::size_t j = i;
    for (; j < edges.size() && edges[j][0] == edges[i][0] && edges[j][1] == edges[i][1]; ++j) {
      sum += edges[j][2];
    }
    if (sum != 0) return false;
    i = j;
  }
  return true;
}

double solidVolume(std::span<const Geometry> solids) {
  double sum = 0.0;
  for (const Geometry& g : solids) {
    const auto* mesh = std::get_if<TriangleMesh>(&g.shape);
    double volume = mesh != nullptr && !isClosed(*mesh) ? -1.0 : shapeVolume(g.shape);
    if (volume < 0.0) volume = convexHull(mesh->vertices()).volume;
    sum += volume;
  }
  return sum;
}

double capsuleUnionVolume(std::span<const Geometry> capsules, int lines) {
  if (capsules.size() == 1) return shapeVolume(capsules[0].shape);
  // The capsules in the common frame, and the box about them that the grid fills.
  std::vector<Tube> tubes;
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 upper = -lower;
  for (const Geometry& g : capsules) {
    const auto* capsule = std::get_if<Capsule>(&g.shape);
    ALLCLEAR_ASSERT(capsule != nullptr);
    const Vec3 half = 0.5 * capsule->length() * g.X_BG.R.col(2);
    tubes.push_back({g.X_BG.p - half, g.X_BG.p + half, capsule->radius()});
    const Vec3 radius = Vec3::Constant(capsule->radius());
    lower = lower.cwiseMin(tubes.back().a.cwiseMin(tubes.back().b) - radius);
    upper = upper.cwiseMax(tubes.back().a.cwiseMax(tubes.back().b) + radius);
  }
  const double dy = (upper.y() - lower.y()) / lines;
  const double dz = (upper.z() - lower.z()) / lines;
  double sum = 0.0;
  std::vector<Interval> cuts;
  for (int i = 0; i < lines; ++i) {
    for (int j = 0; j < lines; ++j) {
      cuts.clear();
      Interval cut;
      for (const Tube& tube : tubes) {
        if (tube.cut(lower.y() + (i + 0.5) * dy, lower.z() + (j + 0.5) * dz, &cut)) {
          cuts.push_back(cut);
        }
      }
      sum += unionLength(&cuts);
    }
  }
  return sum * dy * dz;
}

}  // namespace allclear
