#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allclear/apps/batch/messages.h"

struct sqlite3;
struct sqlite3_stmt;

namespace allclear::batch {

/// A row of `results.sqlite`, besides what the answer has.
struct Row {
  Query query;  ///< number, id, scene, parameters
  Answer answer;
  std::optional<double> time_limit = {};  ///< [s] that was given
  std::string folder = {};  ///< of the plan's files, relative to the run's; empty: there is none
};

/// The folder of a run: `results.sqlite`, and `plans/` beside it. Every function throws
/// `InputError` naming the file when it cannot be read or written.
///
/// A row is there whole or not at all, and what it says of files is on disk before it: these are
/// written into a folder with another name, which is renamed, and only then the row is committed.
/// One process writes; any may read meanwhile.
class Results {
 public:
  /// Opens the run of this folder, or makes one. A process that writes to it already is an error.
  static Results create(const std::filesystem::path& folder);
  /// Opens a run to read it.
  static Results open(const std::filesystem::path& folder);
  ~Results();
  Results(Results&& other) noexcept;
  Results& operator=(Results&&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

  /// What the run remembers of itself.
  std::optional<std::string> fact(const std::string& key) const;
  /// Throws `InputError` when it cannot be written.
  void setFact(const std::string& key, const std::string& value);
  void removeFact(const std::string& key);
  /// Removes what `create` made where nothing was there before and no row was recorded since: a
  /// batch that was refused leaves no run. Nothing else may be called afterwards.
  void removeUnlessUsed();

  /// Queries that have a row, by number; with `only_certified` only those that need not be retried.
  std::vector<bool> finished(std::int64_t count, bool only_certified) const;

  /// Writes the files of the answer and its row, in place of an older one.
  void record(const Query& query, const Answer& answer, const SolveSettings& settings);

  /// The lists of files that rows rest on, by the name that rows have them by.
  std::map<std::string, RestedOn> restedOn() const;
  /// Calls for every row with its number, whether it is certified, and the name of its list; empty:
  /// the row is of a version that kept none.
  void forEachList(const std::function<void(std::int64_t, bool, const std::string&)>& visit) const;

  /// Calls for every row, in the order of the numbers. Files are left out.
  void forEach(const std::function<void(const Row&)>& visit) const;
  std::optional<Row> find(const std::string& id) const;
  /// Rows by status.
  std::vector<std::pair<std::string, std::int64_t>> counts() const;

 private:
  explicit Results(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void openDatabase(int flags);
  void execute(const char* sql) const;
  std::string writeFiles(const Answer& answer) const;
  std::string recordList(const RestedOn& list) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path folder_;
  sqlite3* database_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  int lock_ = -1;
  bool is_new_ = false;         ///< there was no run in the folder
  bool is_new_folder_ = false;  ///< nor a folder
};

}  // namespace allclear::batch
