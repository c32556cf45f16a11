// Plans the problems of `planning_problems_v1` files and says, per scene, how many were solved and
// certified, how long that took to the first certified plan, and how good the plans are; per robot,
// what improving them took and gained. Durations stand beside two that no plan can beat: of each
// joint alone between the same ends, and of a pass along the plan's own path (least_time.h).
//   bench_problems [FILE_OR_FOLDER...] [--every K] [--time S] [--jobs N] [--check N] [--csv F]
//                  [--geometry auto|mesh|capsule] [--improve none|some|all] [--seed N]
//                  [--objective min_time|balanced|smooth|short] [--steps] [--proof CHECKER]
//                  [--rival OMPL] [--contact REGION] [--add-obstacles N] [--json F]
// Without files: all of the shared data. Rows already in the CSV are not planned again, so that a
// run can be resumed. Processes share the work. Where FCL was found,
// every certified plan is looked at by it at N random instants (100 unless told: 10^5 samples over
// a thousand plans), on the URDF's own meshes. With --proof, every certified plan is proven, and
// the program CHECKER (allclear-verify) has to accept the proof. With --rival OMPL, where OMPL and
// FCL were found, the same process also plans each problem by OMPL's RRT-Connect on FCL, and the
// same audit looks at its paths (support/ompl_rival.h). With --contact, plans keep the force of
// unplanned contacts with that region of the human body (limits: contact); masses that a URDF lacks
// come from support/known_masses.h; each problem is planned without that limit first, and both are
// compared by processor time. With --add-obstacles, every problem that has a plan is planned
// again with N planes and N ellipsoids added around that plan, clear of it; the rows are those of
// the second plan.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "allclear/config/problem_sets/planning_problems.h"
#include "allclear/core/input_error.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/problem/body_regions.h"
#include "bench/plan_proof.h"
#include "bench/support/added_obstacles.h"
#include "bench/support/bench_report.h"
#include "bench/support/contact_ratio.h"
#include "bench/support/known_masses.h"
#include "bench/support/rival_table.h"
#include "tests/support/least_time.h"
#ifdef ALLCLEAR_WITH_FCL
#include "bench/plan_check_fcl.h"
#endif
#ifdef ALLCLEAR_WITH_OMPL
#include "bench/support/ompl_rival.h"
#endif

namespace allclear {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<fs::path> given, files;
  int every = 1;
  double time = 10.0;
  int jobs = 1;
  int check = 100;
  GeometryMode geometry = GeometryMode::kAuto;
  Improve improve = Improve::kSome;
  std::string objective = "balanced";
  std::uint64_t seed = 1;
  bool steps = false;
  std::string checker;
  std::string rival;
  std::string contact;
  int added = 0;
  std::string csv = "bench_problems.csv";
  std::string json;  ///< read by the report
};

void addOptions(CLI::App* app, Arguments* out) {
  const std::map<std::string, GeometryMode> geometries{{"auto", GeometryMode::kAuto},
                                                       {"mesh", GeometryMode::kMesh},
                                                       {"capsule", GeometryMode::kCapsule}};
  app->add_option("files", out->given, "files or folders; none: all of the shared data");
  app->add_option("--every", out->every, "of so many problems the first")
      ->check(CLI::PositiveNumber);
  app->add_option("--time", out->time, "limit of a plan [s]");
  app->add_option("--jobs", out->jobs, "processes")->check(CLI::PositiveNumber);
  app->add_option("--check", out->check, "instants of a plan that FCL looks at");
  app->add_option("--geometry", out->geometry, "what stands for meshes in the search")
      ->transform(CLI::CheckedTransformer(geometries));
  const std::map<std::string, Improve> improvements{
      {"none", Improve::kNone}, {"some", Improve::kSome}, {"all", Improve::kAll}};
  app->add_option("--improve", out->improve, "what follows the first certified plan")
      ->transform(CLI::CheckedTransformer(improvements));
  app->add_option("--objective", out->objective, "what a good plan is")
      ->check(CLI::IsMember({"min_time", "balanced", "smooth", "short"}));
  app->add_option("--seed", out->seed, "of the first guesses");
  app->add_flag("--steps", out->steps, "print the first certified plan and each better one");
  app->add_option("--proof", out->checker, "prove the plans, and let this program check them");
  app->add_option("--add-obstacles", out->added, "planes, and ellipsoids, around each plan")
      ->check(CLI::NonNegativeNumber);
#ifdef ALLCLEAR_WITH_OMPL
  app->add_option("--rival", out->rival, "plan the same problems by this, too")
      ->check(CLI::IsMember({"OMPL"}));
#endif
  app->add_option("--contact", out->contact, "limit contacts with this region of the human body");
  app->add_option("--csv", out->csv, "the rows; those in it are not planned again");
  app->add_option("--json", out->json, "write the figures to this file");
}

void findFiles(Arguments* out) {
  const char* data = std::getenv("ALLCLEAR_DATA");
  if (out->given.empty()) {
    out->given.push_back(fs::path(data ? data : "../shared/data") / "problems");
  }
  for (const fs::path& path : out->given) {
    if (fs::is_regular_file(path)) {
      out->files.push_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      const bool reference = entry.path().string().find("reference_paths") != std::string::npos;
      if (entry.path().extension() == ".json" && !reference) out->files.push_back(entry.path());
    }
  }
  std::sort(out->files.begin(), out->files.end());
}

struct Row {
  std::string scene;
  int index = 0;
  std::string status;
  double seconds = 0, iterations = 0, duration = 0, length_ratio = 0, clearance = 0;
  double samples = 0, violations = 0;  ///< of the independent check
  double least_room = 0;               ///< its least distance beyond the margin [m]
  double proofs = 0, cells = 0, kilobytes = 0, prove_seconds = 0, check_seconds = 0;
  double rivals = 0, rival_solved = 0, rival_seconds = 0, rival_length = 0;
  double rival_contacts = 0, rival_short = 0;    ///< samples of its path
  double first_seconds = 0, first_duration = 0;  ///< of the first certified plan
  double duration_at_1s = 0;                     ///< of the best plan after a second, or the first
  double least = 0, pass = 0;                    ///< [s], see above
  double jerk = 0;                      ///< root of the mean squared share of the jerk limits
  double free_first = 0, free_end = 0;  ///< [s] to plan without the added obstacles; 0: none added
  bench::ContactRatio contact;          ///< 0: contacts are not limited
};

constexpr int kNumbers = 31;
template <class R>
auto numbersOf(R& r) {
  return std::array{&r.seconds,
                    &r.iterations,
                    &r.duration,
                    &r.length_ratio,
                    &r.clearance,
                    &r.samples,
                    &r.violations,
                    &r.least_room,
                    &r.proofs,
                    &r.cells,
                    &r.kilobytes,
                    &r.prove_seconds,
                    &r.check_seconds,
                    &r.first_seconds,
                    &r.first_duration,
                    &r.duration_at_1s,
                    &r.least,
                    &r.pass,
                    &r.jerk,
                    &r.rivals,
                    &r.rival_solved,
                    &r.rival_seconds,
                    &r.rival_length,
                    &r.rival_contacts,
                    &r.rival_short,
                    &r.free_first,
                    &r.free_end,
                    &r.contact.cpu,
                    &r.contact.free_cpu,
                    &r.contact.duration,
                    &r.contact.free_duration};
}

double pathLength(const Trajectory& trajectory) {
  double length = 0.0;
  VecX before = trajectory.value(0.0);
  for (int i = 1; i <= 400; ++i) {
    const VecX here = trajectory.value(trajectory.duration() * i / 400);
    length += (here - before).norm();
    before = here;
  }
  return length;
}

void check([[maybe_unused]] const Problem& problem, [[maybe_unused]] const Trajectory& trajectory,
           [[maybe_unused]] int samples, [[maybe_unused]] Row* row) {
#ifdef ALLCLEAR_WITH_FCL
  if (samples == 0) return;
  const auto result =
      bench::FclPlanCheck(problem).run(trajectory, samples, static_cast<unsigned>(row->index));
  row->samples = static_cast<double>(result.samples);
  row->violations = static_cast<double>(result.violations);
  row->least_room = result.least;
  if (result.violations > 0) {
    std::fprintf(stderr, "%s %d: FCL finds %s %.3g m short of the margin\n", row->scene.c_str(),
                 row->index, result.worst.c_str(), -result.least);
  }
#endif
}

ObjectiveWeights objectiveOf(const std::string& word) {
  if (word == "min_time") return ObjectiveWeights::minTime();
  if (word == "smooth") return ObjectiveWeights::smooth();
  return word == "short" ? ObjectiveWeights::shortest() : ObjectiveWeights::balanced();
}

void limitContacts(const std::string& region, Problem* problem) {
  if (region.empty()) return;
  const ContactLimit* limit = findBodyRegion(region);
  if (limit == nullptr) throw InputError("no region '" + region + "' in docs/contact-limits.md");
  problem->limits.contact = {*limit};
  problem->robot = bench::withKnownMasses(problem->robot);
}

double jerkShare(const PlannedLimits& limits, const Trajectory& trajectory) {
  constexpr int kSamples = 2000;
  double sum = 0.0;
  for (int i = 0; i < kSamples; ++i) {
    const double t = trajectory.duration() * (i + 0.5) / kSamples;
    sum += trajectory.value(t, 3).cwiseQuotient(limits.jerk).squaredNorm() / kSamples;
  }
  return std::sqrt(sum);
}

/// What the plan took and what it could have taken.
void addDurations(const Problem& problem, const Plan& plan, Row* row) {
  constexpr double kSecond = 1.0;
  const std::vector<PlanStep>& steps = plan.statistics.steps;
  const Trajectory& trajectory = *plan.trajectory;
  const PlannedLimits limits = plannedLimits(problem);
  row->first_seconds = steps.front().seconds;
  row->first_duration = steps.front().duration;
  for (const PlanStep& step : steps) {
    if (&step == &steps.front() || step.seconds <= kSecond) row->duration_at_1s = step.duration;
  }
  row->least = test::perJointLeastTime(limits, trajectory.value(0.0),
                                       trajectory.value(trajectory.duration()));
  row->pass = std::max(row->least, test::TimeOptimalPass(limits, trajectory).seconds());
  row->jerk = jerkShare(limits, trajectory);
}

void printSteps(const Row& row, const PlanStatistics& statistics) {
  for (const PlanStep& step : statistics.steps) {
    std::fprintf(stderr, "%s %d: %6.3f s, %2d attempts, %4d iterations: %.3f s, cost %.4f, %s\n",
                 row.scene.c_str(), row.index, step.seconds, step.attempts, step.iterations,
                 step.duration, step.cost, step.origin.c_str());
  }
  std::fprintf(stderr, "  end: %.3f s, of these certificates %.3f s, solver %.3f s, seeds %.3f s\n",
               statistics.seconds, statistics.certify_seconds, statistics.solve_seconds,
               statistics.seed_seconds);
}

/// A proof that is not accepted is named on stderr.
void prove(const Problem& problem, const Certificate& certificate, const std::string& checker,
           Row* row) {
  if (checker.empty()) return;
  const bench::ProofFigures proof = bench::proveAndCheck(problem, certificate, checker);
  row->proofs = proof.accepted ? 1.0 : 0.0;
  row->cells = proof.cells;
  row->kilobytes = 1e-3 * proof.bytes;
  row->prove_seconds = proof.prove_seconds;
  row->check_seconds = proof.check_seconds;
  if (!proof.accepted) {
    std::fprintf(stderr, "%s %d: the proof is refused\n", row->scene.c_str(), row->index);
  }
}

void planByRival([[maybe_unused]] const Problem& problem,
                 [[maybe_unused]] const Arguments& arguments, [[maybe_unused]] Row* row) {
#ifdef ALLCLEAR_WITH_OMPL
  if (arguments.rival.empty()) return;
  const auto found = bench::planByOmpl(problem, arguments.time, arguments.check,
                                       static_cast<unsigned>(row->index));
  row->rivals = 1.0;
  row->rival_solved = found.solved ? 1.0 : 0.0;
  row->rival_seconds = found.seconds;
  row->rival_length = found.length_ratio;
  row->rival_contacts = static_cast<double>(found.contacts);
  row->rival_short = static_cast<double>(found.short_of_margin);
#endif
}

/// Plans without them first. False, with a status, when that fails or nothing free is found.
bool addObstacles(const Arguments& arguments, const PlanOptions& options, Problem* problem,
                  Row* row) {
  const Plan free = allclear::plan(*problem, options);
  row->status = "no plan without the added obstacles";
  if (free.status != PlanStatus::kCertified) return false;
  row->free_first = free.statistics.steps.front().seconds;
  row->free_end = free.statistics.seconds;
  // Between the instants at which it looks, an obstacle may be too near: another draw then.
  constexpr unsigned kDraws = 5;
  for (unsigned draw = 0; draw < kDraws; ++draw) {
    Problem crowded = *problem;
    const unsigned seed = kDraws * static_cast<unsigned>(row->index) + draw;
    if (!bench::addFreeObstacles(*free.trajectory, arguments.added, seed, &crowded)) continue;
    *problem = std::move(crowded);
    return true;
  }
  row->status = "nothing free to add";
  return false;
}

/// Plans without contact limits, for comparison.
void planFree(Problem problem, const PlanOptions& options, Row* row) {
  problem.limits.contact.clear();
  const double start = bench::processorSeconds();
  const Plan plan = allclear::plan(problem, options);
  if (plan.status != PlanStatus::kCertified) return;
  row->contact.free_cpu = bench::processorSeconds() - start;
  row->contact.free_duration = plan.trajectory->duration();
}

Row planOne(const ProblemSet& set, int index, const Arguments& arguments) {
  Row row;
  row.scene = set.robotName() + "/" + set.scene();
  row.index = index;
  Problem problem = set.problem(index);
  PlanOptions options;
  options.time_limit = arguments.time;
  options.attempts = 1000;
  options.threads = 1;
  options.seed = arguments.seed;
  options.improve = arguments.improve;
  problem.collision.geometry = arguments.geometry;
  problem.objective = objectiveOf(arguments.objective);
  limitContacts(arguments.contact, &problem);
  try {
    if (arguments.added > 0 && !addObstacles(arguments, options, &problem, &row)) return row;
    if (!arguments.contact.empty()) planFree(problem, options, &row);
    const double start = bench::processorSeconds();
    const Plan plan = allclear::plan(problem, options);
    if (!arguments.contact.empty() && plan.status == PlanStatus::kCertified) {
      row.contact.cpu = bench::processorSeconds() - start;
      row.contact.duration = plan.trajectory->duration();
    }
    row.status = plan.status == PlanStatus::kCertified ? "certified" : planStatusName(plan.status);
    if (plan.message.find("at the start") != std::string::npos ||
        plan.message.find("at the goal") != std::string::npos) {
      row.status = "end in contact";
    }
    row.seconds = row.first_seconds = plan.statistics.seconds;
    row.iterations = plan.statistics.iterations;
    if (plan.status == PlanStatus::kCertified) {
      row.duration = plan.trajectory->duration();
      const double straight =
          (plan.trajectory->value(row.duration) - plan.trajectory->value(0.0)).norm();
      row.length_ratio = pathLength(*plan.trajectory) / std::max(straight, 1e-9);
      row.clearance = plan.certificate->minimum_clearance.lower;
      addDurations(problem, plan, &row);
      if (arguments.steps) printSteps(row, plan.statistics);
      check(problem, *plan.trajectory, arguments.check, &row);
      prove(problem, *plan.certificate, arguments.checker, &row);
    }
    planByRival(problem, arguments, &row);
  } catch (const std::exception& error) {
    row.status = std::string("error: ") + error.what();
    std::replace(row.status.begin(), row.status.end(), ',', ';');
  }
  return row;
}

std::string formatted(const Row& r) {
  std::ostringstream out;
  out.precision(9);
  out << r.scene << "," << r.index << "," << r.status;
  for (const double* number : numbersOf(r)) out << "," << *number;
  out << "\n";
  return out.str();
}

std::vector<Row> readRows(const std::string& csv) {
  std::vector<Row> rows;
  std::ifstream in(csv);
  for (std::string line; std::getline(in, line);) {
    std::stringstream cells(line);
    Row r;
    std::string cell[3 + kNumbers];
    for (std::string& c : cell) std::getline(cells, c, ',');
    if (cell[7].empty() || cell[0] == "scene") continue;
    r.scene = cell[0];
    r.index = std::stoi(cell[1]);
    r.status = cell[2];
    const auto numbers = numbersOf(r);
    for (int i = 0; i < kNumbers; ++i) {
      if (!cell[3 + i].empty()) *numbers[i] = std::stod(cell[3 + i]);
    }
    rows.push_back(r);
  }
  return rows;
}

/// Child `job` of `jobs`: every so-manieth problem that has no row yet. Each row is one append.
void work(const Arguments& arguments, int job, const std::set<std::pair<std::string, int>>& done) {
  int count = 0;
  for (const fs::path& file : arguments.files) {
    const ProblemSet set = ProblemSet::load(file);
    const std::string scene = set.robotName() + "/" + set.scene();
    // What the first plan of a robot prepares would count as that plan's time.
    if (!arguments.contact.empty()) {
      PlanOptions options;
      options.threads = 1;
      options.time_limit = arguments.time;
      options.improve = Improve::kNone;
      bench::keep(allclear::plan(set.problem(0), options));
    }
    for (int i = 0; i < set.count(); i += arguments.every) {
      if (count++ % arguments.jobs != job || done.count({scene, i}) > 0) continue;
      const std::string line = formatted(planOne(set, i, arguments));
      std::ofstream(arguments.csv, std::ios::app) << line << std::flush;
    }
  }
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(q * static_cast<double>(values.size())))];
}

void summarise(const std::vector<Row>& rows, bench::Report* report) {
  std::map<std::string, std::vector<Row>> scenes;
  for (const Row& r : rows) scenes[r.scene].push_back(r);
  std::printf("%-24s %9s %9s %8s %9s %9s %6s %9s %7s %10s %9s %10s\n", "scene", "certified",
              "contact*", "of", "first s", "p95 s", "iter", "duration", "length", "clear mm",
              "samples**", "violations");
  double all_samples = 0, all_violations = 0;
  for (const auto& [scene, list] : scenes) {
    std::vector<double> seconds, iterations, duration, ratio, clearance;
    int certified = 0;
    int contact = 0;
    double samples = 0, violations = 0, least = INFINITY;
    for (const Row& r : list) {
      seconds.push_back(r.first_seconds);
      contact += r.status == "end in contact";
      if (r.status != "certified") continue;
      ++certified;
      iterations.push_back(r.iterations);
      duration.push_back(r.duration);
      ratio.push_back(r.length_ratio);
      clearance.push_back(1e3 * r.clearance);
      samples += r.samples;
      violations += r.violations;
      if (r.samples > 0) least = std::min(least, r.least_room);
    }
    all_samples += samples;
    all_violations += violations;
    std::printf("%-24s %9d %9d %8zu %9.3f %9.3f %6.0f %9.2f %7.3f %10.2f %9.0f %10.0f\n",
                scene.c_str(), certified, contact, list.size(), quantile(seconds, 0.5),
                quantile(seconds, 0.95), quantile(iterations, 0.5), quantile(duration, 0.5),
                quantile(ratio, 0.5), quantile(clearance, 0.5), samples, violations);
    report->figure(scene + ".certified_share", certified / static_cast<double>(list.size()));
    report->figure(scene + ".median_s", quantile(seconds, 0.5));
    report->figure(scene + ".p95_s", quantile(seconds, 0.95));
    report->figure(scene + ".length_ratio", quantile(ratio, 0.5));
    if (samples == 0) continue;
    report->figure(scene + ".fcl_samples", samples);
    report->figure(scene + ".fcl_violations", violations);
    report->figure(scene + ".fcl_least_beyond_margin_m", least);
  }
  report->figure("fcl_samples", all_samples);
  report->figure("fcl_violations", all_violations);
  std::printf(
      "* start or goal in contact as the planner models the bodies (meshes by convex pieces)\n");
  if (all_samples > 0) {
    std::printf(
        "** of certified plans, by FCL on the URDF's own meshes: %.0f of %.0f samples nearer "
        "than the margin\n",
        all_violations, all_samples);
  } else {
    std::printf("** FCL was not found when this was built, or --check 0\n");
  }
}

std::map<std::string, std::vector<Row>> certifiedByRobot(const std::vector<Row>& rows) {
  std::map<std::string, std::vector<Row>> robots;
  for (const Row& r : rows) {
    if (r.status == "certified") robots[r.scene.substr(0, r.scene.find('/'))].push_back(r);
  }
  return robots;
}

/// Medians per robot: times to plan, durations, and these over the two least ones.
void summariseDurations(const std::vector<Row>& rows, bench::Report* report) {
  std::printf("\n%-10s %9s %8s %8s %8s | %8s %8s %8s | %8s %8s %8s %8s %8s %8s\n", "medians",
              "certified", "first s", "p95 s", "end s", "dur.1st", "dur.1s", "dur.end", "/first",
              "/joints", "/pass", "max/pass", "free**", "jerk***");
  for (const auto& [robot, list] : certifiedByRobot(rows)) {
    std::vector<double> first, end, at_first, at_1s, at_end, gain, joints, pass, free, jerk;
    for (const Row& r : list) {
      first.push_back(r.first_seconds);
      end.push_back(r.seconds);
      at_first.push_back(r.first_duration);
      at_1s.push_back(r.duration_at_1s);
      at_end.push_back(r.duration);
      gain.push_back(r.duration / r.first_duration);
      joints.push_back(r.duration / r.least);
      pass.push_back(r.duration / r.pass);
      jerk.push_back(r.jerk);
      if (r.length_ratio < 1.01) free.push_back(r.duration / r.least);
    }
    const double worst = *std::max_element(pass.begin(), pass.end());
    std::printf(
        "%-10s %9zu %8.3f %8.3f %8.3f | %8.2f %8.2f %8.2f | %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f\n",
        robot.c_str(), list.size(), quantile(first, 0.5), quantile(first, 0.95), quantile(end, 0.5),
        quantile(at_first, 0.5), quantile(at_1s, 0.5), quantile(at_end, 0.5), quantile(gain, 0.5),
        quantile(joints, 0.5), quantile(pass, 0.5), worst, quantile(free, 0.5),
        quantile(jerk, 0.5));
    report->figure(robot + ".first_s", quantile(first, 0.5));
    report->figure(robot + ".first_p95_s", quantile(first, 0.95));
    report->figure(robot + ".duration_first_s", quantile(at_first, 0.5));
    report->figure(robot + ".duration_at_1s", quantile(at_1s, 0.5));
    report->figure(robot + ".duration_s", quantile(at_end, 0.5));
    report->figure(robot + ".duration_over_joints", quantile(joints, 0.5));
    report->figure(robot + ".duration_over_pass", quantile(pass, 0.5));
    report->figure(robot + ".duration_over_pass_max", worst);
  }
  std::printf(
      "/first, /joints, /pass: durations over that of the first plan, over each joint's least "
      "time, "
      "over a pass along the plan's path\n** /joints of paths that are straight to 1 %%\n"
      "*** root of the mean squared share of the jerk limits\n");
}

/// Of problems that have a plan without the added obstacles: how many have one among them, and the
/// times of these over those without.
void summariseAdded(const std::vector<Row>& rows, bench::Report* report) {
  std::vector<double> first, end;
  double with_first = 0, with_end = 0, free_first = 0, free_end = 0;
  int added = 0;
  for (const Row& r : rows) {
    if (r.free_end == 0.0 || r.status == "nothing free to add") continue;
    ++added;
    if (r.status != "certified") {
      std::printf("among added obstacles: %s %d: %s\n", r.scene.c_str(), r.index, r.status.c_str());
      continue;
    }
    first.push_back(r.first_seconds / r.free_first);
    end.push_back(r.seconds / r.free_end);
    with_first += r.first_seconds, free_first += r.free_first;
    with_end += r.seconds, free_end += r.free_end;
  }
  std::printf(
      "\nadded obstacles: %zu of %d certified; time over that without them: first plan %.3f "
      "(median %.3f), end %.3f (median %.3f)\n",
      first.size(), added, with_first / free_first, quantile(first, 0.5), with_end / free_end,
      quantile(end, 0.5));
  report->figure("added.certified_share", static_cast<double>(first.size()) / std::max(1, added));
  report->figure("added.first_ratio", with_first / free_first);
  report->figure("added.end_ratio", with_end / free_end);
}

void summariseContacts(const std::vector<Row>& rows, bench::Report* report) {
  std::vector<bench::ContactRatio> all;
  for (const Row& r : rows) all.push_back(r.contact);
  bench::printContactRatios(all, report);
}

void summariseProofs(const std::vector<Row>& rows, bench::Report* report) {
  std::printf("\n%-24s %9s %9s %8s %8s %9s %9s\n", "proofs (medians)", "certified", "accepted",
              "cells", "kB", "prover s", "checker s");
  for (const auto& [robot, list] : certifiedByRobot(rows)) {
    std::vector<double> cells, kilobytes, prove, check;
    double accepted = 0.0;
    for (const Row& r : list) {
      accepted += r.proofs;
      cells.push_back(r.cells);
      kilobytes.push_back(r.kilobytes);
      prove.push_back(r.prove_seconds);
      check.push_back(r.check_seconds);
    }
    std::printf("%-24s %9zu %9.0f %8.0f %8.0f %9.3f %9.3f\n", robot.c_str(), list.size(), accepted,
                quantile(cells, 0.5), quantile(kilobytes, 0.5), quantile(prove, 0.5),
                quantile(check, 0.5));
    report->figure(robot + ".proofs_accepted", accepted);
    report->figure(robot + ".proof_kilobytes", quantile(kilobytes, 0.5));
    report->figure(robot + ".proof_check_s", quantile(check, 0.5));
  }
}

void summariseRival(const std::vector<Row>& rows, bench::Report* report) {
  std::vector<bench::ComparedPlan> plans;
  for (const Row& r : rows) {
    if (r.rivals == 0.0) continue;
    plans.push_back({r.scene, r.status == "certified", r.violations > 0.0, r.seconds,
                     r.length_ratio, r.rival_solved > 0.0, r.rival_contacts > 0.0,
                     r.rival_short > 0.0, r.rival_seconds, r.rival_length});
  }
  bench::printRivalTable(plans, report);
}

}  // namespace
}  // namespace allclear

int main(int argc, char** argv) {
  using namespace allclear;
  bench::Report report(argc, argv);
  Arguments arguments;
  CLI::App app("plans the problems of `planning_problems_v1` files");
  addOptions(&app, &arguments);
  CLI11_PARSE(app, argc, argv);
  findFiles(&arguments);
  std::set<std::pair<std::string, int>> done;
  for (const Row& row : readRows(arguments.csv)) done.insert({row.scene, row.index});
  std::vector<pid_t> children;
  for (int job = 0; job < arguments.jobs; ++job) {
    const pid_t child = ::fork();
    if (child == 0) {
      work(arguments, job, done);
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) ::waitpid(child, nullptr, 0);
  summarise(readRows(arguments.csv), &report);
  summariseDurations(readRows(arguments.csv), &report);
  if (!arguments.checker.empty()) summariseProofs(readRows(arguments.csv), &report);
  if (arguments.added > 0) summariseAdded(readRows(arguments.csv), &report);
  if (!arguments.contact.empty()) summariseContacts(readRows(arguments.csv), &report);
  if (!arguments.rival.empty()) summariseRival(readRows(arguments.csv), &report);
  return 0;
}
