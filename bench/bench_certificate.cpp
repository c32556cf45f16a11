// How long a certificate takes, and how often it decides: straight lines and the problems' own
// reference paths, certified and verified.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "allclear/config/problem_sets/planning_problems.h"
#include "allclear/planner/certificate.h"
#include "allclear/trajectories/spline_fit.h"
#include "bench/support/bench_report.h"

namespace allclear {
namespace {

/// Rest to rest through the waypoints, slow enough for every limit to have room.
Trajectory through(const Problem& problem, const MatX& waypoints) {
  const PlannedLimits limits = plannedLimits(problem);
  std::vector<double> times{0.0};
  for (int i = 1; i < waypoints.cols(); ++i) {
    const VecX step = (waypoints.col(i) - waypoints.col(i - 1)).cwiseAbs();
    times.push_back(times.back() +
                    std::max(0.5, 4.0 * step.cwiseQuotient(limits.velocity).maxCoeff()));
  }
  return interpolatePositions(times, waypoints);
}

struct Run {
  std::vector<double> certify_ms, verify_ms, cells;
  int clear = 0, refused = 0, undecided = 0;
};

void add(const Problem& problem, const MatX& waypoints, Run* run) {
  const Trajectory trajectory = through(problem, waypoints);
  const auto start = std::chrono::steady_clock::now();
  const Certificate certificate = certify(problem, trajectory);
  const auto middle = std::chrono::steady_clock::now();
  if (certificate.clear) {
    const CertificateVerdict verdict = verifyCertificate(problem, certificate);
    if (!verdict.valid) std::printf("%s: %s\n", problem.name.c_str(), verdict.message.c_str());
  }
  const auto end = std::chrono::steady_clock::now();
  using Milliseconds = std::chrono::duration<double, std::milli>;
  run->certify_ms.push_back(Milliseconds(middle - start).count());
  if (certificate.clear) run->verify_ms.push_back(Milliseconds(end - middle).count());
  double cells = 0.0;
  bool keeps_margins = true;
  for (const CertificatePair& pair : certificate.pairs) {
    cells += static_cast<double>(pair.cells.size());
    for (const CoverCell& cell : pair.cells) {
      keeps_margins = keeps_margins && cell.lower >= pair.margin;
    }
  }
  run->cells.push_back(cells);
  const bool is_refused = certificate.minimum_clearance.upper < problem.collision.margin;
  ++(keeps_margins ? run->clear : is_refused ? run->refused : run->undecided);
}

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

void print(const char* name, const std::string& scene, const Run& run) {
  std::printf("%-22s %-9s %4d %4d %4d  %8.1f %8.1f %8.1f  %8.1f  %7.0f\n", scene.c_str(), name,
              run.clear, run.refused, run.undecided, quantile(run.certify_ms, 0.5),
              quantile(run.certify_ms, 0.95), quantile(run.certify_ms, 1.0),
              quantile(run.verify_ms, 0.5), quantile(run.cells, 0.5));
}

int run(int argc, char** argv) {
  const char* folder = std::getenv("ALLCLEAR_DATA");
  const std::filesystem::path data = folder != nullptr ? folder : "../shared/data";
  const int count = argc > 1 && argv[1][0] != '-' ? std::atoi(argv[1]) : 10;
  bench::Report report(argc, argv);
  std::printf("%-22s %-9s %4s %4s %4s  %8s %8s %8s  %8s  %7s\n", "scene", "motion", "keep", "hit",
              "?", "ms p50", "p95", "max", "verify", "cells");
  for (const std::string scene :
       {"panda/table_pick", "panda/box", "ur5/table_pick", "ur5/box", "fetch/table_pick"}) {
    const ProblemSet set = ProblemSet::load(data / "problems" / (scene + ".json"));
    nlohmann::json paths;
    std::ifstream file(data / "problems" / "reference_paths" / (scene + ".json"));
    if (file) file >> paths;
    Run lines, references;
    for (int i = 0; i < std::min(count, set.count()); ++i) {
      const Problem problem = set.problem(i);
      MatX ends(problem.plannedCount(), 2);
      ends.col(0) = problem.plannedPart(problem.start);
      ends.col(1) = std::get<JointTarget>(problem.goal).values;
      add(problem, ends, &lines);
      if (!paths.contains("paths")) continue;
      const auto& states = paths["paths"][i]["waypoints"];
      MatX waypoints(problem.plannedCount(), static_cast<Eigen::Index>(states.size()));
      for (std::size_t s = 0; s < states.size(); ++s) {
        const auto state = states[s].get<std::vector<double>>();
        waypoints.col(static_cast<Eigen::Index>(s)) =
            Eigen::Map<const VecX>(state.data(), problem.plannedCount());
      }
      add(problem, waypoints, &references);
    }
    for (const auto& [name, run] :
         {std::pair{"line", &lines}, std::pair{"reference", &references}}) {
      if (run->cells.empty()) continue;
      print(name, scene, *run);
      report.figure(scene + "/" + name + "/certify_ms_p50", quantile(run->certify_ms, 0.5));
      report.figure(scene + "/" + name + "/certify_ms_max", quantile(run->certify_ms, 1.0));
    }
  }
  return 0;
}

}  // namespace
}  // namespace allclear

int main(int argc, char** argv) { return allclear::run(argc, argv); }
