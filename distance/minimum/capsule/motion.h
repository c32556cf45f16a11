#pragma once

#include "allclear/distance/minimum/capsule/capsule.h"
#include "allclear/distance/minimum/instant.h"

namespace allclear::mcd {

/// Two moving capsules as searches see them: signed distances at instants of the polynomial motion,
/// and bounds of how fast these can fall. Borrows the curves; immutable.
class CapsuleMotion {
 public:
  CapsuleMotion(std::span<const CapsuleCurve> a, std::span<const CapsuleCurve> b);

  int cells() const { return cells_; }
  Interval cellTime(int cell) const { return (timed_by_b_ ? curveB(cell) : curveA(cell)).time; }
  /// The true distance is within this [m] of the polynomial motion's.
  double error() const { return error_; }

  Instant at(TimePoint when) const;
  /// Gap [m] of the polynomial motion where the cell follows another.
  double jump(int cell) const {
    return cell == 0 ? 0.0 : a_step_ * curveA(cell).jump + b_step_ * curveB(cell).jump;
  }
  /// Upper bound of |d(distance)/dt| [m/s] over the cell from lever arms.
  double leverSpeed(int cell) const { return curveA(cell).lever_speed + curveB(cell).lever_speed; }
  /// Whether the witnesses stay where they are when the shapes tilt a little, at an instant.
  bool witnessIsUnique(const Instant& instant) const;

  const CapsuleCurve& curveA(int cell) const { return a_[cell * a_step_]; }
  const CapsuleCurve& curveB(int cell) const { return b_[cell * b_step_]; }

 private:
  const CapsuleCurve* a_;
  const CapsuleCurve* b_;
  int a_step_, b_step_, cells_;
  bool timed_by_b_;  ///< a single still curve of A may span other times
  double radii_, error_;
};

}  // namespace allclear::mcd
