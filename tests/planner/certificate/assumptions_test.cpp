// What a certificate says that it takes for granted, and that its check notices a change of it.
#include "allclear/planner/certificate/assumptions.h"

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/certificate/motion.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/problem/after_end.h"
#include "allclear/planner/problem/claims.h"
#include "allclear/planner/search/rest_at_goal.h"
#include "planner/certificate/certificate_fixture.h"

namespace allclear {
namespace {

using test::armTask;
using test::boxAt;
using test::boxScene;
using test::loadText;
using test::Random;
using test::splineOf;

const char* kAcross = "{lift: 0.1, shoulder: 1.2, elbow: -0.5, wrist: 0.5}";

Certificate certified(const Problem& problem, double duration = 4.0) {
  Random random(1);
  return certify(problem, splineOf(problem, duration, random, 0.0));
}

/// All texts of one kind, one after the other.
std::string textOf(const Certificate& certificate, const std::string& kind) {
  std::string text;
  for (const Assumption& assumption : certificate.assumptions) {
    if (assumption.kind == kind) text += assumption.text;
  }
  return text;
}

bool mentions(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

std::string reasonOf(const Certificate& certificate, const std::string& a, const std::string& b) {
  for (const ExemptPair& pair : certificate.exempt_pairs) {
    if (pair.a == a && pair.b == b) return pair.reason;
  }
  return "";
}

/// A box that stands at `before`, drives to `after` between 6 and 8 s, and stops.
void letDrive(Obstacle& obstacle, const Vec3& before, const Vec3& after) {
  obstacle.motion = {{0.0, {Mat3::Identity(), before}},
                     {6.0, {Mat3::Identity(), before}},
                     {8.0, {Mat3::Identity(), after}}};
}

TEST(Assumptions, EveryExemptPairIsThereWithItsReason) {
  Problem problem = loadText(armTask(
      kAcross, "scene:\n  collision_objects: [" + boxAt("box", {0.1, 0.1, 0.1}, {2, 0, 0}) +
                   "]\n  attached: [{id: tool, link: hand, type: sphere, dimensions: [0.01], "
                   "touch_links: [left_finger, right_finger]}]\n"
                   "collision: {allowed: [[forearm, box]]}\n"));
  problem.collision.allowed_by_scene = {{"box", "upper_arm"}};
  const Certificate certificate = certified(problem);
  EXPECT_EQ(reasonOf(certificate, "forearm", "box"), "task: collision.allowed");
  EXPECT_EQ(reasonOf(certificate, "upper_arm", "box"), "scene: allowed_collision_matrix");
  EXPECT_EQ(reasonOf(certificate, "upper_arm", "forearm"), "SRDF: Adjacent");
  EXPECT_EQ(reasonOf(certificate, "left_finger", "right_finger"), "SRDF: Default");
  EXPECT_EQ(reasonOf(certificate, "hand", "tool"), "attached: the link carries it");
  EXPECT_EQ(reasonOf(certificate, "left_finger", "tool"), "attached: touch_links");
  EXPECT_EQ(reasonOf(certificate, "hand", "box"), "");
  // With the pairs that are checked these are all pairs: 9 bodies.
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  EXPECT_EQ(geometry.pairs.size() + certificate.exempt_pairs.size(), 9u * 8u / 2u);
  EXPECT_TRUE(
      mentions(assumptionsInBrief(certificate), "12 pairs exempt, 1 by the task (forearm-box)"))
      << assumptionsInBrief(certificate);
}

TEST(Assumptions, PairsThatNoSrdfNamesAreExemptByTheTreeOrBySamples) {
  Problem problem = loadText(armTask(kAcross));
  RobotModel::Data data = problem.robot->data();
  for (DisabledPair& pair : data.disabled_pairs) pair.from_srdf = false;
  data.disabled_pairs[1].reason = "Always";
  data.disabled_pairs[2].reason = "Never";
  problem.robot = std::make_shared<const RobotModel>(data);
  const Certificate certificate = certified(problem);
  std::string reasons;
  for (const ExemptPair& pair : certificate.exempt_pairs) reasons += pair.reason + "; ";
  for (const char* reason : {"adjacent", "in every sample", "in no sample"}) {
    EXPECT_TRUE(mentions(reasons, reason)) << reasons;
  }
}

TEST(Assumptions, NameHowTheRobotsFilesAreRead) {
  Problem problem = loadText(armTask(kAcross));
  EXPECT_EQ(textOf(certified(problem), "robot files"), "");
  RobotModel::Data data = problem.robot->data();
  data.assumptions = {"URDF line 3: axis is scaled", "SRDF line 4: left out"};
  problem.robot = std::make_shared<const RobotModel>(data);
  const Certificate certificate = certified(problem);
  EXPECT_EQ(textOf(certificate, "robot files"),
            "The robot's files are read so: URDF line 3: axis is scaled; SRDF line 4: left out.");
  EXPECT_TRUE(mentions(assumptionsInBrief(certificate), "2 assumptions about the robot's files"));
}

TEST(Assumptions, NameWhatIsHeldAndWhatIsByDefault) {
  const Problem problem = loadText(armTask(kAcross, "limits: {acceleration: {shoulder: 8}}\n"));
  const Certificate certificate = certified(problem);
  EXPECT_TRUE(mentions(textOf(certificate, "held joints"), "finger = 0.02"));
  const std::string limits = textOf(certificate, "limits");
  EXPECT_TRUE(mentions(limits, "for lift, elbow, wrist.")) << limits;            // acceleration
  EXPECT_TRUE(mentions(limits, "for lift, shoulder, elbow, wrist.")) << limits;  // jerk
  EXPECT_TRUE(mentions(textOf(certificate, "tolerances"), "1e-09"));
  EXPECT_EQ(textOf(certificate, "masses"), "");
  EXPECT_EQ(assumptionsInBrief(certificate),
            "Assumes: 7 pairs exempt; finger held; limits of 4 joints by default; robot rests "
            "after the end; poses exact.");
  const Certificate with_torque = certified(
      loadText(armTask(kAcross, "limits: {torque: true, jerk: 100, acceleration: 10}\n")));
  EXPECT_TRUE(mentions(textOf(with_torque, "masses"), "base_link"));
  EXPECT_EQ(textOf(with_torque, "limits"), "");
}

TEST(Assumptions, AVisualAloneIsAnErrorOfAMovedLinkUnlessTheTaskSaysWhatToDo) {
  Problem problem = loadText(armTask(kAcross));
  RobotModel::Data data = problem.robot->data();
  for (const char* name : {"base_link", "hand"}) {
    Link& link = data.links[problem.robot->findLink(name)];
    link.collision.clear();
    link.has_visuals = true;
  }
  problem.robot = std::make_shared<const RobotModel>(data);
  const std::vector<Finding> findings = validate(problem);
  ASSERT_EQ(findings.size(), 1u);
  for (const char* word : {"link 'hand' moves", "visual", "ignore", "error"}) {
    EXPECT_TRUE(mentions(findings[0].message, word)) << findings[0].message;
  }
  EXPECT_EQ(claimFindings(problem).size(), 1u);
  EXPECT_THROW(certified(problem), InputError);
  problem.collision.missing = MissingCollision::kIgnore;
  EXPECT_TRUE(validate(problem).empty());
  const Certificate certificate = certified(problem);
  EXPECT_TRUE(mentions(assumptionsInBrief(certificate),
                       "2 links without collision geometry ignored (base_link, hand)"))
      << assumptionsInBrief(certificate);
  data.links[problem.robot->findLink("hand")].collides_as_visual = true;
  problem.robot = std::make_shared<const RobotModel>(data);
  EXPECT_TRUE(
      mentions(assumptionsInBrief(certified(problem)), "1 link enclosed by visuals (hand)"));
}

TEST(Assumptions, AnObjectMayNotHaveALinksName) {
  Problem problem = loadText(armTask(kAcross, boxScene(boxAt("box", {0.1, 0.1, 0.1}, {2, 0, 0}))));
  problem.obstacles[0].id = "hand";
  ASSERT_EQ(validate(problem).size(), 1u);
  EXPECT_TRUE(mentions(validate(problem)[0].message, "a link of the robot has this name"));
  EXPECT_THROW(certified(problem), InputError);
  EXPECT_THROW(loadText(armTask(kAcross, boxScene(boxAt("hand", {0.1, 0.1, 0.1}, {2, 0, 0})))),
               InputError);
  // A link without geometry is no body that could be taken for the object.
  problem.obstacles[0].id = "tool_tip";
  EXPECT_TRUE(validate(problem).empty());
  EXPECT_TRUE(verifyCertificate(problem, certified(problem)).valid);
}

/// The arm at its goal, and a box that drives into it after the end.
class AfterTheEnd : public testing::Test {
 protected:
  AfterTheEnd()
      : problem_(loadText(armTask(kAcross, boxScene(boxAt("cart", {0.1, 0.1, 2.0}, {3, 3, 0}))))) {
    // There the hand rests.
    letDrive(problem_.obstacles[0], {3, 3, 0}, {0.43, 0.65, 0});
  }

  Problem problem_;
};

TEST_F(AfterTheEnd, AnObstacleThatDrivesIntoTheRestingRobotRefutesThePlan) {
  const Certificate certificate = certified(problem_);
  EXPECT_FALSE(certificate.clear);
  EXPECT_EQ(certificate.covered_until, 8.0);
  EXPECT_GT(certificate.closest_t, 6.0);
  EXPECT_TRUE(mentions(certificate.message, "while the robot rests after the end"))
      << certificate.message;
}

TEST_F(AfterTheEnd, AnObstacleThatPassesIsProvenToDoSoUntilItStops) {
  letDrive(problem_.obstacles[0], {3, 3, 0}, {3, -3, 0});
  const Certificate certificate = certified(problem_);
  ASSERT_TRUE(certificate.clear) << certificate.message;
  EXPECT_EQ(certificate.covered_until, 8.0);
  EXPECT_TRUE(std::isinf(certificate.valid_until));
  EXPECT_TRUE(mentions(certificate.message, "while the robot rests until t = 8 s"))
      << certificate.message;
  bool has_cart = false;
  for (const CertificatePair& pair : certificate.pairs) {
    EXPECT_EQ(pair.cells.back().time.upper, 8.0);
    has_cart = has_cart || pair.b == "cart";
  }
  EXPECT_TRUE(has_cart);
  EXPECT_TRUE(verifyCertificate(problem_, certificate).valid);
  // The rest is proven, not only claimed.
  Certificate cut = certificate;
  for (CertificatePair& pair : cut.pairs) {
    if (pair.cells.back().time.lower >= 4.0) pair.cells.pop_back();
    pair.cells.back().time.upper = 4.0;
  }
  EXPECT_FALSE(verifyCertificate(problem_, cut).valid);
}

/// At random instants of the rest no cell's bound is above the distance there.
void expectCellsHold(const Problem& problem, const Certificate& certificate, Random& random) {
  const Trajectory& trajectory = certificate.trajectory.trajectory;
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  CertifiedMotion motion(problem, geometry, trajectory, certifiedPoseTolerance(problem));
  const auto body = [&](const std::string& name) {
    return static_cast<int>(
        std::find_if(geometry.bodies.begin(), geometry.bodies.end(),
                     [&](const CertifiedBody& candidate) { return candidate.name == name; }) -
        geometry.bodies.begin());
  };
  for (const CertificatePair& pair : certificate.pairs) {
    for (const CoverCell& cell : pair.cells) {
      if (cell.time.upper <= trajectory.duration()) continue;
      const double t =
          random.uniform(std::max(cell.time.lower, trajectory.duration()), cell.time.upper);
      EXPECT_LE(cell.lower, motion
                                .distanceAt({body(pair.a), pair.piece_a, pair.fidelity},
                                            {body(pair.b), pair.piece_b, pair.fidelity}, t)
                                .distance)
          << pair.a << " " << pair.b << " at " << t;
    }
  }
}

/// Whatever the obstacles do during the motion and after it, no sample is nearer than what is
/// proven.
TEST(AfterTheEndAtRandom, NoSampleIsNearerThanTheProvenDistance) {
  int clear = 0, touched_after = 0;
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(7000u + seed);
    Problem problem =
        loadText(armTask(kAcross, boxScene(boxAt("cart", {0.2, 0.1, 0.8}, {3, 3, 0}))));
    const double duration = random.uniform(1.0, 4.0);
    auto& motion = problem.obstacles[0].motion;
    for (double t = random.uniform(-1.0, 1.0); motion.size() < 5; t += random.uniform(0.3, 3.0)) {
      const double angle = random.uniform(-1.0, 2.5), radius = random.uniform(0.9, 2.0);
      motion.push_back({t,
                        {rotationAbout(random.directionOfNormals(), random.uniform(0.0, 3.0)),
                         {radius * std::cos(angle), radius * std::sin(angle), 0.6}}});
    }
    const Trajectory trajectory = splineOf(problem, duration, random, 0.2);
    const Certificate certificate = certify(problem, trajectory);
    const double end = std::max(duration, motion.back().time);
    EXPECT_EQ(certificate.covered_until, end);
    const test::InstantOracle oracle(problem, trajectory);
    double least = 1.0, t_least = 0.0;
    for (double t = 0.0; t <= end; t += 5e-3) {
      const double distance = oracle.leastDistance(t);
      if (distance < least) {
        least = distance;
        t_least = t;
      }
    }
    EXPECT_GE(least, certificate.minimum_clearance.lower - 1e-9);
    expectCellsHold(problem, certificate, random);
    if (certificate.clear) {
      ++clear;
      EXPECT_GE(least, problem.collision.margin);
      EXPECT_TRUE(verifyCertificate(problem, certificate).valid);
    } else if (t_least > duration && least < 0.0) {
      ++touched_after;
    }
  }
  EXPECT_GE(clear, 5);
  EXPECT_GE(touched_after, 5);
}

TEST_F(AfterTheEnd, NothingIsClaimedWhenNothingIsKnown) {
  problem_.after = AfterEnd::kUnknown;
  Certificate certificate = certified(problem_);
  ASSERT_TRUE(certificate.clear) << certificate.message;
  EXPECT_EQ(certificate.valid_until, 4.0);
  EXPECT_EQ(certificate.covered_until, 4.0);
  EXPECT_TRUE(mentions(assumptionsInBrief(certificate), "nothing claimed after the end"));
  EXPECT_TRUE(mentions(textOf(certificate, "moving obstacles"), "cart"));
  EXPECT_TRUE(verifyCertificate(problem_, certificate).valid);
  // The certificate of one is not that of the other.
  problem_.after = AfterEnd::kRest;
  EXPECT_FALSE(verifyCertificate(problem_, certificate).valid);
}

TEST_F(AfterTheEnd, TheRobotMayRestWhenTheLastObstacleHasPassed) {
  problem_.obstacles[0].motion = {{1.0, {Mat3::Identity(), {0.43, 0.65, 0}}},
                                  {2.0, {Mat3::Identity(), {0.45, 2.85, 0}}},
                                  {5.0, {Mat3::Identity(), {3.0, 3.0, 0}}}};
  EXPECT_EQ(lastMotion(problem_), 5.0);
  EXPECT_EQ(coveredUntil(problem_, 3.0), 5.0);
  EXPECT_EQ(coveredUntil(problem_, 7.0), 7.0);
  const RestAtGoal rest = restAtGoal(ClearanceEvaluator(problem_), {});
  EXPECT_EQ(rest.fault, "");
  EXPECT_GT(rest.from, 1.0);
  EXPECT_LT(rest.from, 1.5);  // at 2 m/s
  problem_.goal_velocity = VecX::Constant(4, 0.1);
  EXPECT_FALSE(restsAfterEnd(problem_)) << "a robot that arrives at speed does not rest";
  EXPECT_EQ(coveredUntil(problem_, 3.0), 3.0);
}

TEST_F(AfterTheEnd, ThePlannerArrivesAfterTheObstacleHasPassed) {
  // Through the goal between 2 and 3 s, and away; without it the way takes less.
  problem_.obstacles[0].motion = {{0.0, {Mat3::Identity(), {0.45, 3.0, 0}}},
                                  {2.0, {Mat3::Identity(), {0.45, 1.6, 0}}},
                                  {3.0, {Mat3::Identity(), {0.43, 0.65, 0}}},
                                  {4.0, {Mat3::Identity(), {0.45, 1.6, 0}}}};
  const Plan late = plan(problem_, {.time_limit = 60.0});
  ASSERT_EQ(late.status, PlanStatus::kCertified) << late.message;
  EXPECT_GT(late.trajectory->duration(), 3.0);
  EXPECT_TRUE(verifyCertificate(problem_, *late.certificate).valid);
  // Not in time: the message says why.
  problem_.duration.max = 2.5;
  const Plan none = plan(problem_, {.time_limit = 60.0});
  EXPECT_EQ(none.status, PlanStatus::kNotFound);
  EXPECT_TRUE(mentions(none.message, "rests at the goal") && mentions(none.message, "cart"))
      << none.message;
}

TEST_F(AfterTheEnd, ThePlannerWaitsAtAPoseToo) {
  Problem pose = loadText(
      "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
      "start_state: {group_state: ready, finger: 0.02}\n"
      "goal: {pose: {link: hand, position: [0.43, 0.65, 0.65]}}\n" +
      boxScene(boxAt("cart", {0.1, 0.1, 2.0}, {3, 3, 0})));
  pose.obstacles[0].motion = {{2.0, {Mat3::Identity(), {0.43, 1.6, 0}}},
                              {3.0, {Mat3::Identity(), {0.43, 0.65, 0}}},
                              {4.0, {Mat3::Identity(), {0.43, 1.6, 0}}}};
  const Plan late = plan(pose, {.time_limit = 60.0});
  ASSERT_EQ(late.status, PlanStatus::kCertified) << late.message;
  EXPECT_GT(late.trajectory->duration(), 3.0);
  EXPECT_TRUE(verifyCertificate(pose, *late.certificate).valid);
}

TEST_F(AfterTheEnd, ThePlannerSaysThatAnObstacleStopsAtTheGoal) {
  const Plan none = plan(problem_, {.time_limit = 60.0});
  EXPECT_EQ(none.status, PlanStatus::kNotFound);
  EXPECT_TRUE(mentions(none.message, "rests at the goal") && mentions(none.message, "cart"))
      << none.message;
  problem_.after = AfterEnd::kUnknown;
  EXPECT_EQ(plan(problem_, {.time_limit = 60.0}).status, PlanStatus::kCertified);
}

TEST(Assumptions, AnyChangeOfThemIsSeen) {
  const Problem problem = loadText(armTask(kAcross));
  const Certificate honest = certified(problem);
  ASSERT_TRUE(verifyCertificate(problem, honest).valid);
  const auto isRefused = [&](const auto& change) {
    Certificate forged = honest;
    change(forged);
    return !verifyCertificate(problem, forged).valid;
  };
  EXPECT_TRUE(isRefused([](Certificate& c) { c.assumptions.pop_back(); }));
  EXPECT_TRUE(isRefused([](Certificate& c) { c.assumptions[0].text = "none"; }));
  EXPECT_TRUE(isRefused([](Certificate& c) { c.assumptions[0].kind += " "; }));
  EXPECT_TRUE(isRefused([](Certificate& c) { c.assumptions[0].brief.clear(); }));
  EXPECT_TRUE(isRefused([](Certificate& c) { std::swap(c.assumptions[0], c.assumptions[1]); }));
  EXPECT_TRUE(isRefused([](Certificate& c) { c.exempt_pairs.pop_back(); }));
  EXPECT_TRUE(isRefused([](Certificate& c) { c.exempt_pairs[0].reason = "SRDF: Never"; }));
  EXPECT_TRUE(isRefused([](Certificate& c) { c.exempt_pairs[0].a = "hand"; }));
  EXPECT_TRUE(isRefused([](Certificate& c) { c.tolerances.limit_tolerance = 1e-12; }));
  EXPECT_TRUE(isRefused([](Certificate& c) { c.tolerances.path_tolerance = NAN; }));
  EXPECT_TRUE(isRefused([](Certificate& c) { c.tolerances.end_tolerance = 0.0; }));
  EXPECT_TRUE(isRefused([](Certificate& c) { c.covered_until = 5.0; }));
  EXPECT_TRUE(isRefused([](Certificate& c) { c.valid_until = 4.0; }));
}

}  // namespace
}  // namespace allclear
