// A batch from its inputs to its record: find out what is left to do, let the pool do it, write
// down each answer as it comes. Answers come in any order; every row and every plan depends on its
// own query alone, so the record is the same whatever the number of workers.
#include "allclear/apps/batch/run.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "allclear/apps/batch/bridge.h"
#include "allclear/apps/batch/plan_reports.h"
#include "allclear/apps/batch/pool.h"
#include "allclear/apps/batch/progress.h"
#include "allclear/apps/batch/rested_on.h"
#include "allclear/apps/batch/results.h"
#include "allclear/apps/commands.h"
#include "allclear/core/input_error.h"

namespace allclear::batch {
namespace {

namespace fs = std::filesystem;

/// A query may take so many times its time limit, and as long again for reading and proving, until
/// it counts as hung.
constexpr double kHungFactor = 4.0;
constexpr double kHungExtra = 60.0;     // [s]
constexpr double kHungWithout = 600.0;  // [s] where the limits are the tasks' own
constexpr double kPollInterval = 0.1;   // [s] between two looks at the clock and at Ctrl-C

std::atomic<bool> interrupted{false};
void onSignal(int) { interrupted = true; }

/// What a run must not change, as text. Limits of memory and of hung queries may: they decide
/// whether there is a result, not which.
std::string settingsText(const SolveSettings& settings) {
  const nlohmann::ordered_json out = {
      {"time_limit", settings.time_limit ? nlohmann::ordered_json(*settings.time_limit) : nullptr},
      {"seed", settings.seed ? nlohmann::ordered_json(*settings.seed) : nullptr},
      {"improve", settings.improve},
      {"files", settings.files}};
  return out.dump();
}

/// Under which a run remembers the robot of a set or a sweep.
std::string robotFact(const std::string& bundle) { return "robot of " + bundle; }

/// Refuses to go on with another batch, or remembers which it is.
void checkRun(const BatchOptions& options, const Sources& sources, Results& results) {
  const auto require = [&](const char* key, const std::string& value, const std::string& what) {
    const auto known = results.fact(key);
    if (!known) {
      results.setFact(key, value);
    } else if (*known != value) {
      throw InputError({options.folder.string(), 0, "", ""},
                       what + " Give another folder (-o), or remove this one.");
    }
  };
  // Another version may plan otherwise: one run, one version.
  require("version", ALLCLEAR_VERSION,
          "this run was made by version " + results.fact("version").value_or("") +
              ", this is " ALLCLEAR_VERSION ".");
  require("inputs", inputsJson(options.inputs), "holds a run of other inputs.");
  require("inputs_sha256", sources.sha256(), "the inputs have changed since this run was begun.");
  const std::string settings = settingsText(options.settings);
  const std::string before = results.fact("settings").value_or(settings);
  if (options.retry_failed) results.setFact("settings", settings);
  require("settings", settings,
          "this run was begun with other settings (" + before + "; now " + settings +
              "). With --retry-failed they may differ.");
  results.setFact("count", std::to_string(sources.count()));
}

/// Bits for the queries that need not be solved. Refuses to go on where the files of such a query
/// are not what they were, unless these are to be solved again: a run says one thing of one world.
std::vector<bool> finishedQueries(const BatchOptions& options, const Sources& sources,
                                  Results& results) {
  std::vector<bool> finished = results.finished(sources.count(), options.retry_failed);
  const ChangedRows changed = changedRows(results, sources.count());
  std::set<std::string> changed_bundles, kept_bundles;
  bool is_any = false;
  for (std::size_t n = 0; changed.count > 0 && n < finished.size(); ++n) {
    if (!finished[n]) continue;
    const std::string bundle = sources.query(static_cast<std::int64_t>(n)).bundle;
    (changed.rows[n] ? changed_bundles : kept_bundles).insert(bundle);
    is_any = is_any || changed.rows[n];
    if (changed.rows[n]) finished[n] = false;
  }
  if (!is_any) return finished;
  if (!options.retry_changed) {
    throw InputError({options.folder.string(), 0, "", ""},
                     changed.text() +
                         ". Solve them again with --retry-changed, give another folder (-o), or "
                         "remove this one.");
  }
  // Where all is solved again the robot may be another one; where something is kept it may not.
  for (const std::string& bundle : changed_bundles) {
    if (kept_bundles.count(bundle) == 0) results.removeFact(robotFact(bundle));
  }
  return finished;
}

/// Who solves. Over a scheduler the limits of a query go along: its process is somewhere else.
PoolOptions poolOptions(const BatchOptions& options) {
  PoolOptions out;
  out.workers = options.workers;
  out.scratch = fs::absolute(options.folder) / "scratch";
  out.log = fs::absolute(options.folder) / "workers.log";
  out.memory_limit = options.memory_limit;
  const auto& limit = options.settings.time_limit;
  out.kill_after = limit ? kHungFactor * *limit + kHungExtra : kHungWithout;
  if (options.kill_after > 0.0) out.kill_after = options.kill_after;
  if (!options.scheduler.empty()) {
    out.bridge =
        bridgeCommand(options.scheduler, options.chunk, options.memory_limit, out.kill_after);
    out.kill_after = 0.0;  // where they are solved somebody looks
  }
  return out;
}

/// Queries of one set or sweep have one robot. Its files are read by the workers, so a change of
/// them since the run was begun shows in the first answer: the run is then not gone on with.
void checkRobot(const Query& query, const Answer& answer, Results& results,
                std::map<std::string, std::string>* robots) {
  const bool is_single = query.index < 0 && query.parameters.empty();
  if (is_single || answer.robot_sha256.empty()) return;
  const std::string key = robotFact(query.bundle);
  auto known = robots->find(key);
  if (known == robots->end()) {
    const auto before = results.fact(key);
    if (!before) results.setFact(key, answer.robot_sha256);
    known = robots->emplace(key, before.value_or(answer.robot_sha256)).first;
  }
  if (known->second == answer.robot_sha256) return;
  throw InputError({query.file, 0, "", ""},
                   "the files of its robot have changed since this run was begun. Give another "
                   "folder (-o), or remove this one.");
}

/// Solves all that `finished` does not name. False when interrupted.
bool solveRest(const BatchOptions& options, const Sources& sources,
               const std::vector<bool>& finished, Results& results, Progress& progress) {
  Pool pool(poolOptions(options));
  std::map<std::int64_t, Query> asked;  // those in the pool: no more than it takes at a time
  std::map<std::string, std::string> robots;
  std::int64_t next = 0;
  while (!interrupted) {
    while (next < sources.count() && pool.hasRoom()) {
      if (!finished[static_cast<std::size_t>(next)]) {
        const Query query = sources.query(next);
        pool.submit(query, options.settings);
        asked.emplace(next, query);
      }
      ++next;
    }
    if (next == sources.count() && !pool.isBusy()) return true;
    for (const Answer& answer : pool.wait(kPollInterval)) {
      const auto query = asked.find(answer.number);
      checkRobot(query->second, answer, results, &robots);
      results.record(query->second, answer, options.settings);
      asked.erase(query);
      progress.add(answer.isCertified());
    }
    progress.show();
  }
  return false;
}

/// On standard output: this is the result of the command.
void printSummary(const Results& results, std::int64_t count) {
  std::int64_t done = 0;
  std::string text;
  for (const auto& [status, number] : results.counts()) {
    done += number;
    text += (text.empty() ? "" : ", ") + std::to_string(number) + " " + status;
  }
  std::cout << done << " of " << count << " queries: " << (text.empty() ? "none solved" : text)
            << "\n"
            << (results.folder() / "results.sqlite").string() << "\n";
}

/// As `plan` would say of its one query.
int exitCodeOf(const Results& results, std::int64_t count) {
  std::int64_t certified = 0;
  for (const auto& [status, number] : results.counts())
    certified += status == "certified" ? number : 0;
  return certified == count ? kDone : kNoPlan;
}

}  // namespace

int runBatch(const BatchOptions& options) {
  const Sources sources = Sources::open(options.inputs);
  Results results = Results::create(options.folder);
  checkRun(options, sources, results);
  std::error_code ignored;
  fs::remove_all(options.folder / "scratch", ignored);
  // Handlers come after all that can fail: until here Ctrl-C may end the program as it likes.
  const std::vector<bool> finished = finishedQueries(options, sources, results);
  const auto there = std::count(finished.begin(), finished.end(), true);
  std::signal(SIGINT, onSignal);
  std::signal(SIGTERM, onSignal);
  bool is_whole = false;
  try {
    Progress progress(there, sources.count(), options.quiet);
    is_whole = solveRest(options, sources, finished, results, progress);
  } catch (const InputError&) {  // no such scheduler, say
    fs::remove_all(options.folder / "scratch", ignored);
    results.removeUnlessUsed();
    throw;
  }
  fs::remove_all(options.folder / "scratch", ignored);
  printSummary(results, sources.count());
  if (!is_whole) {
    std::cout << "Interrupted: the same command goes on where this one stopped.\n";
    return kInterrupted;
  }
  if (options.reports) writePlanReports(results, options.quiet);
  return exitCodeOf(results, sources.count());
}

}  // namespace allclear::batch
