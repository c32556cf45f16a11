#include "allclear/planner/program/trajectory_program.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/core/parallel.h"

namespace allclear {
namespace {

constexpr int kEnds = 3;  // control points that position, velocity and acceleration fix at an end
constexpr double kShortest = 1e-3;

/// Control points to those of the derivative in normalised time: controls x (controls - 1).
MatX differenceMatrix(const BSplineBasis& basis) {
  const int count = basis.controlCount();
  const int degree = basis.degree();
  MatX D = MatX::Zero(count, count - 1);
  for (int i = 0; i + 1 < count; ++i) {
    const double f = degree / (basis.knots()[i + degree + 1] - basis.knots()[i + 1]);
    D(i, i) = -f;
    D(i + 1, i) = f;
  }
  return D;
}

VecX orZero(const VecX& v, int n) { return v.size() == n ? v : VecX(VecX::Zero(n)); }

}  // namespace

TrajectoryProgram::TrajectoryProgram(const ClearanceEvaluator& evaluator, const BSpline& guess,
                                     Settings settings, std::vector<double> waypoint_times)
    : evaluator_(evaluator),
      problem_(evaluator.problem()),
      soft_(evaluator),
      basis_(guess.sharedBasis()),
      settings_(settings),
      limits_(plannedLimits(problem_)),
      pose_goal_(std::holds_alternative<PoseTarget>(problem_.goal)),
      state_(problem_, evaluator.builder().kinematics(), std::move(waypoint_times)),
      joints_(problem_.plannedCount()),
      controls_(basis_->controlCount()),
      free_count_(controls_ - 2 * kEnds) {
  ALLCLEAR_ASSERT(free_count_ >= 1 && guess.dimension() == joints_);
  for (int i = 0; i < std::max(1, settings.threads); ++i) workspaces_.emplace_back(evaluator);
  const BSplineBasis* basis = basis_.get();
  difference_.push_back(differenceMatrix(*basis));
  // Differences of differences: the k-th derivative's basis has the inner knots of the one before.
  for (int order = 2; order <= 3; ++order) {
    const auto& knots = basis->knots();
    const int degree = basis->degree() - order + 1;
    const int count = controls_ - order + 1;
    MatX D = MatX::Zero(count, count - 1);
    for (int i = 0; i + 1 < count; ++i) {
      const double f = degree / (knots[i + order - 1 + degree + 1] - knots[i + order]);
      D(i, i) = -f;
      D(i + 1, i) = f;
    }
    difference_.push_back(difference_.back() * D);
  }

  for (MatX& b : boundary_) b = MatX::Zero(joints_, controls_);
  const auto fixEnd = [&](int at, int step, const VecX& q, const VecX& v, const VecX& a) {
    const auto& knots = basis->knots();
    const int degree = basis->degree();
    const double span1 = knots[degree + 1];  // symmetric enough: asserted for uniform ends below
    const double span2 = knots[degree + 2];
    const double sign = step;
    const int c0 = at, c1 = at + step, c2 = at + 2 * step;
    for (int c : {c0, c1, c2}) boundary_[0].col(c) = q;
    boundary_[1].col(c1) = sign * v * (span1 / degree);
    boundary_[1].col(c2) = sign * v * ((span1 + span2) / degree);
    boundary_[2].col(c2) = a * (span1 / (degree - 1) * span2 / degree);
  };
  const auto& knots = basis->knots();
  const std::size_t last = knots.size() - 1;
  const int degree = basis->degree();
  ALLCLEAR_ASSERT(std::fabs(knots[degree + 1] - (1.0 - knots[last - degree - 1])) < 1e-12);
  ALLCLEAR_ASSERT(std::fabs(knots[degree + 2] - (1.0 - knots[last - degree - 2])) < 1e-12);
  fixEnd(0, 1, problem_.plannedPart(problem_.start), orZero(problem_.start_velocity, joints_),
         orZero(problem_.start_acceleration, joints_));
  // A wrapping coordinate may end whole turns from the goal's value: the guess says where.
  const VecX goal = guess.control().col(controls_ - 1);
  fixEnd(controls_ - 1, -1, pose_goal_ ? VecX(VecX::Zero(joints_)) : goal,
         orZero(problem_.goal_velocity, joints_), orZero(problem_.goal_acceleration, joints_));
  buildLimitRows();
  buildCost(guess);
}

void TrajectoryProgram::buildLimitRows() {
  for (int order = 1; order <= 3; ++order) {
    const VecX& limit = order == 1   ? limits_.velocity
                        : order == 2 ? limits_.acceleration
                                     : limits_.jerk;
    for (int i = 0; i < controls_ - order; ++i) {
      const bool fixed = i + order < kEnds || i >= controls_ - kEnds;
      if (fixed) continue;  // a boundary value, checked with the problem
      for (int j = 0; j < joints_; ++j) {
        if (std::isfinite(limit[j])) limit_rows_.push_back({order, j, i, limit[j]});
      }
    }
  }
}

void TrajectoryProgram::buildCost(const BSpline& guess) {
  const ObjectiveWeights& weights = problem_.objective;
  duration_weight_ = weights.duration / guess.duration();
  const double by_order[] = {weights.velocity, weights.acceleration, weights.jerk};
  for (int order = 1; order <= 3; ++order) {
    if (by_order[order - 1] <= 0.0) continue;
    EnergyTerm term{order, by_order[order - 1], basis_->energy(order)};
    const double on_guess = (guess.control() * term.Q).cwiseProduct(guess.control()).sum() *
                            std::pow(guess.duration(), 1 - 2 * order);
    term.weight /= std::max(on_guess, 1e-9);
    energy_.push_back(std::move(term));
  }
}

int TrajectoryProgram::variableOf(int control, int joint) const {
  if (control < kEnds) return -1;
  if (control < controls_ - kEnds) return (control - kEnds) * joints_ + joint;
  return pose_goal_ ? durationVariable() + 1 + joint : -1;
}

MatX TrajectoryProgram::boundaryPart(double T, int derivative) const {
  if (derivative == 0) return boundary_[0] + T * boundary_[1] + T * T * boundary_[2];
  if (derivative == 1) return boundary_[1] + 2.0 * T * boundary_[2];
  return 2.0 * boundary_[2];
}

void TrajectoryProgram::setRegion(VecX center, VecX radius) {
  region_center_ = std::move(center);
  region_radius_ = std::move(radius);
}

VecX TrajectoryProgram::regionRadius(const VecX& by_joint, double duration) const {
  VecX radius = VecX::Constant(variableCount(), HUGE_VAL);
  for (int l = kEnds; l < controls_; ++l) {
    for (int j = 0; j < joints_; ++j) {
      const int v = variableOf(l, j);
      if (v >= 0) radius[v] = by_joint[j];
    }
  }
  radius[durationVariable()] = duration * T_;
  return radius;
}

void TrajectoryProgram::setRows(std::vector<ClearanceRow> rows) {
  std::sort(rows.begin(), rows.end(), [](const ClearanceRow& a, const ClearanceRow& b) {
    return std::pair(a.span, a.pair) < std::pair(b.span, b.pair);
  });
  rows_ = std::move(rows);
  clearances_known_ = false;
}

VecX TrajectoryProgram::pointOf(const BSpline& curve) const {
  VecX x = VecX::Zero(variableCount());
  x[durationVariable()] = curve.duration();
  for (int l = kEnds; l < controls_; ++l) {
    for (int j = 0; j < joints_; ++j) {
      const int v = variableOf(l, j);
      if (v >= 0) x[v] = curve.control()(j, l);
    }
  }
  return x;
}

BSpline TrajectoryProgram::curveAt(const VecX& x) const {
  const double T = x[durationVariable()];
  MatX C = boundaryPart(T, 0);
  for (int l = kEnds; l < controls_; ++l) {
    for (int j = 0; j < joints_; ++j) {
      const int v = variableOf(l, j);
      if (v >= 0) C(j, l) += x[v];
    }
  }
  return {basis_, std::move(C), T};
}

NonlinearProgram::Bounds TrajectoryProgram::bounds() const {
  Bounds b;
  b.x_lower = VecX::Constant(variableCount(), -HUGE_VAL);
  b.x_upper = VecX::Constant(variableCount(), HUGE_VAL);
  for (int l = kEnds; l < controls_; ++l) {
    for (int j = 0; j < joints_; ++j) {
      const int v = variableOf(l, j);
      if (v < 0) continue;
      b.x_lower[v] = limits_.lower[j];
      b.x_upper[v] = limits_.upper[j];
    }
  }
  b.x_lower[durationVariable()] = std::max(problem_.duration.min, kShortest);
  b.x_upper[durationVariable()] = problem_.duration.max;
  if (region_center_.size() > 0) {
    b.x_lower = b.x_lower.cwiseMax(region_center_ - region_radius_);
    b.x_upper = b.x_upper.cwiseMin(region_center_ + region_radius_);
    b.x_upper = b.x_upper.cwiseMax(b.x_lower);  // a centre beyond its bounds
  }
  const int limits = static_cast<int>(limit_rows_.size());
  const int count = limits + state_.count() + static_cast<int>(rows_.size());
  b.g_lower = VecX::Zero(count);
  b.g_upper = VecX::Constant(count, HUGE_VAL);
  b.g_lower.head(limits).setConstant(-1.0);
  b.g_upper.head(limits).setConstant(1.0);
  state_.bounds(b.g_lower.segment(limits, state_.count()),
                b.g_upper.segment(limits, state_.count()));
  return b;
}

/// A row over all coordinates of the control points [first, last), and over the duration. The goal
/// configuration's three control points are one variable: their entries add up.
void TrajectoryProgram::addEntries(int row, int first, int last,
                                   std::vector<Entry>* entries) const {
  for (int l = first; l < last; ++l) {
    for (int j = 0; j < joints_; ++j) {
      const int v = variableOf(l, j);
      if (v >= 0) entries->push_back({row, v});
    }
  }
  entries->push_back({row, durationVariable()});
}

std::vector<Entry> TrajectoryProgram::jacobianEntries() const {
  std::vector<Entry> entries;
  int row = 0;
  for (const LimitRow& limit : limit_rows_) {
    for (int l = limit.index; l <= limit.index + limit.order; ++l) {
      const int v = variableOf(l, limit.joint);
      if (v >= 0) entries.push_back({row, v});
    }
    entries.push_back({row++, durationVariable()});
  }
  for (int k = 0; k < state_.count(); ++k) {
    const auto [first, last] = state_.controls(k, *basis_);
    addEntries(row++, first, last, &entries);
  }
  for (const ClearanceRow& clearance : rows_) {
    const int first = basis_->firstControl(clearance.span);
    addEntries(row++, first, first + basis_->degree() + 1, &entries);
  }
  return entries;
}

std::vector<Entry> TrajectoryProgram::hessianEntries() const {
  std::vector<Entry> entries;
  for (int j = 0; j < joints_; ++j) {
    for (int l = kEnds; l < controls_; ++l) {
      const int v = variableOf(l, j);
      if (v < 0) continue;
      for (int k = std::max(kEnds, l - basis_->degree()); k <= l; ++k) {
        const int u = variableOf(k, j);
        if (u >= 0) entries.push_back({std::max(u, v), std::min(u, v)});
      }
      entries.push_back({std::max(v, durationVariable()), std::min(v, durationVariable())});
    }
  }
  entries.push_back({durationVariable(), durationVariable()});
  return entries;
}

void TrajectoryProgram::setPoint(const VecX& x) {
  x_ = x;
  const BSpline curve = curveAt(x);
  C_ = curve.control();
  T_ = curve.duration();
  clearances_known_ = false;
}

double TrajectoryProgram::along(const LimitRow& row, const MatX& C) const {
  const MatX& D = difference_[row.order - 1];
  double sum = 0.0;
  for (int l = row.index; l <= row.index + row.order; ++l) sum += D(l, row.index) * C(row.joint, l);
  return sum;
}

double TrajectoryProgram::cost() { return costOf(BSpline(basis_, C_, T_)); }

double TrajectoryProgram::costOf(const BSpline& curve) const {
  const MatX& C = curve.control();
  double value = duration_weight_ * curve.duration();
  for (const EnergyTerm& term : energy_) {
    value += term.weight * std::pow(curve.duration(), 1 - 2 * term.order) *
             (C * term.Q).cwiseProduct(C).sum();
  }
  return value;
}

void TrajectoryProgram::costGradient(Eigen::Ref<VecX> gradient) {
  gradient.setZero();
  double by_duration = duration_weight_;
  const MatX dC = boundaryPart(T_, 1);
  for (const EnergyTerm& term : energy_) {
    const double p = 1 - 2 * term.order;
    const MatX CQ = C_ * term.Q;
    const double power = term.weight * std::pow(T_, p);
    for (int l = kEnds; l < controls_; ++l) {
      for (int j = 0; j < joints_; ++j) {
        const int v = variableOf(l, j);
        if (v >= 0) gradient[v] += 2.0 * power * CQ(j, l);
      }
    }
    by_duration += power * (p / T_ * CQ.cwiseProduct(C_).sum() + 2.0 * CQ.cwiseProduct(dC).sum());
  }
  gradient[durationVariable()] += by_duration;
}

void TrajectoryProgram::evaluateClearances() {
  if (clearances_known_) return;
  clearances_known_ = true;
  const int count = static_cast<int>(rows_.size());
  clearances_.resize(count);
  clearance_gradients_.resize(joints_, count);
  clearance_rates_.setZero(count);
  const BSpline curve(basis_, C_, T_);
  std::vector<int> first_of_span;  // rows of one span share its curves
  for (int r = 0; r < count; ++r) {
    if (r == 0 || rows_[r].span != rows_[r - 1].span) first_of_span.push_back(r);
  }
  parallelFor(static_cast<int>(workspaces_.size()), static_cast<int>(first_of_span.size()),
              [&](int i, int worker) {
                const int first = first_of_span[i];
                evaluator_.buildCurves(curve.span(rows_[first].span),
                                       kCurveShare * settings_.tolerance, workspaces_[worker]);
                for (int r = first; r < count && rows_[r].span == rows_[first].span; ++r) {
                  evaluateRow(r, curve, workspaces_[worker]);
                }
              });
}

/// Pre: the workspace has the curves of the row's span.
void TrajectoryProgram::evaluateRow(int r, const BSpline& curve,
                                    ClearanceEvaluator::Workspace& workspace) {
  const ClearanceRow& row = rows_[r];
  const double ceiling = evaluator_.model().pairs[row.pair].margin + settings_.ceiling;
  Clearance& clearance = clearances_[r];
  clearance =
      evaluator_.pairClearance(row.pair, row.span, ceiling, settings_.tolerance, true, workspace);
  if (clearance.upper >= ceiling) {
    clearance_gradients_.col(r).setZero();  // constant at the ceiling
    return;
  }
  if (row.softness > 0.0) {
    soften(r, curve, workspace);
  } else {
    clearance_gradients_.col(r) =
        evaluator_.gradient(clearance, curve.value(clearance.t_star), workspace, &clearance.upper,
                            &clearance_rates_[r]);
  }
  const int obstacle = evaluator_.model().bodies[evaluator_.model().pairs[row.pair].b].obstacle;
  const Interval span = curve.spanTime(row.span);
  const double t = clearance.t_star;
  if (obstacle >= 0 && problem_.obstacles[obstacle].moves() && t > span.lower && t < span.upper) {
    // Inside the span t_star stays as the duration changes: the distance is stationary there or
    // the obstacle's motion bends. So it is the robot that moves on along its curve.
    clearance_rates_[r] = -clearance_gradients_.col(r).dot(curve.value(t, 1));
  }
}

/// Value, instant and gradient of the row from the softened distance, whose minimum is near the
/// Euclidean one.
void TrajectoryProgram::soften(int r, const BSpline& curve,
                               ClearanceEvaluator::Workspace& workspace) {
  Clearance& clearance = clearances_[r];
  const SoftClearance::Value soft = soft_.minimum(clearance, curve, rows_[r].softness, workspace);
  clearance.upper = soft.distance + rows_[r].raise;
  clearance.t_star = soft.t_star;
  clearance_gradients_.col(r) = soft.gradient;
  clearance_rates_[r] = soft.rate;
}

const std::vector<Clearance>& TrajectoryProgram::rowClearances() {
  evaluateClearances();
  return clearances_;
}

double TrajectoryProgram::worstRow(int* row) const {
  double worst = HUGE_VAL;
  for (std::size_t r = 0; r < clearances_.size(); ++r) {
    const double excess = clearances_[r].upper - evaluator_.model().pairs[rows_[r].pair].margin -
                          settings_.clearance_target;
    if (excess >= worst) continue;
    worst = excess;
    *row = static_cast<int>(r);
  }
  return worst;
}

void TrajectoryProgram::constraints(Eigen::Ref<VecX> g) {
  int row = 0;
  for (const LimitRow& limit : limit_rows_) {
    g[row++] = along(limit, C_) / (std::pow(T_, limit.order) * limit.limit);
  }
  if (state_.count() > 0) {
    state_.values(BSpline(basis_, C_, T_), g.segment(row, state_.count()));
    row += state_.count();
  }
  evaluateClearances();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    g[row++] = clearances_[r].upper - evaluator_.model().pairs[rows_[r].pair].margin -
               settings_.clearance_target;
  }
}

void TrajectoryProgram::jacobian(Eigen::Ref<VecX> values) {
  int at = 0;
  const MatX dC = boundaryPart(T_, 1);
  for (const LimitRow& limit : limit_rows_) {
    const double scale = 1.0 / (std::pow(T_, limit.order) * limit.limit);
    for (int l = limit.index; l <= limit.index + limit.order; ++l) {
      if (variableOf(l, limit.joint) >= 0) {
        values[at++] = scale * difference_[limit.order - 1](l, limit.index);
      }
    }
    values[at++] = scale * (along(limit, dC) - limit.order / T_ * along(limit, C_));
  }
  if (state_.count() > 0) {
    std::vector<MatX> by_control;
    VecX by_duration;
    state_.gradients(BSpline(basis_, C_, T_), dC, &by_control, &by_duration);
    for (int k = 0; k < state_.count(); ++k) {
      const int first = state_.controls(k, *basis_).first;
      for (int l = 0; l < by_control[k].cols(); ++l) {
        for (int j = 0; j < joints_; ++j) {
          if (variableOf(first + l, j) >= 0) values[at++] = by_control[k](j, l);
        }
      }
      values[at++] = by_duration[k];
    }
  }
  evaluateClearances();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const auto gradient = clearance_gradients_.col(static_cast<Eigen::Index>(r));
    const int first = basis_->firstControl(rows_[r].span);
    const double s = clearances_[r].t_star / T_;
    const BasisWeights w = basis_->weights(0, s);
    double by_duration = s * clearance_rates_[static_cast<Eigen::Index>(r)];
    for (int l = first; l <= first + basis_->degree(); ++l) {
      const int k = l - w.first;
      const double weight = k >= 0 && k < w.weights.size() ? w.weights[k] : 0.0;
      by_duration += weight * gradient.dot(dC.col(l));
      for (int j = 0; j < joints_; ++j) {
        if (variableOf(l, j) >= 0) values[at++] = weight * gradient[j];
      }
    }
    values[at++] = by_duration;
  }
  ALLCLEAR_ASSERT(at == values.size());
}

void TrajectoryProgram::hessian(double factor, const VecX& multipliers, Eigen::Ref<VecX> values) {
  // Second derivatives: control with control from the energies; control with duration and duration
  // with duration from both.
  const MatX dC = boundaryPart(T_, 1);
  const MatX ddC = boundaryPart(T_, 2);
  MatX cross = MatX::Zero(joints_, controls_);
  double twice = 0.0;
  for (const EnergyTerm& term : energy_) {
    const double p = 1 - 2 * term.order;
    const double power = factor * term.weight * std::pow(T_, p);
    const MatX CQ = C_ * term.Q;
    const MatX dCQ = dC * term.Q;
    cross += 2.0 * power * (p / T_ * CQ + dCQ);
    twice += power * (p * (p - 1) / (T_ * T_) * CQ.cwiseProduct(C_).sum() +
                      4.0 * p / T_ * CQ.cwiseProduct(dC).sum() +
                      2.0 * (dCQ.cwiseProduct(dC).sum() + CQ.cwiseProduct(ddC).sum()));
  }
  for (std::size_t r = 0; r < limit_rows_.size(); ++r) {
    const LimitRow& limit = limit_rows_[r];
    const double k = limit.order;
    const double scale =
        multipliers[static_cast<Eigen::Index>(r)] / (std::pow(T_, k) * limit.limit);
    if (scale == 0.0) continue;
    for (int l = limit.index; l <= limit.index + limit.order; ++l) {
      cross(limit.joint, l) -= scale * k / T_ * difference_[limit.order - 1](l, limit.index);
    }
    twice += scale * (along(limit, ddC) - 2.0 * k / T_ * along(limit, dC) +
                      k * (k + 1.0) / (T_ * T_) * along(limit, C_));
  }
  int at = 0;
  for (int j = 0; j < joints_; ++j) {
    for (int l = kEnds; l < controls_; ++l) {
      const int v = variableOf(l, j);
      if (v < 0) continue;
      for (int k = std::max(kEnds, l - basis_->degree()); k <= l; ++k) {
        const int u = variableOf(k, j);
        if (u < 0) continue;
        double sum = 0.0;
        for (const EnergyTerm& term : energy_) {
          sum += 2.0 * factor * term.weight * std::pow(T_, 1 - 2 * term.order) * term.Q(l, k);
        }
        values[at++] = u == v && l != k ? 2.0 * sum : sum;
      }
      values[at++] = cross(j, l);
    }
  }
  values[at++] = twice;
  ALLCLEAR_ASSERT(at == values.size());
}

}  // namespace allclear
