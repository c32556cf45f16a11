// allclear check: is a task well posed? Solves nothing.
//
// Reads the task, which checks files, keys and limits, and measures the pairs of bodies at start
// and goal (`checkProblem`).
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "allclear/apps/cache_options.h"
#include "allclear/apps/command_checks.h"
#include "allclear/apps/commands.h"
#include "allclear/apps/json_text.h"
#include "allclear/apps/sequence.h"
#include "allclear/apps/table.h"
#include "allclear/config/task_file.h"
#include "allclear/core/input_error.h"
#include "allclear/exports/report.h"
#include "allclear/planner/workcell.h"

namespace allclear {
namespace {

constexpr std::size_t kShownPairs = 5;

struct CheckOptions {
  std::string task;
  std::string report;
  bool json = false;
  CacheOptions cache;
};

/// Each mesh: closed or how open, and what stands for it.
void printMeshes(const Problem& problem) {
  Table table({"body", ">triangles", "mesh", "stands for"});
  for (const MeshStance& mesh : meshStances(problem)) {
    table.addRow({mesh.body, groupedNumber(mesh.triangles), mesh.closedness, mesh.stands_for});
  }
  if (table.empty()) return;
  std::cout << "\nmeshes:\n";
  table.print(std::cout);
}

/// Each stretch: the span of its clips, what that may be, and the body with the least room.
void printCables(const ProblemCheck::End& end) {
  if (end.cables.empty()) return;
  std::cout << "\n" << end.name << ", cables:\n";
  Table table({"stretch", ">span [mm]", ">at most [mm]", ">least room [mm]", "to"});
  for (const CableClearance& cable : end.cables) {
    table.addRow({cable.stretch, shortNumber(1e3 * cable.span), shortNumber(1e3 * cable.longest),
                  std::isfinite(cable.room) ? shortNumber(1e3 * cable.room) : "-", cable.nearest});
  }
  table.print(std::cout);
}

/// "1 obstacle", "2 obstacles".
std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// The report for people: counts, the nearest pairs of each end, notes, and the verdict last.
void printText(const Problem& problem, const ProblemCheck& report) {
  std::cout << problem.source_file << ": robot '" << problem.robot->name() << "', "
            << problem.plannedCount() << " planned joints, "
            << counted(problem.obstacles.size(), "obstacle") << ", "
            << counted(problem.attached.size(), "attached object") << "\n"
            << report.moving_pairs << " pairs of " << report.bodies << " bodies are considered; "
            << report.fixed_pairs << " more do not move relative to each other\n";
  printMeshes(problem);
  // The few nearest pairs of each end, faults or not: they show how much room there is.
  for (const ProblemCheck::End& end : report.ends) {
    if (end.pairs.empty()) continue;
    std::cout << "\n" << end.name << ", closest pairs:\n";
    Table table({"body", "body", ">distance [mm]", ">margin [mm]"});
    for (std::size_t i = 0; i < std::min(kShownPairs, end.pairs.size()); ++i) {
      const PairClearance& pair = end.pairs[i];
      table.addRow(
          {pair.a, pair.b, shortNumber(1e3 * pair.distance), shortNumber(1e3 * pair.margin)});
    }
    table.print(std::cout);
  }
  for (const ProblemCheck::End& end : report.ends) printCables(end);
  std::cout << "\n";
  for (const std::string& note : report.notes) std::cout << "note: " << note << "\n";
  if (report.faults.empty()) std::cout << "The task is well posed.\n";
  for (const std::string& fault : report.faults) std::cout << "At fault: " << fault << "\n";
}

nlohmann::ordered_json toJson(const std::vector<PairClearance>& pairs) {
  auto out = nlohmann::ordered_json::array();
  for (const PairClearance& pair : pairs) {
    out.push_back(
        {{"a", pair.a}, {"b", pair.b}, {"distance", pair.distance}, {"margin", pair.margin}});
  }
  return out;
}

/// The same as JSON, with all pairs that move.
void printJson(const Problem& problem, const ProblemCheck& report) {
  nlohmann::ordered_json out = {{"task", problem.source_file},
                                {"robot", problem.robot->name()},
                                {"planned_joints", problem.plannedCount()},
                                {"well_posed", report.faults.empty()},
                                {"faults", report.faults},
                                {"pairs", report.moving_pairs},
                                {"fixed_pairs", report.fixed_pairs},
                                {"static_contacts", toJson(report.static_contacts)},
                                {"notes", report.notes},
                                {"warnings", problem.warnings}};
  out["meshes"] = nlohmann::ordered_json::array();
  for (const MeshStance& mesh : meshStances(problem)) {
    out["meshes"].push_back({{"body", mesh.body},
                             {"triangles", mesh.triangles},
                             {"closedness", mesh.closedness},
                             {"stands_for", mesh.stands_for}});
  }
  for (const ProblemCheck::End& end : report.ends) {
    out[end.name] = toJson(end.pairs);
    for (const CableClearance& cable : end.cables) {
      out["cables"][end.name].push_back(
          {{"stretch", cable.stretch},
           {"span", cable.span},
           {"at_most", cable.longest},
           {"room", std::isfinite(cable.room) ? nlohmann::ordered_json(cable.room) : nullptr},
           {"nearest", cable.nearest}});
    }
  }
  std::cout << jsonText(out);
}

/// Whether an error is about a start or goal beyond its limits: then the file is right but the task
/// cannot be solved, which is the verdict that this command is asked for. The reader reports it
/// either at its key or for the whole problem.
bool blamesAnEnd(const InputError& error) {
  const std::string& key = error.place().key;
  const std::string& message = error.message();
  const bool is_limit =
      message.find(" beyond ") != std::string::npos && message.find(" limit ") != std::string::npos;
  const bool is_end = key.starts_with("start_state") || key.starts_with("goal") ||
                      message.starts_with("start: ") || message.starts_with("goal: ");
  return is_limit && is_end;
}

/// Prints an error about a start or goal as the fault that it is.
int reportEndFault(const InputError& error, bool as_json) {
  if (as_json) {
    const nlohmann::ordered_json out = {
        {"task", error.place().file}, {"well_posed", false}, {"faults", {error.what()}}};
    std::cout << jsonText(out);
  } else {
    std::cout << "At fault: " << error.what() << "\n";
  }
  return kNoPlan;
}

/// The exit code is that of a task without a plan when there are faults, as `plan` would end with
/// it.
int runCheck(const CheckOptions& options) {
  try {
    if (!options.report.empty()) requireReports();
    requireOutputs({options.report}, {options.task});
    const Task task = loadTask(options.task, {.load_visuals = !options.report.empty(),
                                              .covers = options.cache.covers(),
                                              .allow_segments = true});
    if (task.sequence) return checkSequence(task, options.report, options.json);
    const Problem& problem = task.problem;
    const ProblemCheck report = checkProblem(problem);
    if (!options.report.empty()) writeTaskReport(options.report, problem, report.faults);
    if (options.json) {
      printJson(problem, report);
    } else {
      for (const std::string& warning : problem.warnings) {
        std::cerr << "warning: " << warning << "\n";
      }
      printText(problem, report);
      if (!options.report.empty()) std::cout << "written: " << options.report << "\n";
    }
    return report.faults.empty() ? kDone : kNoPlan;
  } catch (const InputError& error) {
    if (!blamesAnEnd(error)) throw;
    return reportEndFault(error, options.json);
  }
}

}  // namespace

void addCheck(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "check", "Check a task: files, keys, limits, clearance of start and goal. Solves nothing.");
  const auto options = std::make_shared<CheckOptions>();
  command->add_option("task", options->task, "the task")->required()->type_name("TASK.yaml");
  command
      ->add_option("--report", options->report,
                   "write a report of start, goal and obstacles to look at, one HTML file")
      ->type_name("FILE.html");
  command->add_flag("--json", options->json, "print JSON");
  options->cache.addTo(*command);
  command->callback([options, &exit_code] { exit_code = runCheck(*options); });
}

}  // namespace allclear
