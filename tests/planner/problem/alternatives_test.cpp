#include "allclear/planner/problem/alternatives.h"

#include <gtest/gtest.h>

#include "allclear/planner/problem/target_findings.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

PoseTarget poseOf(int link) {
  PoseTarget pose;
  pose.link = link;
  return pose;
}

Problem anyProblem() {
  Problem problem = test::wallProblem();
  PostureTarget both{
      {poseOf(1), poseOf(2)}, {problem.planned, problem.start}, VecX::Ones(3), {LookAtTarget{3}}};
  problem.goal =
      AnyTarget{{{"joints", std::get<JointTarget>(problem.goal)}, {"", poseOf(3)}, {"both", both}}};
  return problem;
}

TEST(Alternatives, HaveNamesAndPlaces) {
  const Problem problem = anyProblem();
  const AnyTarget* any = alternativesOf(problem);
  ASSERT_NE(any, nullptr);
  EXPECT_EQ(alternativeName(*any, 0), "'joints' (1 of 3)");
  EXPECT_EQ(alternativeName(*any, 1), "alternative 2 of 3");
  EXPECT_EQ(alternativesOf(test::wallProblem()), nullptr);
}

TEST(Alternatives, BecomeTheOnlyGoal) {
  const Problem problem = anyProblem();
  EXPECT_TRUE(std::holds_alternative<JointTarget>(withAlternative(problem, 0).goal));
  EXPECT_EQ(std::get<PoseTarget>(withAlternative(problem, 1).goal).link, 3);
  EXPECT_EQ(std::get<PostureTarget>(withAlternative(problem, 2).goal).poses.size(), 2u);
}

TEST(Alternatives, PlaceWhatAnyOfThemPlaces) {
  const Problem problem = anyProblem();
  EXPECT_EQ(posesOf(problem.goal).size(), 3u);
  EXPECT_EQ(looksOf(problem.goal).size(), 1u);
  EXPECT_TRUE(posesOf(test::wallProblem().goal).empty());
}

TEST(Alternatives, TakeTheTurnsNearestToTheStart) {
  Problem problem = test::wallProblem(true);
  const Vec3 far = Vec3(0.7, -0.2, -0.1) + 2.0 * M_PI * Vec3(1.0, -2.0, 0.0);
  problem.goal = AnyTarget{{{"", JointTarget{{0, 1, 2}, far}}}};
  chooseNearestTurns(problem);
  const auto& chosen = std::get<JointTarget>(alternativesOf(problem)->alternatives[0].target);
  EXPECT_LT((chosen.values - Vec3(0.7, -0.2, -0.1)).norm(), 1e-12);
}

/// The messages of a goal's or waypoint's findings.
std::string findingsOf(const Problem& problem) {
  std::string all;
  for (const Finding& finding : targetShapeFindings(problem)) all += finding.message + "\n";
  if (!all.empty()) return all;
  for (const Finding& finding : targetFindings(problem)) all += finding.message + "\n";
  return all;
}

TEST(TargetFindings, AcceptAlternativesBeyondLimitsAndNothingElseThatIsWrong) {
  EXPECT_EQ(findingsOf(anyProblem()), "");
  EXPECT_TRUE(validate(anyProblem()).empty());
  const auto with = [](auto change) {
    Problem problem = anyProblem();
    change(problem, std::get<AnyTarget>(problem.goal).alternatives);
    return findingsOf(problem);
  };
  using All = std::vector<GoalAlternative>;
  EXPECT_EQ(with([](Problem&, All& all) { std::get<JointTarget>(all[0].target).values[0] = 5.0; }),
            "");
  EXPECT_NE(with([](Problem&, All& all) {
              std::get<JointTarget>(all[0].target).values[0] = NAN;
            }).find("alternative 1: its values are not finite"),
            std::string::npos);
  EXPECT_NE(with([](Problem&, All& all) { all.clear(); }).find("has no alternative"),
            std::string::npos);
  EXPECT_NE(with([](Problem&, All& all) {
              std::get<PoseTarget>(all[1].target).link = 9;
            }).find("alternative 2: has no link 9"),
            std::string::npos);
  EXPECT_NE(with([](Problem&, All& all) {
              std::get<PoseTarget>(all[1].target).angle_axes.is_free = {true, true, false};
            }).find("about two axes"),
            std::string::npos);
  EXPECT_NE(with([](Problem&, All& all) {
              std::get<PostureTarget>(all[2].target).looks[0].axis_L = Vec3(1, 1, 0);
            }).find("must be a unit vector"),
            std::string::npos);
  EXPECT_NE(with([](Problem& problem, All&) {
              problem.waypoints = {{problem.goal, std::nullopt}};
            }).find("are only for the goal"),
            std::string::npos);
  EXPECT_NE(with([](Problem& problem, All&) {
              problem.goal = JointTarget{{0, 1, 2}, Vec3(5.0, 0.0, 0.0)};
            }).find("goal: joint 'joint0': 5 is 2.2 rad beyond the upper limit 2.8"),
            std::string::npos);
}

}  // namespace
}  // namespace allclear
