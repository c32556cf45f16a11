// Goals with alternatives, several poses and directions, planned from end to end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allclear/planner/certificate/target_met.h"
#include "allclear/planner/loaded_planner.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/problem/alternatives.h"
#include "allclear/planner/search/plan_cost.h"
#include "allclear/planner/search/usable_goals.h"
#include "allclear/planner/search/verdict.h"
#include "planner/seeds/seed_scenes.h"
#include "support/long_run.h"

namespace allclear {
namespace {

/// An arm of three boxes in a plane, with some posts around it.
Problem scatteredProblem(test::Random& random) {
  Problem problem = test::wallProblem();
  problem.obstacles.clear();
  for (int i = 0; i < 4; ++i) {
    Obstacle post;
    post.id = "post" + std::to_string(i);
    post.geometry = {{Cylinder(random.uniform(0.02, 0.08), 0.5), Pose()}};
    const double angle = random.uniform(-M_PI, M_PI), far = random.uniform(0.7, 1.1);
    post.X_WO.p = Vec3(far * std::cos(angle), far * std::sin(angle), 0.0);
    problem.obstacles.push_back(post);
  }
  return problem;
}

Pose tipAt(const Problem& problem, const VecX& q) {
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(q, workspace, X_WL);
  return X_WL[3];
}

/// Joints, the pose that they lead to, or its place alone.
SingleTarget targetAt(const Problem& problem, const VecX& q, int kind) {
  if (kind == 0) return JointTarget{problem.planned, q};
  PoseTarget pose;
  pose.link = 3;
  pose.X_WP = tipAt(problem, q);
  if (kind == 2) pose.angle_axes.is_free[2] = true;
  return pose;
}

PlanOptions quickly() {
  PlanOptions options;
  options.time_limit = 60.0;
  options.threads = 1;
  return options;
}

// By one measure for all: the cost of the problem with all alternatives. Searches are local and
// give up after a count of guesses, so that single plans differ from the best by some percent, too.
constexpr double kTolerance = 0.05;

TEST(AlternativesPlan, CostsWhatTheBestOfTheSinglePlansDoes) {
  int planned = 0;
  const int scenes = test::isLong() ? 100 : 6;
  for (int scene = 0; scene < scenes; ++scene) {
    SCOPED_TRACE("scene " + std::to_string(scene));
    test::Random random(900 + scene);
    Problem problem = scatteredProblem(random);
    AnyTarget any;
    std::vector<VecX> ends;
    for (int i = 0; i < 4; ++i) {
      const VecX q = random.vectorX(3, 2.0);
      ends.push_back(q);
      any.alternatives.push_back({"goal" + std::to_string(i), targetAt(problem, q, i % 3)});
    }
    problem.goal = any;
    const PlanCost cost(problem, ends);
    double best = HUGE_VAL;
    for (int i = 0; i < 4; ++i) {
      const Plan single = plan(withAlternative(problem, i), quickly());
      if (single.status == PlanStatus::kCertified) best = std::min(best, cost(*single.trajectory));
    }
    const Plan found = plan(problem, quickly());
    ASSERT_EQ(found.status == PlanStatus::kCertified, best < HUGE_VAL) << found.message;
    if (found.status != PlanStatus::kCertified) continue;
    ++planned;
    EXPECT_LE(cost(*found.trajectory), (1.0 + kTolerance) * best) << found.message;
    ASSERT_TRUE(found.certificate->goal.has_value());
    EXPECT_TRUE(verifyCertificate(problem, *found.certificate).valid);
    // Where it ends is where it says.
    const VecX end = found.trajectory->value(found.trajectory->duration());
    const Target reached = withAlternative(problem, found.certificate->goal->alternative).goal;
    const Kinematics kinematics(*problem.robot);
    auto workspace = kinematics.makeWorkspace();
    std::vector<Pose> X_WL;
    kinematics.linkPoses(end, workspace, X_WL);
    EXPECT_TRUE(faultsOf(askedOf(problem, reached, end, X_WL), 1e-6).empty());
  }
  EXPECT_GE(planned, scenes / 2);
}

TEST(AlternativesPlan, LeavesOutWhatCannotBeWithTheReason) {
  Problem problem = test::wallProblem();
  const VecX good = std::get<JointTarget>(problem.goal).values;
  PoseTarget far;
  far.link = 3;
  far.X_WP.p = Vec3(5.0, 0.0, 0.0);
  problem.goal = AnyTarget{{{"inside", JointTarget{{0, 1, 2}, Vec3(0.0, 0.0, 0.0)}},
                            {"beyond", JointTarget{{0, 1, 2}, Vec3(0.0, 3.0, 0.0)}},
                            {"far", far},
                            {"good", JointTarget{{0, 1, 2}, good}}}};
  const Plan found = plan(problem, quickly());
  ASSERT_EQ(found.status, PlanStatus::kCertified) << found.message;
  EXPECT_EQ(found.certificate->goal, (ReachedGoal{3, 4, "good"}));
  ASSERT_EQ(found.left_out.size(), 3u);
  const auto why = [&](std::size_t i, const char* words) {
    EXPECT_EQ(found.left_out[i].alternative, static_cast<int>(i));
    EXPECT_NE(found.left_out[i].why.find(words), std::string::npos) << found.left_out[i].why;
    EXPECT_NE(found.message.find(words), std::string::npos) << found.message;
  };
  why(0, "'wall' overlap by");
  why(1, "joint 'joint1': 3 is 0.2 rad beyond the upper limit 2.8");
  why(2, "out of reach: the position for 'link2'");

  auto& all = std::get<AnyTarget>(problem.goal).alternatives;
  all.pop_back();
  const Plan none = plan(problem, quickly());
  EXPECT_EQ(none.status, PlanStatus::kNotFound);
  EXPECT_NE(none.message.find("none of the goal's 3 alternatives can be: 'inside' (1 of 3): "),
            std::string::npos)
      << none.message;
  // Without a single one that a search could start for, too.
  all.pop_back();
  EXPECT_NE(plan(problem, quickly()).message.find("none of the goal's 2 alternatives"),
            std::string::npos);
}

TEST(AlternativesPlan, NamesAFewOfManyAndCountsTheRest) {
  std::vector<LeftOutAlternative> many;
  for (int i = 0; i < 9; ++i) many.push_back({i, "'a" + std::to_string(i) + "'", "why"});
  EXPECT_EQ(leftOutText(many), "'a0': why; 'a1': why; 'a2': why; and 6 more");
  EXPECT_EQ(reasonIn("No plan: at the goal, 'a' is 0.5 m off. Move it."),
            "at the goal, 'a' is 0.5 m off");
  EXPECT_EQ(reasonIn(""), "");
}

TEST(AlternativesPlan, AreTheSameForAnyNumberOfThreads) {
  test::Random random(950);
  Problem problem = scatteredProblem(random);
  AnyTarget any;
  for (int i = 0; i < 5; ++i) {
    any.alternatives.push_back({"", targetAt(problem, random.vectorX(3, 2.0), i % 3)});
  }
  problem.goal = any;
  PlanOptions one = quickly(), two = quickly();
  two.threads = 2;
  const Plan a = plan(problem, one), b = plan(problem, two);
  ASSERT_EQ(a.status, b.status);
  ASSERT_TRUE(a.trajectory && b.trajectory);
  EXPECT_EQ(a.trajectory->duration(), b.trajectory->duration());
  EXPECT_EQ(a.certificate->goal, b.certificate->goal);
}

TEST(AlternativesPlan, OfALoadedPlannerIsThatOfPlan) {
  test::Random random(950);
  Problem problem = scatteredProblem(random);
  AnyTarget any;
  for (int i = 0; i < 3; ++i) {
    any.alternatives.push_back({"", targetAt(problem, random.vectorX(3, 1.5), i)});
  }
  PlanOptions options = quickly();
  options.improve = Improve::kNone;
  Planner planner(problem, options);
  const Plan loaded = planner.plan(PlanQuery{problem.start, any, {}, {}, {}, {}});
  problem.goal = any;
  const Plan fresh = plan(problem, options);
  ASSERT_EQ(loaded.status, PlanStatus::kCertified) << loaded.message;
  EXPECT_EQ(loaded.trajectory->duration(), fresh.trajectory->duration());
  EXPECT_EQ(loaded.certificate->goal, fresh.certificate->goal);
}

/// The last link's x axis points at a point, and its frame is on a line.
Problem lookingProblem() {
  Problem problem = test::wallProblem();
  LookAtTarget look;
  look.link = 3;
  look.axis_L = Vec3::UnitX();
  look.point_W = Vec3(0.2, 1.4, 0.0);
  PoseTarget line;
  line.link = 3;
  line.X_WP.p = Vec3(0.45, 0.5, 0.0);
  line.angle_tolerance = HUGE_VAL;
  line.position_axes.is_free = {true, false, false};
  problem.goal = PostureTarget{{line}, {problem.planned, problem.start}, VecX::Ones(3), {look}};
  return problem;
}

TEST(AlternativesPlan, LooksAtAPointWhileItsFrameIsOnALine) {
  const Problem problem = lookingProblem();
  const Plan found = plan(problem, quickly());
  ASSERT_EQ(found.status, PlanStatus::kCertified) << found.message;
  const Pose X = tipAt(problem, found.trajectory->value(found.trajectory->duration()));
  EXPECT_LE(std::abs(X.p.y() - 0.5), 1e-3 + 1e-6);
  const Vec3 sight = (Vec3(0.2, 1.4, 0.0) - X.p).normalized();
  EXPECT_LE(std::acos(std::min(1.0, sight.dot(X.R.col(0)))), 1e-2 + 1e-6);
  EXPECT_TRUE(verifyCertificate(problem, *found.certificate).valid);
}

TEST(AlternativesPlan, NamesADirectionThatCannotBe) {
  Problem problem = lookingProblem();
  // Out of the plane in which the arm moves.
  std::get<PostureTarget>(problem.goal).looks[0].point_W = Vec3(0.2, 1.4, 3.0);
  const Plan found = plan(problem, quickly());
  EXPECT_EQ(found.status, PlanStatus::kNotFound);
  EXPECT_NE(found.message.find("Without the direction of link 'link2' there is one, in which link "
                               "'link2' is pointing "),
            std::string::npos)
      << found.message;
}

TEST(AlternativesPlan, PassesWaypointsOfSeveralPosesAndDirections) {
  Problem problem = lookingProblem();
  problem.waypoints = {{problem.goal, std::nullopt}};
  problem.goal = JointTarget{{0, 1, 2}, Vec3(0.9, 0.5, 0.3)};
  const Plan found = plan(problem, quickly());
  ASSERT_EQ(found.status, PlanStatus::kCertified) << found.message;
  EXPECT_TRUE(verifyCertificate(problem, *found.certificate).valid);
}

TEST(AlternativesPlan, EndsAnywhereThatAFreeTurnAllows) {
  Problem problem = test::wallProblem();
  // The place is given, and the direction of z: in the plane that leaves the turn about z.
  problem.goal = targetAt(problem, Vec3(0.7, -0.2, -0.1), 2).index() == 1
                     ? toTarget(targetAt(problem, Vec3(0.7, -0.2, -0.1), 2))
                     : problem.goal;
  std::get<PoseTarget>(problem.goal).X_WP.R =
      Eigen::AngleAxisd(2.0, Vec3::UnitZ()).toRotationMatrix() *
      std::get<PoseTarget>(problem.goal).X_WP.R;
  const Plan found = plan(problem, quickly());
  ASSERT_EQ(found.status, PlanStatus::kCertified) << found.message;
  EXPECT_TRUE(verifyCertificate(problem, *found.certificate).valid);
  // Held to the whole orientation it would be elsewhere.
  std::get<PoseTarget>(problem.goal).angle_axes.is_free[2] = false;
  EXPECT_FALSE(certify(problem, *found.trajectory).clear);
}

}  // namespace
}  // namespace allclear
