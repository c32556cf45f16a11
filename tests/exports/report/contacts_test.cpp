// What a report says of the forces at contacts, against the robot's weight, its dynamics as another
// function computes them, and the page.
#include "allclear/exports/report/contacts.h"

#include <gtest/gtest.h>

#include <random>

#include "allclear/exports/report.h"
#include "allclear/robot_models/kinematics/rerooted.h"
#include "allclear/robot_models/load_robot.h"
#include "exports/report_payload.h"
#include "support/data.h"

namespace allclear {
namespace {

using nlohmann::json;

constexpr double kDuration = 1.0;
/// Rounding of sums over 32 links with forces of up to 1000 N.
constexpr double kRounding = 1e-9;

Contact soleOf(int link) {
  Contact sole;
  sole.link = link;
  sole.X_LC.p = {0.03, 0.0, -0.085};
  sole.half_size = {0.115, 0.052};
  return sole;
}

/// The example's humanoid, half sitting on both feet.
Problem standingHumanoid() {
  RobotSource source;
  source.urdf = test::sourceFolder() / "examples" / "humanoid" / "humanoid.urdf";
  source.srdf = test::sourceFolder() / "examples" / "humanoid" / "humanoid.srdf";
  source.base = BaseJoint::kFloating;
  Problem problem;
  problem.robot = std::make_shared<const RobotModel>(loadRobot(source));
  problem.start = problem.robot->neutralConfiguration();
  for (const GroupState& state : problem.robot->groupStates()) {
    for (const auto& [c, value] : state.values) problem.start[c] = value;
  }
  problem.start[problem.robot->findCoordinate("virtual_joint/z")] = 0.917932;
  for (int c = 0; c < problem.robot->dimension(); ++c) problem.planned.push_back(c);
  problem.goal = JointTarget{problem.planned, problem.start};
  problem.limits.torque = true;
  for (const char* foot : {"left_foot", "right_foot"}) {
    problem.contacts.push_back(soleOf(problem.robot->findLink(foot)));
  }
  return standOn(problem);
}

/// At rest at the start.
Trajectory atRest(const Problem& problem) {
  const VecX q = problem.plannedPart(problem.start);
  MatX positions(q.size(), 2);
  positions << q, q;
  const MatX zero = MatX::Zero(q.size(), 2);
  return HermiteCurve({0.0, kDuration}, positions, zero, zero);
}

MatX randomMatrix(std::mt19937_64& engine, int rows, double size) {
  std::uniform_real_distribution<double> number(-size, size);
  return MatX::NullaryExpr(rows, 2, [&] { return number(engine); });
}

/// Away from the start and back, as fast as the numbers happen to be.
Trajectory moving(const Problem& problem, std::mt19937_64& engine) {
  const int n = problem.plannedCount();
  const MatX positions = problem.plannedPart(problem.start).replicate(1, 2);
  return HermiteCurve({0.0, kDuration}, positions, randomMatrix(engine, n, 1.0),
                      randomMatrix(engine, n, 4.0));
}

/// The right foot bears `share` of the weight at its middle.
Trajectory bearing(const ReportContacts& contacts, double share) {
  MatX values = MatX::Zero(6, 2);
  values.row(2).setConstant(share * contacts.weight);
  return HermiteCurve({0.0, kDuration}, values, MatX::Zero(6, 2), MatX::Zero(6, 2));
}

TEST(ReportContacts, OfARobotAtRestCarryItsWeight) {
  const Problem problem = standingHumanoid();
  const Trajectory trajectory = atRest(problem);
  const ReportFrames frames = motionFrames(problem, trajectory);
  const ReportContacts without = reportContacts(problem, trajectory, nullptr, frames);
  EXPECT_NEAR(without.weight, 71.4 * 9.81, 1e-9);
  ASSERT_EQ(without.contacts.size(), 2u);
  EXPECT_TRUE(without.contacts[0].force.empty()) << "how the feet share the weight is not known";
  const Trajectory wrenches = bearing(without, 0.25);
  const ReportContacts with = reportContacts(problem, trajectory, &wrenches, frames);
  for (int f = 0; f < frames.count(); ++f) {
    const Vec3 sum = with.contacts[0].force[f] + with.contacts[1].force[f];
    EXPECT_NEAR((sum - Vec3(0, 0, with.weight)).norm(), 0.0, kRounding);
    EXPECT_NEAR(with.contacts[1].force[f].z(), 0.25 * with.weight, kRounding);
    EXPECT_NEAR((with.contacts[1].pressure[f] - with.contacts[1].placed.X_WC.p).norm(), 0.0, 1e-12);
    // The centre of pressure of both lies between the two, where the shares of the weight say.
    const Vec3 between = 0.75 * with.contacts[0].pressure[f] + 0.25 * with.contacts[1].pressure[f];
    EXPECT_NEAR((between - with.zero_moment[f]).norm(), 0.0, kRounding);
  }
}

TEST(ReportContacts, LetTheBaseBearWhatTheFloatingJointsGeneralisedForcesAre) {
  const Problem problem = standingHumanoid();
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  const ContactSet set(problem);
  const int base = problem.robot->joints()[floatingBase(*problem.robot)].first_coordinate;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 engine(seed);
    const Trajectory trajectory = moving(problem, engine);
    const Trajectory wrenches = HermiteCurve({0.0, kDuration}, randomMatrix(engine, 6, 300.0),
                                             MatX::Zero(6, 2), MatX::Zero(6, 2));
    const ReportFrames frames = motionFrames(problem, trajectory);
    const ReportContacts shown = reportContacts(problem, trajectory, &wrenches, frames);
    for (const int f : {0, 17, 30, frames.count() - 1}) {
      const double t = frames.times[f];
      VecX v = VecX::Zero(problem.robot->dimension()), a = v, tau = v;
      for (int i = 0; i < problem.plannedCount(); ++i) {
        v[problem.planned[i]] = trajectory.value(t, 1)[i];
        a[problem.planned[i]] = trajectory.value(t, 2)[i];
      }
      kinematics.inverseDynamics(frames.q[f], v, a, workspace, tau);
      subtractContactForces(set, kinematics, workspace, wrenches.value(t), &tau);
      const ReportContact& foot = shown.contacts[0];
      const Pose X_WF = frames.X_WL[f][foot.placed.contact.link];
      const Vec3 moment = foot.moment[f] + (foot.placed.X_WC.p - X_WF.p).cross(foot.force[f]);
      const double scale = kRounding * (1.0 + foot.force[f].norm());
      EXPECT_NEAR((X_WF.R * tau.segment<3>(base) - foot.force[f]).norm(), 0.0, scale) << seed;
      EXPECT_NEAR((X_WF.R * tau.segment<3>(base + 3) - moment).norm(), 0.0, scale) << seed;
    }
  }
}

TEST(ReportContacts, GiveTorquesOnlyWhereTheForcesAreKnown) {
  const Problem problem = standingHumanoid();
  const Trajectory trajectory = atRest(problem);
  const ReportFrames frames = motionFrames(problem, trajectory);
  EXPECT_TRUE(reportJoints(problem, trajectory, nullptr, frames).torque.isZero());
  // Half of the weight on each foot: mirrored joints have mirrored torques.
  const Trajectory wrenches = bearing(reportContacts(problem, trajectory, nullptr, frames), 0.5);
  const MatX torque = reportJoints(problem, trajectory, &wrenches, frames).torque;
  const auto of = [&](const char* joint) {
    const int c = problem.robot->findCoordinate(joint);
    const auto it = std::find(problem.planned.begin(), problem.planned.end(), c);
    return torque(it - problem.planned.begin(), 0);
  };
  EXPECT_GT(std::abs(of("left_knee")), 10.0);
  EXPECT_NEAR(of("right_elbow_pitch"), of("left_elbow_pitch"), kRounding);
  EXPECT_NEAR(of("right_hip_roll"), -of("left_hip_roll"), 1e-3);
}

TEST(ReportContacts, StandInThePage) {
  if (!hasReports()) GTEST_SKIP() << "built without reports";
  const Problem problem = standingHumanoid();
  const Trajectory trajectory = atRest(problem);
  const ReportFrames frames = motionFrames(problem, trajectory);
  const Trajectory wrenches = bearing(reportContacts(problem, trajectory, nullptr, frames), 0.5);
  Certificate certificate = certify(problem, trajectory);
  certificate.trajectory.wrenches = ContactWrenches{wrenches, {}};
  const json contacts =
      test::reportPayload(formatTrajectoryReport(problem, certificate))["contacts"];
  ASSERT_EQ(contacts["list"].size(), 2u);
  EXPECT_EQ(contacts["list"][0]["name"], "left_foot");
  EXPECT_TRUE(contacts["list"][1]["flat"].get<bool>());
  const std::vector<float> force = test::floats(contacts["list"][1]["force"]);
  ASSERT_EQ(force.size(), 3u * frames.times.size());
  EXPECT_NEAR(force[2], 0.5 * contacts["weight"].get<double>(), 1e-3);
  EXPECT_EQ(test::floats(contacts["zero_moment"]).size(), force.size());
}

}  // namespace
}  // namespace allclear
