#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "allclear/exports/output_settings.h"
#include "allclear/planner/problem.h"
#include "allclear/trajectories/named_trajectory.h"

namespace allclear {

class CoverCache;
struct Sequence;

struct TaskOptions {
  /// Also read what the robot looks like, for a report. Always read when the task asks for one.
  bool load_visuals = false;
  /// Keeps convex covers of meshes from run to run; none: they are made when they are needed.
  std::shared_ptr<const CoverCache> covers;
  /// Also take tasks with `segments`; else they are refused, as they are no single problem.
  bool allow_segments = false;
};

/// A task as its file describes it: what to plan, how to solve it, and what to write.
struct Task {
  Problem problem;
  /// Of a task with `segments`; `problem` is then what they share.
  std::shared_ptr<const Sequence> sequence;
  PlanOptions options;    ///< the section `solver`
  OutputSettings output;  ///< the section `output`
};

/// Reads a task and everything that it names: robot, scene, meshes, motions. docs/task.md lists
/// every key.
///
/// Strict: an unknown key, a value of the wrong type or length, a name that the robot does not have
/// throws `InputError` with file, line, key and value, and the nearest spelling. The problem
/// passes `validate`. Doubtful but accepted input is listed in `Problem::warnings`.
Task loadTask(const std::filesystem::path& path, const TaskOptions& options = {});

/// The same from text. `path` is the name that errors give; the files that the text names are
/// looked for in its folder. It need not exist.
Task parseTask(std::string_view text, const std::filesystem::path& path,
               const TaskOptions& options = {});

/// Reads a trajectory of the task: a ROS 2 `trajectory_msgs/msg/JointTrajectory` in YAML (`.yaml`,
/// `.yml`), else as `readTrajectoryFile` does; as the curve that a controller runs, or as
/// `interpolation` says. The joints come in the order of the planned coordinates. Throws
/// `InputError`.
NamedTrajectory loadTrajectory(const std::filesystem::path& path, const Problem& problem,
                               std::optional<Interpolation> interpolation = std::nullopt);

}  // namespace allclear
