#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allclear/robot_models/robot_model.h"

namespace allclear {

struct DefaultPairOptions {
  /// Random configurations within the limits, besides the neutral one.
  int samples = 500;
  std::uint64_t seed = 1;
  /// Also turn off pairs that no sample has seen in contact. Samples prove nothing: a pair turned
  /// off so can touch at a configuration between them. Off, because it would make a certificate
  /// say more than is known; such pairs cost little, since they are mostly far apart.
  bool disable_never = false;
};

/// The pairs of links not to be checked when nobody says so.
struct DefaultPairs {
  std::vector<DisabledPair> disabled;
  int adjacent = 0;
  int always = 0;
  int never = 0;    ///< never seen in contact, whether disabled or not
  int checked = 0;  ///< pairs that stay to be checked
};

/// Pairs of links with collision geometry:
/// - "Adjacent": parts of one rigid body (links joined by fixed joints), and bodies joined by one
///   joint, or by a chain of joints whose bodies between have no geometry (as a universal joint).
/// - "Always": every sample has the surfaces (of meshes) or solids in contact.
/// - "Never" (only when asked for): no sample has.
/// Contact is tested on the true geometry: solids for primitives, triangles for meshes. A solid
/// wholly inside a mesh is no contact, which errs to the safe side: "Always" is not claimed.
DefaultPairs findDefaultPairs(const RobotModel& robot, const DefaultPairOptions& options);

}  // namespace allclear
