// From a rounded path to a motion, one stretch between rests after the other.
//
// A straight stretch has a motion that is known: the double S along its line. Any other is first
// moved along by a double S of its length, which has the right shape near the rests, where the pace
// of a path by its length would be singular; the pace along that curve is then the fastest one
// (retime.h), found by samples that must lie near to each other where limits switch.
#include "allclear/planner/retiming/path_motion.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/stop_scope.h"
#include "allclear/planner/retiming/rest_profile.h"
#include "allclear/planner/retiming/retime.h"

namespace allclear {
namespace {

/// Rows in a corner before its pace is known: the quintics between them follow it to 1e-5 of its
/// size.
constexpr int kRowsInCorner = 6;
/// Rows nearer to each other than this [s] are one.
constexpr double kLeastStep = 1e-6;
/// Limits are used to this share, so that rounding stays within them.
constexpr double kShareOfLimits = 1.0 - 1e-7;
/// Distance of rows [s], by how long an acceleration takes to switch, and its bounds.
constexpr double kStepBySwitch = 0.2;
constexpr double kShortestStep = 4e-3;
constexpr double kLongestStep = 0.02;
constexpr int kMostRows = 6000;
/// Stands for a velocity without a limit where a scale is needed [units / s].
constexpr double kVelocityWhenUnlimited = 1e3;

/// Limits along a direction of the joints.
struct LineLimits {
  double velocity, acceleration, jerk;
};

LineLimits along(const PlannedLimits& limits, const VecX& direction) {
  const auto least = [&](const VecX& limit) {
    double out = std::numeric_limits<double>::infinity();
    for (Eigen::Index k = 0; k < direction.size(); ++k) {
      const double part = std::abs(direction[k]);
      if (part > 0.0) out = std::min(out, kShareOfLimits * limit[k] / part);
    }
    return out;
  };
  return {std::min(least(limits.velocity), kVelocityWhenUnlimited), least(limits.acceleration),
          least(limits.jerk)};
}

/// A double S over the whole stretch, by the lowest limits of its lines.
RestProfile profileOf(const PlannedLimits& limits, const PathStretch& stretch) {
  LineLimits least{kVelocityWhenUnlimited, 1e300, 1e300};
  for (const PathPiece& piece : stretch.pieces) {
    throwIfStopped();
    const LineLimits here = along(limits, piece.into);
    least.velocity = std::min(least.velocity, here.velocity);
    least.acceleration = std::min(least.acceleration, here.acceleration);
    least.jerk = std::min(least.jerk, here.jerk);
  }
  return {stretch.length(), least.velocity, least.acceleration, least.jerk};
}

/// Rows with their places, one after the other.
struct Rows {
  std::vector<double> times;
  std::vector<VecX> q, v, a;
  std::vector<PathMotion::Place> places;

  void add(double t, VecX q_at, VecX v_at, VecX a_at, PathMotion::Place place) {
    times.push_back(t);
    q.push_back(std::move(q_at));
    v.push_back(std::move(v_at));
    a.push_back(std::move(a_at));
    places.push_back(place);
  }
  void removeLast() {
    times.pop_back(), q.pop_back(), v.pop_back(), a.pop_back(), places.pop_back();
  }
  HermiteCurve curve() const {
    const auto columns = [](const std::vector<VecX>& rows) {
      MatX out(rows.front().size(), static_cast<Eigen::Index>(rows.size()));
      for (std::size_t i = 0; i < rows.size(); ++i) out.col(static_cast<Eigen::Index>(i)) = rows[i];
      return out;
    };
    return {times, columns(q), columns(v), columns(a)};
  }
};

/// The stretch moved along by the profile: rows where its pieces or the profile's meet, and in
/// corners.
Rows rowsAlong(const PathStretch& stretch, const RestProfile& profile, int index) {
  std::vector<double> times = profile.times();
  for (const PathPiece& piece : stretch.pieces) {
    throwIfStopped();
    const int parts = piece.isCorner() ? kRowsInCorner : 1;
    for (int i = 1; i <= parts; ++i) {
      times.push_back(profile.timeAt(piece.begin + (piece.end - piece.begin) * i / parts));
    }
  }
  std::sort(times.begin(), times.end());
  Rows rows;
  const double end = profile.duration();
  for (double t : times) {
    throwIfStopped();
    // The first and the last row are rests, whatever stands near to them.
    const bool is_end = t >= end - kLeastStep;
    if (is_end) t = end;
    if (!rows.times.empty() && t - rows.times.back() < kLeastStep && !is_end) continue;
    if (is_end && !rows.times.empty() && rows.times.back() == end) continue;
    const Vec3 s = profile.at(t);
    const auto [q, q1, q2] = stretch.at(stretch.pieceAt(s[0]), s[0]);
    rows.add(t, q, q1 * s[1], q2 * (s[1] * s[1]) + q1 * s[2], {index, s[0]});
  }
  return rows;
}

/// The same rows, so many times as slow where that is slower.
Rows slowedDown(Rows rows, double factor) {
  if (!(factor > 1.0)) return rows;
  for (std::size_t i = 0; i < rows.times.size(); ++i) {
    rows.times[i] *= factor;
    rows.v[i] /= factor;
    rows.a[i] /= factor * factor;
  }
  return rows;
}

/// How far rows should be from each other [s].
double rowStep(const PlannedLimits& limits) {
  const double ramp = (limits.acceleration.array() / limits.jerk.array()).maxCoeff();
  return std::clamp(kStepBySwitch * ramp, kShortestStep, kLongestStep);
}

/// The rows of one stretch at the fastest pace.
Rows fastestRows(const Problem& problem, const PlannedLimits& limits, const PathStretch& stretch,
                 int index, const PathMotionOptions& options) {
  const RestProfile profile = profileOf(limits, stretch);
  Rows first = rowsAlong(stretch, profile, index);
  const bool is_line = stretch.pieces.size() == 1 && !stretch.pieces[0].isCorner();
  const HermiteCurve old_curve = first.curve();
  if (is_line && !problem.limits.torque && problem.limits.contact.empty()) {
    return slowedDown(std::move(first), neededStretch(limits, old_curve));
  }
  const auto fast = retimed(
      problem, old_curve,
      {.torque_share = options.torque_share, .row_step = rowStep(limits), .most_rows = kMostRows});
  // The profile itself, as slow as the limits want it in the corners.
  if (!fast) {
    return slowedDown(std::move(first), neededStretch(limits, old_curve) / kShareOfLimits);
  }
  Rows rows;
  const HermiteCurve& curve = fast->curve;
  for (std::size_t i = 0; i < curve.times().size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    rows.add(curve.times()[i], curve.positions().col(row), curve.velocities().col(row),
             curve.accelerations().col(row), {index, profile.at(fast->old_times[i])[0]});
  }
  return rows;
}

}  // namespace

PathMotion fastestAlong(const Problem& problem, const std::vector<PathStretch>& stretches,
                        const PathMotionOptions& options) {
  const PlannedLimits limits = plannedLimits(problem);
  // The shortest duration is that of the whole, not of each stretch.
  Problem part = problem;
  part.duration.min = 0.0;
  Rows all;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    throwIfStopped();
    const Rows rows = fastestRows(part, limits, stretches[i], static_cast<int>(i), options);
    // One row at a rest, that of the later stretch.
    const double from = all.times.empty() ? 0.0 : all.times.back();
    if (!all.times.empty()) all.removeLast();
    for (std::size_t k = 0; k < rows.times.size(); ++k) {
      all.add(from + rows.times[k], rows.q[k], rows.v[k], rows.a[k], rows.places[k]);
    }
  }
  const double factor = problem.duration.min / all.times.back();
  all = slowedDown(std::move(all), factor);
  return {all.curve(), std::move(all.places)};
}

}  // namespace allclear
