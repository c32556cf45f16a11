// Demands on the state, each scaled to order one and at least 0 when it is kept:
//
//   kept axis:   (d . a - cos(tolerance)) / (1 - cos(tolerance)), a the axis, d the direction;
//   box:         (half size -+ e . (p - center)) / half size, for the three axes e of the box;
//   held poses and lines: with the error e (held_error.h) of a position or an orientation,
//                1 -+ e_k / tolerance for the three axes, and 1 - |e|^2 / tolerance^2: the last
//                says all of it, but has no gradient at 0, where steps of the others start;
//   cables:      what a span or a room has beyond what is asked (cable_demands.h);
//   torque:      1 -+ tau / effort;
//   balance:     the room of the ground's wrench at each edge of the support polygon
//                (support_polygon.h), over weight times the polygon's radius;
//   unplanned contacts: 1 - energy / what the region bears (impact_demands.h).
//
// Where forces at contacts are part of the problem, these take the place of the torques above
// (contact_demands.h).
//
// Order of demands: path constraints as the problem lists them, cables, two per limited torque or
// those of contacts, unplanned contacts, edges.
#include "allclear/planner/program/state_demands.h"

#include <algorithm>
#include <cmath>

#include "allclear/planner/problem/contacts.h"
#include "allclear/planner/problem/impact_share.h"
#include "allclear/planner/problem/load.h"

namespace allclear {
namespace {

/// Scales are not below this, so that a demand of no width (a tolerance of 0) can be divided.
constexpr double kLeastScale = 1e-6;

double axisScale(const KeepAxis& keep) {
  return std::max(kLeastScale, 1.0 - std::cos(keep.tolerance));
}

/// Kinematics whose dynamics know what the robot carries; none where that weighs nothing.
std::unique_ptr<const Kinematics> kinematicsWithLoad(const Problem& problem) {
  const std::shared_ptr<const RobotModel> loaded = loadedRobot(problem);
  if (loaded == problem.robot) return nullptr;
  return std::make_unique<const Kinematics>(*loaded);
}

/// Rows of one ball: two for each axis, and one for the whole.
constexpr int kBallRows = 7;

int demandCount(const PathConstraint& constraint) {
  if (std::holds_alternative<KeepAxis>(constraint)) return 1;
  if (std::holds_alternative<KeepInBox>(constraint)) return 6;
  const auto balls = [](const auto& held) {
    return kBallRows * ((held.position_tolerance < HUGE_VAL ? 1 : 0) +
                        (held.angle_tolerance < HUGE_VAL ? 1 : 0));
  };
  if (const auto* keep = std::get_if<KeepPose>(&constraint)) return balls(*keep);
  return balls(std::get<KeepOnLine>(constraint));
}

/// Whether a row of a held pose or line is of its orientation.
bool isOfTurn(const PathConstraint& constraint, int row) {
  const auto* keep = std::get_if<KeepPose>(&constraint);
  return row >= kBallRows || (keep != nullptr && !(keep->position_tolerance < HUGE_VAL));
}

/// The room at every edge is linear in the ground's wrench (`SupportPolygon::room`): its value at
/// each unit wrench, over weight times radius.
MatX roomsByWrench(const SupportPolygon& polygon, double margin, double weight) {
  MatX out(static_cast<Eigen::Index>(polygon.edges.size()), GroundDynamics::kGroundRows);
  for (Eigen::Index i = 0; i < out.rows(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const auto room = [&](const Vec3& force, const Vec3& moment) {
        return SupportPolygon::room(polygon.edges[i], polygon.height, margin, force, moment);
      };
      out(i, k) = room(Vec3::Unit(k), Vec3::Zero());
      out(i, k + 3) = room(Vec3::Zero(), Vec3::Unit(k));
    }
  }
  return out / (weight * polygon.radius);
}

}  // namespace

StateDemands::StateDemands(const Problem& problem, const Kinematics& kinematics)
    : problem_(problem),
      loaded_(kinematicsWithLoad(problem)),
      kinematics_(loaded_ ? *loaded_ : kinematics),
      workspace_(kinematics_.makeWorkspace()),
      held_(problem) {
  // Support polygon and weight do not change during a plan: compute them once.
  for (const PathConstraint& constraint : problem.path_constraints) {
    path_count_ += demandCount(constraint);
  }
  if (!problem.cables.empty()) {
    cables_.emplace(problem);
    path_count_ += cables_->count();
  }
  if (problem.balance && problem.balance->criterion != Balance::Criterion::kForces) {
    const std::shared_ptr<const RobotModel> loaded = loadedRobot(problem);
    polygon_ = supportPolygon(problem, *problem.balance);
    edges_ = roomsByWrench(*polygon_, problem.balance->margin, robotWeight(*loaded));
    ground_.emplace(problem, *loaded);
  }
  if (!problem.limits.contact.empty() && !isKeptByPace(problem)) impacts_.emplace(problem);
  if (allclear::usesWrenches(problem)) {
    contacts_.emplace(problem);
    return;
  }
  if (!problem.limits.torque) return;
  effort_ = plannedLimits(problem).effort;
  for (int k = 0; k < problem.plannedCount(); ++k) {
    if (std::isfinite(effort_[k])) torques_.push_back(k);
  }
}

std::string StateDemands::name(int demand) const {
  // Walk the demands in their order, and count down to the one asked for.
  const auto linkName = [&](int link) { return "'" + problem_.robot->links()[link].name + "'"; };
  for (std::size_t i = 0; i < problem_.path_constraints.size(); ++i) {
    const PathConstraint& constraint = problem_.path_constraints[i];
    const int count = demandCount(constraint);
    if (demand < count) {
      if (const auto* keep = std::get_if<KeepAxis>(&constraint)) {
        return linkName(keep->link) + ": angle of the kept axis";
      }
      if (const auto* box = std::get_if<KeepInBox>(&constraint)) {
        return linkName(box->link) + ": " + "xyz"[demand / 2] + " in the box";
      }
      return held_.name(static_cast<int>(i), isOfTurn(constraint, demand));
    }
    demand -= count;
  }
  if (demand < cableCount()) return cables_->name(demand);
  demand -= cableCount();
  if (demand >= forceCount() + impactCount()) return "balance on the support links";
  if (demand >= forceCount()) return impacts_->name(demand - forceCount());
  if (contacts_) return contacts_->name(demand);
  const int k = torques_[demand / 2];
  return "'" + problem_.robot->coordinates()[problem_.planned[k]].name + "': torque";
}

VecX StateDemands::whole(const VecX& planned) const {
  VecX all = VecX::Zero(problem_.robot->dimension());
  for (int k = 0; k < problem_.plannedCount(); ++k) all[problem_.planned[k]] = planned[k];
  return all;
}

/// A row whose gradient is a direction times the link's Jacobian: of its point for a position, of
/// its rotation for an axis.
void StateDemands::addRow(double value, int link, const Vec3& p_W, const Vec3& direction,
                          bool turns, PathRows* rows) {
  if (rows->values != nullptr) (*rows->values)[rows->row] = value;
  if (rows->by_q != nullptr) {
    kinematics_.pointJacobian(workspace_, link, p_W, J_);
    for (int k = 0; k < problem_.plannedCount(); ++k) {
      const auto column = J_.col(problem_.planned[k]);
      (*rows->by_q)(rows->row, k) =
          turns ? direction.dot(column.tail<3>()) : direction.dot(column.head<3>());
    }
  }
  ++rows->row;
}

void StateDemands::add(const KeepAxis& keep, PathRows* rows) {
  const Pose& X_WL = poses_[keep.link];
  const Vec3 axis = X_WL.R * keep.axis_L.normalized();
  const Vec3 d = keep.direction_W.normalized();
  // d(d . axis) = d . (omega x axis) = omega . (axis x d)
  const double scale = axisScale(keep);
  addRow((d.dot(axis) - std::cos(keep.tolerance)) / scale, keep.link, X_WL.p, axis.cross(d) / scale,
         true, rows);
}

void StateDemands::add(const KeepInBox& box, PathRows* rows) {
  const Vec3 p = poses_[box.link] * box.p_L;
  for (int k = 0; k < 3; ++k) {
    const Vec3 e = box.X_WB.R.col(k);
    const double half = std::max(kLeastScale, 0.5 * box.size[k]);
    const double at = e.dot(p - box.X_WB.p);
    addRow((0.5 * box.size[k] - at) / half, box.link, p, -e / half, false, rows);
    addRow((0.5 * box.size[k] + at) / half, box.link, p, e / half, false, rows);
  }
}

/// `by_q`: of the error, 3 x planned coordinates; empty where no gradients are asked for.
void StateDemands::addBall(const Vec3& error, double tolerance, const MatX& by_q, PathRows* rows) {
  // In shares first: their squares stay finite, however large the tolerance is.
  const double scale = std::max(kLeastScale, tolerance), whole = tolerance / scale;
  const Vec3 share = error / scale;
  const auto add = [&](double value, const Vec3& by_error) {
    if (rows->values != nullptr) (*rows->values)[rows->row] = value;
    if (rows->by_q != nullptr) rows->by_q->row(rows->row) = by_error.transpose() * by_q;
    ++rows->row;
  };
  for (int k = 0; k < 3; ++k) {
    add(whole - share[k], -Vec3::Unit(k) / scale);
    add(whole + share[k], Vec3::Unit(k) / scale);
  }
  add(whole * whole - share.squaredNorm(), -2.0 * share / scale);
}

void StateDemands::addHeld(int constraint, PathRows* rows) {
  const HeldError error =
      held_.of(constraint, kinematics_, workspace_, poses_, rows->by_q != nullptr);
  MatX by_position, by_turn;
  if (rows->by_q != nullptr) {
    by_position = error.by_q.topRows<3>();
    by_turn = error.by_q.bottomRows<3>();
  }
  if (error.isPlaced()) addBall(error.position, error.position_tolerance, by_position, rows);
  if (error.isOriented()) addBall(error.turn, error.angle_tolerance, by_turn, rows);
}

/// Pre: the workspace's link poses are those of the state.
void StateDemands::addPath(VecX* values, MatX* by_q) {
  PathRows rows{values, by_q};
  for (std::size_t i = 0; i < problem_.path_constraints.size(); ++i) {
    const PathConstraint& constraint = problem_.path_constraints[i];
    if (const auto* keep = std::get_if<KeepAxis>(&constraint)) {
      add(*keep, &rows);
    } else if (const auto* box = std::get_if<KeepInBox>(&constraint)) {
      add(*box, &rows);
    } else {
      addHeld(static_cast<int>(i), &rows);
    }
  }
}

/// For the centre of mass the robot is taken at rest: then the ground's wrench is its weight, and
/// the zero-moment point lies below the centre of mass.
bool StateDemands::balancesAtRest() const {
  return problem_.balance->criterion == Balance::Criterion::kCom;
}

VecX StateDemands::rooms(const VecX& q, const VecX& v, const VecX& a) {
  const VecX zero = VecX::Zero(q.size());
  const bool at_rest = balancesAtRest();
  const VecX& loads = ground_->values(q, at_rest ? zero : v, at_rest ? zero : a);
  return edges_ * loads.tail<GroundDynamics::kGroundRows>();
}

void StateDemands::addBalance(const VecX& q, const VecX& v, const VecX& a, Gradients* out) {
  const VecX zero = VecX::Zero(q.size());
  const bool at_rest = balancesAtRest();
  const GroundDynamics::Gradients& loads =
      ground_->gradients(q, at_rest ? zero : v, at_rest ? zero : a);
  constexpr int kRows = GroundDynamics::kGroundRows;
  out->by_q.bottomRows(edgeCount()) = edges_ * loads.by_q.bottomRows<kRows>();
  if (at_rest) return;
  out->by_v.bottomRows(edgeCount()) = edges_ * loads.by_v.bottomRows<kRows>();
  out->by_a.bottomRows(edgeCount()) = edges_ * loads.by_a.bottomRows<kRows>();
}

void StateDemands::computeOnly(const std::vector<int>& demands) {
  wanted_.clear();
  wanted_cables_.clear();
  if (demands.empty()) return;
  if (cables_) {
    wanted_cables_.assign(cableCount(), false);
    for (int d : demands) {
      if (d >= path_count_ - cableCount() && d < path_count_) {
        wanted_cables_[d - (path_count_ - cableCount())] = true;
      }
    }
  }
  if (!impacts_) return;
  wanted_.assign(impactCount(), false);
  const int first = path_count_ + forceCount();
  for (int d : demands) {
    if (d >= first && d < first + impactCount()) wanted_[d - first] = true;
  }
}

void StateDemands::values(const VecX& q, const VecX& v, const VecX& a, const VecX& w, VecX* out,
                          std::optional<double> t) {
  out->resize(count());
  if (path_count_ > 0) {
    const VecX whole = problem_.configuration(q);
    kinematics_.linkPoses(whole, workspace_, poses_);
    addPath(out, nullptr);
    if (cables_) {
      cables_->values(whole, poses_, t, out->segment(path_count_ - cableCount(), cableCount()),
                      wantedCables());
    }
  }
  if (polygon_) out->tail(edgeCount()) = rooms(q, v, a);
  if (contacts_) contacts_->values(q, v, a, w, out->segment(path_count_, forceCount()));
  if (impacts_) {
    impacts_->values(q, v, out->segment(path_count_ + forceCount(), impactCount()),
                     wanted_.empty() ? nullptr : &wanted_);
  }
  if (torques_.empty()) return;
  kinematics_.inverseDynamics(problem_.configuration(q), whole(v), whole(a), workspace_, torque_);
  for (std::size_t i = 0; i < torques_.size(); ++i) {
    const int k = torques_[i];
    const double share = torque_[problem_.planned[k]] / effort_[k];
    const auto row = path_count_ + 2 * static_cast<int>(i);
    // |torque| <= effort as two rows: each is smooth where the torque changes its sign.
    (*out)[row] = 1.0 - share;
    (*out)[row + 1] = 1.0 + share;
  }
}

void StateDemands::gradients(const VecX& q, const VecX& v, const VecX& a, const VecX& w,
                             Gradients* out, std::optional<double> t) {
  const int n = problem_.plannedCount();
  out->by_q.setZero(count(), n);
  out->by_v.setZero(count(), n);
  out->by_a.setZero(count(), n);
  out->by_w.setZero(count(), wrenchCount());
  out->by_t.setZero(count());
  if (path_count_ > 0) {
    kinematics_.linkPoses(problem_.configuration(q), workspace_, poses_);
    addPath(nullptr, &out->by_q);
    if (cables_) {
      const int first = path_count_ - cableCount();
      cables_->gradients(kinematics_, workspace_, poses_, t,
                         out->by_q.middleRows(first, cableCount()),
                         out->by_t.segment(first, cableCount()), wantedCables());
    }
  }
  if (polygon_) addBalance(q, v, a, out);
  if (impacts_) {
    const int first = path_count_ + forceCount();
    impacts_->gradients(q, v, out->by_q.middleRows(first, impactCount()),
                        out->by_v.middleRows(first, impactCount()),
                        wanted_.empty() ? nullptr : &wanted_);
  }
  // Contacts bring the torques with them.
  if (contacts_) {
    const ContactDemands::Gradients& forces = contacts_->gradients(q, v, a, w);
    out->by_q.middleRows(path_count_, forceCount()) = forces.by_q;
    out->by_v.middleRows(path_count_, forceCount()) = forces.by_v;
    out->by_a.middleRows(path_count_, forceCount()) = forces.by_a;
    out->by_w.middleRows(path_count_, forceCount()) = forces.by_w;
  } else if (!torques_.empty()) {
    addTorques(q, v, a, out);
  }
}

void StateDemands::addTorques(const VecX& q, const VecX& v, const VecX& a, Gradients* out) {
  kinematics_.inverseDynamicsDerivatives(problem_.configuration(q), whole(v), whole(a), workspace_,
                                         dynamics_);
  for (std::size_t i = 0; i < torques_.size(); ++i) {
    const int k = torques_[i];
    const auto row = path_count_ + 2 * static_cast<int>(i);
    for (int j = 0; j < problem_.plannedCount(); ++j) {
      const int c = problem_.planned[j], r = problem_.planned[k];
      out->by_q(row + 1, j) = dynamics_.dtau_dq(r, c) / effort_[k];
      out->by_v(row + 1, j) = dynamics_.dtau_dv(r, c) / effort_[k];
      out->by_a(row + 1, j) = dynamics_.dtau_da(r, c) / effort_[k];
    }
    // The rows are 1 - share and 1 + share: their gradients are opposite.
    out->by_q.row(row) = -out->by_q.row(row + 1);
    out->by_v.row(row) = -out->by_v.row(row + 1);
    out->by_a.row(row) = -out->by_a.row(row + 1);
  }
}

}  // namespace allclear
