#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace allclear::fuzz {

/// What one kind of input is given to. `run` ends the process (by `require`) when a promise is
/// broken; a refused input (`InputError`) keeps all of them.
struct Target {
  std::string name;
  std::function<void(std::string_view)> run;
  /// Files of the tree that are inputs of this kind, relative to the source folder.
  std::vector<std::string> seeds;
  /// Whole inputs, of kinds that have no files.
  std::vector<std::string> texts = {};
};

/// All targets. `source` is the project's source folder: tasks name robots in it.
std::vector<Target> targets(const std::filesystem::path& source);

// By what they read.
std::vector<Target> documentTargets();
std::vector<Target> trajectoryTargets();
std::vector<Target> worldTargets();
std::vector<Target> robotTargets(const std::filesystem::path& source);
std::vector<Target> taskTargets(const std::filesystem::path& source);

/// Small files that scenes may name, of every kind: name and content.
std::vector<std::pair<std::string, std::string>> smallFiles();

/// Runs `target` on one input; returns whether it was accepted. Only `InputError` may leave its
/// reader.
bool runOn(const Target& target, std::string_view input);

/// Writes a file plainly, without the syncing that would be most of an input's time; returns its
/// path.
std::filesystem::path written(const std::filesystem::path& file, std::string_view text);

/// Prints what was promised and ends the process, unless it holds.
void require(bool holds, const char* promise);

}  // namespace allclear::fuzz
