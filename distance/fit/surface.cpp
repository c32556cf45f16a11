// Surfaces as sets of convex polygons: cutting them by planes, and telling inside from outside.
//
// Polygons are cut one by one (I. Sutherland and G. Hodgman, 1974). Neighbours are cut at the same
// points, because a crossing is computed from the ends of the edge in an order that depends on
// their heights alone. Inside and outside follow from the winding number, the sum of the solid
// angles of all polygons over 4 pi, which small gaps change little.

#include "allclear/distance/fit/surface.h"

#include <cmath>
#include <numbers>

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/distance/shape.h"

namespace allclear::fitting {
namespace {

constexpr int kSides = 64;
// Determinant of three unit normals: planes more nearly parallel than this meet in no useful
// corner.
constexpr double kParallel = 1e-9;
// Of the size: a corner of the cell may be above another plane by rounding.
constexpr double kAbove = 1e-9;

// Adds a shape's surface as polygons, corners counter-clockwise from outside.
struct Cutter {
  const Geometry& geometry;
  CuttableSolids* out;

  void polygon(Surface* surface, std::span<const Vec3> corners_G) const {
    std::vector<Vec3> corners;
    for (const Vec3& p : corners_G) corners.push_back(geometry.X_BG * p);
    surface->add(corners);
  }
  // Corners of the circumscribed polygon at height z, counter-clockwise about +z.
  static std::vector<Vec3> ring(double radius, double z) {
    const double wider = radius / std::cos(std::numbers::pi / kSides);
    std::vector<Vec3> corners;
    for (int i = 0; i < kSides; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / kSides;
      corners.emplace_back(wider * std::cos(angle), wider * std::sin(angle), z);
    }
    return corners;
  }
  // The disc at the lower end: its outside is below, so the order turns round.
  void base(std::vector<Vec3> corners) const {
    polygon(&out->closed, std::vector<Vec3>(corners.rbegin(), corners.rend()));
  }
  void hull(const std::vector<Vec3>& points) const {
    const ConvexHull shape = convexHull(points);
    for (const Triangle& t : shape.facets) {
      const Vec3 corners[] = {points[t[0]], points[t[1]], points[t[2]]};
      polygon(&out->closed, corners);
    }
    if (!shape.isFlat()) return;
    // A flat hull has no facets: its rim is a surface without an inside.
    std::vector<Vec3> rim;
    for (int i : shape.vertices) rim.push_back(points[i]);
    polygon(&out->open, rim);
  }

  void operator()(const Box& s) const {
    const Vec3 h = s.halfSize();
    std::vector<Vec3> corners;
    for (int i = 0; i < 8; ++i) {
      corners.push_back(h.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
    }
    hull(corners);
  }
  void operator()(const Cylinder& s) const {
    const std::vector<Vec3> low = ring(s.radius(), -0.5 * s.length());
    const std::vector<Vec3> high = ring(s.radius(), 0.5 * s.length());
    base(low);
    polygon(&out->closed, high);
    for (int i = 0; i < kSides; ++i) {
      const int j = (i + 1) % kSides;
      const Vec3 side[] = {low[i], low[j], high[j], high[i]};
      polygon(&out->closed, side);
    }
  }
  void operator()(const Cone& s) const {
    const std::vector<Vec3> low = ring(s.radius(), -0.5 * s.length());
    base(low);
    for (int i = 0; i < kSides; ++i) {
      const Vec3 side[] = {low[i], low[(i + 1) % kSides], Vec3(0, 0, 0.5 * s.length())};
      polygon(&out->closed, side);
    }
  }
  void operator()(const ConvexMesh& s) const { hull(s.points()); }
  void operator()(const TriangleMesh& s) const {
    Surface* surface = isClosed(s) ? &out->closed : &out->open;
    for (const Triangle& t : s.triangles()) {
      const Vec3 corners[] = {s.vertices()[t[0]], s.vertices()[t[1]], s.vertices()[t[2]]};
      polygon(surface, corners);
    }
  }
  void operator()(const HalfSpace&) const {
    throw InputError("a half-space has no bounded enclosing shape");
  }
  template <class Whole>
  void operator()(const Whole&) const {
    out->whole.push_back(geometry);
  }
};

// The signed solid angle of a triangle seen from p (van Oosterom and Strackee, 1983).
double solidAngle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = a.norm();
  const double lb = b.norm();
  const double lc = c.norm();
  const double below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
  return 2.0 * std::atan2(a.dot(b.cross(c)), below);
}

}  // namespace

void Surface::add(std::span<const Vec3> polygon) {
  corners.insert(corners.end(), polygon.begin(), polygon.end());
  first.push_back(static_cast<int>(corners.size()));
}

Surface Surface::below(const Plane& plane) const {
  Surface result;
  std::vector<Vec3> kept;
  StopSteps steps;
  for (int i = 0; i < size(); ++i) {
    steps.step();
    const std::span<const Vec3> corner = polygon(i);
    kept.clear();
    for (std::size_t k = 0; k < corner.size(); ++k) {
      const Vec3& p = corner[k];
      const Vec3& q = corner[(k + 1) % corner.size()];
      const double hp = plane.height(p);
      const double hq = plane.height(q);
      // Keep what is below; add the crossing of an edge with ends on both sides.
      if (hp <= 0.0) kept.push_back(p);
      if ((hp < 0.0) != (hq < 0.0) && hp != 0.0 && hq != 0.0) {
        // From the lower end to the upper one: the same arithmetic for either sense of the edge.
        const bool forward = hp < hq;
        const Vec3& low = forward ? p : q;
        const Vec3& high = forward ? q : p;
        const double from = std::min(hp, hq);
        kept.push_back(low + from / (from - std::max(hp, hq)) * (high - low));
      }
    }
    if (!kept.empty()) result.add(kept);
  }
  return result;
}

CuttableSolids cuttableSolids(std::span<const Geometry> solids) {
  CuttableSolids result;
  for (const Geometry& g : solids) std::visit(Cutter{g, &result}, g.shape);
  return result;
}

double windingNumber(const Surface& closed, const Vec3& p) {
  double angle = 0.0;
  StopSteps steps;
  for (int i = 0; i < closed.size(); ++i) {
    steps.step();
    const std::span<const Vec3> corner = closed.polygon(i);
    // A convex polygon as a fan of triangles.
    for (std::size_t k = 2; k < corner.size(); ++k) {
      angle += solidAngle(corner[0] - p, corner[k - 1] - p, corner[k] - p);
    }
  }
  return angle / (4.0 * std::numbers::pi);
}

std::vector<Vec3> cellCorners(std::span<const Plane> planes) {
  // Every three planes meet in a point; it is a corner when it is below all others. Cells have few
  // planes.
  std::vector<Vec3> corners;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) {
        Mat3 N;
        N << planes[i].normal.transpose(), planes[j].normal.transpose(),
            planes[k].normal.transpose();
        if (std::abs(N.determinant()) < kParallel) continue;
        const Vec3 p = N.inverse() * Vec3(planes[i].offset, planes[j].offset, planes[k].offset);
        bool inside = true;
        for (std::size_t l = 0; l < planes.size(); ++l) {
          if (l == i || l == j || l == k) continue;
          inside = inside && planes[l].height(p) <= kAbove * (1.0 + p.norm());
        }
        if (inside) corners.push_back(p);
      }
    }
  }
  return corners;
}

}  // namespace allclear::fitting
