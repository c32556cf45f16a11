#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "allclear/planner/problem.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear::test {

/// A small walker for tests of contacts: a pelvis that floats, two legs of six joints with boxes
/// for feet, a trunk that turns and leans, and two arms of two joints. 32 kg, 1.2 m.
class Biped {
 public:
  static constexpr double kHip = 0.1;     ///< of the hips to each side of the pelvis [m]
  static constexpr double kThigh = 0.35;  ///< and of the shank
  static constexpr double kAnkle = 0.08;  ///< height above the sole
  static constexpr double kHalfLength = 0.1, kHalfWidth = 0.05;  ///< of the soles

  Biped() {
    data_.name = "biped";
    data_.links.push_back({"world", -1, {}, {}, {}});
    const int pelvis = addFloating();
    const int trunk_yaw = add("waist_yaw", pelvis, {0, 0, 0.08}, Vec3::UnitZ(), 0.5, {});
    const int trunk = add("waist_pitch", trunk_yaw, {0, 0, 0}, Vec3::UnitY(), 10.0,
                          {{Box({0.18, 0.26, 0.36}), {Mat3::Identity(), {0, 0, 0.24}}}});
    for (const auto& [side, name] : {std::pair{1.0, "l_"}, std::pair{-1.0, "r_"}}) {
      addLeg(pelvis, side, name);
      addArm(trunk, side, name);
    }
    for (std::size_t a = 0; a < data_.links.size(); ++a) disableNear(static_cast<int>(a));
  }

  std::shared_ptr<const RobotModel> build() const { return std::make_shared<RobotModel>(data_); }

 private:
  int finish(Joint joint, double mass, std::vector<Geometry> collision) {
    const int link = static_cast<int>(data_.links.size());
    joint.child_link = link;
    Inertia inertia{mass, Vec3::Zero(), 0.02 * mass * Mat3::Identity()};
    if (!collision.empty()) inertia.p_LC = collision.front().X_BG.p;
    // A joint "l_knee" carries the link "l_knee_link", but feet, hands and pelvis have plain names.
    std::string name = joint.name + "_link";
    if (joint.name.ends_with("ankle_roll")) name = joint.name.substr(0, 2) + "foot";
    if (joint.name.ends_with("elbow")) name = joint.name.substr(0, 2) + "hand";
    if (joint.name == "virtual_joint") name = "pelvis";
    if (joint.name == "waist_pitch") name = "trunk";
    data_.links.push_back(
        {name, static_cast<int>(data_.joints.size()), inertia, std::move(collision), {}});
    data_.joints.push_back(std::move(joint));
    return link;
  }

  int addFloating() {
    Joint joint;
    joint.name = "virtual_joint";
    joint.type = JointType::kFloating;
    joint.parent_link = 0;
    joint.first_coordinate = 0;
    for (const char* part : {"x", "y", "z", "roll", "pitch", "yaw"}) {
      Coordinate c;
      c.name = joint.name + "/" + part;
      c.joint = 0;
      c.is_angle = data_.coordinates.size() >= 3;
      c.upper = c.is_angle ? 1.5 : 10.0;
      c.lower = -c.upper;
      c.velocity = 2.0;
      c.effort = std::numeric_limits<double>::infinity();
      data_.coordinates.push_back(c);
    }
    return finish(std::move(joint), 8.0, {{Box({0.16, 0.24, 0.12}), Pose()}});
  }

  int add(const std::string& name, int parent, const Vec3& p, const Vec3& axis, double mass,
          std::vector<Geometry> collision) {
    Joint joint;
    joint.name = name;
    joint.type = JointType::kRevolute;
    joint.parent_link = parent;
    joint.X_PJ.p = p;
    joint.axis = axis;
    joint.first_coordinate = static_cast<int>(data_.coordinates.size());
    Coordinate c;
    c.name = name;
    c.joint = static_cast<int>(data_.joints.size());
    c.lower = -2.5;
    c.upper = 2.5;
    c.velocity = 4.0;
    c.effort = 150.0;
    data_.coordinates.push_back(c);
    return finish(std::move(joint), mass, std::move(collision));
  }

  void addLeg(int pelvis, double side, const std::string& name) {
    const Pose middle{Mat3::Identity(), {0, 0, -0.5 * kThigh}};
    const int yaw = add(name + "hip_yaw", pelvis, {0, side * kHip, 0}, Vec3::UnitZ(), 0.5, {});
    const int roll = add(name + "hip_roll", yaw, {0, 0, 0}, Vec3::UnitX(), 0.5, {});
    const int thigh = add(name + "hip_pitch", roll, {0, 0, 0}, Vec3::UnitY(), 2.0,
                          {{Capsule(0.05, kThigh - 0.15), middle}});
    const int shank = add(name + "knee", thigh, {0, 0, -kThigh}, Vec3::UnitY(), 1.5,
                          {{Capsule(0.04, kThigh - 0.15), middle}});
    const int ankle = add(name + "ankle_pitch", shank, {0, 0, -kThigh}, Vec3::UnitY(), 0.2, {});
    add(name + "ankle_roll", ankle, {0, 0, 0}, Vec3::UnitX(), 0.8,
        {{Box({2.0 * kHalfLength, 2.0 * kHalfWidth, 0.04}),
          {Mat3::Identity(), {0.03, 0, 0.02 - kAnkle}}}});
  }

  void addArm(int trunk, double side, const std::string& name) {
    const Pose middle{Mat3::Identity(), {0, 0, -0.12}};
    const int upper = add(name + "shoulder", trunk, {0, side * 0.2, 0.38}, Vec3::UnitY(), 1.0,
                          {{Capsule(0.035, 0.16), middle}});
    add(name + "elbow", upper, {0, 0, -0.25}, Vec3::UnitY(), 0.8,
        {{Capsule(0.03, 0.18), middle}, {Sphere(0.04), {Mat3::Identity(), {0, 0, -0.25}}}});
  }

  /// Links within three joints of one another, up or down, are near by build.
  void disableNear(int link) {
    int above = link;
    for (int i = 0; i < 4 && data_.links[above].parent_joint >= 0; ++i) {
      above = data_.joints[data_.links[above].parent_joint].parent_link;
      data_.disabled_pairs.push_back({above, link, "Adjacent", false});
    }
  }

  RobotModel::Data data_;
};

/// A configuration of the biped with both feet flat and side by side at height 0, its knees bent by
/// twice `bend` [rad].
inline VecX bipedStanding(const RobotModel& robot, double bend) {
  VecX q = VecX::Zero(robot.dimension());
  q[2] = 2.0 * Biped::kThigh * std::cos(bend) + Biped::kAnkle;
  for (const std::string side : {"l_", "r_"}) {
    q[robot.findCoordinate(side + "hip_pitch")] = -bend;
    q[robot.findCoordinate(side + "knee")] = 2.0 * bend;
    q[robot.findCoordinate(side + "ankle_pitch")] = -bend;
  }
  return q;
}

/// The sole of one of its feet.
inline Contact bipedSole(const RobotModel& robot, const std::string& link) {
  Contact contact;
  contact.link = robot.findLink(link);
  contact.X_LC.p = {0.03, 0.0, -Biped::kAnkle};
  contact.half_size = {Biped::kHalfLength, Biped::kHalfWidth};
  return contact;
}

/// The biped on both feet from knees bent by 2 * 0.4 rad, all coordinates planned, on a floor; the
/// goal is the start. Not re-rooted.
inline Problem bipedProblem() {
  Problem problem;
  problem.name = "biped";
  problem.robot = Biped().build();
  for (int c = 0; c < problem.robot->dimension(); ++c) problem.planned.push_back(c);
  problem.start = bipedStanding(*problem.robot, 0.4);
  problem.goal = JointTarget{problem.planned, problem.start};
  problem.contacts = {bipedSole(*problem.robot, "l_foot"), bipedSole(*problem.robot, "r_foot")};
  Obstacle floor{"floor", {}, {{HalfSpace(), {}}}, {}};
  problem.obstacles.push_back(floor);
  problem.duration = {2.0, 2.0};
  return problem;
}

}  // namespace allclear::test
