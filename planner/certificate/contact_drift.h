#pragma once

#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/motion.h"

namespace allclear {

/// For each contact how far any point of its sole (or the point itself) is from where the start
/// puts it, and how far a sole is turned, for all t: "drift of the contact" [m] and "turn of the
/// contact" [rad], against the contact's tolerances.
///
/// The bounds exceed what the motion reaches by a hundredth and by a millionth of the tolerance at
/// most, and by rounding.
std::vector<CertifiedLimit> contactDrifts(const Problem& problem, const CertifiedMotion& motion);

}  // namespace allclear
