#pragma once

#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/geometry.h"

namespace allclear {

/// Which pairs keep the gaps against clamping (`CollisionSettings::gaps`), and which do not: those
/// that the task lets come closer, those whose gap never changes, and those that nothing looks at.
/// Empty where no gap is asked for.
std::vector<Assumption> gapAssumptions(const Problem& problem, const CertifiedGeometry& geometry);

}  // namespace allclear
