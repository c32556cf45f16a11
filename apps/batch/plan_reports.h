#pragma once

#include <filesystem>

#include "allclear/apps/batch/results.h"

namespace allclear::batch {

/// Writes the report of one plan of a run beside its files, and returns its path. The task is read
/// again, and the trajectory certified again. Throws `InputError`, also when there is no plan.
std::filesystem::path writePlanReport(const Results& results, const Row& row);

/// The same for every plan of the run that has none yet.
void writePlanReports(const Results& results, bool quiet);

}  // namespace allclear::batch
