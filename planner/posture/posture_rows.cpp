// Rows of a posture, in this order: contacts, poses, demands at rest, clearances.
//
// A contact or a pose has three rows for its position (in the world) and three for its rotation
// vector (in the target's frame), where these are not free. They are equations for contacts; a pose
// has a box inside of its tolerance.
//
// A pair of bodies has one row, the distance beyond its demand, cut off at a ceiling where its
// gradient is zero. One row for the nearest pair alone does not do: as one pair is pushed apart
// another becomes the nearest, and the row forgets the first.
#include "allclear/planner/posture/posture_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/formatted.h"
#include "allclear/planner/problem/contact_projection.h"
#include "allclear/planner/problem/load.h"
#include "allclear/planner/problem/support_polygon.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Poses with these tolerances or less are meant to be exact.
constexpr double kExactPosition = 1e-3;  // [m]
constexpr double kExactAngle = 1e-2;     // [rad]
/// Half edge of the box that rows bound, over the tolerance, which is the radius of a ball. An
/// exact pose has a small box all the same: two places on one link, in rounded numbers, have no
/// exact solution. Others may use half, which leaves the box's corner at sqrt(3) / 2 of the
/// tolerance.
constexpr double kToleranceOfExact = 0.1;
constexpr double kToleranceUsed = 0.5;
/// Of a tolerance along or about one axis, whose row is the tolerance itself.
constexpr double kAxisToleranceUsed = 0.95;

std::string number(double value) { return formatted("%.3g", value); }

/// The half edge of the box of a row, over the tolerance.
double shareFor(double tolerance, double exact, bool is_exact) {
  return is_exact && tolerance <= exact ? kToleranceOfExact : kToleranceUsed;
}

std::string nameOf(const Problem& problem, int link) {
  return "link '" + problem.robot->links()[link].name + "'";
}

}  // namespace

PostureRows::PostureRows(const ClearanceEvaluator& evaluator, const PostureTarget& target,
                         bool exact)
    : evaluator_(evaluator),
      problem_(evaluator.problem()),
      workspace_(evaluator),
      pose_error_(problem_, evaluator.builder().kinematics()),
      demands_(problem_, evaluator.builder().kinematics()),
      exact_(exact) {
  if (demands_.wrenchCount() > 0) weight_ = robotWeight(*loadedRobot(problem_));
  // The end of the motion is when obstacles count, if that is known.
  if (problem_.duration.isFixed()) time_ = problem_.duration.min;
  for (const PoseTarget& contact : contactTargets(problem_)) addPose(contact, true);
  addPart(Kind::kContacts, "the contacts", 0);
  for (const PoseTarget& pose : target.poses) {
    const int first = count();
    addPose(pose, false);
    addPart(Kind::kPose, "the pose of " + nameOf(problem_, pose.link), first);
  }
  for (const LookAtTarget& look : target.looks) {
    const int first = count();
    addLook(look);
    addPart(Kind::kPose, "the direction of " + nameOf(problem_, look.link), first);
  }
  first_demand_ = count();
  addRows(demands_.count(), kDemandReserve, kInfinity);
  addPart(Kind::kDemands, "the torques, balance and path constraints", first_demand_);
  first_pair_ = count();
  addRows(static_cast<int>(evaluator.model().pairs.size()), 0.0, kInfinity);
  addPart(Kind::kClearances, "the clearances", first_pair_);
  parts_.push_back({Kind::kLimits, "the joint limits", count(), 0});
}

void PostureRows::addRows(int rows, double lower, double upper) {
  lower_.conservativeResize(count() + rows);
  upper_.conservativeResize(lower_.size());
  lower_.tail(rows).setConstant(lower);
  upper_.tail(rows).setConstant(upper);
}

/// Three rows within a box of these half edges.
void PostureRows::addBox(const Vec3& room) {
  const int first = count();
  addRows(3, 0.0, 0.0);
  upper_.segment<3>(first) = room;
  lower_.segment<3>(first) = -room;
}

void PostureRows::addPose(const PoseTarget& target, bool is_exact) {
  PoseRows rows{target, count(), !target.hasFreePosition(), !target.hasFreeAngle()};
  // Each half of the pose is exact by itself.
  const auto room = [&](double tolerance, double exact, int first) -> Vec3 {
    if (is_exact) return Vec3::Zero();
    const double share = shareFor(tolerance, exact, exact_);
    return poseRoom(target, share, kAxisToleranceUsed).segment<3>(first);
  };
  if (rows.is_placed) addBox(room(target.position_tolerance, kExactPosition, 0));
  if (rows.is_oriented) addBox(room(target.angle_tolerance, kExactAngle, 3));
  poses_.push_back(std::move(rows));
}

void PostureRows::addLook(const LookAtTarget& target) {
  poses_.push_back({target, count(), false, true});
  addBox(Vec3::Constant(shareFor(target.tolerance, kExactAngle, exact_) * target.tolerance));
}

int PostureRows::linkOf(const PoseRows& pose) const {
  return std::visit([](const auto& target) { return target.link; }, pose.target);
}

/// The rows of one pose or direction, and their gradients where these are asked for.
void PostureRows::poseError(const PoseRows& pose, Eigen::Ref<VecX> values, MatX* by_q) {
  if (const auto* look = std::get_if<LookAtTarget>(&pose.target)) {
    values = pose_error_.error(*look, q_, by_q);
    return;
  }
  const PoseError::Vec6 error = pose_error_.error(std::get<PoseTarget>(pose.target), q_, by_q);
  const int first = pose.is_placed ? 0 : 3;
  values = error.segment(first, pose.count());
  if (by_q != nullptr) *by_q = MatX(by_q->middleRows(first, pose.count()));
}

/// Of all rows from `first` on; none where there are no rows.
void PostureRows::addPart(Kind kind, const std::string& name, int first) {
  if (count() > first) parts_.push_back({kind, name, first, count() - first});
}

void PostureRows::setClearance(double beyond) {
  lower_.tail(count() - first_pair_).setConstant(beyond);
}

void PostureRows::place(const VecX& x) {
  if (x_.size() == x.size() && x_ == x) return;
  x_ = x;
  q_ = x.head(joints());
  w_ = weight_ * x.tail(wrenches());
  has_near_ = has_values_ = has_jacobian_ = false;
}

const std::vector<Clearance>& PostureRows::near() {
  if (has_near_) return near_;
  near_.clear();
  evaluator_.pairsAtRest(q_, time_, kCeiling, workspace_, &near_);
  has_near_ = true;
  return near_;
}

const VecX& PostureRows::values() {
  if (has_values_) return values_;
  // In the order of the rows: contacts and poses, demands at rest, pairs.
  values_.resize(count());
  for (const PoseRows& pose : poses_) {
    poseError(pose, values_.segment(pose.first, pose.count()), nullptr);
  }
  if (first_pair_ > first_demand_) {
    const VecX rest = VecX::Zero(joints());
    VecX demands;
    demands_.values(q_, rest, rest, w_, &demands);
    values_.segment(first_demand_, demands.size()) = demands;
  }
  values_.tail(count() - first_pair_).setConstant(kCeiling);
  for (const Clearance& c : near()) values_[first_pair_ + c.pair] = c.upper - c.demand;
  has_values_ = true;
  return values_;
}

const MatX& PostureRows::jacobian() {
  if (has_jacobian_) return jacobian_;
  // The same order. Pairs beyond the ceiling keep a gradient of zero.
  jacobian_.setZero(count(), variables());
  MatX by_q;
  for (const PoseRows& pose : poses_) {
    VecX ignored(pose.count());
    poseError(pose, ignored, &by_q);
    jacobian_.block(pose.first, 0, pose.count(), joints()) = by_q;
  }
  if (first_pair_ > first_demand_) {
    const VecX rest = VecX::Zero(joints());
    StateDemands::Gradients gradients;
    demands_.gradients(q_, rest, rest, w_, &gradients);
    auto rows = jacobian_.middleRows(first_demand_, first_pair_ - first_demand_);
    rows.leftCols(joints()) = gradients.by_q;
    if (wrenches() > 0) rows.rightCols(wrenches()) = weight_ * gradients.by_w;
  }
  for (const Clearance& c : near()) {
    double distance = 0.0, rate = 0.0;
    jacobian_.row(first_pair_ + c.pair).head(joints()) =
        evaluator_.gradient(c, q_, workspace_, &distance, &rate);
  }
  has_jacobian_ = true;
  return jacobian_;
}

double PostureRows::miss(const Part& part) {
  values();
  double most = 0.0;
  for (int row = part.first; row < part.first + part.count; ++row) {
    const double lower = part.kind == Kind::kClearances ? 0.0 : lower_[row];
    // Negated, so that NaN counts as missed.
    if (!(values_[row] >= lower)) most = std::max(most, lower - values_[row]);
    if (!(values_[row] <= upper_[row])) most = std::max(most, values_[row] - upper_[row]);
    if (std::isnan(values_[row])) return kInfinity;
  }
  return most;
}

/// "0.12 m off and turned by 0.3 rad", as far as it is either.
std::string PostureRows::offText(const PoseRows& pose) const {
  std::string text;
  int row = pose.first;
  if (std::holds_alternative<LookAtTarget>(pose.target)) {
    return "pointing " + number(values_.segment<3>(row).norm()) + " rad past its point";
  }
  if (pose.is_placed) {
    text = number(values_.segment<3>(row).norm()) + " m off";
    row += 3;
  }
  if (!pose.is_oriented) return text;
  return text + (pose.is_placed ? " and " : "") + "turned by " +
         number(values_.segment<3>(row).norm()) + " rad";
}

/// Of the pose of the part that is farthest off: contacts are several.
std::string PostureRows::poseText(const Part& part) const {
  const PoseRows* worst = nullptr;
  double most = -1.0;
  for (const PoseRows& pose : poses_) {
    if (pose.first < part.first || pose.first >= part.first + part.count) continue;
    const double off = values_.segment(pose.first, pose.count()).norm();
    if (off <= most) continue;
    most = off;
    worst = &pose;
  }
  return nameOf(problem_, linkOf(*worst)) + " is " + offText(*worst);
}

std::string PostureRows::demandText(const Part& part) const {
  Eigen::Index worst = 0;
  const double value = values_.segment(part.first, part.count).minCoeff(&worst);
  const std::string name = demands_.name(static_cast<int>(worst));
  if (value < 0.0) return name + " is missed by " + number(-value) + " of its limit";
  return name + " leaves " + number(value) + " of its limit, less than the " +
         number(kDemandReserve) + " that a motion needs";
}

std::string PostureRows::clearanceText() {
  const std::vector<Clearance>& all = near();
  const auto worst =
      std::min_element(all.begin(), all.end(), [](const Clearance& a, const Clearance& b) {
        return a.upper - a.demand < b.upper - b.demand;
      });
  if (worst == all.end()) return "all bodies are far apart";
  const CollisionModel& model = evaluator_.model();
  const CollisionPair& pair = model.pairs[worst->pair];
  const std::string names =
      "'" + model.bodies[pair.a].name + "' and '" + model.bodies[pair.b].name + "' ";
  if (worst->upper < 0.0) return names + "overlap by " + number(-1e3 * worst->upper) + " mm";
  return names + "are " + number(1e3 * worst->upper) + " mm apart, and are to be " +
         number(1e3 * worst->demand) + " mm";
}

std::string PostureRows::limitText() const {
  const PlannedLimits limits = plannedLimits(problem_);
  const VecX beyond = (limits.lower - q_).cwiseMax(q_ - limits.upper);
  Eigen::Index worst = 0;
  const double most = beyond.maxCoeff(&worst);
  const Coordinate& coordinate = problem_.robot->coordinates()[problem_.planned[worst]];
  return "joint '" + coordinate.name + "' is " + number(most) +
         (coordinate.is_angle ? " rad" : " m") + " beyond its limit";
}

std::string PostureRows::missText(const Part& part) {
  values();  // texts read them
  switch (part.kind) {
    case Kind::kContacts:
    case Kind::kPose:
      return poseText(part);
    case Kind::kDemands:
      return demandText(part);
    case Kind::kClearances:
      return clearanceText();
    case Kind::kLimits:
      return limitText();
  }
  return "";
}

}  // namespace allclear
