// Certifies rows that no planner made smooth: linear and cubic motion through the shared problems,
// as a joint trajectory controller runs it, with FCL as the judge.
//   bench_polylines [--count N] [--samples N] [--json F] [PROBLEMS_FOLDER]
// A polyline goes from a problem's start to its goal: straight, through a few random points near
// the straight line, or along the reference path of the problem. Printed are: those certified
// clear, how many of them FCL refutes at random instants (there must be none), the share of those
// in which FCL finds nothing that are certified, and how many refutations FCL confirms at the
// instant that the certificate names. Exits with 1 when a clear one is refuted or a refutation not
// confirmed.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>

#include "allclear/config/problem_sets/planning_problems.h"
#include "allclear/planner/certificate.h"
#include "bench/plan_check_fcl.h"
#include "bench/support/bench_report.h"
#include "support/random.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  int count = 500;
  /// FCL's instants for each that is certified: some 250 of 500 are, which makes 10^5.
  int samples = 400;
  std::string json;
  fs::path folder;
};

struct ProblemFile {
  ProblemSet set;
  std::vector<MatX> paths;  ///< by problem; none in some files
};

std::vector<MatX> readPaths(const fs::path& file) {
  std::vector<MatX> paths;
  if (!fs::exists(file)) return paths;
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

std::vector<ProblemFile> readProblems(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const bool reference = entry.path().string().find("reference_paths") != std::string::npos;
    if (entry.path().extension() == ".json" && !reference) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<ProblemFile> problems;
  for (const fs::path& file : files) {
    problems.push_back({ProblemSet::load(file),
                        readPaths(folder / "reference_paths" / fs::relative(file, folder))});
  }
  return problems;
}

/// From start to goal, through `between` points near the straight line between them.
MatX randomCorners(const Problem& problem, int between, test::Random& random) {
  constexpr double kOff = 0.4;  // [rad or m]
  const VecX from = problem.plannedPart(problem.start);
  const VecX to = std::get<JointTarget>(problem.goal).values;
  const PlannedLimits limits = plannedLimits(problem);
  MatX corners(from.size(), between + 2);
  for (int i = 0; i < between + 2; ++i) {
    const double s = i / (between + 1.0);
    corners.col(i) = (1.0 - s) * from + s * to;
    if (i == 0 || i == between + 1) continue;
    corners.col(i) += random.vectorX(static_cast<int>(from.size()), kOff);
    corners.col(i) = corners.col(i).cwiseMax(limits.lower).cwiseMin(limits.upper);
  }
  return corners;
}

/// Moves the inner points by up to `off` [rad or m].
void shake(double off, test::Random& random, MatX* corners) {
  for (Eigen::Index i = 1; i + 1 < corners->cols(); ++i) {
    corners->col(i) += random.vectorX(static_cast<int>(corners->rows()), off);
  }
}

/// Slow enough for all limits of velocity; cubic with the velocities of Catmull and Rom.
HermiteCurve rowsThrough(const Problem& problem, const MatX& corners, bool is_cubic) {
  const VecX fastest = plannedLimits(problem).velocity;
  std::vector<double> times{0.0};
  for (Eigen::Index i = 1; i < corners.cols(); ++i) {
    const VecX step = (corners.col(i) - corners.col(i - 1)).cwiseAbs();
    times.push_back(times.back() + std::max(0.1, 3.0 * step.cwiseQuotient(fastest).maxCoeff()));
  }
  if (!is_cubic) return {times, corners};
  MatX velocities = MatX::Zero(corners.rows(), corners.cols());
  for (Eigen::Index i = 1; i + 1 < corners.cols(); ++i) {
    velocities.col(i) = (corners.col(i + 1) - corners.col(i - 1)) / (times[i + 1] - times[i - 1]);
  }
  return {times, corners, velocities};
}

struct Tally {
  int count = 0, certified = 0, false_clear = 0;
  int fcl_clear = 0;  ///< FCL finds no instant too near, certified or not
  int refuted = 0, confirmed = 0, undecided = 0;
  long samples = 0;
  std::vector<double> certify_ms;
};

/// Whether every cell of every pair is proven; limits and ends do not matter here.
bool keepsDistances(const Certificate& certificate) {
  for (const CertificatePair& pair : certificate.pairs) {
    for (const CoverCell& cell : pair.cells) {
      if (!(cell.lower >= pair.margin)) return false;
    }
  }
  return true;
}

void judge(const Problem& problem, const Trajectory& curve, const std::string& name, int samples,
           unsigned seed, Tally* tally) {
  const auto start = std::chrono::steady_clock::now();
  const Certificate certificate = certify(problem, curve);
  tally->certify_ms.push_back(
      1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  bench::FclPlanCheck fcl(problem);
  // All instants where a violation would be an error; else the first tells enough.
  const bool is_clear = keepsDistances(certificate);
  const auto seen = fcl.run(curve, samples, seed, !is_clear);
  tally->samples += seen.samples;
  ++tally->count;
  tally->fcl_clear += seen.violations == 0;
  if (is_clear) {
    ++tally->certified;
    if (seen.violations == 0) return;
    ++tally->false_clear;
    std::fprintf(stderr, "FALSE CLEAR %s: FCL finds %s %.3g m short of the margin\n", name.c_str(),
                 seen.worst.c_str(), -seen.least);
    return;
  }
  if (certificate.minimum_clearance.upper >= problem.collision.margin) {
    ++tally->undecided;
    std::fprintf(stderr, "undecided %s: %s\n", name.c_str(), certificate.message.c_str());
    return;
  }
  ++tally->refuted;
  constexpr double kRounding = 1e-6;  // [m] of FCL's distances
  const double excess =
      fcl.excessAt(curve, certificate.closest_t, certificate.closest_a, certificate.closest_b);
  if (excess <= kRounding) {
    ++tally->confirmed;
    return;
  }
  std::fprintf(stderr, "NOT CONFIRMED %s: FCL is %.3g m beyond the margin: %s\n", name.c_str(),
               excess, certificate.message.c_str());
}

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void print(const char* kind, const Tally& t, bench::Report* report) {
  const double share = t.fcl_clear > 0 ? static_cast<double>(t.certified) / t.fcl_clear : 0.0;
  std::printf(
      "%-7s %4d polylines, %ld instants of FCL: %d certified clear, %d of them falsely; FCL "
      "finds\n        nothing in %d, %.2f %% of which are certified; %d refuted, %d of them "
      "confirmed at the\n        instant named; %d undecided; certified in %.1f ms (median)\n",
      kind, t.count, t.samples, t.certified, t.false_clear, t.fcl_clear, 1e2 * share, t.refuted,
      t.confirmed, t.undecided, median(t.certify_ms));
  const std::string name = kind;
  report->figure(name + "_polylines", t.count);
  report->figure(name + "_certified", t.certified);
  report->figure(name + "_false_clear", t.false_clear);
  report->figure(name + "_share_of_clear_certified", share);
  report->figure(name + "_refuted", t.refuted);
  report->figure(name + "_confirmed", t.confirmed);
  report->figure(name + "_certify_ms", median(t.certify_ms));
}

int run(const Arguments& arguments) {
  const std::vector<ProblemFile> files = readProblems(arguments.folder);
  Tally linear, cubic;
  for (int k = 0; k < arguments.count; ++k) {
    const ProblemFile& file = files[static_cast<std::size_t>(k) % files.size()];
    const int index = (7 * k + k / 100) % file.set.count();
    test::Random random(static_cast<unsigned>(k));
    Problem problem = file.set.problem(index);
    // Of ten, one is straight, one goes through random points, eight follow the reference path,
    // three of them shaken: most of what is in the way lies between start and goal.
    const int round = k / static_cast<int>(files.size());
    const int kind = round / 2 % 10;
    const bool has_path = kind >= 2 && !file.paths.empty();
    MatX corners = has_path ? file.paths[static_cast<std::size_t>(index)]
                            : randomCorners(problem, 2 * (kind % 4), random);
    if (kind >= 7) shake(0.02, random, &corners);
    const bool is_cubic = round % 2 == 1;
    const std::string name = file.set.robotName() + "/" + file.set.scene() + " " +
                             std::to_string(index) + (has_path ? " path" : " random");
    judge(problem, rowsThrough(problem, corners, is_cubic), name, arguments.samples,
          static_cast<unsigned>(k), is_cubic ? &cubic : &linear);
    if ((k + 1) % 50 == 0) {
      std::fprintf(stderr, "%d polylines: %d clear, %d falsely; %d refuted, %d confirmed\n", k + 1,
                   linear.certified + cubic.certified, linear.false_clear + cubic.false_clear,
                   linear.refuted + cubic.refuted, linear.confirmed + cubic.confirmed);
    }
  }
  bench::Report report(arguments.json);
  print("linear", linear, &report);
  print("cubic", cubic, &report);
  const bool holds = linear.false_clear + cubic.false_clear == 0 &&
                     linear.confirmed == linear.refuted && cubic.confirmed == cubic.refuted;
  return holds ? 0 : 1;
}

}  // namespace
}  // namespace allclear

int main(int argc, char** argv) {
  CLI::App app{"Certifies linear and cubic motion through the shared problems; FCL judges."};
  allclear::Arguments arguments;
  const char* data = std::getenv("ALLCLEAR_DATA");
  arguments.folder = std::filesystem::path(data ? data : "../shared/data") / "problems";
  app.add_option("folder", arguments.folder, "the problems, with their reference_paths");
  app.add_option("--count", arguments.count, "polylines");
  app.add_option("--samples", arguments.samples, "instants of each that FCL looks at");
  app.add_option("--json", arguments.json, "write the figures to this file");
  CLI11_PARSE(app, argc, argv);
  return allclear::run(arguments);
}
