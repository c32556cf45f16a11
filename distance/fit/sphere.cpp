#include <algorithm>
#include <limits>

#include "allclear/distance/fit/enclose.h"
#include "allclear/distance/fitting.h"
#include "allclear/distance/geometry/smallest_ball.h"

namespace allclear {
namespace {

constexpr int kRounds = 60;
constexpr double kReached = 1e-10;  // of the radius: what is left to the final exact radius
constexpr std::size_t kManyPoints = 2000;

}  // namespace

// The ball about points is found exactly; of curved pieces the points that reach farthest out of
// the ball join, until none does.
Geometry fitSphere(std::span<const Geometry> shapes) {
  using namespace fitting;
  const Solids solids = gather(shapes);
  const UnitFrame frame(solids);
  std::vector<Vec3> points = samplePoints(solids);
  for (Vec3& p : points) p = frame.toUnit(p);
  if (points.size() > kManyPoints) {
    std::vector<Vec3> extremes;
    for (int i : extremePoints(points, 64)) extremes.push_back(points[i]);
    points = std::move(extremes);
  }
  SmallestBall<3> ball;
  for (int round = 0; round < kRounds; ++round) {
    ball = SmallestBallFinder<3>::find(points);
    const Vec3 center = frame.fromUnit(ball.center);
    const double limit = ball.radius * (1.0 + kReached) + 1e-13;
    const std::size_t before = points.size();
    for (const Vec3& p :
         farthestFromSegment(solids, {center, center}, Accuracy::kSearch).witnesses) {
      if ((frame.toUnit(p) - ball.center).norm() > limit) points.push_back(frame.toUnit(p));
    }
    if (points.size() == before) break;
  }
  Geometry result{Sphere(1.0), {}};
  result.X_BG.p = frame.fromUnit(ball.center);
  const double radius = farthestFromSegment(solids, {result.X_BG.p, result.X_BG.p}).distance;
  result.shape = Sphere(radius + padding(solids.largestCoordinate(), radius));
  return result;
}

}  // namespace allclear
