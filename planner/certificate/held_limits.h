#pragma once

#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/motion.h"

namespace allclear {

/// Appends "held position" and "held orientation" of a link that keeps a pose, each where it is
/// limited: bounds, for all t, of how far it is from where it is to be. `tolerance` [m or rad] is
/// what a bound may be beyond its limit.
void addHeldPose(const Problem& problem, const KeepPose& keep, double tolerance,
                 const CertifiedMotion& motion, std::vector<CertifiedLimit>* out);

/// Appends "distance from the line" and, where it is limited, "turn from the line": bounds, for all
/// t, of how far frame P is from a pose of the line, the same pose for both, the poses in the order
/// of its stretches.
void addLine(const Problem& problem, const KeepOnLine& line, double tolerance,
             const CertifiedMotion& motion, std::vector<CertifiedLimit>* out);

}  // namespace allclear
