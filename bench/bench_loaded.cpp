// What stays loaded saves: the time of one plan by the command in a process of its own, with and
// without covers on disk, beside that of a planner that is loaded (`Planner`). Of each: until the
// optimiser makes its first iteration, and until the plan is there; the least of several runs, so
// that other work on the machine counts as little as possible. Then the loaded planner's plans from
// near the last start, from rest, from a moving state and warm from the last plan.
//   bench_loaded [--command ALLCLEAR] [--problems N] [--rounds N] [--improve none|some] [--threads
//   N]
//                [--json F]
// On the shared problems (ALLCLEAR_DATA, else ../shared/data).
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "allclear/config/task_file.h"
#include "allclear/core/file.h"
#include "allclear/planner/loaded_planner.h"
#include "bench/support/bench_report.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

struct Arguments {
  fs::path command;
  int problems = 3, rounds = 5, threads = 1;
  std::string improve = "none", json;
};

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

fs::path dataFolder() {
  const char* data = std::getenv("ALLCLEAR_DATA");
  return fs::absolute(data != nullptr ? data : "../shared/data");
}

/// One of the shared problems as a task; JSON is YAML.
Json taskOf(const Json& set, const Json& problem) {
  Json packages;
  for (const auto& entry : fs::directory_iterator(dataFolder() / "robots")) {
    if (entry.is_directory()) packages[entry.path().filename().string()] = entry.path().string();
  }
  const auto file = [&](const char* key) {
    return (dataFolder() / "robots" / set.at(key).get<std::string>()).string();
  };
  Json task;
  task["robot"] = {{"urdf", file("urdf")}, {"srdf", file("srdf")}, {"package_map", packages}};
  const auto& names = problem.at("joint_names");
  task["joints"] = names;
  task["start_state"] = problem.at("fixed_joints");
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string name = names[k];
    task["start_state"][name] = problem.at("start")[k];
    task["goal"]["joint_constraints"][name] = problem.at("goals")[0][k];
  }
  for (const Json& obstacle : problem.at("obstacles")) {
    const auto& q = obstacle.at("pose").at("quat_wxyz");
    Json object = {{"id", obstacle.at("name")}, {"type", obstacle.at("type")}};
    object["dimensions"] = obstacle.at("type") == "box"
                               ? obstacle.at("size")
                               : Json::array({obstacle.at("length"), obstacle.at("radius")});
    object["pose"] = {{"position", obstacle.at("pose").at("xyz")},
                      {"orientation", {q[1], q[2], q[3], q[0]}}};
    task["scene"]["collision_objects"].push_back(object);
  }
  return task;
}

/// [s] until the optimiser's first iteration, and until the end.
struct Times {
  double begin = HUGE_VAL, end = HUGE_VAL;
  void take(const Times& other) {
    begin = std::min(begin, other.begin);
    end = std::min(end, other.end);
  }
};

/// One run of the command; its log says when it begins.
Times byCommand(const Arguments& arguments, const fs::path& task, const std::string& options) {
  const std::string line = "'" + arguments.command.string() + "' plan '" + task.string() +
                           "' --verbose --improve " + arguments.improve + " --threads " +
                           std::to_string(arguments.threads) + " " + options + " 2>&1";
  const auto start = Clock::now();
  Times times;
  std::FILE* output = ::popen(line.c_str(), "r");
  if (output == nullptr) return times;
  char text[4096];
  while (std::fgets(text, sizeof text, output) != nullptr) {
    if (std::string_view(text).starts_with("attempt") && !std::isfinite(times.begin)) {
      times.begin = secondsSince(start);
    }
  }
  const int status = ::pclose(output);
  times.end = status == 0 ? secondsSince(start) : HUGE_VAL;
  return times;
}

Times byPlanner(Planner& planner, const PlanQuery& query) {
  const auto start = Clock::now();
  Times times;
  PlanHooks hooks;
  hooks.progress = [&](const PlanProgress&) {
    times.begin = std::min(times.begin, secondsSince(start));
  };
  const Plan plan = planner.plan(query, hooks);
  times.end = plan.status == PlanStatus::kCertified ? secondsSince(start) : HUGE_VAL;
  return times;
}

PlanQuery queryOf(const Problem& problem) {
  return {problem.plannedPart(problem.start), problem.goal, {}, {}, {}, {}};
}

struct Row {
  Times cold, warm, loaded;   ///< the command without covers on disk, with; a planner
  Times near, moving, after;  ///< nearby: from rest, moving, warm from the last plan
};

/// A start 10 mrad (or mm) beside that of the problem.
PlanQuery nearby(const PlanQuery& query) {
  constexpr double kBeside = 0.01;
  PlanQuery out = query;
  for (Eigen::Index k = 0; k < out.start.size(); ++k)
    out.start[k] += k % 2 == 0 ? kBeside : -kBeside;
  return out;
}

Row measure(const Arguments& arguments, const fs::path& task, const Problem& problem,
            const PlanOptions& options) {
  Row row;
  Planner planner(problem, options);
  const PlanQuery query = queryOf(problem), near = nearby(query);
  PlanQuery moving = near;
  constexpr double kSpeed = 0.05;  // [rad/s or m/s], toward the goal
  const VecX way = problem.plannedPart(problem.start) - std::get<JointTarget>(problem.goal).values;
  moving.start_velocity = -kSpeed * way / std::max(1e-9, way.cwiseAbs().maxCoeff());
  byCommand(arguments, task, "");  // covers are on disk now
  byPlanner(planner, query);       // the first plan
  for (int round = 0; round < arguments.rounds; ++round) {
    row.cold.take(byCommand(arguments, task, "--no-cache"));
    row.warm.take(byCommand(arguments, task, ""));
    row.loaded.take(byPlanner(planner, query));
    row.near.take(byPlanner(planner, near));
    row.moving.take(byPlanner(planner, moving));
    planner.useWarmStart(true);
    byPlanner(planner, query);
    row.after.take(byPlanner(planner, near));
    planner.useWarmStart(false);
  }
  return row;
}

void printHead() {
  std::printf("%-27s %-15s %-15s %-15s %-11s %-15s %-15s %-15s\n", "[ms] first iteration, plan",
              "command", "covers on disk", "loaded", "ratios", "near, at rest", "near, moving",
              "near, warm");
}

void print(const std::string& name, const Row& row) {
  const auto pair = [](const Times& t) {
    char text[32];
    std::snprintf(text, sizeof text, "%5.1f %6.1f", 1e3 * t.begin, 1e3 * t.end);
    return std::string(text);
  };
  std::printf("%-27s %-15s %-15s %-15s %4.1f %5.1f  %-15s %-15s %-15s\n", name.c_str(),
              pair(row.cold).c_str(), pair(row.warm).c_str(), pair(row.loaded).c_str(),
              row.warm.begin / row.loaded.begin, row.warm.end / row.loaded.end,
              pair(row.near).c_str(), pair(row.moving).c_str(), pair(row.after).c_str());
  std::fflush(stdout);
}

void run(const Arguments& arguments) {
  bench::Report report(arguments.json);
  const test::TemporaryFolder folder;
  ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  ::unsetenv("ALLCLEAR_NO_CACHE");
  printHead();
  for (const std::string name :
       {"ur5/bookshelf_small", "ur5/box", "fetch/bookshelf_small", "fetch/box"}) {
    const Json set = Json::parse(readFile(dataFolder() / "problems" / (name + ".json")));
    for (int i = 0; i < arguments.problems; ++i) {
      const fs::path task = folder.path() / "task.yaml";
      std::ofstream(task) << taskOf(set, set.at("problems")[i]).dump(1);
      Task loaded = loadTask(task);
      loaded.options.improve = arguments.improve == "none" ? Improve::kNone : Improve::kSome;
      loaded.options.threads = arguments.threads;
      const Row row = measure(arguments, task, loaded.problem, loaded.options);
      const std::string key = name + " " + std::to_string(i);
      print(key, row);
      report.figure(key + " begin of a process", row.warm.begin);
      report.figure(key + " begin without covers", row.cold.begin);
      report.figure(key + " begin ratio", row.warm.begin / row.loaded.begin);
      report.figure(key + " plan ratio", row.warm.end / row.loaded.end);
      report.figure(key + " moving over rest", row.moving.end / row.near.end);
      report.figure(key + " warm start over cold", row.after.end / row.near.end);
    }
  }
}

}  // namespace
}  // namespace allclear

int main(int argc, char** argv) {
  CLI::App app{"What a loaded planner saves."};
  allclear::Arguments arguments;
  arguments.command =
      std::filesystem::absolute(argv[0]).parent_path().parent_path() / "apps" / "allclear";
  app.add_option("--command", arguments.command, "the program allclear")->check(CLI::ExistingFile);
  app.add_option("--problems", arguments.problems, "of each scene")->check(CLI::PositiveNumber);
  app.add_option("--rounds", arguments.rounds, "of which the least counts")
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", arguments.threads, "of each plan")->check(CLI::PositiveNumber);
  app.add_option("--improve", arguments.improve, "what follows the first certified plan")
      ->check(CLI::IsMember({"none", "some"}));
  app.add_option("--json", arguments.json, "write the figures to this file");
  CLI11_PARSE(app, argc, argv);
  allclear::run(arguments);
  return 0;
}
