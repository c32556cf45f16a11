// Cylinders of small volume. For a fixed axis direction the smallest cylinder is known: across the
// axis the smallest circle about the projected points, along it their extent. So the search runs
// over directions alone: many starts, the best few improved by a pattern search. Volumes leave out
// the factor pi. As with boxes, the final sizes come from all of the input and the stored axis.
#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/distance/fit/enclose.h"
#include "allclear/distance/fitting.h"
#include "allclear/distance/geometry/smallest_ball.h"
#include "allclear/distance/shape.h"

namespace allclear {
namespace fitting {
namespace {

constexpr std::size_t kManyPoints = 160;  // above, the search works on extreme points alone
constexpr int kExtremeDirections = 64;
constexpr int kFan = 30;        // directions tried all over the sphere
constexpr double kFlat = 1e-9;  // unit coordinates: sizes below count as this, as of boxes
constexpr int kPolished = 4;
constexpr double kFirstTurn = 0.1;      // [rad]
constexpr double kSmallestTurn = 1e-7;  // [rad]: the volume changes by its square
constexpr int kPasses = 200;            // of the pattern search
constexpr double kGain = 1e-10;         // relative: less is rounding
constexpr int kRounds = 20;             // of points that join the search
constexpr double kGrowth = 1e-9;        // relative: a point that adds less is inside to rounding

struct CylinderFit {
  Vec3 direction;
  Vec3 foot;  // a point of the axis
  double volume;
};

// The smallest cylinder with the given axis direction.
CylinderFit cylinderAlong(std::span<const Vec3> points, const Vec3& direction) {
  const Pose X = poseAlong(Vec3::Zero(), direction);
  std::vector<Vec2> flat;  // projections across the axis
  double lower = std::numeric_limits<double>::infinity();
  double upper = -lower;
  for (const Vec3& p : points) {
    flat.emplace_back(X.R.col(0).dot(p), X.R.col(1).dot(p));
    const double along = direction.dot(p);
    lower = std::min(lower, along);
    upper = std::max(upper, along);
  }
  const SmallestBall<2> circle = SmallestBallFinder<2>::find(flat);
  const double radius = std::max(circle.radius, kFlat);
  return {direction, circle.center.x() * X.R.col(0) + circle.center.y() * X.R.col(1),
          radius * radius * std::max(upper - lower, kFlat)};
}

// Pattern search: tilts the axis in eight senses; the tilt shrinks whenever none helps.
void polish(std::span<const Vec3> points, CylinderFit* fit) {
  double turn = kFirstTurn;
  for (int pass = 0; pass < kPasses && turn > kSmallestTurn; ++pass) {
    bool improved = false;
    const Pose X = poseAlong(Vec3::Zero(), fit->direction);
    for (int i = 0; i < 8; ++i) {
      const double angle = i * std::acos(-1.0) / 4.0;  // of the sense of the tilt
      const Vec3 to = std::cos(angle) * X.R.col(0) + std::sin(angle) * X.R.col(1);
      const CylinderFit next = cylinderAlong(points, (fit->direction + turn * to).normalized());
      if (next.volume < fit->volume * (1.0 - kGain)) {
        *fit = next;
        improved = true;
      }
    }
    if (!improved) turn *= 0.4;
  }
}

// The best of polished starts: principal axes, the axes of a small box, directions all over.
CylinderFit bestCylinder(std::span<const Vec3> points, const Mat3& box_axes) {
  std::vector<Ball> balls;
  for (const Vec3& p : points) balls.push_back({p, 0.0});
  const Mat3 principal = principalAxes(balls);
  std::vector<CylinderFit> fits;  // the starts, then the best of them polished
  for (int k = 0; k < 3; ++k) {
    fits.push_back(cylinderAlong(points, principal.col(k)));
    fits.push_back(cylinderAlong(points, box_axes.col(k)));
  }
  for (int i = 0; i < kFan; ++i) fits.push_back(cylinderAlong(points, fanDirection(i, kFan)));
  const auto smaller = [](const CylinderFit& a, const CylinderFit& b) {
    return a.volume < b.volume;
  };
  std::stable_sort(fits.begin(), fits.end(), smaller);
  for (int i = 0; i < kPolished; ++i) polish(points, &fits[i]);
  return *std::min_element(fits.begin(), fits.begin() + kPolished, smaller);
}

// The cylinder about all solids with (to rounding) the given axis, exact sizes.
Geometry cylinderAbout(const Vec3& foot, const Vec3& direction, const Solids& solids) {
  Geometry result{Sphere(1.0), poseAlong(foot, direction)};
  const Vec3 d = result.X_BG.R.col(2);
  const Interval along = extent(solids, d);
  result.X_BG.p += (along.middle() - d.dot(foot)) * d;
  const double radius = farthestFromLine(solids, result.X_BG.p, d).distance;
  const double pad = padding(solids.largestCoordinate(), radius + along.length());
  result.shape = Cylinder(radius + pad, along.length() + 2.0 * pad);
  return result;
}

}  // namespace
}  // namespace fitting

Geometry fitCylinder(std::span<const Geometry> shapes) {
  using namespace fitting;
  const Solids solids = gather(shapes);
  const UnitFrame frame(solids);
  std::vector<Vec3> points = samplePoints(solids);
  for (Vec3& p : points) p = frame.toUnit(p);
  if (points.size() > kManyPoints) {
    std::vector<Vec3> extremes;
    for (int i : extremePoints(points, kExtremeDirections)) extremes.push_back(points[i]);
    points = std::move(extremes);
  }
  CylinderFit fit = bestCylinder(points, fitBox(shapes).X_BG.R);
  for (int round = 0; round < kRounds; ++round) {
    // The points that reach farthest out of the cylinder about the few join them. When they make it
    // no larger, it is the cylinder about all.
    const Vec3 foot = frame.fromUnit(fit.foot);
    const std::size_t before = points.size();
    const double volume = cylinderAlong(points, fit.direction).volume;
    for (const Vec3& p :
         farthestFromLine(solids, foot, fit.direction, Accuracy::kSearch).witnesses) {
      points.push_back(frame.toUnit(p));
    }
    const CylinderFit with = cylinderAlong(points, fit.direction);
    if (with.volume <= volume * (1.0 + kGrowth)) {
      points.resize(before);
      break;
    }
    fit = with;
    polish(points, &fit);
  }
  Geometry best = cylinderAbout(frame.fromUnit(fit.foot), fit.direction, solids);
  if (!solids.isCurved()) return best;
  // The search knows curved pieces by points on them only: their own axes compete, judged by the
  // exact cylinder.
  for (const Geometry& g : shapes) {
    for (int k = 0; k < 3; ++k) {
      const CylinderFit along = cylinderAlong(points, g.X_BG.R.col(k));
      const Geometry other = cylinderAbout(frame.fromUnit(along.foot), along.direction, solids);
      if (shapeVolume(other.shape) < shapeVolume(best.shape)) best = other;
    }
  }
  return best;
}

}  // namespace allclear
