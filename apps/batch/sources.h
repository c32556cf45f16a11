#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "allclear/apps/batch/messages.h"
#include "allclear/apps/batch/sweep.h"

namespace allclear::batch {

/// What a batch is made of, as the command line names it. Paths are absolute.
struct Inputs {
  std::vector<std::filesystem::path> tasks = {};
  std::vector<std::filesystem::path> problems = {};
  std::vector<std::filesystem::path> sweeps = {};
};

/// As text for the record of a run, and back.
std::string inputsJson(const Inputs& inputs);
Inputs parseInputs(const std::string& json);

/// The queries of a batch, in a fixed order: tasks, problems of sets, variants of sweeps.
class Sources {
 public:
  /// Reads what is needed to name the queries; robots and scenes are left to the workers. Throws
  /// `InputError`.
  static Sources open(const Inputs& inputs);

  std::int64_t count() const { return count_; }
  Query query(std::int64_t number) const;

  /// SHA-256 of the inputs' own files; not of the robots and scenes that they name.
  const std::string& sha256() const { return sha256_; }

 private:
  struct Part {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::filesystem::path file;
    std::string scene;
    std::vector<std::string> names;  ///< of a set's problems
    int sweep = -1;
  };

  void add(Part part);

  std::vector<Part> parts_;
  std::vector<Sweep> sweeps_;
  std::int64_t count_ = 0;
  std::string sha256_;
};

}  // namespace allclear::batch
