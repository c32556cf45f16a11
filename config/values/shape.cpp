#include "allclear/config/values/shape.h"

#include <algorithm>
#include <cmath>

#include "allclear/config/values/polyhedron.h"
#include "allclear/config/values/pose.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/solid_and_shell.h"

// Shapes in Allclear's own form (`type`, `dimensions`, ...) and as the messages of shape_msgs.
namespace allclear {
namespace {

/// A plane's normal shorter than this is a zero with rounding: it has no direction.
constexpr double kLeastNormal = 1e-9;

/// So many sizes, all positive.
VecX sizes(const Value& value, int count, const char* what) {
  if (!value.isList()) value.fail(std::string("must be a list, ") + what);
  const VecX out = value.numbers(count, what);
  for (int i = 0; i < count; ++i) value.at(i).positive();
  return out;
}

/// A primitive from its list of sizes [m].
Shape primitive(const std::string& type, const Value& dimensions) {
  if (type == "box") return Box(sizes(dimensions, 3, "[x, y, z]"));
  if (type == "sphere") return Sphere(sizes(dimensions, 1, "[radius]")[0]);
  if (type == "ellipsoid") return Ellipsoid(sizes(dimensions, 3, "[radius x, y, z]"));
  // As shape_msgs/SolidPrimitive has them: the height comes first.
  const VecX size = sizes(dimensions, 2, "[height, radius]");
  if (type == "cone") return Cone(size[1], size[0]);
  if (type == "capsule") return Capsule(size[1], size[0]);
  return Cylinder(size[1], size[0]);
}

Triangle readTriangle(const Value& list) {
  if (list.size() != 3) list.fail("must have 3 vertex numbers, not " + std::to_string(list.size()));
  Triangle triangle;
  for (int i = 0; i < 3; ++i) triangle[i] = static_cast<int>(list.at(i).integer(0, 2'000'000'000));
  return triangle;
}

/// `list` holds triangles as lists, or as messages `{vertex_indices: [a, b, c]}`.
/// The words stand in the order of the enumeration.
const std::vector<std::string> kOpenMeshes = {"shell", "fill", "error"};

/// The mesh with its rule for open parts; an error at `place` where the rule asks for one.
TriangleMesh ruled(const TriangleMesh& mesh, OpenMeshes open, const Value& place) {
  if (open == OpenMeshes::kShell) return mesh;
  if (open == OpenMeshes::kFill) return mesh.withOpen(open);
  const SolidAndShell& parts = solidAndShellOf(mesh);
  if (parts.open_parts > 0) {
    place.fail(
        "the mesh is not closed: " + closednessText(parts) +
        "; close it, or let its triangles stand for a surface ('shell') or fill it ('fill')");
  }
  return mesh;
}

/// The same; its covers are kept where those of the task are.
TriangleMesh withRule(const TriangleMesh& mesh, OpenMeshes open, const Value& place,
                      const InputFiles& files) {
  TriangleMesh out = ruled(mesh, open, place);
  if (files.covers()) keepCovers(out, files.covers());
  return out;
}

TriangleMesh inlineMesh(const Value& vertex_list, const Value& triangle_list) {
  std::vector<Vec3> vertices;
  for (const Value& vertex : vertex_list.items()) vertices.push_back(readPoint(vertex));
  std::vector<Triangle> triangles;
  for (const Value& item : triangle_list.items()) {
    if (item.isMap()) item.only({"vertex_indices"});
    triangles.push_back(readTriangle(item.isMap() ? item.need("vertex_indices") : item));
  }
  try {
    return TriangleMesh(std::move(vertices), std::move(triangles));
  } catch (const InputError& error) {
    triangle_list.fail(error.message());
  }
}

Vec3 readScale(const std::optional<Value>& value) {
  if (!value) return Vec3::Ones();
  const Vec3 scale = value->isList() ? value->vector3() : Vec3::Constant(value->number());
  if ((scale.array() == 0.0).any()) value->fail("a scale must not be zero");
  return scale;
}

/// A mesh from a file or from lists; with `convex` only its hull counts.
Shape readMesh(const Value& object, InputFiles& files) {
  const bool is_file = object.oneOf({"file", "vertices"}) == "file";
  // 'scale' belongs to files, 'triangles' to vertices given in place.
  for (const char* key : {"scale", "triangles"}) {
    if (object.has(key) && is_file == (std::string(key) == "triangles")) {
      object.failAtKey(key, is_file ? "goes with 'vertices', not with 'file'"
                                    : "goes with 'file', not with 'vertices'");
    }
  }
  TriangleMesh mesh = is_file ? files.mesh(object.need("file"), readScale(object.find("scale")))
                              : inlineMesh(object.need("vertices"), object.need("triangles"));
  const auto convex = object.find("convex");
  const auto open = object.find("open");
  if (convex && convex->boolean()) {
    if (open) object.failAtKey("open", "does not go with 'convex'");
    return ConvexMesh(mesh.vertices());
  }
  return withRule(mesh, open ? readOpenMeshes(*open) : files.openMeshes(),
                  object.need(is_file ? "file" : "triangles"), files);
}

/// A key that a shape's type does not use is a mistake: refuse it rather than ignore it.
void refuseKeys(const Value& object, const std::string& type,
                const std::vector<std::string>& used) {
  for (const std::string& key : shapeKeys()) {
    if (key == "type" || !object.has(key)) continue;
    if (std::find(used.begin(), used.end(), key) == used.end()) {
      object.failAtKey(key, "does not go with type '" + type + "'");
    }
  }
}

}  // namespace

OpenMeshes readOpenMeshes(const Value& word) {
  const auto it = std::find(kOpenMeshes.begin(), kOpenMeshes.end(), word.word(kOpenMeshes));
  return static_cast<OpenMeshes>(it - kOpenMeshes.begin());
}

const std::vector<std::string>& shapeTypes() {
  static const std::vector<std::string> kTypes = {
      "box",           "sphere",      "cylinder", "cone",       "capsule",
      "ellipsoid",     "mesh",        "plane",    "keep_in",    "keep_out",
      "mesh_sequence", "point_cloud", "octree",   "height_map", "depth_image"};
  return kTypes;
}

std::vector<std::string> shapeKeys() {
  return {"type",      "dimensions", "file",   "scale",  "convex", "vertices",
          "triangles", "normal",     "offset", "planes", "open"};
}

std::vector<Geometry> readShape(const Value& object, InputFiles& files) {
  const std::string type = object.need("type").word(shapeTypes());
  if (type == "mesh_sequence") {
    object.failAtKey("type", "a mesh_sequence can only be an object of the scene: not carried");
  }
  if (type == "point_cloud" || type == "octree" || type == "height_map" || type == "depth_image") {
    object.failAtKey("type",
                     "a cloud can only be an object of the scene: not carried; give a "
                     "shape that encloses it");
  }
  // Each type has its own keys; those of another type are refused.
  if (type == "mesh") {
    refuseKeys(object, type, {"file", "scale", "convex", "vertices", "triangles", "open"});
    return {{readMesh(object, files), Pose()}};
  }
  if (type == "keep_in" || type == "keep_out") {
    refuseKeys(object, type, {"planes"});
    const Value planes = object.need("planes");
    if (type == "keep_in") return readKeepIn(planes);
    return {readKeepOut(planes)};
  }
  if (type == "plane") {
    refuseKeys(object, type, {"normal", "offset"});
    const auto offset = object.find("offset");
    return {halfSpace(readDirection(object.need("normal")), offset ? offset->number() : 0.0)};
  }
  refuseKeys(object, type, {"dimensions"});
  return {{primitive(type, object.need("dimensions")), Pose()}};
}

/// The numbers of the types are those of the message: box 1, sphere 2, cylinder 3, cone 4, prism 5.
Shape readSolidPrimitive(const Value& message) {
  message.only({"type", "dimensions", "polygon"});
  const Value type = message.need("type");
  if (!type.isNumber()) {
    return primitive(type.word({"box", "sphere", "cylinder", "cone"}), message.need("dimensions"));
  }
  static const char* const kNames[] = {"box", "sphere", "cylinder", "cone"};
  const long long number = type.integer(1, 5);
  if (number == 5) type.fail("prisms are not supported; give it as a mesh");
  return primitive(kNames[number - 1], message.need("dimensions"));
}

Shape readMeshMessage(const Value& message, InputFiles& files) {
  message.only({"resource", "dimensions", "vertices", "triangles"});
  if (message.oneOf({"resource", "vertices"}) == "resource") {
    return withRule(files.mesh(message.need("resource"), readScale(message.find("dimensions"))),
                    files.openMeshes(), message.need("resource"), files);
  }
  if (message.has("dimensions")) message.failAtKey("dimensions", "goes with 'resource'");
  return withRule(inlineMesh(message.need("vertices"), message.need("triangles")),
                  files.openMeshes(), message.need("triangles"), files);
}

Geometry readPlaneMessage(const Value& message) {
  message.only({"coef"});
  const Value coef = message.need("coef");
  const VecX abcd = coef.numbers(4, "[a, b, c, d]");
  const double norm = abcd.head<3>().norm();
  if (!(norm > kLeastNormal)) coef.fail("a plane's normal [a, b, c] must not be zero");
  return halfSpace(abcd.head<3>() / norm, -abcd[3] / norm);
}

}  // namespace allclear
