#include "allclear/planner/problem/contact_findings.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/biped.h"

namespace allclear {
namespace {

TEST(ContactFindings, NameEveryMistake) {
  struct Mistake {
    const char* expected;
    std::function<void(Contact&)> make;
  };
  const Mistake mistakes[] = {
      {"friction: must be positive", [](Contact& c) { c.friction = 0.0; }},
      {"position tolerance: must be positive", [](Contact& c) { c.position_tolerance = -1.0; }},
      {"angle tolerance: must be positive", [](Contact& c) { c.angle_tolerance = HUGE_VAL; }},
      {"margin: must not be negative", [](Contact& c) { c.margin = std::nan(""); }},
      {"margin: must be at least the tolerance", [](Contact& c) { c.margin = 1e-5; }},
      {"needs a sole wider than its margins",
       [](Contact& c) {
         c.half_size = {0.1, 0.002};
       }},
      {"must be above 0 and at most 0.02 m", [](Contact& c) { c.depth = 0.0; }},
      {"must be above 0 and at most 0.02 m", [](Contact& c) { c.depth = 0.021; }},
      {"must be above 0 and at most 0.02 m", [](Contact& c) { c.depth = std::nan(""); }},
      {"its frame is not finite", [](Contact& c) { c.X_LC.p.x() = HUGE_VAL; }},
  };
  const Problem good = standOn(test::bipedProblem());
  EXPECT_TRUE(contactFindings(good).empty());
  for (const Mistake& mistake : mistakes) {
    for (int foot = 0; foot < 2; ++foot) {  // the one that it stands on, and the other
      Problem problem = good;
      mistake.make(problem.contacts[foot]);
      const std::vector<Finding> findings = contactFindings(problem);
      ASSERT_FALSE(findings.empty()) << mistake.expected;
      EXPECT_NE(findings[0].message.find(mistake.expected), std::string::npos)
          << findings[0].message;
    }
  }
}

TEST(ContactFindings, TorquesOfARobotThatStandsAreNoCost) {
  Problem problem = standOn(test::bipedProblem());
  problem.objective.torque = 0.1;
  const std::vector<Finding> findings = contactFindings(problem);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].what, "objective: torque");
}

TEST(ContactFindings, ALinkIsHeldInOneWay) {
  Problem problem = standOn(test::bipedProblem());
  problem.contacts.push_back(problem.contacts[1]);
  EXPECT_FALSE(contactFindings(problem).empty());
  // Several points of a hand may lean.
  problem.contacts.resize(1);
  for (double x : {0.0, 0.02}) {
    Contact point;
    point.kind = Contact::Kind::kPoint;
    point.link = problem.robot->findLink("l_hand");
    point.X_LC.p.x() = x;
    problem.contacts.push_back(point);
  }
  EXPECT_TRUE(contactFindings(problem).empty());
}

}  // namespace
}  // namespace allclear
