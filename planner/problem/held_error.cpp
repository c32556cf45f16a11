// Errors of held poses and lines, and their gradients.
//
// Symbols: P the held frame, p its origin, R its rotation, w the angular velocity; T where P is to
// be, with origin p_T and rotation R_T. The errors are e = p - p_T and the rotation vector r of
// R_T^T R, whose rate is J_r^-1(r) R^T (w - w_T).
//
// A held pose: T moves with the link A, so p_T has the velocity of a point of A.
//
// A line: T is at the progress u of P: p_T moves by d du, R_T by the rotation r_AB du, where d and
// r_AB are way and turn of the stretch, and du follows from the motion of P.
#include "allclear/planner/problem/held_error.h"

#include <algorithm>
#include <cmath>

#include "allclear/planner/problem/pose_error.h"

namespace allclear {
namespace {

/// The columns of a link's Jacobian that are planned.
MatX plannedJacobian(const Problem& problem, const Kinematics& kinematics,
                     const Kinematics::Workspace& workspace, int link, const Vec3& p_W) {
  Jacobian whole;
  kinematics.pointJacobian(workspace, link, p_W, whole);
  MatX out(6, problem.plannedCount());
  for (int k = 0; k < problem.plannedCount(); ++k) out.col(k) = whole.col(problem.planned[k]);
  return out;
}

}  // namespace

double HeldError::use() const {
  const double place = isPlaced() ? position.norm() / position_tolerance : 0.0;
  const double angle = isOriented() ? turn.norm() / angle_tolerance : 0.0;
  return std::max(place, angle);
}

HeldErrors::HeldErrors(const Problem& problem) : problem_(problem) {
  lines_.resize(problem.path_constraints.size());
  for (std::size_t i = 0; i < problem.path_constraints.size(); ++i) {
    const PathConstraint& constraint = problem.path_constraints[i];
    const auto* line = std::get_if<KeepOnLine>(&constraint);
    if (line != nullptr) lines_[i].emplace_back(*line);
    if (line != nullptr || std::holds_alternative<KeepPose>(constraint)) {
      constraints_.push_back(static_cast<int>(i));
    }
  }
}

HeldError HeldErrors::of(int constraint, const Kinematics& kinematics,
                         const Kinematics::Workspace& workspace, const std::vector<Pose>& X_WL,
                         bool with_gradients) const {
  const auto* keep = std::get_if<KeepPose>(&problem_.path_constraints[constraint]);
  return keep != nullptr
             ? ofPose(*keep, kinematics, workspace, X_WL, with_gradients)
             : ofLine(lines_[constraint].front(), kinematics, workspace, X_WL, with_gradients);
}

std::string HeldErrors::name(int constraint, bool angle) const {
  const PathConstraint& held = problem_.path_constraints[constraint];
  const int link = std::visit([](const auto& c) { return c.link; }, held);
  const std::string of = "'" + problem_.robot->links()[link].name + "': ";
  if (std::holds_alternative<KeepPose>(held)) {
    return of + (angle ? "held orientation" : "held position");
  }
  return of + (angle ? "turn from the line" : "distance from the line");
}

HeldError HeldErrors::ofPose(const KeepPose& keep, const Kinematics& kinematics,
                             const Kinematics::Workspace& workspace, const std::vector<Pose>& X_WL,
                             bool with_gradients) const {
  const Pose X_WP = X_WL[keep.link] * keep.X_LP;
  const Pose X_WT = (keep.relative_to < 0 ? Pose() : X_WL[keep.relative_to]) * keep.X_AP;
  HeldError out;
  out.position_tolerance = keep.position_tolerance;
  out.angle_tolerance = keep.angle_tolerance;
  out.position = X_WP.p - X_WT.p;
  out.turn = rotationVector(X_WT.R.transpose() * X_WP.R);
  if (!with_gradients) return out;
  out.by_q = plannedJacobian(problem_, kinematics, workspace, keep.link, X_WP.p);
  if (keep.relative_to >= 0) {
    out.by_q -= plannedJacobian(problem_, kinematics, workspace, keep.relative_to, X_WT.p);
  }
  // Angular velocity in the world, then in the frame, then the rate of the rotation vector.
  const Mat3 to_turn = inverseRightJacobian(out.turn) * X_WP.R.transpose();
  out.by_q.bottomRows<3>() = to_turn * out.by_q.bottomRows<3>().eval();
  return out;
}

HeldError HeldErrors::ofLine(const LinePath& path, const Kinematics& kinematics,
                             const Kinematics::Workspace& workspace, const std::vector<Pose>& X_WL,
                             bool with_gradients) const {
  const KeepOnLine& line = path.line();
  const Pose X_WP = X_WL[line.link] * line.X_LP;
  // The stretch that P is nearest to, by the tolerances.
  int stretch = 0;
  double least = HUGE_VAL;
  for (int i = 0; i < path.count(); ++i) {
    const double u = path.smoothProgress(i, X_WP, nullptr, nullptr);
    const double share = path.shares(X_WP, path.at(i, u)).most();
    if (share < least) least = share, stretch = i;
  }
  Vec3 by_p, by_turn;
  const double u = path.smoothProgress(stretch, X_WP, &by_p, &by_turn);
  const Pose X_WT = path.at(stretch, u);
  HeldError out;
  out.position_tolerance = line.position_tolerance;
  out.angle_tolerance = line.angle_tolerance;
  out.position = X_WP.p - X_WT.p;
  out.turn = rotationVector(X_WT.R.transpose() * X_WP.R);
  if (!with_gradients) return out;
  out.by_q = plannedJacobian(problem_, kinematics, workspace, line.link, X_WP.p);
  const KeepOnLine::Stretch& along = line.stretches[stretch];
  const Eigen::RowVectorXd du =
      by_p.transpose() * out.by_q.topRows<3>() + by_turn.transpose() * out.by_q.bottomRows<3>();
  out.by_q.topRows<3>() -= along.way_W * du;
  const Mat3 to_turn = inverseRightJacobian(out.turn) * X_WP.R.transpose();
  out.by_q.bottomRows<3>() = to_turn * (out.by_q.bottomRows<3>() - along.turn_W * du).eval();
  return out;
}

}  // namespace allclear
