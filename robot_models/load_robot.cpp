#include "allclear/robot_models/load_robot.h"

#include "allclear/core/file.h"
#include "allclear/core/sha256.h"
#include "allclear/robot_models/link_geometry.h"
#include "allclear/robot_models/urdf_reader.h"

namespace allclear {
namespace {

constexpr std::size_t kLargestXmlFile = std::size_t{1} << 26;

RobotModel::Data assembled(const RobotSource& source, const UrdfRobot& urdf, Sha256& hash) {
  const std::string file = source.urdf.string();
  RobotModel::Data data;
  data.name = urdf.name;
  data.source_file = file;
  data.warnings = urdf.warnings;
  JointCoordinates joints = makeCoordinates(urdf.joints, file, data.warnings);
  data.joints = std::move(joints.joints);
  data.coordinates = std::move(joints.coordinates);
  GeometryLoader loader(PackagePaths(source.package_map, source.urdf), file, hash, data.warnings);
  for (const UrdfLink& from : urdf.links) {
    Link link;
    link.name = from.name;
    link.inertia = from.inertia;
    link.collision = loader.collision(from);
    link.visual = loader.visual(from);
    data.links.push_back(std::move(link));
  }
  for (std::size_t j = 0; j < data.joints.size(); ++j) {
    data.links[data.joints[j].child_link].parent_joint = static_cast<int>(j);
  }
  return data;
}

}  // namespace

RobotModel loadRobot(const RobotSource& source) {
  const std::string file = source.urdf.string();
  const std::string content = readFile(source.urdf, kLargestXmlFile);
  Sha256 hash;
  hash.update(content);
  UrdfRobot urdf =
      readUrdf(content, file, {source.load_collision, source.load_visuals, source.soft_limits});
  addBase(source.base, "virtual_joint", "world", urdf);
  RobotModel::Data data = assembled(source, urdf, hash);
  data.source_sha256 = hash.hex();
  return RobotModel(std::move(data));
}

}  // namespace allclear
