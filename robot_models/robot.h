#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "allclear/robot_models/robot_model.h"

namespace allclear {

class Kinematics;
struct RobotSource;

/// Values [rad or m] of some joints by name; of a joint with several coordinates by theirs
/// ("base/x").
using NamedValues = std::map<std::string, double>;

/// The joints that are planned together, by name. A value: copies share the model.
class JointGroup {
 public:
  JointGroup(std::shared_ptr<const RobotModel> model, std::string name,
             std::vector<int> coordinates);

  const std::string& name() const { return name_; }
  /// Indices of the robot's coordinates, ascending.
  const std::vector<int>& coordinates() const { return coordinates_; }
  std::vector<std::string> jointNames() const;

  /// The states that the SRDF names for this group.
  std::vector<std::string> stateNames() const;
  /// The configuration of the whole robot in such a state; coordinates that it does not name are
  /// those of `RobotModel::neutralConfiguration`. Throws `InputError` for an unknown name.
  VecX state(const std::string& name) const;

  /// The group's part of a configuration of the robot.
  VecX part(const VecX& q) const;

 private:
  std::shared_ptr<const RobotModel> model_;
  std::string name_;
  std::vector<int> coordinates_;
};

/// A robot whose links, joints, groups and states are asked for by name, with its kinematics. A
/// value: copies share the (immutable) model and are safe in several threads.
///
/// Configurations q have an entry for every coordinate of the robot. Poses are in the world, which
/// is the root link's frame. Every name that the robot does not have throws `InputError` with the
/// nearest one that it has, and so does a configuration of another length.
class Robot {
 public:
  /// Reads URDF and SRDF (`loadRobot`); without an SRDF there are no groups but "all".
  explicit Robot(const std::filesystem::path& urdf, const std::filesystem::path& srdf = {});
  explicit Robot(const RobotSource& source);  ///< (load_robot.h)
  explicit Robot(std::shared_ptr<const RobotModel> model);

  const RobotModel& model() const { return *model_; }
  const std::shared_ptr<const RobotModel>& sharedModel() const { return model_; }
  const Kinematics& kinematics() const { return *kinematics_; }

  int linkIndex(const std::string& name) const;
  int coordinateIndex(const std::string& name) const;
  std::vector<std::string> linkNames() const;
  std::vector<std::string> coordinateNames() const;

  std::vector<std::string> groupNames() const;
  /// A group of the SRDF; "all", unless the SRDF has such a group, is every joint.
  JointGroup group(const std::string& name) const;

  /// `base` with these values in place; `base` is the neutral configuration where it is empty.
  VecX configuration(const NamedValues& values, const VecX& base = {}) const;

  /// X_WL. O(links), as `poses`.
  Pose pose(const VecX& q, const std::string& link) const;
  /// The poses of all links, in the order of `RobotModel::links`.
  std::vector<Pose> poses(const VecX& q) const;
  /// Geometric Jacobian at the link's point p_L: rows 0-2 its velocity [m/s], rows 3-5 the angular
  /// velocity [rad/s], along the world's axes.
  Eigen::Matrix<double, 6, Eigen::Dynamic> jacobian(const VecX& q, const std::string& link,
                                                    const Vec3& p_L = Vec3::Zero()) const;

 private:
  void requireConfiguration(const VecX& q) const;

  std::shared_ptr<const RobotModel> model_;
  std::shared_ptr<const Kinematics> kinematics_;
};

}  // namespace allclear
