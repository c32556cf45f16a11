// The convex hull by qhull (C. Barber, D. Dobkin, H. Huhdanpaa, "The quickhull algorithm for convex
// hulls", 1996), with a small shell around it:
//  - qhull refuses flat input, so the dimension of the points is found first, and points on a line
//  or
//    in a plane get a hull of their own;
//  - its tolerances are absolute, so the points are centred and scaled to unit size;
//  - its facets come in any orientation, and are turned outward.

#include "allclear/distance/geometry/convex_hull.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>

#include "allclear/core/assert.h"
#include "allclear/core/stop_scope.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace allclear {
namespace {

/// Of the extent: flatter points are in a plane (or on a line). qhull's own limit is near 1e-13;
/// near that it gives facets with normals of rounding.
constexpr double kFlat = 1e-10;

/// The affine span of the points: `axes[0..dimension)` are orthonormal.
struct Span {
  int dimension = 0;
  double extent = 0.0;     ///< about the diameter of the points [m]
  int corner[2] = {0, 0};  ///< two points that are `extent` apart
  Vec3 axes[3];
};

/// Index of the point with the largest measure, which goes to `value`.

template <class Measure>
int largest(std::span<const Vec3> points, Measure measure, double* value) {
  int best = 0;
  *value = -1.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double m = measure(points[i]);
    if (m > *value) {
      *value = m;
      best = static_cast<int>(i);
    }
  }
  return best;
}

/// Adds one axis after the other: toward the point farthest from the span so far, while that is
/// farther than the limit.
Span spanOf(std::span<const Vec3> points) {
  Span span;
  double d = 0.0;
  span.corner[0] = largest(
      points, [&](const Vec3& p) { return (p - points[0]).norm(); }, &d);
  const Vec3 origin = points[span.corner[0]];
  span.corner[1] = largest(
      points, [&](const Vec3& p) { return (p - origin).norm(); }, &d);
  span.extent = d;
  const double limit = kFlat * d;
  if (d <= 0.0) return span;
  span.axes[0] = (points[span.corner[1]] - origin) / d;
  const auto off_line = [&](const Vec3& p) -> Vec3 {
    return (p - origin) - (p - origin).dot(span.axes[0]) * span.axes[0];
  };
  const int third = largest(
      points, [&](const Vec3& p) { return off_line(p).norm(); }, &d);
  span.dimension = 1;
  if (d <= limit) return span;
  span.axes[1] = off_line(points[third]).normalized();
  span.axes[2] = span.axes[0].cross(span.axes[1]);
  largest(
      points, [&](const Vec3& p) { return std::abs((p - origin).dot(span.axes[2])); }, &d);
  span.dimension = d <= limit ? 2 : 3;
  return span;
}

/// The corners of points in a plane, counterclockwise: A. Andrew's monotone chain (1979), in the
/// coordinates of the first two axes. Sorted by x, the lower half of the rim is built from left to
/// right and the upper half back; a corner that would turn right is no corner.
std::vector<int> flatHull(std::span<const Vec3> points, const Span& span) {
  std::vector<Vec2> flat(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 q = points[i] - points[span.corner[0]];
    flat[i] = {q.dot(span.axes[0]), q.dot(span.axes[1])};
  }
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::pair(flat[a].x(), flat[a].y()) < std::pair(flat[b].x(), flat[b].y());
  });
  std::vector<int> hull;
  const auto extend = [&](int i, std::size_t base) {
    const auto turnsLeft = [&](int a, int b, int c) {
      const Vec2 u = flat[b] - flat[a];
      const Vec2 v = flat[c] - flat[a];
      return u.x() * v.y() - u.y() * v.x() > 0.0;
    };
    while (hull.size() >= base + 2 && !turnsLeft(hull[hull.size() - 2], hull.back(), i)) {
      hull.pop_back();
    }
    hull.push_back(i);
  };
  for (int i : order) extend(i, 0);
  const std::size_t upper = hull.size() - 1;
  for (auto i = order.rbegin() + 1; i != order.rend(); ++i) extend(*i, upper);
  hull.pop_back();
  return hull;
}

/// Owns one run of the reentrant library.
class Qhull {
 public:
  Qhull(std::vector<double>& coordinates, const char* options)
      : quiet_(std::fopen("/dev/null", "w")) {  // where its messages go
    ALLCLEAR_ASSERT(quiet_ != nullptr);
    qh_zero(&qh_, quiet_);
    std::string command = options;
    throwIfStopped();
    const LibraryCallTimer timer("qhull");
    status_ = qh_new_qhull(&qh_, 3, static_cast<int>(coordinates.size() / 3), coordinates.data(),
                           False, command.data(), nullptr, quiet_);
  }
  ~Qhull() {
    qh_freeqhull(&qh_, !qh_ALL);
    int current = 0;
    int total = 0;
    qh_memfreeshort(&qh_, &current, &total);
    std::fclose(quiet_);
  }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;

  bool succeeded() const { return status_ == 0; }

  std::vector<Triangle> triangles() {
    std::vector<Triangle> result;
    qhT* qh = &qh_;
    facetT* facet = nullptr;
    vertexT* vertex = nullptr;
    vertexT** vertexp = nullptr;
    FORALLfacets {
      Triangle triangle{};
      int count = 0;
      FOREACHvertex_(facet->vertices) {
        ALLCLEAR_ASSERT(count < 3);
        triangle[count++] = qh_pointid(qh, vertex->point);
      }
      ALLCLEAR_ASSERT(count == 3);
      result.push_back(triangle);
    }
    return result;
  }

 private:
  std::FILE* quiet_;
  qhT qh_;
  int status_ = 0;
};

/// Facets of points that are not flat; none when qhull fails.
std::vector<Triangle> solidFacets(const std::vector<Vec3>& points) {
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3& p : points) coordinates.insert(coordinates.end(), {p.x(), p.y(), p.z()});
  // Qt: triangulated facets. If rounding defeats that, QJ: with all points moved a little.
  for (const char* options : {"qhull Qt Pp", "qhull QJ Pp"}) {
    const auto run = std::make_unique<Qhull>(coordinates, options);
    if (run->succeeded()) return run->triangles();
  }
  return {};
}

/// Turns the facets outward, seen from the mean of the corners, and adds up the tetrahedra between
/// them and this point: the volume.
void orient(const std::vector<Vec3>& points, ConvexHull* hull) {
  Vec3 inside = Vec3::Zero();
  for (int i : hull->vertices) inside += points[i];
  inside /= static_cast<double>(hull->vertices.size());
  for (Triangle& t : hull->facets) {
    const Vec3 a = points[t[0]] - inside;
    const Vec3 b = points[t[1]] - inside;
    const Vec3 c = points[t[2]] - inside;
    const double six = a.cross(b).dot(c);
    if (six < 0.0) std::swap(t[1], t[2]);
    hull->volume += std::abs(six) / 6.0;
  }
}

/// The hull of points that are not flat.
ConvexHull solidHull(std::span<const Vec3> points, const Span& span) {
  ConvexHull hull;
  // Centred and of unit size, the library's fixed tolerances suit every input.
  std::vector<Vec3> unit(points.begin(), points.end());
  const Vec3 center = 0.5 * (points[span.corner[0]] + points[span.corner[1]]);
  for (Vec3& p : unit) p = (p - center) / span.extent;
  hull.facets = solidFacets(unit);
  if (hull.facets.empty()) {  // qhull found no facets: every point stays
    hull.vertices.resize(points.size());
    std::iota(hull.vertices.begin(), hull.vertices.end(), 0);
    return hull;
  }
  for (const Triangle& t : hull.facets) {
    hull.vertices.insert(hull.vertices.end(), t.begin(), t.end());
  }
  std::sort(hull.vertices.begin(), hull.vertices.end());
  hull.vertices.erase(std::unique(hull.vertices.begin(), hull.vertices.end()), hull.vertices.end());
  orient(unit, &hull);
  hull.volume *= span.extent * span.extent * span.extent;
  return hull;
}

}  // namespace

ConvexHull convexHull(std::span<const Vec3> points) {
  ConvexHull hull;
  if (points.empty()) return hull;
  const Span span = spanOf(points);
  if (span.dimension == 0) hull.vertices = {0};
  if (span.dimension == 1) hull.vertices = {span.corner[0], span.corner[1]};
  if (span.dimension == 2) hull.vertices = flatHull(points, span);
  if (span.dimension == 3) hull = solidHull(points, span);
  return hull;
}

}  // namespace allclear
