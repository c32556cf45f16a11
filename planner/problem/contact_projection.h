#pragma once

#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/problem/pose_error.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/trajectories/bspline.h"

namespace allclear {

/// The pose that a contact frame keeps: where the start puts it, with the contact's tolerances. The
/// orientation of a point contact is free.
///
/// One for each contact that planned joints move, in their order: the others stay by themselves.
std::vector<PoseTarget> contactTargets(const Problem& problem);

/// Equations that keep the frame in place: 6, or 3 where its orientation is free.
int contactRows(const PoseTarget& target);

/// The Greville points of the control points that the ends leave free (all but three at each end),
/// in normalised time: the mean of the knots inside of the support of each. A spline of given ends
/// is determined by its values there.
std::vector<double> freeGrevillePoints(const BSplineBasis& basis);

/// Puts planned coordinates onto the contacts of a problem.
///
/// Holds scratch: one per thread. Both arguments are to outlive it.
class ContactProjection {
 public:
  ContactProjection(const Problem& problem, const Kinematics& kinematics);

  /// Whether planned joints move a contact at all; else everything is on the contacts.
  bool isNeeded() const { return !targets_.empty(); }
  /// Whether a planned coordinate moves a contact, by its index in `Problem::planned`.
  bool moves(int planned) const { return moves_[planned]; }

  /// How far the contacts are from their places: per contact the position [m], then, unless it may
  /// turn, the rotation vector [rad]. `by_q` gets the Jacobian if not null.
  VecX error(const VecX& q_planned, MatX* by_q = nullptr);

  /// Moves q onto the contacts by steps of least norm over all joints between them, except those
  /// `held` (by planned coordinate; none without). No joint leaves its limits, or goes on beyond
  /// them. False when that does not succeed; q is then unchanged.
  bool project(VecX* q_planned, const std::vector<bool>* held = nullptr);

 private:
  struct Box {
    VecX lower, upper;
  };
  VecX stepWithin(const Box& box, const VecX& q, MatX J, VecX e) const;

  const Problem& problem_;
  PoseError pose_error_;
  std::vector<PoseTarget> targets_;
  std::vector<bool> moves_;
  PlannedLimits limits_;
  int rows_ = 0;
};

}  // namespace allclear
