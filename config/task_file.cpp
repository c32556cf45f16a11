// Tasks: from a file, or from text that stands for one. The sections are read here in the order in
// which they need each other; each has a reader of its own in config/task/.
#include "allclear/config/task_file.h"

#include "allclear/config/task/read_task.h"
#include "allclear/config/task/sections.h"
#include "allclear/config/values/planned_motion.h"
#include "allclear/config/values/pose.h"
#include "allclear/config/values/robot_filter.h"
#include "allclear/config/values/scene.h"
#include "allclear/config/values/sdf_scene.h"
#include "allclear/config/values/units.h"
#include "allclear/core/file.h"
#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/core/text/value_tree.h"
#include "allclear/planner/timing.h"

namespace allclear {
namespace {

const std::vector<std::string> kTaskKeys = {
    "name",        "robot",     "group_name",  "joints",
    "start_state", "goal",      "waypoints",   "path_constraints",
    "scene",       "collision", "limits",      "duration",
    "objective",   "balance",   "contacts",    "solver",
    "output",      "after",     "uncertainty", "cables",
    "segments"};

std::string under(const char* section) {
  return "it belongs under '" + std::string(section) + "' (indent it)";
}

/// Keys of sections, which a wrong indentation puts at the top.
const Value::KeyAdvice kElsewhere = {{"urdf", under("robot")},
                                     {"srdf", under("robot")},
                                     {"package_map", under("robot")},
                                     {"base", under("robot")},
                                     {"soft_limits", under("robot")},
                                     {"group_state", under("start_state' or 'goal")},
                                     {"joint_state", under("start_state")},
                                     {"joint_constraints", under("goal")},
                                     {"pose", under("goal")},
                                     {"poses", under("goal")},
                                     {"collision_objects", under("scene")},
                                     {"attached", under("scene")},
                                     {"margin", under("collision")},
                                     {"pair_margins", under("collision")},
                                     {"allowed", under("collision")},
                                     {"geometry", under("collision")},
                                     {"acceleration", under("limits")},
                                     {"jerk", under("limits")},
                                     {"torque", under("limits")},
                                     {"time_limit", under("solver")},
                                     {"attempts", under("solver")},
                                     {"seed", under("solver")},
                                     {"threads", under("solver")},
                                     {"improve", under("solver")},
                                     {"csv", under("output")},
                                     {"report", under("output")},
                                     {"certificate", under("output")},
                                     {"proof", under("output")},
                                     {"ros2", under("output")},
                                     {"rate", under("output")}};

/// The scene section of a task: a file, objects of the task's own, or both.
class SceneSection {
 public:
  SceneSection(const Value& task, const std::filesystem::path& task_path, InputFiles& files)
      : section_(task.find("scene")), task_path_(task_path), files_(files) {
    if (!section_) return;
    section_->only({"file", "pose", "collision_objects", "attached"});
    if (const auto name = section_->find("file")) {
      file_path_ = files_.find(*name);
      file_name_ = name->text();
      is_sdf_ = isSdfWorld(file_path_);
      // Read from here, as its name is relative to the task; what it names is to itself.
      if (is_sdf_) {
        sdf_ = files_.contentOf(file_path_, file_name_);
      } else {
        file_ = files_.document(file_path_, file_name_);
      }
    }
  }

  JointValues robotState(Problem& problem) const {
    return file_
               ? readSceneState(*file_, *problem.robot, problem.warnings, problem.scene_assumptions)
               : JointValues{};
  }

  void read(Frames& frames, Problem& problem) {
    Scene scene;
    SceneContext context{*problem.robot, frames, files_, scene};
    const auto pose = section_ ? section_->find("pose") : std::nullopt;
    if (pose && !is_sdf_) {
      section_->failAtKey("pose", "places an SDF world; objects of other scenes have their own");
    }
    if (file_ || is_sdf_) files_.moveTo(file_path_, file_name_ + ": ");
    if (is_sdf_) {
      readSdfScene(sdf_, file_path_, pose ? readPose(*pose) : Pose(), context);
    } else if (file_) {
      readScene(*file_, context);
    }
    files_.moveTo(task_path_);
    if (section_) readOwnPart(context);
    filterRobot(context);
    problem.obstacles = std::move(scene.obstacles);
    problem.attached = std::move(scene.attached);
    problem.collision.allowed_by_scene = std::move(scene.allowed);
    for (std::string& warning : scene.warnings) problem.warnings.push_back(std::move(warning));
    for (std::string& read : scene.assumptions) {
      problem.scene_assumptions.push_back(std::move(read));
    }
  }

 private:
  void readOwnPart(SceneContext& context) {
    if (const auto list = section_->find("collision_objects")) readCollisionObjects(*list, context);
    if (const auto list = section_->find("attached")) readAttached(*list, context);
  }

  std::optional<Value> section_;
  std::filesystem::path task_path_;
  InputFiles& files_;
  std::string file_name_;
  std::filesystem::path file_path_;
  std::optional<Value> file_;
  std::string sdf_;
  bool is_sdf_ = false;
};

/// Says of each mesh with holes or open parts what stands for it.
void warnOfMeshes(Problem& problem) {
  for (const MeshStance& mesh : meshStances(problem)) {
    if (mesh.is_faultless) continue;
    problem.warnings.push_back("'" + mesh.body + "': mesh of " + std::to_string(mesh.triangles) +
                               " triangles: " + mesh.closedness + "; it stands for " +
                               mesh.stands_for + " (collision.open_meshes)");
  }
}

/// The value of a task that a finding of `validate` is about, by the finding's name: "goal:
/// velocity of joint 'elbow'", "obstacle 'wall'", "collision: tolerance". Nothing where it has
/// none.
std::optional<Value> valueAt(const Value& task, const std::string& what) {
  const std::size_t quote = what.find('\'');
  const std::string name =
      quote == std::string::npos ? "" : what.substr(quote + 1, what.rfind('\'') - quote - 1);
  const auto within = [](std::optional<Value> value, std::string_view key) {
    return value && value->isMap() ? value->find(key) : std::nullopt;
  };
  // Rates stand under the names of joints, obstacles in a list, all else under its section.
  for (const char* end : {"start", "goal"}) {
    for (const char* rate : {"velocity", "acceleration"}) {
      if (!what.starts_with(std::string(end) + ": " + rate + " of joint")) continue;
      const char* section = end[0] == 's' ? "start_state" : "goal";
      return within(within(task.find(section), rate), name);
    }
  }
  if (what.starts_with("obstacle '")) {
    const auto list = within(task.find("scene"), "collision_objects");
    if (!list || !list->isList()) return std::nullopt;
    for (const Value& object : list->items()) {
      const auto id = within(object, "id");
      if (id && id->isScalar() && id->text() == name) return id;
    }
  }
  const std::size_t colon = what.find(": ");
  return colon == std::string::npos
             ? std::nullopt
             : within(task.find(what.substr(0, colon)), what.substr(colon + 2));
}

/// Refuses what only shows when all sections are read, such as a velocity beyond a scaled limit.
void requireValid(const Value& task, const Problem& problem) {
  const std::vector<Finding> findings = validate(problem);
  if (findings.empty()) return;
  const Finding& finding = findings[0];
  if (const auto value = valueAt(task, finding.what)) {
    value->fail(finding.message.substr(finding.what.size() + 2));
  }
  throw InputError({problem.source_file, 0, "", ""}, finding.message);
}

}  // namespace

Task loadTask(const std::filesystem::path& path, const TaskOptions& options) {
  return readTask(path, {.load_visuals = options.load_visuals,
                         .covers = options.covers,
                         .solver_read = options.solver_read,
                         .allow_segments = options.allow_segments});
}

Task parseTask(std::string_view text, const std::filesystem::path& path,
               const TaskOptions& options) {
  return readTask(path, {.load_visuals = options.load_visuals,
                         .text = std::string(text),
                         .covers = options.covers,
                         .solver_read = options.solver_read,
                         .allow_segments = options.allow_segments});
}

/// Sections are read in the order in which they need each other: robot, group, start, scene,
/// targets, settings.
Task readTask(const std::filesystem::path& path, const TaskReading& options) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  InputFiles files({}, path);
  files.useCache(options.cache);
  files.recordFiles(options.files_read);
  const Value task =
      options.text ? files.documentOf(*options.text, path, "task") : files.document(path, "task");
  task.only(kTaskKeys, kElsewhere);
  if (task.has("segments") && !options.allow_segments) {
    task.failAtKey("segments",
                   "a sequence of motions is for `allclear plan`, `check`, `certify`, `report`, "
                   "`batch`, `ik`, `fk` and `distance` (plan_sequence in Python), not for this");
  }
  // The task says where packages are: only then other files can be found.
  files.usePackages(readPackageMap(task, folder), path);
  files.useOpenMeshes(readOpenMeshesOf(task));
  files.keepCoversIn(options.covers);

  Task loaded;
  loaded.options = readSolver(task);
  if (options.solver_read) options.solver_read(loaded.options);
  Problem& problem = loaded.problem;
  problem.source_file = path.string();
  if (const auto name = task.find("name")) problem.name = name->text();
  const auto output = task.find("output");
  const bool has_report = output && output->isMap() && output->has("report");
  readRobot(task, files, options.load_visuals || has_report, problem);
  readGroup(task, problem);
  SceneSection scene(task, path, files);
  readStart(task, scene.robotState(problem), problem);
  projectStartAsAsked(task, problem);
  Frames frames(*problem.robot, problem.start);
  scene.read(frames, problem);
  if (task.has("segments")) {
    problem.goal = JointTarget{problem.planned, problem.plannedPart(problem.start)};
  } else {
    readGoal(task, frames, problem);
  }
  readWaypoints(task, frames, problem);
  readPathConstraints(task, frames, problem);
  readCollision(task, problem);
  warnOfMeshes(problem);
  readUncertainty(task, problem);
  readLimits(task, problem);
  readDuration(task, problem);
  readAfter(task, problem);
  readObjective(task, problem);
  readContacts(task, problem);
  readBalance(task, problem);
  readCables(task, problem);
  loaded.output = readOutput(task, *problem.robot);
  problem.source_sha256 = files.sha256();
  settleContacts(problem);
  chooseNearestTurns(problem);
  readSegments(task, frames, problem, &loaded.sequence);
  requireValid(task, problem);
  if (loaded.sequence) requireSegments(*loaded.sequence);
  return loaded;
}

namespace {

/// What moves by itself has a clock of its own: a motion of the robot must not be shifted against
/// it.
void requireSameClock(const std::filesystem::path& path, const Problem& problem,
                      const NamedTrajectory& motion) {
  if (motion.first_time == 0.0) return;
  for (const Obstacle& obstacle : problem.obstacles) {
    if (!obstacle.moves()) continue;
    throw InputError(
        {path.string(), 2, "time", formatted("%.9g", motion.first_time)},
        "the times start here, but '" + obstacle.id +
            "' moves by its own clock, which starts at 0: count the times of this file "
            "from 0, and shift the motions of the scene with them");
  }
}

}  // namespace

NamedTrajectory loadTrajectory(const std::filesystem::path& path, const Problem& problem,
                               std::optional<Interpolation> interpolation) {
  if (path.extension() == ".proof") {
    throw InputError(
        {path.string(), 0, "", ""},
        "is a proof: give the trajectory (.csv, .json, .yaml) that was written with it");
  }
  JointMotion found = readPlannedMotion(path, problem, interpolation);
  for (std::string& warning : unitWarnings(found.motion, problem)) {
    found.motion.warnings.push_back(path.string() + ": " + warning);
  }
  if (found.is_timed) {
    requireSameClock(path, problem, found.motion);
    return std::move(found.motion);
  }
  // Each row once: what repeats it would be a rest of its own.
  const MatX& rows = found.motion.trajectory.hermite()->positions();
  std::vector<VecX> corners{rows.col(0)};
  for (Eigen::Index i = 1; i < rows.cols(); ++i) {
    if (rows.col(i) != corners.back()) corners.emplace_back(rows.col(i));
  }
  if (corners.size() < 2) throw InputError({path.string(), 0, "", ""}, "the path stands still");
  found.motion.trajectory = restingAtCorners(problem, corners);
  found.motion.warnings.push_back(
      path.string() +
      " has no times: read as straight lines from row to row that rest at every row, as fast as "
      "the limits allow (`allclear retime` makes a motion of it)");
  found.motion.assumptions.push_back(
      "times: none in the file; it is read as straight lines from row to row, with a rest at every "
      "row, as fast as the limits allow");
  return std::move(found.motion);
}

NamedTrajectory loadPath(const std::filesystem::path& path, const Problem& problem) {
  return readPlannedMotion(path, problem, std::nullopt).motion;
}

}  // namespace allclear
