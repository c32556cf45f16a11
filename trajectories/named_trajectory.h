#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allclear/core/input_error.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// How a curve comes from what a file or message holds.
enum class Interpolation {
  kSpline,   ///< a B-spline: its control points are given, no rows
  kLinear,   ///< straight between rows of positions
  kCubic,    ///< between rows of positions and velocities
  kQuintic,  ///< between rows of positions, velocities and accelerations
};

Interpolation interpolationOf(const Trajectory& trajectory);

/// In words, such as "linear between rows of positions".
std::string describe(Interpolation interpolation);

/// Forces at the contacts of a robot, as a curve over the same time as its motion: row k of the
/// curve is `names[k]`, such as "r_foot/fz" [N] or "r_foot/mx" [N m].
struct ContactWrenches {
  Trajectory curve;
  std::vector<std::string> names;
};

/// A trajectory as a file holds it: coordinate k belongs to joint_names[k].
struct NamedTrajectory {
  Trajectory trajectory;
  std::vector<std::string> joint_names;
  /// What the file left open and how it was read, one sentence each; empty for a complete file.
  std::vector<std::string> warnings;
  std::optional<ContactWrenches> wrenches = {};
  /// Those of the warnings that a claim about the motion rests on, without paths
  /// (`CertificateOptions::reading`).
  std::vector<std::string> assumptions = {};
  double first_time = 0.0;  ///< [s] of the file's first row, which is at 0 here

  /// The curve of the wrenches; null without one.
  const Trajectory* wrenchCurve() const { return wrenches ? &wrenches->curve : nullptr; }

  Interpolation interpolation() const { return interpolationOf(trajectory); }
};

/// What a trajectory from a file must keep to, so that no bound of it can overflow.
struct TrajectoryLimits {
  static constexpr double kGreatestValue = 1e9;  ///< of times, positions and their derivatives
  static constexpr double kShortestStep = 1e-9;  ///< [s] between rows or joints of spans
};

/// Throws `InputError` at `place` when a name is empty, repeated or holds control characters.
void requireJointNames(const std::vector<std::string>& names, const InputPlace& place);

/// The same trajectory with its coordinates in the order of `expected`. Throws `InputError` at
/// `place` when a joint is missing or not expected, with the nearest expected name.
NamedTrajectory arranged(NamedTrajectory found, const std::vector<std::string>& expected,
                         const InputPlace& place);

/// The coordinates of these names alone, in this order. Pre: the trajectory has them all.
NamedTrajectory arrangedPart(NamedTrajectory found, const std::vector<std::string>& wanted);

}  // namespace allclear
