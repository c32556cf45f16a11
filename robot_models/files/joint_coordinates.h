#pragma once

#include <string>
#include <vector>

#include "allclear/robot_models/files/urdf_reader.h"
#include "allclear/robot_models/load_robot.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// Puts a planar or floating joint `joint_name` and a new root link `frame_name` above the root.
/// Underscores are appended to names that are taken.
void addBase(BaseJoint type, const std::string& joint_name, const std::string& frame_name,
             UrdfRobot& robot);

/// The six coordinates of a floating joint at the pose [x, y, z, qx, qy, qz, qw], as MoveIt and
/// pinocchio write it. Pre: the quaternion is not zero; its length does not matter.
VecX floatingCoordinates(const VecX& pose);

/// Joints with their coordinates: one for revolute, continuous and prismatic, three for planar, six
/// for floating joints, none for mimics, whose chains are resolved. A joint that repeats a fixed
/// one becomes fixed at its offset; one that repeats a joint that is not there moves on its own.
/// Throws `InputError` on mimics of joints with several coordinates, and on loops of mimics.
struct JointCoordinates {
  std::vector<Joint> joints;
  std::vector<Coordinate> coordinates;
};
JointCoordinates makeCoordinates(std::vector<UrdfJoint> joints, const std::string& file,
                                 LoadNotes& notes);

}  // namespace allclear
