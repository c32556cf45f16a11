// Motions and paths of joints, as this project and others write them.
#include "allclear/config/values/motion_documents.h"
#include "allclear/core/input_error.h"
#include "allclear/trajectories/trajectory_files.h"
#include "fuzz/targets.h"

namespace allclear::fuzz {
namespace {

const char kRows[] =
    "time,a,b,a_velocity,b_velocity,a_acceleration,b_acceleration\n"
    "0,0.1,-0.2,0,0,0,0\n0.5,0.4,1e-3,0.3,-0.2,1,2\n1.25,0.5,0.25,0,0,0,0\n";
const char kSpline[] =
    "{\"format\": \"allclear_trajectory\", \"version\": 1, \"type\": \"bspline\",\n"
    " \"joint_names\": [\"a\"], \"duration\": 2.0, \"degree\": 2,\n"
    " \"normalized_knots\": [0, 0, 0, 0.5, 1, 1, 1],\n"
    " \"control_points\": [[0.1], [0.2], [0.35], [0.4]]}\n";
const char kRos2[] =
    "joint_names: [a, b]\npoints:\n"
    "- {positions: [0, 1], velocities: [0, 0], time_from_start: {sec: 0, nanosec: 0}}\n"
    "- {positions: [0.5, 1.5], velocities: [0, 0], time_from_start: {sec: 1, nanosec: "
    "500000000}}\n";
const char kRos1[] =
    "---\nheader: {seq: 0, stamp: {secs: 0, nsecs: 0}, frame_id: ''}\njoint_names: [a, b]\n"
    "points:\n- {positions: [0, 1], time_from_start: {secs: 0, nsecs: 0}}\n"
    "- {positions: [0.5, 1.5], time_from_start: {secs: 1, nsecs: 5}}\n---\n";
const char kMoveIt[] =
    "trajectory:\n- joint_trajectory:\n    joint_names: [a, b]\n    points:\n"
    "    - {positions: [0, 1], velocities: [0, 0], accelerations: [0, 0], effort: [], "
    "time_from_start: {sec: 0, nanosec: 0}}\n"
    "    - {positions: [0.5, 1.5], velocities: [0, 0], accelerations: [0, 0], effort: [], "
    "time_from_start: {sec: 2, nanosec: 0}}\n"
    "  multi_dof_joint_trajectory: {joint_names: [], points: []}\n";
const char kNested[] = "{\"joint_names\": [\"a\", \"b\"], \"path\": [[0, 1], [0.5, 1.5], [1, 2]]}";
const char kRowList[] = "- [0, 1]\n- [0.5, 1.5]\n---\n- [0, 1]\n- [0.5, 1.25]\n";

/// What was read from a trajectory file is written, and read again: the same to the bit.
void requireRoundTrip(const NamedTrajectory& read) {
  const std::string json = formatTrajectoryJson(read);
  const NamedTrajectory again = parseTrajectoryJson(json, "again.json");
  require(formatTrajectoryJson(again) == json, "JSON of a trajectory reads back to the bit");
  const HermiteCurve* rows = read.trajectory.hermite();
  if (rows == nullptr) return;
  std::string csv;
  try {
    csv = formatTrajectoryCsv(*rows, read.joint_names);
  } catch (const InputError&) {
    return;  // names that no column can have
  }
  const NamedTrajectory from_csv = parseTrajectoryCsv(csv, "again.csv");
  require(formatTrajectoryCsv(*from_csv.trajectory.hermite(), from_csv.joint_names) == csv,
          "CSV of a trajectory reads back to the bit");
}

/// A document of ROS or MoveIt, or rows of numbers.
void readMotion(std::string_view text, const char* name) {
  const JointMotion motion = parseMotionDocument(text, name, {"a", "b"}, std::nullopt);
  require(motion.names.file == name, "errors about joints name the file");
  requireRoundTrip(motion.motion);
}

void readMatrix(std::string_view text) {
  const bool looks_like_one = looksLikeMatrix(text);
  const JointMotion motion = parseMatrixText(text, "x.txt", {"a", "b"});
  require(looks_like_one, "rows of numbers look like that");
  requireRoundTrip(motion.motion);
}

}  // namespace

std::vector<Target> trajectoryTargets() {
  return {
      {"trajectory_csv",
       [](std::string_view text) { requireRoundTrip(parseTrajectoryCsv(text, "x.csv")); },
       {},
       {kRows, "time,a\n0,1\n1,2\n"}},
      {"trajectory_json",
       [](std::string_view text) { requireRoundTrip(parseTrajectoryJson(text, "x.json")); },
       {},
       {kSpline}},
      {"trajectory_ros2",
       [](std::string_view text) { requireRoundTrip(parseJointTrajectory(text, "x.yaml")); },
       {},
       {kRos2}},
      {"motion_yaml",
       [](std::string_view text) { readMotion(text, "x.yaml"); },
       {},
       {kRos1, kMoveIt, kRos2, kRowList, "positions: [[0, 1], [2, 3]]\n"}},
      {"motion_json", [](std::string_view text) { readMotion(text, "x.json"); }, {}, {kNested}},
      {"motion_matrix", readMatrix, {}, {"# a path\n0 1\n\n0.5, +1.5\n1e-3 2\n"}},
  };
}

}  // namespace allclear::fuzz
