// Newton's steps of least norm onto the contacts: dq = -J^+ e.
//
// The joints of all legs share the step. With these J keeps its rank where one knee is straight;
// with the joints of one leg it does not, and an error stays.
//
// Joints at a limit take no part in a step that leads beyond it: the others take their share.
#include "allclear/planner/problem/contact_projection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "allclear/planner/problem/contacts.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {
namespace {

/// Control points that position, velocity and acceleration fix at each end.
constexpr int kEnds = 3;

/// Newton's steps: each squares the error, so that five lead from a radian to rounding.
constexpr int kSteps = 30;
/// [m, rad] on the contacts: above the rounding of a chain of thirty joints, 1e-14 or so.
constexpr double kConverged = 1e-13;
/// [m, rad] good enough where rounding lets nothing better be reached: a millionth of the default
/// tolerance.
constexpr double kGoodEnough = 1e-10;
/// [rad or m] The longest step of one coordinate: beyond, the linear model means nothing.
constexpr double kLongestStep = 0.5;

}  // namespace

std::vector<PoseTarget> contactTargets(const Problem& problem) {
  std::vector<PoseTarget> targets;
  const ContactSet contacts(problem);
  for (const PlacedContact* placed : contacts.moving()) {
    const Contact& contact = placed->contact;
    const bool may_turn = contact.kind == Contact::Kind::kPoint;
    targets.push_back(
        {contact.link, contact.X_LC, placed->X_WC, contact.position_tolerance,
         may_turn ? std::numeric_limits<double>::infinity() : contact.angle_tolerance});
  }
  return targets;
}

std::vector<double> freeGrevillePoints(const BSplineBasis& basis) {
  std::vector<double> points;
  const auto& knots = basis.knots();
  for (int i = kEnds; i < basis.controlCount() - kEnds; ++i) {
    const auto first = knots.begin() + i + 1;
    points.push_back(std::accumulate(first, first + basis.degree(), 0.0) / basis.degree());
  }
  return points;
}

int contactRows(const PoseTarget& target) { return std::isfinite(target.angle_tolerance) ? 6 : 3; }

ContactProjection::ContactProjection(const Problem& problem, const Kinematics& kinematics)
    : problem_(problem),
      pose_error_(problem, kinematics),
      targets_(contactTargets(problem)),
      moves_(problem.planned.size(), false),
      limits_(plannedLimits(problem)) {
  // A joint moves a contact when it is between the contact and the world.
  const MotionTree tree(*problem.robot);
  for (const PoseTarget& target : targets_) {
    rows_ += contactRows(target);
    for (int node : tree.pathTo(tree.mounts()[target.link].node)) {
      const int coordinate = tree.nodes()[node].coordinate;
      const auto at = std::lower_bound(problem.planned.begin(), problem.planned.end(), coordinate);
      if (at == problem.planned.end() || *at != coordinate) continue;
      moves_[at - problem.planned.begin()] = true;
    }
  }
}

VecX ContactProjection::error(const VecX& q_planned, MatX* by_q) {
  VecX all(rows_);
  if (by_q != nullptr) by_q->resize(rows_, problem_.plannedCount());
  int row = 0;
  for (const PoseTarget& target : targets_) {
    const int rows = contactRows(target);
    MatX J;
    all.segment(row, rows) =
        pose_error_.error(target, q_planned, by_q == nullptr ? nullptr : &J).head(rows);
    if (by_q != nullptr) by_q->middleRows(row, rows) = J.topRows(rows);
    row += rows;
  }
  return all;
}

/// The step s of least norm with J s = e for which q - s is in the box, as far as the joints found
/// so far to be in the way of it let one exist: these go to their bound, and the others solve for
/// the rest. Each pass takes at least one joint out, so that it ends.
VecX ContactProjection::stepWithin(const Box& box, const VecX& q, MatX J, VecX e) const {
  VecX at_bounds = VecX::Zero(q.size());
  while (true) {
    const VecX step = J.completeOrthogonalDecomposition().solve(e);
    bool is_within = true;
    for (int k = 0; k < q.size(); ++k) {
      if (J.col(k).isZero(0.0)) continue;
      const double next = q[k] - step[k];
      if (next >= box.lower[k] && next <= box.upper[k]) continue;
      if (!std::isfinite(next)) continue;  // the caller refuses it
      at_bounds[k] = q[k] - std::clamp(next, box.lower[k], box.upper[k]);
      e -= at_bounds[k] * J.col(k);
      J.col(k).setZero();
      is_within = false;
    }
    if (is_within) return step + at_bounds;
  }
}

bool ContactProjection::project(VecX* q_planned, const std::vector<bool>* held) {
  if (!isNeeded()) return true;
  VecX q = *q_planned;
  // What is beyond a limit from the outset may stay there, and what is held has no room at all.
  Box box{limits_.lower.cwiseMin(q), limits_.upper.cwiseMax(q)};
  for (int k = 0; k < q.size(); ++k) {
    if (held != nullptr && (*held)[k]) box.lower[k] = box.upper[k] = q[k];
  }
  MatX J;
  VecX e = error(q, &J);
  for (int i = 0; i < kSteps && e.cwiseAbs().maxCoeff() > kConverged; ++i) {
    VecX step = stepWithin(box, q, J, e);
    const double longest = step.cwiseAbs().maxCoeff();
    if (!std::isfinite(longest)) return false;
    if (longest > kLongestStep) step *= kLongestStep / longest;
    MatX next_J;
    // The bounds are met but for rounding: the box sees to that.
    const VecX there = (q - step).cwiseMax(box.lower).cwiseMin(box.upper);
    const VecX next = error(there, &next_J);
    // At the end of the digits no step gains any more.
    const bool gains = next.norm() < e.norm();
    if (!gains && e.cwiseAbs().maxCoeff() <= kGoodEnough) break;
    q = there;
    e = next;
    J = std::move(next_J);
  }
  if (!(e.cwiseAbs().maxCoeff() <= kGoodEnough)) return false;
  *q_planned = q;
  return true;
}

}  // namespace allclear
