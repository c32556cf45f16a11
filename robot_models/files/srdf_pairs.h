#pragma once

#include "allclear/robot_models/files/srdf_names.h"

namespace allclear {

/// The pairs that an SRDF disables, in MoveIt's order: defaults of single links first, then pairs
/// that are enabled again, then pairs that are disabled explicitly.
struct SrdfPairs {
  std::vector<DisabledPair> disabled;
  /// Whether the file says anything about pairs of this robot: one with groups alone does not.
  bool says_something = false;
};

/// Elements that name a link which the robot lacks exempt nothing, which is a note. Throws
/// `InputError` on a pair to be enabled again that cannot be found: left out, it would stay exempt.
SrdfPairs readSrdfPairs(const XmlElement& srdf, SrdfNames& names);

}  // namespace allclear
