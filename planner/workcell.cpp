// Scenes and problems in code. What a task file says in words is said here by functions; the rules
// are the same: names are unique, a name that nothing has is an error which says what there is.
#include "allclear/planner/workcell.h"

#include <algorithm>

#include "allclear/core/input_error.h"
#include "allclear/distance/cloud.h"
#include "allclear/robot_models/files/mesh_file.h"

namespace allclear {
namespace {

/// A plane's normal shorter than this is a zero with rounding: it has no direction.
constexpr double kLeastNormal = 1e-9;

/// Throws unless a body may be added under this name.
void requireNewName(const Scene& scene, const std::string& id) {
  if (id.empty()) throw InputError({"", 0, "scene: id", ""}, "an object needs a name");
  const std::vector<std::string> names = scene.names();
  if (std::find(names.begin(), names.end(), id) != names.end()) {
    throw InputError({"", 0, "scene: id", id}, "there is an object of this name already");
  }
}

/// All that a problem has before its goal.
Problem problemWithoutGoal(const Robot& robot, const std::string& group, const VecX& start,
                           const Scene& scene) {
  const JointGroup joints = robot.group(group);
  Problem problem;
  problem.robot = robot.sharedModel();
  problem.group = group;
  problem.planned = joints.coordinates();
  // Its result is not needed; it throws where the start is no configuration of the robot.
  joints.part(start);  // of the right length
  problem.start = start;
  // Copies: the scene may go on changing while the problem is planned.
  problem.obstacles = scene.obstacles;
  problem.attached = scene.attached;
  problem.collision.allowed_by_scene = scene.allowed;
  problem.warnings = robot.model().warnings();
  problem.warnings.insert(problem.warnings.end(), scene.warnings.begin(), scene.warnings.end());
  problem.scene_assumptions = scene.assumptions;
  return problem;
}

}  // namespace

Obstacle& Scene::add(const std::string& id, Shape shape, const Pose& X_WO) {
  requireNewName(*this, id);
  Obstacle obstacle;
  obstacle.id = id;
  obstacle.X_WO = X_WO;
  obstacle.geometry.push_back({std::move(shape), Pose()});
  return obstacles.emplace_back(std::move(obstacle));
}

Obstacle& Scene::addBox(const std::string& id, const Vec3& size, const Pose& X_WO) {
  return add(id, Box(size), X_WO);
}

Obstacle& Scene::addSphere(const std::string& id, double radius, const Vec3& p_WO) {
  return add(id, Sphere(radius), {Mat3::Identity(), p_WO});
}

Obstacle& Scene::addCylinder(const std::string& id, double radius, double length,
                             const Pose& X_WO) {
  return add(id, Cylinder(radius, length), X_WO);
}

Obstacle& Scene::addCapsule(const std::string& id, double radius, double length, const Pose& X_WO) {
  return add(id, Capsule(radius, length), X_WO);
}

Obstacle& Scene::addEllipsoid(const std::string& id, const Vec3& radii, const Pose& X_WO) {
  return add(id, Ellipsoid(radii), X_WO);
}

/// In the frame of the plane its outward normal is z. Rounding of that frame moves what is far
/// away, as with the planes of a task file.
Obstacle& Scene::addPlane(const std::string& id, const Vec3& normal, double offset) {
  const double length = normal.norm();
  if (!(length > kLeastNormal) || !std::isfinite(length)) {
    throw InputError({"", 0, "scene: '" + id + "': normal", ""},
                     "must be finite and must not be zero");
  }
  const Vec3 n = normal / length;
  const Mat3 R = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), n).toRotationMatrix();
  return add(id, HalfSpace{}, {R, offset / length * n});
}

Obstacle& Scene::addMesh(const std::string& id, const std::filesystem::path& file, const Pose& X_WO,
                         const Vec3& scale) {
  MeshOptions options;
  options.scale = scale;
  return add(id, loadMesh(file, options), X_WO);
}

Obstacle& Scene::addPoints(const std::string& id, const std::vector<Vec3>& points, double radius,
                           const Pose& X_WO) {
  requireNewName(*this, id);
  Obstacle obstacle;
  obstacle.id = id;
  obstacle.X_WO = X_WO;
  try {
    obstacle.cloud = std::make_shared<const Cloud>(Cloud::balls(points, radius));
  } catch (const InputError& error) {
    throw InputError({"", 0, "scene: '" + id + "'", ""}, error.message());
  }
  return obstacles.emplace_back(std::move(obstacle));
}

AttachedObject& Scene::attach(const std::string& id, const Robot& robot, const std::string& link,
                              Shape shape, const Pose& X_LG,
                              const std::vector<std::string>& touch_links) {
  requireNewName(*this, id);
  AttachedObject object;
  object.id = id;
  object.link = robot.linkIndex(link);
  object.geometry.push_back({std::move(shape), X_LG});
  for (const std::string& name : touch_links) object.touch_links.push_back(robot.linkIndex(name));
  return attached.emplace_back(std::move(object));
}

void Scene::remove(const std::string& id) {
  const auto is_it = [&id](const auto& object) { return object.id == id; };
  const std::vector<std::string> known = names();
  if (std::erase_if(obstacles, is_it) + std::erase_if(attached, is_it) == 0) {
    throw InputError({"", 0, "scene: id", id}, "there is no such object" + insteadOf(id, known));
  }
}

std::vector<std::string> Scene::names() const {
  std::vector<std::string> names;
  for (const Obstacle& obstacle : obstacles) names.push_back(obstacle.id);
  for (const AttachedObject& object : attached) names.push_back(object.id);
  return names;
}

PoseTarget poseTarget(const Robot& robot, const std::string& link, const Pose& X_WP,
                      const Pose& X_LP) {
  PoseTarget target;
  target.link = robot.linkIndex(link);
  target.X_LP = X_LP;
  target.X_WP = X_WP;
  return target;
}

/// Turns are chosen here as for a task file: a goal of joints that wrap is reached by the shorter
/// arc.
Problem makeProblem(const Robot& robot, const std::string& group, const VecX& start,
                    const VecX& goal, const Scene& scene) {
  Problem problem = problemWithoutGoal(robot, group, start, scene);
  problem.goal = JointTarget{problem.planned, robot.group(group).part(goal)};
  chooseNearestTurns(problem);
  return problem;
}

Problem makeProblem(const Robot& robot, const std::string& group, const VecX& start,
                    const PoseTarget& goal, const Scene& scene) {
  Problem problem = problemWithoutGoal(robot, group, start, scene);
  problem.goal = goal;
  return problem;
}

}  // namespace allclear
