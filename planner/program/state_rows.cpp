// Rows at single instants of the curve, in this order: the goal's pose, waypoints, contacts,
// demands.
//
// Instants are fixed in normalised time s = t / T, so that rows are smooth functions of control
// points and duration. The exception are waypoints with a time of their own: their s moves as T
// changes.
//
// A contact that moving links keep has equations at the Greville points of the free control points
// (contact_fit.h): as many instants as the curve can meet. Between them it drifts a little; the fit
// after the solve and the certificate see to that.
//
// Symbols: C control points, T duration, q^(k) the k-th derivative by time at s, which is
// T^-k sum_l w_l^(k)(s) C_l with the basis weights w.
//
// Gradients: a row f(q, v, a) has df/dC_l = sum_k T^-k w_l^(k) f_k, f_k its gradient by q^(k), and
// df/dT = sum_k f_k . (T^-k sum_l w_l^(k) C'_l - k/T q^(k)) + s f_t, where C' is dC/dT of fixed
// control points and f_t the gradient by the instant t = s T, of obstacles that move. At a fixed
// time s = t/T moves: ds/dT = -s/T, and dq/ds = T v.
#include "allclear/planner/program/state_rows.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/core/stop_scope.h"
#include "allclear/planner/problem/contact_projection.h"

namespace allclear {
namespace {

/// Demands (of order one) are kept by this much more than asked: for the bounds of the certificate,
/// and because a demand may fall a little between two sampled instants.
constexpr double kDemandTarget = 2e-3;
/// Share of a pose's tolerances that each row may use. The rows bound a box; its corner, at sqrt(3)
/// times this share, is inside of the ball that the tolerance means, with room for the certificate.
constexpr double kToleranceUsed = 0.5;
/// The same of a tolerance along or about one axis, whose row is the tolerance itself.
constexpr double kAxisToleranceUsed = 0.95;
constexpr double kPassed = 5e-7;  // [rad or m] from a joint waypoint: half of what is certified
/// [m, rad] from a contact's place: what the fit after the solve mends without moving a joint by
/// more than the margins leave.
constexpr double kOnContact = 5e-5;
/// Rows of every cone in a span: with 2 the seven tasks of `bench_whole_body` take up to twice the
/// iterations, with 4 as many.
constexpr int kConesPerSpan = 3;
constexpr int kEnds = 3;  // control points that the boundary state fixes at each end
/// Two rows for one demand have to be this share of the sampling distance apart: half, so that the
/// same sample never adds a second row.
constexpr double kSameInstant = 0.5;

VecX wrenchAt(const std::optional<BSpline>& wrenches, double t) {
  return wrenches ? wrenches->value(t) : VecX();
}

constexpr int kPoseRows = 6, kLookRows = 3;

/// 0 within the tolerances: what is beyond them the most.
double beyondTolerances(const PoseTarget& pose, const VecX& off) {
  const Vec3 place = off.head<3>(), turn = off.tail<3>();
  return std::max({place.norm() - pose.position_tolerance, turn.norm() - pose.angle_tolerance,
                   (place.cwiseAbs() - pose.position_axes.most).maxCoeff(),
                   (turn.cwiseAbs() - pose.angle_axes.most).maxCoeff(), 0.0});
}

}  // namespace

StateRows::StateRows(const Problem& problem, const Kinematics& kinematics,
                     std::vector<double> waypoint_times, const BSplineBasis& basis)
    : problem_(problem), pose_error_(problem, kinematics), demands_(problem, kinematics) {
  // A program is about one goal: a search takes one of several beforehand.
  ALLCLEAR_ASSERT(!std::holds_alternative<AnyTarget>(problem.goal));
  const auto* pose_goal = std::get_if<PoseTarget>(&problem.goal);
  const bool has_pose_goal = pose_goal != nullptr;
  if (has_pose_goal) targets_.push_back({pose_goal, std::nullopt, 1.0, kPoseRows});
  std::size_t free_times = 0;
  for (const Waypoint& waypoint : problem.waypoints) {
    const double s = waypoint.time ? 0.0 : waypoint_times.at(free_times++);
    addWaypoint(waypoint.target, waypoint.time, s);
  }
  // Start and joint goals are where they are: contacts there are the task's.
  contacts_ = contactTargets(problem);
  std::vector<double> instants = freeGrevillePoints(basis);
  if (has_pose_goal) instants.push_back(1.0);
  for (double s : instants) {
    for (const PoseTarget& contact : contacts_) {
      targets_.push_back({&contact, std::nullopt, s, contactRows(contact), true});
    }
  }
  for (const Group& group : targets_) target_rows_ += group.rows;
}

/// Several poses at once are as many groups of one instant.
void StateRows::addWaypoint(const Target& target, std::optional<double> time, double s) {
  if (const auto* joints = std::get_if<JointTarget>(&target)) {
    targets_.push_back({joints, time, s, static_cast<int>(joints->coordinates.size())});
  }
  if (const auto* pose = std::get_if<PoseTarget>(&target)) {
    targets_.push_back({pose, time, s, kPoseRows});
  }
  const auto* posture = std::get_if<PostureTarget>(&target);
  if (posture == nullptr) return;
  for (const PoseTarget& pose : posture->poses) targets_.push_back({&pose, time, s, kPoseRows});
  for (const LookAtTarget& look : posture->looks) targets_.push_back({&look, time, s, kLookRows});
}

int StateRows::count() const { return target_rows_ + static_cast<int>(demand_rows_.size()); }

double StateRows::normalisedTime(const Group& group, double duration) const {
  return group.time ? std::clamp(*group.time / duration, 0.0, 1.0) : group.s;
}

void StateRows::bounds(Eigen::Ref<VecX> lower, Eigen::Ref<VecX> upper) const {
  int row = 0;
  // Joint targets and contacts are met exactly, poses within a box, demands from below.
  for (const Group& group : targets_) {
    upper.segment(row, group.rows).setZero();
    const auto* pose = std::get_if<const PoseTarget*>(&group.target);
    if (pose != nullptr && !group.is_contact) {
      upper.segment(row, kPoseRows) = poseRoom(**pose, kToleranceUsed, kAxisToleranceUsed);
    }
    if (const auto* look = std::get_if<const LookAtTarget*>(&group.target)) {
      upper.segment(row, kLookRows).setConstant(kToleranceUsed * (*look)->tolerance);
    }
    lower.segment(row, group.rows) = -upper.segment(row, group.rows);
    row += group.rows;
  }
  lower.tail(count() - row).setConstant(kDemandTarget);
  upper.tail(count() - row).setConstant(HUGE_VAL);
}

std::pair<int, int> StateRows::controls(int row, const BSplineBasis& basis) const {
  for (const Group& group : targets_) {
    if (row < group.rows) {
      // At a time of its own, the span changes with the duration: any control point may count.
      if (group.time) return {0, basis.controlCount()};
      const int first = basis.firstControl(basis.spanAt(group.s));
      return {first, first + basis.degree() + 1};
    }
    row -= group.rows;
  }
  const int first = basis.firstControl(basis.spanAt(demand_rows_[row].s));
  return {first, first + basis.degree() + 1};
}

bool StateRows::usesWrenches(int row) const {
  const int demand = row - (count() - static_cast<int>(demand_rows_.size()));
  return demand >= 0 && demands_.usesWrenches(demand_rows_[demand].demand);
}

/// A pose's or a direction's error, or the difference of the coordinates that a joint target names.
void StateRows::targetError(const RowTarget& target, const VecX& q, Eigen::Ref<VecX> values,
                            MatX* by_q) {
  if (const auto* pose = std::get_if<const PoseTarget*>(&target)) {
    values = pose_error_.error(**pose, q, by_q).head(values.size());
    return;
  }
  if (const auto* look = std::get_if<const LookAtTarget*>(&target)) {
    values = pose_error_.error(**look, q, by_q);
    return;
  }
  const JointTarget& joints = *std::get<const JointTarget*>(target);
  if (by_q != nullptr) by_q->setZero(values.size(), problem_.plannedCount());
  for (std::size_t i = 0; i < joints.coordinates.size(); ++i) {
    const auto at =
        std::find(problem_.planned.begin(), problem_.planned.end(), joints.coordinates[i]);
    const auto k = at - problem_.planned.begin();
    values[static_cast<Eigen::Index>(i)] = q[k] - joints.values[static_cast<Eigen::Index>(i)];
    if (by_q != nullptr) (*by_q)(static_cast<Eigen::Index>(i), k) = 1.0;
  }
}

std::vector<int> StateRows::demandsAt(double s) const {
  std::vector<int> demands;
  for (const DemandRow& row : demand_rows_) {
    if (row.s == s) demands.push_back(row.demand);
  }
  return demands;
}

void StateRows::values(const BSpline& curve, const std::optional<BSpline>& wrenches,
                       Eigen::Ref<VecX> out) {
  const double T = curve.duration();
  int row = 0;
  for (const Group& group : targets_) {
    targetError(group.target, curve.value(normalisedTime(group, T) * T),
                out.segment(row, group.rows), nullptr);
    row += group.rows;
  }
  // Rows are sorted by time: those that share an instant share one evaluation of all demands.
  VecX all;
  double last = -1.0;
  for (const DemandRow& demand : demand_rows_) {
    if (demand.s != last) {
      const double t = demand.s * T;
      demands_.computeOnly(demandsAt(demand.s));
      demands_.values(curve.value(t), curve.value(t, 1), curve.value(t, 2), wrenchAt(wrenches, t),
                      &all, t);
      last = demand.s;
    }
    out[row++] = all[demand.demand];
  }
  demands_.computeOnly({});
}

void StateRows::gradients(const BSpline& curve, const std::optional<BSpline>& wrenches,
                          const MatX& dC, Gradients* out) {
  const double T = curve.duration();
  const int n = problem_.plannedCount();
  out->by_control.clear();
  out->by_wrench.assign(count(), MatX());
  out->by_duration.setZero(count());
  int row = 0;
  // Spreads the gradient by the state (f_0, f_1, f_2) at s over control points and duration.
  const auto spread = [&](double s, bool at_fixed_time, const VecX* by_state) {
    const auto [first, last] = controls(row, curve.basis());
    MatX& G = out->by_control.emplace_back(MatX::Zero(n, last - first));
    double& dT = out->by_duration[row];
    for (int order = 0; order < 3 && by_state[order].size() > 0; ++order) {
      const BasisWeights w = curve.basis().weights(order, s);
      const double scale = std::pow(T, -order);
      for (int i = 0; i < w.weights.size(); ++i) {
        const int l = w.first + i;
        if (l < first || l >= last) continue;
        G.col(l - first) += scale * w.weights[i] * by_state[order];
        dT += scale * w.weights[i] * by_state[order].dot(dC.col(l));
      }
      if (order > 0) dT -= order / T * by_state[order].dot(curve.value(s * T, order));
    }
    if (at_fixed_time) dT -= s * by_state[0].dot(curve.value(s * T, 1));
    ++row;
  };
  for (const Group& group : targets_) {
    const double s = normalisedTime(group, T);
    VecX values(group.rows);
    MatX by_q;
    targetError(group.target, curve.value(s * T), values, &by_q);
    for (int i = 0; i < group.rows; ++i) {
      const VecX by_state[3] = {by_q.row(i).transpose(), {}, {}};
      spread(s, group.time && *group.time < T, by_state);
    }
  }
  StateDemands::Gradients all;
  double last = -1.0;
  for (const DemandRow& demand : demand_rows_) {
    if (demand.s != last) {
      const double t = demand.s * T;
      demands_.computeOnly(demandsAt(demand.s));
      demands_.gradients(curve.value(t), curve.value(t, 1), curve.value(t, 2),
                         wrenchAt(wrenches, t), &all, t);
      last = demand.s;
    }
    const VecX by_state[3] = {all.by_q.row(demand.demand).transpose(),
                              all.by_v.row(demand.demand).transpose(),
                              all.by_a.row(demand.demand).transpose()};
    if (usesWrenches(row)) {
      // Wrenches have the curve's basis, so the same weights spread their part.
      out->by_wrench[row] = all.by_w.row(demand.demand).transpose() *
                            curve.basis().weights(0, demand.s).weights.transpose();
    }
    out->by_duration[row] = demand.s * all.by_t[demand.demand];
    spread(demand.s, false, by_state);
  }
  demands_.computeOnly({});
}

void StateRows::addCones(const BSpline& curve) {
  const int count = kConesPerSpan * curve.spanCount();
  for (int i = 0; i <= count; ++i) {
    const Interval span = curve.spanTime(std::min(i / kConesPerSpan, curve.spanCount() - 1));
    const double share = static_cast<double>(i % kConesPerSpan) / kConesPerSpan;
    const double t = i == count ? curve.duration() : span.lower + share * span.length();
    for (int d = 0; d < demands_.count(); ++d) {
      if (demands_.isCone(d)) demand_rows_.push_back({d, std::min(1.0, t / curve.duration())});
    }
  }
}

StateRows::Worst StateRows::watch(const BSpline& curve, const std::optional<BSpline>& wrenches,
                                  int samples, double influence) {
  Worst worst;
  if (demands_.count() == 0) return worst;
  const double T = curve.duration();
  VecX all;
  for (int span = 0; span < curve.spanCount(); ++span) {
    throwIfStopped();
    const Interval time = curve.spanTime(span);
    std::vector<Worst> least(demands_.count());
    for (int i = 0; i <= samples; ++i) {
      const double t = time.lower + time.length() * i / samples;
      demands_.values(curve.value(t), curve.value(t, 1), curve.value(t, 2), wrenchAt(wrenches, t),
                      &all, t);
      for (int d = 0; d < demands_.count(); ++d) {
        if (all[d] < least[d].value) least[d] = {all[d], {d, std::min(1.0, t / T)}};
      }
    }
    for (const Worst& candidate : least) {
      if (candidate.value < worst.value) worst = candidate;
      const bool known =
          std::any_of(demand_rows_.begin(), demand_rows_.end(), [&](const DemandRow& row) {
            return row.demand == candidate.row.demand &&
                   std::abs(row.s - candidate.row.s) * T < kSameInstant * time.length() / samples;
          });
      // At the very ends motion is given, and only a row that wrenches change could change
      // anything.
      const bool inside = candidate.row.s > 0.0 && candidate.row.s < 1.0;
      const bool matters = inside || demands_.usesWrenches(candidate.row.demand);
      if (candidate.value < influence && matters && !known) demand_rows_.push_back(candidate.row);
    }
  }
  std::stable_sort(demand_rows_.begin(), demand_rows_.end(),
                   [](const DemandRow& a, const DemandRow& b) { return a.s < b.s; });
  return worst;
}

// Against the tolerances themselves, not the share of them that rows use: a curve that meets these
// is good enough for the certificate.
double StateRows::targetViolation(const BSpline& curve, std::string* what) {
  double most = 0.0;
  const Group* worst = nullptr;
  const double T = curve.duration();
  for (const Group& group : targets_) {
    const double missed = std::max(missedBy(curve, group), group.time ? *group.time - T : 0.0);
    if (missed <= most) continue;
    most = missed;  // the first of equals, so that the words do not depend on rounding
    worst = &group;
  }
  if (worst == nullptr || what == nullptr) return most;
  *what = "a waypoint or the goal's pose is missed";
  if (worst->is_contact) {
    const int link = std::get<const PoseTarget*>(worst->target)->link;
    *what = "the contact of '" + problem_.robot->links()[link].name + "'";
  }
  return most;
}

/// 0 within the tolerance.
double StateRows::missedBy(const BSpline& curve, const Group& group) {
  VecX off(group.rows);
  const double T = curve.duration();
  targetError(group.target, curve.value(normalisedTime(group, T) * T), off, nullptr);
  const auto* pose = std::get_if<const PoseTarget*>(&group.target);
  if (pose != nullptr && !group.is_contact) return beyondTolerances(**pose, off);
  if (const auto* look = std::get_if<const LookAtTarget*>(&group.target)) {
    return std::max(off.norm() - (*look)->tolerance, 0.0);
  }
  const double away = off.size() > 0 ? off.cwiseAbs().maxCoeff() : 0.0;
  return away > (group.is_contact ? kOnContact : kPassed) ? away : 0.0;
}

// Solves "the curve passes each joint waypoint" for the inner control points, coordinate by
// coordinate: the least change in the sense of least squares. A change of inner control points
// leaves the boundary state alone.
BSpline StateRows::throughWaypoints(const BSpline& curve) const {
  const double T = curve.duration();
  const int inner = curve.basis().controlCount() - 2 * kEnds;
  MatX C = curve.control();
  for (int k = 0; k < curve.dimension(); ++k) {
    std::vector<VecX> rows;
    std::vector<double> residual;
    for (const Group& group : targets_) {
      const auto* target = std::get_if<const JointTarget*>(&group.target);
      if (target == nullptr) continue;
      const JointTarget* joints = *target;
      const auto at =
          std::find(joints->coordinates.begin(), joints->coordinates.end(), problem_.planned[k]);
      if (at == joints->coordinates.end()) continue;
      const double s = normalisedTime(group, T);
      const BasisWeights w = curve.basis().weights(0, s);
      VecX row = VecX::Zero(inner);
      for (int i = 0; i < w.weights.size(); ++i) {
        const int l = w.first + i - kEnds;
        if (l >= 0 && l < inner) row[l] = w.weights[i];
      }
      rows.push_back(std::move(row));
      residual.push_back(joints->values[at - joints->coordinates.begin()] - curve.value(s * T)[k]);
    }
    if (rows.empty()) continue;
    MatX A(static_cast<Eigen::Index>(rows.size()), inner);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      A.row(static_cast<Eigen::Index>(i)) = rows[i].transpose();
    }
    const Eigen::Map<const VecX> r(residual.data(), static_cast<Eigen::Index>(residual.size()));
    C.row(k).segment(kEnds, inner) += A.completeOrthogonalDecomposition().solve(r).transpose();
  }
  return curve.withControl(std::move(C));
}

}  // namespace allclear
