// Projection onto path constraints by Gauss-Newton steps (D. Berenson, S. S. Srinivasa, D.
// Ferguson, J. J. Kuffner, "Manipulation planning on constraint manifolds", ICRA 2009).
//
// Each demand is one number per configuration: the angle phi between a kept axis a and its
// direction d, with d(phi) = -n . omega where n = (a x d) / |a x d| turns a towards d; or the place
// along one axis of a box. Where a demand uses more than the share `kInner` of its tolerance, a
// step takes away the excess e: the least step with J dq = -e, for all such demands at once. As
// the demands are few and smooth, a handful of steps do. The error of a held pose, or of a line, is
// a vector: three rows, which take it back to the share along its own direction.
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
/// Shares of the tolerances of held poses and lines where a curve is to be in their middle.
constexpr double kCenter = 1e-4;
constexpr double kCentered = 1e-3;

/// A unit vector across a.
Vec3 across(const Vec3& a) {
  return a.cross(std::abs(a.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY()).normalized();
}

}  // namespace

PathProjection::PathProjection(const Problem& problem, const Kinematics& kinematics)
    : problem_(problem),
      kinematics_(kinematics),
      held_(problem),
      limits_(plannedLimits(problem)),
      workspace_(kinematics.makeWorkspace()) {}

void PathProjection::add(const KeepAxis& keep, bool with_gradients) {
  const Pose& X_WL = poses_[keep.link];
  const Vec3 a = X_WL.R * keep.axis_L.normalized();
  const Vec3 d = keep.direction_W.normalized();
  const Vec3 turn = a.cross(d);
  const double angle = std::atan2(turn.norm(), a.dot(d));
  const double tolerance = std::max(kLeastTolerance, keep.tolerance);
  const double beyond = angle - kInner * tolerance;
  Excess out{angle / tolerance, beyond, {}, beyond > 0.0};
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
    const double beyond = std::abs(at) - kInner * half;
    Excess out{std::abs(at) / half, beyond, {}, beyond > 0.0};
    if (with_gradients) {
      out.by_q.resize(problem_.plannedCount());
      for (int j = 0; j < out.by_q.size(); ++j) {
        out.by_q[j] = std::copysign(1.0, at) * e.dot(whole_.col(problem_.planned[j]).head<3>());
      }
    }
    excess_.push_back(std::move(out));
  }
}

void PathProjection::addBall(const Vec3& error, double tolerance, const MatX& by_q) {
  const double size = error.norm();
  const double beyond = size - held_share_ * std::max(kLeastTolerance, tolerance);
  for (int k = 0; k < 3; ++k) {
    Excess out{size / std::max(kLeastTolerance, tolerance), 0.0, {}, beyond > 0.0, true};
    if (by_q.size() > 0) out.by_q = by_q.row(k).transpose();
    if (beyond > 0.0) out.amount = error[k] * (beyond / size);
    excess_.push_back(std::move(out));
  }
}

void PathProjection::addHeld(int constraint, bool with_gradients) {
  const HeldError error = held_.of(constraint, kinematics_, workspace_, poses_, with_gradients);
  MatX by_position, by_turn;
  if (with_gradients) {
    by_position = error.by_q.topRows<3>();
    by_turn = error.by_q.bottomRows<3>();
  }
  if (error.isPlaced()) addBall(error.position, error.position_tolerance, by_position);
  if (error.isOriented()) addBall(error.turn, error.angle_tolerance, by_turn);
}

void PathProjection::measure(const VecX& q, bool with_gradients) {
  kinematics_.linkPoses(problem_.configuration(q), workspace_, poses_);
  excess_.clear();
  for (const PathConstraint& constraint : problem_.path_constraints) {
    if (const auto* axis = std::get_if<KeepAxis>(&constraint)) add(*axis, with_gradients);
    if (const auto* box = std::get_if<KeepInBox>(&constraint)) add(*box, with_gradients);
  }
  for (int constraint : held_.constraints()) addHeld(constraint, with_gradients);
}

double PathProjection::use(const VecX& q) {
  measure(q, false);
  double most = 0.0;
  for (const Excess& excess : excess_) most = std::max(most, excess.use);
  return most;
}

bool PathProjection::project(VecX& q) { return use(q) <= kOuter || moveTo(kInner, kOuter, q); }

bool PathProjection::center(VecX& q) { return moveTo(kCenter, kCentered, q); }

/// `inner`: the share of the tolerances of held poses and lines to move to; `outer`: that is good
/// enough of theirs.
bool PathProjection::moveTo(double inner, double outer, VecX& q) {
  held_share_ = inner;
  const auto isMet = [&](const Excess& excess) {
    return excess.use <= (excess.is_held ? outer : kOuter);
  };
  for (int i = 0; i < kIterations; ++i) {
    measure(q, true);
    std::vector<const Excess*> rows;
    for (const Excess& excess : excess_) {
      if (excess.counts) rows.push_back(&excess);
    }
    if (std::all_of(excess_.begin(), excess_.end(), isMet)) return true;
    if (rows.empty()) return false;  // not a number
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
  measure(q, false);
  return std::all_of(excess_.begin(), excess_.end(), isMet);
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
