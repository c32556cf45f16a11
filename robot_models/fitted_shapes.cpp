// Fitted shapes to JSON and back (docs/fitted_shapes.md). The reader is strict: unknown or missing
// keys, repeated links, numbers that are not finite and sizes that a shape refuses name the file
// and the place. With the robot at hand it also demands that the shapes were made for these very
// files (by their hash) and cover every link with collision geometry: a link left out would be no
// obstacle.
#include "allclear/robot_models/fitted_shapes.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "allclear/core/assert.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"

namespace allclear {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "allclear_fitted_shapes";
constexpr int kVersion = 1;
constexpr std::size_t kLargestFile = std::size_t{1} << 26;
// Of the norm of a quaternion: 16 printed digits err by 1e-16, and other programs print fewer.
constexpr double kUnitSlack = 1e-9;

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
  template <class Other>
  void operator()(const Other&) const {
    ALLCLEAR_ASSERT(!"only spheres, capsules, boxes and cylinders are written");
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

// One object of the file and its name for messages, like links[2].shapes[0]. Refers to the
// document, which must outlive it.
class Object {
 public:
  Object(const Json& json, std::string name, const std::string& file)
      : json_(json), name_(std::move(name)), file_(file) {
    if (!json_.is_object()) fail("", "must be an object {..}");
  }

  [[noreturn]] void fail(const std::string& key, const std::string& message) const {
    std::string value;
    const auto found = json_.is_object() ? json_.find(key) : json_.end();
    if (found != json_.end() && found->is_primitive()) value = found->dump();
    const std::string dot = name_.empty() || key.empty() ? "" : ".";
    throw InputError({file_, 0, name_ + dot + key, value}, message);
  }

  void requireOnly(const std::vector<std::string>& known) const {
    for (const auto& item : json_.items()) {
      if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
        throw InputError({file_, 0, name_.empty() ? "key" : name_, item.key()},
                         "this key is unknown" + didYouMean(item.key(), known));
      }
    }
  }

  const Json& at(const std::string& key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(key, "this key is missing");
    return *found;
  }

  std::string text(const std::string& key) const {
    if (!at(key).is_string()) fail(key, "must be a string");
    return at(key).get<std::string>();
  }

  double number(const std::string& key) const {
    if (!at(key).is_number()) fail(key, "must be a number");
    return at(key).get<double>();
  }

  template <int Count>
  Eigen::Matrix<double, Count, 1> numbers(const std::string& key) const {
    const Json& list = at(key);
    if (!list.is_array() || list.size() != Count) {
      fail(key, "must be an array of " + std::to_string(Count) + " numbers");
    }
    Eigen::Matrix<double, Count, 1> result;
    for (int i = 0; i < Count; ++i) {
      if (!list[i].is_number()) fail(key, "must be an array of numbers");
      result[i] = list[i].get<double>();
    }
    if (!result.allFinite()) fail(key, "must be finite");
    return result;
  }

  std::vector<Object> objects(const std::string& key) const {
    if (!at(key).is_array()) fail(key, "must be an array [..]");
    std::vector<Object> result;
    for (const Json& item : at(key)) {
      const std::string dot = name_.empty() ? "" : ".";
      result.emplace_back(item, name_ + dot + key + "[" + std::to_string(result.size()) + "]",
                          file_);
    }
    return result;
  }

  const std::string& name() const { return name_; }

 private:
  const Json& json_;
  std::string name_;
  const std::string& file_;
};

Shape readShape(const Object& object) {
  const std::string type = object.text("type");
  // Every type allows its own sizes beside the pose, and nothing else.
  const auto allow = [&](std::vector<std::string> sizes) {
    sizes.insert(sizes.end(), {"type", "position", "orientation"});
    object.requireOnly(sizes);
  };
  if (type == "sphere") {
    allow({"radius"});
    return Sphere(object.number("radius"));
  }
  if (type == "capsule") {
    allow({"radius", "length"});
    return Capsule(object.number("radius"), object.number("length"));
  }
  if (type == "cylinder") {
    allow({"radius", "length"});
    return Cylinder(object.number("radius"), object.number("length"));
  }
  if (type == "box") {
    allow({"size"});
    return Box(object.numbers<3>("size"));
  }
  object.fail("type", "must be sphere, capsule, cylinder or box");
}

Geometry readGeometry(const Object& object, const std::string& file) {
  const auto shape = [&] {
    try {
      return readShape(object);
    } catch (const InputError& error) {
      if (!error.place().file.empty()) throw;
      // A size that the shape itself refuses.
      throw InputError({file, 0, object.name() + ": " + error.place().key, error.place().value},
                       error.message());
    }
  };
  Geometry g{shape(), {}};
  g.X_BG.p = object.numbers<3>("position");
  // x, y, z, w; normalised after the check, so that the rotation is orthonormal to rounding.
  const Eigen::Vector4d q = object.numbers<4>("orientation");
  if (std::abs(q.norm() - 1.0) > kUnitSlack)
    object.fail("orientation", "must be a unit quaternion");
  g.X_BG.R = Eigen::Quaterniond(q[3], q[0], q[1], q[2]).normalized().matrix();
  return g;
}

Json parse(const std::string& text, const std::string& file) {
  // Deeper nesting than the format has is refused while parsing: recursion stays shallow.
  constexpr int kDeepest = 6;
  const auto watch = [&](int depth, Json::parse_event_t event, Json&) {
    if (depth > kDeepest && event != Json::parse_event_t::value) {
      throw InputError({file, 0, "", ""}, "is nested too deeply for fitted shapes");
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + static_cast<long>(std::min(error.byte, text.size()));
    const int line = 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
    throw InputError({file, line, "", ""}, "is not valid JSON");
  } catch (const Json::exception&) {  // the library's only other complaint about well-formed text
    throw InputError({file, 0, "", ""}, "has a number that is out of range");
  }
}

}  // namespace

void writeFittedShapes(const FittedShapes& shapes, const std::filesystem::path& path) {
  writeFileAtomically(path, layout(shapes));
}

FittedShapes readFittedShapes(const std::filesystem::path& path) {
  const std::string file = path.string();
  const Json json = parse(readFile(path, kLargestFile), file);
  const Object root(json, "", file);
  if (root.text("format") != kFormat) {
    root.fail("format", std::string("must be \"") + kFormat + "\"");
  }
  if (root.number("version") != kVersion) {
    root.fail("version", "must be " + std::to_string(kVersion));
  }
  root.requireOnly({"format", "version", "robot", "robot_sha256", "links"});
  // Each link once, with at least one shape.
  FittedShapes shapes{root.text("robot"), root.text("robot_sha256"), {}};
  std::set<std::string> names;
  for (const Object& link : root.objects("links")) {
    link.requireOnly({"name", "shapes"});
    FittedLink fitted{link.text("name"), {}};
    if (!names.insert(fitted.link).second) link.fail("name", "appears twice");
    for (const Object& shape : link.objects("shapes")) {
      fitted.shapes.push_back(readGeometry(shape, file));
    }
    if (fitted.shapes.empty()) link.fail("shapes", "must not be empty");
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
