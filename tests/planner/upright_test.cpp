// A tool that stays upright among obstacles, on an arm of six joints: the straight line hits a
// post, and what is left of the joints' freedom does not let the optimiser push itself out.
#include <gtest/gtest.h>

#include "allclear/planner/planner.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/load_robot.h"
#include "support/data.h"

namespace allclear {
namespace {

Obstacle at(const std::string& id, const Shape& shape, const Vec3& p_BO, const Pose& X_WB) {
  return {id, X_WB * Pose{Mat3::Identity(), p_BO}, {{shape, Pose()}}, {}};
}

TEST(Upright, ToolPassesPostsWithSixJoints) {
  ALLCLEAR_REQUIRE_DATA("robots/ur5_description");
  const auto folder = test::dataFolder() / "robots" / "ur5_description";
  RobotSource source;
  source.urdf = folder / "urdf" / "ur5_robotiq85.urdf";
  source.srdf = folder / "srdf" / "ur5_robotiq85.srdf";
  Problem problem;
  problem.name = "upright past posts";
  problem.robot = std::make_shared<const RobotModel>(loadRobot(source));
  const RobotModel& robot = *problem.robot;
  const std::vector<std::string> names{"shoulder_pan_joint", "shoulder_lift_joint",
                                       "elbow_joint",        "wrist_1_joint",
                                       "wrist_2_joint",      "wrist_3_joint"};
  const std::vector<double> start{-0.9, -1.2, 1.9, -2.27, -1.57, 0.0};
  problem.start = robot.neutralConfiguration();
  JointTarget goal;
  for (int c = 0; c < robot.dimension(); ++c) {
    const auto found = std::find(names.begin(), names.end(), robot.coordinates()[c].name);
    if (found == names.end()) continue;
    problem.planned.push_back(c);
    problem.start[c] = start[static_cast<std::size_t>(found - names.begin())];
  }
  goal.coordinates = problem.planned;
  goal.values = problem.plannedPart(problem.start);
  goal.values[0] = 0.9;
  problem.goal = goal;

  const Kinematics kinematics(robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> poses;
  kinematics.linkPoses(problem.start, workspace, poses);
  const auto link = [&](const std::string& name) {
    int l = 0;
    while (robot.links()[l].name != name) ++l;
    return l;
  };
  const Pose base = poses[link("base_link")];
  const Vec3 axis = poses[link("ee_link")].R.col(0);
  problem.path_constraints = {KeepAxis{link("ee_link"), Vec3::UnitX(), axis, 0.1}};
  problem.obstacles = {at("post", Cylinder(0.05, 0.7), {0.5, 0.05, 0.1}, base),
                       at("post2", Cylinder(0.04, 0.5), {0.4, 0.45, 0.0}, base),
                       at("beam", Box(Vec3(0.8, 0.06, 0.06)), {0.5, 0.05, 0.75}, base),
                       at("wall", Box(Vec3(0.02, 1.2, 0.6)), {0.85, 0.0, 0.15}, base)};
  ASSERT_TRUE(validate(problem).empty()) << validate(problem)[0].message;
  const Plan plan = allclear::plan(problem, {.time_limit = 300.0});
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  EXPECT_NE(plan.statistics.seed.find("tree"), std::string::npos) << plan.statistics.seed;
  const Trajectory& trajectory = *plan.trajectory;
  for (int i = 0; i <= 1000; ++i) {
    const VecX q = problem.configuration(trajectory.value(trajectory.duration() * i / 1000.0));
    kinematics.linkPoses(q, workspace, poses);
    EXPECT_LE(std::acos(std::min(1.0, poses[link("ee_link")].R.col(0).dot(axis))), 0.1 + 1e-5);
  }
}

}  // namespace
}  // namespace allclear
