#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace allclear::batch {

/// A task and lists of values for some of its keys: docs/batch.md, "Sweeps".
///
/// The variants are not kept: each is made when it is asked for, so that a sweep of a million takes
/// no more memory than its lists.
class Sweep {
 public:
  /// Throws `InputError` with file, line and key.
  static Sweep load(const std::filesystem::path& path);

  /// The task that is varied; its folder is where names in a variant are relative to.
  const std::filesystem::path& task() const { return task_; }
  std::int64_t count() const { return count_; }

  struct Variant {
    std::string text;        ///< of the task, as JSON
    std::string parameters;  ///< what was put in, as a JSON object of key and value
    std::string bundle;      ///< which of the values that may name files it has
  };
  /// Variant i of [0, count). The last key's value changes first.
  Variant variant(std::int64_t i) const;

 private:
  struct Axis {
    std::string key;
    std::vector<std::string> steps;  ///< of the key
    std::vector<nlohmann::ordered_json> values;
    bool may_name_files = false;
  };

  std::filesystem::path task_;
  nlohmann::ordered_json base_;
  std::vector<Axis> axes_;
  bool zip_ = false;
  std::int64_t count_ = 0;
};

}  // namespace allclear::batch
