// Motions and paths as other software writes them, read for a task.
#include "allclear/config/values/planned_motion.h"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "allclear/config/values/beside_planned.h"
#include "allclear/config/values/motion_documents.h"
#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/exports/output_files.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/file_assumptions.h"
#include "allclear/planner/problem/derived_base.h"
#include "allclear/planner/problem/settle.h"
#include "allclear/trajectories/trajectory_files.h"
#include "config/task_fixture.h"
#include "support/biped.h"

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
  EXPECT_TRUE(read("h.csv", csv("finger", "0.0200000004")).motion.warnings.size() == 1);  // linear
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

TEST_F(PlannedMotion, HeldJointsAreWhereTheyAreHeldOrWithinTheUncertainty) {
  const std::string near = "time,shoulder,wrist,elbow\n0,0,0,0.5\n1,0.5,0.0009,0\n";
  // A thousandth of a radian is a millimetre at the end of an arm.
  const std::string said = errorOf("h.csv", near);
  EXPECT_NE(said.find("'wrist'"), std::string::npos) << said;
  EXPECT_NE(said.find("up to 0.0009 away"), std::string::npos) << said;
  EXPECT_NE(said.find("uncertainty.joints"), std::string::npos) << said;
  problem_.uncertainty.joints = VecX::Zero(problem_.robot->dimension());
  problem_.uncertainty.joints[problem_.robot->findCoordinate("wrist")] = 0.0008;
  EXPECT_NE(errorOf("h.csv", near), "accepted");
  problem_.uncertainty.joints[problem_.robot->findCoordinate("wrist")] = 0.001;
  const NamedTrajectory accepted = read("h.csv", near).motion;
  EXPECT_EQ(accepted.joint_names, plannedNames(problem_));
  // What the file takes of the uncertainty is not left for the robot.
  ASSERT_EQ(accepted.assumptions.size(), 1U);
  EXPECT_EQ(
      accepted.assumptions[0],
      "joint 'wrist' is up to 0.0009 off where the task holds it, which counts as part of its "
      "uncertainty");
}

TEST_F(PlannedMotion, JointsThatFollowMustBeWhereTheyFollow) {
  // The mirrored finger goes with the finger, which is held at 0.02.
  const auto csv = [](const std::string& name, const std::string& value) {
    return "time,shoulder," + name + ",elbow\n0,0," + (name == "tip_mount" ? "0" : "0.02") +
           ",0.5\n1,0.5," + value + ",0\n";
  };
  EXPECT_EQ(read("m.csv", csv("finger_mirror", "0.0200000001")).motion.warnings.size(), 1u);
  const std::string said = errorOf("m.csv", csv("finger_mirror", "0.021"));
  EXPECT_NE(said.find("m.csv:3"), std::string::npos) << said;
  EXPECT_NE(said.find("finger_mirror = 0.021"), std::string::npos) << said;
  EXPECT_NE(said.find("joint 'finger', which put it at 0.02"), std::string::npos) << said;
  EXPECT_NE(errorOf("m.csv", csv("finger_mirror", "nan")), "accepted");
  EXPECT_NE(errorOf("m.csv", csv("tip_mount", "0.1")).find("the URDF"), std::string::npos);
  // Of messages the point is named, and rates count as well.
  const auto message = [](double mirror, double rate) {
    return "joint_names: [shoulder, elbow, finger_mirror]\npoints:\n"
           "- {positions: [0, 0.5, 0.02], velocities: [0, 0, 0], time_from_start: {sec: 0, "
           "nanosec: 0}}\n- {positions: [0.5, 0, " +
           std::to_string(mirror) + "], velocities: [0, 0, " + std::to_string(rate) +
           "], time_from_start: {sec: 1, nanosec: 0}}\n";
  };
  EXPECT_EQ(errorOf("m.yaml", message(0.02, 0.0)), "accepted");
  EXPECT_NE(errorOf("m.yaml", message(0.03, 0.0)).find("point 2"), std::string::npos);
  EXPECT_NE(errorOf("m.yaml", message(0.02, 0.1)).find("finger_mirror_velocity"),
            std::string::npos);
  // A leader that is planned itself.
  problem_ = test::loadText(
      "robot: arm.urdf\njoints: [finger]\n"
      "start_state: {lift: 0.1, shoulder: 0.0, elbow: 0.5, wrist: 0.0, finger: 0.02}\n"
      "goal: {joint_constraints: {finger: 0.03}}\n");
  const std::string good = "time,finger,finger_mirror\n0,0.02,0.02\n1,0.03,0.03\n";
  EXPECT_EQ(errorOf("f.csv", good), "accepted");
  EXPECT_NE(errorOf("f.csv", "time,finger,finger_mirror\n0,0.02,0.02\n1,0.03,0.02\n")
                .find("put it at 0.03"),
            std::string::npos);
  EXPECT_NE(errorOf("f.csv", "finger,finger_mirror\n0.02,0.02\n0.03,0.02\n"), "accepted");
}

TEST_F(PlannedMotion, TimesUnderAnotherNameMakeNoPath) {
  for (const char* name : {"t", "Time", "time_from_start", "Time [s]", "stamp"}) {
    const std::string csv = std::string(name) + ",shoulder,elbow\n0,0,0.5\n1,0.5,0\n";
    EXPECT_NE(errorOf("t.csv", csv).find("did you mean 'time'?"), std::string::npos) << name;
  }
  EXPECT_NE(errorOf("t.csv", "zeit,shoulder,elbow\n0,0,0.5\n1,0.5,0\n").find("name it 'time'"),
            std::string::npos);
  EXPECT_NE(errorOf("t.yaml",
                    "joint_names: [t, shoulder, elbow]\npositions: [[0, 0, 0.5], [1, "
                    "0.5, 0]]\n")
                .find("did you mean 'time'?"),
            std::string::npos);
}

TEST_F(PlannedMotion, MissingAndShiftedTimesAreAssumptions) {
  const NamedTrajectory path =
      loadTrajectory(folder_.write("p.csv", "shoulder,elbow\n0,0.5\n0.5,0\n"), problem_);
  ASSERT_EQ(path.assumptions.size(), 1u);
  EXPECT_TRUE(path.assumptions[0].starts_with("times: none in the file;"));
  const auto file = folder_.write("s.csv", "time,shoulder,elbow\n5,0,0.5\n6,0.5,0\n");
  const NamedTrajectory late = loadTrajectory(file, problem_);
  EXPECT_EQ(late.first_time, 5.0);
  ASSERT_EQ(late.assumptions.size(), 1u);
  EXPECT_NE(late.assumptions[0].find("start at 5 s"), std::string::npos);
  EXPECT_TRUE(
      loadTrajectory(folder_.write("z.csv", "time,shoulder,elbow\n0,0,0.5\n6,0.5,0\n"), problem_)
          .assumptions.empty());

  // The certificate says so, and one that does not is refused.
  ASSERT_EQ(fileAssumptions(problem_, {{}, {}, late.assumptions}).size(), 1u);
  const CertificateOptions options{{}, {}, late.assumptions};
  Certificate certificate = certify(problem_, late.trajectory, options);
  EXPECT_NE(assumptionsInBrief(certificate).find("times: they start at 5 s"), std::string::npos);
  certificate.clear = true;
  const auto differs = [&](const CertificateOptions& with) {
    return verifyCertificate(problem_, certificate, with).message.find("assumptions") !=
           std::string::npos;
  };
  EXPECT_FALSE(differs(options));
  EXPECT_FALSE(differs({}));
  std::erase_if(certificate.assumptions,
                [](const Assumption& assumption) { return assumption.kind == "trajectory file"; });
  EXPECT_TRUE(differs(options));

  // Against an obstacle with a clock of its own nothing is shifted.
  problem_.obstacles.emplace_back();
  problem_.obstacles.back().id = "cart";
  problem_.obstacles.back().motion = {{0.0, Pose()}, {1.0, {Mat3::Identity(), Vec3(1, 0, 0)}}};
  try {
    loadTrajectory(file, problem_);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'cart' moves by its own clock"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(loadPath(file, problem_).first_time, 5.0);  // of a path times do not matter
}

TEST(DerivedColumns, OfABaseMustBeWhereTheJointsCarryIt) {
  const Problem problem = standOn(test::bipedProblem());
  const test::TaskFolder folder;
  const std::vector<std::string> names = derivedBaseNames(problem);
  ASSERT_EQ(names.size(), 6u);
  const VecX start = problem.plannedPart(problem.start);
  const VecX base = derivedBase(problem, start);
  const auto csv = [&](double off, int at) {
    std::string header = "time", row;
    for (const std::string& name : plannedNames(problem)) header += "," + name;
    for (const std::string& name : names) header += "," + name;
    for (int k = 0; k < start.size(); ++k) row += "," + formatted("%.17g", start[k]);
    for (int k = 0; k < 6; ++k) {
      row += "," + formatted("%.17g", base[k] + (k == at ? off : 0.0));
    }
    return header + "\n0" + row + "\n1" + row + "\n";
  };
  const auto errorOf = [&](double off, int at) -> std::string {
    try {
      readPlannedMotion(folder.write("b.csv", csv(off, at)), problem, std::nullopt);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  for (int k = 0; k < 6; ++k) {
    EXPECT_EQ(errorOf(1e-7, k), "accepted");
    const std::string said = errorOf(0.01, k);
    EXPECT_NE(said.find("b.csv:2"), std::string::npos) << said;
    EXPECT_NE(said.find(names[static_cast<std::size_t>(k)] + " = "), std::string::npos) << said;
  }
  EXPECT_EQ(errorOf(2.0 * std::numbers::pi, 5), "accepted");
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
