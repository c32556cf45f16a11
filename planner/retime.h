#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/problem.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

struct RetimeOptions {
  /// [rad; m for slides] How far from the path any joint may be at any time: corners are rounded
  /// within it. 0: on the path but for rounding (1e-9), with a rest at every corner.
  double tolerance = 0.01;
  /// Motions to try at most, each with less rounding where the one before was not clear.
  int rounds = 24;
  CertificateOptions certificate = {};
  /// [s] of wall clock from the call; kept to a few hundredths of a second.
  double time_limit = std::numeric_limits<double>::infinity();
  /// True to end as soon as possible. Asked by the calling thread, once in a millisecond at most.
  std::function<bool()> stop = {};
};

enum class RetimeStatus {
  kCertified,
  kPathNotClear,  ///< the path itself is nearer to something than the margin
  kNotCertified,  ///< the path is clear, but no motion along it was proven to keep all demands
  kTimedOut,      ///< the time limit came first
  kInterrupted,   ///< `RetimeOptions::stop` returned true
};

/// As files and messages have it: "path_not_clear".
const char* retimeStatusName(RetimeStatus status);

/// A motion along a path, or why there is none.
struct RetimedPath {
  RetimeStatus status = RetimeStatus::kNotCertified;
  std::string message;                   ///< the verdict in words
  std::optional<Trajectory> trajectory;  ///< rows at whole nanoseconds, the last that was tried;
                                         ///< none when the end came before one was
  std::optional<Certificate>
      certificate;       ///< of the trajectory; says what it follows, and how near
  int rests = 0;         ///< on the way, ends not counted
  int rounds = 0;        ///< motions tried
  double seconds = 0.0;  ///< spent here
};

/// The motion along `path`, over the planned coordinates, from the problem's start to its goal, in
/// nearly the least time within its limits of velocity, acceleration, jerk and torque, certified as
/// any other; the certificate says too that it follows the path within `tolerance`
/// (`FollowedPath`), which is proven.
///
/// The path's times do not matter. Rows of positions alone are a polyline: lines from row to row.
/// It may have thousands of rows, repeated ones too; a coordinate that wraps goes on where its next
/// row is half a turn or more away. Corners are rounded within the tolerance, less where the
/// rounding would touch, and are rests where nothing else is clear. An end of a polyline that is
/// within the tolerance of the start or the goal is moved there. Any other path (B-splines, rows
/// with velocities) is a curve that is followed as it is; one whose acceleration jumps, or that
/// moves at its ends, is rounded like a polyline, and needs a tolerance.
///
/// Throws `InputError` where start or goal are not at rest, for a path of other joints, and for one
/// that stands still.
RetimedPath retime(const Problem& problem, const Trajectory& path,
                   const RetimeOptions& options = {});

/// The same along a polyline: a configuration of the planned coordinates per column.
RetimedPath retime(const Problem& problem, const MatX& path, const RetimeOptions& options = {});

}  // namespace allclear
