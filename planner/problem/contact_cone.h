#pragma once

#include <vector>

#include "allclear/core/types.h"
#include "allclear/planner/problem/contacts.h"

namespace allclear {

/// What a contact can carry: rows, linear in its wrench, that are at least 0 when it can. They
/// imply that the force presses (its part along the contact's z is not negative).
///
/// The friction cone is replaced by a pyramid inside of it. A flat contact then carries exactly the
/// wrenches that forces at the four corners of its sole, less the margin, add up to.
struct ContactCone {
  enum class Part {
    kFriction,  ///< the force is within the pyramid, and the sole does not twist
    kPressure,  ///< the centre of pressure is in the sole
  };
  /// By force [N] and moment [N m] about the contact frame's origin, in world axes. Without unit:
  /// forces over the weight, moments over weight times the sole's smaller half size.
  Eigen::Matrix<double, Eigen::Dynamic, 6> rows;
  std::vector<Part> parts;  ///< of each row
  Vec3 normal;              ///< out of the ground, in the world

  int count() const { return static_cast<int>(parts.size()); }
};

/// `weight` [N], positive, only scales the rows.
ContactCone contactCone(const PlacedContact& contact, double weight);

}  // namespace allclear
