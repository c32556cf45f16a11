// Capsules about the links of robots: how much volume they add and what they cost.
//   bench_fit [--data FOLDER] [--json FILE] [--max-count N] [--gain G] [--links]
#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "allclear/distance/fitting.h"
#include "allclear/distance/shape.h"
#include "allclear/robot_models/load_robot.h"

namespace {

using namespace allclear;

// Of this process: the machine may be busy with others.
double cpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Totals {
  int capsules = 0;
  double volume = 0.0;
  double single = 0.0;
  double hull = 0.0;
  double solid = 0.0;
  double seconds = 0.0;
};

Totals measure(const RobotModel& robot, const CapsuleSetOptions& options, bool print_links) {
  Totals totals;
  for (const Link& link : robot.links()) {
    if (link.collision.empty()) continue;
    const double start = cpuSeconds();
    const CapsuleSet set = fitCapsules(link.collision, options);
    const double seconds = cpuSeconds() - start;
    const double single = shapeVolume(fitCapsule(link.collision).shape);
    totals.capsules += static_cast<int>(set.capsules.size());
    totals.volume += set.volume;
    totals.single += single;
    totals.hull += set.hull_volume;
    totals.solid += set.solid_volume;
    totals.seconds += seconds;
    if (!print_links) continue;
    std::printf(
        "  %-28s solid %9.6f hull %9.6f one capsule %+7.1f %%  %zu capsules %+7.1f %%  %6.1f ms\n",
        link.name.c_str(), set.solid_volume, set.hull_volume,
        100.0 * (single / set.solid_volume - 1.0), set.capsules.size(),
        100.0 * (set.volume / set.solid_volume - 1.0), 1e3 * seconds);
  }
  return totals;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Capsules about the links of robots");
  std::string data = "../shared/data";
  std::string json_file;
  CapsuleSetOptions options;
  bool links = false;
  app.add_option("--data", data, "folder of the shared data");
  app.add_option("--json", json_file, "write the figures here");
  app.add_option("--max-count", options.max_count);
  app.add_option("--gain", options.minimum_gain);
  app.add_flag("--links", links, "print every link");
  CLI11_PARSE(app, argc, argv);

  const std::pair<const char*, const char*> robots[] = {
      {"panda", "panda_description/urdf/panda.urdf"},
      {"ur5", "ur5_description/urdf/ur5_robotiq85.urdf"},
      {"fetch", "fetch_description/urdf/fetch.urdf"},
      {"jvrc", "jvrc_description/urdf/jvrc1.urdf"}};
  nlohmann::json figures;
  std::printf("%-6s %9s %10s %10s %12s %12s %9s\n", "robot", "capsules", "solid [l]", "hull [l]",
              "one capsule", "added", "cpu [s]");
  for (const auto& [name, urdf] : robots) {
    RobotSource source;
    source.urdf = std::filesystem::path(data) / "robots" / urdf;
    const RobotModel robot = loadRobot(source);
    const Totals t = measure(robot, options, links);
    std::printf("%-6s %9d %10.3f %10.3f %+10.1f %% %+10.1f %% %9.3f\n", name, t.capsules,
                1e3 * t.solid, 1e3 * t.hull, 100.0 * (t.single / t.solid - 1.0),
                100.0 * (t.volume / t.solid - 1.0), t.seconds);
    const std::string key = std::string("fit_") + name;
    figures[key + "_capsules"] = t.capsules;
    figures[key + "_added_percent"] = 100.0 * (t.volume / t.solid - 1.0);
    figures[key + "_one_capsule_added_percent"] = 100.0 * (t.single / t.solid - 1.0);
    figures[key + "_seconds"] = t.seconds;
  }
  if (!json_file.empty()) {
    std::ofstream(json_file) << nlohmann::json{{"figures", figures}}.dump(2) << "\n";
  }
}
