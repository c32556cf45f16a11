// Beyond one machine the queries go to Dask, which is Python. The bridge to it is a program of this
// project that speaks with us as a worker does (messages.h), so that all else is the same: the
// record, the progress, what a crash is.
#include "allclear/apps/batch/bridge.h"

#include <cstdlib>
#include <filesystem>

#include "allclear/apps/batch/process.h"
#include "allclear/core/input_error.h"

namespace allclear::batch {
namespace {

namespace fs = std::filesystem;

/// Beside the command where it is installed, or in the sources that it was built from.
fs::path bridgeScript() {
  if (const char* given = std::getenv("ALLCLEAR_BATCH_PY")) return given;
  const fs::path folder = fs::path(ownProgram()).parent_path();
  for (const char* place : {"../share/allclear/batch.py", "../../../python/allclear/batch.py"}) {
    const fs::path script = (folder / place).lexically_normal();
    if (fs::is_regular_file(script)) return script;
  }
  throw InputError("--scheduler needs batch.py of Allclear's Python package, which is not beside " +
                   folder.string() + " (set ALLCLEAR_BATCH_PY)");
}

}  // namespace

std::vector<std::string> bridgeCommand(const std::string& scheduler, int chunk,
                                       std::size_t memory_limit, double kill_after) {
  // Debian's Dask belongs to Debian's Python, which need not be the first in the PATH.
  const char* python = std::getenv("ALLCLEAR_PYTHON");
  return {python == nullptr ? "python3" : python,
          bridgeScript().string(),
          scheduler,
          "--command",
          ownProgram(),
          "--chunk",
          std::to_string(chunk),
          "--memory-limit",
          std::to_string(memory_limit),
          "--kill-after",
          std::to_string(kill_after)};
}

}  // namespace allclear::batch
