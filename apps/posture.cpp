// allclear posture: the configuration at rest that meets a task's goal, or its start.
//
// Prints it as YAML that can be pasted into a task, with what it keeps: places, forces at the
// contacts, least clearances, and how much torques and other demands leave.
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "allclear/apps/cache_options.h"
#include "allclear/apps/command_checks.h"
#include "allclear/apps/commands.h"
#include "allclear/apps/json_text.h"
#include "allclear/apps/table.h"
#include "allclear/config/task_file.h"
#include "allclear/core/formatted.h"
#include "allclear/core/parallel.h"
#include "allclear/exports/report.h"
#include "allclear/planner/posture/posture.h"
#include "allclear/planner/posture/posture_figures.h"
#include "allclear/planner/problem/alternatives.h"

namespace allclear {
namespace {

// Rows of the printed tables, which come with the scarcest first; JSON has all.
constexpr std::size_t kShownPairs = 8;
constexpr std::size_t kShownDemands = 8;

struct PostureCommand {
  CacheOptions cache;
  std::string task;
  std::string report;
  bool of_start = false;
  bool json = false;
};

/// The posture that was asked for, or why there is none.
struct Answer {
  std::optional<Posture> posture;
  PostureFigures figures;
  std::string fault;
  double seconds = 0.0;
  std::string alternative;  ///< of the goal, that it is of; empty where the goal has none
};

/// The goal as a posture to solve for; none where the task gives the configuration itself.
std::optional<PostureTarget> targetOf(const Problem& problem) {
  if (const auto* pose = std::get_if<PoseTarget>(&problem.goal)) {
    return postureTarget(problem, *pose);
  }
  if (const auto* posture = std::get_if<PostureTarget>(&problem.goal)) return *posture;
  return std::nullopt;
}

Answer answerFor(const Problem& problem, bool of_start);

/// The first of the goal's alternatives that has a posture.
Answer answerForAny(const Problem& problem, const AnyTarget& any) {
  Answer last;
  double seconds = 0.0;
  for (int i = 0; i < static_cast<int>(any.alternatives.size()) && !last.posture; ++i) {
    last = answerFor(withAlternative(problem, i), false);
    seconds += last.seconds;
    last.alternative = alternativeName(any, i);
    if (!last.fault.empty()) last.fault = last.alternative + ": " + last.fault;
  }
  last.seconds = seconds;
  return last;
}

/// The figures are measured by the evaluator that the search has used, so that the same bodies,
/// pairs and margins decide and are shown. Of several postures the first is the cheapest.
Answer answerFor(const Problem& problem, bool of_start) {
  if (const AnyTarget* any = of_start ? nullptr : alternativesOf(problem)) {
    return answerForAny(problem, *any);
  }
  // A configuration that the task gives is measured, everything else is found first.
  Answer answer;
  RunContext context;
  context.threads = threadCount(0);
  const auto start = RunContext::Clock::now();
  const std::optional<PostureTarget> target = of_start ? std::nullopt : targetOf(problem);
  std::unique_ptr<ClearanceEvaluator> evaluator;
  if (target) {
    const std::vector<Posture> found = findPostures(problem, *target, context, &evaluator);
    answer.seconds = RunContext::secondsSince(start);
    if (found.empty()) {
      answer.fault = postureFault(*evaluator, *target, context);
      return answer;
    }
    answer.posture = found.front();
  } else {
    // Without a target the goal is one of joints: `targetOf` knows the other two kinds.
    const VecX q =
        of_start ? problem.plannedPart(problem.start) : std::get<JointTarget>(problem.goal).values;
    evaluator = std::make_unique<ClearanceEvaluator>(problem, firstPolicy(problem));
    answer.posture = postureAt(problem, q);
  }
  answer.figures = postureFigures(*evaluator, target ? &*target : nullptr, *answer.posture);
  return answer;
}

/// Smaller values [rad or m] are printed as 0: half of the last digit that counts.
constexpr double kNothing = 5e-10;

/// A number that reads back as it is to 1e-9: far below every tolerance.
std::string plain(double value) {
  return formatted("%.9g", std::abs(value) < kNothing ? 0.0 : value);
}

/// A robot that stands has no planned base (`standOn`): where it is follows from the joints, and is
/// printed as the six numbers of its joint, first, as a task would have it.
void printYaml(const Problem& problem, const Answer& answer) {
  if (answer.figures.base) {
    const auto& [name, pose] = *answer.figures.base;
    std::cout << "  " << name << ": [";
    for (int i = 0; i < pose.size(); ++i) std::cout << (i > 0 ? ", " : "") << plain(pose[i]);
    std::cout << "]\n";
  }
  for (int k = 0; k < problem.plannedCount(); ++k) {
    std::cout << "  " << problem.robot->coordinates()[problem.planned[k]].name << ": "
              << plain(answer.posture->q[k]) << "\n";
  }
}

void printTables(const PostureFigures& figures) {
  Table poses({"link", ">off [mm]", ">turned [rad]"});
  for (const auto& pose : figures.poses) {
    poses.addRow({pose.link, shortNumber(1e3 * pose.position, 3), shortNumber(pose.angle, 3)});
  }
  Table forces({"contact", ">fx [N]", ">fy", ">fz", ">mx [N m]", ">my", ">mz"});
  for (const auto& force : figures.forces) {
    std::vector<std::string> row{force.link};
    for (const Vec3& v : {force.force, force.moment}) {
      for (int i = 0; i < 3; ++i) row.push_back(shortNumber(v[i], 4));
    }
    forces.addRow(row);
  }
  Table pairs({"body", "body", ">distance [mm]", ">margin [mm]"});
  for (std::size_t i = 0; i < std::min(kShownPairs, figures.clearances.size()); ++i) {
    const auto& pair = figures.clearances[i];
    pairs.addRow(
        {pair.a, pair.b, shortNumber(1e3 * pair.distance), shortNumber(1e3 * pair.demand)});
  }
  Table demands({"demand", ">left [of its limit]"});
  for (std::size_t i = 0; i < std::min(kShownDemands, figures.demands.size()); ++i) {
    demands.addRow({figures.demands[i].first, shortNumber(figures.demands[i].second, 3)});
  }
  // What the task does not ask about has no rows, and no heading.
  const auto print = [](const char* title, const Table& table) {
    if (table.empty()) return;
    std::cout << "\n" << title << "\n";
    table.print(std::cout);
  };
  print("places:", poses);
  print("forces at rest:", forces);
  print("closest pairs:", pairs);
  print("scarcest at rest:", demands);
}

nlohmann::ordered_json toJson(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

void printJson(const Problem& problem, const Answer& answer) {
  nlohmann::ordered_json out = {{"task", problem.source_file},
                                {"found", answer.posture.has_value()},
                                {"seconds", answer.seconds}};
  if (!answer.alternative.empty()) out["alternative"] = answer.alternative;
  if (!answer.posture) {
    out["fault"] = answer.fault;
    std::cout << jsonText(out);
    return;
  }
  // All pairs and demands, where the text has the scarcest.
  const PostureFigures& figures = answer.figures;
  out["cost"] = answer.posture->cost;
  for (int k = 0; k < problem.plannedCount(); ++k) {
    out["joints"][problem.robot->coordinates()[problem.planned[k]].name] = answer.posture->q[k];
  }
  if (figures.base) {
    const VecX& pose = figures.base->second;
    out["base"] = {{"joint", figures.base->first},
                   {"pose", std::vector<double>(pose.data(), pose.data() + pose.size())}};
  }
  for (const char* key : {"poses", "forces", "pairs", "demands"}) {
    out[key] = nlohmann::ordered_json::array();
  }
  for (const auto& p : figures.poses) {
    out["poses"].push_back({{"link", p.link}, {"position", p.position}, {"angle", p.angle}});
  }
  for (const auto& f : figures.forces) {
    out["forces"].push_back(
        {{"link", f.link}, {"force", toJson(f.force)}, {"moment", toJson(f.moment)}});
  }
  for (const auto& p : figures.clearances) {
    out["pairs"].push_back(
        {{"a", p.a}, {"b", p.b}, {"distance", p.distance}, {"margin", p.demand}});
  }
  for (const auto& [name, left] : figures.demands) {
    out["demands"].push_back({{"name", name}, {"left", left}});
  }
  std::cout << jsonText(out);
}

void printText(const Problem& problem, const Answer& answer, bool of_start) {
  std::cout << "# " << problem.source_file << ": the " << (of_start ? "start" : "goal");
  if (!answer.alternative.empty()) std::cout << " " << answer.alternative;
  if (answer.seconds > 0.0) {
    std::cout << "'s posture, " << shortNumber(answer.posture->cost, 4)
              << " from its reference, found in " << shortNumber(answer.seconds, 3) << " s";
  }
  std::cout << "\nstart_state:\n";
  printYaml(problem, answer);
  printTables(answer.figures);
}

/// Everything that a wrong word can spoil is checked before the search, which may take seconds. A
/// posture that was not found still gets its page: the start and the obstacles are what the reader
/// has to look at then.
int runPosture(const PostureCommand& options) {
  if (!options.report.empty()) requireReports();
  requireOutputs({options.report}, {options.task});
  Problem problem = loadTask(options.task, {.load_visuals = !options.report.empty(),
                                            .covers = options.cache.covers()})
                        .problem;
  if (!options.json) {
    for (const std::string& warning : problem.warnings) std::cerr << "warning: " << warning << "\n";
  }
  const Answer answer = answerFor(problem, options.of_start);
  if (options.json) {
    printJson(problem, answer);
  } else if (answer.posture) {
    printText(problem, answer, options.of_start);
  } else {
    std::cout << "None found: " << answer.fault << "\n";
  }
  if (!options.report.empty()) {
    // Drawn as the goal, beside the start.
    std::vector<std::string> faults;
    if (!answer.posture) faults.push_back(answer.fault);
    if (answer.posture) problem.goal = JointTarget{problem.planned, answer.posture->q};
    writeTaskReport(options.report, problem, faults);
    if (!options.json) std::cout << "written: " << options.report << "\n";
  }
  return answer.posture ? kDone : kNoPlan;
}

}  // namespace

void addPosture(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "posture", "Find the posture of a task's goal: joints, forces and clearances at rest.");
  const auto options = std::make_shared<PostureCommand>();
  command->add_option("task", options->task, "the task")->required()->type_name("TASK.yaml");
  command->add_flag("--start", options->of_start, "show the start instead");
  command->add_option("--report", options->report, "write a page that shows it, one HTML file")
      ->type_name("FILE.html");
  command->add_flag("--json", options->json, "print JSON");
  options->cache.addTo(*command);
  command->callback([options, &exit_code] { exit_code = runPosture(*options); });
}

}  // namespace allclear
