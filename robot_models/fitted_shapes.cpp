// Fitted shapes to JSON and back (docs/fitted_shapes.md). The reader is strict: unknown or missing
// keys, repeated links, numbers that are not finite and sizes that a shape refuses name the file
// and the place. With the robot at hand it also demands that the shapes were made for these very
// files (by their hash) and cover every link with collision geometry: a link left out would be no
// obstacle.
#include "allclear/robot_models/fitted_shapes.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "allclear/core/assert.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/text/json.h"

namespace allclear {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "allclear_fitted_shapes";
constexpr int kVersion = 1;
constexpr std::size_t kLargestFile = std::size_t{1} << 26;
/// A number takes at least two characters of the file.
constexpr std::size_t kMostValues = kLargestFile / 2;
constexpr int kDeepest = 6;  // the object, links, a link, shapes, a shape, its position
/// Quaternions are written with all digits: more than rounding away from 1 is a mistake.
constexpr double kUnitTolerance = 1e-9;

// Writing.

struct ShapeToJson {
  Json& out;

  void operator()(const Sphere& s) const { out["radius"] = s.radius(); }
  void operator()(const Capsule& s) const {
    out["radius"] = s.radius();
    out["length"] = s.length();
  }
  void operator()(const Cylinder& s) const {
    out["radius"] = s.radius();
    out["length"] = s.length();
  }
  void operator()(const Box& s) const { out["size"] = {s.size().x(), s.size().y(), s.size().z()}; }
  void operator()(const Ellipsoid& s) const {
    out["radii"] = {s.radii().x(), s.radii().y(), s.radii().z()};
  }
  template <class Other>
  void operator()(const Other&) const {
    ALLCLEAR_ASSERT(false && "only spheres, capsules, boxes, cylinders and ellipsoids are written");
  }
};

Json toJson(const Geometry& g) {
  Json out{{"type", shapeName(g.shape)}};
  std::visit(ShapeToJson{out}, g.shape);
  const Eigen::Quaterniond q(g.X_BG.R);
  out["position"] = {g.X_BG.p.x(), g.X_BG.p.y(), g.X_BG.p.z()};
  out["orientation"] = {q.x(), q.y(), q.z(), q.w()};
  return out;
}

// A shape to a line: readable, and small enough to compare.
std::string layout(const FittedShapes& shapes) {
  // By hand, because the library's own layout puts either all or nothing on one line.
  const auto text = [](const std::string& s) { return Json(s).dump(); };
  std::string out = "{\n \"format\": " + text(kFormat) +
                    ",\n \"version\": " + std::to_string(kVersion) +
                    ",\n \"robot\": " + text(shapes.robot) +
                    ",\n \"robot_sha256\": " + text(shapes.robot_sha256) + ",\n \"links\": [";
  const char* between_links = "\n";
  for (const FittedLink& link : shapes.links) {
    out += between_links + std::string("  {\"name\": ") + text(link.link) + ", \"shapes\": [";
    const char* between_shapes = "\n";
    for (const Geometry& g : link.shapes) {
      out += between_shapes + std::string("   ") + toJson(g).dump();
      between_shapes = ",\n";
    }
    out += "]}";
    between_links = ",\n";
  }
  return out + "\n ]\n}\n";
}

// Reading.

Shape readShape(const Value& value) {
  const std::string type =
      value.need("type").word({"sphere", "capsule", "cylinder", "box", "ellipsoid"});
  const auto number = [&](const char* key) { return value.need(key).number(); };
  std::vector<std::string> sizes{"radius", "length"};
  if (type == "sphere") sizes = {"radius"};
  if (type == "box") sizes = {"size"};
  if (type == "ellipsoid") sizes = {"radii"};
  sizes.insert(sizes.end(), {"type", "position", "orientation"});
  value.only(sizes);
  if (type == "sphere") return Sphere(number("radius"));
  if (type == "capsule") return Capsule(number("radius"), number("length"));
  if (type == "cylinder") return Cylinder(number("radius"), number("length"));
  if (type == "ellipsoid") return Ellipsoid(value.need("radii").vector3());
  return Box(value.need("size").vector3());
}

Geometry readGeometry(const Value& value) {
  const auto shape = [&] {
    try {
      return readShape(value);
    } catch (const InputError& error) {
      if (!error.place().file.empty()) throw;
      // A size that the shape itself refuses.
      throw InputError({value.file(), value.line(), value.path() + ": " + error.place().key,
                        error.place().value},
                       error.message());
    }
  };
  Geometry g{shape(), {}};
  g.X_BG.p = value.need("position").vector3();
  const Value orientation = value.need("orientation");
  const Eigen::Vector4d q = orientation.numbers(4, "[x, y, z, w]");
  if (std::abs(q.norm() - 1.0) > kUnitTolerance) orientation.fail("must be a unit quaternion");
  g.X_BG.R = Eigen::Quaterniond(q[3], q[0], q[1], q[2]).normalized().matrix();
  return g;
}

}  // namespace

void writeFittedShapes(const FittedShapes& shapes, const std::filesystem::path& path) {
  writeFileAtomically(path, layout(shapes));
}

FittedShapes readFittedShapes(const std::filesystem::path& path) {
  const Value root =
      parseJson(readFile(path, kLargestFile), path.string(), {kLargestFile, kMostValues, kDeepest});
  root.need("format").word({kFormat});
  const Value version = root.need("version");
  if (version.number() != kVersion) version.fail("must be " + std::to_string(kVersion));
  root.only({"format", "version", "robot", "robot_sha256", "links"});
  FittedShapes shapes{
      root.need("robot").textOrEmpty(), root.need("robot_sha256").textOrEmpty(), {}};
  std::set<std::string> names;
  for (const Value& link : root.need("links").items()) {
    link.only({"name", "shapes"});
    FittedLink fitted{link.need("name").textOrEmpty(), {}};
    if (!names.insert(fitted.link).second) link.need("name").fail("appears twice");
    for (const Value& shape : link.need("shapes").items()) {
      fitted.shapes.push_back(readGeometry(shape));
    }
    if (fitted.shapes.empty()) link.need("shapes").fail("must not be empty");
    shapes.links.push_back(std::move(fitted));
  }
  return shapes;
}

FittedShapes readFittedShapes(const std::filesystem::path& path, const RobotModel& robot) {
  FittedShapes shapes = readFittedShapes(path);
  const std::string file = path.string();
  if (shapes.robot_sha256 != robot.sourceSha256()) {
    throw InputError({file, 0, "robot_sha256", shapes.robot_sha256},
                     "the shapes were fitted to other files than those of robot '" + robot.name() +
                         "' as they are now: run allclear fit again");
  }
  // Both ways: no link that the robot does not have, and none that it has is missing.
  std::set<std::string> names;
  for (const FittedLink& fitted : shapes.links) {
    names.insert(fitted.link);
    const int link = robot.findLink(fitted.link);
    if (link < 0 || robot.links()[link].collision.empty()) {
      throw InputError({file, 0, "links", fitted.link}, "the robot has no such link to enclose");
    }
  }
  for (const Link& link : robot.links()) {
    if (!link.collision.empty() && !names.contains(link.name)) {
      throw InputError({file, 0, "links", ""}, "link '" + link.name + "' is missing");
    }
  }
  return shapes;
}

}  // namespace allclear
