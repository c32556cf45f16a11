// Scenes in the layout of moveit_msgs/PlanningScene, which MotionBenchMaker's files share.
//
// Reading order matters: frames first, since objects name them; then obstacles; then attached
// objects, which may take an obstacle; the matrix of allowed pairs last, when all names are known.
// What is not supported and would make the scene less strict is refused; what would make it
// stricter (padding) is reported.
#include "allclear/config/values/scene.h"

#include <algorithm>

#include "allclear/config/values/cloud_object.h"
#include "allclear/config/values/pose.h"
#include "allclear/config/values/robot_filter.h"
#include "allclear/config/values/sdf_scene.h"

namespace allclear {
namespace {

const std::vector<std::string> kPlanningSceneKeys = {"name",
                                                     "robot_state",
                                                     "robot_model_name",
                                                     "fixed_frame_transforms",
                                                     "link_padding",
                                                     "link_scale",
                                                     "object_colors",
                                                     "allowed_collision_matrix",
                                                     "world",
                                                     "is_diff",
                                                     "collision_objects",
                                                     "attached",
                                                     "attached_collision_objects"};

std::optional<Value> findRobotState(const Value& document) {
  if (!document.isMap()) return std::nullopt;
  const auto state = document.find("robot_state");
  if (state) {
    state->only({"joint_state", "multi_dof_joint_state", "attached_collision_objects", "is_diff"});
  }
  return state;
}

/// A warning, and an assumption that certificates list.
void assume(const Value& at, const std::string& message, std::vector<std::string>& warnings,
            std::vector<std::string>& assumptions) {
  warnings.push_back(placeOf(at) + ": " + message);
  assumptions.push_back((at.line() > 0 ? "line " + std::to_string(at.line()) + ": " : "") +
                        message);
}

void assume(const Value& at, const std::string& message, SceneContext& context) {
  assume(at, message, context.scene.warnings, context.scene.assumptions);
}

/// A frame that stands in the list by its pose in itself, as MoveIt lists the frame that it plans
/// in: the world, under another name, unless it is a link.
void readOwnFrame(const Value& name, const Pose& X_FF, SceneContext& context) {
  constexpr double kPrinted = 1e-6;
  if (!X_FF.p.isZero(kPrinted) || !X_FF.R.isIdentity(kPrinted)) {
    name.fail(
        "has another pose in itself than none: name the frame that 'transform' is in as "
        "child_frame_id");
  }
  if (context.robot.findLink(name.textOrEmpty()) < 0) context.frames.define(name, Pose());
}

/// Frames that the scene defines, each by its transform. As MoveIt has them: `header.frame_id` is
/// the frame that is defined, and the transform its pose in the frame `child_frame_id`.
void readTransforms(const Value& list, SceneContext& context) {
  // The frame of the planning is what the others are in, wherever it stands.
  for (const bool own : {true, false}) {
    for (const Value& item : list.items()) {
      item.only({"header", "child_frame_id", "transform"});
      const auto header = item.find("header");
      const auto name = header ? header->find("frame_id") : std::nullopt;
      if (!name) continue;
      const auto child = item.find("child_frame_id");
      if ((child && child->textOrEmpty() == name->textOrEmpty()) != own) continue;
      const Pose X_CF = readMessageTransform(item.need("transform"));
      if (own) {
        readOwnFrame(*name, X_CF, context);
      } else {
        context.frames.define(*name, (child ? context.frames.find(*child) : Pose()) * X_CF);
      }
    }
  }
}

/// What a scene says of itself and is not acted upon.
void noteHeader(const Value& document, SceneContext& context) {
  // Both may be meant so: a scene is often kept with the name of the robot that it was made for.
  const auto is_diff = document.find("is_diff");
  if (is_diff && is_diff->boolean()) {
    assume(*is_diff,
           "the scene is a difference to another one (is_diff), whose objects are not known here",
           context);
  }
  const auto name = document.find("robot_model_name");
  const std::string robot = name ? name->textOrEmpty() : "";
  if (!robot.empty() && robot != context.robot.name()) {
    assume(*name,
           "the scene is of the robot '" + robot + "', not of '" + context.robot.name() + "'",
           context);
  }
}

/// Pairs that a MoveIt allowed collision matrix lets touch: those of its entries, and of each
/// default name with every link.
void readAllowedMatrix(const Value& matrix, SceneContext& context) {
  matrix.only({"entry_names", "entry_values", "default_entry_names", "default_entry_values"});
  const auto names = matrix.find("entry_names");
  if (names) {
    const std::vector<std::string> name = names->texts();
    const Value rows = matrix.need("entry_values");
    if (rows.size() != name.size()) rows.fail("must have one row per name");
    // The matrix is symmetric: the part above its diagonal says all. A row is a list, or a message.
    for (std::size_t i = 0; i < name.size(); ++i) {
      const Value item = rows.at(i);
      const Value row = item.isMap() ? item.only({"enabled"}).need("enabled") : item;
      if (row.size() != name.size()) row.fail("must have one entry per name");
      for (std::size_t j = 0; j < name.size(); ++j) {
        const bool allowed = row.at(j).boolean();
        if (allowed && i < j) context.scene.allowed.emplace_back(name[i], name[j]);
      }
    }
  }
  const auto defaults = matrix.find("default_entry_names");
  if (!defaults) return;
  const Value values = matrix.need("default_entry_values");
  if (values.size() != defaults->size()) values.fail("must have one entry per name");
  for (std::size_t i = 0; i < defaults->size(); ++i) {
    if (!values.at(i).boolean()) continue;
    for (const Link& link : context.robot.links()) {
      context.scene.allowed.emplace_back(defaults->at(i).text(), link.name);
    }
  }
}

/// Keeps the pairs that mean something here: matrices also list links of grippers that are not
/// mounted, and pairs that the robot model disables already. A name that both a link and an object
/// have is ambiguous; its pairs stay checked.
void keepKnownPairs(const RobotModel& robot, Scene& scene) {
  // Either a link or an object, not both: `!=` of the two is the exclusive or.
  const auto known = [&](const std::string& name) {
    const auto named = [&](const auto& object) { return object.id == name; };
    const bool is_object = std::any_of(scene.obstacles.begin(), scene.obstacles.end(), named) ||
                           std::any_of(scene.attached.begin(), scene.attached.end(), named);
    return is_object != (robot.findLink(name) >= 0);
  };
  const auto useless = [&](const auto& pair) {
    if (pair.first == pair.second || !known(pair.first) || !known(pair.second)) return true;
    const int a = robot.findLink(pair.first);
    const int b = robot.findLink(pair.second);
    return a >= 0 && b >= 0 && robot.isPairDisabled(a, b);
  };
  std::erase_if(scene.allowed, useless);
}

/// Padding would make links larger. It is not supported, so a warning says that distances are
/// smaller than the scene asks.
void warnOfPadding(const Value& document, SceneContext& context) {
  // Padding 0 and scale 1 change nothing and are what MoveIt writes by default.
  const auto warn = [&](const char* list_key, const char* key, double neutral) {
    const auto list = document.find(list_key);
    if (!list) return;
    for (const Value& item : list->items()) {
      item.only({"link_name", key});
      if (item.need(key).number() == neutral) continue;
      assume(item,
             std::string(key) + " " + item.need(key).text() + " of link '" +
                 item.need("link_name").text() + "' is not used; give a margin in the task",
             context);
    }
  };
  warn("link_padding", "padding", 0.0);
  warn("link_scale", "scale", 1.0);
}

/// Other messages that people have at hand, by a key that a scene has not.
void refuseOtherMessages(const Value& document) {
  static constexpr std::pair<const char*, const char*> kKeys[] = {
      {"goal_constraints", "a MotionPlanRequest"},
      {"points", "a JointTrajectory"},
      {"joint_trajectory", "a RobotTrajectory"},
      {"position", "a JointState"},
      {"joint_state", "a RobotState"},
      {"scene", "a service's answer: give what is under 'scene'"},
      {"robot", "a task"}};
  for (const auto& [key, what] : kKeys) {
    if (!document.isMap() || !document.has(key)) continue;
    document.failAtKey(key,
                       std::string("this is ") + what +
                           "; a scene file is a moveit_msgs/PlanningScene or a list of objects");
  }
}

void readWorld(const Value& world, SceneContext& context) {
  world.only({"collision_objects", "octomap"});
  if (const auto objects = world.find("collision_objects")) {
    readCollisionObjects(*objects, context);
  }
  if (const auto octomap = world.find("octomap")) readOctomapMessage(*octomap, context);
}

/// Poses of floating joints, such as a base that moves. Of other joints, as of a base that the task
/// fixes, they are not used, with a warning.
void readJointPoses(const Value& section, const RobotModel& robot, JointValues& values,
                    std::vector<std::string>& warnings, std::vector<std::string>& assumptions) {
  section.only({"header", "joint_names", "transforms", "twist", "wrench"});
  const auto names = section.find("joint_names");
  if (!names || names->size() == 0) return;
  const Value transforms = section.need("transforms");
  if (transforms.size() != names->size()) transforms.fail("must have one entry per name");
  for (std::size_t i = 0; i < names->size(); ++i) {
    const int joint = robot.findJoint(names->at(i).text());
    if (joint < 0 || robot.joints()[joint].type != JointType::kFloating) {
      assume(
          names->at(i),
          "the pose of joint '" + names->at(i).text() +
              "' is not used: the robot has no floating joint of that name here (a base is fixed "
              "unless 'base' says else)",
          warnings, assumptions);
      continue;
    }
    // Coordinates are angles, a message has a quaternion.
    const Pose X = readMessageTransform(transforms.at(i));
    const Vec3 rpy = rpyFromRotation(X.R);
    const int first = robot.joints()[joint].first_coordinate;
    for (int k = 0; k < 3; ++k) {
      values.insert_or_assign(first + k, JointValue{X.p[k], transforms.at(i)});
      values.insert_or_assign(first + 3 + k, JointValue{rpy[k], transforms.at(i)});
    }
  }
}

}  // namespace

/// The joint state of a scene.
JointValues readSceneState(const Value& document, const RobotModel& robot,
                           std::vector<std::string>& warnings,
                           std::vector<std::string>& assumptions) {
  const auto state = findRobotState(document);
  if (!state) return {};
  const auto joints = state->find("joint_state");
  JointValues values = joints ? readJointState(*joints, robot, warnings) : JointValues{};
  const auto poses = state->find("multi_dof_joint_state");
  if (poses) readJointPoses(*poses, robot, values, warnings, assumptions);
  return values;
}

void readScene(const Value& document, SceneContext& context) {
  // A bare list holds objects. Everything else is a map, with keys of ours or of MoveIt's message.
  if (document.isList()) return readCollisionObjects(document, context);
  refuseOtherMessages(document);
  document.only(kPlanningSceneKeys);
  noteHeader(document, context);
  if (const auto list = document.find("fixed_frame_transforms")) readTransforms(*list, context);
  warnOfPadding(document, context);
  if (const auto world = document.find("world")) readWorld(*world, context);
  if (const auto list = document.find("collision_objects")) readCollisionObjects(*list, context);
  if (const auto list = document.find("attached")) readAttached(*list, context);
  if (const auto list = document.find("attached_collision_objects")) {
    readAttachedMessages(*list, context);
  }
  const auto state = findRobotState(document);
  const auto carried = state ? state->find("attached_collision_objects") : std::nullopt;
  if (carried) readAttachedMessages(*carried, context);
  if (const auto matrix = document.find("allowed_collision_matrix")) {
    readAllowedMatrix(*matrix, context);
    keepKnownPairs(context.robot, context.scene);
  }
}

void readSceneFile(const std::filesystem::path& path, const std::string& name, const Pose& X_WS,
                   SceneContext& context) {
  if (isSdfWorld(path)) {
    return readSdfScene(context.files.contentOf(path, name), path, X_WS, context);
  }
  readScene(context.files.document(path, name), context);
}

Scene loadScene(const std::filesystem::path& path, const RobotModel& robot, const VecX& q_start,
                const std::map<std::string, std::filesystem::path>& package_map) {
  InputFiles files(package_map, path);
  Frames frames(robot, q_start);
  Scene scene;
  SceneContext context{robot, frames, files, scene};
  readSceneFile(path, "scene", Pose(), context);
  filterRobot(context);
  return scene;
}

}  // namespace allclear
