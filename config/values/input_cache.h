#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "allclear/distance/shape.h"
#include "allclear/robot_models/load_robot.h"

namespace allclear {

/// Robots and meshes that were loaded before, for those who read many tasks of the same ones: a
/// robot or a mesh that is given out again is the same object, with the convex covers that planning
/// has made of it.
///
/// Robots are told apart by their source and by size and time of change of every file read (a
/// robot in xacro is read anew: the files behind it are not known), meshes by their content. Those
/// used least lately are dropped. For one thread.
class InputCache {
 public:
  static constexpr std::size_t kMostRobots = 8;
  static constexpr std::size_t kMostMeshes = 64;

  /// As `loadRobot`. The files that the robot was read from are added to `files_read`, unless that
  /// is null.
  std::shared_ptr<const RobotModel> robot(const RobotSource& source,
                                          std::vector<std::filesystem::path>* files_read = nullptr);

  /// As `parseMesh` with this scale.
  TriangleMesh mesh(const std::string& content, const std::filesystem::path& path,
                    const Vec3& scale);

  /// Robots read from their files so far.
  int robotsLoaded() const { return robots_loaded_; }

 private:
  struct FileStamp {
    std::filesystem::path path;
    std::uintmax_t size = 0;
    std::int64_t changed = 0;
    bool operator==(const FileStamp&) const = default;
  };
  struct KnownRobot {
    std::string key;
    std::vector<FileStamp> files;
    std::shared_ptr<const RobotModel> robot;
  };
  struct KnownMesh {
    std::string key;
    TriangleMesh mesh;
  };

  static FileStamp stampOf(const std::filesystem::path& path);
  static bool isUnchanged(const KnownRobot& known);

  std::list<KnownRobot> robots_;  ///< those used last in front
  std::list<KnownMesh> meshes_;
  int robots_loaded_ = 0;
};

}  // namespace allclear
