// The sections of a task about the robot, its planned joints, and its start.
//
// Later sections need earlier ones: a group needs the robot, a start the group (a group state is
// looked up there), and a goal the start, since joints that it does not name stay.
#include <algorithm>
#include <numeric>

#include "allclear/config/task/sections.h"
#include "allclear/config/values/scene.h"
#include "allclear/config/values/units.h"
#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/planner/posture/start_projection.h"

namespace allclear {
namespace {

/// [rad or m] by which a start is put onto its contacts: less is rounding.
constexpr double kWorthTelling = 1e-6;

const std::vector<std::string> kRobotKeys = {"urdf",        "srdf",    "package_map",  "base",
                                             "soft_limits", "inertia", "rotor_inertia"};

/// Masses that the URDF lacks, or that the task knows better.
void readInertias(const Value& section, RobotModel::Data* data, const RobotModel& robot) {
  for (const Value::Entry& entry : section.entries()) {
    const int link = robot.findLink(entry.key);
    if (link < 0) {
      const std::vector<std::string> known = linkNames(robot);
      section.failAtKey(entry.key, "the robot has no such link" + didYouMean(entry.key, known));
    }
    entry.value.only({"mass", "com", "inertia"}).need("mass");
    data->links[link].inertia = *readInertia(entry.value, Pose{});
    data->links[link].inertia_fault.clear();
    data->links[link].inertia_is_given = true;
  }
}

/// The robot with what the task says of its masses and rotors.
std::shared_ptr<const RobotModel> withInertias(std::shared_ptr<const RobotModel> robot,
                                               const Value& section) {
  const auto inertia = section.find("inertia");
  const auto rotors = section.find("rotor_inertia");
  if (!inertia && !rotors) return robot;
  // The robot may be shared with other tasks: a changed one is a copy, which shares the meshes.
  RobotModel::Data data = robot->data();
  if (inertia) readInertias(*inertia, &data, *robot);
  if (rotors) {
    for (const Value::Entry& entry : rotors->entries()) {
      data.coordinates[coordinateIndex(entry.key, entry.value, *robot)].rotor_inertia =
          entry.value.notNegative();
    }
  }
  return std::make_shared<const RobotModel>(std::move(data));
}

bool asksForGaps(const Value& task) {
  const auto limits = task.find("limits");
  return limits && limits->isMap() && limits->has("gaps");
}

/// Links that never touch may still come close enough to clamp something: they are looked at.
RobotModel withoutNever(const RobotModel& robot) {
  RobotModel::Data data = robot.data();
  std::erase_if(data.disabled_pairs,
                [](const DisabledPair& pair) { return pair.reason == "Never"; });
  return RobotModel(std::move(data));
}

/// Says so where the robot's SRDF is for a robot of another name.
std::string otherRobotHint(const RobotModel& robot) {
  for (const std::string& assumption : robot.assumptions()) {
    const std::size_t at = assumption.find("is for the robot '");
    if (at != std::string::npos) return "; the SRDF " + assumption.substr(at);
  }
  return "";
}

/// The coordinates of a group of the SRDF, or of all joints, in ascending order.
std::vector<int> groupCoordinates(const Value& name, const RobotModel& robot) {
  if (const Group* group = robot.findGroup(name.text())) {
    if (group->coordinates.empty()) name.fail("this group has no joint that moves");
    std::vector<int> planned = group->coordinates;
    std::sort(planned.begin(), planned.end());
    return planned;
  }
  // "all" is a name of our own, unless the SRDF has a group of that name.
  std::vector<std::string> known = {"all"};
  for (const Group& group : robot.groups()) known.push_back(group.name);
  if (name.text() == "all") {
    std::vector<int> planned(robot.dimension());
    std::iota(planned.begin(), planned.end(), 0);
    return planned;
  }
  name.fail(robot.groups().empty()
                ? "the robot has no groups (no SRDF?); list 'joints' or write 'all'"
                : "the SRDF has no such group" + didYouMean(name.text(), known) +
                      whatThereIs(known) + otherRobotHint(robot));
}

/// The coordinates of a list of joints, in ascending order: results do not depend on the order of
/// the list.
std::vector<int> namedCoordinates(const Value& names, const RobotModel& robot) {
  std::vector<int> planned;
  for (const Value& name : names.items()) {
    const int c = coordinateIndex(name.text(), name, robot);
    if (std::find(planned.begin(), planned.end(), c) != planned.end()) name.fail("is given twice");
    planned.push_back(c);
  }
  if (planned.empty()) names.fail("must name at least one joint");
  std::sort(planned.begin(), planned.end());
  return planned;
}

/// Joint values of a start: a group state first, then a message, then single joints; the later ones
/// replace the earlier.
JointValues readStartValues(const Value& section, Problem& problem) {
  const RobotModel& robot = *problem.robot;
  if (section.isList()) return readJointList(section, problem.planned, robot);
  JointValues values;
  const auto replaceBy = [&](const JointValues& more) {
    for (const auto& [c, value] : more) values.insert_or_assign(c, value);
  };
  // From the general to the particular.
  if (const auto state = section.find("group_state")) {
    replaceBy(readGroupState(*state, problem.group, robot));
  }
  if (const auto message = section.find("joint_state")) {
    replaceBy(readJointState(*message, robot, problem.warnings));
  }
  if (const auto list = section.find("joints")) {
    replaceBy(readJointList(*list, problem.planned, robot));
  }
  replaceBy(
      readJointMap(section, robot,
                   {"group_state", "joint_state", "joints", "velocity", "acceleration", "project"},
                   problem.warnings));
  return values;
}

/// Reads `{joint: value}` over planned coordinates; joints that are not named get zero.
VecX readRates(const std::optional<Value>& map, const Problem& problem) {
  if (!map) return {};
  VecX full = VecX::Zero(problem.robot->dimension());
  for (const Value::Entry& entry : map->entries()) {
    const int c = coordinateIndex(entry.key, entry.value, *problem.robot);
    if (!std::binary_search(problem.planned.begin(), problem.planned.end(), c)) {
      entry.value.fail("this joint is not planned");
    }
    full[c] = entry.value.number();
  }
  return problem.plannedPart(full);
}

/// Every planned joint must have a start: it is where the robot stands, and nothing can guess that.
void requireAllPlanned(const Value& where, const JointValues& values, const Problem& problem,
                       bool plans_all) {
  std::string missing;
  for (int c : problem.planned) {
    if (values.count(c) > 0) continue;
    missing += (missing.empty() ? "'" : ", '") + problem.robot->coordinates()[c].name + "'";
  }
  if (missing.empty()) return;
  where.fail("gives no value for " + missing +
             (plans_all ? " (without 'group_name' or 'joints' all joints are planned)"
                        : ", which is planned"));
}

}  // namespace

PackageMap readPackageMap(const Value& task, const std::filesystem::path& task_folder) {
  // Read before the robot itself, whose files may be found through it. `robot: FILE` has no map.
  const Value robot = task.need("robot");
  if (robot.isScalar()) return {};
  PackageMap out;
  const auto map = robot.only(kRobotKeys).find("package_map");
  if (!map) return out;
  for (const Value::Entry& entry : map->entries()) {
    const std::filesystem::path folder = task_folder / entry.value.text();
    if (!std::filesystem::is_directory(folder)) {
      entry.value.fail("no such folder: " + folder.string());
    }
    out[entry.key] = folder;
  }
  return out;
}

/// The robot section: a file name alone, or a map. Warnings of the robot become those of the
/// problem.
void readRobot(const Value& task, const InputFiles& files, bool load_visuals, Problem& problem) {
  const Value section = task.need("robot");
  RobotSource source;
  source.load_visuals = load_visuals;
  source.collide_as_visual = readMissingCollision(task) == MissingCollision::kVisual;
  source.open_meshes = files.openMeshes();
  source.package_map = files.packageMap();
  source.covers = files.covers();
  if (section.isScalar()) {
    source.urdf = files.find(section);  // the short form, robot: FILE
  } else {
    source.urdf = files.find(section.only(kRobotKeys).need("urdf"));
    if (const auto srdf = section.find("srdf")) source.srdf = files.find(*srdf);
    if (const auto soft = section.find("soft_limits")) source.soft_limits = soft->boolean();
    if (const auto base = section.find("base")) {
      const std::string word = base->word({"fixed", "planar", "floating", "srdf"});
      if (word == "planar") source.base = BaseJoint::kPlanar;
      if (word == "floating") source.base = BaseJoint::kFloating;
      if (word == "srdf") source.base = BaseJoint::kFromSrdf;
    }
  }
  problem.robot = files.robot(source);
  if (section.isMap()) problem.robot = withInertias(std::move(problem.robot), section);
  if (asksForGaps(task)) {
    problem.robot = std::make_shared<const RobotModel>(withoutNever(*problem.robot));
  }
  for (const std::string& warning : problem.robot->warnings()) problem.warnings.push_back(warning);
  warnOfRobotUnits(*problem.robot, problem.warnings);
}

/// Which joints are planned: a group, a list, or all.
void readGroup(const Value& task, Problem& problem) {
  const RobotModel& robot = *problem.robot;
  if (task.has("group_name") || task.has("joints")) {
    if (task.oneOf({"group_name", "joints"}) == "joints") {
      problem.planned = namedCoordinates(task.need("joints"), robot);
      return;
    }
    problem.group = task.need("group_name").text();
    problem.planned = groupCoordinates(task.need("group_name"), robot);
    return;
  }
  // Without a group or joints, all joints are planned.
  problem.planned.resize(robot.dimension());
  std::iota(problem.planned.begin(), problem.planned.end(), 0);
  if (problem.planned.empty()) task.need("robot").fail("this robot has no joint that moves");
}

void projectStartAsAsked(const Value& task, Problem& problem) {
  const auto section = task.find("start_state");
  const auto project = section && section->isMap() ? section->find("project") : std::nullopt;
  if (!project || !project->boolean()) return;
  // Soles are put flat on the ground, not what the ground's normal makes of them at this start.
  Problem standing = problem;
  readContacts(task, standing, ContactFrames::kOfSole);
  const StartProjection done = projectStart(standing);
  problem.start = standing.start;
  const bool has_moved = !done.joint.empty() && done.moved > kWorthTelling;
  const bool has_turned = done.turned > kWorthTelling;
  if (!has_moved && !has_turned) return;
  std::string what;
  if (has_moved) {
    what = " joints moved by up to " + formatted("%f", done.moved) + " ('" + done.joint + "')";
  }
  if (has_turned) {
    what += (what.empty() ? "" : ", and") + std::string(" the robot turned by ") +
            formatted("%f", done.turned) + " rad";
  }
  problem.warnings.push_back(placeOf(*project) + ": to stand on its contacts," + what);
}

/// The start: the state of the scene file, replaced by what the task says; and the rates at both
/// ends.
void readStart(const Value& task, const JointValues& scene_state, Problem& problem) {
  const RobotModel& robot = *problem.robot;
  JointValues values = scene_state;
  const auto section = task.find("start_state");
  if (!section && scene_state.empty()) {
    task.fail("'start_state' is missing, and the scene gives no robot state");
  }
  if (section) {
    for (auto& [c, value] : readStartValues(*section, problem)) values.insert_or_assign(c, value);
  }
  requireAllPlanned(section ? *section : task, values, problem,
                    !task.has("group_name") && !task.has("joints"));
  // Planned joints must be inside their limits. Others do not move, so they may be anywhere; those
  // without a value are at their neutral position.
  problem.start = robot.neutralConfiguration();
  for (const auto& [c, given] : values) {
    const bool planned = std::binary_search(problem.planned.begin(), problem.planned.end(), c);
    problem.start[c] =
        planned ? insideLimits(given, robot.coordinates()[c], problem.warnings) : given.value;
  }
  if (section && section->isMap()) {
    problem.start_velocity = readRates(section->find("velocity"), problem);
    problem.start_acceleration = readRates(section->find("acceleration"), problem);
  }
  const auto goal = task.find("goal");
  if (goal && goal->isMap()) {
    problem.goal_velocity = readRates(goal->find("velocity"), problem);
    problem.goal_acceleration = readRates(goal->find("acceleration"), problem);
  }
}

}  // namespace allclear
