#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// A contact where the start puts it, and its part of the curve of wrenches.
struct PlacedContact {
  Contact contact;
  Pose X_WC;             ///< of the contact frame, at the start
  bool is_held = false;  ///< no planned joint moves its link: it stays by itself
  bool is_base = false;  ///< the robot stands on it (`standOn`): its wrench follows from the others
  int first_wrench = -1;  ///< its first row in the curve of wrenches; -1 for the base
  int rows() const { return contact.kind == Contact::Kind::kFlat ? 6 : 3; }
};

/// The contacts of a problem, in its order.
///
/// The wrench of a contact that is not the base has the axes of the world: force [N], then, of a
/// flat one, the moment [N m] about the contact frame's origin at the start.
class ContactSet {
 public:
  explicit ContactSet(const Problem& problem);

  const std::vector<PlacedContact>& all() const { return all_; }
  bool isEmpty() const { return all_.empty(); }
  /// The contact that the robot stands on; null without one.
  const PlacedContact* base() const;
  /// Those whose links planned joints move: rows of a program keep them in place.
  std::vector<const PlacedContact*> moving() const;

  /// Rows of the curve of wrenches: 6 or 3 for each contact besides the base.
  int wrenchCount() const { return wrench_count_; }
  /// Names of these rows: "r_foot/fx", ... "r_foot/mz".
  std::vector<std::string> wrenchNames(const RobotModel& robot) const;

 private:
  std::vector<PlacedContact> all_;
  int wrench_count_ = 0;
};

/// Whether forces at the contacts are part of the problem: torque limits, or balance by forces, of
/// a robot that stands.
bool usesWrenches(const Problem& problem);

}  // namespace allclear
