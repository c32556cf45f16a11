#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "allclear/core/text/value.h"
#include "allclear/distance/shape.h"
#include "allclear/planner/problem.h"

namespace allclear {

class InputCache;

/// What else `ProblemSet::load` is told.
struct ProblemSetReading {
  /// The package root of the robots; empty: the folder `robots` beside the one that holds the
  /// folder of the file's robot (`x/robots` for `x/problems/panda/box.json`).
  std::filesystem::path robots_folder = {};
  /// Robots and meshes that were loaded before.
  InputCache* cache = nullptr;
  /// The path of every file that the set rests on is added here.
  std::vector<std::filesystem::path>* files_read = nullptr;
};

/// A file of many problems of one robot, "planning_problems_v1": JSON with a header and, per
/// problem, start, goal, joints held fixed, and obstacles in the robot's root frame.
///
/// The robot and the meshes are read once and shared by the problems.
class ProblemSet {
 public:
  /// Throws `InputError` with file and line.
  static ProblemSet load(const std::filesystem::path& path, const ProblemSetReading& reading = {});

  int count() const;
  const std::string& robotName() const { return robot_name_; }
  const std::string& scene() const { return scene_; }

  /// Problem i of [0, count). It passes `validate`.
  Problem problem(int i) const;

 private:
  explicit ProblemSet(Value document) : document_(std::move(document)) {}
  void loadMeshes(const std::filesystem::path& folder, const ProblemSetReading& reading);
  std::vector<Obstacle> readObstacles(const Value& list) const;
  Geometry readObstacle(const Value& section) const;

  Value document_;
  std::string robot_name_;
  std::string scene_;
  std::string sha256_;
  Problem common_;  ///< robot, group and planned joints
  std::map<std::string, TriangleMesh> meshes_;
};

}  // namespace allclear
