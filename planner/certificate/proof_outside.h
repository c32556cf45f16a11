#pragma once

#include <string>
#include <vector>

#include "allclear/planner/certificate/geometry.h"

namespace allclear {

/// What a proof file leaves to the certificate, one text for each `outside` line.
/// `path_constraints`: whether the file proves these.
std::vector<std::string> outsideOfProof(const Problem& problem, const CertifiedGeometry& geometry,
                                        const Certificate& certificate, bool path_constraints);

}  // namespace allclear
