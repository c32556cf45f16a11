// allclear batch: many queries, recorded in a folder (docs/batch.md); and the hidden mode in which
// the command is started again as a worker.
#include <algorithm>
#include <filesystem>
#include <thread>

#include "allclear/apps/batch/run.h"
#include "allclear/apps/batch/worker.h"
#include "allclear/apps/command_checks.h"
#include "allclear/apps/commands.h"
#include "allclear/core/input_error.h"
#include "allclear/exports/report.h"

namespace allclear {
namespace {

constexpr double kGreatestSeed = 18446744073709551615.0;  // of 64 bits; the parser wraps -1 to it
constexpr double kGreatestMemory = 1e9;                   // [MB]: beyond any machine

namespace fs = std::filesystem;

/// The words as they come; `run` makes options of them. A time limit of 0 is none given.
struct BatchCommand {
  batch::BatchOptions options;
  std::vector<std::string> tasks, problems, sweeps, files;
  std::string folder;
  double time_limit = 0.0;
  std::uint64_t seed = 0;
};

/// Absolute, as workers are other processes with folders of their own, and as a run that is gone on
/// with from elsewhere must find the inputs that it was begun with; normalised, so that "./a" and
/// "a" are the same run (`checkRun` compares the names).
std::vector<fs::path> absolutePaths(const std::vector<std::string>& names) {
  std::vector<fs::path> out;
  for (const std::string& name : names) {
    if (name.empty()) throw InputError("batch: the name of a file is empty");
    out.push_back(fs::absolute(name).lexically_normal());
    if (!fs::is_regular_file(out.back())) throw InputError({name, 0, "", ""}, "no such file");
  }
  return out;
}

/// The kinds of file to keep, in a fixed order, so that their order does not make another run.
/// "none" is no kind, and so keeps none; beside others it says nothing.
std::vector<std::string> fileKinds(const std::vector<std::string>& given) {
  std::vector<std::string> out;
  for (const char* kind : batch::kFileKinds) {
    const bool is_named = std::find(given.begin(), given.end(), kind) != given.end();
    if (given.empty() || is_named) out.emplace_back(kind);
  }
  return out;
}

/// Checks what needs no reading first, so that a wrong word costs no time.
int run(BatchCommand& command, bool has_seed) {
  batch::BatchOptions& options = command.options;
  options.inputs = {absolutePaths(command.tasks), absolutePaths(command.problems),
                    absolutePaths(command.sweeps)};
  if (command.tasks.empty() && command.problems.empty() && command.sweeps.empty()) {
    throw InputError("batch: name tasks, or give --problems or --sweep");
  }
  if (options.reports) requireReports();
  if (command.folder.empty()) throw InputError("-o: must name a folder");
  options.folder = fs::absolute(command.folder).lexically_normal();
  options.settings.files = fileKinds(command.files);
  if (command.time_limit > 0.0) options.settings.time_limit = command.time_limit;
  // 0 is a seed like any other: whether one was given, the parser knows alone.
  if (has_seed) options.settings.seed = command.seed;
  return batch::runBatch(options);
}

/// What there is to solve, and where it goes.
void addInputs(CLI::App* command, BatchCommand* out) {
  command->add_option("tasks", out->tasks, "tasks to plan")->type_name("TASK.yaml");
  command->add_option("--problems", out->problems, "sets of problems (planning_problems_v1)")
      ->type_name("FILE.json");
  command->add_option("--sweep", out->sweeps, "tasks with lists of values for some of their keys")
      ->type_name("SWEEP.yaml");
  command
      ->add_option("-o,--output", out->folder,
                   "the folder of the run; one that is there is gone on with")
      ->required()
      ->type_name("RUN");
}

/// What is solved, and how.
void addSettings(CLI::App* command, BatchCommand* out) {
  command->add_option("--time-limit", out->time_limit, "seconds of planning for a query at most")
      ->check(positiveNumber())
      ->type_name("S");
  command
      ->add_option("--improve", out->options.settings.improve,
                   "what follows the first certified plan: none, some, or all the time")
      ->check(CLI::IsMember({"none", "some", "all"}))
      ->type_name("HOW")
      ->option_text("none|some|all");
  command
      ->add_option(
          "--files", out->files,
          "which files of a plan are kept: csv, trajectory, certificate, proof (all unless "
          "told), or none")
      ->delimiter(',')
      ->check(CLI::IsMember({"csv", "trajectory", "certificate", "proof", "none"}))
      ->type_name("KIND,..")
      ->option_text("KIND,..");
  command->add_flag("--retry-failed", out->options.retry_failed,
                    "solve again what has no certified plan");
  command->add_flag("--retry-changed", out->options.retry_changed,
                    "solve again what rests on files that have changed since");
  command->add_flag("--reports", out->options.reports, "write a report of each plan, too");
}

/// Who solves it, and what guards them.
void addResources(CLI::App* command, BatchCommand* out) {
  command->add_option("--workers", out->options.workers, "processes; the results are the same")
      ->check(CLI::Range(1, 4096))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--memory-limit", out->options.memory_limit, "MB of address space for a query")
      ->check(numberBetween(0.0, kGreatestMemory))
      ->check(CLI::PositiveNumber)
      ->type_name("MB");
  command
      ->add_option("--kill-after", out->options.kill_after,
                   "seconds after which a query counts as hung; else by its time limit")
      ->check(positiveNumber())
      ->type_name("S");
  command
      ->add_option("--scheduler", out->options.scheduler,
                   "of Dask: its workers solve, such as tcp://HOST:8786")
      ->type_name("ADDRESS");
  command->add_option("--chunk", out->options.chunk, "queries that go to the scheduler at a time")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  command->add_flag("--quiet", out->options.quiet, "print the summary only");
}

/// What workers are started as.
/// No checks and no help: these words are written by programs alone.
void addWorker(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("batch-worker", "");
  command->group("");  // not shown
  const auto options = std::make_shared<batch::WorkerOptions>();
  const auto scratch = std::make_shared<std::string>();
  command->add_option("--scratch", *scratch);
  command->add_option("--memory-limit", options->memory_limit);
  command->add_option("--kill-after", options->kill_after);
  command->add_flag("--supervised", options->supervised);
  command->callback([options, scratch, &exit_code] {
    options->scratch = *scratch;
    exit_code = batch::runWorker(*options);
  });
}

}  // namespace

void addBatch(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "batch", "Plan many tasks by several processes; what is done is kept, whatever happens.");
  const auto options = std::make_shared<BatchCommand>();
  // The standard allows 0 for "not known".
  options->options.workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  addInputs(command, options.get());
  addSettings(command, options.get());
  addResources(command, options.get());
  CLI::Option* seed = command->add_option("--seed", options->seed, "of the random first guesses");
  seed->check(numberBetween(0.0, kGreatestSeed))->type_name("N");
  command->callback([options, seed, &exit_code] { exit_code = run(*options, seed->count() > 0); });
  addWorker(app, exit_code);
}

}  // namespace allclear
