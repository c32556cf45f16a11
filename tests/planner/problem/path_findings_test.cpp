#include "allclear/planner/problem/path_findings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

/// The messages about one path constraint.
std::string messagesOf(const PathConstraint& constraint) {
  Problem problem = test::wallProblem();
  problem.path_constraints = {constraint};
  std::string out;
  for (const Finding& finding : pathFindings(problem)) out += finding.message + "\n";
  return out;
}

TEST(PathFindings, GoodConstraintsHaveNone) {
  KeepPose keep{3};
  EXPECT_EQ(messagesOf(keep), "");
  keep.angle_tolerance = HUGE_VAL;
  EXPECT_EQ(messagesOf(keep), "");
  KeepOnLine line{3};
  line.stretches = {{Vec3::UnitX(), Vec3::Zero()}};
  EXPECT_EQ(messagesOf(line), "");
  EXPECT_EQ(messagesOf(KeepAxis{3}), "");
  EXPECT_EQ(messagesOf(KeepInBox{3}), "");
}

TEST(PathFindings, NameWhatIsWrong) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  KeepPose keep{3};
  keep.position_tolerance = nan;
  EXPECT_NE(messagesOf(keep).find("position tolerance"), std::string::npos);
  keep.position_tolerance = keep.angle_tolerance = HUGE_VAL;
  EXPECT_NE(messagesOf(keep).find("leaves both"), std::string::npos);
  keep = KeepPose{3};
  keep.relative_to = 3;
  EXPECT_NE(messagesOf(keep).find("relative to itself"), std::string::npos);
  KeepOnLine line{3};
  EXPECT_NE(messagesOf(line).find("has no stretch"), std::string::npos);
  line.stretches = {{Vec3::UnitX(), 4.0 * Vec3::UnitX()}};
  EXPECT_NE(messagesOf(line).find("half a turn"), std::string::npos);
  line.stretches = {{Vec3::UnitX(), Vec3(nan, 0.0, 0.0)}};
  EXPECT_NE(messagesOf(line).find("half a turn"), std::string::npos);
  line.stretches = {{Vec3::UnitX(), Vec3::Zero()}};
  line.position_tolerance = HUGE_VAL;
  EXPECT_NE(messagesOf(line).find("a line needs a finite one"), std::string::npos);
  KeepInBox box{3};
  box.size[1] = 0.0;
  EXPECT_NE(messagesOf(box).find("box size"), std::string::npos);
}

}  // namespace
}  // namespace allclear
