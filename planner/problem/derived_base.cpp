#include "allclear/planner/problem/derived_base.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/planner/problem/contacts.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/rerooted.h"

namespace allclear {
namespace {

constexpr int kBaseCoordinates = 6;

/// The nearest value to `before` that is the same angle.
double nearestTurn(double angle, double before) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  return angle - kTurn * std::round((angle - before) / kTurn);
}

}  // namespace

std::vector<std::string> derivedBaseNames(const Problem& problem) {
  const RobotModel& robot = *problem.robot;
  const int joint = floatingBase(robot);
  if (joint < 0 || ContactSet(problem).base() == nullptr) return {};
  std::vector<std::string> names;
  for (int i = 0; i < kBaseCoordinates; ++i) {
    const int c = robot.joints()[joint].first_coordinate + i;
    // Planned ones have columns of their own: the robot was not turned round.
    if (std::binary_search(problem.planned.begin(), problem.planned.end(), c)) return {};
    names.push_back(robot.coordinates()[c].name);
  }
  return names;
}

MatX derivedBase(const Problem& problem, const MatX& positions) {
  const int base = baseBeforeRerooting(*problem.robot);
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  MatX out(kBaseCoordinates, positions.cols());
  for (Eigen::Index i = 0; i < positions.cols(); ++i) {
    kinematics.linkPoses(problem.configuration(positions.col(i)), workspace, X_WL);
    out.col(i) << X_WL[base].p, rpyFromRotation(X_WL[base].R);
    if (i > 0) out(5, i) = nearestTurn(out(5, i), out(5, i - 1));
  }
  return out;
}

}  // namespace allclear
