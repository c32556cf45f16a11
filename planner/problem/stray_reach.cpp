#include "allclear/planner/problem/stray_reach.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/core/extremes.h"
#include "allclear/distance/support.h"
#include "allclear/robot_models/kinematics/chain_recursion.h"

namespace allclear {
namespace {

/// Rounding of poses and distances, in machine epsilons of the lengths involved: a few hundred
/// roundings behind a chain of some thirty joints (as `kRoundings` of certificate/motion.cpp).
constexpr double kRoundings = 1e3 * std::numeric_limits<double>::epsilon();

/// The farthest that any point of the solid is by `distance`: the lesser of what ball and box say,
/// both of which enclose it. `distance` is convex, so over the box it is greatest at a corner.
template <class Distance>
double farthest(const StrayReach::Placement& at, const StraySolid& solid,
                const Distance& distance) {
  if (!std::isfinite(solid.ball_N.radius)) return std::numeric_limits<double>::infinity();
  const Pose X_WN = solid.path.empty() ? Pose() : at.X_WN[solid.path.back()];
  const Vec3 center = X_WN * solid.ball_N.center;
  const double of_ball = distance(center) + solid.ball_N.radius;
  double of_box = 0.0;
  for (const Vec3& corner : solid.corners_N) of_box = raised(of_box, distance(X_WN * corner));
  return std::min(of_ball, of_box) + at.rounding * (center.norm() + solid.ball_N.radius);
}

}  // namespace

StraySolid StrayReach::solid(int link, const Geometry& geometry) const {
  StraySolid solid;
  Pose X_NG = geometry.X_BG;
  if (link >= 0) {
    const LinkMount& mount = tree_.mounts()[link];
    solid.path = tree_.pathTo(mount.node);
    X_NG = mount.X_NL * geometry.X_BG;
  }
  solid.ball_N = boundingBall(geometry.shape);
  solid.ball_N.center = X_NG * solid.ball_N.center;
  // A half-space has no end. Its ball is infinite and so is what follows from it, unless nothing
  // that strays turns it.
  if (!std::isfinite(solid.ball_N.radius)) {
    solid.corners_N.fill(Vec3::Constant(std::numeric_limits<double>::infinity()));
    return solid;
  }
  Vec3 lower, upper;
  for (int axis = 0; axis < 3; ++axis) {
    upper[axis] = supportValue(geometry.shape, Vec3::Unit(axis));
    lower[axis] = -supportValue(geometry.shape, -Vec3::Unit(axis));
  }
  for (int i = 0; i < 8; ++i) {
    solid.corners_N[i] =
        X_NG * Vec3((i & 1) != 0 ? upper.x() : lower.x(), (i & 2) != 0 ? upper.y() : lower.y(),
                    (i & 4) != 0 ? upper.z() : lower.z());
  }
  return solid;
}

StrayReach::Placement StrayReach::place(const VecX& q) const {
  // A large angle is rounded too, by a share of itself.
  const double greatest = q.size() > 0 ? q.cwiseAbs().maxCoeff() : 0.0;
  return {nodePoses(tree_, std::vector<double>(q.begin(), q.end())), kRoundings * (1.0 + greatest)};
}

double StrayReach::reach(const Placement& at, const StraySolid& solid, std::size_t k) const {
  ALLCLEAR_ASSERT(k < solid.path.size());
  const MotionNode& node = tree_.nodes()[solid.path[k]];
  if (!node.turns) return 1.0;
  const Pose& X_WA = at.X_WN[solid.path[k]];  // the axis goes through the node's origin
  const Vec3 axis = X_WA.R.col(node.axis);
  return farthest(at, solid, [&](const Vec3& p) { return (p - X_WA.p).cross(axis).norm(); });
}

double StrayReach::reachOfBase(const Placement& at, const StraySolid& solid) const {
  return farthest(at, solid, [](const Vec3& p) { return p.norm(); });
}

double StrayReach::displacement(const Placement& at, const StraySolid& solid, std::size_t shared,
                                bool with_base, const Uncertainty& uncertainty) const {
  double moved = with_base ? uncertainty.base_position : 0.0;
  // An infinite solid that does not stray does not move: no product with zero.
  if (with_base && uncertainty.base_angle != 0.0) {
    moved += uncertainty.base_angle * reachOfBase(at, solid);
  }
  for (std::size_t k = shared; k < solid.path.size(); ++k) {
    const double stray = strayOf(solid.path[k], uncertainty.joints);
    if (stray != 0.0) moved += reach(at, solid, k) * stray;
  }
  return moved;
}

double StrayReach::strayOf(int node, const VecX& joints) const {
  const MotionNode& at = tree_.nodes()[node];
  return joints.size() == 0 ? 0.0 : std::abs(at.multiplier) * joints[at.coordinate];
}

std::size_t sharedNodes(const std::vector<int>& a, const std::vector<int>& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                  a.begin());
}

}  // namespace allclear
