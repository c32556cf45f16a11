#pragma once

#include <ompl/base/MotionValidator.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>

#include "allclear/planner/segment_clearance.h"

/// Lets any planner of OMPL check its edges by proof instead of by samples: an edge is valid when
/// every pair of bodies keeps its margin at every configuration between its ends.
///
/// For a real vector space over the problem's planned coordinates. One thread at a time, like
/// `SegmentClearance`: give each thread a space information with a copy of its own.
class CertifiedMotionValidator : public ompl::base::MotionValidator {
 public:
  CertifiedMotionValidator(const ompl::base::SpaceInformationPtr& si,
                           std::shared_ptr<allclear::SegmentClearance> clearance)
      : MotionValidator(si), clearance_(std::move(clearance)) {}

  static allclear::VecX configuration(const ompl::base::State* state, unsigned dimension) {
    const auto* values = state->as<ompl::base::RealVectorStateSpace::StateType>()->values;
    return allclear::VecX::Map(values, dimension);
  }

  bool checkMotion(const ompl::base::State* from, const ompl::base::State* to) const override {
    const bool clear = clearance_->isClear(at(from), at(to));
    ++(clear ? valid_ : invalid_);
    return clear;
  }

  /// `last.second` gets a share of the edge, from its start, that is proved clear.
  bool checkMotion(const ompl::base::State* from, const ompl::base::State* to,
                   std::pair<ompl::base::State*, double>& last) const override {
    const allclear::VecX a = at(from), b = at(to);
    double proved = 0.0;
    for (double step = 1.0; step > kFinest && proved < 1.0;) {
      const double next = std::min(1.0, proved + step);
      if (clearance_->isClear(a + proved * (b - a), a + next * (b - a))) {
        proved = next;
      } else {
        step *= 0.5;
      }
    }
    last.second = proved;
    if (last.first != nullptr) si_->getStateSpace()->interpolate(from, to, proved, last.first);
    ++(proved == 1.0 ? valid_ : invalid_);
    return proved == 1.0;
  }

 private:
  static constexpr double kFinest = 1.0 / 64.0;

  allclear::VecX at(const ompl::base::State* state) const {
    return configuration(state, si_->getStateDimension());
  }

  std::shared_ptr<allclear::SegmentClearance> clearance_;
};
