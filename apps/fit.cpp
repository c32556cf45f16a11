// allclear fit: enclosing capsules (or ellipsoids) of a robot's links, and how much volume they
// add.
//
// The added volume says how much free space a planner with capsules loses: the volume of the
// capsules' union over that of the link itself, and over that of its convex hull.
#include <chrono>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "allclear/apps/command_checks.h"
#include "allclear/apps/commands.h"
#include "allclear/apps/json_text.h"
#include "allclear/apps/robot_options.h"
#include "allclear/apps/table.h"

#include "allclear/robot_models/fitted_shapes.h"

namespace allclear {
namespace {

using Json = nlohmann::ordered_json;

struct FitOptions {
  RobotOptions robot;
  CapsuleSetOptions capsules;
  std::string output;
  int threads = 0;
  bool ellipsoids = false;  ///< one for each link, instead of capsules
  bool json = false;
};

/// The figures of one link, or of all.
struct Row {
  std::string link;
  std::size_t triangles = 0;
  std::size_t capsules = 0;
  double own = 0.0;  ///< volumes [m^3]
  double hull = 0.0;
  double volume = 0.0;
  bool surface_only = false;

  double addedPercent() const { return 100.0 * (volume / own - 1.0); }
  double addedToHullPercent() const { return 100.0 * (volume / hull - 1.0); }
};

/// Triangles of all meshes of a link; 0 for one of primitives.
std::size_t triangleCount(const Link& link) {
  std::size_t count = 0;
  for (const Geometry& g : link.collision) {
    if (const auto* mesh = std::get_if<TriangleMesh>(&g.shape)) count += mesh->triangles().size();
  }
  return count;
}

std::vector<Row> rowsOf(const RobotModel& robot, const std::vector<LinkFit>& fits) {
  std::vector<Row> rows;
  for (const LinkFit& fit : fits) {
    const Link& link = robot.links()[fit.link];
    rows.push_back({link.name, triangleCount(link), fit.set.capsules.size(), fit.set.solid_volume,
                    fit.set.hull_volume, fit.set.volume, !fit.set.covers_inside});
  }
  return rows;
}

/// The sums over all links; open if any link is.
Row totalOf(const std::vector<Row>& rows) {
  Row total{"total"};
  for (const Row& row : rows) {
    total.triangles += row.triangles;
    total.capsules += row.capsules;
    total.own += row.own;
    total.hull += row.hull;
    total.volume += row.volume;
    total.surface_only = total.surface_only || row.surface_only;
  }
  return total;
}

std::string percent(double value) {
  if (!std::isfinite(value)) return "-";
  return (value >= 0.0 ? "+" : "") + shortNumber(std::round(10.0 * value) / 10.0) + " %";
}

/// Volumes in litres; the last row is the total.
void printRows(const std::vector<Row>& rows, const std::string& shapes, double seconds) {
  Table table({"link", ">triangles", ">own [l]", ">hull [l]", ">" + shapes, ">" + shapes + " [l]",
               ">added", ">to hull", ""});
  std::vector<Row> all = rows;
  all.push_back(totalOf(rows));
  for (const Row& row : all) {
    table.addRow({row.link, row.triangles > 0 ? groupedNumber(row.triangles) : "",
                  shortNumber(1e3 * row.own, 4), shortNumber(1e3 * row.hull, 4),
                  std::to_string(row.capsules), shortNumber(1e3 * row.volume, 4),
                  percent(row.addedPercent()), percent(row.addedToHullPercent()),
                  row.surface_only ? "open: surface only" : ""});
  }
  table.print(std::cout);
  std::cout << "\nVolumes in litres; of several shapes, that of their union. Fitted in "
            << shortNumber(seconds, 3) << " s.\n";
  if (totalOf(rows).surface_only) {
    std::cout
        << "\"open\": a mesh there bounds no solid; its surface is covered, and its own volume "
           "counts as its hull's.\n";
  }
}

Json rowJson(const Row& row) {
  const auto finite = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  return {{"name", row.link},
          {"triangles", row.triangles},
          {"volume", row.own},
          {"hull_volume", row.hull},
          {"capsules", row.capsules},
          {"capsules_volume", row.volume},
          {"added_percent", finite(row.addedPercent())},
          {"covers_inside", !row.surface_only}};
}

void printJson(const RobotModel& robot, const std::vector<Row>& rows, double seconds) {
  Json out{{"robot", robot.name()}, {"robot_sha256", robot.sourceSha256()}, {"seconds", seconds}};
  out["total"] = rowJson(totalOf(rows));
  out["total"].erase("name");
  out["links"] = Json::array();
  for (const Row& row : rows) out["links"].push_back(rowJson(row));
  std::cout << jsonText(out);
}

/// Reads the robot, fits, and prints; writes the capsules first, so that a full disk is noticed.
void fit(const FitOptions& options) {
  requireOutputs({options.output}, options.robot.files());
  const RobotModel robot = loadRobot(options.robot.source());
  // Only the fit is timed, not the reading of files.
  const auto start = std::chrono::steady_clock::now();
  const std::vector<LinkFit> fits = options.ellipsoids
                                        ? fitLinkEllipsoids(robot, options.threads)
                                        : fitLinks(robot, options.capsules, options.threads);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  if (!options.output.empty()) writeFittedShapes(fittedShapes(robot, fits), options.output);
  const std::vector<Row> rows = rowsOf(robot, fits);
  if (options.json) {
    printJson(robot, rows, time.count());
  } else {
    printRows(rows, options.ellipsoids ? "ellipsoids" : "capsules", time.count());
  }
}

}  // namespace

void addFit(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "fit", "Enclose a robot's links by capsules or ellipsoids and say how much volume they add.");
  const auto options = std::make_shared<FitOptions>();
  options->robot.addTo(*command);
  command->add_option("-o,--output", options->output, "write the shapes to this JSON file");
  command
      ->add_option("--max-capsules", options->capsules.max_count,
                   "capsules per link at the most (default 4)")
      ->check(CLI::Range(1, 16));
  command
      ->add_option("--gain", options->capsules.minimum_gain,
                   "share of a link's own volume that each further capsule has to save")
      ->check(numberBetween(0.0, 1e6));
  command->add_flag("--ellipsoids", options->ellipsoids, "one ellipsoid for each link")
      ->excludes(command->get_option("--max-capsules"))
      ->excludes(command->get_option("--gain"));
  command->add_option("--threads", options->threads, "0: as many as the machine has")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] {
    fit(*options);
    exit_code = kDone;
  });
}

}  // namespace allclear
