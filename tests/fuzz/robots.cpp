// Descriptions of robots: URDF and SRDF, meshes, and what a mesh's URI may lead to.
#include <algorithm>
#include <cmath>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/mesh_file.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/load_robot.h"
#include "fuzz/targets.h"
#include "support/temporary_folder.h"

namespace allclear::fuzz {
namespace {

namespace fs = std::filesystem;

const char kStl[] =
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
    "endloop\nendfacet\nendsolid a\n";

/// Between a URDF and an SRDF in one input.
constexpr std::string_view kSplit = "\n<!--SRDF-->\n";

void readRobot(std::string_view input, const fs::path& source) {
  static const test::TemporaryFolder folder;
  static const fs::path home = [&] {
    fs::create_directory_symlink(source / "examples/shelf/meshes", folder.path() / "meshes");
    return folder.path();
  }();
  const std::size_t split = input.find(kSplit);
  RobotSource robot_source;
  robot_source.urdf = written(home / "robot.urdf", input.substr(0, split));
  if (split != std::string_view::npos) {
    robot_source.srdf = written(home / "robot.srdf", input.substr(split + kSplit.size()));
  }
  robot_source.package_map["meshes"] = source / "examples/shelf/meshes";
  robot_source.self_pairs.samples = 10;
  const RobotModel robot = loadRobot(robot_source);
  for (const Coordinate& coordinate : robot.coordinates()) {
    require(!std::isnan(coordinate.lower) && !std::isnan(coordinate.upper),
            "limits of a robot are numbers");
  }
}

/// The first byte chooses the format, as its name's ending would.
void readMesh(std::string_view input) {
  static const char* const kNames[] = {"x.stl", "x.obj", "x.dae"};
  if (input.empty()) return;
  const char* name = kNames[static_cast<unsigned char>(input[0]) % 3];
  MeshOptions options;
  options.largest_extent = 1e9;
  options.smallest_extent = 0.0;
  const TriangleMesh mesh = parseMesh(std::string(input.substr(1)), name, options);
  for (const Vec3& p : mesh.vertices()) require(p.allFinite(), "corners of a mesh are finite");
}

/// What a URI leads to is in its package.
void findInPackage(std::string_view uri) {
  static const test::TemporaryFolder folder;
  static const fs::path description = folder.write("ws/arm/urdf/robot.urdf", "");
  static const bool is_ready = [] {
    folder.write("ws/arm/meshes/a.stl", "");
    folder.write("ws/secret", "");
    folder.write("secret", "");
    return true;
  }();
  if (!is_ready || (!uri.starts_with("package://") && !uri.starts_with("model://"))) return;
  const fs::path found =
      PackagePaths({{"mapped", folder.path() / "ws/arm"}}, description).find(std::string(uri), {});
  require(found.filename() != "secret" || uri.find("ws/secret") != std::string_view::npos,
          "a package's files are below its folder");
}

}  // namespace

std::vector<Target> robotTargets(const fs::path& source) {
  const auto both = [&](const char* name) {
    const fs::path folder = source / "examples/shelf";
    return readFile(folder / (std::string(name) + ".urdf")) + std::string(kSplit) +
           readFile(folder / (std::string(name) + ".srdf"));
  };
  const auto mesh = [&](char format, const char* file) {
    return std::string(1, format) + readFile(source / file);
  };
  return {
      {"robot",
       [source](std::string_view input) { readRobot(input, source); },
       {"tests/config/robot/arm.urdf"},
       {both("seven")}},
      {"mesh",
       readMesh,
       {},
       {mesh(1, "tests/config/robot/statue.obj"), std::string(1, '\0') + kStl,
        mesh(0, "tests/robot_models/broken/good_binary.stl"),
        mesh(2, "tests/robot_models/broken/good.dae")}},
      {"package",
       findInPackage,
       {},
       {"package://arm/meshes/a.stl", "package://mapped/../../secret",
        "model://arm/meshes/../../secret"}},
  };
}

}  // namespace allclear::fuzz
