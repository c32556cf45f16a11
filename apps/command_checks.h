#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// Takes numbers from `lower` to `upper` alone. CLI11's own ranges let NaN pass.
CLI::Validator numberBetween(double lower, double upper);

/// The same for finite numbers above zero.
CLI::Validator positiveNumber();

/// Refuses, before the work begins, outputs that could not be written: names that are no file or in
/// no folder, two outputs in one file, and outputs that would replace an input. Empty names are
/// left out. Throws `InputError`.
void requireOutputs(const std::vector<std::string>& outputs,
                    const std::vector<std::string>& inputs);

/// What the task has and a proof file has not, one line each, to be shown where one is written.
std::vector<std::string> notInProof(const Problem& problem);

/// Whether all that was printed has arrived; prints an error when it has not.
bool isPrinted();

}  // namespace allclear
