#pragma once

#include <filesystem>

namespace allclear::batch {

struct WorkerOptions {
  std::filesystem::path scratch;  ///< a folder for files in the making; empty: a temporary one
  std::size_t memory_limit = 0;   ///< [MB]; 0: none
  double kill_after = 0.0;        ///< [s], of a supervised worker
  bool supervised = false;        ///< solve in a process of its own, which may crash
};

/// The hidden mode of the command that answers queries: lines of `messages.h`, from standard input
/// to standard output, until the input ends. A line {"list": true, ...} of a query is answered with
/// the files that it reads. Returns the exit code.
int runWorker(const WorkerOptions& options);

}  // namespace allclear::batch
