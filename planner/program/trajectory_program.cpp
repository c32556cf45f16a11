// Puts the parts of the program together: it numbers variables, rows and sparse entries, and passes
// every question on to the part that owns the rows.
//
// Symbols: C control points (planned coordinates x controls), T duration, x the variables; dC and
// ddC are the derivatives of C by T at fixed variables (zero in free columns).
//
// Invariant: Jacobian and Hessian values come in the order of `jacobianEntries` and
// `hessianEntries`, part by part; the asserts at the ends check the counts.
#include "allclear/planner/program/trajectory_program.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/planner/problem/load.h"
#include "allclear/planner/problem/support_polygon.h"

namespace allclear {
namespace {

/// [s]: keeps the solver away from T = 0, where derivatives by time have no value.
constexpr double kShortest = 1e-3;

/// A guess without torques has no energy: the scale then is not below this.
constexpr double kLeastTorqueEnergy = 1e-9;

constexpr int kEnds = CurveVariables::kEnds;

/// Wrenches in units of the weight are of order one, as angles are.
double wrenchUnit(const Problem& problem) {
  return usesWrenches(problem) ? robotWeight(*loadedRobot(problem)) : 1.0;
}

}  // namespace

TrajectoryProgram::TrajectoryProgram(const ClearanceEvaluator& evaluator, const BSpline& guess,
                                     Settings settings, int threads,
                                     std::vector<double> waypoint_times,
                                     std::optional<BSpline> wrenches)
    : problem_(evaluator.problem()),
      variables_(problem_, guess, wrenches ? wrenches->dimension() : 0, wrenchUnit(problem_)),
      limits_(plannedLimits(problem_)),
      cost_(problem_, guess),
      limit_rows_(variables_, limits_),
      state_(problem_, evaluator.builder().kinematics(), std::move(waypoint_times), guess.basis()),
      clearances_(evaluator, settings, threads),
      curve_(guess),
      wrenches_(std::move(wrenches)) {
  ALLCLEAR_ASSERT(state_.demands().wrenchCount() == variables_.wrenchRows());
  state_.addCones(guess);
  if (problem_.objective.torque <= 0.0) return;
  torque_.emplace(problem_);
  // As the other terms: one on the guess.
  torque_weight_ = problem_.objective.torque / std::max(torque_->value(guess), kLeastTorqueEnergy);
}

void TrajectoryProgram::setRegion(VecX center, VecX radius) {
  region_center_ = std::move(center);
  region_radius_ = std::move(radius);
}

VecX TrajectoryProgram::regionRadius(const VecX& by_joint, double duration_share,
                                     double weights) const {
  return variables_.spread(by_joint, duration_share * curve_.duration(), weights);
}

NonlinearProgram::Bounds TrajectoryProgram::bounds() const {
  Bounds b;
  b.x_lower =
      variables_.spread(limits_.lower, std::max(problem_.duration.min, kShortest), -HUGE_VAL);
  b.x_upper = variables_.spread(limits_.upper, problem_.duration.max, HUGE_VAL);
  if (region_center_.size() > 0) {
    b.x_lower = b.x_lower.cwiseMax(region_center_ - region_radius_);
    b.x_upper = b.x_upper.cwiseMin(region_center_ + region_radius_);
    b.x_upper = b.x_upper.cwiseMax(b.x_lower);  // a centre beyond its bounds
  }
  const int limits = limit_rows_.count();
  const int count = limits + state_.count() + clearances_.count();
  b.g_lower = VecX::Zero(count);
  b.g_upper = VecX::Constant(count, HUGE_VAL);
  b.g_lower.head(limits).setConstant(-1.0);
  b.g_upper.head(limits).setConstant(1.0);
  state_.bounds(b.g_lower.segment(limits, state_.count()),
                b.g_upper.segment(limits, state_.count()));
  return b;
}

std::vector<Entry> TrajectoryProgram::jacobianEntries() const {
  std::vector<Entry> entries;
  limit_rows_.addEntries(variables_, &entries);
  int row = limit_rows_.count();
  for (int k = 0; k < state_.count(); ++k) {
    const auto [first, last] = state_.controls(k, variables_.basis());
    variables_.addEntries(row, first, last, &entries);
    if (state_.usesWrenches(k)) variables_.addWrenchEntries(row, first, last, &entries);
    ++row;
  }
  clearances_.addEntries(variables_, row, &entries);
  return entries;
}

/// Energies couple control points of one coordinate that share a span; everything else that is
/// curved involves the duration.
std::vector<Entry> TrajectoryProgram::hessianEntries() const {
  const int T = variables_.duration();
  std::vector<Entry> entries;
  for (int j = 0; j < variables_.joints(); ++j) {
    for (int l = kEnds; l < variables_.controls(); ++l) {
      const int v = variables_.of(l, j);
      if (v < 0) continue;
      // Lower triangle: control points up to `degree` before l.
      for (int k = std::max(kEnds, l - variables_.basis().degree()); k <= l; ++k) {
        const int u = variables_.of(k, j);
        if (u >= 0) entries.push_back({std::max(u, v), std::min(u, v)});
      }
      entries.push_back({std::max(v, T), std::min(v, T)});
    }
  }
  entries.push_back({T, T});
  for (int l = 0; l < variables_.controls(); ++l) {
    for (int i = 0; i < variables_.wrenchRows(); ++i) {
      entries.push_back({variables_.ofWrench(l, i), variables_.ofWrench(l, i)});
    }
  }
  return entries;
}

void TrajectoryProgram::setPoint(const VecX& x) {
  x_ = x;
  curve_ = variables_.curveAt(x);
  wrenches_ = variables_.wrenchesAt(x);
  clearances_.forgetCurve();
}

double TrajectoryProgram::costOf(const BSpline& curve) {
  return cost_.value(curve) + (torque_ ? torque_weight_ * torque_->value(curve) : 0.0);
}

void TrajectoryProgram::costGradient(Eigen::Ref<VecX> gradient) {
  const MatX dC = controlRates();
  cost_.gradient(variables_, curve_.control(), curve_.duration(), dC, gradient);
  if (torque_) torque_->addGradient(torque_weight_, variables_, curve_, dC, gradient);
}

void TrajectoryProgram::constraints(Eigen::Ref<VecX> g) {
  limit_rows_.values(curve_.control(), curve_.duration(), g);
  int row = limit_rows_.count();
  if (state_.count() > 0) {
    state_.values(curve_, wrenches_, g.segment(row, state_.count()));
    row += state_.count();
  }
  clearances_.values(curve_, g.segment(row, clearances_.count()));
}

void TrajectoryProgram::jacobian(Eigen::Ref<VecX> values) {
  const MatX dC = controlRates();
  int at = limit_rows_.jacobian(variables_, curve_.control(), curve_.duration(), dC, 0, values);
  if (state_.count() > 0) at = stateJacobian(dC, at, values);
  at = clearances_.jacobian(variables_, curve_, dC, at, values);
  ALLCLEAR_ASSERT(at == values.size());
}

int TrajectoryProgram::stateJacobian(const MatX& dC, int at, Eigen::Ref<VecX> values) {
  // Rows of one instant depend on the control points of its span, or on all of them.
  StateRows::Gradients of;
  state_.gradients(curve_, wrenches_, dC, &of);
  for (int k = 0; k < state_.count(); ++k) {
    const int first = state_.controls(k, variables_.basis()).first;
    for (int l = 0; l < of.by_control[k].cols(); ++l) {
      for (int j = 0; j < variables_.joints(); ++j) {
        if (variables_.of(first + l, j) >= 0) values[at++] = of.by_control[k](j, l);
      }
    }
    values[at++] = of.by_duration[k];
    const auto by_wrench = of.by_wrench[k].reshaped();  // control point after control point
    values.segment(at, by_wrench.size()) = variables_.wrenchUnit() * by_wrench;
    at += static_cast<int>(by_wrench.size());
  }
  return at;
}

void TrajectoryProgram::hessian(double factor, const VecX& multipliers, Eigen::Ref<VecX> values) {
  const MatX& C = curve_.control();
  const double T = curve_.duration();
  const MatX dC = controlRates();
  const MatX ddC = variables_.fixedPart(T, 2);
  DurationCurvature by_duration{MatX::Zero(variables_.joints(), variables_.controls())};
  cost_.addDurationCurvature(factor, C, T, dC, ddC, &by_duration);
  limit_rows_.addDurationCurvature(multipliers, C, T, dC, ddC, &by_duration);
  int at = 0;
  for (int j = 0; j < variables_.joints(); ++j) {
    for (int l = kEnds; l < variables_.controls(); ++l) {
      const int v = variables_.of(l, j);
      if (v < 0) continue;
      for (int k = std::max(kEnds, l - variables_.basis().degree()); k <= l; ++k) {
        const int u = variables_.of(k, j);
        if (u < 0) continue;
        const double curvature = cost_.controlCurvature(factor, T, l, k);
        // Two control points of a pose goal are one variable: both orders of the pair meet in one
        // entry of the lower triangle.
        values[at++] = u == v && l != k ? 2.0 * curvature : curvature;
      }
      values[at++] = by_duration.cross(j, l);
    }
  }
  values[at++] = by_duration.twice;
  const int wrenches = variables_.controls() * variables_.wrenchRows();
  values.segment(at, wrenches).setConstant(kWrenchCurvature);
  at += wrenches;
  ALLCLEAR_ASSERT(at == values.size());
}

}  // namespace allclear
