#include "allclear/apps/robot_options.h"

#include "allclear/core/input_error.h"

namespace allclear {
namespace {

/// The words are checked by the command line.
BaseJoint baseOf(const std::string& word) {
  if (word == "planar") return BaseJoint::kPlanar;
  if (word == "floating") return BaseJoint::kFloating;
  return word == "srdf" ? BaseJoint::kFromSrdf : BaseJoint::kFixed;
}

}  // namespace

/// The same options, with the same words, for every subcommand that reads a robot.
void RobotOptions::addTo(CLI::App& command) {
  command.add_option("urdf", urdf_, "the robot's URDF")->required()->type_name("ROBOT.urdf");
  command.add_option("--srdf", srdf_, "its SRDF: groups and pairs not to check")->type_name("FILE");
  command.add_option("--package", packages_, "where package://NAME/.. is; may be repeated")
      ->type_name("NAME=PATH")
      ->take_all()
      ->expected(1);
  command.add_option("--base", base_, "how the root link stands in the world")
      ->check(CLI::IsMember({"fixed", "planar", "floating", "srdf"}))
      ->capture_default_str();
  command.add_flag("--soft-limits", soft_limits_, "narrow the limits to the soft ones");
  command.add_option("--pair-samples", pair_samples_, "configurations drawn to find default pairs")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command.add_flag("--skip-never", disable_never_,
                   "do not check default pairs that no sample saw in contact (unproven)");
  cache_.addTo(command);
}

/// Splits NAME=PATH at the first =, so that a path may hold another.
RobotSource RobotOptions::source() const {
  RobotSource source;
  source.urdf = urdf_;
  source.srdf = srdf_;
  source.base = baseOf(base_);
  source.soft_limits = soft_limits_;
  source.self_pairs.samples = pair_samples_;
  source.self_pairs.disable_never = disable_never_;
  source.covers = cache_.covers();
  for (const std::string& package : packages_) {
    const std::size_t equals = package.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == package.size()) {
      throw InputError({"", 0, "--package", package}, "must be NAME=PATH");
    }
    source.package_map[package.substr(0, equals)] = package.substr(equals + 1);
  }
  return source;
}

}  // namespace allclear
