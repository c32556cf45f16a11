#pragma once

#include <string>
#include <vector>

namespace allclear::batch {

/// The program that brings queries to a Dask scheduler and answers back (python/allclear/batch.py),
/// with its arguments. Throws `InputError` where it is not installed.
std::vector<std::string> bridgeCommand(const std::string& scheduler, int chunk,
                                       std::size_t memory_limit, double kill_after);

}  // namespace allclear::batch
