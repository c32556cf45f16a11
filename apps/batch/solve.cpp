// One query, solved in this process: read, plan, make the files.
//
// A batch has as many processes as it may use processors, so a solve has one thread. Its result
// depends on nothing but the query and the settings (planner.h), except where the time limit cuts
// it short, which the row says. Texts of a plan name times; those are left out here, so that rows
// of two runs can be compared.
#include "allclear/apps/batch/solve.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <new>
#include <string_view>

#include "allclear/apps/batch/hooks.h"
#include "allclear/config/task/read_task.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/sha256.h"
#include "allclear/exports/output_files.h"
#include "allclear/planner/planner.h"

namespace allclear::batch {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Sets of problems that are kept: a batch goes through them one after the other.
constexpr std::size_t kMostSets = 3;
/// First guesses of a problem of a set, which says nothing about them: as many as the time allows.
constexpr int kAttempts = 1000;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

PlanOptions optionsFor(PlanOptions options, const SolveSettings& settings) {
  if (settings.time_limit) options.time_limit = *settings.time_limit;
  if (settings.seed) options.seed = *settings.seed;
  if (settings.improve == "none") options.improve = Improve::kNone;
  if (settings.improve == "some") options.improve = Improve::kSome;
  if (settings.improve == "all") options.improve = Improve::kAll;
  options.threads = 1;
  return options;
}

/// The status as a word of `Answer`.
std::string statusOf(PlanStatus status, bool is_clear) {
  if (status == PlanStatus::kCertified && is_clear) return "certified";
  return status == PlanStatus::kNotFound ? "not_found" : "timed_out";
}

std::string statusOf(const Plan& plan) {
  return statusOf(plan.status, plan.certificate && plan.certificate->clear);
}

/// "after 1.5 s and 8 attempts" as "after 8 attempts".
std::string withoutTimes(std::string text) {
  static constexpr std::string_view kBefore = " after ", kBehind = " s and";
  for (std::size_t at = 0; (at = text.find(kBefore, at)) != std::string::npos;) {
    at += kBefore.size();
    const std::size_t end = text.find_first_not_of("0123456789.eE+-", at);
    if (end == std::string::npos || end == at || text.compare(end, kBehind.size(), kBehind) != 0) {
      continue;
    }
    text.erase(at - 1, end + kBehind.size() - (at - 1));
  }
  return text;
}

std::string messageOf(const Plan& plan) {
  if (statusOf(plan) == "certified") {
    const std::string assumed = assumptionsInBrief(*plan.certificate);
    return plan.certificate->message + (assumed.empty() ? "" : " " + assumed);
  }
  return withoutTimes(plan.message);
}

OutputSettings outputsOf(const Task& task, const SolveSettings& settings) {
  OutputSettings output;
  output.rate = task.output.rate;
  for (const std::string& kind : settings.files) {
    if (kind == "csv") output.csv = "trajectory.csv";
    if (kind == "trajectory") output.trajectory = "trajectory.json";
    if (kind == "certificate") output.certificate = "certificate.json";
    if (kind == "proof") output.proof = "plan.proof";
  }
  return output;
}

/// The least proven distance of all segments.
double clearanceOf(const SequenceCertificate& certificate) {
  double least = HUGE_VAL;
  for (const SequenceSegment& segment : certificate.segments) {
    least = std::min(least, segment.certificate.minimum_clearance.lower);
  }
  return least;
}

/// Whether a file of a sequence is of a kind that is kept; what ties all of them together is, where
/// all are.
bool isKept(const fs::path& file, const std::vector<std::string>& kinds) {
  const std::string name = file.filename().string();
  const auto has = [&](const char* kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  if (name == kSequenceFile) return std::all_of(std::begin(kFileKinds), std::end(kFileKinds), has);
  return (name == "trajectory.csv" && has("csv")) ||
         (name == "trajectory.json" && has("trajectory")) ||
         (name == "certificate.json" && has("certificate")) ||
         (name == "plan.proof" && has("proof"));
}

}  // namespace

const QueryLoader::KnownSet& QueryLoader::problemSet(const fs::path& path) {
  const auto changed = fs::exists(path) ? fs::last_write_time(path) : fs::file_time_type{};
  for (auto known = sets_.begin(); known != sets_.end(); ++known) {
    if (known->path != path || known->changed != changed) continue;
    sets_.splice(sets_.begin(), sets_, known);
    return sets_.front();
  }
  std::vector<fs::path> files;
  ProblemSet set = ProblemSet::load(path, {.cache = &cache_, .files_read = &files});
  sets_.push_front({path, changed, std::move(set), digests_.of(files)});
  if (sets_.size() > kMostSets) sets_.pop_back();
  return sets_.front();
}

/// The digests are those after the reading: who changes a file meanwhile has no plan of either.
Task QueryLoader::load(const Query& query, bool load_visuals, RestedOn* rests_on) {
  std::vector<fs::path> files;
  RestedOn of_set;
  const auto record = [&] {
    if (rests_on != nullptr) *rests_on = of_set.empty() ? digests_.of(files) : of_set;
  };
  try {
    Task task = read(query, load_visuals, &files, &of_set);
    record();
    return task;
  } catch (...) {
    record();
    throw;
  }
}

Task QueryLoader::read(const Query& query, bool load_visuals, std::vector<fs::path>* files_read,
                       RestedOn* rests_on) {
  if (query.index >= 0) {
    Task task;
    files_read->push_back(query.file);
    const KnownSet& known = problemSet(query.file);
    const ProblemSet& set = known.set;
    *rests_on = known.rests_on;
    if (query.index >= set.count()) throw InputError({query.file, 0, "", ""}, "has fewer problems");
    task.problem = set.problem(query.index);
    task.options.attempts = kAttempts;
    return task;
  }
  TaskReading reading{.load_visuals = load_visuals,
                      .cache = &cache_,
                      .files_read = files_read,
                      .allow_segments = true};
  if (!query.text.empty()) reading.text = query.text;
  return readTask(query.file, reading);
}

std::vector<fs::path> QueryLoader::filesOf(const Query& query) {
  std::vector<fs::path> files;
  try {
    if (query.index >= 0) {
      ProblemSet::load(query.file, {.files_read = &files});
    } else {
      TaskReading reading{.files_read = &files, .allow_segments = true};
      if (!query.text.empty()) reading.text = query.text;
      readTask(query.file, reading);
    }
  } catch (const std::exception&) {
    // Who reads the same files somewhere else meets the same error there.
  }
  return files;
}

Answer Solver::solve(const Query& query, const SolveSettings& settings) {
  Answer answer;
  answer.number = query.number;
  const auto fail = [&answer](const char* status, const std::string& message) {
    answer.status = status;
    answer.message = message;
    answer.files.clear();
  };
  try {
    // What comes from the input is a row for it; only a bug of the pool may end the worker.
    solve(query, settings, &answer);
  } catch (const InputError& error) {
    fail("bad_input", error.what());
  } catch (const std::bad_alloc&) {
    fail("out_of_memory", "The query needs more memory than it may have (--memory-limit).");
  } catch (const std::exception& error) {
    fail("internal_error", error.what());
  }
  return answer;
}

void Solver::solve(const Query& query, const SolveSettings& settings, Answer* answer) {
  if (runTestHook(query, answer)) return;
  const auto start = Clock::now();
  const Task task = loader_.load(query, false, &answer->rests_on);
  answer->load_seconds = secondsSince(start);
  answer->task_sha256 = task.problem.source_sha256;
  answer->robot_sha256 = task.problem.robot->sourceSha256();
  const PlanOptions options = optionsFor(task.options, settings);
  answer->seed = options.seed;
  if (task.sequence) return solveSequence(task, options, settings, answer);
  const Plan plan = allclear::plan(task.problem, options);
  answer->status = statusOf(plan);
  answer->message = messageOf(plan);
  answer->seconds = plan.statistics.seconds;
  answer->cut_short = plan.statistics.cut_short || answer->status == "timed_out";
  // What is not certified leaves no figures: they would be of a motion that must not be run.
  if (!answer->isCertified()) return;
  answer->duration = plan.trajectory->duration();
  answer->cost = plan.statistics.cost;
  const double clearance = plan.certificate->minimum_clearance.lower;
  if (std::isfinite(clearance)) answer->clearance = clearance;
  const auto planned = Clock::now();
  addFiles(task, plan, settings, answer);
  answer->write_seconds = secondsSince(planned);
}

/// Several motions, planned as one: the row is about the whole.
void Solver::solveSequence(const Task& task, const PlanOptions& options,
                           const SolveSettings& settings, Answer* answer) {
  const SequencePlan plan = planSequence(*task.sequence, options);
  answer->status = statusOf(plan.status, plan.certificate.clear);
  answer->message = withoutTimes(plan.message);
  answer->seconds = plan.statistics.seconds;
  answer->cut_short = answer->status == "timed_out";
  if (!answer->isCertified()) return;
  answer->duration = plan.certificate.duration;
  const double clearance = clearanceOf(plan.certificate);
  if (std::isfinite(clearance)) answer->clearance = clearance;
  const auto planned = Clock::now();
  OutputSettings output;
  output.rate = task.output.rate;
  std::vector<std::string> warnings;
  for (auto& [file, text] :
       formatSequenceFiles(output, "", *task.sequence, plan.certificate, &warnings)) {
    if (file == "trajectory.json") answer->trajectory_sha256 = sha256(text);
    if (isKept(file, settings.files)) answer->files.emplace_back(file.string(), std::move(text));
  }
  for (const std::string& warning : warnings) answer->message += " Warning: " + warning + ".";
  answer->write_seconds = secondsSince(planned);
}

void Solver::addFiles(const Task& task, const Plan& plan, const SolveSettings& settings,
                      Answer* answer) {
  answer->trajectory_sha256 = plan.certificate->trajectory_sha256;
  if (settings.files.empty()) return;
  // The writer of files knows what belongs together, and checks it; so they go by way of the disk.
  std::vector<std::string> warnings;
  const std::vector<fs::path> written =
      writeOutputFiles(outputsOf(task, settings), scratch_, task.problem, *plan.trajectory,
                       &*plan.certificate, &warnings);
  for (const std::string& warning : warnings) answer->message += " Warning: " + warning + ".";
  for (const fs::path& file : written) {
    answer->files.emplace_back(file.filename().string(), readFile(file));
    std::error_code ignored;
    fs::remove(file, ignored);
  }
}

}  // namespace allclear::batch
