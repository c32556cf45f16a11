#pragma once

#include <vector>

#include "allclear/planner/certificate.h"

namespace allclear {

/// How files were read, where the claim rests on it: those of the robot, of the scene, and of the
/// trajectory (`CertificateOptions::reading`).
std::vector<Assumption> fileAssumptions(const Problem& problem, const CertificateOptions& options);

/// Whether the assumptions `given` are those made anew. A certificate may say more of the file that
/// its trajectory came from than is known to who verifies it, but not less.
bool saysAsMuch(const std::vector<Assumption>& given, const std::vector<Assumption>& anew);

}  // namespace allclear
