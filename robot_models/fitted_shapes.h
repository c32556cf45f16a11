#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "allclear/distance/fitting.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// Shapes that enclose the collision geometry of a link, in the link frame.
struct FittedLink {
  std::string link;
  std::vector<Geometry> shapes;  ///< spheres, capsules, boxes, cylinders, ellipsoids
};

/// Enclosing shapes of a robot's links, for use instead of its collision geometry.
struct FittedShapes {
  std::string robot;         ///< name, for people
  std::string robot_sha256;  ///< `RobotModel::sourceSha256` of the robot that was fitted
  std::vector<FittedLink> links;
};

/// The capsules about one link, or its ellipsoid, and what they add; see `CapsuleSet`.
struct LinkFit {
  int link = -1;
  CapsuleSet set;
};

/// Fits capsules to every link with collision geometry, in the order of the links, on `threads`
/// threads (0: as many as the machine has). The result does not depend on their number.
std::vector<LinkFit> fitLinks(const RobotModel& robot, const CapsuleSetOptions& options = {},
                              int threads = 0);

/// The same with one ellipsoid of little volume about every link.
std::vector<LinkFit> fitLinkEllipsoids(const RobotModel& robot, int threads = 0);

FittedShapes fittedShapes(const RobotModel& robot, const std::vector<LinkFit>& fits);

/// Writes JSON, see docs/fitted_shapes.md. Throws `InputError` when it cannot be written.
void writeFittedShapes(const FittedShapes& shapes, const std::filesystem::path& path);

/// Reads what `writeFittedShapes` writes, strictly. Throws `InputError` naming file and key.
FittedShapes readFittedShapes(const std::filesystem::path& path);

/// As above, and throws `InputError` when the shapes were fitted to anything but `robot`, as its
/// files are now: a link is missing or unknown, or the checksum differs.
FittedShapes readFittedShapes(const std::filesystem::path& path, const RobotModel& robot);

}  // namespace allclear
