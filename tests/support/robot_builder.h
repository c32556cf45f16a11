#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "allclear/robot_models/robot_model.h"

namespace allclear::test {

/// Makes a robot joint by joint, for tests that want to know every axis.
class RobotBuilder {
 public:
  RobotBuilder() { data_.links.push_back({"base", -1, {}, {}, {}}); }

  /// A joint of one coordinate within +-3 at `p` of the parent link, without other limits. Returns
  /// the link that it moves.
  int add(JointType type, int parent, const Vec3& p, const Vec3& axis,
          std::vector<Geometry> collision = {}) {
    Joint joint = jointOf(type, parent, p, axis);
    joint.first_coordinate = static_cast<int>(data_.coordinates.size());
    Coordinate coordinate;
    coordinate.name = joint.name;
    coordinate.joint = static_cast<int>(data_.joints.size());
    coordinate.is_angle = type == JointType::kRevolute;
    coordinate.lower = -3.0;
    coordinate.upper = 3.0;
    coordinate.velocity = 1.0;
    coordinate.effort = 100.0;
    data_.coordinates.push_back(coordinate);
    return finish(std::move(joint), std::move(collision));
  }

  /// A turning joint that follows a coordinate.
  int addMimic(int parent, const Vec3& p, const Vec3& axis, const Mimic& mimic) {
    Joint joint = jointOf(JointType::kRevolute, parent, p, axis);
    joint.mimic = mimic;
    return finish(std::move(joint), {});
  }

  std::shared_ptr<const RobotModel> build() const { return std::make_shared<RobotModel>(data_); }

 private:
  Joint jointOf(JointType type, int parent, const Vec3& p, const Vec3& axis) const {
    Joint joint;
    joint.name = "joint" + std::to_string(data_.joints.size());
    joint.type = type;
    joint.parent_link = parent;
    joint.child_link = static_cast<int>(data_.links.size());
    joint.X_PJ.p = p;
    joint.axis = axis;
    return joint;
  }
  int finish(Joint joint, std::vector<Geometry> collision) {
    const int link = static_cast<int>(data_.links.size());
    data_.links.push_back({"link" + std::to_string(link),
                           static_cast<int>(data_.joints.size()),
                           {},
                           std::move(collision),
                           {}});
    data_.joints.push_back(std::move(joint));
    return link;
  }

  RobotModel::Data data_;
};

}  // namespace allclear::test
