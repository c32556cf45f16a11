#pragma once

#include <string>
#include <vector>

#include "allclear/core/input_error.h"

namespace allclear {

/// What was odd in the files of a robot, and how it was read.
///
/// Warnings are for the user and name the file. Those that a claim about the robot rests on are
/// assumptions as well: certificates list them. An assumption names its file by what it is
/// ("URDF"), so that it stays the same wherever the files are.
struct LoadNotes {
  std::vector<std::string> warnings;
  std::vector<std::string> assumptions;

  /// A warning alone: nothing about the robot depends on it. `line` 0: none.
  void warn(const std::string& file, int line, const std::string& message);
  /// A warning and an assumption. `kind` is "URDF" or "SRDF".
  void assume(const std::string& kind, const std::string& file, int line,
              const std::string& message);
  /// The same for what was wrong and is left out; `consequence` says what that means.
  void forgive(const std::string& kind, const InputError& error, const std::string& consequence);
};

/// "'a', 'b', 'c' and 4 more": the first five names at most.
std::string someNames(const std::vector<std::string>& names);

}  // namespace allclear
