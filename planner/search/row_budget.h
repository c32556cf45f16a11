#pragma once

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "allclear/planner/clearance/evaluator.h"

namespace allclear {

/// Entries of all clearance rows of a program, at most. A robot of 160 joints, near itself
/// everywhere, had ten times as many: 0.8 GB, and a second in Ipopt before its first step. Others
/// have far less.
inline constexpr std::size_t kMostRowEntries = 1000000;

/// What of `near` may get a row, in its order: all of it, as long as the rows of `known` (span and
/// pair) and those of `near` have no more entries than `most` on `joints` planned joints. Else the
/// nearest of those that have none yet: an exchange adds what a later solution comes near to.
std::vector<Clearance> affordableRows(const std::vector<Clearance>& near,
                                      const std::set<std::pair<int, int>>& known, int joints,
                                      std::size_t most = kMostRowEntries);

}  // namespace allclear
