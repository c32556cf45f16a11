// What every subcommand checks of its command line, and of its output at the end.
#include "allclear/apps/command_checks.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>

#include "allclear/core/file.h"
#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"

namespace allclear {
namespace {

/// The number that a word is; NaN for any other word.
double numberIn(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool is_number = error == std::errc() && end == word.data() + word.size();
  return is_number ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

CLI::Validator numberBetween(double lower, double upper) {
  return {[lower, upper](const std::string& word) -> std::string {
            const double value = numberIn(word);
            if (value >= lower && value <= upper) return "";
            return formatted("must be a number from %g to %g, not ", lower, upper) + word;
          },
          ""};
}

CLI::Validator positiveNumber() {
  return {[](const std::string& word) -> std::string {
            const double value = numberIn(word);
            if (value > 0.0 && std::isfinite(value)) return "";
            return "must be a positive number, not " + word;
          },
          ""};
}

void requireOutputs(const std::vector<std::string>& outputs,
                    const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& output = outputs[i];
    if (output.empty()) continue;
    requireWritable(output);
    for (const std::string& input : inputs) {
      if (!input.empty() && isSameFile(output, input)) {
        throw InputError({output, 0, "", ""}, "is an input: give the output another name");
      }
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!outputs[j].empty() && isSameFile(output, outputs[j])) {
        throw InputError({output, 0, "", ""},
                         "is to hold two outputs: give one of them another name");
      }
    }
  }
}

std::vector<std::string> notInProof(const Problem& problem) {
  std::vector<std::string> lines;
  const auto add = [&lines](const std::string& what) {
    lines.push_back("not in this proof: " + what + " (the certificate covers it)");
  };
  for (const Cable& cable : problem.cables) add("cable '" + cable.id + "'");
  for (const Obstacle& obstacle : problem.obstacles) {
    if (obstacle.deforming != nullptr) add("obstacle '" + obstacle.id + "', which bends");
    if (obstacle.cloud != nullptr) add("obstacle '" + obstacle.id + "', a cloud");
  }
  return lines;
}

bool isPrinted() {
  std::cout.flush();
  const bool done = std::fflush(stdout) == 0 && !std::cout.fail() && std::ferror(stdout) == 0;
  if (!done) std::fputs("allclear: what it printed could not be written\n", stderr);
  return done;
}

}  // namespace allclear
