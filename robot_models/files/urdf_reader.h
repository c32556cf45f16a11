#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allclear/robot_models/files/urdf_check.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// Limits of a joint with one coordinate; infinite where there is none.
struct UrdfLimits {
  double lower;
  double upper;
  double velocity;
  double effort;
};

/// A joint as the file gives it: limits and mimic not yet turned into coordinates.
struct UrdfJoint {
  Joint joint;
  UrdfLimits limits;
  std::string mimicked;  ///< name of the joint that it repeats; empty: none
  double multiplier = 1.0;
  double offset = 0.0;
  int line = 0;
};

/// A mesh, box, ... of a link before its mesh is loaded.
struct UrdfShape {
  std::optional<Shape> shape;  ///< empty for meshes
  std::string mesh_uri;
  Vec3 mesh_scale = Vec3::Ones();
  Pose X_LG;
  int line = 0;
};

struct UrdfLink {
  std::string name;
  Inertia inertia;
  std::string inertia_fault;  ///< why mass and inertia cannot be used; empty: they can
  std::vector<UrdfShape> collision;
  std::vector<UrdfShape> visual;  ///< empty unless asked for
  bool has_visuals = false;       ///< whether asked for or not, broken ones too
};

/// The content of a URDF in tree order: joints[i] carries links[i + 1].
struct UrdfRobot {
  std::string name;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  LoadNotes notes;
};

/// Reads a URDF through urdfdom. Throws `InputError` with file, line and cause. Thread-safe, but
/// takes urdfdom's process-wide log for the time of the call.
UrdfRobot readUrdf(const std::string& content, const std::string& file, const UrdfParts& parts);

}  // namespace allclear
