#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "allclear/apps/batch/messages.h"
#include "allclear/apps/batch/results.h"

namespace allclear::batch {

/// SHA-256 of files by their content. One that has the size and the time of change that it had
/// before is not read again. For one thread.
class FileDigests {
 public:
  /// 64 hex digits; empty of a file that cannot be read.
  const std::string& of(const std::filesystem::path& path);

  /// The files with their digests, each once, by absolute path.
  RestedOn of(const std::vector<std::filesystem::path>& paths);

 private:
  struct Known {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type changed = {};
    std::string digest;
  };
  std::map<std::filesystem::path, Known> known_;
};

/// Rows of a run whose files are not what they were when the row was made.
struct ChangedRows {
  std::vector<bool> rows;          ///< by number of the query
  std::int64_t count = 0;          ///< of these rows
  std::vector<std::string> files;  ///< that have changed, or are gone, or were not there

  /// "3 rows rest on files that have changed since: /a/scene.yaml, /a/box.stl"; empty: there is
  /// none.
  std::string text() const;
};

/// Reads every file that a row of the run names, once. A certified row that names none, of a run
/// that an earlier version began, counts as changed: nothing says what it rests on.
ChangedRows changedRows(const Results& results, std::int64_t count);

}  // namespace allclear::batch
