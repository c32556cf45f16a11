// Tasks, scenes and motions over a robot that is given, and certificates of a plan: whatever the
// bytes of a certificate, one that is called valid is of a motion that certifies again.
#include "allclear/config/scene_file.h"
#include "allclear/config/task/read_task.h"
#include "allclear/config/task_file.h"
#include "allclear/config/values/input_cache.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/retime.h"
#include "allclear/robot_models/load_robot.h"
#include "fuzz/targets.h"
#include "support/temporary_folder.h"

namespace allclear::fuzz {
namespace {

namespace fs = std::filesystem;

/// A small robot, without meshes, in a folder of its own.
const test::TemporaryFolder& robotFolder(const fs::path& source) {
  static const test::TemporaryFolder folder;
  static const bool is_ready = [&] {
    for (const char* file : {"arm.urdf", "arm.srdf", "scene.yaml", "agv.csv", "statue.obj"}) {
      folder.write(file, readFile(source / "tests/config/robot" / file));
    }
    for (const auto& [name, content] : smallFiles()) folder.write(name, content);
    return true;
  }();
  require(is_ready, "the robot's files are there");
  return folder;
}

/// The robot is read once, or most of the time would go into that.
void readTask(std::string_view text, const fs::path& source) {
  static InputCache cache;
  const fs::path file = robotFolder(source).path() / "task.yaml";
  const Task task = allclear::readTask(
      file, {.text = std::string(text), .cache = &cache, .allow_segments = true});
  require(validate(task.problem).empty(), "a task that is read is valid");
}

void readScene(std::string_view text, const fs::path& source) {
  const test::TemporaryFolder& folder = robotFolder(source);
  static const RobotModel robot =
      loadRobot({.urdf = folder.path() / "arm.urdf", .srdf = folder.path() / "arm.srdf"});
  loadScene(written(folder.path() / "a_scene.yaml", text), robot, VecX::Zero(robot.dimension()));
}

/// A short motion of the small arm, and its certificate.
struct Certified {
  explicit Certified(const fs::path& source) {
    const char kTask[] =
        "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
        "start_state: {group_state: ready}\ngoal: {group_state: folded}\n"
        "solver: {time_limit: 60, improve: none, spans: 8}\n";
    const Task task = loadTask(robotFolder(source).write("certified.yaml", kTask));
    problem = task.problem;
    plan = allclear::plan(task.problem, task.options);
    require(plan.status == PlanStatus::kCertified, "the seed's own plan is certified");
    text = formatCertificateJson(*plan.certificate);
  }
  Problem problem;
  Plan plan;
  std::string text;
};

const Certified& certified(const fs::path& source) {
  static const Certified kOne(source);
  return kOne;
}

void readCertificate(std::string_view text, const fs::path& source) {
  const Certified& seed = certified(source);
  const Certificate certificate = parseCertificateJson(text, "x.json");
  if (!verifyCertificate(seed.problem, certificate).valid) return;
  const NamedTrajectory& motion = certificate.trajectory;
  require(certify(seed.problem, motion.trajectory, motion.wrenchCurve()).clear,
          "a certificate that is valid is of a motion that certifies");
}

/// The first byte chooses the kind of file, as its name's ending would.
fs::path writtenMotion(std::string_view input, const fs::path& source) {
  static const char* const kNames[] = {"m.csv", "m.yaml", "m.json", "m.txt"};
  const auto choice = input.empty() ? 0U : static_cast<unsigned char>(input[0]) % 4U;
  return written(robotFolder(source).path() / kNames[choice], input.substr(input.empty() ? 0 : 1));
}

void readPlannedMotion(std::string_view input, const fs::path& source) {
  const Problem& problem = certified(source).problem;
  const NamedTrajectory motion = loadTrajectory(writtenMotion(input, source), problem);
  require(motion.trajectory.duration() > 0.0, "a motion takes time");
  require(motion.joint_names.size() == static_cast<std::size_t>(problem.plannedCount()),
          "a motion is of the planned joints");
}

/// Of a short path: what is certified is a motion that certifies again.
void retimePath(std::string_view input, const fs::path& source) {
  constexpr Eigen::Index kMostRows = 8;
  const Problem& problem = certified(source).problem;
  const NamedTrajectory path = loadPath(writtenMotion(input, source), problem);
  const HermiteCurve* rows = path.trajectory.hermite();
  if (rows == nullptr || rows->positions().cols() > kMostRows) return;
  const RetimedPath done = retime(problem, path.trajectory, {.rounds = 2});
  if (done.status != RetimeStatus::kCertified) return;
  require(certify(problem, *done.trajectory).clear, "a motion that is certified certifies again");
}

const char kTaskHead[] =
    "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\nstart_state: {group_state: "
    "ready}\n";
const char kSegments[] =
    "scene:\n  collision_objects:\n"
    "    - {id: part, type: box, dimensions: [0.05, 0.05, 0.05], pose: {position: [2, 2, 1]}}\n"
    "segments:\n"
    "  - {name: reach, goal: {group_state: folded}, duration: {max: 9}, "
    "limits: {max_velocity_scaling_factor: 0.5}}\n"
    "  - {name: close, group_name: gripper, goal: {joint_constraints: {finger: 0.02}}, "
    "lands: [[left_finger, part]]}\n"
    "  - {attach: part, link: hand, touch_links: [left_finger, right_finger], mass: 0.2}\n"
    "  - {name: lift, goal: {joint_constraints: {lift: 0.2}}, leaves: [[part, column]], "
    "path_constraints: [{link: hand, keep_axis: x, tolerance: 3}]}\n"
    "  - {detach: part}\n"
    "  - {name: open, group_name: gripper, goal: {group_state: open}, waypoints: "
    "[{joint_constraints: {finger: 0.03}}], objective: {duration: 1}}\n";
const char kClouds[] =
    "goal: {group_state: folded}\nscene:\n  collision_objects:\n"
    "    - {id: a, type: point_cloud, file: scan.pcd, radius: 0.01, scale: 2, filter_robot: 0.1}\n"
    "    - {id: b, type: point_cloud, file: scan.ply, radius: 0.01, pose: {position: [9, 0, 0]}}\n"
    "    - {id: c, type: point_cloud, points: [[3, 0, 0], [3, 1, 0]], radius: 0.01}\n"
    "    - {id: d, type: octree, file: map.bt, unknown: occupied, pose: {position: [0, 9, 0]}}\n"
    "    - {id: e, type: octree, file: map.ot, occupancy: 0.7, pose: {position: [9, 0, 0]}}\n"
    "    - {id: f, type: height_map, file: heights.csv, resolution: 0.1, base: -9.5, offset: -9}\n"
    "    - {id: g, type: height_map, file: depth.pgm, size: [1, 2], scale: 0.001, pose: "
    "{position: [0, 0, -9]}}\n"
    "    - {id: h, type: depth_image, file: depth.pgm, intrinsics: {fx: 5, fy: 5, cx: 1, cy: 1}, "
    "depth_scale: 0.1, stride: 1, min: 0.1, max: 30, radius: 0.01, pose: {position: [0, 9, 0]}}\n"
    "    - {id: i, type: mesh_sequence, file: sheet_%d.obj, rate: 10}\n";
const char kOctomap[] =
    "world:\n  octomap:\n    header: {frame_id: base_link}\n"
    "    origin: {position: {x: 3, y: 0, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 1}}\n"
    "    octomap: {header: {frame_id: base_link}, binary: true, id: OcTree, resolution: 0.1, "
    "data: [2, -128]}\n";

/// Paths of the certified plan's joints, each after the byte that chooses its kind.
std::vector<std::string> pathSeeds(const fs::path& source) {
  const VecX& from = certified(source).problem.start;
  const std::string start = "0.1, 0, 0.5, 0", end = "0, -1, 2, 0", middle = "0.05, -0.5, 1, 0.1";
  require(from.size() > 4, "the arm has a gripper");
  const std::string names = "[lift, shoulder, elbow, wrist]";
  return {std::string(1, '\3') + start + "\n" + middle + "\n" + end + "\n",
          std::string(1, '\0') + "lift,shoulder,elbow,wrist\n" + start + "\n" + end + "\n",
          std::string(1, '\1') + "joint_names: " + names + "\npositions: [[" + start + "], [" +
              end + "]]\n",
          std::string(1, '\2') + "[[" + start + "], [" + middle + "], [" + end + "]]",
          std::string(1, '\1') + "joint_names: " + names + "\npoints:\n- {positions: [" + start +
              "], velocities: [0, 0, 0, 0], "
              "time_from_start: {secs: 0, nsecs: 0}}\n- {positions: [" +
              end + "], velocities: [0, 0, 0, 0], time_from_start: {secs: 3, nsecs: 0}}\n"};
}

}  // namespace

std::vector<Target> taskTargets(const fs::path& source) {
  return {
      {"task",
       [source](std::string_view text) { readTask(text, source); },
       {"tests/config/robot/full.yaml"},
       {kTaskHead + std::string(kClouds),
        kTaskHead + std::string("goal: {group_state: folded}\nscene: {file: world.sdf}\n")}},
      {"segments",
       [source](std::string_view text) { readTask(text, source); },
       {},
       {kTaskHead + std::string(kSegments)}},
      {"scene",
       [source](std::string_view text) { readScene(text, source); },
       {"tests/config/robot/scene.yaml"},
       {kOctomap}},
      {"planned_motion",
       [source](std::string_view input) { readPlannedMotion(input, source); },
       {},
       pathSeeds(source)},
      {"retime",
       [source](std::string_view input) { retimePath(input, source); },
       {},
       pathSeeds(source)},
      {"certificate",
       [source](std::string_view text) { readCertificate(text, source); },
       {},
       {certified(source).text}},
  };
}

}  // namespace allclear::fuzz
