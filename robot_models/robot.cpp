// A robot by names. Nothing is computed here that `RobotModel` and `Kinematics` do not: names
// become indices, and a name or a length that is wrong becomes an error which says what there is.
#include "allclear/robot_models/robot.h"

#include <algorithm>
#include <numeric>

#include "allclear/core/input_error.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/load_robot.h"

namespace allclear {
namespace {

/// The names of things that have one.
template <class Things>
std::vector<std::string> namesOf(const Things& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.push_back(thing.name);
  return names;
}

/// An index that was found; the error that names what there is instead where it was not.
/// The model says -1, as its callers inside the library ask whether there is one; people who write
/// a name mean that there is.
int requireFound(int index, const char* what, const std::string& name, const RobotModel& model,
                 const std::vector<std::string>& known) {
  if (index >= 0) return index;
  throw InputError({model.sourceFile(), 0, what, name},
                   "the robot has no such " + std::string(what) + insteadOf(name, known));
}

RobotSource sourceOf(const std::filesystem::path& urdf, const std::filesystem::path& srdf) {
  RobotSource source;
  source.urdf = urdf;
  source.srdf = srdf;
  return source;
}

}  // namespace

/// Ascending, as `Problem::planned` has to be: parts of configurations can be handed over as they
/// are.
JointGroup::JointGroup(std::shared_ptr<const RobotModel> model, std::string name,
                       std::vector<int> coordinates)
    : model_(std::move(model)), name_(std::move(name)), coordinates_(std::move(coordinates)) {
  std::sort(coordinates_.begin(), coordinates_.end());
}

std::vector<std::string> JointGroup::jointNames() const {
  std::vector<std::string> names;
  for (const int c : coordinates_) names.push_back(model_->coordinates()[c].name);
  return names;
}

std::vector<std::string> JointGroup::stateNames() const {
  std::vector<std::string> names;
  for (const GroupState& state : model_->groupStates()) {
    if (state.group == name_) names.push_back(state.name);
  }
  return names;
}

/// States name the joints of their group alone: the others stand at neutral, which is within their
/// limits, so that the result is a configuration of the whole robot.
VecX JointGroup::state(const std::string& name) const {
  for (const GroupState& state : model_->groupStates()) {
    if (state.group != name_ || state.name != name) continue;
    VecX q = model_->neutralConfiguration();
    for (const auto& [coordinate, value] : state.values) q[coordinate] = value;
    return q;
  }
  throw InputError({model_->sourceFile(), 0, "group '" + name_ + "': state", name},
                   "the group has no such state" + insteadOf(name, stateNames()));
}

VecX JointGroup::part(const VecX& q) const {
  if (q.size() != model_->dimension()) {
    throw InputError({"", 0, "configuration", std::to_string(q.size()) + " values"},
                     "the robot has " + std::to_string(model_->dimension()) + " coordinates");
  }
  VecX part(static_cast<Eigen::Index>(coordinates_.size()));
  for (std::size_t i = 0; i < coordinates_.size(); ++i) part[i] = q[coordinates_[i]];
  return part;
}

Robot::Robot(const std::filesystem::path& urdf, const std::filesystem::path& srdf)
    : Robot(sourceOf(urdf, srdf)) {}

Robot::Robot(const RobotSource& source)
    : Robot(std::make_shared<const RobotModel>(loadRobot(source))) {}

Robot::Robot(std::shared_ptr<const RobotModel> model)
    : model_(std::move(model)), kinematics_(std::make_shared<const Kinematics>(*model_)) {}

int Robot::linkIndex(const std::string& name) const {
  return requireFound(model_->findLink(name), "link", name, *model_, linkNames());
}

int Robot::coordinateIndex(const std::string& name) const {
  return requireFound(model_->findCoordinate(name), "joint", name, *model_, coordinateNames());
}

std::vector<std::string> Robot::linkNames() const { return namesOf(model_->links()); }

std::vector<std::string> Robot::coordinateNames() const { return namesOf(model_->coordinates()); }

std::vector<std::string> Robot::groupNames() const { return namesOf(model_->groups()); }

JointGroup Robot::group(const std::string& name) const {
  // The SRDF comes first: a file whose "all" leaves out the gripper means that.
  if (const Group* group = model_->findGroup(name)) return {model_, name, group->coordinates};
  std::vector<std::string> known = groupNames();
  known.emplace_back("all");
  // Throws for all other names, with "all" among those that there are.
  requireFound(name == "all" ? 0 : -1, "group", name, *model_, known);
  std::vector<int> every(model_->dimension());
  std::iota(every.begin(), every.end(), 0);
  return {model_, name, std::move(every)};
}

VecX Robot::configuration(const NamedValues& values, const VecX& base) const {
  VecX q = base.size() > 0 ? base : model_->neutralConfiguration();
  requireConfiguration(q);
  for (const auto& [name, value] : values) q[coordinateIndex(name)] = value;
  return q;
}

/// Kinematics goes through the tree as a whole, so one pose costs as much as all of them: who needs
/// several calls `poses` once. The name is looked up first, as an error costs nothing there.
Pose Robot::pose(const VecX& q, const std::string& link) const {
  const int index = linkIndex(link);
  return poses(q)[index];
}

std::vector<Pose> Robot::poses(const VecX& q) const {
  requireConfiguration(q);
  Kinematics::Workspace workspace = kinematics_->makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics_->linkPoses(q, workspace, X_WL);
  return X_WL;
}

Jacobian Robot::jacobian(const VecX& q, const std::string& link, const Vec3& p_L) const {
  requireConfiguration(q);
  const int index = linkIndex(link);
  Kinematics::Workspace workspace = kinematics_->makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics_->linkPoses(q, workspace, X_WL);
  Jacobian J;
  // The workspace still holds the joints of `linkPoses`, at the same q; the point is one of the
  // world.
  kinematics_->pointJacobian(workspace, index, X_WL[index] * p_L, J);
  return J;
}

void Robot::requireConfiguration(const VecX& q) const {
  if (q.size() == model_->dimension()) return;
  throw InputError({model_->sourceFile(), 0, "configuration", std::to_string(q.size()) + " values"},
                   "the robot has " + std::to_string(model_->dimension()) + " coordinates");
}

}  // namespace allclear
