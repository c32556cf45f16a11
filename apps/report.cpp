// allclear report: an HTML page that shows a trajectory of a task, planned here or not.
#include <filesystem>
#include <iostream>

#include "allclear/apps/commands.h"
#include "allclear/config/task_file.h"
#include "allclear/exports/output_files.h"
#include "allclear/exports/report.h"

namespace allclear {
namespace {

struct ReportOptions {
  std::string task;
  std::string trajectory;
  std::string output;
  double limit_tolerance = CertifiedLimitOptions{}.limit_tolerance;
};

int runReport(const ReportOptions& options) {
  requireReports();
  const Problem problem = loadTask(options.task, {.load_visuals = true});
  const NamedTrajectory trajectory = readTrajectoryFile(options.trajectory, problem);
  for (const auto* warnings : {&problem.warnings, &trajectory.warnings}) {
    for (const std::string& warning : *warnings) std::cerr << "warning: " << warning << "\n";
  }
  CertificateOptions how;
  how.limits.limit_tolerance = options.limit_tolerance;
  const Certificate certificate = certify(problem, trajectory.trajectory, how);
  const std::filesystem::path file =
      options.output.empty() ? std::filesystem::path(options.trajectory).replace_extension(".html")
                             : std::filesystem::path(options.output);
  writeTrajectoryReport(file, problem, certificate);
  std::cout << certificate.message << "\nwritten: " << file.string() << "\n";
  return certificate.clear ? kDone : kNotClear;
}

}  // namespace

void addReport(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "report", "Write an HTML page that shows a trajectory (CSV or JSON, from anywhere).");
  const auto options = std::make_shared<ReportOptions>();
  command->add_option("task", options->task, "the task that it is to fulfil")
      ->required()
      ->type_name("TASK.yaml");
  command->add_option("trajectory", options->trajectory, "the trajectory, .csv or .json")
      ->required()
      ->type_name("TRAJ");
  command
      ->add_option("-o,--output", options->output,
                   "the page to write; else beside the trajectory, as .html")
      ->type_name("FILE.html");
  command
      ->add_option("--limit-tolerance", options->limit_tolerance,
                   "by how much limits may be exceeded, relative to their size")
      ->check(CLI::Range(0.0, 0.1))
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = runReport(*options); });
}

}  // namespace allclear
