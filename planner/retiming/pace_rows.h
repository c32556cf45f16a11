#pragma once

#include <functional>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/trajectories/bspline.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// A limit at one instant of the old time, divided by its size, so that it reads
///   |offset + weights . c| <= 1            (acceleration, torque)
///   |weights . c| <= 1 / sqrt(b)           (jerk)
/// where c are the three coefficients of the squared pace that count there, and b is their value.
struct PaceRow {
  enum class Kind { kAcceleration, kJerk, kTorque };
  Kind kind = Kind::kAcceleration;
  Vec3 weights = Vec3::Zero();
  double offset = 0.0;
  bool isJerk() const { return kind == Kind::kJerk; }
};

/// An instant of the old time, and what limits the pace there.
struct PaceSample {
  double t = 0.0;           ///< [s] of old time
  double step = 0.0;        ///< [s] of old time that the sample stands for, in integrals
  int first = 0;            ///< coefficient of the squared pace
  Vec3 value, slope, bend;  ///< weights of three coefficients in b, b' and b''
  double cap = 0.0;         ///< b at most: velocities, unplanned contacts
  int row = 0;              ///< the first of its rows
  int row_count = 0;
};

/// Shares of the limits to use, per span of the pace and order of the derivative (1 to 3): below 1
/// where the curve between the samples would exceed them.
using LimitShares = std::vector<Vec3>;

/// The torques that a motion needs, at planned coordinates, velocities and accelerations; empty
/// where they are not limited.
using TorqueFunction = std::function<VecX(const VecX& q, const VecX& v, const VecX& a)>;
TorqueFunction torquesOf(const Problem& problem);

/// The greatest share that a motion uses of what people bear of an unplanned contact
/// (impact_share.h), at planned coordinates and velocities, or `least` where that is greater; empty
/// where it is not limited. It grows with b.
using ImpactFunction = std::function<double(const VecX& q, const VecX& v, double least)>;
ImpactFunction impactsOf(const Problem& problem);

/// Limits of the squared pace b = (ds/dt)^2 along a curve q(s), s its old time, at three instants
/// of each span of `basis` (degree 2, over the curve's duration).
class PaceRows {
 public:
  /// `torques` of the planned coordinates, within `limits.effort`, or empty; `impacts` likewise.
  PaceRows(const Trajectory& curve, const PlannedLimits& limits, const BSplineBasis& basis,
           const LimitShares& shares, const TorqueFunction& torques,
           const ImpactFunction& impacts = {});

  const std::vector<PaceSample>& samples() const { return samples_; }
  const std::vector<PaceRow>& rows() const { return rows_; }

  /// The largest factor of all coefficients, at most 1, for which every row keeps its limit with a
  /// tenth to spare; 0 when there is none.
  double feasibleShare(const VecX& coefficients) const;

  /// Whether all samples keep all limits with room, by at least `room` of each limit.
  bool isInside(const VecX& coefficients, double room) const;

 private:
  void addSample(const Trajectory& curve, const PlannedLimits& limits, const BSplineBasis& basis,
                 const Vec3& shares, const TorqueFunction& torques, const ImpactFunction& impacts,
                 double s, double step);
  void addRow(PaceRow::Kind kind, const Vec3& weights, double offset);

  std::vector<PaceSample> samples_;
  std::vector<PaceRow> rows_;
};

}  // namespace allclear
