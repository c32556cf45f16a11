// What a certificate says of limits that nobody gave, and of those that nobody keeps.
#include "allclear/planner/certificate/limit_statement.h"

#include <gtest/gtest.h>

#include "allclear/planner/certificate/held_joints.h"
#include "allclear/planner/certificate/words.h"
#include "planner/certificate/certificate_fixture.h"

namespace allclear {
namespace {

/// The right finger, `finger_mirror`, repeats the left one.
Problem gripping() {
  return test::loadText(
      "robot: {urdf: arm.urdf, srdf: arm.srdf}\njoints: [lift, finger]\n"
      "start_state: {group_state: ready, finger: 0.02}\n"
      "goal: {joint_constraints: {lift: 0.1, finger: 0.01}}\n"
      "limits: {acceleration: 1, jerk: 10, velocity: {lift: 0.1}}\n");
}

TEST(AssumptionWords, AreShortAndExact) {
  EXPECT_EQ(shown(0.1), "0.1");
  EXPECT_EQ(shown(-1e-300), "-1e-300");
  EXPECT_EQ(counted(1, "joint"), "1 joint");
  EXPECT_EQ(counted(0, "joint"), "0 joints");
  EXPECT_EQ(joined({"a", "b"}), "a, b");
  EXPECT_EQ(joined({}), "");
}

TEST(LimitAssumptions, NameJointsWhoseTorqueNobodyLimits) {
  Problem problem = gripping();
  const auto without = limitAssumptions(problem);
  ASSERT_EQ(without.size(), 1);
  EXPECT_EQ(without[0].text.find("finger_mirror"), std::string::npos) << without[0].text;

  problem.limits.torque = true;
  const auto with = limitAssumptions(problem);
  ASSERT_EQ(with.size(), 1);
  EXPECT_NE(with[0].text.find("not kept are limits of their own, of finger_mirror."),
            std::string::npos)
      << with[0].text;
  EXPECT_NE(with[0].brief.find("1 mimic joint without a torque limit"), std::string::npos)
      << with[0].brief;

  // A joint that is held needs no torque of a joint that repeats it.
  problem.planned = {problem.planned.front()};
  EXPECT_EQ(limitAssumptions(problem)[0].text.find("finger_mirror"), std::string::npos);
}

TEST(LimitAssumptions, NameLimitsThatTheTaskLowers) {
  EXPECT_NE(limitAssumptions(gripping())[0].text.find("Limits of velocity taken from the task [rad/"
                                                      "s or m/s]: lift = 0.1."),
            std::string::npos);
}

TEST(HeldJointAssumptions, NameWhatStaysAndWhere) {
  const auto held = heldJointAssumptions(gripping());
  ASSERT_EQ(held.size(), 1);
  for (const char* joint : {"shoulder = ", "elbow = ", "wrist = "}) {
    EXPECT_NE(held[0].text.find(joint), std::string::npos) << held[0].text;
  }
  EXPECT_EQ(held[0].text.find("finger"), std::string::npos) << held[0].text;
}

}  // namespace
}  // namespace allclear
