// The section `segments`: what it means, and what is refused, in one line with its place.
#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "allclear/planner/problem/sequence_state.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

std::string task(const std::string& segments, const std::string& more = "") {
  return "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
         "start_state: {group_state: ready, finger: 0.03}\n"
         "scene: {collision_objects: [{id: box, type: box, dimensions: [0.1, 0.1, 0.1], "
         "pose: {position: [3, 0, 0]}}, {id: floor, type: plane, normal: [0, 0, 1], offset: "
         "-2}]}\n" +
         more + "segments:\n" + segments;
}

Task load(const std::string& text) {
  static const test::TaskFolder kFolder;
  return loadTask(kFolder.write("task.yaml", text), {.allow_segments = true});
}

std::string complaint(const std::string& segments, const std::string& more = "") {
  try {
    load(task(segments, more));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string kGo = "  - {name: go, goal: {joint_constraints: {elbow: 0.2}}}\n";
const std::string kTake =
    "  - {attach: box, link: hand, touch_links: [left_finger], mass: 0.2, com: [0, 0, 0.1]}\n";

TEST(TaskSegments, AreRead) {
  const Task read = load(
      task(kGo + kTake +
           "  - {name: carry, goal: {joint_constraints: {shoulder: 0.4}}, allowed: [[box, floor]], "
           "avoid: [box], leaves: [[hand, floor]], lands: [[box, forearm]], duration: {min: 2}, "
           "limits: {max_velocity_scaling_factor: 0.5}, objective: smooth}\n"
           "  - {detach: box}\n"));
  ASSERT_NE(read.sequence, nullptr);
  const Sequence& sequence = *read.sequence;
  ASSERT_EQ(sequence.steps.size(), 4U);
  SequenceState state = sequenceStart(sequence);
  const Problem go = segmentProblem(sequence, 0, state);
  EXPECT_EQ(go.attached.size(), 0U);
  EXPECT_EQ(go.collision.allowed.size(), 0U);
  const auto& joints = std::get<JointTarget>(go.goal);
  state.q = go.configuration(joints.values);
  state.time = 1.5;
  state = afterEvent(sequence, sequence.steps[1], state);
  const Problem carry = segmentProblem(sequence, 2, state);
  ASSERT_EQ(carry.attached.size(), 1U);
  EXPECT_EQ(carry.obstacles.size(), 1U);
  const AttachedObject& box = carry.attached[0];
  EXPECT_EQ(carry.robot->links()[box.link].name, "hand");
  EXPECT_EQ(box.inertia->mass, 0.2);
  // The joints that its goal does not name stay where the segment before left them.
  EXPECT_EQ(carry.start, state.q);
  EXPECT_EQ(carry.configuration(
                std::get<JointTarget>(carry.goal).values)[go.robot->findCoordinate("elbow")],
            0.2);
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(carry.collision.allowed, (Pairs{{"box", "floor"}}));
  EXPECT_EQ(carry.collision.avoided, (Pairs{{"box", "left_finger"}}));
  EXPECT_EQ(carry.collision.leaves, (Pairs{{"hand", "floor"}}));
  EXPECT_EQ(carry.collision.lands, (Pairs{{"box", "forearm"}}));
  EXPECT_EQ(carry.duration.min, 2.0);
  EXPECT_EQ(carry.limits.max_velocity_scaling_factor, 0.5);
  EXPECT_EQ(carry.objective.jerk, ObjectiveWeights::smooth().jerk);
  state = afterEvent(sequence, sequence.steps[3], state);
  EXPECT_TRUE(state.attached.empty());
  ASSERT_EQ(state.obstacles.size(), 2U);
  EXPECT_TRUE(state.obstacles[1].X_WO.p.isApprox(Vec3(3.0, 0.0, 0.0), 1e-12));
}

TEST(TaskSegments, AreRefusedInOneLine) {
  const auto expect = [](const std::string& said, const std::vector<std::string>& parts) {
    EXPECT_EQ(said.find('\n'), std::string::npos);
    for (const std::string& part : parts) {
      EXPECT_NE(said.find(part), std::string::npos) << part << " in: " << said;
    }
  };
  EXPECT_EQ(complaint(kGo + kTake + "  - {detach: box}\n"), "");
  expect(complaint("  - {name: go, goal: {joint_constraints: {elbo: 0.2}}}\n"),
         {"task.yaml:6", "elbow"});
  expect(complaint("  - {name: go, gaol: {joint_constraints: {elbow: 0.2}}}\n"),
         {"task.yaml:6", "goal"});
  expect(complaint("  - {name: go}\n"), {"task.yaml:6", "goal"});
  expect(complaint(kGo + kGo), {"task.yaml:7", "two segments"});
  std::string many = kGo;
  for (int i = 0; i < 500; ++i) many += kTake + "  - {detach: box}\n";
  expect(complaint(many), {"segments", "more than 1000 entries"});
  expect(complaint(kGo + "  - {attach: bax, link: hand}\n"),
         {"task.yaml:7", "'bax'", "no obstacle"});
  expect(complaint(kGo + "  - {attach: box, link: hend}\n"), {"task.yaml:7", "hand"});
  expect(complaint(kGo + "  - {attach: floor, link: hand}\n"), {"task.yaml:7", "plane"});
  expect(complaint(kGo + "  - {detach: box}\n"), {"task.yaml:7", "not carried"});
  expect(complaint(kGo + kTake + kTake), {"task.yaml:8", "carried already"});
  expect(complaint("  - {attach: box, link: hand}\n"), {"segments", "no segment that moves"});
  expect(complaint("  - {name: go, goal: {joint_constraints: {elbow: 0.2}, velocity: {elbow: "
                   "0.1}}}\n"),
         {"task.yaml:6", "velocity", "ends at rest"});
  expect(complaint("  - {name: go, goal: {joint_constraints: {elbow: 0.2}}, avoid: [nobody]}\n"),
         {"task.yaml:6", "nobody"});
  expect(complaint("  - {name: go, goal: {joint_constraints: {elbow: 0.2}}, leaves: [[hand]]}\n"),
         {"task.yaml:6", "pair"});
  expect(complaint(kGo, "goal: {group_state: ready}\n"), {"task.yaml:5", "belongs to a segment"});
  expect(complaint(kGo, "duration: {min: 1}\n"), {"task.yaml:5", "belongs to a segment"});
  expect(complaint(kGo, "contacts: [{link: base_link}]\n"), {"task.yaml:5", "contacts"});
}

TEST(TaskSegments, AreRefusedWhereOneMotionIsExpected) {
  static const test::TaskFolder kFolder;
  try {
    loadTask(kFolder.write("task.yaml", task(kGo)));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("a sequence of motions"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace allclear
