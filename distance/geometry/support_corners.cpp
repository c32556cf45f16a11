// Support queries of a convex polytope: which corner is farthest along d?
//
// Up to 16 corners, all are compared: eight at a time, one dot product per lane. Of more corners,
// the query climbs: from a corner along the edge that gains most, until no edge gains. On a convex
// polytope a corner without a better neighbour is the best of all. To start near the end, a table
// holds the best corner for the middle of each cell of directions (a cube around the origin, each
// side divided into squares): about as many cells as corners, so that a climb takes a few steps
// whatever the mesh. Corners are kept in an order in which those near each other in direction are
// near each other in memory.
//
// Rounding. A climb compares the gains d.e of the edge vectors e. Values d.p of the corners would
// be rounded at the size of the whole mesh: among edges shorter than the rounding of one value,
// divided by the slope, such a climb stops far too early. With edge vectors what is left of the
// slope at the end is rounding of d alone, whatever the edges' lengths.
//
// A climb is only as good as the surface. Among points that are apart by less than 1e-7 of the
// extent the hull's library merges faces, and triangles of these may fold over each other: corners
// then lack edges, and a climb may end at one however far from the best. So the surface is checked
// once, and where it is no convex one all corners are compared, however many.

#include "allclear/distance/geometry/support_corners.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "allclear/core/simd.h"
#include "allclear/distance/geometry/convex_hull.h"

namespace allclear {
namespace {

constexpr int kLanes = 8;
constexpr int kFewCorners = 16;  // up to here, comparing all corners is faster than climbing
// Cells per axis of a side of the cube: with 6 n^2 cells for as many corners. Fewer than the first
// save nothing worth having; more than the second are slower to look up than to climb.
constexpr int kLeastCells = 8;
constexpr int kMostCells = 256;
/// A walk from the last answer beats the table for turns up to this many cells' widths.
constexpr double kWalkCells = 3.0;
/// d.e with rounded e is within 2.5 epsilon sum |d_i e_i| of the exact gain; a step that gains more
/// than this share leads up in exact arithmetic too, so that a climb never goes in circles.
constexpr double kGainRounding = 4.0 * std::numeric_limits<double>::epsilon();

/// Index of the point farthest along (dx, dy, dz). `count` is a multiple of kLanes. Each lane keeps
/// its own best; indices are kept as doubles, so that the whole loop becomes vector code.
ALLCLEAR_MULTIVERSION
int farthestOf(const double* x, const double* y, const double* z, int count, double dx, double dy,
               double dz) {
  double best[kLanes];
  double where[kLanes];
  for (int k = 0; k < kLanes; ++k) {
    best[k] = dx * x[k] + dy * y[k] + dz * z[k];
    where[k] = k;
  }
  for (int i = kLanes; i < count; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) {
      const double value = dx * x[i + k] + dy * y[i + k] + dz * z[i + k];
      const double index = i + k;
      where[k] = value > best[k] ? index : where[k];
      best[k] = value > best[k] ? value : best[k];
    }
  }
  int lane = 0;
  for (int k = 1; k < kLanes; ++k) {
    if (best[k] > best[lane]) lane = k;
  }
  return static_cast<int>(where[lane]);
}

/// An edge may bend inward where the four corners of its triangles lie in a plane up to this share
/// of the extent: a climb that ends there falls short by no more.
constexpr double kFlatQuad = 1e-13;

/// Places of unit directions along a Morton curve: ten bits of each coordinate, interleaved. Points
/// near each other on the curve are near each other in space.
std::uint32_t mortonCode(const Vec3& p) {
  constexpr double kSteps = 1023.0;
  const double length = p.norm();
  std::uint32_t code = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double share = length > 0.0 ? 0.5 + 0.5 * p[axis] / length : 0.5;
    const auto place = static_cast<std::uint32_t>(kSteps * std::clamp(share, 0.0, 1.0));
    for (int bit = 0; bit < 10; ++bit) code |= (place >> bit & 1u) << (3 * bit + axis);
  }
  return code;
}

/// The hull's corners, neighbours in direction near each other.
std::vector<int> sortedByDirection(const std::vector<Vec3>& points, std::vector<int> corners) {
  std::vector<std::pair<std::uint32_t, int>> places;
  for (int i : corners) places.emplace_back(mortonCode(points[i]), i);
  std::sort(places.begin(), places.end());
  for (std::size_t k = 0; k < corners.size(); ++k) corners[k] = places[k].second;
  return corners;
}

}  // namespace

PointCloud::PointCloud(const std::vector<Vec3>& points) : ball_(ballAbout(points)) {
  // Relative to the ball's centre, coordinates are as small as the shape.
  std::vector<Vec3> local;
  for (const Vec3& p : points) local.push_back(p - ball_.center);
  const ConvexHull hull = convexHull(local);
  if (hull.isFlat()) {
    keepFlat(local, planarHull(local));
  } else {
    keepSolid(local, hull);
  }
  if (!scans_) {
    buildStarts();
    return;
  }
  // Padded by repeats of the last corner, which change no maximum.
  const std::size_t padded = (corners_.size() + kLanes - 1) / kLanes * kLanes;
  for (std::size_t i = 0; i < padded; ++i) {
    const Vec3& p = corners_[std::min(i, corners_.size() - 1)];
    x_.push_back(p.x());
    y_.push_back(p.y());
    z_.push_back(p.z());
  }
}

void PointCloud::keepSolid(const std::vector<Vec3>& points, const ConvexHull& hull) {
  std::vector<int> corner_of(points.size(), -1);
  for (int i : sortedByDirection(points, hull.vertices)) {
    corner_of[i] = static_cast<int>(corners_.size());
    corners_.push_back(points[i]);
  }
  std::vector<Triangle> faces = hull.facets;
  for (Triangle& face : faces) {
    for (int& i : face) i = corner_of[i];
  }
  scans_ = count() <= kFewCorners || !isConvex(faces);
  // Lists per corner, one behind the other: counts, then their sums as starts. Around a corner each
  // triangle contributes one edge (its next) and one normal.
  edge_start_.assign(corners_.size() + 1, 0);
  for (const Triangle& f : faces) {
    for (int corner : f) ++edge_start_[corner + 1];
  }
  for (std::size_t i = 0; i < corners_.size(); ++i) edge_start_[i + 1] += edge_start_[i];
  normal_start_ = edge_start_;  // as many faces as edges at every corner
  edge_.resize(edge_start_.back());
  direction_.resize(edge_start_.back());
  normal_.resize(edge_start_.back());
  std::vector<int> next(edge_start_.begin(), edge_start_.end() - 1);
  for (const Triangle& f : faces) {
    const Vec3& a = corners_[f[0]];
    const Vec3 normal = (corners_[f[1]] - a).cross(corners_[f[2]] - a).normalized();
    for (int e = 0; e < 3; ++e) {
      const int slot = next[f[e]]++;
      const int to = f[(e + 1) % 3];
      edge_[slot] = {corners_[to] - corners_[f[e]], to};
      direction_[slot] = edge_[slot].vector.normalized();
      normal_[slot] = normal;
    }
  }
}

/// Whether the triangles are a closed surface (each edge has one triangle on either side, and there
/// are as many as on a ball) that bends outward at every edge. Such a surface is that of a convex
/// solid.
bool PointCloud::isConvex(const std::vector<Triangle>& faces) const {
  struct Side {
    int from, to, third;
    bool operator<(const Side& o) const { return std::pair(from, to) < std::pair(o.from, o.to); }
  };
  std::vector<Side> sides;
  for (const Triangle& f : faces) {
    for (int e = 0; e < 3; ++e) sides.push_back({f[e], f[(e + 1) % 3], f[(e + 2) % 3]});
  }
  std::sort(sides.begin(), sides.end());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Side& side = sides[i];
    if (i > 0 && !(sides[i - 1] < side)) return false;
    const auto twin = std::lower_bound(sides.begin(), sides.end(), Side{side.to, side.from, 0});
    if (twin == sides.end() || twin->from != side.to || twin->to != side.from) return false;
    const Vec3& origin = corners_[side.from];
    const Vec3 along = corners_[side.to] - origin, inner = corners_[side.third] - origin,
               beyond = corners_[twin->third] - origin;
    // The tetrahedron of the four corners: its volume over its greatest face is its least height.
    const Vec3 normal = along.cross(inner);
    const double face = std::max(
        std::max(normal.norm(), along.cross(beyond).norm()),
        std::max(inner.cross(beyond).norm(), (inner - along).cross(beyond - along).norm()));
    if (normal.dot(beyond) > kFlatQuad * ball_.radius * face) return false;
  }
  return corners_.size() + faces.size() == sides.size() / 2 + 2;  // Euler: V + F = E + 2
}

void PointCloud::keepFlat(const std::vector<Vec3>& points, const PlanarHull& hull) {
  for (int i : hull.corners) corners_.push_back(points[i]);
  const int count = static_cast<int>(corners_.size());
  scans_ = count <= kFewCorners;
  edge_start_.push_back(0);
  normal_start_.push_back(0);
  // Corner i of a polygon has two edges, to the corners before and after it. Its normals are those
  // of the two sides in the plane, which point outward, and both normals of the plane.
  for (int i = 0; i < count; ++i) {
    const int next = (i + 1) % count;
    const int previous = (i + count - 1) % count;
    const int sides = std::min(2, count - 1);  // of a line's ends, one
    for (int side = 0; side < sides; ++side) {
      const int k = side == 0 ? next : previous;
      edge_.push_back({corners_[k] - corners_[i], k});
      direction_.push_back(edge_.back().vector.normalized());
      if (count < 3) continue;
      const Vec3 counterclockwise = k == next ? direction_.back() : Vec3(-direction_.back());
      normal_.push_back(counterclockwise.cross(hull.normal));
    }
    if (count >= 3) {
      normal_.push_back(hull.normal);
      normal_.push_back(-hull.normal);
    }
    edge_start_.push_back(static_cast<int>(edge_.size()));
    normal_start_.push_back(static_cast<int>(normal_.size()));
  }
}

/// The cell of the cube of directions that d points through: the side of its largest coordinate,
/// then the other two, scaled to that side's squares.
int PointCloud::cellOf(const Vec3& d) const {
  int axis = 0;
  const double largest = d.cwiseAbs().maxCoeff(&axis);
  const double scale = 0.5 * cells_ / largest;
  // Written so that a direction of zero length or with NaN, which has no cell, gets one too.
  const auto cell = [&](double x) {
    const double place = 0.5 * cells_ + scale * x;
    return place > 0.0 && place < cells_ ? static_cast<int>(place) : cells_ - 1;
  };
  const int side = 2 * axis + (d[axis] < 0.0 ? 1 : 0);
  return (side * cells_ + cell(d[(axis + 1) % 3])) * cells_ + cell(d[(axis + 2) % 3]);
}

void PointCloud::buildStarts() {
  cells_ = std::clamp(static_cast<int>(std::sqrt(count() / 6.0)), kLeastCells, kMostCells);
  const double width = kWalkCells * 2.0 / cells_;
  near_ = width * width;
  start_.resize(static_cast<std::size_t>(6) * cells_ * cells_);
  const auto middle = [&](int cell) { return (2 * cell + 1.0) / cells_ - 1.0; };
  // Every cell climbs from the answer of the one before. Rows turn about at their ends, so that
  // consecutive cells share an edge.
  int corner = 0;
  for (int side = 0; side < 6; ++side) {
    for (int i = 0; i < cells_; ++i) {
      for (int step = 0; step < cells_; ++step) {
        const int j = i % 2 == 0 ? step : cells_ - 1 - step;
        Vec3 d;
        d[side / 2] = side % 2 == 0 ? 1.0 : -1.0;
        d[(side / 2 + 1) % 3] = middle(i);
        d[(side / 2 + 2) % 3] = middle(j);
        corner = climb(corner, d);
        start_[(side * cells_ + i) * cells_ + j] = corner;
      }
    }
  }
}

int PointCloud::climb(int start, const Vec3& d) const {
  const auto rounding = [&](const Vec3& e) {
    return kGainRounding *
           (std::abs(d.x() * e.x()) + std::abs(d.y() * e.y()) + std::abs(d.z() * e.z()));
  };
  int best = start;
  for (int previous = -1; best != previous;) {
    previous = best;
    double most = 0.0;
    for (int k = edge_start_[previous]; k < edge_start_[previous + 1]; ++k) {
      const Vec3& e = edge_[k].vector;
      const double gain = d.x() * e.x() + d.y() * e.y() + d.z() * e.z();
      if (gain > most && gain > rounding(e)) {
        most = gain;
        best = edge_[k].to;
      }
    }
  }
  return best;
}

int PointCloud::farthest(const Vec3& d) const {
  if (!scans_) return climb(start_[cellOf(d)], d);
  const int i =
      farthestOf(x_.data(), y_.data(), z_.data(), static_cast<int>(x_.size()), d.x(), d.y(), d.z());
  return std::min(i, count() - 1);
}

int PointCloud::farthest(const Vec3& d, Walk* walk) const {
  if (scans_) return farthest(d);
  const bool near =
      walk->corner >= 0 && (d - walk->direction).squaredNorm() < near_ * d.squaredNorm();
  walk->corner = near ? climb(walk->corner, d) : farthest(d);
  walk->direction = d;
  return walk->corner;
}

}  // namespace allclear
