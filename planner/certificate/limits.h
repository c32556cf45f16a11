#pragma once

#include <string>
#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/motion.h"

namespace allclear {

/// Every limit of the problem along the trajectory: exact bounds of the polynomials of position,
/// velocity, acceleration and jerk; rigorous ones of torques (when these are limited) and of path
/// constraints; and the duration.
std::vector<CertifiedLimit> certifiedLimits(const Problem& problem, const Trajectory& trajectory,
                                            const CertifiedLimitOptions& options,
                                            const CertifiedMotion& motion);

/// What is wrong with the ends (start, goal, waypoints with a time) and with the smoothness (a jump
/// of position, velocity or acceleration inside), one sentence each.
std::vector<std::string> endAndJointFindings(const Problem& problem, const Trajectory& trajectory,
                                             const CertifiedLimitOptions& options,
                                             CertifiedMotion& motion);

}  // namespace allclear
