// What velocity, acceleration, jerk, torque and unplanned contacts allow the pace along a known
// curve.
//
// Symbols. q(s) is the curve by its old time s, p = ds/dt the pace and b = p^2. With ' = d/ds:
//   dq/dt     = q' p
//   d2q/dt2   = q'' b + q' b' / 2
//   d3q/dt3   = sqrt(b) (q''' b + 3/2 q'' b' + 1/2 q' b'')
//   torque    = M(q) d2q/dt2 + h(q, dq/dt) = (M q'' + c(q, q')) b + M q' b' / 2 + g(q)
// The torque of velocities is quadratic in them, hence linear in b. So accelerations and torques
// are linear in b, b', and jerk is, but for its factor (D. Verscheure et al., "Time-optimal path
// tracking for robots: a convex optimization approach", IEEE TAC 2009; F. Debrouwere et al.,
// "Time-optimal path following for robots with convex-concave constraints", IEEE T-RO 2013).
//
// The old time is a good parameter: a curve that starts at rest starts like s^3 in any time, so the
// pace is positive and smooth up to the ends, where a pace by arc length would be singular.
#include "allclear/planner/retiming/pace_rows.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/stop_scope.h"
#include "allclear/planner/problem/impact_share.h"
#include "allclear/planner/problem/load.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

/// A pace beyond this gains nothing: a stretch of the curve that stands still takes no time.
constexpr double kMostPace = 1e3;
/// Samples lie so far inside of their span, in spans: at a joint b'' jumps.
constexpr double kInside = 1e-6;
/// Below this share of their limit rows cannot become active at the greatest pace that counts.
constexpr double kNegligible = 1e-12;
/// Room that a start inside of all limits keeps.
constexpr double kRoomAtStart = 0.1;
constexpr double kShrink = 0.8;
constexpr int kMostShrinks = 200;  // down to 1e-19

}  // namespace

TorqueFunction torquesOf(const Problem& problem) {
  if (!problem.limits.torque) return {};
  const std::shared_ptr<const RobotModel> robot = loadedRobot(problem);
  const auto kinematics = std::make_shared<const Kinematics>(*robot);
  const auto workspace = std::make_shared<Kinematics::Workspace>(kinematics->makeWorkspace());
  // The function keeps what it needs: robot, kinematics and their scratch memory.
  return [&problem, robot, kinematics, workspace](const VecX& q, const VecX& v, const VecX& a) {
    VecX all_v = VecX::Zero(robot->dimension()), all_a = all_v, all;
    for (int k = 0; k < problem.plannedCount(); ++k) {
      all_v[problem.planned[k]] = v[k];
      all_a[problem.planned[k]] = a[k];
    }
    kinematics->inverseDynamics(problem.configuration(q), all_v, all_a, *workspace, all);
    return problem.plannedPart(all);
  };
}

ImpactFunction impactsOf(const Problem& problem) {
  if (problem.limits.contact.empty()) return {};
  const auto share = std::make_shared<ImpactShare>(problem);
  return [share](const VecX& q, const VecX& v, double least) { return share->at(q, v, least); };
}

PaceRows::PaceRows(const Trajectory& curve, const PlannedLimits& limits, const BSplineBasis& basis,
                   const LimitShares& shares, const TorqueFunction& torques,
                   const ImpactFunction& impacts) {
  const double T = curve.duration();
  for (int i = 0; i < basis.spanCount(); ++i) {
    const Interval span = basis.span(i);
    // Simpson's weights: the integral of the slowness is exact enough to choose by.
    const double h = span.length() * T;
    const Vec3 share = shares.empty() ? Vec3::Ones() : shares[static_cast<std::size_t>(i)];
    const auto at = [&](double u) { return span.lower + u * span.length(); };
    addSample(curve, limits, basis, share, torques, impacts, at(kInside), h / 6.0);
    addSample(curve, limits, basis, share, torques, impacts, at(0.5), 4.0 * h / 6.0);
    addSample(curve, limits, basis, share, torques, impacts, at(1.0 - kInside), h / 6.0);
  }
}

void PaceRows::addSample(const Trajectory& curve, const PlannedLimits& limits,
                         const BSplineBasis& basis, const Vec3& shares,
                         const TorqueFunction& torques, const ImpactFunction& impacts, double s,
                         double step) {
  throwIfStopped();
  const double T = curve.duration();
  PaceSample sample;
  sample.t = s * T;
  sample.step = step;
  const BasisWeights weights = basis.weights(0, s);
  sample.first = weights.first;
  sample.value = weights.weights;
  sample.slope = basis.weights(1, s).weights / T;
  sample.bend = basis.weights(2, s).weights / (T * T);
  sample.cap = kMostPace * kMostPace;
  sample.row = static_cast<int>(rows_.size());
  // Velocities and contacts bound b alone; the rest are rows. A limit that is infinite gives a
  // weight of zero.
  const VecX q1 = curve.value(sample.t, 1), q2 = curve.value(sample.t, 2);
  const VecX q3 = curve.value(sample.t, 3);
  for (int k = 0; k < q1.size(); ++k) {
    const double speed = std::abs(q1[k]) / (shares[0] * limits.velocity[k]);
    if (speed * kMostPace > 1.0) sample.cap = std::min(sample.cap, 1.0 / (speed * speed));
    addRow(
        PaceRow::Kind::kAcceleration,
        (q2[k] * sample.value + 0.5 * q1[k] * sample.slope) / (shares[1] * limits.acceleration[k]),
        0.0);
    addRow(PaceRow::Kind::kJerk,
           (q3[k] * sample.value + 1.5 * q2[k] * sample.slope + 0.5 * q1[k] * sample.bend) /
               (shares[2] * limits.jerk[k]),
           0.0);
  }
  if (impacts) {
    // What lowers no cap need not be known.
    const double of_cap = (1.0 - kImpactRoom) * shares[0] * shares[0] / sample.cap;
    const double share = impacts(curve.value(sample.t), q1, of_cap);
    if (share > of_cap) sample.cap *= of_cap / share;
  }
  if (torques) {
    const VecX q = curve.value(sample.t), zero = VecX::Zero(q.size());
    const VecX at_rest = torques(q, zero, zero);
    const VecX by_value = torques(q, q1, q2) - at_rest;
    const VecX by_slope = 0.5 * (torques(q, zero, q1) - at_rest);
    for (int k = 0; k < q.size(); ++k) {
      if (!std::isfinite(limits.effort[k])) continue;
      addRow(PaceRow::Kind::kTorque,
             (by_value[k] * sample.value + by_slope[k] * sample.slope) / limits.effort[k],
             at_rest[k] / limits.effort[k]);
    }
  }
  sample.row_count = static_cast<int>(rows_.size()) - sample.row;
  samples_.push_back(sample);
}

void PaceRows::addRow(PaceRow::Kind kind, const Vec3& weights, double offset) {
  if (weights.cwiseAbs().maxCoeff() < kNegligible && offset == 0.0) return;
  rows_.push_back({kind, weights, offset});
}

bool PaceRows::isInside(const VecX& coefficients, double room) const {
  StopSteps stop;
  for (const PaceSample& sample : samples_) {
    stop.step();
    const Vec3 c = coefficients.segment<3>(sample.first);
    const double b = sample.value.dot(c);
    if (!(b > 0.0 && b < (1.0 - room) * sample.cap)) return false;
    for (int r = 0; r < sample.row_count; ++r) {
      const PaceRow& row = rows_[sample.row + r];
      const double limit = row.isJerk() ? 1.0 / std::sqrt(b) : 1.0;
      // The room counts from where the robot rests: gravity may take most of a torque's limit.
      const double free = limit - std::abs(row.offset);
      if (!(std::abs(row.weights.dot(c)) < (1.0 - room) * free)) return false;
    }
  }
  return true;
}

double PaceRows::feasibleShare(const VecX& coefficients) const {
  double share = 1.0;
  for (int i = 0; i < kMostShrinks; ++i, share *= kShrink) {
    if (isInside(share * coefficients, kRoomAtStart)) return share;
  }
  return 0.0;
}

}  // namespace allclear
