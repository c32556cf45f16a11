#pragma once

#include <string>
#include <vector>

#include "allclear/planner/certificate_motion.h"

namespace allclear {

/// A quantity that stays within [lower, upper] at every instant, and its limits.
struct CertifiedLimit {
  std::string subject;   ///< a joint, a link, or empty for the whole
  std::string quantity;  ///< "position", "velocity", "acceleration", "jerk", "torque", "duration",
                         ///< "angle of the kept axis", "x in the box", ...
  double lower = 0.0;    ///< proven bounds
  double upper = 0.0;
  double lower_limit = 0.0;
  double upper_limit = 0.0;
  double t = 0.0;     ///< [s] where it comes nearest to a limit, or goes farthest beyond
  bool kept = false;  ///< the bounds are within the limits (to the tolerance)
};

struct CertifiedLimitOptions {
  /// Of limits, relative to their size (to 1 for smaller ones): far below what a drive can tell,
  /// above the rounding of a curve that runs along its limit.
  double limit_tolerance = 1e-9;
  double path_tolerance = 1e-6;  ///< of path constraints [rad or m]
  /// Of the position, velocity and acceleration at both ends: files with six decimals pass.
  double end_tolerance = 1e-6;
};

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
