#pragma once

#include <filesystem>
#include <functional>
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
  /// Sees the section `solver` before anything large is read: a time limit may count the reading.
  std::function<void(const PlanOptions&)> solver_read;
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

/// Reads a trajectory of the task, as the curve that a controller runs, or as `interpolation` says:
/// `.json` (trajectory_files.h, or a message of ROS), `.yaml`, `.yml` (ROS 1 and 2
/// `trajectory_msgs/JointTrajectory`, MoveIt's `RobotTrajectory` and `DisplayTrajectory`, as
/// `ros2 topic echo` prints them), else CSV (trajectory_files.h). The joints come in the order of
/// the planned coordinates. Files may have more joints: held ones must be where the task holds
/// them, to 1e-3 rad or m, others are ignored with a warning.
///
/// A path without times (CSV without a column `time`, lists of rows, OMPL's matrices, messages
/// whose times are all 0) moves straight from row to row and rests at each (`restingAtCorners`),
/// with a warning. Throws `InputError`.
NamedTrajectory loadTrajectory(const std::filesystem::path& path, const Problem& problem,
                               std::optional<Interpolation> interpolation = std::nullopt);

/// Reads the same files as a path, for `retime`: one without times stays a polyline, a row per
/// second, which may repeat rows.
NamedTrajectory loadPath(const std::filesystem::path& path, const Problem& problem);

}  // namespace allclear
