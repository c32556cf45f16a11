#pragma once

#include <filesystem>
#include <memory>

#include "allclear/robot_models/default_pairs.h"
#include "allclear/robot_models/package_paths.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

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
