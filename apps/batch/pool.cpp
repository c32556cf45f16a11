// The pool: one thread, one poll(2) over the workers' answers. Everything that can happen to a
// worker shows there: an answer, or the end of its output.
#include "allclear/apps/batch/pool.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>

#include "allclear/core/input_error.h"

namespace allclear::batch {
namespace {

/// Processes that end before they have greeted, one after the other, until the pool gives up: they
/// would all do so.
constexpr int kMostFailedStarts = 5;

/// What a worker that ended by itself is called in the row of its query.
std::string endText(int status) {
  if (WIFSIGNALED(status))
    return "The process of this query was ended by " + signalName(WTERMSIG(status)) + ".";
  return "The process of this query ended with exit code " + std::to_string(WEXITSTATUS(status)) +
         ".";
}

}  // namespace

Pool::Pool(PoolOptions options) : options_(std::move(options)) {
  // A worker that has ended is found by the end of its output, not by a signal when we write to it.
  std::signal(SIGPIPE, SIG_IGN);
  workers_.resize(options_.bridge.empty() ? static_cast<std::size_t>(options_.workers) : 1);
}

/// A worker is this very program, so that it is never another version.
std::unique_ptr<ChildProcess> Pool::start() const {
  std::vector<std::string> arguments = options_.bridge;
  if (arguments.empty()) {
    arguments = {ownProgram(), "batch-worker"};
    if (!options_.scratch.empty()) {
      arguments.insert(arguments.end(), {"--scratch", options_.scratch.string()});
    }
    if (options_.memory_limit > 0) {
      arguments.insert(arguments.end(), {"--memory-limit", std::to_string(options_.memory_limit)});
    }
  }
  // The bridge speaks to the user itself: what it cannot do is bad input.
  return std::make_unique<ChildProcess>(arguments,
                                        options_.bridge.empty() ? options_.log.string() : "");
}

/// A worker that has not greeted yet takes one query: most take no more.
bool Pool::hasRoom() const {
  std::size_t room = 0;
  for (const Worker& worker : workers_) {
    const auto slots = static_cast<std::size_t>(std::max(1, worker.slots));
    room += slots - std::min(slots, worker.jobs.size());
  }
  return waiting_.size() < room;
}

bool Pool::isBusy() const {
  return !waiting_.empty() ||
         std::any_of(workers_.begin(), workers_.end(),
                     [](const Worker& worker) { return !worker.jobs.empty(); });
}

void Pool::submit(const Query& query, const SolveSettings& settings) {
  waiting_.push_back({query.number, queryLine(query, settings), 0, {}});
  giveOut();
}

/// A process that does not read has ended; the end of its output tells the rest.
void Pool::send(Worker& worker, Job job) {
  if (!worker.process) worker.process = start();
  job.sent = Clock::now();
  ++job.tries;
  worker.process->send(job.line);
  worker.jobs.push_back(std::move(job));
}

void Pool::giveOut() {
  for (Worker& worker : workers_) {
    const auto slots = static_cast<std::size_t>(std::max(1, worker.slots));
    while (!waiting_.empty() && worker.jobs.size() < slots) {
      Job job = std::move(waiting_.front());
      waiting_.pop_front();
      send(worker, std::move(job));
    }
  }
}

/// A worker of another build would answer, but perhaps otherwise: it is refused.
void Pool::greet(Worker& worker, const std::string& line) {
  const auto hello = parseHello(line);
  if (!hello || hello->protocol != kProtocol || hello->version != ALLCLEAR_VERSION) {
    throw std::runtime_error("a worker speaks another language than this program (" +
                             line.substr(0, 100) + ")");
  }
  worker.slots = std::max(1, hello->slots);
  failed_starts_ = 0;
}

/// Takes what the worker has said; finds out why when that was the last.
void Pool::read(Worker& worker, std::vector<Answer>* answers) {
  const bool goes_on = worker.process->receive();
  // What it said before its end counts: an answer may be there in full.
  while (const auto line = worker.process->nextLine()) {
    if (worker.slots == 0) {
      greet(worker, *line);
      continue;
    }
    Answer answer = parseAnswer(*line);
    // A bridge has several queries and answers them in any order.
    const auto job = std::find_if(worker.jobs.begin(), worker.jobs.end(),
                                  [&](const Job& asked) { return asked.number == answer.number; });
    if (job == worker.jobs.end()) continue;
    worker.jobs.erase(job);
    answers->push_back(std::move(answer));
  }
  if (!goes_on) bury(worker, answers);
}

/// Decides for each query that the process had: again, or a row that says what happened.
void Pool::bury(Worker& worker, std::vector<Answer>* answers) {
  const int status = worker.process->wait();
  // Neither says anything about the query: somebody else's SIGKILL, and a worker that has left by
  // its own will after the query before (it had run out of memory).
  const bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  const bool has_left = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!options_.bridge.empty()) {
    // Not greeted: it has said why on standard error.
    throw InputError(worker.slots == 0
                         ? "--scheduler: nothing was solved, see the line above"
                         : "--scheduler: the connection has ended; the same command goes on");
  }
  // Before the greeting nothing of the query was read, and it is not to blame.
  const bool is_innocent = worker.slots == 0;
  if (is_innocent && !was_killed && ++failed_starts_ >= kMostFailedStarts) {
    throw std::runtime_error("worker processes end as soon as they are started. " +
                             endText(status));
  }
  for (Job& job : worker.jobs) {
    const bool again = is_innocent || ((was_killed || has_left) && job.tries < kMostTries);
    if (again && !worker.was_hung) {
      waiting_.push_front(std::move(job));
      continue;
    }
    Answer answer;
    answer.number = job.number;
    answer.status = worker.was_hung ? "hung" : "crashed";
    answer.message = worker.was_hung
                         ? "The query did not end by itself and was ended (--kill-after)."
                         : endText(status);
    answers->push_back(std::move(answer));
  }
  worker = Worker();
}

/// Queries are answered in order, so the first one is the oldest. Its end is then found as any
/// other.
void Pool::killHung() {
  if (options_.kill_after <= 0.0) return;
  const auto limit = std::chrono::duration<double>(options_.kill_after);
  for (Worker& worker : workers_) {
    if (worker.jobs.empty() || worker.was_hung) continue;
    if (Clock::now() - worker.jobs.front().sent < limit) continue;
    worker.was_hung = true;
    worker.process->kill();
  }
}

std::vector<Answer> Pool::wait(double seconds) {
  killHung();
  giveOut();
  std::vector<pollfd> watched;
  std::vector<Worker*> owners;
  for (Worker& worker : workers_) {
    if (!worker.process) continue;
    watched.push_back({worker.process->output(), POLLIN, 0});
    owners.push_back(&worker);
  }
  std::vector<Answer> answers;
  // Without a process there is nothing to wait for but the time.
  constexpr double kMilliseconds = 1000.0;
  if (::poll(watched.data(), watched.size(), static_cast<int>(seconds * kMilliseconds)) <= 0) {
    return answers;
  }
  for (std::size_t i = 0; i < watched.size(); ++i) {
    if (watched[i].revents != 0) read(*owners[i], &answers);
  }
  giveOut();
  return answers;
}

}  // namespace allclear::batch
