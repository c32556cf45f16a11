#include "allclear/apps/trajectory_options.h"

#include <filesystem>
#include <iostream>
#include <map>

#include "allclear/apps/command_checks.h"
#include "allclear/core/input_error.h"
#include "allclear/exports/output_files.h"

namespace allclear {
namespace {

constexpr double kWidestTube = 1e9;  // [rad; m]: as far as any coordinate may be

}  // namespace

void TrajectoryOptions::addTo(CLI::App& command) {
  command.add_option("task", task_, "the task that it is to fulfil")
      ->required()
      ->type_name("TASK.yaml");
  command.add_option("trajectory", trajectory_, "the trajectory: .csv, .json, or ROS 2's .yaml")
      ->required()
      ->type_name("TRAJ");
  tube_ = command
              .add_option("--tube", tube_width_,
                          "also find how far every joint may stray; with a number: it must be so "
                          "far with the margins kept [rad; m for slides]")
              ->type_name("WIDTH")
              ->expected(0, 1)
              ->check(numberBetween(0.0, kWidestTube));
  command
      .add_option("--interpolation", interpolation_,
                  "how the robot moves between the rows; as-sent: as ROS 2's joint trajectory "
                  "controller does with the columns that are there")
      ->check(CLI::IsMember({"as-sent", "linear", "cubic", "quintic"}))
      ->type_name("HOW")
      ->capture_default_str();
  command
      .add_option("--limit-tolerance", limit_tolerance_,
                  "by how much limits may be exceeded, relative to their size")
      ->check(numberBetween(0.0, 0.1))
      ->capture_default_str();
  cache_.addTo(command);
}

std::optional<Interpolation> TrajectoryOptions::interpolation() const {
  static const std::map<std::string, Interpolation> kMethods{{"linear", Interpolation::kLinear},
                                                             {"cubic", Interpolation::kCubic},
                                                             {"quintic", Interpolation::kQuintic}};
  const auto found = kMethods.find(interpolation_);
  return found == kMethods.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Task> TrajectoryOptions::readSequenceTask(TaskOptions options) const {
  const std::filesystem::path path(trajectory_);
  const bool is_sequence = std::filesystem::is_directory(path) || path.filename() == kSequenceFile;
  if (!is_sequence) return std::nullopt;
  options.covers = cache_.covers();
  options.allow_segments = true;
  Task task = loadTask(task_, options);
  for (const std::string& warning : task.problem.warnings) {
    std::cerr << "warning: " << warning << "\n";
  }
  if (!task.sequence) {
    throw InputError({task_, 0, "segments", ""},
                     "is missing: " + trajectory_ + " is the plan of a task with segments");
  }
  return task;
}

/// Warnings go to stderr, so that the output stays clean for programs.
TaskAndTrajectory TrajectoryOptions::read(TaskOptions options) const {
  options.covers = cache_.covers();
  Problem problem = loadTask(task_, options).problem;
  NamedTrajectory trajectory = loadTrajectory(trajectory_, problem, interpolation());
  for (const auto* warnings : {&problem.warnings, &trajectory.warnings}) {
    for (const std::string& warning : *warnings) std::cerr << "warning: " << warning << "\n";
  }
  return {std::move(problem), std::move(trajectory)};
}

CertificateOptions TrajectoryOptions::certificateOptions(const NamedTrajectory& trajectory) const {
  CertificateOptions options = certificateOptions();
  options.reading = trajectory.assumptions;
  return options;
}

CertificateOptions TrajectoryOptions::certificateOptions() const {
  CertificateOptions options;
  options.limits.limit_tolerance = limit_tolerance_;
  options.cover.widest_tube = tube_ != nullptr && tube_->count() > 0;
  return options;
}

}  // namespace allclear
