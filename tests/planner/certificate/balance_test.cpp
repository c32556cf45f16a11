// A top-heavy arm on a small plate: its plans must not tip it over.
#include <gtest/gtest.h>

#include <fstream>

#include "allclear/core/input_error.h"
#include "allclear/planner/certificate/torque.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/program/state_demands.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/load_robot.h"
#include "support/random_robot.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

const PlanOptions kPatient{.time_limit = 60.0};

std::string link(const std::string& name, double mass, double z, const std::string& size) {
  return "<link name='" + name + "'><inertial><origin xyz='0 0 " + std::to_string(z) +
         "'/><mass value='" + std::to_string(mass) +
         "'/><inertia ixx='0.02' iyy='0.02' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial>"
         "<collision><origin xyz='0 0 " +
         std::to_string(z) + "'/><geometry><box size='" + size +
         "'/></geometry></collision></link>";
}

std::string joint(const std::string& name, const std::string& from, const std::string& to, double z,
                  const std::string& axis) {
  return "<joint name='" + name + "' type='revolute'><parent link='" + from + "'/><child link='" +
         to + "'/><origin xyz='0 0 " + std::to_string(z) + "'/><axis xyz='" + axis +
         "'/><limit lower='-2.5' upper='2.5' velocity='2' effort='500'/></joint>";
}

std::shared_ptr<const RobotModel> topHeavy() {
  static const auto kRobot = [] {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "top_heavy.urdf";
    std::ofstream(file) << "<robot name='top_heavy'>" << link("plate", 5.0, 0.01, "0.24 0.24 0.02")
                        << link("lower", 3.0, 0.2, "0.05 0.05 0.3")
                        << link("upper", 8.0, 0.2, "0.05 0.05 0.3")
                        << joint("yaw", "plate", "lower", 0.05, "0 0 1")
                        << joint("bend", "lower", "upper", 0.42, "0 1 0") << "</robot>";
    RobotSource source;
    source.urdf = file;
    return std::make_shared<const RobotModel>(loadRobot(source));
  }();
  return kRobot;
}

/// Bends over to one side, then to the other: the straight line would sweep far out in between.
Problem bowing(Balance::Criterion criterion) {
  Problem problem;
  problem.robot = topHeavy();
  problem.planned = {0, 1};
  problem.start = VecX(Eigen::Vector2d(0.0, 0.8));
  problem.goal = JointTarget{problem.planned, VecX(Eigen::Vector2d(0.4, -0.8))};
  problem.collision.allowed = {{"plate", "lower"}, {"lower", "upper"}, {"plate", "upper"}};
  problem.balance = Balance{{problem.robot->findLink("plate")}, criterion, 0.04};
  return problem;
}

/// The zero-moment point (or the centre of mass' foot) is inside the plate by the margin: from
/// kinematics alone.
double leastRoom(const Problem& problem, const Trajectory& trajectory) {
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> poses;
  double least = HUGE_VAL;
  for (int i = 0; i <= 4000; ++i) {
    const double t = trajectory.duration() * i / 4000;
    Vec3 p;
    if (problem.balance->criterion == Balance::Criterion::kCom) {
      kinematics.linkPoses(trajectory.value(t), workspace, poses);
      p = kinematics.centerOfMass(workspace);
    } else {
      const Wrench ground = kinematics.groundReaction(trajectory.value(t), trajectory.value(t, 1),
                                                      trajectory.value(t, 2), workspace);
      const auto zmp = zeroMomentPoint(ground, Vec3::Zero(), Vec3::UnitZ());
      if (!zmp) return -HUGE_VAL;
      p = *zmp;
    }
    least = std::min(least, 0.12 - p.head<2>().cwiseAbs().maxCoeff());
  }
  return least;
}

TEST(SupportPolygon, OfAPlateIsItsOutline) {
  const Problem problem = bowing(Balance::Criterion::kZmp);
  const SupportPolygon polygon = supportPolygon(problem, *problem.balance);
  ASSERT_EQ(polygon.edges.size(), 4u);
  EXPECT_NEAR(polygon.height, 0.0, 1e-12);
  EXPECT_NEAR(polygon.radius, 0.12, 1e-12);
  for (const SupportPolygon::Edge& edge : polygon.edges) EXPECT_NEAR(edge.offset, -0.12, 1e-12);
  EXPECT_NEAR(robotWeight(*problem.robot), 16.0 * 9.81, 1e-9);
}

TEST(SupportPolygon, OfALinkThatMovesIsRefused) {
  Problem problem = bowing(Balance::Criterion::kZmp);
  problem.balance->support_links = {problem.robot->findLink("lower")};
  EXPECT_THROW(supportPolygon(problem, *problem.balance), InputError);
}

TEST(BalanceBounds, EncloseWhatSamplesReach) {
  for (const auto criterion : {Balance::Criterion::kZmp, Balance::Criterion::kCom}) {
    const Problem problem = bowing(criterion);
    const SupportPolygon polygon = supportPolygon(problem, *problem.balance);
    const Kinematics kinematics(*problem.robot);
    StateDemands demands(problem, kinematics);
    test::Random random(41);
    for (int draw = 0; draw < 10; ++draw) {
      MatX control(2, 12);
      for (double& x : control.reshaped()) x = random.uniform(-1.0, 1.0);
      const Trajectory trajectory(BSpline(control, random.uniform(0.5, 4.0)));
      const std::vector<DynamicsBound> bounds = balanceBounds(problem, trajectory, polygon);
      ASSERT_EQ(static_cast<int>(bounds.size()), demands.count());
      VecX least = VecX::Constant(demands.count(), HUGE_VAL), values;
      for (int i = 0; i <= 2000; ++i) {
        const double t = trajectory.duration() * i / 2000;
        demands.values(trajectory.value(t), trajectory.value(t, 1), trajectory.value(t, 2), {},
                       &values);
        least = least.cwiseMin(values);
      }
      for (int e = 0; e < demands.count(); ++e) {
        EXPECT_LE(bounds[e].bound.lower, least[e]);
        // Tight where it matters: near the edge.
        EXPECT_GE(bounds[e].bound.lower,
                  std::min(0.099, least[e] - 0.01 * (1.0 + std::abs(least[e]))));
      }
    }
  }
}

TEST(Plan, KeepsItsBalanceByEitherCriterion) {
  for (const auto criterion : {Balance::Criterion::kZmp, Balance::Criterion::kCom}) {
    const Problem problem = bowing(criterion);
    Problem free = problem;
    free.balance.reset();
    const Plan tipping = allclear::plan(free, kPatient);
    ASSERT_EQ(tipping.status, PlanStatus::kCertified) << tipping.message;
    if (criterion == Balance::Criterion::kZmp) {
      EXPECT_LT(leastRoom(problem, *tipping.trajectory), 0.04);
    }
    const Plan plan = allclear::plan(problem, kPatient);
    ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
    EXPECT_GE(leastRoom(problem, *plan.trajectory), 0.04 - 1e-9);
  }
}

}  // namespace
}  // namespace allclear
