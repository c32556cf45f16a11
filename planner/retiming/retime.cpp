// Retimes a curve: its path at the fastest pace, as rows for a controller.
//
// The pace is a quadratic spline over the old time (fastest_pace.h). Its joints should lie evenly
// in the new time, where limits switch, and that is known only afterwards: so the first pace, on a
// coarse grid, gives the grid of the second, and so on. The rows are positions, velocities and
// accelerations at the joints of the last grid. Between two rows the quintic differs from the path
// by the sixth power of their distance, and its jerk may exceed a limit that the samples keep:
// where it does, that span gets a smaller share of the limit, and the pace is sought again. What
// is left after that is taken by stretching the whole.
#include "allclear/planner/retiming/retime.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "allclear/core/stop_scope.h"
#include "allclear/planner/problem/impact_share.h"
#include "allclear/planner/retiming/fastest_pace.h"
#include "allclear/trajectories/bernstein_span.h"

namespace allclear {
namespace {

constexpr int kFirstSpans = 32;  // of the first grid, at least
constexpr int kFewestRows = 16;
/// Paces sought: two for the grid, and some for limits between samples: more where the ends forbid
/// that the rest is taken by stretching.
constexpr int kGrids = 2;
constexpr int kTightenings = 2;
constexpr int kTighteningsAtSpeed = 8;
/// A stretch below this is not worth another pace; above it, spans give up a little more than they
/// lack.
constexpr double kWorthTightening = 2e-3;
constexpr double kTightenBeyond = 1e-3;
constexpr double kTightenBeyondAtSpeed = 1e-2;
constexpr double kLeastShare = 0.3;  // of a limit: a span that needs less is left to the stretch
/// Rounding of times to nanoseconds and of bounds.
constexpr double kRounding = 1e-7;
/// A derivative that jumps by more than this share of its limit at a joint: the pace bends there.
constexpr double kJump = 1e-3;
/// Joints nearer to each other than this share of the duration are one.
constexpr double kLeastSpan = 1e-6;
/// Below this length [rad or m] a curve stands still.
constexpr double kStandsStill = 1e-9;
/// Ends at rest move less than this [units / s].
constexpr double kAtRest = 1e-9;
/// Pieces of a span that its bounds are made of.
constexpr int kPieces = 4;

// Gauss's rule of five points on [0, 1].
constexpr std::array kNodes{0.04691007703066800, 0.23076534494715845, 0.5, 0.76923465505284155,
                            0.95308992296933200};
constexpr std::array kWeights{0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                              0.23931433524968324, 0.11846344252809454};

using Breaks = std::vector<double>;  ///< [s] of old time, from 0 to the duration

/// Where the third derivative jumps: the pace must bend there to keep the jerk bounded.
Breaks jumpsOf(const Trajectory& curve, const PlannedLimits& limits) {
  Breaks out{0.0};
  for (int i = 1; i < curve.spanCount(); ++i) {
    throwIfStopped();
    const BernsteinSpan before = curve.derivativeSpan(i - 1, 3);
    const BernsteinSpan after = curve.derivativeSpan(i, 3);
    // Relative to the limits: the rounding of a smooth curve's rows is no jump.
    const VecX jump = after.control().col(0) - before.control().col(before.degree());
    const double at = curve.spanTime(i).lower;
    if ((jump.cwiseAbs().array() > kJump * limits.jerk.array()).any() &&
        at - out.back() > kLeastSpan * curve.duration()) {
      out.push_back(at);
    }
  }
  out.push_back(curve.duration());
  return out;
}

std::shared_ptr<const BSplineBasis> basisOn(const Breaks& breaks) {
  constexpr int kDegree = 2;
  std::vector<double> knots(kDegree + 1, 0.0);
  for (std::size_t i = 1; i + 1 < breaks.size(); ++i) knots.push_back(breaks[i] / breaks.back());
  knots.insert(knots.end(), kDegree + 1, 1.0);
  return std::make_shared<const BSplineBasis>(std::move(knots), kDegree);
}

/// New time [s] spent between two old times of one span of the squared pace.
double secondsBetween(const BSpline& pace, double from, double to) {
  double sum = 0.0;
  for (std::size_t i = 0; i < kNodes.size(); ++i) {
    sum += kWeights[i] / std::sqrt(pace.value(from + kNodes[i] * (to - from))[0]);
  }
  return sum * (to - from);
}

/// New times at the breaks.
std::vector<double> newTimes(const BSpline& pace, const Breaks& breaks) {
  std::vector<double> times{0.0};
  for (std::size_t i = 1; i < breaks.size(); ++i) {
    throwIfStopped();
    times.push_back(times.back() + secondsBetween(pace, breaks[i - 1], breaks[i]));
  }
  return times;
}

/// Breaks evenly spaced in the new time between those that must be there.
Breaks evenBreaks(const BSpline& pace, const Breaks& breaks, const Breaks& needed,
                  const RetimingOptions& options) {
  const std::vector<double> times = newTimes(pace, breaks);
  const auto oldTime = [&](double t) {
    const auto later = std::upper_bound(times.begin() + 1, times.end() - 1, t);
    const auto i = static_cast<std::size_t>(later - times.begin());
    // Inside of a span the pace hardly changes: a straight line will do for a grid.
    const double u = (t - times[i - 1]) / (times[i] - times[i - 1]);
    return breaks[i - 1] + std::clamp(u, 0.0, 1.0) * (breaks[i] - breaks[i - 1]);
  };
  const auto newTime = [&](double s) {
    const auto later = std::upper_bound(breaks.begin() + 1, breaks.end() - 1, s);
    const auto i = static_cast<std::size_t>(later - breaks.begin());
    return times[i - 1] + secondsBetween(pace, breaks[i - 1], s);
  };
  const double T = times.back();
  const double step = T / std::clamp(std::ceil(T / options.row_step), double{kFewestRows},
                                     static_cast<double>(options.most_rows));
  Breaks out{0.0};
  for (std::size_t k = 1; k < needed.size(); ++k) {
    const double from = newTime(needed[k - 1]), to = newTime(needed[k]);
    const int pieces = std::max(1, static_cast<int>(std::ceil((to - from) / step - 0.5)));
    for (int j = 1; j < pieces; ++j) {
      throwIfStopped();
      const double s = oldTime(from + (to - from) * j / pieces);
      if (s - out.back() > kLeastSpan * breaks.back() &&
          needed[k] - s > kLeastSpan * breaks.back()) {
        out.push_back(s);
      }
    }
    out.push_back(needed[k]);
  }
  return out;
}

/// Coefficients near those of an older pace: its values at the knot averages.
VecX carriedOver(const BSpline& pace, const BSplineBasis& basis) {
  VecX out(basis.controlCount());
  for (int i = 0; i < basis.controlCount(); ++i) {
    out[i] = pace.value(0.5 * (basis.knots()[i + 1] + basis.knots()[i + 2]) * pace.duration())[0];
  }
  return out;
}

/// The rows at the breaks.
HermiteCurve rowsAt(const Trajectory& curve, const BSpline& pace, const Breaks& breaks) {
  std::vector<double> times = newTimes(pace, breaks);
  const auto count = static_cast<Eigen::Index>(breaks.size());
  MatX q(curve.dimension(), count), v = q, a = q;
  for (Eigen::Index i = 0; i < count; ++i) {
    throwIfStopped();
    const double s = breaks[static_cast<std::size_t>(i)];
    // The chain rule: ds/dt = sqrt(b), d2s/dt2 = b' / 2.
    const double b = pace.value(s)[0], slope = pace.value(s, 1)[0];
    const VecX q1 = curve.value(s, 1);
    q.col(i) = curve.value(s);
    v.col(i) = q1 * std::sqrt(b);
    a.col(i) = curve.value(s, 2) * b + q1 * (0.5 * slope);
  }
  return {std::move(times), std::move(q), std::move(v), std::move(a)};
}

/// The same rows, `factor` times as slow. Pre: at rest at both ends, or factor 1.
HermiteCurve stretched(const HermiteCurve& curve, double factor) {
  std::vector<double> times = curve.times();
  for (double& t : times) t *= factor;
  return {std::move(times), curve.positions(), curve.velocities() / factor,
          curve.accelerations() / (factor * factor)};
}

/// Shares of the limits of velocity, acceleration and jerk that span i uses: at most 1 each when it
/// keeps them.
Vec3 usedShares(const PlannedLimits& limits, const Trajectory& curve, int i) {
  throwIfStopped();
  const std::array<const VecX*, 3> limit{&limits.velocity, &limits.acceleration, &limits.jerk};
  Vec3 used = Vec3::Zero();
  for (int k = 0; k < curve.dimension(); ++k) {
    for (int order = 1; order <= 3; ++order) {
      if (!std::isfinite((*limit[order - 1])[k])) continue;
      // In pieces, whose hulls are nearer to the curve than that of the whole.
      const SpanCoefficients whole = coefficientsOf(curve, i, order, k);
      for (int piece = 0; piece < kPieces; ++piece) {
        SpanCoefficients part = whole;
        part.restrict(static_cast<double>(piece) / kPieces, (piece + 1.0) / kPieces, 0.0);
        used[order - 1] = std::max(used[order - 1], part.magnitude() / (*limit[order - 1])[k]);
      }
    }
  }
  return used;
}

/// By how much the time of a span has to be stretched for these shares.
double stretchFor(const Vec3& used) {
  return std::max({used[0], std::sqrt(used[1]), std::cbrt(used[2])});
}

/// One retiming: the paces, grid after grid.
class Retimer {
 public:
  Retimer(const Problem& problem, const Trajectory& curve, const RetimingOptions& options,
          const ImpactFunction& impacts)
      : problem_(problem), curve_(curve), options_(options), limits_(plannedLimits(problem)) {
    limits_.effort *= options.torque_share;
    torques_ = torquesOf(problem);
    impacts_ = impacts ? impacts : impactsOf(problem);
    pace_options_.smoothness = options.smoothness;
    pace_options_.gentleness = options.gentleness;
    pace_options_.keep_start = !isAtRest(0.0);
    pace_options_.keep_end = !isAtRest(curve.duration());
  }

  std::optional<Retiming> run() {
    // Each pace gives the grid of the next one.
    const Breaks needed = jumpsOf(curve_, limits_);
    breaks_ = subdivided(needed);
    if (!findPace(VecX::Ones(basisOn(breaks_)->controlCount()))) return std::nullopt;
    for (int grid = 0; grid < kGrids; ++grid) {
      breaks_ = evenBreaks(*pace_, breaks_, needed, options_);
      if (!findPace(carriedOver(*pace_, *basisOn(breaks_)))) return std::nullopt;
    }
    const double pass = newTimes(*pace_, breaks_).back();
    std::optional<HermiteCurve> best = fitted();
    const int tightenings = isRestToRest() ? kTightenings : kTighteningsAtSpeed;
    for (int i = 0; i < tightenings && stretch_ > 1.0 + (best ? kWorthTightening : 0.0); ++i) {
      if (!tighten()) break;
      const std::optional<HermiteCurve> next = fitted();
      if (next && (!best || next->duration() < best->duration())) best = next;
    }
    if (!best) return std::nullopt;
    return Retiming{std::move(*best), std::max(pass, problem_.duration.min), breaks_};
  }

 private:
  bool isAtRest(double t) const {
    return curve_.value(t, 1).cwiseAbs().maxCoeff() < kAtRest &&
           curve_.value(t, 2).cwiseAbs().maxCoeff() < kAtRest;
  }
  bool isRestToRest() const { return !pace_options_.keep_start && !pace_options_.keep_end; }

  static Breaks subdivided(const Breaks& needed) {
    Breaks out{0.0};
    const double step = needed.back() / kFirstSpans;
    for (std::size_t k = 1; k < needed.size(); ++k) {
      const double length = needed[k] - needed[k - 1];
      const int pieces = std::max(1, static_cast<int>(std::ceil(length / step)));
      for (int j = 1; j <= pieces; ++j) out.push_back(needed[k - 1] + length * j / pieces);
      out.back() = needed[k];
    }
    return out;
  }

  /// The fastest pace on the current breaks; `start` is slowed down until it keeps the limits.
  bool findPace(VecX start) {
    const auto basis = basisOn(breaks_);
    const PaceRows rows(curve_, limits_, *basis, shares_, torques_, impacts_);
    if (isRestToRest()) {
      start *= rows.feasibleShare(start);
    } else if (!rows.isInside(start, 0.0)) {
      start = VecX::Ones(start.size());
    }
    FastestPace found = fastestPace(rows, std::move(start), pace_options_);
    if (found.coefficients.size() == 0) return false;
    pace_.emplace(basis, found.coefficients.transpose(), curve_.duration());
    return true;
  }

  /// The rows of the current pace, stretched to keep limits and the least duration; nothing where
  /// they would have to be stretched and may not. Sets `used_` and `stretch_`.
  std::optional<HermiteCurve> fitted() {
    const HermiteCurve rows = rowsAt(curve_, *pace_, breaks_);
    const Trajectory curve(rows);
    used_.clear();
    stretch_ = 1.0;
    for (int i = 0; i < rows.spanCount(); ++i) {
      used_.push_back(usedShares(limits_, curve, i));
      used_.back()[0] = std::max(used_.back()[0], usedByImpacts(rows, i));
      stretch_ = std::max(stretch_, stretchFor(used_.back()));
    }
    // With velocities at the ends a stretch would change them.
    if (!isRestToRest()) {
      const bool fits = stretch_ <= 1.0 && rows.duration() >= problem_.duration.min;
      return fits ? std::optional(rows) : std::nullopt;
    }
    return stretched(
        rows, std::max(stretch_ * (1.0 + kRounding), problem_.duration.min / rows.duration()));
  }

  /// The share that contacts use of what they allow a velocity, between samples too.
  double usedByImpacts(const HermiteCurve& rows, int i) const {
    if (!impacts_) return 0.0;
    // At the limit at most: less changes nothing.
    double most = 1.0 - kImpactRoom;
    const Interval time = rows.spanTime(i);
    for (int piece = 0; piece < kPieces; ++piece) {
      const double t = time.lower + time.length() * piece / kPieces;
      most = impacts_(rows.value(t), rows.value(t, 1), most);
    }
    return std::sqrt(most / (1.0 - kImpactRoom));
  }

  /// Lowers the shares of the limits where the rows exceed them, and finds the pace anew.
  bool tighten() {
    const double beyond = isRestToRest() ? kTightenBeyond : kTightenBeyondAtSpeed;
    if (shares_.empty()) shares_.assign(used_.size(), Vec3::Ones());
    for (std::size_t i = 0; i < used_.size(); ++i) {
      for (int order = 0; order < 3; ++order) {
        if (used_[i][order] <= 1.0) continue;
        shares_[i][order] = std::max(kLeastShare, shares_[i][order] / used_[i][order] - beyond);
      }
    }
    return findPace(pace_->control().row(0).transpose());
  }

  const Problem& problem_;
  const Trajectory& curve_;
  const RetimingOptions& options_;
  PlannedLimits limits_;
  TorqueFunction torques_;
  ImpactFunction impacts_;
  PaceOptions pace_options_;
  Breaks breaks_;
  LimitShares shares_;  ///< by span of the last grid; empty: all
  std::optional<BSpline> pace_;
  std::vector<Vec3> used_;  ///< shares of the limits that the last rows use, by span
  double stretch_ = 1.0;
};

bool standsStill(const Trajectory& curve) {
  const Trajectory::Bounds range = curve.bounds(0, {0.0, curve.duration()});
  return (range.upper - range.lower).maxCoeff() < kStandsStill;
}

}  // namespace

bool mayRetime(const Problem& problem) {
  const bool balances = problem.balance && problem.balance->criterion == Balance::Criterion::kZmp;
  return !balances &&
         std::none_of(problem.waypoints.begin(), problem.waypoints.end(),
                      [](const Waypoint& waypoint) { return waypoint.time.has_value(); }) &&
         std::none_of(problem.obstacles.begin(), problem.obstacles.end(),
                      [](const Obstacle& obstacle) { return obstacle.moves(); });
}

std::optional<Retiming> retimed(const Problem& problem, const Trajectory& curve,
                                const RetimingOptions& options, const ImpactFunction& impacts) {
  if (standsStill(curve)) return std::nullopt;
  return Retimer(problem, curve, options, impacts).run();
}

double neededStretch(const PlannedLimits& limits, const Trajectory& curve) {
  double stretch = 0.0;
  for (int i = 0; i < curve.spanCount(); ++i) {
    stretch = std::max(stretch, stretchFor(usedShares(limits, curve, i)));
  }
  return stretch;
}

}  // namespace allclear
