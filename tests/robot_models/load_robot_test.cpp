#include "allclear/robot_models/load_robot.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/data.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

TEST(LoadRobot, Shared) {
  for (const char* f :
       {"panda_description/urdf/panda.urdf", "ur5_description/urdf/ur5_robotiq85.urdf",
        "fetch_description/urdf/fetch.urdf", "jvrc_description/urdf/jvrc1.urdf",
        "panda_description/urdf/panda_spherized.urdf",
        "ur5_description/urdf/ur5_robotiq85_spherized.urdf",
        "fetch_description/urdf/fetch_spherized.urdf"}) {
    RobotSource source;
    source.urdf = test::dataFolder() / "robots" / f;
    const RobotModel robot = loadRobot(source);
    std::cout << f << " " << robot.links().size() << " " << robot.dimension() << "\n";
    for (auto& w : robot.warnings()) std::cout << w << "\n";
  }
}

}  // namespace
}  // namespace allclear
