// The smallest ball about the solids. About points it is found exactly. Curved pieces take part by
// the points of theirs that reach farthest out of the ball: these join, and the ball is found
// again, until none reaches out. The final radius is exact for the stored centre.
#include <algorithm>
#include <limits>

#include "allclear/distance/fit/enclose.h"
#include "allclear/distance/fitting.h"
#include "allclear/distance/geometry/smallest_ball.h"

namespace allclear {
namespace {

constexpr int kRounds = 60;
/// Of the radius: how far a point may reach out; the final exact radius makes up for it.
constexpr double kReached = 1e-10;
constexpr double kRounding = 1e-13;        // unit coordinates: for balls of radius 0
constexpr std::size_t kManyPoints = 2000;  // above, the search starts from extreme points
constexpr int kExtremeDirections = 64;

}  // namespace

Geometry fitSphere(std::span<const Geometry> shapes) {
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
  SmallestBall<3> ball;
  for (int round = 0; round < kRounds; ++round) {
    ball = SmallestBallFinder<3>::find(points);
    const Vec3 center = frame.fromUnit(ball.center);
    const double limit = ball.radius * (1.0 + kReached) + kRounding;
    const std::size_t before = points.size();
    // A segment of length 0: distances from the centre.
    for (const Vec3& p :
         farthestFromSegment(solids, {center, center}, Accuracy::kSearch).witnesses) {
      if ((frame.toUnit(p) - ball.center).norm() > limit) points.push_back(frame.toUnit(p));
    }
    if (points.size() == before) break;
  }
  // Exact radius about the centre as stored.
  Geometry result{Sphere(1.0), {}};
  result.X_BG.p = frame.fromUnit(ball.center);
  const double radius = farthestFromSegment(solids, {result.X_BG.p, result.X_BG.p}).distance;
  result.shape = Sphere(radius + padding(solids.largestCoordinate(), radius));
  return result;
}

}  // namespace allclear
