// allclear report: an HTML page that shows a trajectory of a task, planned here or not.
#include <filesystem>
#include <iostream>

#include "allclear/apps/command_checks.h"
#include "allclear/apps/commands.h"
#include "allclear/apps/trajectory_options.h"
#include "allclear/exports/report.h"

namespace allclear {
namespace {

struct ReportOptions {
  TrajectoryOptions input;
  std::string output;
};

/// Certifies the trajectory and writes the page, clear or not.
int runReport(const ReportOptions& options) {
  requireReports();
  std::filesystem::path file = options.output;
  if (file.empty()) {
    file = std::filesystem::path(options.input.trajectoryFile()).replace_extension(".html");
  }
  requireOutputs({file.string()}, options.input.files());
  const auto [problem, trajectory] = options.input.read({.load_visuals = true});
  const Certificate certificate = certify(problem, trajectory.trajectory, trajectory.wrenchCurve(),
                                          options.input.certificateOptions());
  writeTrajectoryReport(file, problem, certificate);
  std::cout << certificate.message << "\nwritten: " << file.string() << "\n";
  return certificate.clear ? kDone : kNotClear;
}

}  // namespace

void addReport(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "report", "Write an HTML page that shows a trajectory (CSV or JSON, from anywhere).");
  const auto options = std::make_shared<ReportOptions>();
  options->input.addTo(*command);
  command
      ->add_option("-o,--output", options->output,
                   "the page to write; else beside the trajectory, as .html")
      ->type_name("FILE.html");
  command->callback([options, &exit_code] { exit_code = runReport(*options); });
}

}  // namespace allclear
