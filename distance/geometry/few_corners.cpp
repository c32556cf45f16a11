// A simpler polytope about points: a hull of some of them, grown.
//
// The some are those that are extreme along directions spread over the sphere; then, in a few
// rounds, those farthest beyond the facets of the hull of the some. At last the hull is grown from
// its middle until no facet has a point beyond it: with n the normal of a facet, m the middle and a
// a corner of the facet, by the most of n.(p - m) / n.(a - m) over all points p and facets.
#include "allclear/distance/geometry/few_corners.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "allclear/distance/geometry/convex_hull.h"

namespace allclear {
namespace {

/// Corners stand this much farther out, relative, than rounding may take.
constexpr double kRounding = 1e-12;
/// Hulls with more corners are enclosed by simpler ones.
constexpr std::size_t kFewCorners = 48;
/// A simpler hull that has to grow by more than this gets more corners, in so many rounds; one that
/// would still have to grow by a lot is given up, and all corners stay.
constexpr double kWantedGrowth = 1.01;
constexpr int kRounds = 2;
constexpr double kMostGrowth = 1.06;

/// Directions that are spread evenly over the sphere: a spiral of golden angles.
std::vector<Vec3> spreadDirections(int count) {
  const double turn = std::numbers::pi * (3.0 - std::sqrt(5.0));
  std::vector<Vec3> out;
  for (int i = 0; i < count; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / count, r = std::sqrt(1.0 - z * z);
    out.emplace_back(r * std::cos(turn * i), r * std::sin(turn * i), z);
  }
  return out;
}

/// A hull of some of the points, and by how much it has to grow about its middle to hold all.
struct FewCorners {
  std::vector<Vec3> corners;
  Vec3 middle = Vec3::Zero();
  double scale = std::numeric_limits<double>::infinity();
  std::set<std::size_t> beyond;  ///< points farthest beyond its facets
};

FewCorners hullOfSome(const std::vector<Vec3>& points, const std::set<std::size_t>& chosen) {
  FewCorners few;
  for (std::size_t i : chosen) {
    few.corners.push_back(points[i]);
    few.middle += points[i] / static_cast<double>(chosen.size());
  }
  const ConvexHull hull = convexHull(few.corners);
  double scale = hull.isFlat() ? std::numeric_limits<double>::infinity() : 1.0;
  for (const Triangle& facet : hull.facets) {
    const Vec3& a = few.corners[facet[0]];
    const Vec3 normal = (few.corners[facet[1]] - a).cross(few.corners[facet[2]] - a);
    const double from = normal.dot(few.middle), height = normal.dot(a) - from;
    double most = height;
    std::size_t farthest = points.size();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double along = normal.dot(points[i]) - from;
      if (along > most) most = along, farthest = i;
    }
    // A facet through the middle has no finite factor.
    const double needed = height > 0.0 ? most / height : std::numeric_limits<double>::infinity();
    if (needed > kWantedGrowth && farthest < points.size()) few.beyond.insert(farthest);
    scale = std::max(scale, needed);
  }
  few.scale = scale;
  return few;
}

}  // namespace

std::vector<Vec3> fewCorners(const std::vector<Vec3>& points) {
  if (points.size() <= kFewCorners) return points;
  std::set<std::size_t> chosen;
  for (const Vec3& d : spreadDirections(kFewCorners)) {
    const auto along = [&](const Vec3& a, const Vec3& b) { return d.dot(a) < d.dot(b); };
    chosen.insert(std::max_element(points.begin(), points.end(), along) - points.begin());
  }
  FewCorners few = hullOfSome(points, chosen);
  for (int round = 0; round < kRounds && few.scale > kWantedGrowth; ++round) {
    chosen.insert(few.beyond.begin(), few.beyond.end());
    few = hullOfSome(points, chosen);
  }
  // A flat or needle-like hull may not end: then all corners stay. (NaN, too, keeps them.)
  if (!(few.scale < kMostGrowth)) return points;
  for (Vec3& p : few.corners) {
    p = few.middle + few.scale * (1.0 + kRounding) * (p - few.middle);
  }
  return std::move(few.corners);
}

}  // namespace allclear
