#pragma once

#include <optional>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/problem/contact_projection.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/trajectories/bspline.h"

namespace allclear {

/// The middle of every span, in normalised time: knots that halve the spans.
std::vector<double> middlesOfSpans(const BSplineBasis& basis);

/// Makes curves of planned coordinates that are on the contacts of a problem.
///
/// Holds scratch: one per thread. Both arguments are to outlive it.
class ContactFit {
 public:
  ContactFit(const Problem& problem, const Kinematics& kinematics)
      : projection_(problem, kinematics), limits_(plannedLimits(problem)) {}

  ContactProjection& projection() { return projection_; }

  /// The curve of `spans` spans from rest to rest along the straight line, bent by `bend` half way,
  /// and on the contacts at its Greville points. Empty when these cannot be put there.
  std::optional<BSpline> along(const VecX& start, const VecX& goal, const VecX& bend, int spans,
                               double duration);

  /// The curve with its spans halved, and the joints between the contacts changed so that it is on
  /// the contacts at its Greville points. All other joints, and both ends with their derivatives,
  /// stay, and so do the curves of joints that come near a limit, if the others can do without
  /// them. Empty when a point cannot be put there. Where the curve was on the contacts to e between
  /// its points, this one is to about e / 64.
  std::optional<BSpline> refitted(const BSpline& curve);

 private:
  /// By planned coordinate.
  std::vector<bool> nearLimits(const BSpline& curve) const;
  /// The curve with the joints between the contacts, except those held, led through the projections
  /// of its own values.
  std::optional<BSpline> ledOnto(const BSpline& curve, const std::vector<bool>& held);

  ContactProjection projection_;
  PlannedLimits limits_;
};

}  // namespace allclear
