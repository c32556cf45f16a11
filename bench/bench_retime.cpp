// Retimes the reference paths of the shared problems, and compares each duration with the
// time-optimal one on the very path that was followed.
//   bench_retime [--count N] [--tolerance RAD] [--jerk default|none|both] [--json F] [FOLDER]
// The bound knows velocities and accelerations alone, so without jerk limits the ratio is what the
// retiming gives away; with them it is also what a smooth motion costs. Paths that are not clear
// themselves are counted apart; of the others, all are to be certified. Exits with 1 when one is
// not.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "allclear/config/problem_sets/planning_problems.h"
#include "allclear/planner/retime.h"
#include "bench/support/bench_report.h"
#include "support/time_optimal_bound.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  int count = 100;
  double tolerance = RetimeOptions{}.tolerance;
  std::string jerk = "both";
  std::string json;
  bool verbose = false;
  fs::path folder;
};

struct PathFile {
  ProblemSet set;
  std::vector<MatX> paths;
  std::string name;
};

std::vector<MatX> readPaths(const fs::path& file) {
  std::vector<MatX> paths;
  std::ifstream in(file);
  const nlohmann::json root = nlohmann::json::parse(in);
  for (const auto& path : root.at("paths")) {
    const auto rows = path.at("waypoints").get<std::vector<std::vector<double>>>();
    MatX points(static_cast<Eigen::Index>(rows.front().size()),
                static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      points.col(static_cast<Eigen::Index>(i)) =
          Eigen::Map<const VecX>(rows[i].data(), points.rows());
    }
    paths.push_back(std::move(points));
  }
  return paths;
}

std::vector<PathFile> readFiles(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "reference_paths")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<PathFile> out;
  for (const fs::path& file : files) {
    const fs::path name = fs::relative(file, folder / "reference_paths");
    out.push_back({ProblemSet::load(folder / name), readPaths(file), name.string()});
  }
  return out;
}

struct Tally {
  int count = 0, certified = 0, not_clear = 0, failed = 0, rests = 0, rounds = 0;
  std::vector<double> ratios, seconds, durations, within;
};

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void measure(const Problem& problem, const MatX& path, const std::string& name,
             const Arguments& arguments, Tally* tally) {
  const RetimedPath done = retime(problem, path, {.tolerance = arguments.tolerance});
  ++tally->count;
  tally->seconds.push_back(done.seconds);
  tally->rounds += done.rounds;
  if (done.status == RetimeStatus::kPathNotClear) {
    ++tally->not_clear;
    if (arguments.verbose) std::fprintf(stderr, "%s: %s\n", name.c_str(), done.message.c_str());
    return;
  }
  if (done.status != RetimeStatus::kCertified) {
    ++tally->failed;
    std::fprintf(stderr, "NOT CERTIFIED %s: %s\n", name.c_str(), done.message.c_str());
    return;
  }
  ++tally->certified;
  tally->rests += done.rests;
  const double least = test::timeOptimalBound(plannedLimits(problem), *done.trajectory);
  tally->ratios.push_back(done.trajectory->duration() / least);
  tally->durations.push_back(done.trajectory->duration());
  tally->within.push_back(done.certificate->follows->within);
  if (arguments.verbose) {
    std::fprintf(stderr, "%s: %.3f s, %.4f of the bound, %d rests, %d rounds, %d rows, %.2f s\n",
                 name.c_str(), done.trajectory->duration(), tally->ratios.back(), done.rests,
                 done.rounds, done.trajectory->spanCount() + 1, done.seconds);
  }
}

void print(const std::string& kind, const Tally& t, bench::Report* report) {
  std::printf(
      "%-13s %3d paths: %d certified, %d not clear themselves, %d failed; of the bound: median "
      "%.4f, 90 %% %.4f, greatest %.4f;\n              duration %.3f s, within %.4f, %.2f rests a "
      "path, %.2f rounds, %.3f s each, at most %.2f s\n",
      kind.c_str(), t.count, t.certified, t.not_clear, t.failed, quantile(t.ratios, 0.5),
      quantile(t.ratios, 0.9), quantile(t.ratios, 1.0), quantile(t.durations, 0.5),
      quantile(t.within, 0.5), static_cast<double>(t.rests) / std::max(1, t.certified),
      static_cast<double>(t.rounds) / std::max(1, t.count), quantile(t.seconds, 0.5),
      quantile(t.seconds, 1.0));
  const std::string name = kind == "without jerk" ? "no_jerk" : "jerk";
  report->figure(name + "_paths", t.count);
  report->figure(name + "_certified", t.certified);
  report->figure(name + "_not_clear", t.not_clear);
  report->figure(name + "_failed", t.failed);
  report->figure(name + "_ratio_median", quantile(t.ratios, 0.5));
  report->figure(name + "_ratio_90", quantile(t.ratios, 0.9));
  report->figure(name + "_seconds_median", quantile(t.seconds, 0.5));
}

int run(const Arguments& arguments) {
  const std::vector<PathFile> files = readFiles(arguments.folder);
  Tally without, with;
  for (int k = 0; k < arguments.count; ++k) {
    const PathFile& file = files[static_cast<std::size_t>(k) % files.size()];
    const int index = (7 * (k / static_cast<int>(files.size()))) % file.set.count();
    Problem problem = file.set.problem(index);
    problem.duration.max = 1e3;
    const MatX& path = file.paths[static_cast<std::size_t>(index)];
    const std::string name = file.name + " " + std::to_string(index);
    if (arguments.jerk != "none") measure(problem, path, name, arguments, &with);
    if (arguments.jerk == "default") continue;
    problem.limits.jerk =
        VecX::Constant(problem.robot->dimension(), std::numeric_limits<double>::infinity());
    measure(problem, path, name, arguments, &without);
  }
  bench::Report report(arguments.json);
  if (with.count > 0) print("with jerk", with, &report);
  if (without.count > 0) print("without jerk", without, &report);
  return with.failed + without.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace allclear

int main(int argc, char** argv) {
  CLI::App app{"Retimes reference paths; the time-optimal bound judges."};
  allclear::Arguments arguments;
  const char* data = std::getenv("ALLCLEAR_DATA");
  arguments.folder = std::filesystem::path(data ? data : "../shared/data") / "problems";
  app.add_option("folder", arguments.folder, "the problems, with their reference_paths");
  app.add_option("--count", arguments.count, "paths");
  app.add_option("--tolerance", arguments.tolerance, "[rad or m]");
  app.add_option("--jerk", arguments.jerk, "limits of jerk")
      ->check(CLI::IsMember({"default", "none", "both"}));
  app.add_flag("--verbose", arguments.verbose, "a line for each path");
  app.add_option("--json", arguments.json, "write the figures to this file");
  CLI11_PARSE(app, argc, argv);
  return allclear::run(arguments);
}
