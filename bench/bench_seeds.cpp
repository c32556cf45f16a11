// First guesses for the optimiser on the shared planning problems: how many are found, how long the
// parts take, how long the paths are, and whether a dense sampling of the certified segments finds
// a collision (it must not).
//   bench_seeds [--robot panda] [--scene box] [--count 100] [--attempt 1] [--json FILE]

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "allclear/config/problem_sets/planning_problems.h"
#include "allclear/planner/seeds/seed_maker.h"
#include "allclear/planner/seeds/vertex_index.h"
#include "bench/support/bench_report.h"

namespace {

using namespace allclear;

double quantile(std::vector<double> x, double share) {
  if (x.empty()) return 0.0;
  std::sort(x.begin(), x.end());
  return x[static_cast<std::size_t>(std::lround(share * static_cast<double>(x.size() - 1)))];
}

/// Least distance beyond the margin at `samples` configurations of the path.
double sampledClearance(const ClearanceEvaluator& evaluator, const std::vector<VecX>& path,
                        int samples) {
  ClearanceEvaluator::Workspace workspace(evaluator);
  double least = 1e300;
  const int per_segment = std::max(2, samples / static_cast<int>(path.size() - 1));
  for (std::size_t i = 1; i < path.size(); ++i) {
    for (int s = 0; s <= per_segment; ++s) {
      const double share = static_cast<double>(s) / per_segment;
      const VecX q = path[i - 1] + share * (path[i] - path[i - 1]);
      const Clearance worst = evaluator.atRest(q, std::nullopt, workspace);
      if (worst.pair < 0) continue;
      least = std::min(least, worst.upper - evaluator.model().pairs[worst.pair].margin);
    }
  }
  return least;
}

constexpr double kTimeLimit = 3.0;  // [s] of one search

struct Totals {
  int problems = 0, solved = 0, straight = 0, blocked = 0, unclear_curves = 0, unsound = 0;
  std::vector<double> total, search, shortcut, fit, ratio, segments, configurations, distances;
  std::vector<double> work, runs;
};

struct Settings {
  std::string robot = "panda";
  std::string scene;
  int count = 100;
  int attempt = 1;
  int samples = 0;
  double step = SeedOptions{}.step;
  double extra = SeedOptions{}.extra;
  std::string data = "../shared/data";
  std::string json;
};

void solve(const Problem& problem, const Settings& settings, Totals* totals) {
  const ClearanceEvaluator evaluator(problem);
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  SeedOptions options;
  options.step = settings.step;
  options.extra = settings.extra;
  ++totals->problems;
  const auto straight = makeSeed(evaluator, goal, 0, {}, options);
  totals->straight += straight->certified_path;
  SeedStatistics s;
  const RunContext context = RunContext().endingAfter(kTimeLimit);
  const auto seed = makeSeed(evaluator, goal, settings.attempt, context, options, &s);
  const double seconds = s.search_seconds + s.shortcut_seconds + s.fit_seconds;
  totals->total.push_back(seed ? seconds : kTimeLimit);
  totals->search.push_back(s.search_seconds);
  totals->work.push_back(static_cast<double>(s.work));
  totals->runs.push_back(s.runs);
  totals->segments.push_back(static_cast<double>(s.certifier.segments));
  totals->configurations.push_back(static_cast<double>(s.certifier.configurations));
  totals->distances.push_back(static_cast<double>(s.certifier.distances));
  if (!seed) {
    ClearanceEvaluator::Workspace workspace(evaluator);
    const VecX start = problem.plannedPart(problem.start);
    double least = 1e300;
    for (const VecX& q : {start, goal}) {
      const Clearance worst = evaluator.atRest(q, std::nullopt, workspace);
      least = std::min(least, worst.upper - evaluator.model().pairs[worst.pair].margin);
    }
    totals->blocked += least < 0.0;
    std::printf("  %s not found; ends clear by %.4f m\n", problem.name.c_str(), least);
    return;
  }
  ++totals->solved;
  totals->unclear_curves += seed->unclear_share > 0.0;
  totals->shortcut.push_back(s.shortcut_seconds);
  totals->fit.push_back(s.fit_seconds);
  totals->ratio.push_back(s.length_ratio);
  if (settings.samples > 0 && sampledClearance(evaluator, seed->path, settings.samples) < 0.0) {
    ++totals->unsound;
    std::printf("  %s: a certified segment collides\n", problem.name.c_str());
  }
}

void print(const std::string& name, const Totals& t, bench::Report* report) {
  const auto figure = [&](const char* key, double value) {
    return report->figure(name + "/" + key, value);
  };
  std::printf("%-24s solved %3.0f of %3.0f (%0.f with an end in collision), straight line %3.0f\n",
              name.c_str(), figure("solved", t.solved), figure("problems", t.problems),
              figure("ends_in_collision", t.blocked), figure("straight_line", t.straight));
  std::printf(
      "  ms: median %.1f p95 %.1f max %.1f | search %.1f %.1f, shortcut %.1f %.1f, fit %.1f "
      "%.1f\n",
      figure("median_ms", 1e3 * quantile(t.total, 0.5)),
      figure("p95_ms", 1e3 * quantile(t.total, 0.95)),
      figure("max_ms", 1e3 * quantile(t.total, 1.0)),
      figure("search_median_ms", 1e3 * quantile(t.search, 0.5)),
      figure("search_p95_ms", 1e3 * quantile(t.search, 0.95)),
      figure("shortcut_median_ms", 1e3 * quantile(t.shortcut, 0.5)),
      figure("shortcut_p95_ms", 1e3 * quantile(t.shortcut, 0.95)),
      figure("fit_median_ms", 1e3 * quantile(t.fit, 0.5)),
      figure("fit_p95_ms", 1e3 * quantile(t.fit, 0.95)));
  std::printf("  work of the search: median %.0f p95 %.0f max %.0f, runs at most %.0f\n",
              figure("work_median", quantile(t.work, 0.5)),
              figure("work_p95", quantile(t.work, 0.95)), figure("work_max", quantile(t.work, 1.0)),
              figure("runs_max", quantile(t.runs, 1.0)));
  std::printf(
      "  median: length ratio %.2f, segments %.0f, configurations %.0f, distances %.0f; "
      "curves not clear %.0f, unsound paths %.0f\n",
      figure("length_ratio", quantile(t.ratio, 0.5)), figure("segments", quantile(t.segments, 0.5)),
      figure("configurations", quantile(t.configurations, 0.5)),
      figure("distances", quantile(t.distances, 0.5)), figure("curves_not_clear", t.unclear_curves),
      figure("unsound_paths", t.unsound));
  std::fflush(stdout);
}

/// Time of a nearest-neighbour query among `count` vertices, beside the same by the plain loop over
/// `ConfigurationSpace::difference`.
void printNearest(const Problem& problem, bench::Report* report) {
  constexpr int kQueries = 200;
  const ConfigurationSpace space(problem, problem.plannedPart(problem.start),
                                 VecX::Ones(problem.plannedCount()));
  for (int count : {1000, 10000}) {
    RandomStream random(1, 1);
    VertexIndex index(space);
    std::vector<VecX> vertices;
    for (int i = 0; i < count; ++i) {
      vertices.push_back(space.sample(random));
      index.add(vertices.back());
    }
    double sum = 0.0;  // so that no loop can be left out
    auto start = RunContext::Clock::now();
    for (int i = 0; i < kQueries; ++i) sum += index.nearest(space.sample(random)).distance;
    const double indexed = RunContext::secondsSince(start) / kQueries;
    start = RunContext::Clock::now();
    for (int i = 0; i < kQueries; ++i) {
      const VecX q = space.sample(random);
      double least = 1e300;
      for (const VecX& v : vertices) least = std::min(least, space.length(space.difference(q, v)));
      sum += least;
    }
    const double plain = RunContext::secondsSince(start) / kQueries;
    const std::string key = "nearest_of_" + std::to_string(count);
    std::printf("nearest of %d: %.1f us, plain loop %.1f us (sum %.3g)\n", count,
                report->figure(key + "_us", 1e6 * indexed),
                report->figure(key + "_plain_us", 1e6 * plain), sum);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Seeds on the shared planning problems");
  Settings settings;
  app.add_option("--robot", settings.robot);
  app.add_option("--scene", settings.scene, "one scene; all when absent");
  app.add_option("--count", settings.count, "problems of each scene, spread over it");
  app.add_option("--attempt", settings.attempt, "number of the random stream");
  app.add_option("--samples", settings.samples, "configurations of each path to check; 0: none");
  app.add_option("--step", settings.step, "longest edge [m]");
  app.add_option("--extra", settings.extra, "clearance beyond the margin [m]");
  app.add_option("--data", settings.data, "folder of the shared data");
  app.add_option("--json", settings.json, "write the figures here");
  CLI11_PARSE(app, argc, argv);
  bench::Report report(argc, argv);

  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(settings.data) / "problems" / settings.robot)) {
    if (settings.scene.empty() || entry.path().stem() == settings.scene) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    const ProblemSet set = ProblemSet::load(file);
    const int count = std::min(settings.count, set.count());
    if (&file == &files.front()) printNearest(set.problem(0), &report);
    Totals totals;
    for (int i = 0; i < count; ++i) {
      solve(set.problem(i * set.count() / count), settings, &totals);
    }
    print(settings.robot + "/" + set.scene(), totals, &report);
  }
  return 0;
}
