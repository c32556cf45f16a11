// What is wrong with cables, what their stretches may touch, and how it is said.
#include "allclear/planner/problem/cables.h"

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "allclear/planner/problem/claims.h"
#include "support/example_arm.h"

namespace allclear {
namespace {

Problem armWithHose() {
  Problem problem;
  problem.robot = test::exampleArm();
  for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
  problem.start = VecX::Zero(7);
  problem.goal = JointTarget{problem.planned, problem.start};
  const int from = problem.robot->findLink("link2"), to = problem.robot->findLink("link4");
  problem.cables.push_back(
      {"hose", {{from, {-0.1, 0.0, 0.1}}, {to, {-0.1, 0.0, 0.1}}}, {0.45}, 0.01, 0.02, {"link3"}});
  return problem;
}

std::string firstFinding(const Problem& problem) {
  const std::vector<Finding> findings = cableFindings(problem);
  return findings.empty() ? "" : findings[0].message;
}

TEST(Cables, GoodOnesHaveNoFindings) { EXPECT_EQ(firstFinding(armWithHose()), ""); }

TEST(Cables, FaultsAreFindings) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto expect = [](const std::string& part, auto&& spoil) {
    Problem problem = armWithHose();
    spoil(problem.cables[0], problem);
    EXPECT_NE(firstFinding(problem).find(part), std::string::npos) << firstFinding(problem);
    EXPECT_THROW(requireCertifiable(problem), InputError) << part;
  };
  expect("needs two clips", [](Cable& c, Problem&) { c.clips.pop_back(); });
  expect("has 2 lengths for 2 clips", [](Cable& c, Problem&) { c.lengths.push_back(1.0); });
  expect("has no link 99", [](Cable& c, Problem&) { c.clips[0].link = 99; });
  expect("point is not finite", [&](Cable& c, Problem&) { c.clips[0].p_L.x() = kNan; });
  expect("length: must be positive", [&](Cable& c, Problem&) { c.lengths[0] = kNan; });
  expect("radius: must not be negative", [](Cable& c, Problem&) { c.radius = -0.01; });
  expect("reserve: must not be negative", [&](Cable& c, Problem&) { c.reserve = kNan; });
  expect("reserve: must be below", [](Cable& c, Problem&) { c.reserve = 0.5; });
  expect("has no id", [](Cable& c, Problem&) { c.id = ""; });
  expect("in use already", [](Cable& c, Problem& p) { p.cables.push_back(c); });
  expect("in use already", [](Cable& c, Problem&) { c.id = "link3"; });
  expect("no link or object 'lnk3'", [](Cable& c, Problem&) { c.allowed = {"lnk3"}; });
  expect("less than the distance of its ends at the start, 0.4 m",
         [](Cable& c, Problem&) { c.lengths[0] = 0.39; });
}

TEST(Cables, TautnessIsSaidInMillimetres) {
  const Problem problem = armWithHose();
  const CableStretch stretch = cableStretches(problem)[0];
  EXPECT_EQ(tautText(problem, stretch, 0.462, 1.31),
            "cable 'hose': 12 mm short at t = 1.31 s between link2 and link4");
  EXPECT_EQ(tautText(problem, stretch, 0.44, 0.0),
            "cable 'hose': 10 mm short of its reserve at t = 0 s between link2 and link4");
}

TEST(Cables, HoldersAndAllowedBodiesAreExempt) {
  const Problem problem = armWithHose();
  const MotionTree tree(*problem.robot);
  const CableStretch stretch = cableStretches(problem)[0];
  const auto why = [&](const char* name, bool is_attached = false) {
    return cableExemption(problem, tree, stretch,
                          {name, problem.robot->findLink(name), is_attached});
  };
  EXPECT_EQ(why("link2"), "holds an end");
  EXPECT_EQ(why("link3"), "the task allows it");
  EXPECT_EQ(why("link5"), "");
  EXPECT_EQ(why("link2", true), "");  // an object of that name which link 2 does not hold
}

}  // namespace
}  // namespace allclear
