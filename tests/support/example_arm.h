#pragma once

#include <memory>

#include "allclear/robot_models/load_robot.h"
#include "support/data.h"

namespace allclear::test {

/// The seven-joint arm of examples/shelf, loaded once.
inline std::shared_ptr<const RobotModel> exampleArm() {
  static const auto kArm = [] {
    const auto folder = sourceFolder() / "examples/shelf";
    RobotSource source;
    source.urdf = folder / "seven.urdf";
    source.srdf = folder / "seven.srdf";
    return std::make_shared<const RobotModel>(loadRobot(source));
  }();
  return kArm;
}

}  // namespace allclear::test
