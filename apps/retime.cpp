// allclear retime: a certified motion along a path that comes from elsewhere.
//
// Writes the files of a plan: their certificate says too how near the motion follows the path.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "allclear/apps/assumptions_json.h"
#include "allclear/apps/cache_options.h"
#include "allclear/apps/command_checks.h"
#include "allclear/apps/command_time.h"
#include "allclear/apps/commands.h"
#include "allclear/apps/json_text.h"
#include "allclear/apps/output_options.h"
#include "allclear/config/task_file.h"
#include "allclear/core/file.h"
#include "allclear/exports/output_files.h"
#include "allclear/exports/report.h"
#include "allclear/planner/retime.h"

namespace allclear {
namespace {

/// [s] Of a retiming that begins when the time is over: it ends at once, and says so.
constexpr double kLeastTime = 1e-6;

struct RetimeCommand {
  std::string task;
  std::string path;
  OutputOptions output;
  double tolerance = RetimeOptions{}.tolerance;
  double time_limit = 0.0;
  bool exact = false;
  bool json = false;
  CacheOptions cache;
};

/// The files of the command line, and those of its folder. Files that the task names are those of
/// its own plan, and stay.
OutputSettings outputs(const RetimeCommand& command, const OutputSettings& of_task) {
  OutputSettings output;
  output.rate = of_task.rate;
  command.output.putFolderInto(&output);
  command.output.putInto(&output);
  return output;
}

nlohmann::ordered_json asJson(const RetimedPath& done) {
  nlohmann::ordered_json out = {{"status", retimeStatusName(done.status)},
                                {"message", done.message},
                                {"seconds", done.seconds},
                                {"rounds", done.rounds},
                                {"rests", done.rests}};
  // Of a motion that was refused, too.
  if (done.trajectory) out["duration"] = done.trajectory->duration();
  if (done.certificate) {
    const Interval& least = done.certificate->minimum_clearance;
    out["minimum_clearance"] = {least.lower, least.upper};
    if (done.certificate->follows) out["within"] = done.certificate->follows->within;
    out["assumptions"] = assumptionsJson(*done.certificate);
  }
  return out;
}

void printText(const RetimedPath& done, const NamedTexts& files) {
  std::cout << done.message << "\n";
  if (done.status == RetimeStatus::kCertified) {
    if (done.rests > 0) {
      std::cout << "It rests at " << done.rests << (done.rests == 1 ? " corner" : " corners")
                << " of the path.\n";
    }
    std::cout << assumptionsInBrief(*done.certificate) << "\n";
  }
  for (const auto& [file, text] : files) std::cout << "written: " << file.string() << "\n";
}

int exitCode(RetimeStatus status) {
  if (status == RetimeStatus::kCertified) return kDone;
  return status == RetimeStatus::kTimedOut ? kOutOfTime : kNotClear;
}

/// A task and a path, read within the time limit; nothing when that was too short.
struct RetimeInput {
  Task task;
  OutputSettings output;
  NamedTrajectory path;
};

std::optional<RetimeInput> inputInTime(const RetimeCommand& command, CommandTime* time) {
  std::optional<RetimeInput> input;
  time->readInTime([&] {
    Task task = loadTask(command.task, {.load_visuals = !command.output.files.report.empty(),
                                        .covers = command.cache.covers()});
    OutputSettings output = outputs(command, task.output);
    command.output.prepare(output, {command.task, command.path});
    NamedTrajectory path = loadPath(command.path, task.problem);
    input = RetimeInput{std::move(task), std::move(output), std::move(path)};
  });
  return input;
}

/// Ctrl-C ends the command at once: nothing is certified before the end.
int runRetime(const RetimeCommand& command) {
  if (!command.output.files.report.empty()) requireReports();
  CommandTime time(command.time_limit);
  const std::optional<RetimeInput> input = inputInTime(command, &time);
  if (!input) return kOutOfTime;
  const Problem& problem = input->task.problem;
  const OutputSettings& output = input->output;
  const NamedTrajectory& path = input->path;
  for (const auto* warnings : {&problem.warnings, &path.warnings}) {
    for (const std::string& warning : *warnings) std::cerr << "warning: " << warning << "\n";
  }
  const RetimedPath done = retime(problem, path.trajectory,
                                  {.tolerance = command.exact ? 0.0 : command.tolerance,
                                   .time_limit = std::max(kLeastTime, time.secondsLeft())});
  NamedTexts files;
  std::vector<std::string> warnings;
  const bool is_certified = done.status == RetimeStatus::kCertified;
  if (is_certified) {
    files = time.filesInTime([&] {
      return formatOutputFiles(output, ".", problem, *done.trajectory, &*done.certificate,
                               &warnings);
    });
  }
  // Of a motion that is not clear too: it shows what is in the way.
  if (!output.report.empty() && done.certificate) {
    files.emplace_back(output.report, formatTrajectoryReport(problem, *done.certificate));
  }
  for (const std::string& warning : warnings) std::cerr << "warning: " << warning << "\n";
  writeFiles(files);
  if (command.json) {
    std::cout << jsonText(asJson(done));
  } else {
    printText(done, files);
    if (is_certified && !output.proof.empty()) {
      for (const std::string& line : notInProof(problem)) std::cout << line << "\n";
    }
  }
  return exitCode(done.status);
}

}  // namespace

void addRetime(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "retime", "Make a certified motion of a path: a planner's polyline, or a trajectory.");
  const auto options = std::make_shared<RetimeCommand>();
  command->add_option("task", options->task, "the task whose robot, scene and limits count")
      ->required()
      ->type_name("TASK.yaml");
  command
      ->add_option("path", options->path,
                   "the path: CSV, JSON, YAML of ROS or MoveIt, OMPL's rows of numbers")
      ->required()
      ->type_name("PATH");
  CLI::Option* tolerance =
      command
          ->add_option("--tolerance", options->tolerance,
                       "how far from the path any joint may be; corners are rounded within it "
                       "[rad; m for slides]")
          ->check(numberBetween(0.0, 1.0))
          ->type_name("RAD")
          ->capture_default_str();
  command->add_flag("--exact", options->exact, "stay on the path and rest at its corners")
      ->excludes(tolerance);
  command->add_option("--time-limit", options->time_limit, "seconds at most; none unless given")
      ->check(positiveNumber())
      ->type_name("S");
  options->output.addTo(*command);
  command->add_flag("--json", options->json, "print JSON");
  options->cache.addTo(*command);
  command->callback([options, &exit_code] { exit_code = runRetime(*options); });
}

}  // namespace allclear
