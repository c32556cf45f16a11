#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// The option --configuration: joints by name, or numbers for all planned joints in their order.
class ConfigurationOptions {
 public:
  void addTo(CLI::App& command);
  bool isGiven() const { return !words_.empty(); }

  /// `base` with the words in its place. `planned` are the coordinates that bare numbers stand for.
  /// Throws `InputError`.
  VecX read(const RobotModel& robot, const std::vector<int>& planned, VecX base) const;

 private:
  std::vector<std::string> words_;
};

/// A number of the command line, finite; `option` names it in errors. Throws `InputError`.
double numberFrom(const std::string& word, const std::string& option);

/// `[x, y, z]` or the like for people: rounded to six decimals, without -0.
std::string shownNumber(double value);

}  // namespace allclear
