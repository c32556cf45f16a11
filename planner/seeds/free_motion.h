#pragma once

#include "allclear/planner/seeds/path_projection.h"
#include "allclear/planner/seeds/segment_certifier.h"

namespace allclear {

/// What a path of a search may do: keep every pair clear by its margin and `extra`, proved, and,
/// where the problem has path constraints, keep these at samples.
///
/// Borrows its parts, which hold scratch: one per thread.
class FreeMotion {
 public:
  FreeMotion(const ConfigurationSpace& space, SegmentCertifier& certifier, double extra,
             PathProjection* projection = nullptr)
      : space_(space),
        certifier_(certifier),
        extra_(extra),
        projection_(projection != nullptr && projection->isNeeded() ? projection : nullptr) {}

  const ConfigurationSpace& space() const { return space_; }
  bool isConstrained() const { return projection_ != nullptr; }

  bool allows(const VecX& q) {
    return (projection_ == nullptr || projection_->use(q) <= 1.0 + kRounding) &&
           certifier_.isClear(q, extra_);
  }
  /// The constraints first: they cost a tenth of a proof.
  bool allows(const VecX& from, const VecX& to) {
    return (projection_ == nullptr || projection_->keeps(space_, from, to)) &&
           certifier_.isClear(from, to, extra_);
  }
  /// Moves q to where it keeps the path constraints; false when it does not get there.
  bool project(VecX& q) { return projection_ == nullptr || projection_->project(q); }

 private:
  static constexpr double kRounding = 1e-6;  ///< of a tolerance: ends that use all of it

  const ConfigurationSpace& space_;
  SegmentCertifier& certifier_;
  double extra_;
  PathProjection* projection_;
};

}  // namespace allclear
