// What the solver's means are worth: refines the same first guesses of the shared planning problems
// with one of them changed at a time, in turn, and compares processor time, iterations, and the
// cost and duration of the curves (docs/performance.md).
//   bench_refinement [--robot panda] [--every 10] [--spans N] [--only TEXT]
//                    [--ipopt "name value ..."] [--json FILE]

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "allclear/config/problem_sets/planning_problems.h"
#include "allclear/planner/search/refinement.h"
#include "allclear/planner/seeds/seed_maker.h"
#include "allclear/planner/timing.h"
#include "bench/support/bench_report.h"

namespace {

using namespace allclear;
namespace fs = std::filesystem;

constexpr int kSearches = 3;             // per problem, for a first guess
constexpr double kSearchSeconds = 3.0;   // of one of them
constexpr double kMostUnclear = 0.05;    // of a straight line that is refined, as the planner does
constexpr int kStraightIterations = 60;  // likewise
constexpr double kStraightHopeless = 0.01;

struct Variant {
  std::string name;
  RefinementTuning tuning;
};

/// The defaults first, then with one change each, then with all of them undone.
std::vector<Variant> variants() {
  std::vector<Variant> all{{"default", {}}};
  const auto add = [&](const char* name) -> RefinementTuning& {
    return all.emplace_back(Variant{name, {}}).tuning;
  };
  add("condensed").linear_solver = LinearSolver::kCondensed;  // of any size
  add("MUMPS").linear_solver = LinearSolver::kMumps;
  const auto addMumps = [&](const char* name, const char* options) {
    RefinementTuning& tuning = add(name);
    tuning.linear_solver = LinearSolver::kMumps;
    tuning.ipopt_options = options;
  };
  addMumps("MUMPS, minimum degree", "mumps_pivot_order 0 mumps_permuting_scaling 0");
  addMumps("MUMPS, unscaled", "mumps_scaling 0 mumps_permuting_scaling 0");
  addMumps("MUMPS, much memory", "mumps_mem_percent 5000");
  add("rows for all limits").limit_share = 0.0;
  add("rows near limits: 0.6").limit_share = 0.6;
  add("rows near limits: 0.2").limit_share = 0.2;
  add("3 idle iterations").idle_iterations = 3;
  add("5 idle iterations").idle_iterations = 5;
  add("Ipopt's row scaling").ipopt_options = "nlp_scaling_method gradient-based";
  add("refine each step").ipopt_options = "min_refinement_steps 1";
  add("accept every step").ipopt_options = "accept_every_trial_step yes";
  add("oracle: probing").ipopt_options = "mu_oracle probing";
  add("oracle: loqo").ipopt_options = "mu_oracle loqo";
  add("Mehrotra's steps").ipopt_options = "mehrotra_algorithm yes";
  add("barrier from 1e-1").ipopt_options = "mu_strategy monotone mu_init 1e-1";
  add("barrier from 1e-2").ipopt_options = "mu_strategy monotone mu_init 1e-2";
  add("barrier from 1e-4").ipopt_options = "mu_strategy monotone mu_init 1e-4";
  add("duals by least squares").ipopt_options = "least_square_init_duals yes";
  RefinementTuning& before = add("MUMPS, all rows, scaled");
  before.linear_solver = LinearSolver::kMumps;
  before.limit_share = 0.0;
  before.ipopt_options = "nlp_scaling_method gradient-based";
  return all;
}

/// Of this process [s].
double processorTime() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Guess {
  BSpline curve;
  RefinementOptions options;
};

/// The first guess that the planner would refine.
std::optional<Guess> firstGuess(const ClearanceEvaluator& evaluator, int spans) {
  const Problem& problem = evaluator.problem();
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  SeedOptions options;
  options.spans = spans;
  for (int attempt = 0; attempt < kSearches; ++attempt) {
    const auto seed =
        makeSeed(evaluator, goal, attempt, RunContext().endingAfter(kSearchSeconds), options);
    if (!seed || (attempt == 0 && seed->unclear_share > kMostUnclear)) continue;
    Guess guess{seed->curve.withDuration(feasibleDuration(problem, seed->curve)), {}};
    if (attempt == 0) {
      guess.options.iterations = kStraightIterations;
      guess.options.hopeless = kStraightHopeless;
    }
    return guess;
  }
  return std::nullopt;
}

struct Run {
  Refinement result;
  double seconds = 0.0;
};

/// By problem, then variant.
using Runs = std::vector<std::vector<Run>>;

void runAll(const ProblemSet& set, int every, int spans, const std::vector<Variant>& list,
            Runs* runs) {
  for (int i = 0; i < set.count(); i += every) {
    const Problem problem = set.problem(i);
    const ClearanceEvaluator evaluator(problem);
    std::optional<Guess> guess = firstGuess(evaluator, spans);
    if (!guess) continue;
    std::vector<Run>& row = runs->emplace_back();
    for (const Variant& variant : list) {
      guess->options.tuning = variant.tuning;
      const double start = processorTime();
      Refinement result = refine(evaluator, guess->curve, {}, guess->options);
      row.push_back({std::move(result), processorTime() - start});
    }
  }
}

double median(std::vector<double> x) {
  if (x.empty()) return std::nan("");
  std::nth_element(x.begin(), x.begin() + x.size() / 2, x.end());
  return x[x.size() / 2];
}

/// One line: means over the problems, and ratios to the first variant where both are clear.
void print(const Runs& runs, std::size_t variant, const std::string& name, bench::Report* report) {
  int clear = 0;
  double seconds = 0.0, solve = 0.0, iterations = 0.0, rounds = 0.0;
  std::vector<double> all_seconds, cost, duration;
  for (const std::vector<Run>& row : runs) {
    const Run& run = row[variant];
    clear += run.result.clear;
    seconds += run.seconds;
    solve += run.result.solve_seconds;
    iterations += run.result.iterations;
    rounds += run.result.rounds;
    all_seconds.push_back(run.seconds);
    if (!run.result.clear || !row[0].result.clear) continue;
    cost.push_back(run.result.cost / row[0].result.cost);
    duration.push_back(run.result.curve.duration() / row[0].result.curve.duration());
  }
  const auto mean = [](const std::vector<double>& ratios) {
    double sum = 0.0;
    for (double ratio : ratios) sum += std::log(ratio);
    return std::exp(sum / static_cast<double>(ratios.size()));
  };
  const double count = static_cast<double>(runs.size());
  std::printf("%-33s %6d %8.2f %8.2f %8.2f %6.1f %6.2f %8.4f %8.4f %8.4f %8.4f\n", name.c_str(),
              clear, 1e3 * seconds / count, 1e3 * median(all_seconds), 1e3 * solve / count,
              iterations / count, rounds / count, median(cost), mean(cost), median(duration),
              mean(duration));
  report->figure(name + ".mean_ms", 1e3 * seconds / count);
  report->figure(name + ".iterations", iterations / count);
  report->figure(name + ".cost_ratio", mean(cost));
}

}  // namespace

int main(int argc, char** argv) {
  bench::Report report(argc, argv);
  std::string robot = "panda", only, options, json;
  int every = 10, spans = 0;
  CLI::App app("compares settings of the solver on the shared problems");
  app.add_option("--robot", robot, "panda, ur5 or fetch");
  app.add_option("--every", every, "of so many problems the first")->check(CLI::PositiveNumber);
  app.add_option("--spans", spans, "of every curve; 0: as many as its path needs");
  app.add_option("--only", only, "the default, and variants whose name contains this");
  app.add_option("--ipopt", options, "one more variant: \"name value name value ...\"");
  app.add_option("--json", json, "write the figures to this file");
  CLI11_PARSE(app, argc, argv);
  std::vector<Variant> list = variants();
  if (!only.empty()) {
    std::erase_if(list, [&](const Variant& v) {
      return v.name != "default" && v.name.find(only) == std::string::npos;
    });
  }
  if (!options.empty()) {
    list.push_back({options, {}});
    list.back().tuning.ipopt_options = options;
  }
  const char* data = std::getenv("ALLCLEAR_DATA");
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::directory_iterator(fs::path(data ? data : "../shared/data") / "problems" / robot)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  Runs runs;
  for (const fs::path& file : files) runAll(ProblemSet::load(file), every, spans, list, &runs);
  std::printf("%zu problems of %s; times in processor ms, solves by the clock\n", runs.size(),
              robot.c_str());
  std::printf("%-33s %6s %8s %8s %8s %6s %6s %8s %8s %8s %8s\n", "variant", "clear", "mean",
              "median", "solves", "iter", "rounds", "cost", "(mean)", "duration", "(mean)");
  for (std::size_t k = 0; k < list.size(); ++k) print(runs, k, list[k].name, &report);
  return 0;
}
