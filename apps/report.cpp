// allclear report: an HTML page that shows a trajectory of a task, planned here or not; or, of a
// folder that `allclear batch` has written, a page about all of its queries.
#include <filesystem>
#include <iostream>

#include "allclear/apps/batch/plan_reports.h"
#include "allclear/apps/batch/report_page.h"
#include "allclear/apps/command_checks.h"
#include "allclear/apps/commands.h"
#include "allclear/apps/sequence.h"
#include "allclear/apps/trajectory_options.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/exports/report.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  TrajectoryOptions input;
  std::string output;
  std::string plan;
  bool reports = false;
};

/// Certifies the trajectory and writes the page, clear or not.
int runReport(const ReportOptions& options) {
  if (options.input.trajectoryFile().empty()) {
    const std::string task = options.input.files().front();
    if (!fs::exists(task)) throw InputError({task, 0, "", ""}, "no such file or folder");
    throw InputError("report: a trajectory is required beside the task: allclear report " + task +
                     " TRAJ.csv");
  }
  requireReports();
  if (const std::optional<Task> task = options.input.readSequenceTask({.load_visuals = true})) {
    return reportSequenceFolder(*task, options.input.trajectoryFile(), options.output,
                                options.input.certificateOptions());
  }
  fs::path file = options.output;
  if (file.empty()) file = fs::path(options.input.trajectoryFile()).replace_extension(".html");
  requireOutputs({file.string()}, options.input.files());
  const auto [problem, trajectory] = options.input.read({.load_visuals = true});
  const Certificate certificate = certify(problem, trajectory.trajectory, trajectory.wrenchCurve(),
                                          options.input.certificateOptions(trajectory));
  writeTrajectoryReport(file, problem, certificate);
  std::cout << certificate.message << "\nwritten: " << file.string() << "\n";
  return certificate.clear ? kDone : kNotClear;
}

/// The page of a run, or of one plan of it.
int runBatchReport(const ReportOptions& options, const fs::path& folder) {
  const batch::Results results = batch::Results::open(folder);
  // One plan alone: the page of the run then finds its report beside the files.
  if (!options.plan.empty()) {
    const auto row = results.find(options.plan);
    if (!row) throw InputError({folder.string(), 0, "", options.plan}, "the run has no such query");
    std::cout << "written: " << batch::writePlanReport(results, *row).string() << "\n";
    return kDone;
  }
  if (options.reports) batch::writePlanReports(results, false);
  const fs::path file = options.output.empty() ? folder / "report.html" : fs::path(options.output);
  writeFileAtomically(
      file, batch::formatRunReport(folder.filename().string(), batch::collectReport(results)));
  std::cout << "written: " << file.string() << "\n";
  return kDone;
}

}  // namespace

void addReport(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "report",
      "Write an HTML page that shows a trajectory (CSV or JSON, from anywhere), or a run.");
  const auto options = std::make_shared<ReportOptions>();
  options->input.addTo(*command);
  // A folder in place of the task is a run, which has its trajectories itself.
  CLI::Option* task = command->get_option("task");
  task->description("the task that it is to fulfil, or the folder of a batch")
      ->type_name("TASK.yaml|RUN");
  command->get_option("trajectory")->required(false);
  command
      ->add_option("-o,--output", options->output,
                   "the page to write; else beside the trajectory, as .html, or report.html in RUN")
      ->type_name("FILE.html");
  command->add_option("--plan", options->plan, "of RUN: write the report of this query's plan")
      ->type_name("QUERY");
  command->add_flag("--reports", options->reports, "of RUN: write those of all its plans, too");
  command->callback([options, task, &exit_code] {
    const fs::path run = task->as<std::string>();
    const bool is_run = options->input.trajectoryFile().empty() && fs::is_directory(run);
    exit_code = is_run ? runBatchReport(*options, run.lexically_normal()) : runReport(*options);
  });
}

}  // namespace allclear
