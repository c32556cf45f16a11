// Where a search may go. Joints with limits are sampled within them. A base that drives or floats
// has none (or such as ten metres), and how far a detour leads the scene alone tells: past the
// farthest obstacle. Most ways are near, though. So the range of these coordinates is drawn anew
// for each sample, from a metre beyond start and goal to all of the scene, and as often between 1 m
// and 2 m as between 10 m and 20 m.
#include "allclear/planner/seeds/configuration_space.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/core/assert.h"
#include "allclear/core/extremes.h"
#include "allclear/distance/cloud.h"
#include "allclear/distance/deforming_mesh.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

/// Beyond start and goal, at the least [m]: enough to get past what the robot itself is as wide as.
constexpr double kLeastRoom = 1.0;
/// Of the farthest point: with no more than that, hardly a sample would lie beyond it.
constexpr double kBeyond = 2.0;
/// A slide of more than this [m] is a base that drives, as no arm has it: its ends are no places to
/// look for a way.
constexpr double kWide = 10.0;

/// Of a body's points from its origin, at most [m]; half-spaces, which have no end, do not count:
/// there is no way around them.
double extentOf(const std::vector<Geometry>& geometry) {
  double extent = 0.0;
  for (const Geometry& part : geometry) {
    const Ball ball = boundingBall(part.shape);
    if (std::isfinite(ball.radius)) {
      extent = raised(extent, (part.X_BG * ball.center).norm() + ball.radius);
    }
  }
  return extent;
}

/// The same of an obstacle, whatever it is made of.
double extentOf(const Obstacle& obstacle) {
  double extent = extentOf(obstacle.geometry);
  if (obstacle.cloud) extent = raised(extent, obstacle.cloud->farthest());
  if (const DeformingMesh* mesh = obstacle.deforming.get()) {
    for (int k = 0; k < mesh->keyframeCount(); ++k) {
      for (const Vec3& p : mesh->keyframe(k)) extent = raised(extent, p.norm());
    }
  }
  return extent;
}

/// How far beyond start and goal a coordinate without limits may have to go [m]: past the farthest
/// point of an obstacle, seen from where the robot starts, with all of the robot.
double searchRoom(const Problem& problem) {
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.start, workspace, X_WL);
  const Vec3 p_WR = X_WL.back().p;  // any link will do: the robot's own size is added
  double robot = 0.0, scene = 0.0;
  for (std::size_t l = 0; l < X_WL.size(); ++l) {
    robot =
        raised(robot, (X_WL[l].p - p_WR).norm() + extentOf(problem.robot->links()[l].collision));
  }
  for (const Obstacle& obstacle : problem.obstacles) {
    const double extent = extentOf(obstacle);
    const auto add = [&](const Pose& X_WO) {
      if (extent > 0.0) scene = raised(scene, (X_WO.p - p_WR).norm() + extent);
    };
    if (obstacle.motion.empty()) add(obstacle.X_WO);
    for (const PoseKnot& knot : obstacle.motion) add(knot.X_WO);
  }
  return scene > 0.0 ? kLeastRoom + kBeyond * (scene + 2.0 * robot) : kLeastRoom;
}

}  // namespace

ConfigurationSpace::ConfigurationSpace(const Problem& problem, const VecX& goal, VecX reach)
    : reach_(std::move(reach)) {
  const VecX start = problem.plannedPart(problem.start);
  ALLCLEAR_ASSERT(goal.size() == start.size() && reach_.size() == start.size());
  least_ = start.cwiseMin(goal);
  greatest_ = start.cwiseMax(goal);
  lower_.resize(dimension());
  upper_.resize(dimension());
  bool is_open = false;
  for (int k = 0; k < dimension(); ++k) {
    const Coordinate& c = problem.robot->coordinates()[problem.planned[k]];
    wrapping_.push_back(c.wraps);
    wraps_ = wraps_ || c.wraps;
    is_open_.push_back(!c.wraps && !c.is_angle && !(c.upper - c.lower <= kWide));
    is_open = is_open || is_open_.back() != 0;
    // An angle without limits: one full turn about the start; where turns are no circle, a radian
    // beyond start and goal.
    const double near = c.wraps ? start[k] - std::numbers::pi : least_[k] - kLeastRoom;
    const double far = c.wraps ? start[k] + std::numbers::pi : greatest_[k] + kLeastRoom;
    const bool is_slide = is_open_.back() != 0;
    lower_[k] = std::isfinite(c.lower) || is_slide ? c.lower : near;
    upper_[k] = std::isfinite(c.upper) || is_slide ? c.upper : far;
  }
  if (is_open) room_ = searchRoom(problem);
}

VecX ConfigurationSpace::sample(RandomStream& random) const {
  double room = kLeastRoom;
  if (room_ > kLeastRoom) room *= std::pow(room_ / kLeastRoom, random.uniform());
  VecX q(dimension());
  for (int k = 0; k < dimension(); ++k) {
    double lower = lower_[k], upper = upper_[k];
    if (is_open_[k]) {
      lower = std::max(lower, least_[k] - room);
      upper = std::min(upper, greatest_[k] + room);
    }
    q[k] = lower + (upper - lower) * random.uniform();
  }
  return q;
}

VecX ConfigurationSpace::difference(const VecX& from, const VecX& to) const {
  // The remainder of IEEE rounds to the nearest turn: within [-pi, pi].
  VecX step = to - from;
  if (!wraps_) return step;
  for (int k = 0; k < dimension(); ++k) {
    if (wrapping_[k]) step[k] = std::remainder(step[k], 2.0 * std::numbers::pi);
  }
  return step;
}

double pathLength(const ConfigurationSpace& space, const std::vector<VecX>& path) {
  double length = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) length += space.length(path[i] - path[i - 1]);
  return length;
}

}  // namespace allclear
