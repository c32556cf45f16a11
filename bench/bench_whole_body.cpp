// The whole-body tasks of the thesis on JVRC-1, and one that leans on a table: what planning and
// certifying each takes and gives, beside the figures of the design notes; variations of them; the
// first three with every pair of links; and the times of single minima beside the thesis's tables.
//   bench_whole_body [--tasks FOLDER] [--only NAME..] [--variations N] [--all-pairs] [--calls]
//                    [--json F]
// `FOLDER/make_scene.py` has to be run once before: it makes the robot and the cup.
// All times are of one thread, and CPU time: other work on the machine does not count. The notes'
// are of an idle machine.
#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

#include "allclear/core/input_error.h"
#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/posture/posture.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/load_robot.h"
#include "bench/support/bench_report.h"
#include "bench/support/whole_body_calls.h"
#include "bench/support/whole_body_figures.h"
#include "bench/support/whole_body_samples.h"
#include "bench/support/whole_body_tasks.h"

namespace allclear::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kVaried = 0.03;   ///< [m] by which hands and statues are moved
constexpr int kMostFewCalls = 16;  ///< of a slow rival, every so manieth call is timed
constexpr int kVariedTasks = 6;
constexpr double kLookFar = 0.2;  ///< [m] beyond what is asked for

struct Arguments {
  fs::path tasks = "bench/tasks/whole_body";
  std::vector<std::string> only;
  int variations = 30;
  bool all_pairs = false;
  bool calls = false;
  std::string json;
};

bool isWanted(const Arguments& arguments, const std::string& name) {
  return arguments.only.empty() ||
         std::count(arguments.only.begin(), arguments.only.end(), name) > 0;
}

void printHead() {
  std::printf("%-16s %-9s %5s %9s %5s %7s %7s %9s %9s %8s %6s\n", "task", "", "pairs", "straight",
              "iter", "solve", "certify", "clearance", "drift", "ZMP", "torque");
  std::printf("%-16s %-9s %5s %9s %5s %7s %7s %9s %9s %8s %6s\n", "", "", "", "mm", "", "s", "s",
              "mm", "nm", "mm", "share");
}

void print(const std::string& name, const Figures& f, const NotedFigures* noted, Report* report) {
  std::printf("%-16s %-9s %5d %9.1f %5.0f %7.2f %7.2f %9.2f %9.1f %8.1f %6.2f\n", name.c_str(),
              f.status.c_str(), f.pairs, 1e3 * f.straight, f.iterations, f.solve, f.certify,
              1e3 * f.clearance, 1e9 * f.drift, 1e3 * f.zmp, f.torque);
  const std::string key = "whole_body." + name + ".";
  report->figure(key + "certified", f.status == "certified" ? 1.0 : 0.0);
  report->figure(key + "iterations", f.iterations);
  report->figure(key + "solve_s", f.solve);
  report->figure(key + "certify_s", f.certify);
  report->figure(key + "clearance_mm", 1e3 * f.clearance);
  report->figure(key + "drift_nm", 1e9 * f.drift);
  report->figure(key + "zmp_mm", 1e3 * f.zmp);
  report->figure(key + "torque_share", f.torque);
  if (noted != nullptr) {
    std::printf("%-16s %-9s %5s %9.1f %5.0f %7.2f %7.2f %9.2f %9.1f %8.1f %6.2f\n", "", "noted", "",
                noted->straight_mm, noted->iterations, noted->solve_s, noted->certify_s,
                noted->clearance_mm, noted->drift_nm, noted->zmp_mm, noted->torque_share);
  }
  std::fflush(stdout);
}

/// The task's own problem with new postures at both ends and its statues moved; empty when no
/// posture was found for an end.
std::optional<Problem> varied(const Problem& task, const WholeBodyTask& definition,
                              std::mt19937_64& engine) {
  Problem problem = task;
  for (Obstacle& obstacle : problem.obstacles) {
    if (obstacle.id.ends_with("statue")) obstacle.X_WO.p += randomShift(engine, kVaried);
  }
  const auto found = [&](const PostureOf& posture) -> std::optional<VecX> {
    std::unique_ptr<ClearanceEvaluator> evaluator;
    const PostureTarget target = targetOf(problem, posture, kVaried, engine);
    const std::vector<Posture> postures = findPostures(problem, target, RunContext{}, &evaluator);
    if (!postures.empty()) return postures.front().q;
    std::printf("  %s\n", postureFault(*evaluator, target).c_str());
    return std::nullopt;
  };
  const auto start = found(definition.start), goal = found(definition.goal);
  if (!start || !goal) return std::nullopt;
  for (int k = 0; k < problem.plannedCount(); ++k) problem.start[problem.planned[k]] = (*start)[k];
  problem.goal = JointTarget{problem.planned, *goal};
  return problem;
}

void runVariations(const Arguments& arguments, Report* report) {
  int made = 0, with_postures = 0, certified = 0;
  std::printf("\nvariations: hands and statues moved by up to %.0f mm\n", 1e3 * kVaried);
  for (const WholeBodyTask& definition : wholeBodyTasks()) {
    if (!definition.is_varied || !isWanted(arguments, definition.name)) continue;
    const Task task = loadTask(arguments.tasks / (definition.name + ".yaml"));
    std::mt19937_64 engine(1);
    for (int i = 0; i < arguments.variations / kVariedTasks; ++i) {
      const auto problem = varied(task.problem, definition, engine);
      ++made;
      if (!problem) {
        std::printf("%-16s %2d no posture\n", definition.name.c_str(), i);
        continue;
      }
      ++with_postures;
      const Figures f = planOne(*problem, task.options, nullptr);
      certified += f.status == "certified";
      std::printf("%-16s %2d %s, %.0f iterations, %.2f s, %.2f mm\n", definition.name.c_str(), i,
                  f.status.c_str(), f.iterations, f.solve, 1e3 * f.clearance);
      std::fflush(stdout);
    }
  }
  std::printf("%d variations, %d with postures, %d certified (noted: 30, 29, 29)\n", made,
              with_postures, certified);
  report->figure("whole_body.variations", made);
  report->figure("whole_body.variations_with_postures", with_postures);
  report->figure("whole_body.variations_certified", certified);
}

/// The task without its SRDF: then every two links that are no neighbours are a pair. Written
/// beside the robot, as the task names its files relative to itself.
fs::path withAllPairs(const fs::path& task) {
  std::ifstream in(task);
  std::ostringstream out;
  for (std::string line; std::getline(in, line);) {
    if (line.find("  srdf:") == 0) continue;
    const auto replace = [&](const std::string& from, const std::string& to) {
      const std::size_t at = line.find(from);
      if (at != std::string::npos) line.replace(at, from.size(), to);
    };
    replace("made/", "");
    replace("../../../../shared", "../../../../../shared");
    out << line << "\n";
  }
  const fs::path path = task.parent_path() / "made" / ("all_pairs_" + task.filename().string());
  std::ofstream(path) << out.str();
  return path;
}

/// Capsules of links on the two sides of a short one (chest and head, chest and upper arm) are
/// nearer than the margin in any posture: pairs that are so at an end need not stay apart. The
/// others all must.
void allowTouching(Problem* problem) {
  const ClearanceEvaluator evaluator(*problem, firstPolicy(*problem));
  ClearanceEvaluator::Workspace workspace(evaluator);
  std::set<int> pairs;
  const auto addTouching = [&](const VecX& q) {
    std::vector<Clearance> near;
    // Of the ends an evaluator asks for no more than they have: look farther, then at the margin.
    evaluator.pairsAtRest(q, std::nullopt, kLookFar, workspace, &near);
    for (const Clearance& c : near) {
      if (c.upper < problem->collision.margin) pairs.insert(c.pair);
    }
  };
  addTouching(problem->plannedPart(problem->start));
  addTouching(std::get<JointTarget>(problem->goal).values);
  std::printf("left out, as their capsules touch at an end:");
  for (int pair : pairs) {
    const CollisionPair& touch = evaluator.model().pairs[pair];
    const std::string &a = evaluator.model().bodies[touch.a].name,
                      &b = evaluator.model().bodies[touch.b].name;
    problem->collision.allowed.emplace_back(a, b);
    std::printf(" %s-%s", a.c_str(), b.c_str());
  }
  std::printf("\n");
}

void runAllPairs(const Arguments& arguments, Report* report) {
  std::printf("\nevery two links that are no neighbours\n");
  printHead();
  double few = 0.0, all = 0.0;
  for (const std::string name : {"crossing", "twisting", "picking_behind"}) {
    // The task's own pairs once more, so that both times are of the same minutes.
    const Task own = loadTask(arguments.tasks / (name + ".yaml"));
    const Figures with_own = planOne(own.problem, own.options, nullptr);
    print(name, with_own, nullptr, report);
    Task task = loadTask(withAllPairs(arguments.tasks / (name + ".yaml")));
    allowTouching(&task.problem);
    const Figures with_all = planOne(task.problem, task.options, nullptr);
    print(name + "_all", with_all, nullptr, report);
    few += with_own.solve + with_own.certify;
    all += with_all.solve + with_all.certify;
  }
  std::printf("solve and certify with all pairs over the tasks' own: %.2f\n", all / few);
  report->figure("whole_body.all_pairs_ratio", all / few);
}

/// One row of times [ms] by each algorithm, beside the thesis's mean.
void printCalls(const std::string& name, const PlanCalls& calls, bool capsules, double thesis,
                Report* report) {
  using enum ReferenceAlgorithm;
  struct Way {
    std::string name;
    std::optional<ReferenceAlgorithm> algorithm;
    int stride;
  };
  const std::vector<Way> ways = capsules ? std::vector<Way>{{"golden", kGolden, 1},
                                                            {"advancement", kAdvancement, 1},
                                                            {"hybrid", kHybrid, 1},
                                                            {"certified", std::nullopt, 1}}
                                         : std::vector<Way>{{"sampling", kSampling, kMostFewCalls},
                                                            {"subdivision", kSubdivision, 1},
                                                            {"space-time", std::nullopt, 1}};
  for (const Way& way : ways) {
    const Statistics s = statisticsOf(timedCalls(calls, way.algorithm, way.stride));
    const bool is_thesis = way.name == "hybrid" || way.name == "subdivision";
    std::printf("%-16s %-12s %10.4f %10.4f %10.4f", name.c_str(), way.name.c_str(), s.mean,
                s.median, s.p99);
    std::printf(is_thesis ? " %10.2f\n" : "          -\n", thesis);
    std::fflush(stdout);
    report->figure("whole_body.call." + name + "." + way.name + "_ms", s.mean);
  }
}

/// Table 6.3 of the thesis has a mean for its hybrid search (capsules) and its adaptive subdivision
/// (meshes), on a machine of 2017.
void runCalls(const Arguments& arguments, Report* report) {
  struct Entry {
    std::string name;
    bool capsules;
    double thesis_ms;
  };
  const std::vector<Entry> entries{
      {"crossing", true, 0.74},           {"twisting", true, 0.78},  {"picking_behind", true, 1.19},
      {"twisting_meshes", false, 125.39}, {"passing", false, 25.71}, {"placing", false, 33.31}};
  std::printf("\none minimum over one of %d stretches, one pair, tolerance %g m [ms]\n",
              kStretchesOfMotion, kCallTolerance);
  std::printf("%-16s %-12s %10s %10s %10s %10s\n", "task", "search", "mean", "median", "p99",
              "thesis");
  for (const Entry& entry : entries) {
    const Task task = loadTask(arguments.tasks / (entry.name + ".yaml"));
    PlanOptions options = task.options;
    options.threads = 1;
    const Plan plan = allclear::plan(task.problem, options);
    if (plan.status != PlanStatus::kCertified) continue;
    PlanCalls calls(task.problem, *plan.trajectory, entry.capsules);
    printCalls(entry.name, calls, entry.capsules, entry.thesis_ms, report);
    if (!report->isWritten()) continue;
    if (entry.name == "crossing") {
      report->plot(plotOf(calls.plot("R_WRIST_Y_S", "L_WRIST_Y_S", "whole_body_crossing_hands",
                                     "Hands crossing: distance of the hands' capsules (red), and "
                                     "what is proven of each stretch (green)")));
    }
    if (entry.name == "twisting_meshes") {
      report->plot(plotOf(calls.plot("R_HIP_Y_S", "R_WRIST_Y_S", "whole_body_twisting_hip_hand",
                                     "Twisting: distance of right hip and hand (red), and what is "
                                     "proven of each stretch (green)")));
    }
  }
}

/// Over certified: at most 1. Cones: at least their certified bound, so that no room is negative.
void printSamples(const std::vector<std::pair<std::string, SampledBounds>>& all, Report* report) {
  std::printf("\n%d samples of each, by the robot with its base free\n", kSamples + 1);
  std::printf("%-16s %9s %9s %9s %11s\n", "task", "drift", "torque", "cones", "over bound");
  for (const auto& [name, s] : all) {
    std::printf("%-16s %9.4f %9.4f %9.4f %11.2e %s\n", name.c_str(), s.drift, s.torque, s.cone,
                s.cone_room, s.hold() ? "all within their bounds" : "BEYOND A BOUND");
    const std::string key = "whole_body." + name + ".sampled_";
    report->figure(key + "drift_share", s.drift);
    report->figure(key + "torque_share", s.torque);
    report->figure(key + "cone_room", s.cone_room);
  }
}

RobotModel freeRobot(const fs::path& tasks) {
  RobotSource source;
  source.urdf = tasks / "made" / "jvrc1.urdf";
  source.base = BaseJoint::kFloating;
  source.load_collision = false;
  return loadRobot(source);
}

void run(const Arguments& arguments) {
  Report report(arguments.json);
  const RobotModel free_robot = freeRobot(arguments.tasks);
  std::vector<std::pair<std::string, SampledBounds>> samples;
  printHead();
  for (const WholeBodyTask& definition : wholeBodyTasks()) {
    if (!isWanted(arguments, definition.name)) continue;
    const Task task = loadTask(arguments.tasks / (definition.name + ".yaml"));
    const Figures figures = planOne(task.problem, task.options, &free_robot);
    print(definition.name, figures, &definition.noted, &report);
    if (figures.sampled) samples.emplace_back(definition.name, *figures.sampled);
  }
  printSamples(samples, &report);
  if (arguments.all_pairs) runAllPairs(arguments, &report);
  if (arguments.variations > 0) runVariations(arguments, &report);
  if (arguments.calls) runCalls(arguments, &report);
}

}  // namespace
}  // namespace allclear::bench

int main(int argc, char** argv) {
  CLI::App app("The whole-body tasks of the thesis");
  allclear::bench::Arguments arguments;
  app.add_option("--tasks", arguments.tasks, "folder of the tasks");
  app.add_option("--only", arguments.only, "these tasks");
  app.add_option("--variations", arguments.variations, "of all tasks together; 0: none");
  app.add_flag("--all-pairs", arguments.all_pairs, "the first three with every pair of links");
  app.add_flag("--calls", arguments.calls, "times of single minima");
  app.add_option("--json", arguments.json,
                 "write the figures and the series of plots to this file");
  CLI11_PARSE(app, argc, argv);
  try {
    allclear::bench::run(arguments);
  } catch (const allclear::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
