#include <gtest/gtest.h>

#include "allclear/config/task_file.h"
#include "allclear/core/input_error.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

// A column of 0.3 m x 0.2 m that floats, with a foot below: its task with the given section.
const char* const kWalker = R"(<robot name="walker">
  <link name="body"><collision><geometry><box size="0.3 0.2 0.4"/></geometry></collision></link>
  <link name="foot"><collision><origin xyz="0.05 0 -0.03"/><geometry><box size="0.24 0.1 0.04"/></geometry></collision></link>
  <joint name="ankle" type="revolute">
    <parent link="body"/><child link="foot"/><origin xyz="0 0 -0.3"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/>
  </joint>
</robot>)";

Task walkerTask(const test::TemporaryFolder& folder, const std::string& contacts,
                const std::string& start = "ankle: 0") {
  folder.write("walker.urdf", kWalker);
  return loadTask(folder.write(
      "task.yaml", "robot: {urdf: walker.urdf, base: floating}\nstart_state: {" + start +
                       ", virtual_joint: [0.1, 0.2, 0.35, 0, 0, 0]}\n"
                       "goal: {joint_constraints: {ankle: 0}}\ncontacts: " +
                       contacts + "\n"));
}

std::string refusal(const test::TemporaryFolder& folder, const std::string& contacts) {
  try {
    walkerTask(folder, contacts);
  } catch (const InputError& error) {
    return error.what();
  }
  return "loaded";
}

/// Those that are not about the missing SRDF.
std::vector<std::string> warningsOfSoles(const Problem& problem) {
  std::vector<std::string> out;
  for (const std::string& warning : problem.warnings) {
    if (warning.find("SRDF") == std::string::npos) out.push_back(warning);
  }
  return out;
}

class Contacts : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
};

TEST_F(Contacts, HaveTheLowestFaceOfTheLinkForASole) {
  const Problem problem = walkerTask(folder_, "[{link: foot}]").problem;
  ASSERT_EQ(problem.contacts.size(), 1u);
  const Contact& contact = problem.contacts[0];
  EXPECT_EQ(contact.kind, Contact::Kind::kFlat);
  EXPECT_NEAR((contact.X_LC.p - Vec3(0.05, 0.0, -0.05)).norm(), 0.0, 1e-6);
  EXPECT_NEAR(contact.half_size.x(), 0.12, 1e-6);
  EXPECT_NEAR(contact.half_size.y(), 0.05, 1e-6);
  EXPECT_EQ(contact.friction, 0.5);
  EXPECT_EQ(contact.position_tolerance, 1e-4);
  // The robot stands on it: the base is not planned any more.
  EXPECT_EQ(problem.planned.size(), 1u);
  EXPECT_EQ(problem.robot->links()[contact.link].name, "foot");
  EXPECT_EQ(warningsOfSoles(problem).size(), 0u);
}

TEST_F(Contacts, AreReadWithEveryKey) {
  const Problem problem =
      walkerTask(folder_,
                 "[{link: foot, kind: flat, frame: {position: [0.04, 0, -0.05]}, size: [0.2, 0.08],"
                 " friction: 0.3, margin: 0.004, tolerance: {position: 2e-4, angle: 1e-3}},"
                 " {link: body, kind: point, frame: {position: [0.15, 0, 0]}, normal: -x}]")
          .problem;
  ASSERT_EQ(problem.contacts.size(), 2u);
  const Contact& foot = problem.contacts[0];
  EXPECT_EQ(foot.X_LC.p, Vec3(0.04, 0.0, -0.05));
  EXPECT_EQ(foot.half_size, Eigen::Vector2d(0.1, 0.04));
  EXPECT_EQ(foot.friction, 0.3);
  EXPECT_EQ(foot.margin, 0.004);
  EXPECT_EQ(foot.position_tolerance, 2e-4);
  EXPECT_EQ(foot.angle_tolerance, 1e-3);
  const Contact& point = problem.contacts[1];
  EXPECT_EQ(point.kind, Contact::Kind::kPoint);
  EXPECT_LT((point.X_LC.R.col(2) + Vec3::UnitX()).norm(), 1e-12);
}

TEST_F(Contacts, WarnOfASoleThatSticksOut) {
  const Problem problem = walkerTask(folder_, "[{link: foot, size: [0.26, 0.1]}]").problem;
  const std::vector<std::string> warnings = warningsOfSoles(problem);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("sticks out of the link's lowest face by 0.01"), std::string::npos)
      << warnings[0];
}

TEST_F(Contacts, TurnTheFrameToTheNormal) {
  // The foot is tilted by 0.3 rad at the start: the sole given counts, its z points up there.
  const Problem problem =
      walkerTask(folder_, "[{link: foot, frame: {position: [0.05, 0, -0.05]}, size: [0.2, 0.08]}]",
                 "ankle: 0.3")
          .problem;
  const Vec3 up_L = problem.contacts[0].X_LC.R.col(2);
  EXPECT_NEAR(up_L.x(), -std::sin(0.3), 1e-12);
  EXPECT_NEAR(up_L.z(), std::cos(0.3), 1e-12);
}

TEST_F(Contacts, RefuseWhatDoesNotFitTogether) {
  EXPECT_NE(refusal(folder_, "[{link: foot, kind: point}]").find("frame"), std::string::npos);
  EXPECT_NE(refusal(folder_, "[{link: foot, frame: {position: [0, 0, 0]}}]").find("needs its size"),
            std::string::npos);
  EXPECT_NE(refusal(folder_, "[{link: foot, margin: 0.06}]").find("margin"), std::string::npos);
  EXPECT_NE(refusal(folder_, "[{link: foot, margin: 1e-5}]").find("at least the tolerance"),
            std::string::npos);
  EXPECT_NE(refusal(folder_, "[{link: foot, depth: 0}]").find("depth"), std::string::npos);
  EXPECT_NE(refusal(folder_, "[{link: foot, depth: 0.03}]").find("must be at most 0.02 m"),
            std::string::npos);
  EXPECT_NE(refusal(folder_, "[{link: foot}, {link: foot}]").find("can have no other one"),
            std::string::npos);
  EXPECT_NE(refusal(folder_, "[{link: foot, kind: flatt}]").find("flat"), std::string::npos);
}

}  // namespace
}  // namespace allclear
