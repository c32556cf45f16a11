// The ends of a trajectory and the joints between its spans.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include "allclear/planner/certificate/limits.h"
#include "allclear/trajectories/span_coefficients.h"

namespace allclear {
namespace {

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

class EndChecks {
 public:
  EndChecks(const Problem& problem, const Trajectory& trajectory,
            const CertifiedLimitOptions& options, CertifiedMotion& motion)
      : problem_(problem), trajectory_(trajectory), options_(options), motion_(motion) {}

  std::vector<std::string> run() {
    const double end = trajectory_.duration();
    JointTarget start{problem_.planned, problem_.plannedPart(problem_.start)};
    checkJoints("at the start", 0.0, start, false);
    checkRates("at the start", 0.0, problem_.start_velocity, problem_.start_acceleration);
    checkTarget("at the goal", end, problem_.goal);
    checkRates("at the goal", end, problem_.goal_velocity, problem_.goal_acceleration);
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
  int plannedIndex(int coordinate) const {
    const auto found = std::find(problem_.planned.begin(), problem_.planned.end(), coordinate);
    return static_cast<int>(found - problem_.planned.begin());
  }

  /// Wrapping joints may arrive a whole turn away; a start is where the robot is.
  void checkJoints(const std::string& where, double t, const JointTarget& target, bool may_wrap) {
    const VecX q = trajectory_.value(t);
    for (std::size_t i = 0; i < target.coordinates.size(); ++i) {
      const int c = target.coordinates[i];
      const int k = plannedIndex(c);
      double off = q[k] - target.values[i];
      if (may_wrap && problem_.robot->coordinates()[c].wraps) {
        off = std::remainder(off, 2.0 * std::numbers::pi);
      }
      if (std::abs(off) <= options_.end_tolerance) continue;
      findings_.push_back(where + " " + joint(k) + " is at " + shown(q[k]) + ", not at " +
                          shown(target.values[i]));
    }
  }

  void checkRates(const std::string& where, double t, const VecX& velocity,
                  const VecX& acceleration) {
    for (int order : {1, 2}) {
      const VecX& wanted = order == 1 ? velocity : acceleration;
      const VecX found = trajectory_.value(t, order);
      for (int k = 0; k < problem_.plannedCount(); ++k) {
        const double want = wanted.size() > 0 ? wanted[k] : 0.0;
        if (std::abs(found[k] - want) <= options_.end_tolerance) continue;
        findings_.push_back(where + " the " + (order == 1 ? "velocity" : "acceleration") + " of " +
                            joint(k) + " is " + shown(found[k]) + ", not " + shown(want));
      }
    }
  }

  void checkTarget(const std::string& where, double t, const Target& target) {
    if (const auto* joints = std::get_if<JointTarget>(&target)) {
      checkJoints(where, t, *joints, true);
      return;
    }
    const auto& pose = std::get<PoseTarget>(target);
    const Pose X_WP = motion_.linkPoses(t)[pose.link] * pose.X_LP;
    const double distance = (X_WP.p - pose.X_WP.p).norm();
    const double angle = Eigen::AngleAxisd(X_WP.R.transpose() * pose.X_WP.R).angle();
    const std::string link = "link '" + problem_.robot->links()[pose.link].name + "'";
    if (distance > pose.position_tolerance + options_.end_tolerance) {
      findings_.push_back(where + " the frame of " + link + " is " + shown(distance) +
                          " m off, more than " + shown(pose.position_tolerance) + " m");
    }
    if (std::abs(angle) > pose.angle_tolerance + options_.end_tolerance) {
      findings_.push_back(where + " the frame of " + link + " is turned by " + shown(angle) +
                          " rad, more than " + shown(pose.angle_tolerance) + " rad");
    }
  }

  /// How far the target is off at t, in units of what is accepted.
  double missBy(const Target& target, double t) {
    if (const auto* pose = std::get_if<PoseTarget>(&target)) {
      const Pose X_WP = motion_.linkPoses(t)[pose->link] * pose->X_LP;
      const double angle = Eigen::AngleAxisd(X_WP.R.transpose() * pose->X_WP.R).angle();
      return std::max((X_WP.p - pose->X_WP.p).norm() / pose->position_tolerance,
                      std::abs(angle) / pose->angle_tolerance);
    }
    const auto& joints = std::get<JointTarget>(target);
    const VecX q = trajectory_.value(t);
    double most = 0.0;
    for (std::size_t i = 0; i < joints.coordinates.size(); ++i) {
      const int c = joints.coordinates[i];
      double off = q[plannedIndex(c)] - joints.values[static_cast<Eigen::Index>(i)];
      if (problem_.robot->coordinates()[c].wraps) {
        off = std::remainder(off, 2.0 * std::numbers::pi);
      }
      most = std::max(most, std::abs(off) / options_.end_tolerance);
    }
    return most;
  }

  /// The first instant from `from` on at which the target is met; else that where it is nearest.
  /// That it is met there is checked anew, so a search that misses an instant refuses too much,
  /// never too little.
  double passingTime(const Target& target, double from) {
    constexpr int kSamples = 2000;
    const double step = (trajectory_.duration() - from) / kSamples;
    double best = from, least = missBy(target, from);
    std::array<double, 3> last{least, least, least};
    for (int i = 1; i <= kSamples + 1; ++i) {
      const double miss =
          i <= kSamples ? missBy(target, from + i * step) : std::numeric_limits<double>::infinity();
      last = {last[1], last[2], miss};
      if (last[1] > last[0] || last[1] > last[2]) continue;
      // A least value lies between the neighbours: thirds.
      double a = from + std::max(0, i - 2) * step, b = from + std::min(i, kSamples) * step;
      for (int k = 0; k < 80; ++k) {
        const double c = a + (b - a) / 3.0, d = b - (b - a) / 3.0;
        const bool in_first = missBy(target, c) < missBy(target, d);
        (in_first ? b : a) = in_first ? d : c;
      }
      const double t = 0.5 * (a + b);
      const double here = missBy(target, t);
      if (here < least) {
        least = here;
        best = t;
      }
      if (least <= 1.0) return best;
    }
    return best;
  }

  SpanCoefficients coefficients(int span, int order, int k) const {
    if (const BSpline* spline = trajectory_.bspline()) return spline->coefficients(span, order, k);
    return trajectory_.hermite()->coefficients(span, order, k);
  }

  /// Position, velocity and acceleration must not jump where two spans meet.
  void checkSmoothness() {
    static constexpr const char* kQuantity[] = {"position", "velocity", "acceleration"};
    for (int i = 0; i + 1 < trajectory_.spanCount(); ++i) {
      for (int k = 0; k < problem_.plannedCount(); ++k) {
        for (int order = 0; order < 3; ++order) {
          const SpanCoefficients before = coefficients(i, order, k);
          const SpanCoefficients after = coefficients(i + 1, order, k);
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
  std::vector<std::string> findings_;
};

}  // namespace

std::vector<std::string> endAndJointFindings(const Problem& problem, const Trajectory& trajectory,
                                             const CertifiedLimitOptions& options,
                                             CertifiedMotion& motion) {
  return EndChecks(problem, trajectory, options, motion).run();
}

}  // namespace allclear
