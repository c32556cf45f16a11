// allclear fk: where the links of a robot are, in one configuration or along a trajectory.
//
// From a task the robot stands where the task starts; from a URDF, in its neutral configuration.
#include <Eigen/Geometry>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "allclear/apps/cache_options.h"
#include "allclear/apps/command_checks.h"
#include "allclear/apps/commands.h"
#include "allclear/apps/configuration_options.h"
#include "allclear/apps/json_text.h"
#include "allclear/apps/table.h"
#include "allclear/config/task_file.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/exports/output_files.h"
#include "allclear/robot_models/load_robot.h"
#include "allclear/robot_models/robot.h"

namespace allclear {
namespace {

struct FkCommand {
  std::string file;
  std::string link;
  std::vector<double> offset;
  std::vector<std::string> packages;
  ConfigurationOptions configuration;
  std::string trajectory;
  double rate = 100.0;
  std::string output;
  bool json = false;
  CacheOptions cache;
};

bool isTask(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  return extension == ".yaml" || extension == ".yml";
}

/// A robot alone counts as a task that plans all its joints and starts at rest where it is neutral.
Problem problemOf(const FkCommand& command) {
  if (isTask(command.file)) {
    // Of several motions: where the first one starts.
    const TaskOptions options{.covers = command.cache.covers(), .allow_segments = true};
    return loadTask(command.file, options).problem;
  }
  // No groups, no goal: what is asked needs neither.
  RobotSource source;
  source.urdf = command.file;
  source.covers = command.cache.covers();
  for (const std::string& package : command.packages) {
    const std::size_t equals = package.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == package.size()) {
      throw InputError({"", 0, "--package", package}, "must be NAME=PATH");
    }
    source.package_map[package.substr(0, equals)] = package.substr(equals + 1);
  }
  Problem problem;
  problem.robot = std::make_shared<const RobotModel>(loadRobot(source));
  problem.start = problem.robot->neutralConfiguration();
  for (int c = 0; c < problem.robot->dimension(); ++c) problem.planned.push_back(c);
  return problem;
}

/// x, y, z and perhaps roll, pitch, yaw.
Pose offsetOf(const std::vector<double>& numbers) {
  Pose X;
  if (numbers.empty()) return X;
  if (numbers.size() != 3 && numbers.size() != 6) {
    throw InputError({"", 0, "--offset", std::to_string(numbers.size()) + " numbers"},
                     "must be X Y Z, or X Y Z ROLL PITCH YAW");
  }
  X.p = Vec3(numbers[0], numbers[1], numbers[2]);
  if (numbers.size() == 6) X.R = rotationFromRpy({numbers[3], numbers[4], numbers[5]});
  return X;
}

struct LinkPose {
  std::string link;
  Pose X_WP;
};

void printText(const std::vector<LinkPose>& poses) {
  Table table({"link", ">x [m]", ">y", ">z", ">roll [rad]", ">pitch", ">yaw"});
  for (const LinkPose& pose : poses) {
    std::vector<std::string> row{pose.link};
    for (const Vec3& v : {pose.X_WP.p, rpyFromRotation(pose.X_WP.R)}) {
      for (int i = 0; i < 3; ++i) row.push_back(shownNumber(v[i]));
    }
    table.addRow(std::move(row));
  }
  table.print(std::cout);
}

void printJson(const RobotModel& robot, const VecX& q, const std::vector<LinkPose>& poses) {
  nlohmann::ordered_json out;
  for (int c = 0; c < robot.dimension(); ++c) {
    out["configuration"][robot.coordinates()[c].name] = q[c];
  }
  out["links"] = nlohmann::ordered_json::array();
  for (const LinkPose& pose : poses) {
    const Vec3& p = pose.X_WP.p;
    const Vec3 rpy = rpyFromRotation(pose.X_WP.R);
    const Eigen::Quaterniond turn(pose.X_WP.R);
    out["links"].push_back({{"link", pose.link},
                            {"position", {p.x(), p.y(), p.z()}},
                            {"orientation", {turn.x(), turn.y(), turn.z(), turn.w()}},
                            {"rpy", {rpy.x(), rpy.y(), rpy.z()}}});
  }
  std::cout << jsonText(out);
}

int runConfiguration(const FkCommand& command, const Problem& problem) {
  const Robot robot(problem.robot);
  const VecX q = command.configuration.read(*problem.robot, problem.planned, problem.start);
  const Pose X_LP = offsetOf(command.offset);
  std::vector<LinkPose> poses;
  if (!command.link.empty()) {
    poses.push_back({command.link, robot.pose(q, command.link) * X_LP});
  } else {
    const std::vector<Pose> all = robot.poses(q);
    for (std::size_t i = 0; i < all.size(); ++i) {
      poses.push_back({problem.robot->links()[i].name, all[i]});
    }
  }
  command.json ? printJson(*problem.robot, q, poses) : printText(poses);
  return kDone;
}

/// The tool's rows go to a file, or are printed.
int runTrajectory(const FkCommand& command, const Problem& problem) {
  if (command.link.empty()) throw InputError("--trajectory needs --link: the tool to follow");
  const NamedTrajectory trajectory = loadTrajectory(command.trajectory, problem);
  for (const std::string& warning : trajectory.warnings)
    std::cerr << "warning: " << warning << "\n";
  const std::string text =
      formatToolCsv(problem, trajectory.trajectory,
                    {command.output, command.link, offsetOf(command.offset), command.rate});
  if (command.output.empty()) {
    std::cout << text;
  } else {
    writeFileAtomically(command.output, text);
    std::cout << "written: " << command.output << "\n";
  }
  return kDone;
}

int runFk(const FkCommand& command) {
  requireOutputs({command.output}, {command.file, command.trajectory});
  if (!command.offset.empty() && command.link.empty()) {
    throw InputError("--offset needs --link: the link that it is fixed to");
  }
  const Problem problem = problemOf(command);
  return command.trajectory.empty() ? runConfiguration(command, problem)
                                    : runTrajectory(command, problem);
}

}  // namespace

void addFk(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("fk", "Show where links are, in one configuration or along a trajectory.");
  const auto options = std::make_shared<FkCommand>();
  command->add_option("file", options->file, "a task, or a robot's URDF")
      ->required()
      ->type_name("TASK.yaml|ROBOT.urdf");
  command->add_option("--link", options->link, "this link alone")->type_name("NAME");
  command
      ->add_option("--offset", options->offset,
                   "a frame on the link instead of its own: X Y Z [m], then ROLL PITCH YAW [rad]")
      ->type_name("X Y Z")
      ->expected(3, 6);
  options->configuration.addTo(*command);
  command->add_option("--package", options->packages, "where package://NAME/.. of a URDF is")
      ->type_name("NAME=PATH")
      ->take_all()
      ->expected(1);
  CLI::Option* trajectory =
      command
          ->add_option("--trajectory", options->trajectory,
                       "the link's pose and velocity along this trajectory, as CSV")
          ->type_name("TRAJ")
          ->excludes("--configuration");
  command->add_option("--rate", options->rate, "rows per second of --trajectory")
      ->check(positiveNumber())
      ->type_name("HZ")
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "write the CSV to this file")
      ->type_name("FILE")
      ->needs(trajectory);
  command->add_flag("--json", options->json, "print JSON")->excludes(trajectory);
  options->cache.addTo(*command);
  command->callback([options, &exit_code] { exit_code = runFk(*options); });
}

}  // namespace allclear
