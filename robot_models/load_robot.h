#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "allclear/core/input_error.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// Folders of ROS packages by name, as the user gives them.
using PackageMap = std::map<std::string, std::filesystem::path>;

/// Finds the files that a robot's description names.
///
/// `package://NAME/rest`, or Gazebo's `model://NAME/rest`, is looked for in `package_map`, in
/// ROS_PACKAGE_PATH and Gazebo's paths, in AMENT_PREFIX_PATH (`share/NAME`), then in the
/// description's folder and those above it, each when it is called NAME or holds NAME (which also
/// finds `package://meshes/..` beside the file, where `meshes` is no package at all). `file://PATH`
/// and plain paths are taken relative to the description's folder. The first regular file found
/// wins.
class PackagePaths {
 public:
  PackagePaths(PackageMap package_map, const std::filesystem::path& description_file);

  /// Throws `InputError` at `place` that names every place looked in.
  std::filesystem::path find(const std::string& uri, const InputPlace& place) const;

 private:
  std::vector<std::filesystem::path> candidates(const std::string& uri,
                                                const InputPlace& place) const;

  PackageMap package_map_;
  std::filesystem::path folder_;  ///< absolute, of the description
};

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

class CoverCache;

/// How the root link of the URDF stands in the world.
enum class BaseJoint {
  kFixed,
  kPlanar,    ///< x, y and the angle about z
  kFloating,  ///< x, y, z, roll, pitch, yaw
  kFromSrdf,  ///< as the SRDF's virtual_joint says; fixed when it has none
};

/// Where a robot's description is and how to read it.
struct RobotSource {
  std::filesystem::path urdf;
  std::filesystem::path srdf;  ///< empty: none, and `self_pairs` are found
  PackageMap package_map;      ///< see `PackagePaths`
  BaseJoint base = BaseJoint::kFixed;
  bool soft_limits = false;    ///< the safety controller's soft limits narrow the limits
  bool load_collision = true;  ///< without it links have no collision geometry
  bool load_visuals = false;
  /// Links without collision geometry get their visuals for it.
  bool collide_as_visual = false;
  /// What stands for open parts of collision meshes; `kError`: such a mesh is refused.
  OpenMeshes open_meshes = OpenMeshes::kShell;
  DefaultPairOptions self_pairs;  ///< used when there is no SRDF
  /// Keeps convex covers of the collision meshes; none: they are made when they are needed.
  std::shared_ptr<const CoverCache> covers;
};

/// Reads URDF, SRDF and collision meshes; a description in xacro is expanded by the program `xacro`
/// of the PATH. What is odd and can be read in one safe way is, with a warning, and an assumption
/// where a claim rests on it. Throws `InputError` naming file, line and cause.
RobotModel loadRobot(const RobotSource& source);

}  // namespace allclear
