// What targets ask for, measured from poses alone: it shares no code with the planner's errors and
// gradients (problem/pose_error.h), which a test holds against it.
#include "allclear/planner/certificate/target_met.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/core/assert.h"
#include "allclear/core/formatted.h"
#include "allclear/planner/problem/alternatives.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

std::string shown(double value) { return formatted("%.6g", value); }

class Asking {
 public:
  Asking(const Problem& problem, const VecX& q, const std::vector<Pose>& X_WL)
      : problem_(problem), q_(q), X_WL_(X_WL) {}

  std::vector<Asked> run(const Target& target) {
    std::visit([this](const auto& of_kind) { add(of_kind); }, target);
    return std::move(asked_);
  }

 private:
  void add(const JointTarget& joints) {
    for (std::size_t i = 0; i < joints.coordinates.size(); ++i) {
      const int c = joints.coordinates[i];
      const auto k = std::lower_bound(problem_.planned.begin(), problem_.planned.end(), c) -
                     problem_.planned.begin();
      const double value = joints.values[static_cast<Eigen::Index>(i)];
      const Coordinate& coordinate = problem_.robot->coordinates()[c];
      double off = q_[k] - value;
      if (coordinate.wraps) off = std::remainder(off, 2.0 * std::numbers::pi);
      asked_.push_back(
          {"joint '" + coordinate.name + "' is at " + shown(q_[k]) + ", not at " + shown(value),
           std::abs(off), 0.0});
    }
  }

  void add(const PoseTarget& pose) {
    const Pose X_WP = X_WL_[pose.link] * pose.X_LP;
    const Vec3 place = pose.X_WP.R.transpose() * (X_WP.p - pose.X_WP.p);
    addPart(pose, "is", " m", place, pose.position_tolerance, pose.position_axes);
    addPart(pose, "is turned by", " rad", turnOf(pose, X_WP), pose.angle_tolerance,
            pose.angle_axes);
  }

  /// From the target to the frame that is there: the rotation vector of the whole turn, or, where
  /// the turn about one axis is free, of the least one between where it is and is to be.
  static Vec3 turnOf(const PoseTarget& pose, const Pose& X_WP) {
    const Mat3 R_TP = pose.X_WP.R.transpose() * X_WP.R;
    for (int k = 0; k < 3; ++k) {
      if (!pose.angle_axes.is_free[k]) continue;
      const Vec3 from = Vec3::Unit(k), to = R_TP.col(k), c = from.cross(to);
      const double angle = std::atan2(c.norm(), to[k]);
      return angle * (c.norm() > 0.0 ? Vec3(c.normalized()) : Vec3::Unit((k + 1) % 3));
    }
    const Eigen::AngleAxisd turn(R_TP);
    return turn.angle() * turn.axis();
  }

  /// The norm of what is not free, and each component of it, where these are limited.
  void addPart(const PoseTarget& pose, const char* verb, const char* unit, Vec3 off,
               double tolerance, const AxisBounds& axes) {
    static constexpr const char* kAxes[] = {"x", "y", "z"};
    const std::string frame =
        "the frame of link '" + problem_.robot->links()[pose.link].name + "' " + verb + " ";
    const bool is_place = unit[1] == 'm';
    // What is free has no part in the norm.
    for (int k = 0; k < 3; ++k) {
      if (axes.is_free[k]) off[k] = 0.0;
    }
    if (std::isfinite(tolerance)) {
      asked_.push_back({frame + shown(off.norm()) + unit + (is_place ? " off" : "") +
                            ", more than " + shown(tolerance) + unit,
                        off.norm(), tolerance});
    }
    for (int k = 0; k < 3; ++k) {
      if (axes.is_free[k] || std::isinf(axes.most[k])) continue;
      asked_.push_back({frame + shown(off[k]) + unit +
                            (is_place ? " off along its " : " about its ") + kAxes[k] +
                            ", more than " + shown(axes.most[k]) + unit,
                        std::abs(off[k]), axes.most[k]});
    }
  }

  void add(const LookAtTarget& look) {
    const Pose& X_WL = X_WL_[look.link];
    const Vec3 sight = look.point_W - X_WL * look.p_L, axis = X_WL.R * look.axis_L;
    // Of a point at the axis' origin nothing can be said: NaN is met by no tolerance.
    const double angle = sight.norm() > 0.0 ? std::atan2(axis.cross(sight).norm(), axis.dot(sight))
                                            : std::numeric_limits<double>::quiet_NaN();
    asked_.push_back({"link '" + problem_.robot->links()[look.link].name + "' points " +
                          shown(angle) + " rad past its point, more than " + shown(look.tolerance) +
                          " rad",
                      angle, look.tolerance});
  }

  void add(const PostureTarget& posture) {
    for (const PoseTarget& pose : posture.poses) add(pose);
    for (const LookAtTarget& look : posture.looks) add(look);
  }

  void add(const AnyTarget&) { ALLCLEAR_ASSERT(false && "one of the alternatives is meant"); }

  const Problem& problem_;
  const VecX& q_;
  const std::vector<Pose>& X_WL_;
  std::vector<Asked> asked_;
};

}  // namespace

std::vector<Asked> askedOf(const Problem& problem, const Target& target, const VecX& q_planned,
                           const std::vector<Pose>& X_WL) {
  return Asking(problem, q_planned, X_WL).run(target);
}

/// The worst counts. Written so that NaN is a miss.
double missOf(const std::vector<Asked>& asked, double end_tolerance) {
  double most = 0.0;
  for (const Asked& one : asked) {
    const double miss = one.off / (one.allowed > 0.0 ? one.allowed : end_tolerance);
    if (!(miss <= most)) most = std::isnan(miss) ? HUGE_VAL : miss;
  }
  return most;
}

std::vector<std::string> faultsOf(const std::vector<Asked>& asked, double end_tolerance) {
  std::vector<std::string> faults;
  for (const Asked& one : asked) {
    if (!(one.off <= one.allowed + end_tolerance)) faults.push_back(one.fault);
  }
  return faults;
}

ProvenGoal provenGoal(const Problem& problem, const Trajectory& trajectory,
                      const CertifiedLimitOptions& options) {
  const std::vector<GoalAlternative>& all = alternativesOf(problem)->alternatives;
  const VecX end = trajectory.value(trajectory.duration());
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.configuration(end), workspace, X_WL);
  // The first that is met; the nearest, for the message, as long as none is.
  ProvenGoal goal;
  double least = HUGE_VAL;
  for (int i = 0; i < static_cast<int>(all.size()) && !goal.reached; ++i) {
    const std::vector<Asked> asked = askedOf(problem, toTarget(all[i].target), end, X_WL);
    const double miss = missOf(asked, options.end_tolerance);
    if (miss < least) {
      least = miss;
      goal.alternative = i;
    }
    if (!faultsOf(asked, options.end_tolerance).empty()) continue;
    goal.alternative = i;
    goal.reached = ReachedGoal{i, static_cast<int>(all.size()), all[i].name};
  }
  goal.problem = withAlternative(problem, goal.alternative);
  return goal;
}

std::string reachedText(const ReachedGoal& reached) {
  return "The goal that it reaches is " + alternativeText(reached) + ".";
}

std::string alternativeText(const ReachedGoal& reached) {
  const std::string place = formatted("%d of %d", reached.alternative + 1, reached.count);
  return reached.name.empty() ? "alternative " + place : "'" + reached.name + "' (" + place + ")";
}

}  // namespace allclear
