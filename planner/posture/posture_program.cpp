// The program of a posture. Its Hessian leaves out the curvature of the rows: the cost is convex,
// and so no step has to be damped for the curvature's sake.
//
// Soft rows add K/2 v^2 to the cost, v by how much a row is beyond its bounds, with the Hessian
// K g g^T of Gauss and Newton; the distance from the reference then counts for little.
#include "allclear/planner/posture/posture_program.h"

#include <algorithm>

namespace allclear {
namespace {

/// Joints keep this from their limits [rad or m], so that the last steps onto the contacts, which
/// are far smaller, stay within them.
constexpr double kLimitReserve = 1e-6;
/// Of soft rows, and what is left of the weights beside them: a miss of 1 mm then counts as much as
/// a joint that is 0.3 rad from its reference.
constexpr double kSoftWeight = 1e2;
constexpr double kShareOfReference = 1e-3;

}  // namespace

PostureProgram::PostureProgram(PostureRows& rows, const PostureTarget& target)
    : rows_(rows),
      reference_(target.reference.values),
      weights_(target.weights),
      soft_(rows.parts().size(), 0) {
  const PlannedLimits limits = plannedLimits(rows.problem());
  const VecX reserve = (0.5 * (limits.upper - limits.lower)).cwiseMin(kLimitReserve);
  lower_ = limits.lower + reserve;
  upper_ = limits.upper - reserve;
  chooseRows();
}

void PostureProgram::setSoft(const std::vector<int>& parts, Soft how) {
  how_ = how;
  std::fill(soft_.begin(), soft_.end(), 0);
  for (int part : parts) soft_[part] = 1;
  chooseRows();
}

void PostureProgram::useClearances(bool used) {
  uses_clearances_ = used;
  chooseRows();
}

void PostureProgram::chooseRows() {
  hard_rows_.clear();
  soft_rows_.clear();
  has_soft_ = limits_are_soft_ = false;
  const auto& parts = rows_.parts();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].kind == PostureRows::Kind::kLimits) limits_are_soft_ = isSoft(i);
    has_soft_ = has_soft_ || (isSoft(i) && how_ == Soft::kLeastMissed);
    if (parts[i].kind == PostureRows::Kind::kClearances && !uses_clearances_) continue;
    for (int row = parts[i].first; row < parts[i].first + parts[i].count; ++row) {
      (isSoft(i) ? soft_rows_ : hard_rows_).push_back(row);
    }
  }
}

NonlinearProgram::Bounds PostureProgram::bounds() const {
  Bounds bounds;
  const int n = rows_.variables();
  bounds.x_lower = VecX::Constant(n, -HUGE_VAL);
  bounds.x_upper = VecX::Constant(n, HUGE_VAL);
  if (!limits_are_soft_) {
    bounds.x_lower.head(lower_.size()) = lower_;
    bounds.x_upper.head(upper_.size()) = upper_;
  }
  bounds.g_lower = rows_.lower()(hard_rows_);
  bounds.g_upper = rows_.upper()(hard_rows_);
  return bounds;
}

std::vector<Entry> PostureProgram::jacobianEntries() const {
  std::vector<Entry> entries;
  for (int row = 0; row < static_cast<int>(hard_rows_.size()); ++row) {
    for (int k = 0; k < rows_.variables(); ++k) entries.push_back({row, k});
  }
  return entries;
}

/// Soft rows couple all variables; without them the Hessian is that of the reference.
std::vector<Entry> PostureProgram::hessianEntries() const {
  std::vector<Entry> entries;
  for (int i = 0; i < rows_.variables(); ++i) {
    for (int j = has_soft_ ? 0 : i; j <= i; ++j) entries.push_back({i, j});
  }
  return entries;
}

double PostureProgram::distance(const VecX& x) const {
  return 0.5 * weights_.dot((x.head(reference_.size()) - reference_).cwiseAbs2());
}

double PostureProgram::beyond(int row) const {
  const double value = rows_.values()[row];
  return value - std::clamp(value, rows_.lower()[row], rows_.upper()[row]);
}

VecX PostureProgram::beyondLimits() const {
  const VecX q = x_.head(lower_.size());
  return q - q.cwiseMax(lower_).cwiseMin(upper_);
}

double PostureProgram::cost() {
  if (!has_soft_) return distance(x_);
  rows_.place(x_);
  double sum = kShareOfReference * distance(x_);
  for (int row : soft_rows_) sum += 0.5 * kSoftWeight * beyond(row) * beyond(row);
  if (limits_are_soft_) sum += 0.5 * kSoftWeight * beyondLimits().squaredNorm();
  return sum;
}

void PostureProgram::costGradient(Eigen::Ref<VecX> gradient) {
  const Eigen::Index n = reference_.size();
  gradient.setZero();
  gradient.head(n) = weights_.cwiseProduct(x_.head(n) - reference_);
  if (!has_soft_) return;
  gradient *= kShareOfReference;
  rows_.place(x_);
  for (int row : soft_rows_) {
    const double v = beyond(row);
    if (v != 0.0) gradient += kSoftWeight * v * rows_.jacobian().row(row).transpose();
  }
  if (limits_are_soft_) gradient.head(n) += kSoftWeight * beyondLimits();
}

void PostureProgram::constraints(Eigen::Ref<VecX> g) {
  rows_.place(x_);
  g = rows_.values()(hard_rows_);
}

void PostureProgram::jacobian(Eigen::Ref<VecX> values) {
  rows_.place(x_);
  const MatX& all = rows_.jacobian();
  const int n = rows_.variables();
  for (std::size_t i = 0; i < hard_rows_.size(); ++i) {
    values.segment(static_cast<Eigen::Index>(i) * n, n) = all.row(hard_rows_[i]);
  }
}

void PostureProgram::hessian(double factor, const VecX&, Eigen::Ref<VecX> values) {
  const int n = rows_.variables();
  VecX diagonal = VecX::Zero(n);
  diagonal.head(weights_.size()) = factor * weights_;
  if (!has_soft_) {
    values = diagonal;
    return;
  }
  // Gauss and Newton's for the soft rows that are missed; the others have no cost here.
  rows_.place(x_);
  MatX H = (kShareOfReference * diagonal).asDiagonal();
  for (int row : soft_rows_) {
    if (beyond(row) == 0.0) continue;
    const VecX g = rows_.jacobian().row(row);
    H += factor * kSoftWeight * g * g.transpose();
  }
  if (limits_are_soft_) {
    const VecX v = beyondLimits();
    for (int k = 0; k < v.size(); ++k) H(k, k) += v[k] != 0.0 ? factor * kSoftWeight : 0.0;
  }
  int at = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) values[at++] = H(i, j);
  }
}

}  // namespace allclear
