// An upper bound of how far a robot reaches: the chain pulled straight. It finds goals given in
// millimetres, or for another robot, before anything is searched.
#include "allclear/planner/problem/reach.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/formatted.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A position in other units is beyond the reach by more than this factor; a wish by less.
constexpr double kOtherUnits = 20.0;

/// The joints from the link to the world.
std::vector<const Joint*> pathFrom(const RobotModel& robot, int link) {
  std::vector<const Joint*> path;
  while (robot.links()[link].parent_joint >= 0) {
    path.push_back(&robot.joints()[robot.links()[link].parent_joint]);
    link = path.back()->parent_link;
  }
  return path;
}

/// Whether a planned coordinate moves the joint; of one that follows another joint, that one's.
bool isPlanned(const Problem& problem, const Joint& joint) {
  const auto isIn = [&](int c) {
    return std::binary_search(problem.planned.begin(), problem.planned.end(), c);
  };
  if (joint.mimic) return isIn(joint.mimic->coordinate);
  for (int c = joint.first_coordinate; c >= 0 && c < problem.robot->dimension(); ++c) {
    if (&problem.robot->joints()[problem.robot->coordinates()[c].joint] != &joint) break;
    if (isIn(c)) return true;
  }
  return false;
}

/// How far the joint may move its child from its own origin [m]: where it is held, as far as its
/// limits let it, which is more than it needs.
double travel(const Problem& problem, const Joint& joint) {
  double most = 0.0;
  for (int c = joint.first_coordinate; c >= 0 && c < problem.robot->dimension(); ++c) {
    const Coordinate& coordinate = problem.robot->coordinates()[c];
    if (&problem.robot->joints()[coordinate.joint] != &joint) break;
    if (coordinate.is_angle) continue;
    most += std::max(
        {std::abs(coordinate.lower), std::abs(coordinate.upper), std::abs(problem.start[c])});
  }
  // A joint that follows another one has no coordinate of its own, and may slide.
  if (joint.mimic && joint.type == JointType::kPrismatic) return kInfinity;
  return most;
}

}  // namespace

Reach reachOf(const Problem& problem, int link, const Vec3& p_LQ) {
  Reach out;
  const std::vector<const Joint*> path = pathFrom(*problem.robot, link);
  double length = p_LQ.norm();
  for (const Joint* joint : path) {
    length += travel(problem, *joint);
    // The last one found is the first from the world: up to it the chain does not move.
    if (isPlanned(problem, *joint)) {
      out.joint = joint->name;
      out.radius = length;
      const Kinematics kinematics(*problem.robot);
      Kinematics::Workspace workspace = kinematics.makeWorkspace();
      std::vector<Pose> X_WL;
      kinematics.linkPoses(problem.start, workspace, X_WL);
      out.center = X_WL[joint->parent_link] * joint->X_PJ.p;
    }
    length += joint->X_PJ.p.norm();
  }
  return out;
}

double longestReach(const Problem& problem) {
  double longest = 0.0;
  for (int l = 0; l < static_cast<int>(problem.robot->links().size()); ++l) {
    longest = std::max(longest, reachOf(problem, l, Vec3::Zero()).radius);
  }
  return longest;
}

std::string outOfReach(const Problem& problem, const PoseTarget& target) {
  // Where the place may be off along an axis, as far as that.
  if (target.position_axes.freeCount() > 0) return "";
  const double tolerance = std::min(target.position_tolerance, target.position_axes.most.norm());
  if (!std::isfinite(tolerance)) return "";
  const Reach reach = reachOf(problem, target.link, target.X_LP.p);
  if (reach.joint.empty()) return "";
  const double distance = (target.X_WP.p - reach.center).norm() - tolerance;
  if (!(distance > reach.radius)) return "";
  const std::string& link = problem.robot->links()[target.link].name;
  return "the position for '" + link + "' is " + formatted("%.4g", distance) + " m from joint '" +
         reach.joint + "', and '" + link + "' gets no farther than " +
         formatted("%.4g", reach.radius) + " m from there" +
         (distance > kOtherUnits * reach.radius ? "; positions are in metres" : "");
}

}  // namespace allclear
