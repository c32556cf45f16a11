#pragma once

#include <vector>

#include "allclear/core/types.h"

namespace allclear {

/// The fastest motion of one coordinate s from rest at 0 to rest at a length, within limits of
/// velocity, acceleration and jerk: at most seven pieces of constant jerk.
class RestProfile {
 public:
  /// All positive; `velocity` may be infinite.
  RestProfile(double length, double velocity, double acceleration, double jerk);

  double duration() const { return joints_.back().t; }
  double length() const { return length_; }

  /// Where pieces meet, both ends included [s].
  std::vector<double> times() const;
  /// (s, ds/dt, d2s/dt2) at time t, clamped to the motion.
  Vec3 at(double t) const;
  /// When s is passed, to rounding; s is clamped to [0, length].
  double timeAt(double s) const;

 private:
  struct Joint {
    double t, s, v, a, jerk;  ///< jerk of the piece that begins here
  };
  Vec3 along(const Joint& joint, double dt) const;

  double length_;
  std::vector<Joint> joints_;
};

}  // namespace allclear
