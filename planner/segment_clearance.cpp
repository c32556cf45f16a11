#include "allclear/planner/segment_clearance.h"

#include "allclear/planner/clearance/collision_model.h"
#include "allclear/planner/seeds/segment_certifier.h"

namespace allclear {

/// What all copies share: nothing changes it.
struct SegmentClearance::Model {
  explicit Model(const Problem& from)
      : problem(from), collision(collisionModel(problem, firstPolicy(problem))) {}

  Problem problem;
  CollisionModel collision;
};

/// The certifier of one copy; it refers to the shared model.
struct SegmentClearance::Scratch {
  explicit Scratch(const Model& model) : certifier(model.problem, model.collision) {}

  SegmentCertifier certifier;
};

SegmentClearance::SegmentClearance(const Problem& problem)
    : model_(std::make_shared<const Model>(problem)),
      scratch_(std::make_unique<Scratch>(*model_)) {}

SegmentClearance::SegmentClearance(const SegmentClearance& other)
    : model_(other.model_), scratch_(std::make_unique<Scratch>(*model_)) {}

SegmentClearance& SegmentClearance::operator=(const SegmentClearance& other) {
  return *this = SegmentClearance(other);
}

SegmentClearance::~SegmentClearance() = default;
SegmentClearance::SegmentClearance(SegmentClearance&& other) noexcept = default;
SegmentClearance& SegmentClearance::operator=(SegmentClearance&& other) noexcept = default;

bool SegmentClearance::isClear(const VecX& q) { return scratch_->certifier.isClear(q, 0.0); }

bool SegmentClearance::isClear(const VecX& from, const VecX& to) {
  const bool is_clear = scratch_->certifier.isClear(from, to, 0.0);
  ++statistics_.segments;
  if (is_clear) ++statistics_.certified;
  return is_clear;
}

}  // namespace allclear
