// Reports of single plans of a run. They take a megabyte and seconds each, so they are made when
// somebody asks for them, from what the run has: its inputs and the plan's own trajectory.
#include "allclear/apps/batch/plan_reports.h"

#include <iostream>

#include "allclear/apps/batch/rested_on.h"
#include "allclear/apps/batch/solve.h"
#include "allclear/apps/batch/sources.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/exports/output_files.h"
#include "allclear/exports/report.h"

namespace allclear::batch {
namespace {

namespace fs = std::filesystem;

/// The queries as they were when the run was made: a report of other ones would be of another plan.
Sources sourcesOf(const Results& results) {
  const auto inputs = results.fact("inputs");
  if (!inputs) throw InputError({results.folder().string(), 0, "", ""}, "does not say its inputs");
  Sources sources = Sources::open(parseInputs(*inputs));
  if (sources.sha256() != results.fact("inputs_sha256")) {
    throw InputError({results.folder().string(), 0, "", ""},
                     "its inputs have changed: reports of its plans cannot be made any more");
  }
  return sources;
}

bool hasChanged(const ChangedRows& changed, const Row& row) {
  const auto number = static_cast<std::size_t>(row.query.number);
  return number < changed.rows.size() && changed.rows[number];
}

fs::path reportPath(const Results& results, const Row& row) {
  return results.folder() / row.folder / "report.html";
}

/// Certified anew, for the picture needs all that is known of the motion, not the verdict alone.
fs::path write(const Results& results, const Row& row, const Sources& sources,
               QueryLoader& loader) {
  fs::path trajectory_file = results.folder() / row.folder / "trajectory.json";
  if (!fs::exists(trajectory_file)) trajectory_file.replace_extension(".csv");
  if (row.folder.empty() || !fs::exists(trajectory_file)) {
    throw InputError({row.query.id, 0, "", ""}, "the run has no trajectory of it");
  }
  const Task task = loader.load(sources.query(row.query.number), true);
  if (task.sequence) {
    const SequenceFolder folder = readSequenceFolder(trajectory_file.parent_path());
    std::vector<Trajectory> trajectories;
    for (const NamedTrajectory& named : folder.trajectories) {
      trajectories.push_back(named.trajectory);
    }
    writeFileAtomically(
        reportPath(results, row),
        formatSequenceReport(*task.sequence, certifySequence(*task.sequence, trajectories)));
    return reportPath(results, row);
  }
  const Problem& problem = task.problem;
  const NamedTrajectory trajectory = readTrajectoryFile(trajectory_file, problem);
  const Certificate certificate = certify(problem, trajectory.trajectory, trajectory.wrenchCurve());
  writeTrajectoryReport(reportPath(results, row), problem, certificate);
  return reportPath(results, row);
}

}  // namespace

fs::path writePlanReport(const Results& results, const Row& row) {
  requireReports();
  const Sources sources = sourcesOf(results);
  if (hasChanged(changedRows(results, sources.count()), row)) {
    throw InputError(
        {row.query.id, 0, "", ""},
        "its files have changed since it was solved: its report cannot be made any more");
  }
  QueryLoader loader;
  return write(results, row, sources, loader);
}

void writePlanReports(const Results& results, bool quiet) {
  requireReports();
  const Sources sources = sourcesOf(results);
  const ChangedRows changed = changedRows(results, sources.count());
  QueryLoader loader;
  int count = 0;
  results.forEach([&](const Row& row) {
    if (hasChanged(changed, row)) return;
    if (row.folder.empty() || fs::exists(reportPath(results, row))) return;
    write(results, row, sources, loader);
    ++count;
  });
  if (changed.count > 0) std::cerr << "without reports: " << changed.text() << "\n";
  if (!quiet) std::cerr << "reports of plans written: " << count << "\n";
}

}  // namespace allclear::batch
