// Projection onto path constraints by Gauss-Newton steps (D. Berenson, S. S. Srinivasa, D.
// Ferguson, J. J. Kuffner, "Manipulation planning on constraint manifolds", ICRA 2009).
//
// Each demand is one number per configuration: the angle phi between a kept axis a and its
// direction d, with d(phi) = -n . omega where n = (a x d) / |a x d| turns a towards d; or the place
// along one axis of a box. Where a demand uses more than the share `kInner` of its tolerance, a
// step takes away the excess e: the least step with J dq = -e, for all such demands at once. As
// the demands are few and smooth, a handful of steps do.
#include "allclear/planner/seeds/path_projection.h"

#include <algorithm>
#include <cmath>

namespace allclear {
namespace {

constexpr int kIterations = 20;
/// Of J J^T, relative to its greatest entry: keeps steps finite where gradients vanish or agree.
constexpr double kDamping = 1e-6;
/// A step turns no joint by more than this [rad or m]: the demands are only locally linear.
constexpr double kLongestStep = 0.5;
/// Tolerances are divided by: a demand of no width counts as this wide [rad or m].
constexpr double kLeastTolerance = 1e-6;

/// A unit vector across a.
Vec3 across(const Vec3& a) {
  return a.cross(std::abs(a.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY()).normalized();
}

}  // namespace

PathProjection::PathProjection(const Problem& problem, const Kinematics& kinematics)
    : problem_(problem),
      kinematics_(kinematics),
      limits_(plannedLimits(problem)),
      workspace_(kinematics.makeWorkspace()) {}

void PathProjection::add(const KeepAxis& keep, bool with_gradients) {
  const Pose& X_WL = poses_[keep.link];
  const Vec3 a = X_WL.R * keep.axis_L.normalized();
  const Vec3 d = keep.direction_W.normalized();
  const Vec3 turn = a.cross(d);
  const double angle = std::atan2(turn.norm(), a.dot(d));
  const double tolerance = std::max(kLeastTolerance, keep.tolerance);
  Excess out{angle / tolerance, angle - kInner * tolerance, {}};
  if (with_gradients) {
    // Where the axis points the other way, any turn leads back.
    const Vec3 n = turn.norm() > kLeastTolerance ? Vec3(turn.normalized()) : across(a);
    kinematics_.pointJacobian(workspace_, keep.link, X_WL.p, whole_);
    out.by_q.resize(problem_.plannedCount());
    for (int k = 0; k < out.by_q.size(); ++k) {
      out.by_q[k] = -n.dot(whole_.col(problem_.planned[k]).tail<3>());
    }
  }
  excess_.push_back(std::move(out));
}

void PathProjection::add(const KeepInBox& keep, bool with_gradients) {
  const Vec3 p = poses_[keep.link] * keep.p_L;
  if (with_gradients) kinematics_.pointJacobian(workspace_, keep.link, p, whole_);
  for (int k = 0; k < 3; ++k) {
    // Both sides of the box as one demand: the side that the point is on counts.
    const Vec3 e = keep.X_WB.R.col(k);
    const double half = std::max(kLeastTolerance, 0.5 * keep.size[k]);
    const double at = e.dot(p - keep.X_WB.p);
    Excess out{std::abs(at) / half, std::abs(at) - kInner * half, {}};
    if (with_gradients) {
      out.by_q.resize(problem_.plannedCount());
      for (int j = 0; j < out.by_q.size(); ++j) {
        out.by_q[j] = std::copysign(1.0, at) * e.dot(whole_.col(problem_.planned[j]).head<3>());
      }
    }
    excess_.push_back(std::move(out));
  }
}

void PathProjection::measure(const VecX& q, bool with_gradients) {
  kinematics_.linkPoses(problem_.configuration(q), workspace_, poses_);
  excess_.clear();
  for (const PathConstraint& constraint : problem_.path_constraints) {
    std::visit([&](const auto& keep) { add(keep, with_gradients); }, constraint);
  }
}

double PathProjection::use(const VecX& q) {
  measure(q, false);
  double most = 0.0;
  for (const Excess& excess : excess_) most = std::max(most, excess.use);
  return most;
}

bool PathProjection::project(VecX& q) {
  if (use(q) <= kOuter) return true;
  for (int i = 0; i < kIterations; ++i) {
    measure(q, true);
    std::vector<const Excess*> rows;
    bool is_met = true;
    for (const Excess& excess : excess_) {
      if (excess.amount > 0.0) rows.push_back(&excess);
      is_met = is_met && excess.use <= kOuter;
    }
    if (is_met) return true;
    // The least step that takes all excesses away: J^T (J J^T)^-1 e.
    MatX J(static_cast<Eigen::Index>(rows.size()), q.size());
    VecX e(J.rows());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      J.row(static_cast<Eigen::Index>(r)) = rows[r]->by_q.transpose();
      e[static_cast<Eigen::Index>(r)] = rows[r]->amount;
    }
    MatX normal = J * J.transpose();
    normal.diagonal().array() += kDamping * std::max(kDamping, normal.diagonal().maxCoeff());
    VecX step = -J.transpose() * normal.ldlt().solve(e);
    const double longest = step.cwiseAbs().maxCoeff();
    if (!(longest > 0.0)) return false;
    if (longest > kLongestStep) step *= kLongestStep / longest;
    q = (q + step).cwiseMax(limits_.lower).cwiseMin(limits_.upper);
  }
  return use(q) <= kOuter;
}

bool PathProjection::keeps(const ConfigurationSpace& space, const VecX& from, const VecX& to) {
  const int count = std::max(1, static_cast<int>(std::ceil(space.length(to - from) / kSpacing)));
  for (int i = 0; i <= count; ++i) {
    const double s = static_cast<double>(i) / count;
    if (!(use(from + s * (to - from)) <= 1.0 + kLeastTolerance)) return false;
  }
  return true;
}

}  // namespace allclear
