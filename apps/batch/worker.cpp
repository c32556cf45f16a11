// A worker: queries come in on standard input, answers go out on what was standard output. That is
// kept for them alone: whatever else writes to standard output (a library, a solver) goes to
// standard error instead.
//
// A worker must not outlive the batch. Between two queries it sees the end of its input; during one
// a thread waits for the reader of its answers to go away. So a batch that is killed leaves nothing
// behind.
#include "allclear/apps/batch/worker.h"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "allclear/apps/batch/messages.h"
#include "allclear/apps/batch/pool.h"
#include "allclear/apps/batch/solve.h"
#include "allclear/apps/commands.h"
#include "allclear/core/input_error.h"

namespace allclear::batch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

/// Standard output, kept for answers.
class AnswerPipe {
 public:
  AnswerPipe() : fd_(::dup(STDOUT_FILENO)) {
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    std::thread([fd = fd_] {
      pollfd watched{fd, 0, 0};  // POLLERR comes unasked: nobody reads any more
      while (::poll(&watched, 1, -1) < 0 || (watched.revents & POLLERR) == 0) {
        if (watched.revents != 0) return;  // not a pipe
      }
      ::_exit(0);
    }).detach();
  }

  void write(std::string line) const {
    line += '\n';
    for (std::size_t done = 0; done < line.size();) {
      const ssize_t count = ::write(fd_, line.data() + done, line.size() - done);
      if (count < 0 && errno != EINTR) ::_exit(0);
      if (count > 0) done += static_cast<std::size_t>(count);
    }
  }

 private:
  int fd_;
};

/// A folder for files in the making: the given one, or a temporary one that is removed again.
class Scratch {
 public:
  explicit Scratch(const fs::path& wanted) : path_(wanted) {
    if (!wanted.empty()) {
      path_ /= std::to_string(::getpid());
    } else {
      path_ = fs::temp_directory_path() / ("allclear-worker-" + std::to_string(::getpid()));
    }
    fs::create_directories(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void limitMemory(std::size_t megabytes) {
  if (megabytes == 0) return;
  const rlimit limit{megabytes * kMegabyte, megabytes * kMegabyte};
  ::setrlimit(RLIMIT_AS, &limit);
}

/// The files that a query reads, for those who bring them to another machine.
std::string listed(const Query& query) {
  nlohmann::ordered_json out = {{"number", query.number},
                                {"paths", nlohmann::ordered_json::array()}};
  for (const fs::path& path : QueryLoader::filesOf(query)) {
    out["paths"].push_back(fs::absolute(path).lexically_normal().string());
  }
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

bool asksForFiles(const std::string& line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  return json.is_object() && json.value("list", false);
}

int answerHere(const AnswerPipe& pipe, const fs::path& scratch) {
  Solver solver(scratch);
  for (std::string line; std::getline(std::cin, line);) {
    if (asksForFiles(line)) {
      pipe.write(listed(parseQuery(line).first));
      continue;
    }
    const auto [query, settings] = parseQuery(line);
    const Answer answer = solver.solve(query, settings);
    pipe.write(answerLine(answer));
    // Who ran out of memory may have been left in pieces: a fresh process takes the next query.
    if (answer.status == "out_of_memory") return kDone;
  }
  return kDone;
}

/// A pool of one: a crash of the worker behind it is an answer.
int answerBySupervised(const AnswerPipe& pipe, const WorkerOptions& options,
                       const fs::path& scratch) {
  PoolOptions pool_options;
  pool_options.workers = 1;
  pool_options.scratch = scratch;
  pool_options.memory_limit = options.memory_limit;
  pool_options.kill_after = options.kill_after;
  Pool pool(pool_options);
  for (std::string line; std::getline(std::cin, line);) {
    // One at a time: who asks has a supervisor for each that it wants solved side by side.
    const auto [query, settings] = parseQuery(line);
    pool.submit(query, settings);
    while (pool.isBusy()) {
      for (const Answer& answer : pool.wait(kPoolPatience)) pipe.write(answerLine(answer));
    }
  }
  return kDone;
}

}  // namespace

int runWorker(const WorkerOptions& options) {
  std::signal(SIGINT, SIG_IGN);  // Ctrl-C is for the batch, which then ends its workers
  std::signal(SIGPIPE, SIG_IGN);
  const AnswerPipe pipe;
  const Scratch scratch(options.scratch);
  pipe.write(helloLine({kProtocol, ALLCLEAR_VERSION, 1}));
  if (options.supervised) return answerBySupervised(pipe, options, scratch.path());
  limitMemory(options.memory_limit);
  return answerHere(pipe, scratch.path());
}

}  // namespace allclear::batch
