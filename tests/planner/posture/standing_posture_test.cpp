// Postures of a robot that stands on two feet, and starts put onto their contacts.
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "allclear/core/input_error.h"
#include "allclear/planner/posture/posture.h"
#include "allclear/planner/posture/posture_figures.h"
#include "allclear/planner/posture/posture_rows.h"
#include "allclear/planner/posture/start_projection.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/planner/problem/support_polygon.h"
#include "allclear/planner/program/state_demands.h"
#include "support/jvrc.h"
#include "support/random.h"

namespace allclear {
namespace {

constexpr double kFree = std::numeric_limits<double>::infinity();

/// JVRC-1 crosses its hands: the goal of the thesis's first task as places of its palms, near a
/// half-sitting posture with bent elbows.
Problem crossing() {
  Problem problem = test::jvrcProblem(test::kCrossStart, test::kCrossGoal, 5.0);
  const RobotModel& robot = *problem.robot;
  PostureTarget target;
  const std::map<std::string, Vec3> palms = {{"R_WRIST_Y_S", {0.36, 0.10 - 0.096, 1.20}},
                                             {"L_WRIST_Y_S", {0.36, -0.10 - 0.096, 1.02}}};
  for (const auto& [link, place] : palms) {
    PoseTarget palm;
    palm.link = robot.findLink(link);
    palm.X_LP.p = {0.0, 0.0, -0.10};
    palm.X_WP.p = place;
    palm.angle_tolerance = kFree;
    target.poses.push_back(palm);
  }
  const std::map<std::string, double> half_sitting = {
      {"L_ANKLE_P", -0.33},    {"L_ANKLE_R", -0.02},     {"L_KNEE", 0.72},
      {"L_HIP_R", 0.02},       {"L_HIP_P", -0.38},       {"R_HIP_P", -0.38},
      {"R_HIP_R", -0.01},      {"R_KNEE", 0.72},         {"R_ANKLE_R", -0.01},
      {"R_ANKLE_P", -0.33},    {"WAIST_P", 0.13},        {"R_SHOULDER_P", -0.052},
      {"R_SHOULDER_R", -0.17}, {"L_SHOULDER_P", -0.052}, {"L_SHOULDER_R", 0.17}};
  const std::map<std::string, double> named = {
      {"R_ELBOW_P", -1.4}, {"L_ELBOW_P", -1.4}, {"R_SHOULDER_Y", 0.6}, {"L_SHOULDER_Y", -0.6}};
  VecX reference = problem.start, weights = VecX::Ones(robot.dimension());
  for (const char* joint : test::kJvrcJoints) reference[robot.findCoordinate(joint)] = 0.0;
  for (const auto& [joint, value] : half_sitting) reference[robot.findCoordinate(joint)] = value;
  for (const auto& [joint, value] : named) {
    reference[robot.findCoordinate(joint)] = value;
    weights[robot.findCoordinate(joint)] = 10.0;
  }
  target.reference = {problem.planned, problem.plannedPart(reference)};
  target.weights = problem.plannedPart(weights);
  problem.goal = target;
  return problem;
}

TEST(StandingPosture, IsOnItsFeetWithForcesThatCarryIt) {
  ALLCLEAR_REQUIRE_DATA(test::kJvrcUrdf);
  const Problem problem = standOn(crossing());
  const auto& target = std::get<PostureTarget>(problem.goal);
  const ClearanceEvaluator evaluator(problem);
  const std::vector<Posture> found = findPostures(evaluator, target);
  ASSERT_EQ(found.size(), 1u);  // from the reference itself
  const VecX& q = found.front().q;
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.configuration(q), workspace, X_WL);
  const ContactSet contacts(problem);
  for (const PlacedContact& placed : contacts.all()) {
    const Pose X_WC = X_WL[placed.contact.link] * placed.contact.X_LC;
    EXPECT_LE((X_WC.p - placed.X_WC.p).norm(), 1e-10);
    EXPECT_LE((X_WC.R - placed.X_WC.R).norm(), 1e-10);
  }
  for (const PoseTarget& palm : target.poses) {
    EXPECT_LE((X_WL[palm.link] * palm.X_LP.p - palm.X_WP.p).norm(), 0.2 * palm.position_tolerance);
  }
  StateDemands demands(problem, kinematics);
  const VecX rest = VecX::Zero(q.size());
  VecX values;
  demands.values(q, rest, rest, found.front().wrenches, &values);
  EXPECT_GE(values.minCoeff(), PostureRows::kDemandReserve - 1e-4);
  // No worse than the posture that the notes found, which keeps clearances too.
  const VecX listed =
      problem.plannedPart(test::jvrcConfiguration(*problem.robot, test::kCrossGoal));
  const double cost = 0.5 * target.weights.dot((listed - target.reference.values).cwiseAbs2());
  EXPECT_LE(found.front().cost, 1.001 * cost);
}

TEST(StandingPosture, HasTheJacobianOfItsDifferences) {
  ALLCLEAR_REQUIRE_DATA(test::kJvrcUrdf);
  const Problem problem = standOn(crossing());
  const auto& target = std::get<PostureTarget>(problem.goal);
  const ClearanceEvaluator evaluator(problem);
  PostureRows rows(evaluator, target);
  ASSERT_EQ(rows.wrenches(), 6);
  test::Random random(2);
  VecX x(rows.variables());
  x << target.reference.values + random.vectorX(rows.joints(), 0.1), random.vectorX(6, 0.3);
  rows.place(x);
  const MatX jacobian = rows.jacobian();
  for (int k = 0; k < rows.variables(); ++k) {
    const VecX step = 1e-6 * VecX::Unit(x.size(), k);
    rows.place(x + step);
    const VecX above = rows.values();
    rows.place(x - step);
    EXPECT_LE(((above - rows.values()) / 2e-6 - jacobian.col(k)).cwiseAbs().maxCoeff(), 1e-5);
  }
}

/// A palm two metres up cannot be reached on two feet: not the contacts, torques or limits alone
/// are the cause.
TEST(StandingPosture, SaysWhatIsOutOfReach) {
  ALLCLEAR_REQUIRE_DATA(test::kJvrcUrdf);
  Problem problem = standOn(crossing());
  auto& target = std::get<PostureTarget>(problem.goal);
  target.poses.front().X_WP.p.z() = 2.5;
  const ClearanceEvaluator evaluator(problem);
  EXPECT_TRUE(findPostures(evaluator, target, {}, {.tries = 2}).empty());
  const std::string fault = postureFault(evaluator, target);
  const std::string link = problem.robot->links()[target.poses.front().link].name;
  EXPECT_NE(fault.find("Without the pose of link '" + link + "' there is one"), std::string::npos)
      << fault;
}

/// The forces at the soles are the robot's weight, without a moment about its centre of mass; and
/// the base's pose, put into the robot as its files have it, puts the first foot where it stands.
TEST(PostureFigures, AreThoseOfARobotAtRest) {
  ALLCLEAR_REQUIRE_DATA(test::kJvrcUrdf);
  const Problem floating = crossing();
  const Problem problem = standOn(floating);
  const ClearanceEvaluator evaluator(problem);
  const VecX listed =
      problem.plannedPart(test::jvrcConfiguration(*problem.robot, test::kCrossGoal));
  const PostureFigures figures =
      postureFigures(evaluator, &std::get<PostureTarget>(problem.goal), postureAt(problem, listed));
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.configuration(listed), workspace, X_WL);
  const Vec3 center = kinematics.centerOfMass(workspace);
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  ASSERT_EQ(figures.forces.size(), 2u);
  for (const auto& at : figures.forces) {
    const Contact& contact = problem.contacts[&at - figures.forces.data()];
    const Vec3 p = X_WL[contact.link] * contact.X_LC.p;
    force += at.force;
    moment += at.moment + (p - center).cross(at.force);
  }
  const double weight = robotWeight(*problem.robot);
  EXPECT_LE((force - weight * Vec3::UnitZ()).norm(), 1e-9 * weight);
  // The right foot is off its place at the start, where its moment is taken, by the listed digits.
  EXPECT_LE(moment.norm(), 1e-4 * weight);

  ASSERT_TRUE(figures.base);
  VecX q = problem.configuration(listed);
  q.head<6>() = figures.base->second;
  const Kinematics as_filed(*floating.robot);
  auto filed = as_filed.makeWorkspace();
  std::vector<Pose> X_filed;
  as_filed.linkPoses(q, filed, X_filed);
  const Pose is = X_filed[floating.contacts[0].link];
  const Pose stands = X_WL[problem.contacts[0].link];
  EXPECT_LE((is.p - stands.p).norm() + (is.R - stands.R).norm(), 1e-12);
}

/// Soles of the start, in the frame of the first one.
Pose betweenSoles(const Problem& problem) {
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.start, workspace, X_WL);
  const auto pose = [&](int i) {
    return X_WL[problem.contacts[i].link] * problem.contacts[i].X_LC;
  };
  return pose(0).inverse() * pose(1);
}

TEST(StartProjection, PutsBothSolesIntoOnePlane) {
  ALLCLEAR_REQUIRE_DATA(test::kJvrcUrdf);
  test::Random random(8);
  for (int i = 0; i < 10; ++i) {
    Problem problem = test::jvrcProblem(test::kCrossStart, test::kCrossGoal, 5.0);
    problem.start.head<6>() += random.vectorX(6, 0.01);
    for (int c : problem.planned) problem.start[c] += random.uniform(-0.01, 0.01);
    const VecX before = problem.start;
    const Pose was = betweenSoles(problem);
    const StartProjection done = projectStart(problem);
    const Pose is = betweenSoles(problem);
    EXPECT_NEAR(is.p.z(), 0.0, 1e-12);
    EXPECT_NEAR(is.R(0, 2), 0.0, 1e-12);
    EXPECT_NEAR(is.R(1, 2), 0.0, 1e-12);
    EXPECT_LE((is.p - was.p).norm(), 0.05);
    EXPECT_GT(done.moved, 0.0);
    EXPECT_LE(done.moved, 0.1);
    // The first sole has stayed where it was, and is level.
    const Kinematics kinematics(*problem.robot);
    auto workspace = kinematics.makeWorkspace();
    std::vector<Pose> then, now;
    kinematics.linkPoses(before, workspace, then);
    kinematics.linkPoses(problem.start, workspace, now);
    const Contact& sole = problem.contacts[0];
    EXPECT_LE((now[sole.link] * sole.X_LC.p - then[sole.link] * sole.X_LC.p).norm(), 1e-12);
    EXPECT_NEAR((now[sole.link] * sole.X_LC).R(2, 2), 1.0, 1e-12);
    EXPECT_GT(done.turned, 0.0);
  }
}

TEST(StartProjection, LeavesAFootOnAStepAtItsHeight) {
  ALLCLEAR_REQUIRE_DATA(test::kJvrcUrdf);
  Problem problem = test::jvrcProblem(test::kCrossStart, test::kCrossGoal, 5.0);
  problem.start[problem.robot->findCoordinate("R_KNEE")] += 0.4;
  const double height = betweenSoles(problem).p.z();
  ASSERT_GT(height, 0.03);
  projectStart(problem);
  const Pose is = betweenSoles(problem);
  EXPECT_NEAR(is.R(0, 2), 0.0, 1e-12);
  EXPECT_NEAR(is.R(1, 2), 0.0, 1e-12);
  EXPECT_GT(is.p.z(), 0.03);
}

TEST(StartProjection, NeedsAFlatContact) {
  ALLCLEAR_REQUIRE_DATA(test::kJvrcUrdf);
  Problem problem = test::jvrcProblem(test::kCrossStart, test::kCrossGoal, 5.0);
  problem.contacts.clear();
  EXPECT_THROW(projectStart(problem), InputError);
}

}  // namespace
}  // namespace allclear
