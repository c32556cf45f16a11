// Motions and paths as other software writes them, read for a task.
#include "allclear/config/values/planned_motion.h"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "allclear/config/values/motion_documents.h"
#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/exports/output_files.h"
#include "allclear/planner/certificate.h"
#include "allclear/trajectories/trajectory_files.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

/// The small arm plans its shoulder and elbow; the lift, wrist and finger are held.
Problem twoJoints() {
  return test::loadText(
      "robot: arm.urdf\njoints: [shoulder, elbow]\n"
      "start_state: {lift: 0.1, shoulder: 0.0, elbow: 0.5, wrist: 0.0, finger: 0.02}\n"
      "goal: {joint_constraints: {shoulder: 0.5, elbow: 0.0}}\n");
}

class PlannedMotion : public ::testing::Test {
 protected:
  JointMotion read(const std::string& name, const std::string& text) {
    return readPlannedMotion(folder_.write(name, text), problem_, std::nullopt);
  }
  std::string errorOf(const std::string& name, const std::string& text) {
    try {
      read(name, text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  test::TaskFolder folder_;
  Problem problem_ = twoJoints();
};

const MatX kRows = (MatX(2, 2) << 0.0, 0.5, 0.5, 0.0).finished();

TEST_F(PlannedMotion, ReadsStampsOfBothRosAsYamlAndJson) {
  const std::string ros2 =
      "joint_names: [elbow, shoulder]\npoints:\n"
      "- {positions: [0.5, 0.0], time_from_start: {sec: 0, nanosec: 0}}\n"
      "- {positions: [0.0, 0.5], time_from_start: {sec: 1, nanosec: 500000000}}\n";
  const std::string ros1 =
      "{\"joint_names\": [\"shoulder\", \"elbow\"], \"points\": [\n"
      " {\"positions\": [0.0, 0.5], \"time_from_start\": {\"secs\": 0, \"nsecs\": 0}},\n"
      " {\"positions\": [0.5, 0.0], \"time_from_start\": {\"secs\": 1, \"nsecs\": 500000000}}]}\n";
  for (const JointMotion& found : {read("a.yaml", ros2), read("a.json", ros1)}) {
    EXPECT_TRUE(found.is_timed);
    EXPECT_EQ(found.motion.trajectory.duration(), 1.5);
    EXPECT_EQ(found.motion.trajectory.hermite()->positions(), kRows);
    EXPECT_EQ(found.motion.joint_names, plannedNames(problem_));
  }
  EXPECT_NE(errorOf("b.yaml",
                    "joint_names: [shoulder, elbow]\npoints:\n"
                    "- {positions: [0, 0.5], time_from_start: {sec: 0, nsecs: 0}}\n"
                    "- {positions: [0.5, 0], time_from_start: {sec: 1, nsecs: 0}}\n"),
            "accepted");
}

TEST_F(PlannedMotion, ReadsBackWhatItWritesForRos2) {
  const HermiteCurve curve({0.0, 0.1}, kRows, MatX::Zero(2, 2), MatX::Zero(2, 2));
  const JointMotion back =
      read("r.yaml", formatRos2Trajectory(curve, plannedNames(problem_), "base"));
  EXPECT_EQ(formatTrajectoryJson(back.motion.trajectory, back.motion.joint_names),
            formatTrajectoryJson(curve, plannedNames(problem_)));
}

TEST_F(PlannedMotion, FindsTheTrajectoryInMessagesOfMoveIt) {
  const std::string robot_trajectory =
      "joint_trajectory:\n  header: {stamp: {secs: 0, nsecs: 0}, frame_id: base}\n"
      "  joint_names: [shoulder, elbow]\n  points:\n"
      "  - {positions: [0, 0.5], time_from_start: {secs: 0, nsecs: 0}}\n"
      "  - {positions: [0.5, 0], time_from_start: {secs: 2, nsecs: 0}}\n"
      "multi_dof_joint_trajectory: {joint_names: [], points: []}\n";
  EXPECT_EQ(read("m.yaml", robot_trajectory).motion.trajectory.duration(), 2.0);
  std::string indented;
  for (std::size_t i = 0, end; i < robot_trajectory.size(); i = end + 1) {
    end = robot_trajectory.find('\n', i);
    indented += (i == 0 ? "- " : "  ") + robot_trajectory.substr(i, end - i) + "\n";
  }
  EXPECT_EQ(read("d.yaml", "model_id: arm\ntrajectory:\n" + indented + "trajectory_start: {}\n")
                .motion.trajectory.duration(),
            2.0);
  const std::string floating =
      "joint_trajectory: {joint_names: [shoulder, elbow], points: []}\n"
      "multi_dof_joint_trajectory: {joint_names: [base], points: [{transforms: []}]}\n";
  EXPECT_NE(errorOf("f.yaml", floating).find("floating and planar joints"), std::string::npos);
}

TEST_F(PlannedMotion, OfSeveralMessagesTheLastCounts) {
  const auto message = [](int seconds) {
    return "joint_names: [shoulder, elbow]\npoints:\n"
           "- {positions: [0, 0.5], time_from_start: {sec: 0, nanosec: 0}}\n"
           "- {positions: [0.5, 0], time_from_start: {sec: " +
           std::to_string(seconds) + ", nanosec: 0}}\n---\n";
  };
  const JointMotion one = read("one.yaml", message(3));
  EXPECT_TRUE(one.motion.warnings.empty());
  const JointMotion two = read("two.yaml", message(3) + message(4));
  EXPECT_EQ(two.motion.trajectory.duration(), 4.0);
  ASSERT_EQ(two.motion.warnings.size(), 1u);
  EXPECT_NE(two.motion.warnings[0].find("2 messages: the last is read"), std::string::npos);
  // Places in errors are those of the file.
  EXPECT_NE(errorOf("line.yaml", message(3) + "joint_names: [shoulder]\npoints: []\nx: 1\n")
                .find("line.yaml:8"),
            std::string::npos);
  EXPECT_NE(errorOf("cut.yaml", "joint_names:\n- shoulder\n- '...'\n").find("--full-length"),
            std::string::npos);
}

TEST_F(PlannedMotion, PathsHaveNoTimes) {
  const char* const texts[][2] = {
      {"p.csv", "shoulder,elbow\n0,0.5\n0.5,0\n"},
      {"p.txt", "0 0.5 \n0.5 0 \n\n"},
      {"q.csv", "0, 0.5\n0.5, 0\n"},
      {"p.yaml", "[[0, 0.5], [0.5, 0]]\n"},
      {"p.json", "[[0, 0.5], [0.5, 0]]\n"},
      {"n.json",
       "{\"joint_names\": [\"elbow\", \"shoulder\"], \"positions\": [[0.5, 0], [0, 0.5]]}"},
      {"z.yaml",
       "joint_names: [shoulder, elbow]\npoints:\n- {positions: [0, 0.5]}\n- {positions: [0.5, "
       "0]}\n"},
      {"t.yaml",
       "joint_names: [shoulder, elbow]\npoints:\n"
       "- {positions: [0, 0.5], time_from_start: {sec: 0, nanosec: 0}}\n"
       "- {positions: [0.5, 0], time_from_start: {sec: 0, nanosec: 0}}\n"}};
  for (const auto& [name, text] : texts) {
    SCOPED_TRACE(name);
    const JointMotion found = read(name, text);
    EXPECT_FALSE(found.is_timed);
    EXPECT_EQ(found.motion.trajectory.hermite()->positions(), kRows);
  }
  // As a motion it rests at every row, and says so.
  const NamedTrajectory motion = loadTrajectory(folder_.write("p.csv", texts[0][1]), problem_);
  EXPECT_EQ(motion.interpolation(), Interpolation::kQuintic);
  ASSERT_EQ(motion.warnings.size(), 1u);
  EXPECT_NE(motion.warnings[0].find("rest at every row"), std::string::npos);
  EXPECT_NE(errorOf("w.txt", "0 0.5\n0.5 x\n").find("w.txt:2"), std::string::npos);
  EXPECT_NE(errorOf("w.txt", "0 0.5\n0.5\n").find("1 numbers for 2 planned joints"),
            std::string::npos);
  EXPECT_NE(errorOf("w.yaml", "[[0, 0.5], [0.5, 0, 1]]\n").find("w.yaml"), std::string::npos);
}

TEST_F(PlannedMotion, JointsBesideThePlannedOnesAreJudged) {
  const auto csv = [](const std::string& name, const std::string& value) {
    return "time,shoulder," + name + ",elbow\n0,0,0.02,0.5\n1,0.5," + value + ",0\n";
  };
  EXPECT_TRUE(read("h.csv", csv("finger", "0.0204")).motion.warnings.size() == 1);  // linear
  EXPECT_EQ(read("h.csv", csv("finger", "0.02")).motion.joint_names, plannedNames(problem_));
  EXPECT_NE(errorOf("h.csv", csv("finger", "0.03")).find("holds it at 0.02"), std::string::npos);
  const JointMotion unknown = read("u.csv", csv("camera_tilt", "0.7"));
  ASSERT_EQ(unknown.motion.warnings.size(), 2u);
  EXPECT_NE(unknown.motion.warnings[1].find("'camera_tilt'"), std::string::npos);
  EXPECT_NE(errorOf("m.csv", "time,wrist\n0,0\n1,0\n").find("missing: 'shoulder', 'elbow'"),
            std::string::npos);
  EXPECT_NE(errorOf("m.csv", "time,shoulder,elbwo\n0,0,0\n1,0,0\n").find("did you mean 'elbow'?"),
            std::string::npos);
}

TEST_F(PlannedMotion, PathsOfJointsThatWrapGoOn) {
  const Problem problem = test::loadText(
      "robot: arm.urdf\njoints: [wrist]\n"
      "start_state: {lift: 0.1, shoulder: 0.0, elbow: 0.5, wrist: 3.0, finger: 0.02}\n"
      "goal: {joint_constraints: {wrist: -3.0}}\n");
  const JointMotion path =
      readPlannedMotion(folder_.write("w.txt", "3.0\n-3.0\n"), problem, std::nullopt);
  EXPECT_NEAR(path.motion.trajectory.hermite()->positions()(0, 1), 2 * std::numbers::pi - 3.0,
              1e-12);
}

/// Half a megabyte once took gigabytes: every document with as many empty lines before it.
TEST(MotionDocument, IsTheLastOfVeryMany) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "---\na\n";
  const JointMotion motion =
      parseMotionDocument(text + "---\n- [0, 1]\n- [2, 3]\n---\n# end\n", "m.yaml", {"a", "b"}, {});
  EXPECT_EQ(motion.motion.trajectory.hermite()->positions()(1, 1), 3.0);
  ASSERT_EQ(motion.motion.warnings.size(), 1u);
  EXPECT_NE(motion.motion.warnings[0].find("100001 messages"), std::string::npos);
  try {
    parseMotionDocument(text + "---\n- [0, 1]\n- [2, x]\n", "m.yaml", {"a", "b"}, {});
    ADD_FAILURE() << "read";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().line, 200'003);
  }
}

TEST(MotionDocument, EndsByStopped) {
  std::string rows, lines;
  for (int i = 0; i < 100'000; ++i) rows += "- [0, 1]\n", lines += "0 1\n";
  const std::vector<std::string> planned = {"a", "b"};
  const std::vector<std::function<void()>> readings = {
      [&] { parseMotionDocument(rows, "m.yaml", planned, {}); },
      [&] { parseMotionDocument(std::string(1'000'000, '\n'), "m.yaml", planned, {}); },
      [&] { parseMatrixText(lines, "m.txt", planned); },
      [&] { looksLikeMatrix(std::string(1'000'000, '\n')); },
  };
  for (std::size_t i = 0; i < readings.size(); ++i) {
    SCOPED_TRACE(i);
    int left = 2;
    const StopScope scope([&] { return left-- <= 0; });
    EXPECT_THROW(readings[i](), Stopped);
  }
}

TEST(MatrixText, IsRecognisedByItsFirstRow) {
  EXPECT_TRUE(looksLikeMatrix("# path\n\n1 2 3\n"));
  EXPECT_TRUE(looksLikeMatrix("1e-3,+2,-.5\n"));
  EXPECT_FALSE(looksLikeMatrix("time,a\n0,1\n"));
  EXPECT_FALSE(looksLikeMatrix("\n# nothing\n"));
}

}  // namespace
}  // namespace allclear
