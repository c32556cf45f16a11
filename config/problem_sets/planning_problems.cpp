// A set of problems is read at once: the document as values with places, the robot, and each mesh
// that an obstacle names. A problem is made of it when it is asked for.
#include "allclear/config/problem_sets/planning_problems.h"

#include <algorithm>

#include "allclear/config/document/yaml.h"
#include "allclear/config/values/input_cache.h"
#include "allclear/config/values/pose.h"
#include "allclear/config/values/robot_names.h"
#include "allclear/core/assert.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/sha256.h"
#include "allclear/robot_models/files/mesh_file.h"
#include "allclear/robot_models/files/recorded_robot.h"

namespace allclear {
namespace {

/// Every folder in the folder of robots is taken for a ROS package of its name, which is where the
/// "package://" addresses of their URDFs lead.
RobotSource robotSource(const Value& header, const std::filesystem::path& robots_folder) {
  RobotSource source;
  source.urdf = robots_folder / header.need("urdf").text();
  if (const auto srdf = header.find("srdf")) source.srdf = robots_folder / srdf->text();
  for (const auto& entry : std::filesystem::directory_iterator(robots_folder)) {
    if (entry.is_directory()) source.package_map[entry.path().filename().string()] = entry.path();
  }
  return source;
}

/// Coordinates of the names, in the file's order.
std::vector<int> coordinatesOf(const Value& names, const RobotModel& robot) {
  std::vector<int> out;
  for (const Value& name : names.items()) {
    const int c = coordinateIndex(name.text(), name, robot);
    if (std::find(out.begin(), out.end(), c) != out.end()) name.fail("is given twice");
    out.push_back(c);
  }
  return out;
}

/// Values in the file's order, at their coordinates.
JointValues valuesOf(const Value& list, const std::vector<int>& coordinates) {
  list.numbers(static_cast<int>(coordinates.size()), "one per joint name");
  JointValues out;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    out.emplace(coordinates[i], JointValue{list.at(i).number(), list.at(i)});
  }
  return out;
}

Pose readProblemPose(const Value& pose) {
  pose.only({"xyz", "quat_wxyz"});
  const Value quaternion = pose.need("quat_wxyz");
  const VecX q = quaternion.numbers(4, "[w, x, y, z]");
  // The file has w first, the function takes it last.
  const auto R = rotationFromQuaternion(q[1], q[2], q[3], q[0]);
  if (!R) quaternion.fail("a quaternion [w, x, y, z] must have length 1");
  return {*R, pose.need("xyz").vector3()};
}

std::shared_ptr<const RobotModel> readRobot(const Value& header,
                                            const std::filesystem::path& robots_folder,
                                            const ProblemSetReading& reading) {
  const RobotSource source = robotSource(header, robots_folder);
  if (reading.cache != nullptr) return reading.cache->robot(source, reading.files_read);
  return std::make_shared<const RobotModel>(loadRobot(source, reading.files_read));
}

// Some of them ("index", "robot", "checks") are for other readers and say nothing here; they are
// known nonetheless, so that a misspelt key is still an error.
const std::vector<std::string> kProblemKeys = {"name",         "index",     "robot",
                                               "joint_names",  "start",     "goals",
                                               "fixed_joints", "obstacles", "checks"};

}  // namespace

ProblemSet ProblemSet::load(const std::filesystem::path& path, const ProblemSetReading& reading) {
  const std::string text = readFile(path, DocumentLimits{}.bytes);
  if (reading.files_read != nullptr) reading.files_read->push_back(path);
  ProblemSet set(parseYaml(text, path.string()));
  const Value& header = set.document_;
  header.only({"format", "robot", "urdf", "srdf", "scene", "source_set", "group", "base_frame",
               "joint_names", "count", "problems"});
  header.need("format").word({"planning_problems_v1"});
  // Names of meshes are relative to the folder above, which all sets of problems share.
  const std::filesystem::path problems_folder =
      std::filesystem::absolute(path).parent_path() / "..";
  const std::filesystem::path robots =
      reading.robots_folder.empty() ? problems_folder / ".." / "robots" : reading.robots_folder;
  if (!std::filesystem::is_directory(robots)) {
    header.need("urdf").fail("no folder of robots at " + robots.string());
  }
  set.robot_name_ = header.need("robot").text();
  set.scene_ = header.need("scene").text();
  set.sha256_ = sha256(text);
  Problem& common = set.common_;
  common.source_file = path.string();
  common.group = header.need("group").text();
  common.robot = readRobot(header, robots, reading);
  const Value base = header.need("base_frame");
  // Obstacles are given in that frame, and the world is that of the root link: no other frame could
  // be read without a transform, and a wrong one would move all obstacles silently.
  const std::string& root = common.robot->links()[common.robot->rootLink()].name;
  if (base.text() != root) {
    base.fail("must be the robot's root link, '" + root + "'");
  }
  common.planned = coordinatesOf(header.need("joint_names"), *common.robot);
  // Problems hold planned coordinates in ascending order, whatever the order of the file.
  std::sort(common.planned.begin(), common.planned.end());
  // Whoever cut the file by hand has to say so: a benchmark of fewer problems is another one.
  if (header.need("count").integer(0, 1'000'000) != set.count()) {
    header.need("count").fail("the file holds " + std::to_string(set.count()) + " problems");
  }
  set.loadMeshes(problems_folder, reading);
  return set;
}

int ProblemSet::count() const { return static_cast<int>(document_.need("problems").size()); }

/// All at once: what cannot be read is said before the first problem is planned, not after hours,
/// and `problem` needs no file and may be asked for problems in any order.
void ProblemSet::loadMeshes(const std::filesystem::path& folder, const ProblemSetReading& reading) {
  for (const Value& problem : document_.need("problems").items()) {
    for (const Value& obstacle : problem.need("obstacles").items()) {
      const auto mesh = obstacle.find("mesh");
      if (!mesh || meshes_.count(mesh->text()) > 0) continue;
      const std::filesystem::path path = folder / mesh->text();
      if (reading.files_read != nullptr) reading.files_read->push_back(path);
      meshes_.emplace(mesh->text(), reading.cache == nullptr
                                        ? loadMesh(path)
                                        : reading.cache->mesh(readFile(path), path, Vec3::Ones()));
    }
  }
}

Geometry ProblemSet::readObstacle(const Value& section) const {
  section.only({"name", "type", "size", "radius", "length", "mesh", "pose"});
  const std::string type = section.need("type").word({"box", "cylinder", "sphere", "mesh"});
  if (type == "mesh") return {meshes_.at(section.need("mesh").text()), Pose()};
  if (type == "sphere") return {Sphere(section.need("radius").positive()), Pose()};
  if (type == "cylinder") {
    return {Cylinder(section.need("radius").positive(), section.need("length").positive()), Pose()};
  }
  for (const Value& edge : section.need("size").items()) edge.positive();
  return {Box(section.need("size").vector3()), Pose()};
}

std::vector<Obstacle> ProblemSet::readObstacles(const Value& list) const {
  std::vector<Obstacle> out;
  for (const Value& section : list.items()) {
    out.push_back({section.need("name").text(),
                   readProblemPose(section.need("pose")),
                   {readObstacle(section)},
                   {}});
  }
  return out;
}

Problem ProblemSet::problem(int i) const {
  ALLCLEAR_ASSERT(i >= 0 && i < count());
  const Value section = document_.need("problems").at(static_cast<std::size_t>(i));
  section.only(kProblemKeys);
  Problem problem = common_;
  const RobotModel& robot = *problem.robot;
  problem.name = section.need("name").text();
  problem.source_sha256 = sha256_;
  // A problem may order its joints otherwise than the header; its values follow its own order, the
  // set of joints must be the same.
  const std::vector<int> order = coordinatesOf(section.need("joint_names"), robot);
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != problem.planned) section.need("joint_names").fail("differ from the header's");

  // Joints that are held may stand beyond their limits; planned ones may not (read later, they
  // win).
  problem.start = robot.neutralConfiguration();
  const auto fixed = readJointMap(section.need("fixed_joints"), robot, {}, problem.warnings);
  for (const auto& [c, given] : fixed) problem.start[c] = given.value;
  for (const auto& [c, given] : valuesOf(section.need("start"), order)) {
    problem.start[c] = insideLimits(given, robot.coordinates()[c], problem.warnings);
  }
  const Value goals = section.need("goals");
  if (goals.size() != 1) goals.fail("must hold exactly one goal");
  VecX goal = problem.start;
  for (const auto& [c, given] : valuesOf(goals.at(0), order)) {
    goal[c] = insideLimits(given, robot.coordinates()[c], problem.warnings);
  }
  problem.goal = JointTarget{problem.planned, problem.plannedPart(goal)};
  problem.obstacles = readObstacles(section.need("obstacles"));
  // When start and goal are known; and validated last, so that the problem is judged as it will be
  // planned.
  chooseNearestTurns(problem);
  const std::vector<Finding> findings = validate(problem);
  if (!findings.empty()) section.fail(findings[0].message);
  return problem;
}

}  // namespace allclear
