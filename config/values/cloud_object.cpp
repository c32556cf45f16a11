// Objects that are clouds of points or boxes: scans, octrees, height maps and depth images.
//
// Frames. An object's numbers are in its own frame O; `frame` and `pose` (or `motion`) place that.
// Of a depth image O is the camera's optical frame: x to the right of the picture, y down, z along
// the view.
#include "allclear/config/values/cloud_object.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "allclear/config/values/motion_file.h"
#include "allclear/config/values/pose.h"
#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/cloud.h"
#include "allclear/robot_models/files/height_file.h"
#include "allclear/robot_models/files/octree_file.h"
#include "allclear/robot_models/files/point_file.h"

namespace allclear {
namespace {

/// As MoveIt names it in matrices of allowed pairs.
constexpr const char* kOctomapId = "<octomap>";

/// A depth image's values are millimetres unless it says else, as of most cameras.
constexpr double kDefaultDepthScale = 1e-3;

std::string shown(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string counted(std::size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// What a type of cloud has in its frame.
struct Elements {
  std::vector<Vec3> points;
  double radius = 0.0;
  std::vector<AlignedBox> boxes;  ///< instead of points
  std::vector<std::string> notes;
};

/// Calls `make`; what it refuses is an error at `place`.
template <class Make>
auto madeAt(const Value& place, const Make& make) {
  try {
    return make();
  } catch (const InputError& error) {
    if (!error.place().file.empty()) throw;
    place.fail(error.message());
  }
}

double numberOr(const Value& object, const char* key, double otherwise) {
  const auto value = object.find(key);
  return value ? value->number() : otherwise;
}
double positiveOr(const Value& object, const char* key, double otherwise) {
  const auto value = object.find(key);
  return value ? value->positive() : otherwise;
}

Elements pointsOf(const Value& object, SceneContext& context) {
  Elements out;
  out.radius = object.need("radius").positive();
  // In place, or from a file with what it says beside the points.
  if (object.oneOf({"file", "points"}) == "points") {
    for (const Value& point : object.need("points").items()) out.points.push_back(readPoint(point));
    if (object.has("scale")) object.failAtKey("scale", "goes with 'file', not with 'points'");
    return out;
  }
  const Value name = object.need("file");
  PointFile file = parsePoints(context.files.content(name), context.files.find(name));
  out.points = std::move(file.points);
  out.notes = std::move(file.notes);
  if (file.dropped > 0) {
    out.notes.push_back(counted(file.dropped, "point") +
                        " without a place (NaN or infinite) left out");
  }
  const double scale = positiveOr(object, "scale", 1.0);
  for (Vec3& p : out.points) p *= scale;
  return out;
}

OctreeOptions octreeOptions(const Value& object) {
  OctreeOptions options;
  if (const auto unknown = object.find("unknown")) {
    options.unknown_is_occupied = unknown->word({"free", "occupied"}) == "occupied";
  }
  if (const auto occupancy = object.find("occupancy")) {
    options.occupancy = occupancy->positive();
    if (!(options.occupancy < 1.0)) occupancy->fail("must be between 0 and 1");
  }
  return options;
}

std::string unknownText(bool is_occupied) {
  return is_occupied ? "cells that the octree knows nothing of count as occupied within the box of "
                       "all that it knows, and as free beyond"
                     : "cells that the octree knows nothing of count as free";
}

Elements octreeOf(const Value& object, SceneContext& context) {
  const Value name = object.need("file");
  const OctreeOptions options = octreeOptions(object);
  Octree tree = parseOctree(context.files.content(name), context.files.find(name), options);
  if (object.has("occupancy") && !tree.has_probabilities) {
    object.failAtKey("occupancy", "the file keeps no probabilities (.ot does, .bt does not)");
  }
  // An obstacle without anything solid is a mistake.
  if (tree.occupied.empty()) name.fail("the octree has no occupied cell");
  Elements out;
  out.boxes = std::move(tree.occupied);
  out.notes.push_back(unknownText(options.unknown_is_occupied));
  if (tree.has_probabilities) {
    out.notes.push_back("cells are occupied from a probability of " + shown(options.occupancy));
  }
  return out;
}

bool isPicture(const std::filesystem::path& path) {
  const std::string suffix = path.extension().string();
  return suffix == ".pgm" || suffix == ".png" || suffix == ".PGM" || suffix == ".PNG";
}

/// [m] As of shapes: smaller cells are none.
double cellSize(const Value& value, double share = 1.0) {
  constexpr double kLeast = 1e-30;
  const double size = value.positive() * share;
  if (!(size >= kLeast)) value.fail("its cells must be 1e-30 m or more");
  return size;
}

/// Edges of a cell [m] from `resolution` (one number) or `size` (of the whole map, [x, y]).
Eigen::Vector2d cellOf(const Value& object, const NumberGrid& grid) {
  if (object.oneOf({"resolution", "size"}) == "resolution") {
    return Eigen::Vector2d::Constant(cellSize(object.need("resolution")));
  }
  const Value size = object.need("size");
  size.numbers(2, "[x, y]");
  return {cellSize(size.at(0), 1.0 / static_cast<double>(grid.columns)),
          cellSize(size.at(1), 1.0 / static_cast<double>(grid.rows))};
}

/// One column for each run of neighbours in a row that are as high: floors become long boxes.
std::vector<AlignedBox> columnsOf(const NumberGrid& grid, const Eigen::Vector2d& cell, double scale,
                                  double offset, double base) {
  std::vector<AlignedBox> boxes;
  const double left = -0.5 * cell.x() * static_cast<double>(grid.columns);
  const double top = 0.5 * cell.y() * static_cast<double>(grid.rows);
  StopSteps steps;
  for (std::size_t row = 0; row < grid.rows; ++row) {
    for (std::size_t first = 0, last = 0; first < grid.columns; first = last) {
      steps.step();
      const double height = grid.at(row, first);
      // As far as the height stays the same.
      for (last = first + 1; last < grid.columns && grid.at(row, last) == height;) ++last;
      const double upper = offset + scale * height;
      if (!(upper > base)) continue;
      boxes.push_back({{left + cell.x() * static_cast<double>(first),
                        top - cell.y() * static_cast<double>(row + 1), base},
                       {left + cell.x() * static_cast<double>(last),
                        top - cell.y() * static_cast<double>(row), upper}});
    }
  }
  return boxes;
}

Elements heightMapOf(const Value& object, SceneContext& context) {
  const Value name = object.need("file");
  const std::filesystem::path path = context.files.find(name);
  const std::string content = context.files.content(name);
  const bool is_picture = isPicture(path);
  const NumberGrid grid =
      is_picture ? parseGreyPicture(content, path) : parseNumberGrid(content, path);
  if (is_picture && !object.has("scale")) {
    object.fail("'scale' is missing: metres for each grey value of the picture");
  }
  const double scale = numberOr(object, "scale", 1.0), offset = numberOr(object, "offset", 0.0);
  // Below the lowest height there is a floor of one cell, so that no column is flat.
  double lowest = HUGE_VAL;
  for (const double value : grid.values) lowest = std::min(lowest, offset + scale * value);
  const Eigen::Vector2d cell = cellOf(object, grid);
  const double base = numberOr(object, "base", lowest - cell.maxCoeff());
  Elements out;
  out.boxes = columnsOf(grid, cell, scale, offset, base);
  if (out.boxes.empty()) object.fail("no height is above 'base'");
  out.notes.push_back("each of its " + std::to_string(grid.columns) + " x " +
                      std::to_string(grid.rows) +
                      " heights is that of a whole cell, solid down to " + shown(base) + " m");
  if (lowest <= base) out.notes.push_back("cells that are not above that are empty");
  return out;
}

Elements depthImageOf(const Value& object, SceneContext& context) {
  const Value name = object.need("file");
  const NumberGrid grid = parseGreyPicture(context.files.content(name), context.files.find(name));
  const Value intrinsics = object.need("intrinsics").only({"fx", "fy", "cx", "cy"});
  const double fx = intrinsics.need("fx").positive(), fy = intrinsics.need("fy").positive();
  const double cx = intrinsics.need("cx").number(), cy = intrinsics.need("cy").number();
  const double scale = positiveOr(object, "depth_scale", kDefaultDepthScale);
  const double nearest = positiveOr(object, "min", 0.0),
               farthest = positiveOr(object, "max", HUGE_VAL);
  const auto stride_value = object.find("stride");
  const auto stride = static_cast<std::size_t>(stride_value ? stride_value->integer(1, 1000) : 1);
  Elements out;
  out.radius = object.need("radius").positive();
  std::size_t empty = 0, beyond = 0;
  StopSteps steps;
  for (std::size_t v = 0; v < grid.rows; v += stride) {
    for (std::size_t u = 0; u < grid.columns; u += stride) {
      steps.step();
      // A camera writes 0 where it has seen nothing, which is not a surface at the lens.
      const double z = scale * grid.at(v, u);
      if (!(z > 0.0)) {
        ++empty;
      } else if (!(z >= nearest && z <= farthest)) {
        ++beyond;
      } else {
        // The pinhole model: a pixel is a ray, and z is measured along the view, not along the ray.
        out.points.emplace_back((static_cast<double>(u) - cx) * z / fx,
                                (static_cast<double>(v) - cy) * z / fy, z);
      }
    }
  }
  if (out.points.empty()) object.fail("no value of the picture is a depth in range");
  out.notes.push_back(
      counted(out.points.size(), "point") + " of a depth image; " + counted(empty, "value") +
      " without a depth left out" +
      (beyond > 0 ? ", " + std::to_string(beyond) + " beyond 'min' and 'max'" : "") +
      (stride > 1 ? "; every " + std::to_string(stride) + "th row and column" : ""));
  return out;
}

struct CloudType {
  const char* name;
  std::vector<std::string> keys;
  Elements (*read)(const Value&, SceneContext&);
};

const std::vector<CloudType>& types() {
  static const std::vector<CloudType> kTypes = {
      {"point_cloud", {"file", "points", "radius", "scale"}, pointsOf},
      {"octree", {"file", "unknown", "occupancy"}, octreeOf},
      {"height_map", {"file", "resolution", "size", "base", "scale", "offset"}, heightMapOf},
      {"depth_image",
       {"file", "intrinsics", "depth_scale", "stride", "min", "max", "radius"},
       depthImageOf}};
  return kTypes;
}

std::shared_ptr<const Cloud> cloudOf(const Elements& elements) {
  return std::make_shared<const Cloud>(elements.boxes.empty()
                                           ? Cloud::balls(elements.points, elements.radius)
                                           : Cloud::boxes(elements.boxes));
}

void refuseSecondId(const Value& id, const Scene& scene) {
  const auto named = [&](const auto& object) { return object.id == id.text(); };
  if (std::any_of(scene.obstacles.begin(), scene.obstacles.end(), named) ||
      std::any_of(scene.attached.begin(), scene.attached.end(), named)) {
    id.fail("there is an object of this id already");
  }
}

/// The obstacle's pose, or its motion; until the first knot it is there.
void place(const Value& object, SceneContext& context, Obstacle* obstacle) {
  const auto frame = object.find("frame");
  const Pose X_WF = frame ? context.frames.find(*frame) : Pose();
  const auto pose = object.find("pose");
  const auto motion = object.find("motion");
  if (pose && motion) object.failAtKey("motion", "give 'pose' or 'motion', not both");
  obstacle->X_WO = pose ? X_WF * readPose(*pose) : X_WF;
  if (!motion) return;
  obstacle->motion =
      parseMotion(context.files.content(*motion), context.files.find(*motion).string());
  for (PoseKnot& knot : obstacle->motion) knot.X_WO = X_WF * knot.X_WO;
  obstacle->X_WO = obstacle->motion.front().X_WO;
}

/// Bytes of a message: numbers as of int8, or as of uint8.
std::string bytesOf(const Value& data) {
  std::string bytes;
  bytes.reserve(data.size());
  for (const Value& item : data.items()) {
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(item.integer(-128, 255))));
  }
  return bytes;
}

}  // namespace

const std::vector<std::string>& cloudTypes() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const CloudType& type : types()) names.emplace_back(type.name);
    return names;
  }();
  return kNames;
}

void readCloudObject(const Value& object, const std::string& type, SceneContext& context) {
  const auto known = std::find_if(types().begin(), types().end(),
                                  [&](const CloudType& t) { return t.name == type; });
  std::vector<std::string> keys = {"id", "type", "frame", "pose", "motion", "filter_robot"};
  keys.insert(keys.end(), known->keys.begin(), known->keys.end());
  object.only(keys);
  const Value id = object.need("id");
  refuseSecondId(id, context.scene);
  Obstacle obstacle;
  obstacle.id = id.text();
  place(object, context, &obstacle);
  // What was left out is said twice: now as a warning, and for good as a note in certificates.
  const Elements elements = known->read(object, context);
  obstacle.cloud = madeAt(id, [&] { return cloudOf(elements); });
  obstacle.notes = elements.notes;
  for (const std::string& note : elements.notes) {
    if (note.find("left out") == std::string::npos) continue;
    context.scene.warnings.push_back("'" + obstacle.id + "': " + note);
  }
  if (const auto filter = object.find("filter_robot")) {
    context.robot_filters[obstacle.id] = filter->notNegative();
  }
  context.scene.obstacles.push_back(std::move(obstacle));
}

void readOctomapMessage(const Value& octomap, SceneContext& context) {
  if (!octomap.isMap()) return;
  octomap.only({"header", "origin", "octomap"});
  const auto inner = octomap.find("octomap");
  if (!inner || !inner->isMap()) return;
  inner->only({"header", "binary", "id", "resolution", "data"});
  const auto data = inner->find("data");
  if (!data || (data->isList() && data->size() == 0)) return;
  // The message has no header of a file, and says in keys of its own what that would say.
  const auto is_binary = inner->find("binary");
  const Octree tree = madeAt(*data, [&] {
    return parseOctreeData(bytesOf(*data), inner->need("id").text(),
                           inner->need("resolution").positive(), is_binary && is_binary->boolean(),
                           "", OctreeOptions());
  });
  if (tree.occupied.empty()) {
    context.scene.warnings.push_back(placeOf(octomap) + ": the octomap has no occupied cell");
    return;
  }
  Obstacle obstacle;
  obstacle.id = kOctomapId;
  if (const auto header = octomap.find("header")) {
    header->only({"seq", "stamp", "frame_id"});
    if (const auto name = header->find("frame_id")) obstacle.X_WO = context.frames.find(*name);
  }
  if (const auto origin = octomap.find("origin")) {
    obstacle.X_WO = obstacle.X_WO * readMessagePose(*origin);
  }
  obstacle.cloud = std::make_shared<const Cloud>(Cloud::boxes(tree.occupied));
  obstacle.notes = {unknownText(false)};
  context.scene.obstacles.push_back(std::move(obstacle));
}

}  // namespace allclear
