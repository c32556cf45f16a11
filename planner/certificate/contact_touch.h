#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/geometry.h"

namespace allclear {

/// "'left_hand' touches 'table' at a point and is never more than 2 mm deep in it", of every two
/// bodies among `pairs` that touch at a contact; joined by "; ". Empty without any.
std::string contactTouchText(const Problem& problem, const std::vector<CertificatePair>& pairs);

/// What the depth of such pairs means, and which they are, those that nothing parts too.
std::optional<Assumption> contactTouchAssumption(const Problem& problem,
                                                 const CertifiedGeometry& geometry);

}  // namespace allclear
