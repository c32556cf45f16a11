#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

#include "allclear/planner/certificate.h"

namespace allclear {

/// What stands behind a verdict, as a list: of a clear trajectory the pairs that come nearest to
/// their margins, with proven distances, then constant pairs; of one that is not the faults that
/// the verdict has no room for.
void printPairs(const Certificate& certificate, std::ostream& out);

/// The nearest pairs for programs: `[{a, b, distance: [lower, upper], margin, t}, ..]`.
nlohmann::ordered_json closestPairsJson(const Certificate& certificate);

}  // namespace allclear
