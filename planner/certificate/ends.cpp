// Checks that a trajectory starts, ends and passes where the problem says, and that nothing jumps
// between its spans.
//
// These are statements about single instants, so no bound over an interval is needed: values are
// computed at the instant and compared, with `CertifiedLimitOptions::end_tolerance`. Only a
// waypoint without a time needs a search, for the instant at which the trajectory passes it; the
// value there is then checked like any other, so a search that goes wrong can refuse a good plan,
// but not accept a bad one.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "allclear/core/formatted.h"
#include "allclear/planner/certificate/interpolation.h"
#include "allclear/planner/certificate/limits.h"
#include "allclear/planner/certificate/target_met.h"
#include "allclear/trajectories/bernstein_span.h"

namespace allclear {
namespace {

std::string shown(double value) { return formatted("%.6g", value); }

class EndpointChecker {
 public:
  EndpointChecker(const Problem& problem, const Trajectory& trajectory,
                  const CertifiedLimitOptions& options, CertifiedMotion& motion)
      : problem_(problem),
        trajectory_(trajectory),
        options_(options),
        motion_(motion),
        continuity_(requiredContinuity(trajectory)) {}

  std::vector<std::string> run() {
    const double end = trajectory_.duration();
    checkStart();
    checkRates("at the start", 0.0, problem_.start_velocity, problem_.start_acceleration);
    checkTarget("at the goal", end, problem_.goal);
    checkRates("at the goal", end, problem_.goal_velocity, problem_.goal_acceleration);
    // Waypoints are passed in order: each search starts where the last one was passed.
    double passed = 0.0;
    for (std::size_t i = 0; i < problem_.waypoints.size(); ++i) {
      const Waypoint& waypoint = problem_.waypoints[i];
      const std::string where = "at waypoint " + std::to_string(i + 1);
      passed = waypoint.time ? *waypoint.time : passingTime(waypoint.target, passed);
      checkTarget(where, passed, waypoint.target);
    }
    checkSmoothness();
    return std::move(findings_);
  }

 private:
  std::string joint(int k) const {
    return "joint '" + problem_.robot->coordinates()[problem_.planned[k]].name + "'";
  }
  /// The start is where the robot stands: the values themselves count, not what wraps to them.
  void checkStart() {
    const VecX q = trajectory_.value(0.0), start = problem_.plannedPart(problem_.start);
    for (int k = 0; k < problem_.plannedCount(); ++k) {
      if (std::abs(q[k] - start[k]) <= options_.end_tolerance) continue;
      findings_.push_back("at the start " + joint(k) + " is at " + shown(q[k]) + ", not at " +
                          shown(start[k]));
    }
  }

  /// Velocity and acceleration at an end, as far as they must be continuous; zero where the problem
  /// says nothing.
  void checkRates(const std::string& where, double t, const VecX& velocity,
                  const VecX& acceleration) {
    for (int order = 1; order <= continuity_; ++order) {
      const VecX& wanted = order == 1 ? velocity : acceleration;
      const VecX rates = trajectory_.value(t, order);
      for (int k = 0; k < problem_.plannedCount(); ++k) {
        const double want = wanted.size() > 0 ? wanted[k] : 0.0;
        if (std::abs(rates[k] - want) <= options_.end_tolerance) continue;
        findings_.push_back(where + " the " + (order == 1 ? "velocity" : "acceleration") + " of " +
                            joint(k) + " is " + shown(rates[k]) + ", not " + shown(want));
      }
    }
  }

  std::vector<Asked> askedAt(const Target& target, double t) {
    return askedOf(problem_, target, trajectory_.value(t), motion_.linkPoses(t));
  }

  /// A goal or waypoint: joint values, or poses and directions with their tolerances.
  void checkTarget(const std::string& where, double t, const Target& target) {
    for (const std::string& fault : faultsOf(askedAt(target, t), options_.end_tolerance)) {
      findings_.push_back(where + " " + fault);
    }
  }

  /// How far the trajectory is from the target at t, in units of the tolerance: at most 1 is a hit.
  double missAt(const Target& target, double t) {
    return missOf(askedAt(target, t), options_.end_tolerance);
  }

  /// The instant of the least miss within [a, b], where the miss falls and then rises: each round
  /// leaves two thirds of the interval.
  double instantOfLeastMiss(const Target& target, double a, double b) {
    constexpr int kRounds = 80;  // (2/3)^80 = 8e-15: to rounding
    for (int k = 0; k < kRounds; ++k) {
      const double c = a + (b - a) / 3.0, d = b - (b - a) / 3.0;
      const bool in_first = missAt(target, c) < missAt(target, d);
      (in_first ? b : a) = in_first ? d : c;
    }
    return 0.5 * (a + b);
  }

  /// The first instant from `from` on at which the target is hit; else the instant of the least
  /// miss. Samples the miss; around each local minimum of the samples it searches between the
  /// neighbours.
  double passingTime(const Target& target, double from) {
    constexpr int kSamples = 2000;  // a pass shorter than a 2000th of the rest may be overlooked
    const double step = (trajectory_.duration() - from) / kSamples;
    double best = from, least = missAt(target, from);
    std::array<double, 3> last{least, least, least};
    // One step beyond the end, where the miss counts as infinite, so that the end can be a minimum.
    for (int i = 1; i <= kSamples + 1; ++i) {
      const double miss =
          i <= kSamples ? missAt(target, from + i * step) : std::numeric_limits<double>::infinity();
      last = {last[1], last[2], miss};
      if (last[1] > last[0] || last[1] > last[2]) continue;
      const double t = instantOfLeastMiss(target, from + std::max(0, i - 2) * step,
                                          from + std::min(i, kSamples) * step);
      const double miss_at_t = missAt(target, t);
      if (miss_at_t < least) {
        least = miss_at_t;
        best = t;
      }
      if (least <= 1.0) return best;
    }
    return best;
  }

  /// Position, velocity and acceleration (as far as the rows promise: interpolation.h) must not
  /// jump where two spans meet. The last coefficient of a span and the first of the next are the
  /// values there; a jump within their errors is rounding.
  void checkSmoothness() {
    static constexpr const char* kQuantity[] = {"position", "velocity", "acceleration"};
    for (int i = 0; i + 1 < trajectory_.spanCount(); ++i) {
      for (int k = 0; k < problem_.plannedCount(); ++k) {
        for (int order = 0; order <= continuity_; ++order) {
          // Two polynomials that meet with equal position, velocity and acceleration; a jump of the
          // jerk is allowed, or no piecewise quintic curve would pass.
          const SpanCoefficients before = coefficientsOf(trajectory_, i, order, k);
          const SpanCoefficients after = coefficientsOf(trajectory_, i + 1, order, k);
          const double left = before.coefficient[before.degree];
          const double jump = std::abs(after.coefficient[0] - left);
          const double allowed =
              before.error + after.error + options_.limit_tolerance * std::max(1.0, std::abs(left));
          if (jump <= allowed) continue;
          findings_.push_back("the " + std::string(kQuantity[order]) + " of " + joint(k) +
                              " jumps by " + shown(jump) +
                              " at t = " + shown(trajectory_.spanTime(i).upper) + " s");
        }
      }
    }
  }

  const Problem& problem_;
  const Trajectory& trajectory_;
  const CertifiedLimitOptions& options_;
  CertifiedMotion& motion_;
  int continuity_;
  std::vector<std::string> findings_;
};

}  // namespace

std::vector<std::string> endAndJointFindings(const Problem& problem, const Trajectory& trajectory,
                                             const CertifiedLimitOptions& options,
                                             CertifiedMotion& motion) {
  return EndpointChecker(problem, trajectory, options, motion).run();
}

}  // namespace allclear
