#pragma once

#include "allclear/planner/certificate/cell_search.h"
#include "allclear/planner/certificate/cover.h"

namespace allclear {

/// Finds the pairs with the least slack (distance minus margin) of a clear cover, `kRankedPairs` of
/// them at the most, and brackets the distance of each where it has that slack. Improves cells on
/// the way, and ends after an amount of work: then fewer are listed, one at least where there are
/// any. Every pair that is not listed has at least the proven slack of the last one.
void rankPairs(const CertifiedGeometry& geometry, double tolerance, const CellSearch& cells,
               Cover* cover);

}  // namespace allclear
