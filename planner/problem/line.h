#pragma once

#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// The poses of a line, stretch by stretch, and how far other poses are from them. Immutable.
class LinePath {
 public:
  explicit LinePath(const KeepOnLine& line);

  int count() const { return static_cast<int>(line_.stretches.size()); }
  const KeepOnLine& line() const { return line_; }
  /// Where stretch `i` starts; of `count()` the end of the line.
  const Pose& corner(int i) const { return corners_[i]; }
  /// The pose of a stretch at u in [0, 1].
  Pose at(int stretch, double u) const;

  /// Shares of the tolerances: position and angle; 0 where one is infinite.
  struct Shares {
    double position = 0.0;
    double angle = 0.0;
    double most() const { return position > angle ? position : angle; }
  };
  /// Of `X_WP` against `target`. (NaN stays NaN.)
  Shares shares(const Pose& X_WP, const Pose& target) const;

  /// u in [0, 1] of the pose of the stretch from which the larger share is least, to 1e-7 or so:
  /// a good choice, which proves nothing by itself. `X_WP` may be off a rotation by rounding.
  double progress(int stretch, const Pose& X_WP) const;

  /// u of the nearest position, or of the nearest rotation where the stretch has no length to
  /// speak of: smooth inside (0, 1). `by_p` and `by_turn` get its gradients by the position of P
  /// and by its rotation in the world (zero beyond the ends), if not null.
  double smoothProgress(int stretch, const Pose& X_WP, Vec3* by_p, Vec3* by_turn) const;

 private:
  double nearestPosition(int stretch, const Vec3& p) const;
  double nearestTurn(int stretch, const Mat3& R) const;
  bool goes(int stretch) const;
  bool turns(int stretch) const;

  KeepOnLine line_;
  std::vector<Pose> corners_;
};

/// The line that leads to the problem's goal: of its pose, at its pose; null where there is none.
const KeepOnLine* lineToGoal(const Problem& problem);

/// How far the rotations exp(s phi n), s in [0, 1], are at most from the straight line between the
/// first and the last, in the norm of all nine numbers: the second derivative by the angle is
/// [n]^2 R, of norm sqrt(2), so it is sqrt(2) phi^2 / 8.
double chordError(double phi);

/// The angle [rad] of a rotation R with |R - 1|_F = `norm`; infinite where no rotation has that,
/// and for NaN.
double angleOfNorm(double norm);

}  // namespace allclear
