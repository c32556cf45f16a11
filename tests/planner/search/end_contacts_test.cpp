#include "allclear/planner/search/end_contacts.h"

#include <gtest/gtest.h>

#include "allclear/planner/planner.h"
#include "allclear/planner/search/goal_fault.h"
#include "allclear/planner/workcell.h"
#include "planner/certificate/certificate_fixture.h"

namespace allclear {
namespace {

using test::armTask;
using test::boxAt;
using test::boxScene;

const char* const kGoal = "{shoulder: 0.8}";

/// A task of the small arm with a cart of this motion.
class Carts : public testing::Test {
 protected:
  Problem problemWith(const std::string& motion, const std::string& more = "") const {
    folder_.write("cart.csv", "time,x,y,z\n" + motion);
    const auto task = folder_.write(
        "task.yaml", armTask(kGoal, boxScene("{id: cart, type: box, dimensions: [0.1, 0.2, 0.3], "
                                             "motion: cart.csv}") +
                                        more));
    return loadTask(task).problem;
  }
  static std::vector<std::string> meetings(const Problem& problem) {
    return unavoidableMeetings(problem, certifiedGeometry(problem));
  }
  const test::TaskFolder folder_;
};

TEST_F(Carts, ThatMeetABodyThatNoPlannedJointMovesAreFoundBeforeThePlanning) {
  const Problem problem = problemWith("0,2,0,0.15\n2,0,0,0.15\n4,2,0,0.15\n");
  const std::vector<std::string> found = meetings(problem);
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found[0].find("'base_link' and 'cart' overlap by"), std::string::npos) << found[0];
  EXPECT_NE(found[0].find("at t = "), std::string::npos) << found[0];
  EXPECT_NE(found[0].find("collision.allowed: [[base_link, cart]]"), std::string::npos) << found[0];
  const Plan refused = plan(problem);
  EXPECT_EQ(refused.status, PlanStatus::kNotFound);
  EXPECT_EQ(refused.statistics.attempts, 0);
  EXPECT_NE(refused.message.find("no planned joint moves 'base_link'"), std::string::npos)
      << refused.message;
  const ProblemCheck check = checkProblem(problem);
  EXPECT_FALSE(check.faults.empty());
}

TEST_F(Carts, ThatPassOrComeLaterThanAnyClaimAreNot) {
  EXPECT_TRUE(meetings(problemWith("0,2,0,0.15\n2,2,2,0.15\n")).empty());
  const std::string late = "0,2,0,0.15\n200,0,0,0.15\n";
  EXPECT_FALSE(meetings(problemWith(late)).empty()) << "the robot rests until the cart stops";
  EXPECT_TRUE(meetings(problemWith(late, "after: unknown\n")).empty())
      << "a short plan ends before, and claims nothing after";
  EXPECT_TRUE(meetings(problemWith("0,2,0,0.15\n2,0,0,0.15\n",
                                   "collision: {allowed: [[base_link, cart], "
                                   "[column, cart]]}\n"))
                  .size() <= 1u);
}

TEST(ContactAdvice, FitsWhatIsWrong) {
  const auto adviceAt = [](double z, const std::string& more = "") {
    const Problem problem = test::loadText(
        armTask(kGoal, boxScene(boxAt("wall", {0.1, 0.1, 0.1}, {0.25, 0.0, z})) + more));
    const auto contacts = contactsAt(problem, certifiedGeometry(problem), problem.start, 0.0);
    return contacts.empty() ? std::string() : contactAdvice(problem, "start", contacts.front());
  };
  // The upper arm is a box of 6 cm about z = 0.65.
  const std::string inside = adviceAt(0.68);
  EXPECT_NE(inside.find("move the start or 'wall'"), std::string::npos) << inside;
  EXPECT_NE(inside.find("collision.allowed: [["), std::string::npos) << inside;
  EXPECT_EQ(inside.find("margin"), std::string::npos) << "a smaller margin cannot help: " << inside;
  const std::string near = adviceAt(0.7304);
  EXPECT_NE(near.find("collision.pair_margins"), std::string::npos) << near;
  EXPECT_NE(near.find("end_margin: relax"), std::string::npos) << near;
  EXPECT_EQ(near.find("allowed"), std::string::npos) << near;
  EXPECT_EQ(adviceAt(0.7304, "collision: {end_margin: relax}\n"), "") << "it may be so near";
  EXPECT_EQ(adviceAt(0.75), "");
}

TEST(PoseGoalFault, NamesWhatIsInTheWayAndWhatToMove) {
  const Problem problem =
      test::loadText(armTask(kGoal, boxScene(boxAt("wall", {0.1, 0.1, 0.1}, {0.25, 0.0, 0.68}))));
  const ClearanceEvaluator evaluator(problem);
  const std::string fault = poseGoalFault(evaluator, problem.plannedPart(problem.start));
  EXPECT_NE(fault.find("'upper_arm' and 'wall' overlap by"), std::string::npos) << fault;
  EXPECT_NE(fault.find("Move the goal or 'wall'"), std::string::npos) << fault;
  EXPECT_NE(poseGoalFault(evaluator, std::nullopt).find("the joints do not get there"),
            std::string::npos);
}

TEST(EndNumbers, AreThoseOfTheCheckAndOfThePlan) {
  const Problem problem =
      test::loadText(armTask(kGoal, boxScene(boxAt("wall", {0.1, 0.1, 0.1}, {0.25, 0.0, 0.68}))));
  const ProblemCheck check = checkProblem(problem);
  const Plan refused = plan(problem);
  ASSERT_FALSE(check.ends.front().pairs.empty());
  const PairClearance& worst = check.ends.front().pairs.front();
  const std::string text = pairText({worst.a, worst.b, worst.distance, worst.margin, false});
  EXPECT_NE(refused.message.find(text), std::string::npos) << refused.message << "\n" << text;
}

}  // namespace
}  // namespace allclear
