// Tasks: from a file, or from text that stands for one. The sections are read here in the order in
// which they need each other; each has a reader of its own in config/task/.
#include "allclear/config/task_file.h"

#include "allclear/config/task/read_task.h"
#include "allclear/config/task/sections.h"
#include "allclear/config/values/joint_trajectory.h"
#include "allclear/config/values/pose.h"
#include "allclear/config/values/robot_filter.h"
#include "allclear/config/values/scene.h"
#include "allclear/config/values/sdf_scene.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/text/value_tree.h"
#include "allclear/exports/output_files.h"

namespace allclear {
namespace {

const std::vector<std::string> kTaskKeys = {
    "name",        "robot",     "group_name",  "joints",
    "start_state", "goal",      "waypoints",   "path_constraints",
    "scene",       "collision", "limits",      "duration",
    "objective",   "balance",   "contacts",    "solver",
    "output",      "after",     "uncertainty", "cables"};

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
      if (!is_sdf_) file_ = files_.document(file_path_, file_name_);
    }
  }

  JointValues robotState(Problem& problem) const {
    return file_ ? readSceneState(*file_, *problem.robot, problem.warnings) : JointValues{};
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
      readSdfScene(file_path_, file_name_, pose ? readPose(*pose) : Pose(), context);
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

/// Refuses what only shows when all sections are read, such as a velocity beyond a scaled limit.
void requireValid(const Problem& problem) {
  const std::vector<Finding> findings = validate(problem);
  if (!findings.empty()) throw InputError({problem.source_file, 0, "", ""}, findings[0].message);
}

}  // namespace

Task loadTask(const std::filesystem::path& path, const TaskOptions& options) {
  return readTask(path, {.load_visuals = options.load_visuals, .covers = options.covers});
}

Task parseTask(std::string_view text, const std::filesystem::path& path,
               const TaskOptions& options) {
  return readTask(
      path,
      {.load_visuals = options.load_visuals, .text = std::string(text), .covers = options.covers});
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
  task.only(kTaskKeys);
  // The task says where packages are: only then other files can be found.
  files.usePackages(readPackageMap(task, folder), path);
  files.useOpenMeshes(readOpenMeshesOf(task));
  files.keepCoversIn(options.covers);

  Task loaded;
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
  readGoal(task, frames, problem);
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
  loaded.options = readSolver(task);
  loaded.output = readOutput(task);
  problem.source_sha256 = files.sha256();
  settleContacts(problem);
  chooseNearestTurns(problem);
  requireValid(problem);
  return loaded;
}

NamedTrajectory loadTrajectory(const std::filesystem::path& path, const Problem& problem,
                               std::optional<Interpolation> interpolation) {
  if (path.extension() != ".yaml" && path.extension() != ".yml") {
    return readTrajectoryFile(path, problem, interpolation);
  }
  return parseJointTrajectory(readFile(path, DocumentLimits{}.bytes), path.string(),
                              plannedNames(problem), interpolation);
}

}  // namespace allclear
