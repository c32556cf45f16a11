// allclear plan: a certified trajectory for a task, and its files.
//
// Options of the command line replace those of the task. Trajectory and certificate are written
// only when the plan is certified: a file that is there can be trusted. Ctrl-C ends the search,
// which then returns the best certified plan so far, if there is one: it is written, and the exit
// code still says that the search was interrupted. The time limit counts from the start of the
// command: what the reading of the task takes is not there for the search.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>

#include "allclear/apps/cache_options.h"
#include "allclear/apps/command_checks.h"
#include "allclear/apps/command_time.h"
#include "allclear/apps/commands.h"
#include "allclear/apps/json_text.h"
#include "allclear/apps/output_options.h"
#include "allclear/apps/plan_json.h"
#include "allclear/apps/progress_line.h"
#include "allclear/apps/sequence.h"
#include "allclear/apps/verdict_text.h"
#include "allclear/config/task_file.h"
#include "allclear/core/file.h"
#include "allclear/exports/output_files.h"
#include "allclear/exports/report.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/problem/sequence_state.h"

namespace allclear {
namespace {

struct PlanCommand {
  CacheOptions cache;
  std::string task;
  OutputOptions output;
  double time_limit = 0.0;
  int threads = 0;
  std::uint64_t seed = 0;
  bool has_seed = false;
  std::optional<Improve> improve;
  bool quiet = false;
  bool verbose = false;
  bool json = false;
};

// Set by the signal handler; the planner asks for it between steps. A second signal ends the
// process at once: a step inside of a library may take long.
std::atomic<bool> interrupted{false};
void onSignal(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

/// The files that the task names, with those of the command line in their place.
OutputSettings outputs(const Task& task, const PlanCommand& command) {
  OutputSettings output = task.output;
  command.output.putFolderInto(&output);
  if (const std::filesystem::path folder(command.output.folder); !folder.empty()) {
    // What else the task names goes there too, unless it says exactly where.
    for (std::string* name : {&output.ros2, &output.report}) {
      if (!name->empty()) *name = (folder / *name).string();
    }
    if (output.tool_csv) output.tool_csv->file = (folder / output.tool_csv->file).string();
  }
  command.output.putInto(&output);
  return output;
}

/// Removes files of an earlier run from the folder of `-o`.
void removeOld(const PlanCommand& command, const std::vector<std::string>& names) {
  if (command.output.folder.empty()) return;
  const std::filesystem::path folder =
      (std::filesystem::path(command.output.folder) / "x").parent_path();
  for (const std::string& name : names) {
    const std::filesystem::path file(name);
    std::error_code code;
    const bool is_there = !name.empty() && std::filesystem::is_regular_file(file, code) &&
                          file.parent_path() == folder;
    if (is_there && std::filesystem::remove(file, code) && !command.quiet) {
      std::cerr << "removed, as it was of an earlier plan: " << name << "\n";
    }
  }
}

/// Without a plan, the folder of `-o` must not hold that of an earlier run as if it were this
/// one's. An interrupted run says nothing about the task, and leaves all as it is.
void removeOldPlan(const PlanCommand& command, const OutputSettings& output, PlanStatus status) {
  if (status == PlanStatus::kInterrupted) return;
  removeOld(command,
            {output.csv, output.trajectory, output.certificate, output.proof, output.ros2});
}

int exitCode(PlanStatus status) {
  switch (status) {
    case PlanStatus::kCertified:
      return kDone;
    case PlanStatus::kNotFound:
      return kNoPlan;
    case PlanStatus::kTimedOut:
      return kOutOfTime;
    case PlanStatus::kInterrupted:
      return kInterrupted;
  }
  return kInternalError;
}

/// Warnings are no part of the verdict: a quiet command keeps them to itself.
void warn(const PlanCommand& command, const std::vector<std::string>& warnings) {
  if (command.quiet) return;
  for (const std::string& warning : warnings) std::cerr << "warning: " << warning << "\n";
}

/// The verdict and what it assumes; then, unless it is to be quiet, the pairs behind it and the
/// files.
void printVerdict(const PlanCommand& command, const Problem& problem, const Plan& plan,
                  const OutputSettings& output, const NamedTexts& files) {
  const bool is_clear = plan.certificate && plan.certificate->clear;
  std::cout << plan.message << "\n";
  if (is_clear) std::cout << assumptionsInBrief(*plan.certificate) << "\n";
  if (command.quiet) return;
  if (plan.certificate) printPairs(*plan.certificate, std::cout);
  for (const auto& [file, text] : files) std::cout << "written: " << file.string() << "\n";
  if (output.proof.empty() || !is_clear) return;
  for (const std::string& line : notInProof(problem)) std::cout << line << "\n";
}

/// The task's options, with those of the command line in their place.
PlanOptions optionsOf(PlanOptions options, const PlanCommand& command) {
  if (command.time_limit > 0.0) options.time_limit = command.time_limit;
  if (command.threads > 0) options.threads = command.threads;
  if (command.has_seed) options.seed = command.seed;
  if (command.improve) options.improve = *command.improve;
  return options;
}

/// Reads the task within the time limit, which it may name itself; nothing when that was too short.
/// (Ctrl-C ends the command at once by then.)
std::optional<Task> taskInTime(const PlanCommand& command, CommandTime* time) {
  TaskOptions options{.load_visuals = !command.output.files.report.empty(),
                      .covers = command.cache.covers(),
                      .allow_segments = true};
  options.solver_read = [&](const PlanOptions& read) {
    time->setLimit(optionsOf(read, command).time_limit);
  };
  std::optional<Task> task;
  time->readInTime([&] { task = loadTask(command.task, options); });
  return task;
}

bool holds(const NamedTexts& files, const std::string& name) {
  return std::any_of(files.begin(), files.end(), [&](const auto& file) {
    return !name.empty() && file.first == std::filesystem::path(".") / name;
  });
}

/// The files of a certified plan. Its proof gets a little time of its own beyond the time limit or
/// Ctrl-C, and is left out when it takes longer.
NamedTexts filesInTime(const PlanCommand& command, const OutputSettings& output,
                       const Problem& problem, const Plan& plan, const CommandTime& time) {
  std::vector<std::string> warnings;
  NamedTexts files = time.filesInTime(
      [&] {
        return formatOutputFiles(output, ".", problem, *plan.trajectory, &*plan.certificate,
                                 &warnings);
      },
      [] { return interrupted.load(); });
  warn(command, warnings);
  return files;
}

/// Both signals end the search, which the hooks ask for.
PlanHooks hooksOf(ProgressLine& line) {
  std::signal(SIGINT, onSignal);
  std::signal(SIGTERM, onSignal);
  PlanHooks hooks;
  hooks.progress = [&line](const PlanProgress& p) { line(p); };
  hooks.stop = [] { return interrupted.load(); };
  return hooks;
}

/// The same for a task with segments, whose files are others. Its limit is that of each segment.
int runSequence(const PlanCommand& command, const Task& task, CommandTime* time) {
  const PlanOptions options = optionsOf(task.options, command);
  time->setLimit(options.time_limit * motionCount(*task.sequence));
  SequenceOutputs to{command.output.folder, task.output, command.task, command.json, command.quiet};
  OutputSettings& output = to.output;
  if (!command.output.folder.empty()) {
    // The folder has files of all kinds, under names of their own.
    output.csv.clear();
    output.trajectory.clear();
    output.certificate.clear();
    output.proof.clear();
    const std::filesystem::path folder(command.output.folder);
    for (std::string* name : {&output.ros2, &output.report}) {
      if (!name->empty()) *name = (folder / *name).string();
    }
  }
  command.output.putInto(&output);
  prepareSequenceOutputs(to);
  SequencePlan plan;
  {
    ProgressLine line(command.quiet || command.json, command.verbose);
    PlanHooks hooks = hooksOf(line);
    hooks.start = time->start();
    plan = planSequence(*task.sequence, options, hooks);
  }
  return finishSequence(task, plan, to, *time, [] { return interrupted.load(); });
}

/// Reads the task, plans, and writes the files of a certified plan. The report is written of a plan
/// that was not found, too: it shows what stood in the way.
int run(const PlanCommand& command) {
  CommandTime time(command.time_limit);
  const std::optional<Task> read = taskInTime(command, &time);
  if (!read) return kOutOfTime;
  const Task& task = *read;
  const Problem& problem = task.problem;
  warn(command, problem.warnings);
  if (task.sequence) return runSequence(command, task, &time);
  const PlanOptions options = optionsOf(task.options, command);
  time.setLimit(options.time_limit);
  const OutputSettings output = outputs(task, command);
  command.output.prepare(output, {command.task});
  // The progress line ends with the planning, before anything else is printed.
  Plan plan;
  {
    ProgressLine line(command.quiet || command.json, command.verbose);
    PlanHooks hooks = hooksOf(line);
    hooks.start = time.start();
    plan = allclear::plan(problem, options, hooks);
  }
  NamedTexts files;
  // Interrupted or out of time, the best plan so far may be there, and certified as any other.
  if (plan.certificate && plan.certificate->clear) {
    files = filesInTime(command, output, problem, plan, time);
  } else {
    removeOldPlan(command, output, plan.status);
  }
  // Of what was not found too.
  if (!output.report.empty()) files.emplace_back(output.report, formatPlanReport(problem, plan));
  writeFiles(files);
  const bool has_proof = holds(files, output.proof);
  if (plan.certificate && plan.certificate->clear && !has_proof) removeOld(command, {output.proof});
  if (command.json) {
    std::cout << jsonText(planJson(plan));
  } else {
    printVerdict(command, problem, plan, output, files);
  }
  return exitCode(plan.status);
}

}  // namespace

void addPlan(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("plan", "Plan a trajectory that is clear at every instant.");
  const auto options = std::make_shared<PlanCommand>();
  command->add_option("task", options->task, "the task")->required()->type_name("TASK.yaml");
  options->output.addTo(*command);
  command->add_option("--time-limit", options->time_limit, "seconds at most")
      ->check(positiveNumber())
      ->type_name("S");
  command->add_option("--threads", options->threads, "threads at most; the plan is the same")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  CLI::Option* seed =
      command->add_option("--seed", options->seed, "of the random first guesses")
          ->check(numberBetween(0.0, 18446744073709551615.0))  // 64 bits; the parser wraps -1
          ->type_name("N");
  const std::map<std::string, Improve> improvements{
      {"none", Improve::kNone}, {"some", Improve::kSome}, {"all", Improve::kAll}};
  command
      ->add_option("--improve", options->improve,
                   "what follows the first certified plan: none, some, or all the time")
      ->transform(CLI::CheckedTransformer(improvements))
      ->type_name("HOW")
      ->option_text("none|some|all");
  CLI::Option* quiet = command->add_flag("--quiet", options->quiet,
                                         "print the verdict and what it assumes, no more");
  command->add_flag("--verbose", options->verbose, "print every iteration")->excludes(quiet);
  command->add_flag("--json", options->json, "print JSON");
  options->cache.addTo(*command);
  command->callback([options, seed, &exit_code] {
    // Every number is a seed, so its value cannot tell whether one was given.
    options->has_seed = seed->count() > 0;
    exit_code = run(*options);
  });
}

}  // namespace allclear
