// allclear distance: how far apart all pairs of bodies are in one configuration of a task's robot.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "allclear/apps/cache_options.h"
#include "allclear/apps/commands.h"
#include "allclear/apps/configuration_options.h"
#include "allclear/apps/json_text.h"
#include "allclear/apps/table.h"
#include "allclear/config/task_file.h"
#include "allclear/core/input_error.h"
#include "allclear/planner/certificate/instant.h"

namespace allclear {
namespace {

constexpr std::size_t kShownPairs = 12;

struct DistanceCommand {
  std::string task;
  std::string at = "start";
  ConfigurationOptions configuration;
  double time = 0.0;
  bool all = false;
  bool json = false;
  CacheOptions cache;
};

/// Distances and points, the nearest to its margin first. Fixed pairs come last: nothing that moves
/// changes them.
std::vector<PairDistance> measure(const Problem& problem, const VecX& q, double time) {
  std::vector<PairDistance> pairs =
      pairDistances(problem, certifiedGeometry(problem), q, time, true);
  std::stable_partition(pairs.begin(), pairs.end(),
                        [](const PairDistance& pair) { return !pair.fixed; });
  return pairs;
}

VecX configurationOf(const Problem& problem, const DistanceCommand& command) {
  if (command.configuration.isGiven()) {
    return command.configuration.read(*problem.robot, problem.planned, problem.start);
  }
  if (command.at == "start") return problem.start;
  const auto* joints = std::get_if<JointTarget>(&problem.goal);
  if (joints == nullptr) {
    throw InputError({problem.source_file, 0, "goal", ""},
                     "is no configuration: find one with `allclear ik` or `allclear posture`, and "
                     "give it as --configuration");
  }
  return problem.configuration(joints->values);
}

std::string shown(const Vec3& p) {
  return shownNumber(p.x()) + " " + shownNumber(p.y()) + " " + shownNumber(p.z());
}

bool keeps(const PairDistance& pair) { return pair.fixed || pair.distance >= pair.margin; }

void printText(const std::vector<PairDistance>& pairs, bool all) {
  Table table({"body", "body", ">distance [mm]", ">margin [mm]", ">slack [mm]",
               "closest point of the first [m]", "of the second [m]", ""});
  const std::size_t count = all ? pairs.size() : std::min(kShownPairs, pairs.size());
  // All pairs count for the verdict, whatever is shown.
  std::size_t unclear = 0;
  for (const PairDistance& pair : pairs) unclear += keeps(pair) ? 0 : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const PairDistance& pair = pairs[i];
    table.addRow({pair.a, pair.b, shortNumber(1e3 * pair.distance), shortNumber(1e3 * pair.margin),
                  shortNumber(1e3 * (pair.distance - pair.margin)), shown(pair.p_WA),
                  shown(pair.p_WB), pair.fixed ? "does not move" : ""});
  }
  table.print(std::cout);
  if (pairs.empty()) std::cout << "There are no pairs of bodies to keep apart.\n";
  if (count < pairs.size()) {
    std::cout << "and " << pairs.size() - count << " more pairs (--all lists them)\n";
  }
  if (unclear == 0) {
    std::cout << "All pairs that move keep their margins here.\n";
  } else {
    std::cout << unclear << (unclear == 1 ? " pair is" : " pairs are")
              << " nearer than the margin here.\n";
  }
}

void printJson(const Problem& problem, const VecX& q, const std::vector<PairDistance>& pairs) {
  nlohmann::ordered_json out;
  for (int c = 0; c < problem.robot->dimension(); ++c) {
    out["configuration"][problem.robot->coordinates()[c].name] = q[c];
  }
  out["pairs"] = nlohmann::ordered_json::array();
  bool is_clear = true;
  for (const PairDistance& pair : pairs) {
    is_clear = is_clear && keeps(pair);
    out["pairs"].push_back({{"a", pair.a},
                            {"b", pair.b},
                            {"distance", pair.distance},
                            {"margin", pair.margin},
                            {"moves", !pair.fixed},
                            {"point_a", {pair.p_WA.x(), pair.p_WA.y(), pair.p_WA.z()}},
                            {"point_b", {pair.p_WB.x(), pair.p_WB.y(), pair.p_WB.z()}}});
  }
  out["clear"] = is_clear;
  std::cout << jsonText(out);
}

int runDistance(const DistanceCommand& command) {
  const TaskOptions options{.covers = command.cache.covers(), .allow_segments = true};
  const Task task = loadTask(command.task, options);
  const Problem& problem = task.problem;
  if (task.sequence && command.at == "goal") {
    throw InputError({problem.source_file, 0, "segments", ""},
                     "has several goals: give a configuration (--configuration)");
  }
  const VecX q = configurationOf(problem, command);
  const std::vector<PairDistance> pairs = measure(problem, q, command.time);
  if (command.json) {
    printJson(problem, q, pairs);
  } else {
    for (const std::string& warning : problem.warnings) std::cerr << "warning: " << warning << "\n";
    printText(pairs, command.all);
  }
  return std::all_of(pairs.begin(), pairs.end(), keeps) ? kDone : kNotClear;
}

}  // namespace

void addDistance(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "distance", "Measure all pairs of bodies in one configuration of a task's robot.");
  const auto options = std::make_shared<DistanceCommand>();
  command->add_option("task", options->task, "the task")->required()->type_name("TASK.yaml");
  CLI::Option* at = command->add_option("--at", options->at, "which configuration of the task")
                        ->check(CLI::IsMember({"start", "goal"}))
                        ->capture_default_str();
  options->configuration.addTo(*command);
  at->excludes("--configuration");
  command
      ->add_option("--time", options->time, "where obstacles that move are, seconds from the start")
      ->type_name("S");
  command->add_flag("--all", options->all, "list every pair");
  command->add_flag("--json", options->json, "print JSON, with every pair");
  options->cache.addTo(*command);
  command->callback([options, &exit_code] { exit_code = runDistance(*options); });
}

}  // namespace allclear
