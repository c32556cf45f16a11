// Support queries of a convex polytope: which corner is farthest along d?
//
// Up to 16 corners, all are compared: eight at a time, one dot product per lane. Of more corners,
// the query climbs: from a corner to the neighbour that is farthest along d, until none is farther.
// On a convex polytope a corner without a better neighbour is the best of all. To start near the
// end, a table holds the best corner for the middle of each of 6 x 8 x 8 cells of directions (a
// cube around the origin, each side divided into squares).

#include "allclear/distance/geometry/support_corners.h"

#include <algorithm>

#include "allclear/core/simd.h"
#include "allclear/distance/geometry/convex_hull.h"

namespace allclear {
namespace {

constexpr int kLanes = 8;
constexpr int kFewCorners = 16;  // up to here, comparing all corners is faster than climbing

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
  // Padded by repeats of the last corner, which change no maximum.
  const std::size_t padded = (corners_.size() + kLanes - 1) / kLanes * kLanes;
  for (std::size_t i = 0; i < padded; ++i) {
    const Vec3& p = corners_[std::min(i, corners_.size() - 1)];
    x_.push_back(p.x());
    y_.push_back(p.y());
    z_.push_back(p.z());
  }
  if (count() > kFewCorners) buildStarts();
}

void PointCloud::keepSolid(const std::vector<Vec3>& points, const ConvexHull& hull) {
  std::vector<int> corner_of(points.size(), -1);
  for (int i : hull.vertices) {
    corner_of[i] = static_cast<int>(corners_.size());
    corners_.push_back(points[i]);
  }
  std::vector<Triangle> faces = hull.facets;
  for (Triangle& face : faces) {
    for (int& i : face) i = corner_of[i];
  }
  // Lists per corner, one behind the other: counts, then their sums as starts. Around a corner each
  // triangle contributes one edge (its next) and one normal.
  edge_start_.assign(corners_.size() + 1, 0);
  for (const Triangle& f : faces) {
    for (int corner : f) ++edge_start_[corner + 1];
  }
  for (std::size_t i = 0; i < corners_.size(); ++i) edge_start_[i + 1] += edge_start_[i];
  normal_start_ = edge_start_;  // as many faces as edges at every corner
  neighbour_.resize(edge_start_.back());
  direction_.resize(edge_start_.back());
  normal_.resize(edge_start_.back());
  std::vector<int> next(edge_start_.begin(), edge_start_.end() - 1);
  for (const Triangle& f : faces) {
    const Vec3& a = corners_[f[0]];
    const Vec3 normal = (corners_[f[1]] - a).cross(corners_[f[2]] - a).normalized();
    for (int e = 0; e < 3; ++e) {
      const int slot = next[f[e]]++;
      neighbour_[slot] = f[(e + 1) % 3];
      direction_[slot] = (corners_[neighbour_[slot]] - corners_[f[e]]).normalized();
      normal_[slot] = normal;
    }
  }
}

void PointCloud::keepFlat(const std::vector<Vec3>& points, const PlanarHull& hull) {
  for (int i : hull.corners) corners_.push_back(points[i]);
  const int count = static_cast<int>(corners_.size());
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
      neighbour_.push_back(k);
      direction_.push_back((corners_[k] - corners_[i]).normalized());
      if (count < 3) continue;
      const Vec3 counterclockwise = k == next ? direction_.back() : Vec3(-direction_.back());
      normal_.push_back(counterclockwise.cross(hull.normal));
    }
    if (count >= 3) {
      normal_.push_back(hull.normal);
      normal_.push_back(-hull.normal);
    }
    edge_start_.push_back(static_cast<int>(neighbour_.size()));
    normal_start_.push_back(static_cast<int>(normal_.size()));
  }
}

/// The cell of the cube of directions that d points through: the side of its largest coordinate,
/// then the other two, scaled to that side's squares.
int PointCloud::cellOf(const Vec3& d) {
  int axis = 0;
  const double largest = d.cwiseAbs().maxCoeff(&axis);
  const double scale = 0.5 * kCells / largest;
  // Written so that a direction of zero length or with NaN, which has no cell, gets one too.
  const auto cell = [&](double x) {
    const double place = 0.5 * kCells + scale * x;
    return place > 0.0 && place < kCells ? static_cast<int>(place) : kCells - 1;
  };
  const int side = 2 * axis + (d[axis] < 0.0 ? 1 : 0);
  return (side * kCells + cell(d[(axis + 1) % 3])) * kCells + cell(d[(axis + 2) % 3]);
}

void PointCloud::buildStarts() {
  const auto middle = [](int cell) { return (2 * cell + 1.0) / kCells - 1.0; };
  for (int side = 0; side < 6; ++side) {
    for (int i = 0; i < kCells; ++i) {
      for (int j = 0; j < kCells; ++j) {
        Vec3 d;
        d[side / 2] = side % 2 == 0 ? 1.0 : -1.0;
        d[(side / 2 + 1) % 3] = middle(i);
        d[(side / 2 + 2) % 3] = middle(j);
        start_.push_back(farthestOf(x_.data(), y_.data(), z_.data(), static_cast<int>(x_.size()),
                                    d.x(), d.y(), d.z()));
      }
    }
  }
  for (int& i : start_) i = std::min(i, count() - 1);  // a repeat stands for the last corner
}

int PointCloud::climb(int start, const Vec3& d) const {
  int best = start;
  double value = d.dot(corners_[start]);
  for (int previous = -1; best != previous;) {
    previous = best;
    forNeighbours(previous, [&](int i) {
      const double other = d.dot(corners_[i]);
      if (other > value) {
        value = other;
        best = i;
      }
    });
  }
  return best;
}

int PointCloud::farthest(const Vec3& d) const {
  if (!start_.empty()) return climb(start_[cellOf(d)], d);
  const int i =
      farthestOf(x_.data(), y_.data(), z_.data(), static_cast<int>(x_.size()), d.x(), d.y(), d.z());
  return std::min(i, count() - 1);
}

}  // namespace allclear
