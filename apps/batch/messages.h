#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace allclear::batch {

/// Of the lines between `allclear batch` and its workers; both sides must speak the same.
inline constexpr int kProtocol = 1;

/// One question to a worker.
struct Query {
  std::int64_t number = 0;  ///< from 0, in the order of the inputs
  std::string id;           ///< unique in a run, for people
  std::string scene;        ///< what the report groups by
  std::string file;         ///< absolute: a task, or a set of problems
  int index = -1;           ///< of the problem in the set; -1: `file` is a task
  std::string text;         ///< read instead of the task's own text; empty: none
  std::string parameters;   ///< what a sweep put in, as a JSON object; empty: none
  std::string bundle;       ///< queries of the same bundle read the same files
};

/// How a batch solves all of its queries.
struct SolveSettings {
  std::optional<double> time_limit = {};   ///< [s]; none: as each task says
  std::optional<std::uint64_t> seed = {};  ///< none: as each task says
  std::string improve = {};                ///< empty: as each task says
  std::vector<std::string> files = {};     ///< of a certified plan that are kept
};

/// The kinds of file that a certified plan has, by the names of `SolveSettings::files`.
inline constexpr const char* kFileKinds[] = {"csv", "trajectory", "certificate", "proof"};

/// Files that a query rests on: the absolute path and the SHA-256 of the content of each; an empty
/// one where it could not be read.
using RestedOn = std::vector<std::pair<std::string, std::string>>;

/// What became of a query. A status is a word:
///   certified      a plan, proved clear
///   not_found      no certified plan
///   timed_out      the planner's time limit came first
///   bad_input      the task cannot be read
///   crashed        the worker process ended
///   hung           it did not answer in time
///   out_of_memory  it hit the memory limit
///   internal_error a bug, caught
struct Answer {
  std::int64_t number = 0;
  std::string status;
  std::string message;
  double seconds = 0.0;                  ///< of planning
  double load_seconds = 0.0;             ///< of reading, before
  double write_seconds = 0.0;            ///< of making files and proof, after
  std::optional<double> duration = {};   ///< of the plan [s]
  std::optional<double> clearance = {};  ///< proven lower bound [m]
  std::optional<double> cost = {};
  std::optional<std::uint64_t> seed = {};
  bool cut_short = false;  ///< the time limit ended the improvement
  std::string task_sha256 = {};
  std::string robot_sha256 = {};
  std::string trajectory_sha256 = {};
  RestedOn rests_on = {};
  std::vector<std::pair<std::string, std::string>> files = {};  ///< name and content

  bool isCertified() const { return status == "certified"; }
};

/// Each is one line of JSON, without its end. What is read comes from our own processes:
/// `std::runtime_error` where it is broken.
std::string queryLine(const Query& query, const SolveSettings& settings);
std::pair<Query, SolveSettings> parseQuery(const std::string& line);
std::string answerLine(const Answer& answer);
Answer parseAnswer(const std::string& line);

/// The first line of every worker: who it is, and how many queries it takes at a time.
struct Hello {
  int protocol = kProtocol;
  std::string version;
  int slots = 1;
};
std::string helloLine(const Hello& hello);
/// None when the line is no greeting.
std::optional<Hello> parseHello(const std::string& line);

}  // namespace allclear::batch
