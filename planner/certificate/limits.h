#pragma once

#include <string>
#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/motion.h"

namespace allclear {

/// Every limit of the problem along the trajectory: exact bounds of the polynomials of position,
/// velocity, acceleration and jerk; rigorous ones of torques (when these are limited), of forces at
/// contacts (contact_limits.h) and of path constraints; and the duration. Where the trajectory's
/// interpolation lets a derivative jump, those above it are left out (interpolation.h). `wrenches`
/// may be null.
std::vector<CertifiedLimit> certifiedLimits(const Problem& problem, const Trajectory& trajectory,
                                            const Trajectory* wrenches,
                                            const CertifiedLimitOptions& options,
                                            const CertifiedMotion& motion);

/// Faults of the ends (start, goal, waypoints) and of the smoothness (a jump of position, velocity
/// or acceleration between two spans), one sentence each; empty when there are none. A waypoint
/// without a time must be passed after the waypoint before it.
std::vector<std::string> endAndJointFindings(const Problem& problem, const Trajectory& trajectory,
                                             const CertifiedLimitOptions& options,
                                             CertifiedMotion& motion);

}  // namespace allclear
