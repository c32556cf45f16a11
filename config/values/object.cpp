// Objects of a scene, in Allclear's own form and as MoveIt's messages.
//
// Frames. W world, L the link that carries an object, O the object, F the frame that a file names,
// G one shape. A message gives the object's pose in the frame of its header, X_WO = X_WF X_FO, and
// each shape's pose in the object, X_OG. An attached object is kept in the frame of its link: X_LG
// = X_WL^-1 X_WO X_OG, with the link where the start puts it.
#include <algorithm>
#include <cmath>

#include "allclear/config/values/cloud_object.h"
#include "allclear/config/values/motion_file.h"
#include "allclear/config/values/pose.h"
#include "allclear/config/values/scene.h"
#include "allclear/config/values/shape.h"
#include "allclear/config/values/units.h"
#include "allclear/core/input_error.h"

namespace allclear {
namespace {

/// Relative: moments in files are rounded.
constexpr double kMomentSlack = 1e-9;
/// [s] Times of trajectories end there.
constexpr double kLatestStart = 1e9;

const std::vector<std::string> kObjectMessageKeys = {
    "header",          "pose",           "id",       "type",       "primitives",
    "primitive_poses", "meshes",         "planes",   "mesh_poses", "plane_poses",
    "subframe_names",  "subframe_poses", "operation"};

/// What other formats call these things.
const Value::KeyAdvice kObjectAdvice = {
    {"size", "'dimensions'; box: [x, y, z]"},
    {"radius", "'dimensions'; sphere: [radius]; cylinder, cone, capsule: [height, radius]"},
    {"height", "'dimensions'; cylinder, cone, capsule: [height, radius]"},
    {"length", "'dimensions'; cylinder, cone, capsule: [height, radius]"},
    {"name", "'id'"},
    {"frame_id", "'frame'"},
    {"parent", "'frame'"},
    {"position", "it belongs into 'pose': {position: [x, y, z]}"},
    {"orientation", "it belongs into 'pose': {orientation: [x, y, z, w]}"},
    {"rpy", "it belongs into 'pose': {rpy: [roll, pitch, yaw]}"},
    {"mesh", "type: mesh, and 'file'"}};

std::vector<std::string> ownKeys(std::vector<std::string> more) {
  std::vector<std::string> keys = shapeKeys();
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

template <class Objects>
auto findById(Objects& objects, const std::string& id) {
  return std::find_if(objects.begin(), objects.end(),
                      [&](const auto& object) { return object.id == id; });
}

void refuseSecondId(const Value& id, const Scene& scene) {
  if (findById(scene.obstacles, id.text()) != scene.obstacles.end() ||
      findById(scene.attached, id.text()) != scene.attached.end()) {
    id.fail("there is an object of this id already");
  }
}

/// Whether an object is a message rather than in Allclear's own form, where `type` is a word.
bool isMessage(const Value& object) {
  const auto type = object.find("type");
  if (type) return type->isMap();
  for (const char* key : {"primitives", "meshes", "planes", "operation", "header"}) {
    if (object.has(key)) return true;
  }
  return false;
}

/// Frame of a message's header; the world when it has none.
Pose headerFrame(const Value& message, const Frames& frames) {
  const auto header = message.find("header");
  if (!header) return Pose();
  header->only({"seq", "stamp", "frame_id"});
  const auto name = header->find("frame_id");
  return name ? frames.find(*name) : Pose();
}

/// Poses of a message's shapes. MoveIt lets a single shape go without one.
std::vector<Pose> shapePoses(const Value& message, const char* key, std::size_t count) {
  const auto list = message.find(key);
  if (!list) {
    if (count > 1) message.fail("'" + std::string(key) + "' is missing");
    return {Pose()};
  }
  if (list->size() != count && !(count == 1 && list->size() == 0)) {
    list->fail("has " + std::to_string(list->size()) + " poses for " + std::to_string(count) +
               " shapes");
  }
  std::vector<Pose> poses;
  for (const Value& item : list->items()) poses.push_back(readPose(item));
  poses.resize(count);
  return poses;
}

/// The shapes of a message, in the object's frame.
/// All shapes of a message, each in the object's frame.
std::vector<Geometry> messageGeometry(const Value& message, InputFiles& files) {
  std::vector<Geometry> geometry;
  const auto add = [&](const char* key, const char* poses_key, const auto& read) {
    const auto list = message.find(key);
    const std::size_t count = list ? list->size() : 0;
    if (count == 0) return;
    const std::vector<Pose> poses = shapePoses(message, poses_key, count);
    for (std::size_t i = 0; i < count; ++i) {
      Geometry shape = read(list->at(i));
      shape.X_BG = poses[i] * shape.X_BG;
      geometry.push_back(std::move(shape));
    }
  };
  add("primitives", "primitive_poses", [](const Value& v) {
    return Geometry{readSolidPrimitive(v), Pose()};
  });
  add("meshes", "mesh_poses", [&](const Value& v) {
    return Geometry{readMeshMessage(v, files), Pose()};
  });
  add("planes", "plane_poses", [](const Value& v) { return readPlaneMessage(v); });
  return geometry;
}

enum class Operation { kAdd, kRemove, kAppend };

/// A message's operation: its number or its name; `add` when it is not given.
Operation readOperation(const Value& message) {
  const auto value = message.find("operation");
  if (!value) return Operation::kAdd;
  const std::string word =
      value->isNumber() ? "" : value->word({"add", "remove", "append", "move"});
  const long long number = value->isNumber() ? value->integer(0, 3) : -1;
  if (word == "move" || number == 3) {
    value->fail("'move' is not supported in a file: give the object its final pose");
  }
  if (word == "remove" || number == 1) return Operation::kRemove;
  if (word == "append" || number == 2) return Operation::kAppend;
  return Operation::kAdd;
}

/// A message that removes an obstacle, or all of them when it names none.
void removeObstacle(const Value& message, Scene& scene) {
  const auto id = message.find("id");
  if (!id || id->textOrEmpty().empty()) return scene.obstacles.clear();  // as MoveIt does
  const auto it = findById(scene.obstacles, id->text());
  if (it == scene.obstacles.end()) id->fail("there is no such object to remove");
  scene.obstacles.erase(it);
}

/// Adds shapes to an obstacle that is there already, in that obstacle's own frame.
void appendGeometry(const Value& id, const Pose& X_WO, const std::vector<Geometry>& geometry,
                    Scene& scene) {
  const auto it = findById(scene.obstacles, id.text());
  if (it == scene.obstacles.end()) id.fail("there is no such object to append to");
  if (it->deforming != nullptr) id.fail("bends: no shape can be appended to it");
  if (it->cloud != nullptr) id.fail("is a cloud: no shape can be appended to it");
  for (const Geometry& shape : geometry) {
    it->geometry.push_back({shape.shape, it->X_WO.inverse() * X_WO * shape.X_BG});
  }
}

void readObjectMessage(const Value& message, SceneContext& context) {
  message.only(kObjectMessageKeys);
  const Operation operation = readOperation(message);
  if (operation == Operation::kRemove) return removeObstacle(message, context.scene);
  const Value id = message.need("id");
  Pose X_WO = headerFrame(message, context.frames);
  if (const auto pose = message.find("pose")) X_WO = X_WO * readMessagePose(*pose);
  std::vector<Geometry> geometry = messageGeometry(message, context.files);
  if (geometry.empty()) message.fail("has neither primitives, meshes nor planes");
  if (operation == Operation::kAppend) return appendGeometry(id, X_WO, geometry, context.scene);
  refuseSecondId(id, context.scene);
  context.scene.obstacles.push_back({id.text(), X_WO, std::move(geometry), {}});
}

/// Reads an obstacle's motion. Its knots are given in the frame F; until the first knot the
/// obstacle is there.
void readMotion(const Value& file, const Pose& X_WF, InputFiles& files, Obstacle& obstacle) {
  obstacle.motion = parseMotion(files.content(file), files.find(file).string());
  for (PoseKnot& knot : obstacle.motion) knot.X_WO = X_WF * knot.X_WO;
  obstacle.X_WO = obstacle.motion.front().X_WO;
}

/// A mesh that bends, from a sequence of files.
void readSequence(const Value& object, SceneContext& context) {
  object.only({"id", "type", "file", "rate", "start", "scale", "frame", "pose"});
  const Value id = object.need("id");
  refuseSecondId(id, context.scene);
  Obstacle obstacle;
  obstacle.id = id.text();
  const auto frame = object.find("frame");
  const auto pose = object.find("pose");
  obstacle.X_WO = frame ? context.frames.find(*frame) : Pose();
  if (pose) obstacle.X_WO = obstacle.X_WO * readPose(*pose);
  const auto start = object.find("start");
  if (start && !(std::abs(start->number()) < kLatestStart)) {
    start->fail("must be an instant in seconds, before or after 0 by less than 1e9 s");
  }
  const auto scale = object.find("scale");
  obstacle.deforming = std::make_shared<const DeformingMesh>(
      context.files.sequence(object.need("file"), object.need("rate").positive(),
                             start ? start->number() : 0.0, scale ? scale->positive() : 1.0));
  context.scene.obstacles.push_back(std::move(obstacle));
}

/// An object in Allclear's own form, at rest or with a motion from a file.
void readOwnObject(const Value& object, SceneContext& context) {
  const auto type = object.find("type");
  if (type && type->isScalar() && type->text() == "mesh_sequence") {
    return readSequence(object, context);
  }
  if (type && type->isScalar()) {
    const auto& clouds = cloudTypes();
    if (std::find(clouds.begin(), clouds.end(), type->text()) != clouds.end()) {
      return readCloudObject(object, type->text(), context);
    }
  }
  // First of all: each type has keys of its own, and of a misspelt one all are unknown.
  if (type) type->word(shapeTypes());
  object.only(ownKeys({"id", "frame", "pose", "motion"}), kObjectAdvice);
  const Value id = object.need("id");
  refuseSecondId(id, context.scene);
  Obstacle obstacle{id.text(), Pose(), readShape(object, context.files), {}};
  const auto frame = object.find("frame");
  const Pose X_WF = frame ? context.frames.find(*frame) : Pose();
  const auto pose = object.find("pose");
  const auto motion = object.find("motion");
  if (pose && motion) object.failAtKey("motion", "give 'pose' or 'motion', not both");
  obstacle.X_WO = pose ? X_WF * readPose(*pose) : X_WF;
  if (motion) readMotion(*motion, X_WF, context.files, obstacle);
  warnOfUnits(object, obstacle.geometry, obstacle.X_WO, context.scene.warnings);
  context.scene.obstacles.push_back(std::move(obstacle));
}

/// MoveIt's way to pick something up: an attached object without shapes is the obstacle of the same
/// id. Its shapes move to the attached object, and the obstacle is removed. Returns its pose X_LO.
Pose takeObstacle(const Value& id, const Pose& X_LW, Scene& scene, AttachedObject& attached) {
  const auto it = findById(scene.obstacles, id.text());
  if (it == scene.obstacles.end()) id.fail("has no shape, and there is no obstacle of this id");
  if (it->deforming != nullptr) id.fail("a mesh that bends cannot be carried");
  if (it->cloud != nullptr) id.fail("a cloud cannot be carried: give a shape that encloses it");
  if (it->moves()) id.fail("an object that moves by itself cannot be carried");
  const Pose X_LO = X_LW * it->X_WO;
  for (const Geometry& shape : it->geometry) {
    attached.geometry.push_back({shape.shape, X_LO * shape.X_BG});
  }
  scene.obstacles.erase(it);
  return X_LO;
}

void refusePlanes(const Value& id, const AttachedObject& attached) {
  for (const Geometry& shape : attached.geometry) {
    if (std::holds_alternative<HalfSpace>(shape.shape)) id.fail("a plane cannot be carried");
  }
}

/// Six numbers as a rotational inertia; an error where no body has it.
Mat3 readMoments(const Value& inertia) {
  const VecX m = inertia.numbers(6, "[xx, yy, zz, xy, xz, yz]");
  Mat3 I;
  I << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
  const Vec3 main = Eigen::SelfAdjointEigenSolver<Mat3>(I).eigenvalues();
  // As of any body: no moment is negative, nor greater than the sum of the other two.
  const double slack = kMomentSlack * main[2];
  if (!(main[0] >= -slack) || !(main[0] + main[1] >= main[2] - slack)) {
    inertia.fail("no body has this inertia");
  }
  return I;
}

}  // namespace

std::optional<Inertia> readInertia(const Value& body, const Pose& X_LO) {
  const auto mass = body.find("mass");
  const auto com = body.find("com");
  const auto inertia = body.find("inertia");
  if (!mass) {
    if (com || inertia) body.failAtKey(com ? "com" : "inertia", "goes with 'mass'");
    return std::nullopt;
  }
  const Mat3 I_O = inertia ? readMoments(*inertia) : Mat3(Mat3::Zero());
  const Vec3 p_OC = com ? com->vector3() : Vec3(Vec3::Zero());
  return Inertia{mass->notNegative(), X_LO * p_OC, X_LO.R * I_O * X_LO.R.transpose()};
}

void readCollisionObjects(const Value& list, SceneContext& context) {
  for (const Value& object : list.items()) {
    if (isMessage(object)) {
      readObjectMessage(object, context);
    } else {
      readOwnObject(object, context);
    }
  }
}

void readAttached(const Value& list, SceneContext& context) {
  for (const Value& object : list.items()) {
    object.only(ownKeys({"id", "link", "pose", "touch_links", "mass", "com", "inertia"}),
                kObjectAdvice);
    const Value id = object.need("id");
    refuseSecondId(id, context.scene);
    AttachedObject attached{id.text(), readLink(object.need("link"), context.robot), {}, {}};
    attached.geometry = readShape(object, context.files);
    const auto pose = object.find("pose");
    // Shape and mass are given in the object's frame, and kept in that of the link.
    const Pose X_LO = pose ? readPose(*pose) : Pose();
    for (Geometry& shape : attached.geometry) shape.X_BG = X_LO * shape.X_BG;
    attached.inertia = readInertia(object, X_LO);
    refusePlanes(id, attached);
    warnOfUnits(object, attached.geometry, Pose(), context.scene.warnings);
    if (const auto links = object.find("touch_links")) {
      attached.touch_links = readLinks(*links, context.robot);
    }
    context.scene.attached.push_back(std::move(attached));
  }
}

void readAttachedMessages(const Value& list, SceneContext& context) {
  for (const Value& message : list.items()) {
    message.only({"link_name", "object", "touch_links", "detach_posture", "weight"});
    const auto weight = message.find("weight");
    const Value object = message.need("object").only(kObjectMessageKeys);
    const Value id = object.need("id");
    AttachedObject attached{id.text(), readLink(message.need("link_name"), context.robot), {}, {}};
    const Pose X_LW = context.frames.link(attached.link).inverse();
    Pose X_LO = X_LW * headerFrame(object, context.frames);
    if (const auto pose = object.find("pose")) X_LO = X_LO * readMessagePose(*pose);
    // Shapes of the message, from the object's frame into that of the link.
    attached.geometry = messageGeometry(object, context.files);
    for (Geometry& shape : attached.geometry) shape.X_BG = X_LO * shape.X_BG;
    if (attached.geometry.empty()) X_LO = takeObstacle(id, X_LW, context.scene, attached);
    // MoveIt writes 0 where it knows no weight.
    if (weight && weight->notNegative() > 0.0) {
      attached.inertia = Inertia{weight->number(), X_LO.p, Mat3::Zero()};
    }
    refuseSecondId(id, context.scene);
    refusePlanes(id, attached);
    if (const auto links = message.find("touch_links")) {
      attached.touch_links = readLinks(*links, context.robot);
    }
    context.scene.attached.push_back(std::move(attached));
  }
}

}  // namespace allclear
