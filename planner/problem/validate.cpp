// Every check of a problem that needs no geometry: one method per concern, all findings at once.
//
// Dimensions and indices come first (`checkShape`): where they are wrong, nothing else can be
// evaluated without reading beyond an array, so those findings are reported alone. All other checks
// are independent of each other. Comparisons are written so that NaN fails them.
//
// Units in messages are those of the coordinate: rad or m.
#include <algorithm>
#include <cmath>

#include "allclear/core/formatted.h"
#include "allclear/planner/problem.h"
#include "allclear/planner/problem/body_regions.h"
#include "allclear/planner/problem/boundable_values.h"
#include "allclear/planner/problem/claims.h"
#include "allclear/planner/problem/contact_findings.h"
#include "allclear/planner/problem/end_margin.h"
#include "allclear/planner/problem/path_findings.h"
#include "allclear/planner/problem/target_findings.h"
#include "allclear/planner/problem/uncertainty.h"
#include "allclear/planner/problem/velocity_findings.h"

namespace allclear {
namespace {

/// Stands for an infinite velocity limit, which is allowed, in a check that wants finite numbers.
constexpr double kUnlimited = 1e300;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// [s] Times of trajectories end there (`TrajectoryLimits`).
constexpr double kLongest = 1e9;

std::string shown(double value) { return formatted("%.9g", value); }

/// Collects findings about one problem; its methods are the checks, one concern each.
class Validator {
 public:
  explicit Validator(const Problem& problem) : p_(problem) {}

  std::vector<Finding> run() {
    checkShape();
    // The checks below index by what `checkShape` has found right.
    if (!findings_.empty()) return std::move(findings_);
    checkStart();
    take(targetFindings(p_));
    checkRates("start", p_.start_velocity, p_.start_acceleration);
    checkRates("goal", p_.goal_velocity, p_.goal_acceleration);
    for (Finding& finding : pathFindings(p_)) findings_.push_back(std::move(finding));
    checkTimes();
    checkSettings();
    take(contactFindings(p_));
    take(claimFindings(p_));
    take(velocityFindings(p_));
    // Last: the checks above say more about the same numbers.
    for (Finding& finding : unboundableValues(p_)) {
      const bool is_known = std::any_of(findings_.begin(), findings_.end(),
                                        [&](const Finding& f) { return f.what == finding.what; });
      if (!is_known) findings_.push_back(std::move(finding));
    }
    return std::move(findings_);
  }

 private:
  void add(const std::string& what, const std::string& why, double value = kNone,
           double limit = kNone) {
    findings_.push_back({what, value, limit, what + ": " + why});
  }
  void take(std::vector<Finding> more) {
    for (Finding& finding : more) findings_.push_back(std::move(finding));
  }
  void addLimit(const std::string& what, double value, double limit, const char* side,
                const char* unit) {
    add(what,
        shown(value) + " is " + shown(std::abs(value - limit)) + unit + " beyond the " + side +
            " limit " + shown(limit),
        value, limit);
  }
  const Coordinate& coordinate(int c) const { return p_.robot->coordinates()[c]; }
  std::string jointName(const std::string& of, int c) const {
    return of + ": joint '" + coordinate(c).name + "'";
  }

  // Dimensions and indices: what everything else relies on.
  void checkShape();
  bool isLink(int link) const {
    return link >= 0 && link < static_cast<int>(p_.robot->links().size());
  }
  void checkLink(const std::string& what, int link) {
    if (!isLink(link)) add(what, "has no link " + std::to_string(link));
  }
  void checkSize(const std::string& what, const VecX& v, int expected, bool may_be_empty) {
    if (may_be_empty && v.size() == 0) return;
    if (v.size() != expected) {
      add(what,
          "has " + std::to_string(v.size()) + " values instead of " + std::to_string(expected));
    }
  }
  void checkSceneShape();

  void checkStart();
  void checkRates(const std::string& what, const VecX& velocity, const VecX& acceleration);
  void checkRate(const std::string& what, double value, double limit, const char* unit);
  void checkTimes();
  void checkSettings();
  void checkPositive(const std::string& what, double value, bool zero_allowed);
  void checkLimitOverrides(const std::string& what, const VecX& values);

  const Problem& p_;
  std::vector<Finding> findings_;
};

void Validator::checkShape() {
  if (!p_.robot) return add("robot", "is missing");
  const int n = p_.robot->dimension();
  // Lookups of planned coordinates are binary searches: they have to ascend.
  if (p_.planned.empty()) add("planned coordinates", "there are none");
  for (std::size_t i = 0; i < p_.planned.size(); ++i) {
    if (p_.planned[i] < 0 || p_.planned[i] >= n) {
      add("planned coordinates", "the robot has no coordinate " + std::to_string(p_.planned[i]));
    }
    if (i > 0 && p_.planned[i] <= p_.planned[i - 1]) {
      add("planned coordinates", "must ascend without repetition");
    }
  }
  checkSize("start", p_.start, n, false);
  checkSize("start velocity", p_.start_velocity, p_.plannedCount(), true);
  checkSize("start acceleration", p_.start_acceleration, p_.plannedCount(), true);
  checkSize("goal velocity", p_.goal_velocity, p_.plannedCount(), true);
  checkSize("goal acceleration", p_.goal_acceleration, p_.plannedCount(), true);
  checkSize("velocity limits", p_.limits.velocity, n, true);
  checkSize("acceleration limits", p_.limits.acceleration, n, true);
  checkSize("jerk limits", p_.limits.jerk, n, true);
  take(targetShapeFindings(p_));
  checkSceneShape();
}

void Validator::checkSceneShape() {
  // Whatever names a link by its index.
  for (const PathConstraint& constraint : p_.path_constraints) {
    std::visit([&](const auto& c) { checkLink("path constraint", c.link); }, constraint);
    const auto* kept = std::get_if<KeepPose>(&constraint);
    if (kept != nullptr && kept->relative_to != -1) checkLink("path constraint", kept->relative_to);
  }
  for (const AttachedObject& object : p_.attached) {
    const std::string what = "attached object '" + object.id + "'";
    checkLink(what, object.link);
    for (int link : object.touch_links) checkLink(what, link);
    if (object.geometry.empty()) add(what, "has no geometry");
  }
  for (const Obstacle& obstacle : p_.obstacles) {
    const std::string what = "obstacle '" + obstacle.id + "'";
    if (obstacle.cloud != nullptr) {
      if (!obstacle.geometry.empty() || obstacle.deforming != nullptr) {
        add(what, "is a cloud: it can have no other geometry");
      }
    } else if (obstacle.deforming == nullptr) {
      if (obstacle.geometry.empty()) add(what, "has no geometry");
    } else if (!obstacle.geometry.empty() || !obstacle.motion.empty() ||
               !obstacle.spread.isEmpty()) {
      add(what, "bends: it can have neither other geometry, nor a motion, nor a covariance");
    }
  }
  if (p_.balance) {
    if (p_.balance->support_links.empty()) add("balance", "names no support link");
    for (int link : p_.balance->support_links) checkLink("balance", link);
  }
  for (const Contact& contact : p_.contacts) checkLink("contact", contact.link);
  for (const ContactLimit& limit : p_.limits.contact) {
    for (int link : limit.links) checkLink("limits: contact", link);
  }
  take(uncertaintyFindings(p_));
}

// Coordinates that are not planned may be beyond their limits (a gripper that is pressed shut):
// they stay where they are, so only a number is needed.
void Validator::checkStart() {
  for (int c = 0; c < p_.robot->dimension(); ++c) {
    const bool is_planned = std::binary_search(p_.planned.begin(), p_.planned.end(), c);
    if (is_planned) {
      const auto finding = positionFinding(p_, "start", c, p_.start[c]);
      if (finding) findings_.push_back(*finding);
    } else if (!std::isfinite(p_.start[c])) {
      add(jointName("start", c), "is not finite", p_.start[c]);
    }
  }
}

void Validator::checkRate(const std::string& what, double value, double limit, const char* unit) {
  if (!std::isfinite(value)) return add(what, "is not finite", value);
  if (std::abs(value) > limit) {
    addLimit(what, value, std::copysign(limit, value), value < 0.0 ? "lower" : "upper", unit);
  }
}

void Validator::checkRates(const std::string& what, const VecX& velocity,
                           const VecX& acceleration) {
  // Against the limits that the plan has to keep: scaled, with defaults.
  const PlannedLimits limits = plannedLimits(p_);
  for (int i = 0; i < p_.plannedCount(); ++i) {
    const int c = p_.planned[i];
    const bool angle = coordinate(c).is_angle;
    const std::string of = " of joint '" + coordinate(c).name + "'";
    if (velocity.size() > 0) {
      checkRate(what + ": velocity" + of, velocity[i], limits.velocity[i],
                angle ? " rad/s" : " m/s");
    }
    if (acceleration.size() > 0) {
      checkRate(what + ": acceleration" + of, acceleration[i], limits.acceleration[i],
                angle ? " rad/s^2" : " m/s^2");
    }
  }
}

void Validator::checkTimes() {
  const DurationBounds& duration = p_.duration;
  checkPositive("duration: min", duration.min, false);
  checkPositive("duration: max", duration.max, false);
  if (duration.min > kLongest) {
    add("duration", "min " + shown(duration.min) + " s is beyond 1e9 s", duration.min, kLongest);
  }
  if (duration.min > duration.max) {
    add("duration", "min " + shown(duration.min) + " exceeds max " + shown(duration.max),
        duration.min, duration.max);
  }
  // Waypoints with a time ascend, also past those without one in between.
  double previous = 0.0;
  for (std::size_t i = 0; i < p_.waypoints.size(); ++i) {
    if (!p_.waypoints[i].time) continue;
    const double time = *p_.waypoints[i].time;
    const std::string what = "waypoint " + std::to_string(i + 1) + ": time";
    if (!(time > previous) || !std::isfinite(time)) {
      add(what, shown(time) + " s must be later than " + shown(previous) + " s", time, previous);
    } else if (time >= duration.max) {
      add(what, shown(time) + " s must be before the end, at most " + shown(duration.max) + " s",
          time, duration.max);
    }
    previous = time;
  }
}

void Validator::checkPositive(const std::string& what, double value, bool zero_allowed) {
  if (std::isfinite(value) && (value > 0.0 || (zero_allowed && value == 0.0))) return;
  add(what, shown(value) + (zero_allowed ? " must not be negative" : " must be positive"), value,
      0.0);
}

void Validator::checkLimitOverrides(const std::string& what, const VecX& values) {
  for (int c = 0; c < values.size(); ++c) {
    if (!std::isnan(values[c])) {
      checkPositive(what + " of joint '" + coordinate(c).name + "'", values[c], false);
    }
  }
}

void Validator::checkSettings() {
  // `kPrimitive` is a promise of the task that no mesh stands in a pair: hold it to it.
  if (p_.collision.geometry == GeometryMode::kPrimitive) {
    for (const Link& link : p_.robot->links()) {
      for (const Geometry& part : link.collision) {
        if (!std::holds_alternative<TriangleMesh>(part.shape)) continue;
        add("collision: geometry", "link '" + link.name +
                                       "' has a collision mesh, which `primitive` does not allow; "
                                       "use auto, mesh or capsule");
        break;
      }
    }
  }
  for (const auto& [what, scale] :
       {std::pair{"max_velocity_scaling_factor", p_.limits.max_velocity_scaling_factor},
        std::pair{"max_acceleration_scaling_factor", p_.limits.max_acceleration_scaling_factor}}) {
    if (!(scale > 0.0 && scale <= 1.0)) add(what, shown(scale) + " must be in (0, 1]", scale, 1.0);
  }
  checkLimitOverrides("acceleration limit", p_.limits.acceleration);
  checkLimitOverrides("jerk limit", p_.limits.jerk.cwiseMin(kUnlimited));
  for (int c : p_.planned) {
    checkPositive("velocity limit of joint '" + coordinate(c).name + "'",
                  std::min(coordinate(c).velocity, kUnlimited), false);
  }
  take(contactLimitFindings(p_));
  checkPositive("collision: margin", p_.collision.margin, true);
  checkPositive("collision: tolerance", p_.collision.tolerance, false);
  for (Finding& finding : touchingFindings(p_)) findings_.push_back(std::move(finding));
  if (p_.collision.end_margin == EndMargin::kRelax && isUncertain(p_)) {
    add("collision: end_margin",
        "`relax` cannot be had with an uncertainty: what strays would take "
        "the room that the pair has at the end; use `strict`");
  }
  for (const PairMargin& pair : p_.collision.pair_margins) {
    checkPositive("pair margin of '" + pair.a + "'", pair.margin, true);
  }
  // Any weight may be zero, but without a cost every curve is as good as any other.
  const ObjectiveWeights& weights = p_.objective;
  double sum = 0.0;
  for (const auto& [what, weight] :
       {std::pair{"duration", weights.duration}, std::pair{"velocity", weights.velocity},
        std::pair{"acceleration", weights.acceleration}, std::pair{"jerk", weights.jerk},
        std::pair{"torque", weights.torque}}) {
    checkPositive(std::string("objective: ") + what, weight, true);
    sum += weight;
  }
  if (sum == 0.0) add("objective", "every weight is zero");
  const bool has_effort = std::any_of(p_.planned.begin(), p_.planned.end(), [&](int c) {
    const double effort = p_.robot->coordinates()[c].effort;
    return effort > 0.0 && std::isfinite(effort);
  });
  if (weights.torque > 0.0 && !has_effort) {
    add("objective: torque",
        "no planned joint has an effort limit to weigh its torque by; give the URDF's limits one");
  }
  if (p_.balance) checkPositive("balance: margin", p_.balance->margin, true);
}

}  // namespace

std::vector<Finding> validate(const Problem& problem) { return Validator(problem).run(); }

}  // namespace allclear
