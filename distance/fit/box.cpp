// Boxes of small volume about points and curved pieces.
//
// The smallest box has two adjacent faces flush with edges of the hull (J. O'Rourke, Finding
// minimal enclosing boxes, 1985); an exact search over all pairs of edges is slow and delicate.
// Here many good orientations compete:
// - one face flush with a large facet of the hull, and across it the smallest rectangle, which has
// a
//   side flush with an edge of the projected hull (rotating calipers);
// - each of these improved by the same rectangle across its own three axes in turn;
// - two adjacent faces flush with two of the foremost edges;
// - the principal axes, the body's own axes, and directions spread over the sphere.
// The best few are improved by small rotations.
//
// The search finds the orientation R alone, on few points. Invariant: the sizes come at the end
// from all of the input and the stored R, so that the box encloses it whatever the search did.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "allclear/distance/fit/enclose.h"
#include "allclear/distance/fitting.h"
#include "allclear/distance/geometry/convex_hull.h"

namespace allclear {
namespace fitting {
namespace {

// Above these numbers of points the search works on extreme points alone.
constexpr std::size_t kManyForHull = 20000;
constexpr std::size_t kManyPoints = 400;
constexpr int kExtremeDirections = 100;
constexpr std::size_t kMostFacets = 500;  // planes of the hull that are told apart
constexpr int kFacets = 48;               // the largest ones are tried
constexpr int kPolished = 12;             // starts that are improved by small rotations
constexpr std::size_t kEdges = 30;        // the foremost ones are tried, in pairs
constexpr int kTurns = 4;                 // of the first face about its edge, to begin with
constexpr double kSmallestShare = 1e-3;   // of the angle at an edge: the polish does the rest
constexpr std::size_t kPairs = 12;
constexpr int kRounds = 40;             // of points that join the search
constexpr int kPasses = 200;            // of the pattern search
constexpr double kFirstTurn = 0.25;     // [rad]
constexpr double kSmallestTurn = 1e-8;  // [rad]: the volume changes by its square, below rounding
constexpr double kGain = 1e-10;         // relative: less is rounding
constexpr double kGainAcross = 1e-9;  // of a step that repeats otherwise, between equal rectangles
constexpr double kSameVolume = 1e-6;  // relative: boxes of many starts that end in the same one
constexpr double kSamePlane = 1e-7;   // of 1 - cosine: 0.03 degrees
constexpr double kFlatEdge = 1e-6;    // [rad] between facets: not an edge
constexpr double kParallel = 1e-6;    // sine of the angle of normal and edge: no box
constexpr double kNoEdge = 1e-9;      // unit coordinates: two corners are one point

struct BoxFit {
  Mat3 R = Mat3::Identity();
  double volume = std::numeric_limits<double>::infinity();
};

// Sides below this (unit coordinates) count as this: else every box about a flat set would have the
// volume 0, and its other sides would not matter.
constexpr double kFlatSide = 1e-9;

/// Volume of the box about the points (not empty) along the columns of R.
double boxVolume(std::span<const Vec3> points, const Mat3& R) {
  double volume = 1.0;
  for (int k = 0; k < 3; ++k) {
    const Vec3 d = R.col(k);
    double lower = d.dot(points[0]);
    double upper = lower;
    for (const Vec3& p : points) {
      const double value = d.dot(p);
      lower = std::min(lower, value);
      upper = std::max(upper, value);
    }
    volume *= std::max(upper - lower, kFlatSide);
  }
  return volume;
}

// Corners of the hull in the plane, counter-clockwise (A. M. Andrew's monotone chain, 1979): the
// lower chain from left to right, then the upper one back.
std::vector<Vec2> convexPolygon(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(), [](const Vec2& a, const Vec2& b) {
    return std::pair(a.x(), a.y()) < std::pair(b.x(), b.y());
  });
  std::vector<Vec2> hull;
  const auto extend = [&](const Vec2& p, std::size_t base) {
    // Corners that p makes not convex go; `base` protects the first corner of the chain.
    while (hull.size() >= base + 2) {
      const Vec2 u = hull.back() - hull[hull.size() - 2];
      const Vec2 v = p - hull[hull.size() - 2];
      if (u.x() * v.y() - u.y() * v.x() > 0.0) break;
      hull.pop_back();
    }
    hull.push_back(p);
  };
  for (const Vec2& p : points) extend(p, 0);
  const std::size_t upper = hull.size() - 1;
  for (auto p = points.rbegin() + 1; p != points.rend(); ++p) extend(*p, upper);
  if (hull.size() > 1) hull.pop_back();
  return hull;
}

// Turns R about its column `axis` so that the rectangle across it is the smallest: one side is
// flush with an edge of the projected hull.
BoxFit bestAcross(std::span<const Vec3> points, const Mat3& R, int axis) {
  const Vec3 w = R.col(axis);
  const Vec3 u = R.col((axis + 1) % 3);
  const Vec3 v = R.col((axis + 2) % 3);
  std::vector<Vec2> flat;
  flat.reserve(points.size());
  for (const Vec3& p : points) flat.emplace_back(u.dot(p), v.dot(p));
  const std::vector<Vec2> polygon = convexPolygon(std::move(flat));
  Vec2 best(1.0, 0.0);
  double best_area = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec2 edge = polygon[(i + 1) % polygon.size()] - polygon[i];
    const double length = edge.norm();
    if (length < kNoEdge) continue;
    // The rectangle with a side on this edge: the hull is on its left.
    const Vec2 along = edge / length;
    double low = 0.0;
    double high = 0.0;
    double depth = 0.0;
    for (const Vec2& q : polygon) {
      const Vec2 r = q - polygon[i];
      const double s = r.dot(along);
      low = std::min(low, s);
      high = std::max(high, s);
      depth = std::max(depth, along.x() * r.y() - along.y() * r.x());
    }
    const double area = (high - low) * std::max(depth, kFlatSide);
    if (area < best_area) {
      best_area = area;
      best = along;
    }
  }
  BoxFit fit;
  fit.R.col(0) = best.x() * u + best.y() * v;
  fit.R.col(1) = -best.y() * u + best.x() * v;
  fit.R.col(2) = w;
  fit.volume = boxVolume(points, fit.R);
  return fit;
}

BoxFit rightHanded(BoxFit fit) {
  if (fit.R.determinant() < 0.0) fit.R.col(2) = -fit.R.col(2);
  return fit;
}

// Keeps each axis in turn and makes the sides across it the best ones, until none of them helps.
BoxFit improveAcrossAxes(std::span<const Vec3> points, const Mat3& start) {
  BoxFit best = bestAcross(points, start, 2);
  for (int idle = 0, axis = 0; idle < 3; axis = (axis + 1) % 3) {
    const BoxFit next = bestAcross(points, best.R, axis);
    idle = next.volume < best.volume * (1.0 - kGainAcross) ? 0 : idle + 1;
    if (idle == 0) best = next;
  }
  return best;
}

// Pattern search over rotations about thirteen axes in either sense; the turn shrinks whenever none
// helps.
template <class VolumeOf>
void polish(const VolumeOf& volumeOf, BoxFit* fit) {
  double turn = kFirstTurn;
  for (int pass = 0; pass < kPasses && turn > kSmallestTurn; ++pass) {
    bool improved = false;
    for (int i = 0; i < 27; ++i) {
      if (i == 13) continue;  // the zero vector
      const Vec3 axis = Vec3(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1).normalized();
      // Normalised, or the rounding of many products would shrink the columns and so the volume.
      const Mat3 R = Eigen::Quaterniond(fit->R * rotationAbout(axis, turn)).normalized().matrix();
      const double volume = volumeOf(R);
      if (volume < fit->volume * (1.0 - kGain)) {
        *fit = {R, volume};
        improved = true;
      }
    }
    if (!improved) turn *= 0.4;
  }
}

// Normals of the largest planes of the hull; triangles of one plane count together.
std::vector<Vec3> largestFacetNormals(std::span<const Vec3> points, const ConvexHull& hull) {
  std::vector<std::pair<double, Vec3>> facets;  // twice the area, normal
  for (const Triangle& t : hull.facets) {
    const Vec3 n = (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]);
    const double area = n.norm();
    if (area <= 0.0) continue;
    const Vec3 unit = n / area;
    const auto same = std::find_if(facets.begin(), facets.end(), [&](const auto& f) {
      return f.second.dot(unit) > 1.0 - kSamePlane;
    });
    if (same != facets.end()) {
      same->first += area;
    } else if (facets.size() < kMostFacets) {
      facets.emplace_back(area, unit);
    }
  }
  std::stable_sort(facets.begin(), facets.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Vec3> normals;
  for (const auto& f : facets) {
    if (static_cast<int>(normals.size()) < kFacets) normals.push_back(f.second);
  }
  return normals;
}

// A hull edge with the unit normals of the two facets that meet there. A plane that touches the
// hull in the edge has a normal between them.
struct HullEdge {
  Vec3 along;
  Vec3 from, to;
  double importance;  // length x angle

  Vec3 normal(double s) const { return ((1.0 - s) * from + s * to).normalized(); }
};

// The edges that are long and sharp: the contact of a small box with two adjacent edges is most
// likely there.
std::vector<HullEdge> foremostEdges(std::span<const Vec3> points, const ConvexHull& hull) {
  std::map<std::pair<int, int>, Vec3> open;  // edges met once, with their first facet's normal
  std::vector<HullEdge> edges;
  for (const Triangle& t : hull.facets) {
    const Vec3 n = (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]).normalized();
    for (int i = 0; i < 3; ++i) {
      const std::pair<int, int> key = std::minmax(t[i], t[(i + 1) % 3]);
      const auto [other, first] = open.try_emplace(key, n);
      if (first) continue;
      const Vec3 edge = points[key.second] - points[key.first];
      const double angle = std::atan2(n.cross(other->second).norm(), n.dot(other->second));
      if (angle > kFlatEdge) {
        edges.push_back({edge.normalized(), other->second, n, edge.norm() * angle});
      }
    }
  }
  std::stable_sort(edges.begin(), edges.end(), [](const HullEdge& a, const HullEdge& b) {
    return a.importance > b.importance;
  });
  if (edges.size() > kEdges) edges.resize(kEdges);
  return edges;
}

// The box with a face of the given normal, flush with the one edge, and the next face flush with
// the other edge: the normal of that one is across both.
BoxFit boxOnEdges(std::span<const Vec3> points, const Vec3& normal, const Vec3& other) {
  BoxFit fit;
  const Vec3 across = normal.cross(other);
  if (across.norm() < kParallel) return fit;
  fit.R.col(0) = normal;
  fit.R.col(1) = across.normalized();
  fit.R.col(2) = fit.R.col(0).cross(fit.R.col(1));
  fit.volume = boxVolume(points, fit.R);
  return fit;
}

// Boxes with two adjacent faces flush with an edge each. The first face may turn about its edge (s
// in [0, 1] between the facets there), which determines the second one. Finds the best s of each
// pair of edges, and returns the best pairs, the best one first.
std::vector<BoxFit> edgePairBoxes(std::span<const Vec3> points, const ConvexHull& hull) {
  const std::vector<HullEdge> edges = foremostEdges(points, hull);
  std::vector<BoxFit> fits;
  for (const HullEdge& first : edges) {
    for (const HullEdge& second : edges) {
      BoxFit best;
      double at = 0.5;
      double step = 1.0 / kTurns;
      const auto consider = [&](double s) {
        if (s < 0.0 || s > 1.0) return false;
        const BoxFit fit = boxOnEdges(points, first.normal(s), second.along);
        if (fit.volume >= best.volume) return false;
        best = fit;
        at = s;
        return true;
      };
      // A few turns, then steps from the best of them that shrink whenever neither sense helps.
      for (int i = 0; i <= kTurns; ++i) consider(i * step);
      for (step *= 0.5; step > kSmallestShare;) {
        if (!consider(at - step) && !consider(at + step)) step *= 0.4;
      }
      fits.push_back(best);
    }
  }
  std::stable_sort(fits.begin(), fits.end(),
                   [](const BoxFit& a, const BoxFit& b) { return a.volume < b.volume; });
  if (fits.size() > kPairs) fits.resize(kPairs);
  return fits;
}

// The axes of a small box about few points.
Mat3 bestRotation(std::span<const Vec3> points) {
  const ConvexHull hull = convexHull(points);
  std::vector<Ball> balls;
  for (const Vec3& p : points) balls.push_back({p, 0.0});
  std::vector<Mat3> starts{Mat3::Identity(), principalAxes(balls)};
  for (const Vec3& n : largestFacetNormals(points, hull))
    starts.push_back(poseAlong({0, 0, 0}, n).R);
  for (int i = 0; i < 12; ++i) starts.push_back(poseAlong({0, 0, 0}, fanDirection(i, 12)).R);
  std::vector<BoxFit> fits;
  fits.reserve(starts.size());
  for (const Mat3& R : starts) {
    fits.push_back(rightHanded({R, boxVolume(points, R)}));
    fits.push_back(rightHanded(improveAcrossAxes(points, R)));
  }
  for (const BoxFit& fit : edgePairBoxes(points, hull)) fits.push_back(fit);
  std::stable_sort(fits.begin(), fits.end(),
                   [](const BoxFit& a, const BoxFit& b) { return a.volume < b.volume; });
  // Many starts end in the same box.
  fits.erase(std::unique(fits.begin(), fits.end(),
                         [](const BoxFit& a, const BoxFit& b) {
                           return b.volume - a.volume <= kSameVolume * a.volume;
                         }),
             fits.end());
  const std::size_t count = std::min<std::size_t>(kPolished, fits.size());
  const auto volumeOf = [&](const Mat3& R) { return boxVolume(points, R); };
  for (std::size_t i = 0; i < count; ++i) polish(volumeOf, &fits[i]);
  return std::min_element(fits.begin(), fits.begin() + count,
                          [](const auto& a, const auto& b) { return a.volume < b.volume; })
      ->R;
}

// Improves R, the best rotation for `some` of the points, for all of them. The points that reach
// farthest out of the box about `some` join them, until the box about all is as small.
Mat3 improveForAll(std::span<const Vec3> points, std::vector<Vec3> some, const Mat3& R) {
  const auto volumeOf = [&](const Mat3& Q) { return boxVolume(some, Q); };
  BoxFit fit{R, boxVolume(some, R)};
  for (int round = 0; round < kRounds; ++round) {
    const double all = boxVolume(points, fit.R);
    if (all <= fit.volume * (1.0 + kSameVolume)) break;
    // The two extreme points along each axis.
    for (int k = 0; k < 3; ++k) {
      const auto lower = [&](const Vec3& a, const Vec3& b) {
        return fit.R.col(k).dot(a) < fit.R.col(k).dot(b);
      };
      const auto [low, high] = std::minmax_element(points.begin(), points.end(), lower);
      some.push_back(*low);
      some.push_back(*high);
    }
    fit.volume = boxVolume(some, fit.R);
    polish(volumeOf, &fit);
  }
  return fit.R;
}

// The search above knows curved pieces by points only; here the exact box judges.
Mat3 bestForCurved(const Solids& solids, std::span<const Geometry> shapes, const Mat3& found) {
  const auto volumeOf = [&](const Mat3& R) {
    double volume = 1.0;
    for (int k = 0; k < 3; ++k) volume *= extent(solids, R.col(k)).length();
    return volume;
  };
  BoxFit best{found, volumeOf(found)};
  for (const Geometry& g : shapes) {
    const double volume = volumeOf(g.X_BG.R);
    if (volume <= best.volume) best = {g.X_BG.R, volume};
  }
  polish(volumeOf, &best);
  return best.R;
}

}  // namespace
}  // namespace fitting

Geometry fitBox(std::span<const Geometry> shapes) {
  using namespace fitting;
  const Solids solids = gather(shapes);
  const UnitFrame frame(solids);
  // Points of unit size, the fewer the better: corners of the hull, or extreme ones of very many.
  std::vector<Vec3> points = samplePoints(solids);
  for (Vec3& p : points) p = frame.toUnit(p);
  const bool few = points.size() <= kManyForHull;
  const std::vector<int> chosen =
      few ? convexHull(points).vertices : extremePoints(points, kExtremeDirections);
  std::vector<Vec3> corners;
  for (int i : chosen) corners.push_back(points[i]);
  if (corners.size() > kManyPoints) {
    std::vector<Vec3> fewer;
    for (int i : extremePoints(corners, kExtremeDirections)) fewer.push_back(corners[i]);
    corners = std::move(fewer);
  }
  Geometry result{Sphere(1.0), {}};
  result.X_BG.R = bestRotation(corners);
  if (!few || corners.size() < chosen.size())
    result.X_BG.R = improveForAll(points, corners, result.X_BG.R);
  if (solids.isCurved()) result.X_BG.R = bestForCurved(solids, shapes, result.X_BG.R);
  result.X_BG.R = Eigen::Quaterniond(result.X_BG.R).normalized().matrix();
  // Exact sizes along the axes as stored.
  Vec3 middle;
  Vec3 size;
  for (int k = 0; k < 3; ++k) {
    const Interval range = extent(solids, result.X_BG.R.col(k));
    middle[k] = range.middle();
    size[k] = range.length();
  }
  result.X_BG.p = result.X_BG.R * middle;
  const double pad = padding(solids.largestCoordinate(), size.norm());
  result.shape = Box(size + Vec3::Constant(2.0 * pad));
  return result;
}

}  // namespace allclear
