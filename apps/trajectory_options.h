#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "allclear/apps/cache_options.h"
#include "allclear/config/task_file.h"
#include "allclear/planner/certificate.h"

namespace allclear {

/// A task and a trajectory of it, as the command line names them.
struct TaskAndTrajectory {
  Problem problem;
  NamedTrajectory trajectory;
};

/// Options of every subcommand that judges a trajectory.
class TrajectoryOptions {
 public:
  void addTo(CLI::App& command);

  const std::string& trajectoryFile() const { return trajectory_; }
  /// Both files, which no output may replace.
  std::vector<std::string> files() const { return {task_, trajectory_}; }

  /// The task alone, when the trajectory is a sequence: a `sequence.json` or a folder with one.
  /// Prints warnings.
  std::optional<Task> readSequenceTask(TaskOptions options = {}) const;

  /// Reads both, and prints warnings about them. Throws `InputError`.
  TaskAndTrajectory read(TaskOptions options = {}) const;

  CertificateOptions certificateOptions() const;
  /// The same, with what the file of the trajectory left open.
  CertificateOptions certificateOptions(const NamedTrajectory& trajectory) const;

  /// Of the tube that must be clear [rad; m for slides]; 0: none in particular.
  double tubeWidth() const { return tube_width_; }

 private:
  /// None for "as-sent".
  std::optional<Interpolation> interpolation() const;

  CacheOptions cache_;
  std::string task_;
  std::string trajectory_;
  std::string interpolation_ = "as-sent";
  CLI::Option* tube_ = nullptr;
  double tube_width_ = 0.0;
  double limit_tolerance_ = CertifiedLimitOptions{}.limit_tolerance;
};

}  // namespace allclear
