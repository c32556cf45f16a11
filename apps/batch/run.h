#pragma once

#include <filesystem>
#include <string>

#include "allclear/apps/batch/messages.h"
#include "allclear/apps/batch/sources.h"

namespace allclear::batch {

struct BatchOptions {
  Inputs inputs;
  std::filesystem::path folder;
  SolveSettings settings;
  int workers = 1;
  std::size_t memory_limit = 0;  ///< [MB]; 0: none
  double kill_after = 0.0;       ///< [s]; 0: by the time limit
  bool retry_failed = false;
  bool retry_changed = false;
  bool reports = false;
  bool quiet = false;
  std::string scheduler;  ///< of Dask; empty: processes of this machine
  int chunk = 1;          ///< queries that go to the scheduler at a time
};

/// Solves what is not solved yet, and records it. Returns the exit code. Throws `InputError`,
/// before anything is written, for inputs that are not those of the run.
int runBatch(const BatchOptions& options);

}  // namespace allclear::batch
