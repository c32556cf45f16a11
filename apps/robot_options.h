#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "allclear/apps/cache_options.h"
#include "allclear/robot_models/load_robot.h"

namespace allclear {

/// Options of every subcommand that reads a robot from the command line.
class RobotOptions {
 public:
  void addTo(CLI::App& command);

  /// Throws `InputError`.
  RobotSource source() const;
  /// The files that it names, which no output may replace.
  std::vector<std::string> files() const { return {urdf_, srdf_}; }

 private:
  std::string urdf_;
  std::string srdf_;
  std::string base_ = "fixed";
  std::vector<std::string> packages_;
  bool soft_limits_ = false;
  int pair_samples_ = DefaultPairOptions{}.samples;
  bool disable_never_ = false;
  CacheOptions cache_;
};

}  // namespace allclear
