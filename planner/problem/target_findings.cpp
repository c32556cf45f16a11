// What is wrong with goals and waypoints, by their numbers alone. Comparisons are written so that
// NaN fails them.
#include "allclear/planner/problem/target_findings.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/formatted.h"

namespace allclear {
namespace {

/// A direction counts as a unit vector when its length is this near to 1: rounding of a normalised
/// vector is 1e-16, and an angle measured with it is off by as much.
constexpr double kUnitLength = 1e-9;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string shown(double value) { return formatted("%.9g", value); }

class TargetCheck {
 public:
  explicit TargetCheck(const Problem& problem) : p_(problem) {}

  std::vector<Finding> shapes() {
    forEachTarget([this](const std::string& what, const auto& target, bool is_goal) {
      checkShape(what, target, is_goal);
    });
    return std::move(findings_);
  }

  std::vector<Finding> values() {
    forEachTarget(
        [this](const std::string& what, const auto& target, bool) { checkValues(what, target); });
    return std::move(findings_);
  }

 private:
  template <class Use>
  void forEachTarget(const Use& use) {
    const auto visit = [&](const std::string& what, const Target& target, bool is_goal) {
      std::visit([&](const auto& of_kind) { use(what, of_kind, is_goal); }, target);
    };
    visit("goal", p_.goal, true);
    for (std::size_t i = 0; i < p_.waypoints.size(); ++i) {
      visit("waypoint " + std::to_string(i + 1), p_.waypoints[i].target, false);
    }
  }

  void add(const std::string& what, const std::string& why, double value = kNone) {
    findings_.push_back({what, value, kNone, what + ": " + why});
  }

  // Sizes and indices.

  void checkLink(const std::string& what, int link) {
    if (link >= 0 && link < static_cast<int>(p_.robot->links().size())) return;
    add(what, "has no link " + std::to_string(link));
  }

  /// A goal says where every planned coordinate ends; a waypoint may leave some free.
  void checkShape(const std::string& what, const JointTarget& joints, bool is_goal) {
    const auto& [coordinates, values] = joints;
    if (values.size() != static_cast<Eigen::Index>(coordinates.size())) {
      add(what, "has " + std::to_string(values.size()) + " values instead of " +
                    std::to_string(coordinates.size()));
    }
    if (is_goal ? coordinates != p_.planned
                : !std::includes(p_.planned.begin(), p_.planned.end(), coordinates.begin(),
                                 coordinates.end())) {
      add(what, is_goal ? "must name exactly the planned coordinates, ascending"
                        : "must name planned coordinates, ascending");
    }
  }
  void checkShape(const std::string& what, const PoseTarget& pose, bool) {
    checkLink(what, pose.link);
  }
  void checkShape(const std::string& what, const PostureTarget& posture, bool) {
    for (const PoseTarget& pose : posture.poses) checkLink(what, pose.link);
    for (const LookAtTarget& look : posture.looks) checkLink(what, look.link);
    if (posture.weights.size() != p_.plannedCount()) {
      add(what + ": weights", "has " + std::to_string(posture.weights.size()) +
                                  " values instead of " + std::to_string(p_.plannedCount()));
    }
    checkShape(what + ": reference", posture.reference, true);
  }
  void checkShape(const std::string& what, const AnyTarget& any, bool is_goal) {
    if (!is_goal) return add(what, "alternatives (any_of) are only for the goal");
    if (any.alternatives.empty()) add(what, "has no alternative");
    forEachAlternative(what, any, [this](const std::string& which, const auto& target) {
      checkShape(which, target, true);
    });
  }

  template <class Use>
  void forEachAlternative(const std::string& what, const AnyTarget& any, const Use& use) {
    for (std::size_t i = 0; i < any.alternatives.size(); ++i) {
      const std::string which = what + ": alternative " + std::to_string(i + 1);
      std::visit([&](const auto& of_kind) { use(which, of_kind); }, any.alternatives[i].target);
    }
  }

  // Values.

  void checkValues(const std::string& what, const JointTarget& joints) {
    for (std::size_t k = 0; k < joints.coordinates.size(); ++k) {
      const auto finding = positionFinding(p_, what, joints.coordinates[k],
                                           joints.values[static_cast<Eigen::Index>(k)]);
      if (finding) findings_.push_back(*finding);
    }
  }
  void checkValues(const std::string& what, const PoseTarget& pose) {
    if (!pose.X_WP.p.allFinite() || !pose.X_WP.R.allFinite() || !pose.X_LP.p.allFinite() ||
        !pose.X_LP.R.allFinite()) {
      add(what, "its pose is not finite");
    }
    // Infinite tolerances are allowed: they leave the position or the orientation free, not both.
    if (!(pose.position_tolerance > 0.0)) {
      add(what, "the position tolerance must be positive", pose.position_tolerance);
    }
    if (!(pose.angle_tolerance > 0.0)) {
      add(what, "the angle tolerance must be positive", pose.angle_tolerance);
    }
    for (const AxisBounds* axes : {&pose.position_axes, &pose.angle_axes}) {
      if (!(axes->most.array() > 0.0).all()) {
        add(what, "the tolerance along or about an axis must be positive");
      }
    }
    if (pose.angle_axes.freeCount() == 2) {
      add(what,
          "the turns about two axes are free and that about the third is not: free one, or "
          "leave the orientation out");
    }
    if (pose.hasFreePosition() && pose.hasFreeAngle()) {
      add(what, "leaves both position and orientation free");
    }
  }
  void checkValues(const std::string& what, const LookAtTarget& look) {
    if (!look.p_L.allFinite() || !look.point_W.allFinite()) {
      add(what, "the point that it looks at, or from, is not finite");
    }
    if (!(std::abs(look.axis_L.norm() - 1.0) < kUnitLength)) {
      add(what, "the axis that looks must be a unit vector");
    }
    if (!(look.tolerance > 0.0)) {
      add(what, "the tolerance of its direction must be positive", look.tolerance);
    }
  }
  void checkValues(const std::string& what, const PostureTarget& posture) {
    for (const PoseTarget& pose : posture.poses) checkValues(what, pose);
    for (const LookAtTarget& look : posture.looks) checkValues(what, look);
    if (!(posture.weights.array() > 0.0).all() || !posture.weights.allFinite()) {
      add(what, "the weights of its reference must be positive");
    }
    checkValues(what + ": reference", posture.reference);
  }
  void checkValues(const std::string& what, const AnyTarget& any) {
    forEachAlternative(what, any, [this](const std::string& which, const auto& target) {
      if constexpr (std::is_same_v<std::decay_t<decltype(target)>, JointTarget>) {
        if (!target.values.allFinite()) add(which, "its values are not finite");
      } else {
        checkValues(which, target);
      }
    });
  }

  const Problem& p_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> targetShapeFindings(const Problem& problem) {
  return TargetCheck(problem).shapes();
}

std::vector<Finding> targetFindings(const Problem& problem) {
  return TargetCheck(problem).values();
}

std::optional<Finding> positionFinding(const Problem& problem, const std::string& what,
                                       int coordinate, double value) {
  const Coordinate& limits = problem.robot->coordinates()[coordinate];
  const std::string name = what + ": joint '" + limits.name + "'";
  if (!std::isfinite(value)) return Finding{name, value, kNone, name + ": is not finite"};
  const bool is_low = value < limits.lower;
  if (!is_low && value <= limits.upper) return std::nullopt;
  const double limit = is_low ? limits.lower : limits.upper;
  return Finding{name, value, limit,
                 name + ": " + shown(value) + " is " + shown(std::abs(value - limit)) +
                     (limits.is_angle ? " rad" : " m") + " beyond the " +
                     (is_low ? "lower" : "upper") + " limit " + shown(limit)};
}

}  // namespace allclear
