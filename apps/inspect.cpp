// allclear inspect: what Allclear reads in a robot's files.
#include "allclear/apps/inspect.h"

#include <iostream>

#include "allclear/apps/commands.h"
#include "allclear/apps/robot_options.h"

namespace allclear {
namespace {

struct InspectOptions {
  RobotOptions robot;
  bool json = false;
  bool pairs = false;
};

}  // namespace

/// `inspect`: prints a robot as it was understood, as tables or as JSON.
void addInspect(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "inspect", "Show a robot: tree, joints, limits, geometry, groups and pairs to check.");
  const auto options = std::make_shared<InspectOptions>();
  options->robot.addTo(*command);
  command->add_flag("--pairs", options->pairs, "list every pair of links");
  command->add_flag("--json", options->json, "print JSON, with everything in it");
  command->callback([options, &exit_code] {
    const RobotModel robot = loadRobot(options->robot.source());
    if (options->json) {
      printRobotJson(robot, std::cout);
    } else {
      printRobot(robot, options->pairs, std::cout);
    }
    exit_code = kDone;
  });
}

}  // namespace allclear
