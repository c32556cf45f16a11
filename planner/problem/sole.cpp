// The lowest face of a link, and the largest rectangle inside of it.
//
// Face. Of the facets of the hull of the link's geometry that look down, to 0.2 rad, the one of the
// largest area gives the plane; all points within `kGroundLayer` of it belong to the face, which is
// their hull in that plane. So small bevels and rims of soles do not count.
//
// Rectangle. With axes x and y, it is given by its ends x0 < x1: the polygon's lower boundary lo(x)
// is convex and its upper one up(x) concave, so inside means max(lo(x0), lo(x1)) <= y <=
// min(up(x0), up(x1)). The logarithm of the area is concave in (x0, x1): a grid that closes in on
// its best point finds the maximum.
#include "allclear/planner/problem/sole.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/planner/problem/standing_points.h"
#include "allclear/planner/problem/support_polygon.h"

namespace allclear {
namespace {

using Vec2 = Eigen::Vector2d;

constexpr double kMostTilt = 0.2;  // [rad] of a face that counts as below
constexpr int kGrid = 24;          // per side, and turn
constexpr int kTurns = 12;         // each takes a quarter of the range before
/// Corners nearer than this [m] span no edge.
constexpr double kShortestEdge = 1e-9;

/// A convex polygon in the plane of a face, counterclockwise.
struct Face {
  Mat3 R_LF = Mat3::Identity();  ///< z out of the ground, x along the link's x
  double height = 0.0;           ///< of the plane along z [m]
  std::vector<Vec2> corners;
};

/// x along the link's x axis, or along its y axis where the face is across that.
Mat3 axesOf(const Vec3& z) {
  Vec3 x = Vec3::UnitX() - z.x() * z;
  if (x.norm() < 0.1) x = Vec3::UnitY() - z.y() * z;
  Mat3 R;
  R.col(0) = x.normalized();
  R.col(1) = z.cross(R.col(0));
  R.col(2) = z;
  return R;
}

std::vector<Vec3> pointsOf(const Link& link, const Mat3& R_LU) {
  std::vector<Vec3> points;
  for (const Geometry& part : link.collision) {
    for (const Vec3& p : standingPoints(part.shape, R_LU.transpose() * part.X_BG.R)) {
      points.push_back(part.X_BG * p);
    }
  }
  return points;
}

/// The direction out of the ground of the largest facet below; `up` where the points are flat.
std::optional<Vec3> normalBelow(const std::vector<Vec3>& points, const Vec3& up) {
  const ConvexHull hull = convexHull(points);
  if (hull.isFlat()) return points.size() >= 3 ? std::optional(up) : std::nullopt;
  // Facets are triangulated: the largest of a flat side stands for it.
  double largest = 0.0;
  std::optional<Vec3> normal;
  for (const Triangle& facet : hull.facets) {
    const Vec3 across =
        (points[facet[1]] - points[facet[0]]).cross(points[facet[2]] - points[facet[0]]);
    const double area = across.norm();
    if (!(area > largest) || -across.dot(up) < std::cos(kMostTilt) * area) continue;
    largest = area;
    normal = -across / area;
  }
  return normal;
}

std::optional<Face> lowestFace(const RobotModel& robot, int link, const Vec3& up_L) {
  const std::vector<Vec3> points = pointsOf(robot.links()[link], axesOf(up_L));
  const auto normal = normalBelow(points, up_L);
  if (!normal) return std::nullopt;
  Face face;
  face.R_LF = axesOf(*normal);
  face.height = std::numeric_limits<double>::infinity();
  for (const Vec3& p : points) face.height = std::min(face.height, normal->dot(p));
  // All that is within a layer of the plane touches the ground with it.
  std::vector<Vec3> ground;
  for (const Vec3& p : points) {
    if (normal->dot(p) > face.height + kGroundLayer) continue;
    const Vec3 p_F = face.R_LF.transpose() * p;
    ground.push_back({p_F.x(), p_F.y(), 0.0});
  }
  const PlanarHull hull = planarHull(ground);
  for (int c : hull.corners) face.corners.push_back(ground[c].head<2>());
  if (hull.normal.z() < 0.0) std::reverse(face.corners.begin(), face.corners.end());
  if (face.corners.size() < 3) return std::nullopt;
  return face;
}

/// Least and greatest y of the polygon at x; an empty range outside.
Interval rangeAt(const Face& face, double x) {
  Interval range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  const std::size_t count = face.corners.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Vec2 &a = face.corners[i], &b = face.corners[(i + 1) % count];
    if (x < std::min(a.x(), b.x()) || x > std::max(a.x(), b.x())) continue;
    // Where the edge crosses x; an edge along y counts with both ends.
    const double width = b.x() - a.x();
    const auto add = [&](double y) {
      range.lower = std::min(range.lower, y);
      range.upper = std::max(range.upper, y);
    };
    if (std::abs(width) < kShortestEdge) {
      add(a.y());
      add(b.y());
    } else {
      add(a.y() + (x - a.x()) / width * (b.y() - a.y()));
    }
  }
  return range;
}

/// The rectangle [x0, x1] x y.
struct Rectangle {
  double x0 = 0.0, x1 = 0.0;
  Interval y{0.0, 0.0};
  double area() const { return std::max(0.0, x1 - x0) * std::max(0.0, y.length()); }
};

Rectangle largestRectangle(const Face& face) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vec2& c : face.corners) {
    low = std::min(low, c.x());
    high = std::max(high, c.x());
  }
  Rectangle best;
  // Centre and half width of the range of both ends; it shrinks about the best pair.
  Vec2 middle(0.5 * (low + high), 0.5 * (low + high));
  double half = 0.5 * (high - low);
  for (int turn = 0; turn < kTurns; ++turn, half *= 0.25) {
    std::array<std::array<double, kGrid + 1>, 2> ends;
    for (int i = 0; i <= kGrid; ++i) {
      for (int e = 0; e < 2; ++e) {
        ends[e][i] = std::clamp(middle[e] + half * (2.0 * i / kGrid - 1.0), low, high);
      }
    }
    for (double x0 : ends[0]) {
      const Interval at0 = rangeAt(face, x0);
      for (double x1 : ends[1]) {
        if (x1 <= x0) continue;
        const Interval at1 = rangeAt(face, x1);
        const Rectangle r{x0, x1, {std::max(at0.lower, at1.lower), std::min(at0.upper, at1.upper)}};
        if (r.area() > best.area()) best = r;
      }
    }
    middle = {best.x0, best.x1};
  }
  return best;
}

}  // namespace

std::optional<Contact> soleOf(const RobotModel& robot, int link, const Vec3& up_L) {
  const auto face = lowestFace(robot, link, up_L);
  if (!face) return std::nullopt;
  const Rectangle r = largestRectangle(*face);
  if (!(r.area() > 0.0)) return std::nullopt;
  Contact contact;
  contact.link = link;
  contact.X_LC.R = face->R_LF;
  contact.X_LC.p = face->R_LF * Vec3(0.5 * (r.x0 + r.x1), r.y.middle(), face->height);
  contact.half_size = {0.5 * (r.x1 - r.x0), 0.5 * r.y.length()};
  return contact;
}

double soleOverhang(const RobotModel& robot, const Contact& contact) {
  const auto face = lowestFace(robot, contact.link, contact.X_LC.R.col(2));
  if (!face) return std::numeric_limits<double>::infinity();
  double most = 0.0;
  for (int corner = 0; corner < 4; ++corner) {
    const Vec3 p_C(corner & 1 ? contact.half_size.x() : -contact.half_size.x(),
                   corner & 2 ? contact.half_size.y() : -contact.half_size.y(), 0.0);
    const Vec3 p_F = face->R_LF.transpose() * (contact.X_LC * p_C);
    // Beyond the edge of the polygon, seen from above: to the right of it.
    for (std::size_t i = 0; i < face->corners.size(); ++i) {
      const Vec2& a = face->corners[i];
      const Vec2 along = face->corners[(i + 1) % face->corners.size()] - a;
      if (along.norm() < kShortestEdge) continue;
      const Vec2 from = p_F.head<2>() - a;
      most = std::max(most, (along.y() * from.x() - along.x() * from.y()) / along.norm());
    }
  }
  return most;
}

}  // namespace allclear
