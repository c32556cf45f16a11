// Plans of robots that keep contacts, from the first guess to the certificate.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "allclear/config/task_file.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/convex_cover.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/problem/contact_projection.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/planner/problem/derived_base.h"
#include "allclear/planner/problem/settle.h"
#include "allclear/planner/seeds/contact_fit.h"
#include "allclear/planner/seeds/seed_maker.h"
#include "support/biped.h"
#include "support/jvrc.h"
#include "support/random.h"

namespace allclear {
namespace {

/// The biped turns its trunk and sinks into its knees; a post stands where its right hand would
/// pass.
Problem turningBiped() {
  Problem problem = standOn(test::bipedProblem());
  const RobotModel& robot = *problem.robot;
  const auto coordinate = [&](const char* name) { return robot.findCoordinate(name) - 6; };
  VecX start = problem.plannedPart(problem.start);
  start[coordinate("r_shoulder")] = -0.9;
  VecX goal = start;
  goal[coordinate("waist_yaw")] = 0.9;
  goal[coordinate("l_knee")] += 0.25;
  goal[coordinate("l_hip_yaw")] += 0.15;
  problem.start = problem.configuration(start);
  const Kinematics kinematics(robot);
  ContactProjection projection(problem, kinematics);
  EXPECT_TRUE(projection.project(&goal));
  problem.goal = JointTarget{problem.planned, goal};
  problem.balance = Balance{{problem.contacts[0].link, problem.contacts[1].link}};
  return problem;
}

/// The same with a post in the way of the hand, half way.
Problem blockedBiped() {
  Problem problem = turningBiped();
  const VecX& goal = std::get<JointTarget>(problem.goal).values;
  const VecX half = 0.5 * (problem.plannedPart(problem.start) + goal);
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.configuration(half), workspace, X_WL);
  const Vec3 hand = X_WL[problem.robot->findLink("r_hand")] * Vec3(0.0, 0.0, -0.25);
  problem.obstacles.push_back(
      {"ball", {Mat3::Identity(), hand - Vec3(0.0, 0.0, 0.05)}, {{Sphere(0.04), {}}}, {}});
  return problem;
}

double driftOf(const Certificate& certificate) {
  double drift = -1.0;
  for (const CertifiedLimit& limit : certificate.limits) {
    if (limit.quantity == "drift of the contact") drift = std::max(drift, limit.upper);
  }
  return drift;
}

TEST(PlanOnContacts, GoesRoundAnObstacleOnBothFeet) {
  const Problem problem = blockedBiped();
  const Plan found = plan(problem, {.time_limit = 100.0});
  ASSERT_EQ(found.status, PlanStatus::kCertified) << found.message;
  EXPECT_GE(driftOf(*found.certificate), 0.0);
  EXPECT_LT(driftOf(*found.certificate), 1e-6);
  EXPECT_NE(found.statistics.seed.find("on the contacts"), std::string::npos);
  EXPECT_TRUE(verifyCertificate(problem, *found.certificate).valid);
  // Kept and deterministic.
  const Plan again = plan(problem, {.time_limit = 100.0});
  EXPECT_TRUE(isSameTrajectory(found.certificate->trajectory, again.certificate->trajectory));
}

// What follows the first plan keeps the contacts and is certified like it.
TEST(PlanOnContacts, ImprovesAPlanWhoseDurationIsFree) {
  Problem problem = turningBiped();
  problem.balance->criterion = Balance::Criterion::kForces;
  problem.duration = {0.2, 10.0};
  PlanOptions options{.time_limit = 100.0, .improve = Improve::kNone};
  options.attempts = 1;  // other first guesses would only be better
  const Plan first = plan(problem, options);
  ASSERT_EQ(first.status, PlanStatus::kCertified) << first.message;
  options.improve = Improve::kSome;
  const Plan better = plan(problem, options);
  ASSERT_EQ(better.status, PlanStatus::kCertified) << better.message;
  EXPECT_LT(better.statistics.cost, first.statistics.cost);
  EXPECT_GT(better.statistics.steps.size(), 1u);
  EXPECT_EQ(better.statistics.steps.front().cost, first.statistics.cost);
  EXPECT_NE(better.statistics.seed.find("polished"), std::string::npos) << better.statistics.seed;
  ASSERT_TRUE(better.wrenches);
  EXPECT_LT(driftOf(*better.certificate), 1e-5);
  EXPECT_TRUE(verifyCertificate(problem, *better.certificate).valid);
}

TEST(PlanOnContacts, SaysHowFarTheGoalIsOffAContact) {
  Problem problem = turningBiped();
  auto& goal = std::get<JointTarget>(problem.goal);
  goal.values[problem.robot->findCoordinate("r_ankle_roll") - 6] += 0.02;
  const Plan found = plan(problem);
  EXPECT_EQ(found.status, PlanStatus::kNotFound);
  EXPECT_NE(found.message.find("at the goal, the contact of 'r_foot' is"), std::string::npos)
      << found.message;
  EXPECT_NE(found.message.find("0.02 rad"), std::string::npos) << found.message;
}

TEST(PlanOnContacts, RefusesWaypoints) {
  Problem problem = turningBiped();
  problem.waypoints.push_back({problem.goal, std::nullopt});
  EXPECT_THROW(plan(problem), InputError);
}

TEST(PlanOnContacts, GuessesHaveMoreSpansAndThenABend) {
  const Problem problem = turningBiped();
  const ClearanceEvaluator evaluator(problem);
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  const Kinematics kinematics(*problem.robot);
  ContactFit fit(problem, kinematics);
  const int spans[] = {8, 12, 16, 8};
  for (int attempt = 0; attempt < 4; ++attempt) {
    const auto seed = makeSeed(evaluator, goal, attempt);
    ASSERT_TRUE(seed.has_value());
    EXPECT_EQ(seed->curve.spanCount(), spans[attempt]);
    EXPECT_EQ(seed->origin.starts_with("bent"), attempt == 3) << seed->origin;
    for (double s : freeGrevillePoints(seed->curve.basis())) {
      const VecX q = seed->curve.value(s * seed->curve.duration());
      EXPECT_LT(fit.projection().error(q).norm(), 1e-10);
    }
  }
}

/// The straight line on the contacts in 5 s, fitted anew once.
BSpline fittedLine(const Problem& problem) {
  const Kinematics kinematics(*problem.robot);
  ContactFit fit(problem, kinematics);
  const VecX start = problem.plannedPart(problem.start);
  const VecX& goal = std::get<JointTarget>(problem.goal).values;
  return *fit.refitted(*fit.along(start, goal, VecX::Zero(start.size()), 8, 5.0));
}

class Jvrc : public testing::Test {
 protected:
  static Problem problemOf(const test::JvrcPosture& from, const test::JvrcPosture& to) {
    Problem problem = test::jvrcProblem(from, to, 5.0);
    problem.limits.torque = false;
    return problem;
  }
  static BSpline lineOf(const Problem& problem) { return fittedLine(problem); }
};

TEST_F(Jvrc, GoalsOfFiveDecimalsArePutOntoTheContacts) {
  ALLCLEAR_REQUIRE_DATA(test::kJvrcUrdf);
  for (const auto& [from, to] : {std::pair{test::kCrossStart, test::kCrossGoal},
                                 std::pair{test::kPickStart, test::kPickGoal}}) {
    const Problem problem = settledOnContacts(problemOf(from, to));
    const Kinematics kinematics(*problem.robot);
    ContactProjection projection(problem, kinematics);
    EXPECT_LT(projection.error(std::get<JointTarget>(problem.goal).values).norm(), 1e-11);
    ASSERT_FALSE(problem.warnings.empty());
  }
}

// The same motion of all joints, of the robot on its left and on its right foot.
TEST_F(Jvrc, DriftIsTheSameOnEitherFoot) {
  ALLCLEAR_REQUIRE_DATA(test::kJvrcUrdf);
  const Problem left = settledOnContacts(problemOf(test::kCrossStart, test::kCrossGoal));
  Problem other = problemOf(test::kCrossStart, test::kCrossGoal);
  std::swap(other.contacts[0], other.contacts[1]);
  Problem right = standOn(other);
  right.goal = left.goal;
  const BSpline curve = lineOf(left);
  const Certificate a = certify(left, curve), b = certify(right, curve);
  EXPECT_TRUE(a.clear) << a.message;
  EXPECT_TRUE(b.clear) << b.message;
  EXPECT_LT(driftOf(a), 1e-7);
  EXPECT_NEAR(driftOf(a), driftOf(b), 1e-6);
  EXPECT_GT(driftOf(b), 0.3 * driftOf(a));
}

/// The example's own humanoid on the foot that its task names first, or on the other one. Without
/// shapes and forces: of interest are the contacts.
Problem exampleHumanoid(bool swaps_feet) {
  const Problem task =
      loadTask(test::sourceFolder() / "examples" / "humanoid" / "crossing.yaml").problem;
  RobotSource source;
  source.urdf = test::sourceFolder() / "examples" / "humanoid" / "humanoid.urdf";
  source.base = BaseJoint::kFloating;
  source.load_collision = false;
  Problem problem;
  problem.robot = std::make_shared<const RobotModel>(loadRobot(source));
  problem.start = task.start;
  problem.start.head<6>() = derivedBase(task, task.plannedPart(task.start)).col(0);
  for (int c = 0; c < problem.robot->dimension(); ++c) problem.planned.push_back(c);
  problem.goal = JointTarget{problem.planned, problem.start};
  problem.contacts = task.contacts;
  for (Contact& contact : problem.contacts) {
    contact.link = problem.robot->findLink(task.robot->links()[contact.link].name);
  }
  if (swaps_feet) std::swap(problem.contacts[0], problem.contacts[1]);
  problem.collision.missing = MissingCollision::kIgnore;
  problem.duration = {5.0, 5.0};
  return standOn(problem);
}

// O10, of another robot: a squat with a turn, on either foot.
TEST(ExampleHumanoid, DriftIsTheSameOnEitherFoot) {
  Problem left = exampleHumanoid(false), right = exampleHumanoid(true);
  ASSERT_EQ(left.planned, right.planned);
  VecX goal = left.plannedPart(left.start);
  const auto planned = [&](const char* name) {
    const int c = left.robot->findCoordinate(name);
    return std::find(left.planned.begin(), left.planned.end(), c) - left.planned.begin();
  };
  goal[planned("left_knee")] += 0.25;
  goal[planned("left_hip_yaw")] += 0.15;
  goal[planned("waist_yaw")] += 0.5;
  const Kinematics kinematics(*left.robot);
  ContactProjection projection(left, kinematics);
  ASSERT_TRUE(projection.project(&goal));
  left.goal = right.goal = JointTarget{left.planned, goal};
  const BSpline curve = fittedLine(left);
  const Certificate a = certify(left, curve), b = certify(right, curve);
  EXPECT_TRUE(a.clear) << a.message;
  EXPECT_TRUE(b.clear) << b.message;
  EXPECT_GT(driftOf(a), 0.0);
  EXPECT_LT(driftOf(a), 1e-6);
  EXPECT_NEAR(driftOf(a), driftOf(b), 1e-6);
  EXPECT_GT(driftOf(b), 0.3 * driftOf(a));
}

Problem leaningExample() {
  return loadTask(test::sourceFolder() / "examples" / "humanoid" / "leaning.yaml").problem;
}

// The hand turns about its contact and goes no deeper into the table than the verdict says.
TEST(ExampleHumanoid, LeansOnAPointOfItsHandsSurface) {
  const Problem problem = leaningExample();
  PlanOptions options{.time_limit = 100.0, .improve = Improve::kNone};
  options.attempts = 1;
  const Plan found = plan(problem, options);
  ASSERT_EQ(found.status, PlanStatus::kCertified) << found.message;
  for (const char* pair : {"'left_hand' touches 'table' at a point and is never more than 2 mm",
                           "'right_foot' rests flat on 'floor' and is never more than 2 mm"}) {
    EXPECT_NE(found.certificate->message.find(pair), std::string::npos)
        << found.certificate->message;
  }
  const int hand = problem.robot->findLink("left_hand");
  const auto table = std::find_if(problem.obstacles.begin(), problem.obstacles.end(),
                                  [](const Obstacle& o) { return o.id == "table"; });
  ASSERT_NE(table, problem.obstacles.end());
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  for (int i = 0; i <= 400; ++i) {
    const VecX q = found.trajectory->value(found.trajectory->duration() * i / 400.0);
    kinematics.linkPoses(problem.configuration(q), workspace, X_WL);
    const std::vector<Geometry> hull =
        enclosingSolids(problem.robot->links()[hand].collision, MeshFidelity::kHull);
    EXPECT_GT(leastSignedDistance(hull, X_WL[hand], table->geometry, table->X_WO), -2e-3) << i;
  }
}

TEST(ExampleHumanoid, DoesNotLeanDeeperThanItsContactLetsIt) {
  Problem problem = leaningExample();
  // The table comes up by 4 mm: the contact still reaches it.
  for (Obstacle& obstacle : problem.obstacles) {
    if (obstacle.id == "table") obstacle.X_WO.p.z() += 4e-3;
  }
  const Plan found = plan(problem, {.time_limit = 100.0});
  EXPECT_EQ(found.status, PlanStatus::kNotFound);
  EXPECT_NE(found.message.find("'left_hand' and 'table' overlap by 4."), std::string::npos)
      << found.message;
  EXPECT_NE(found.message.find("deeper than the 2 mm of their contact"), std::string::npos)
      << found.message;
}

/// The posture in a mirror: left is right, and turns to the side have the other sign.
test::JvrcPosture mirrored(const test::JvrcPosture& posture) {
  std::map<std::string, double> value;
  for (std::size_t i = 0; i < test::kJvrcJoints.size(); ++i) {
    value[test::kJvrcJoints[i]] = posture.joints[i];
  }
  test::JvrcPosture out = posture;
  for (std::size_t i = 0; i < test::kJvrcJoints.size(); ++i) {
    std::string name = test::kJvrcJoints[i];
    const bool is_pitch = name.ends_with("_P") || name.ends_with("KNEE");
    if (name.starts_with("L_")) {
      name[0] = 'R';
    } else if (name.starts_with("R_")) {
      name[0] = 'L';
    }
    out.joints[i] = (is_pitch ? 1.0 : -1.0) * value[name];
  }
  // The plane between the feet, which are 0.192 m apart.
  out.pelvis[1] = -0.192 - posture.pelvis[1];
  out.pelvis[3] = -posture.pelvis[3];
  out.pelvis[5] = -posture.pelvis[5];
  return out;
}

TEST_F(Jvrc, DriftIsTheSameInAMirror) {
  ALLCLEAR_REQUIRE_DATA(test::kJvrcUrdf);
  const Problem original = settledOnContacts(problemOf(test::kPickStart, test::kPickGoal));
  Problem image = problemOf(mirrored(test::kPickStart), mirrored(test::kPickGoal));
  std::swap(image.contacts[0], image.contacts[1]);
  image = settledOnContacts(image);
  const Certificate a = certify(original, lineOf(original)), b = certify(image, lineOf(image));
  EXPECT_TRUE(a.clear) << a.message;
  EXPECT_TRUE(b.clear) << b.message;
  EXPECT_NEAR(driftOf(a), driftOf(b), 1e-4 * std::max(1e-4, driftOf(a)));
  EXPECT_NEAR(driftOf(a) / driftOf(b), 1.0, 0.05);
}

}  // namespace
}  // namespace allclear
