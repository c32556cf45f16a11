#pragma once

#include <string>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/geometry.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// Fills in what a certificate of this trajectory says about itself, apart from its proof: margin,
/// tolerances, until when it holds, exempt pairs and assumptions. They follow from the problem, the
/// trajectory and the options alone, so that the check of a certificate makes them anew.
void declareScope(const Problem& problem, const CertifiedGeometry& geometry,
                  const Trajectory& trajectory, const CertificateOptions& options,
                  Certificate* certificate);

/// What of all this differs between two certificates, as a phrase ("its exempt pairs are not those
/// of the task"); empty when nothing does.
std::string scopeDifference(const Certificate& made_anew, const Certificate& given);

}  // namespace allclear
