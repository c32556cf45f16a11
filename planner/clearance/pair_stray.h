#pragma once

#include <vector>

#include "allclear/planner/clearance/collision_model.h"
#include "allclear/planner/problem/stray_reach.h"

namespace allclear {

/// How much nearer the bodies of a pair may come, at a configuration, when what is uncertain
/// strays. The certificate bounds the same over time (certificate/stray.h has the argument); here
/// one configuration at a time, between hulls, is enough.
class PairStray {
 public:
  /// Problem and model are to outlive it.
  PairStray(const Problem& problem, const CollisionModel& model);

  /// False where nothing strays: then `of` is 0 and need not be asked.
  bool isNeeded() const { return is_needed_; }

  StrayReach::Placement place(const VecX& q) const { return reach_.place(q); }

  /// [m] of `CollisionModel::pairs[pair]`.
  double of(int pair, const StrayReach::Placement& at) const;

 private:
  double ofBody(int body, std::size_t shared, bool with_base,
                const StrayReach::Placement& at) const;

  const Problem& problem_;
  const CollisionModel& model_;
  bool is_needed_;
  StrayReach reach_;
  std::vector<std::vector<StraySolid>> solids_;  ///< by body; empty for obstacles
};

}  // namespace allclear
