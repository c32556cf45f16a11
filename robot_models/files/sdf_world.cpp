// SDF worlds by libsdformat, where the build has it (ALLCLEAR_WITH_SDFORMAT): it knows the format's
// versions, includes, and how frames follow from one another.
#include "allclear/robot_models/files/sdf_world.h"

#include "allclear/core/input_error.h"

#ifdef ALLCLEAR_HAVE_SDFORMAT
#include <chrono>
#include <cmath>
#include <memory>
#include <sdf/sdf.hh>

#include "allclear/core/stop_scope.h"
#include "allclear/robot_models/files/captured_log.h"
#include "allclear/robot_models/files/sdf_includes.h"
#endif

namespace allclear {

#ifdef ALLCLEAR_HAVE_SDFORMAT
namespace {

/// Models within models deeper than this are a mistake.
constexpr int kMostNested = 100;

/// Messages of the library may quote all of a file.
constexpr std::size_t kLongestMessage = 200;

Pose poseOf(const ignition::math::Pose3d& X) {
  const Eigen::Quaterniond q(X.Rot().W(), X.Rot().X(), X.Rot().Y(), X.Rot().Z());
  return {q.normalized().toRotationMatrix(), Vec3(X.Pos().X(), X.Pos().Y(), X.Pos().Z())};
}

Vec3 vectorOf(const ignition::math::Vector3d& v) { return {v.X(), v.Y(), v.Z()}; }

/// What the library makes of a file. To make it and to give it back cannot be ended: both count as
/// one call.
class TimedRoot {
 public:
  ~TimedRoot() {
    const Clock::time_point start = Clock::now();
    root_.reset();
    noteLibraryCall("libsdformat", seconds_ + since(start));
  }
  TimedRoot() = default;
  TimedRoot(const TimedRoot&) = delete;
  TimedRoot& operator=(const TimedRoot&) = delete;

  sdf::Errors load(const std::string& content, const sdf::ParserConfig& config) {
    const CapturedLog log;  // it takes what it cannot read for a URDF, and prints that it is none
    const Clock::time_point start = Clock::now();
    sdf::Errors errors = root_->LoadSdfString(content, config);
    seconds_ = since(start);
    return errors;
  }
  const sdf::Root& root() const { return *root_; }

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  std::unique_ptr<sdf::Root> root_ = std::make_unique<sdf::Root>();
  double seconds_ = 0.0;
};

class WorldReader {
 public:
  WorldReader(const std::filesystem::path& path, const SdfFiles& files)
      : path_(path), files_(files) {}

  SdfWorld run(const std::string& content) {
    sdf::Console::Instance()->SetQuiet(true);
    sdf::ParserConfig config;
    // What the format does not have may be a misspelt body: an error, not a line on a terminal.
    config.SetUnrecognizedElementsPolicy(sdf::EnforcementPolicy::ERR);
    config.SetWarningsPolicy(sdf::EnforcementPolicy::LOG);
    config.SetDeprecatedElementsPolicy(sdf::EnforcementPolicy::LOG);
    // Else it would look in the present folder first, for files that nobody has hashed.
    for (const auto& [uri, folder] : checkedIncludes(content, path_, files_)) {
      config.AddURIPath(uri, folder.string());
    }
    TimedRoot timed;
    require(timed.load(content, config));
    throwIfStopped();
    const sdf::Root& root = timed.root();
    if (root.WorldCount() > 1) fail("has several worlds: keep one");
    if (root.WorldCount() == 1) {
      readWorld(*root.WorldByIndex(0));
    } else if (root.Model() != nullptr) {
      readModel(*root.Model(), Pose(), "", 0);
    } else {
      fail("has neither a world nor a model");
    }
    if (out_.bodies.empty()) fail("has no collision geometry");
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& value = "") const {
    throw InputError({path_.string(), 0, "", value}, message);
  }
  void require(const sdf::Errors& errors) const {
    if (errors.empty()) return;
    const sdf::Error& first = errors.front();
    const bool is_elsewhere = first.FilePath() && *first.FilePath() != "<data-string>";
    throw InputError(
        {is_elsewhere ? *first.FilePath() : path_.string(), first.LineNumber().value_or(0), "", ""},
        first.Message().substr(0, kLongestMessage));
  }

  void readWorld(const sdf::World& world) {
    if (world.ActorCount() > 0) fail("actors move, and are not read", world.Name());
    const sdf::ElementPtr element = world.Element();
    if (element && element->HasElement("population")) {
      fail("populations place models by chance, and are not read", world.Name());
    }
    if (element && element->HasElement("plugin")) {
      out_.warnings.push_back("the plugins of world '" + world.Name() +
                              "' are not run: bodies that they add or move are not seen");
    }
    for (std::uint64_t i = 0; i < world.ModelCount(); ++i) {
      readModel(*world.ModelByIndex(i), Pose(), "", 0);
    }
  }

  Pose resolved(const sdf::SemanticPose& pose, const std::string& what) const {
    throwIfStopped();
    ignition::math::Pose3d X;
    const sdf::Errors errors = pose.Resolve(X);
    if (!errors.empty())
      fail("the pose of '" + what + "': " + errors.front().Message().substr(0, kLongestMessage));
    return poseOf(X);
  }

  /// `X_WP`, `prefix`: of the model that has it.
  void readModel(const sdf::Model& model, const Pose& X_WP, const std::string& prefix, int depth) {
    if (depth > kMostNested) fail("models are nested too deeply", model.Name());
    const std::string name = prefix + model.Name();
    const Pose X_WM = X_WP * resolved(model.SemanticPose(), name);
    const sdf::ElementPtr element = model.Element();
    if (element && element->HasElement("plugin")) {
      out_.warnings.push_back("the plugins of model '" + name + "' are not run");
    }
    for (std::uint64_t i = 0; i < model.LinkCount(); ++i) {
      const sdf::Link& link = *model.LinkByIndex(i);
      // A model of one link goes by its own name, as people call it.
      const bool is_only = model.LinkCount() == 1 && model.ModelCount() == 0;
      SdfBody body;
      body.name = is_only ? name : name + "::" + link.Name();
      body.X_WO = X_WM * resolved(link.SemanticPose(), body.name);
      for (std::uint64_t c = 0; c < link.CollisionCount(); ++c) {
        readCollision(*link.CollisionByIndex(c), &body);
      }
      if (body.geometry.empty()) continue;
      if (!model.Static()) {
        out_.warnings.push_back("'" + body.name +
                                "' is not static: it counts where the file puts it, at rest");
      }
      out_.bodies.push_back(std::move(body));
    }
    for (std::uint64_t i = 0; i < model.ModelCount(); ++i) {
      readModel(*model.ModelByIndex(i), X_WM, name + "::", depth + 1);
    }
  }

  void readCollision(const sdf::Collision& collision, SdfBody* body) const {
    const std::string name = body->name + "::" + collision.Name();
    const Pose X_OG = resolved(collision.SemanticPose(), name);
    if (collision.Geom() == nullptr) fail("has no geometry", name);
    const sdf::Geometry& g = *collision.Geom();
    try {
      switch (g.Type()) {
        case sdf::GeometryType::BOX:
          return body->geometry.push_back({Box(vectorOf(g.BoxShape()->Size())), X_OG});
        case sdf::GeometryType::SPHERE:
          return body->geometry.push_back({Sphere(g.SphereShape()->Radius()), X_OG});
        case sdf::GeometryType::CYLINDER:
          return body->geometry.push_back(
              {Cylinder(g.CylinderShape()->Radius(), g.CylinderShape()->Length()), X_OG});
        case sdf::GeometryType::CAPSULE:
          return body->geometry.push_back(
              {Capsule(g.CapsuleShape()->Radius(), g.CapsuleShape()->Length()), X_OG});
        case sdf::GeometryType::ELLIPSOID:
          return body->geometry.push_back({Ellipsoid(vectorOf(g.EllipsoidShape()->Radii())), X_OG});
        case sdf::GeometryType::PLANE: {
          // A plane of a collision has no end, whatever its size says of the picture.
          const Vec3 n = vectorOf(g.PlaneShape()->Normal());
          constexpr double kUnit = 1e-6;
          if (!(std::abs(n.norm() - 1.0) <= kUnit)) fail("the plane has no normal", name);
          const Mat3 R = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), n).toRotationMatrix();
          return body->geometry.push_back({HalfSpace(), X_OG * Pose{R, Vec3::Zero()}});
        }
        case sdf::GeometryType::MESH: {
          const sdf::Mesh& mesh = *g.MeshShape();
          if (!mesh.Submesh().empty()) fail("takes a part of a mesh: not read", name);
          const std::string base = mesh.FilePath();
          const bool is_here = base.empty() || base == "<data-string>";
          const auto file = files_.find(mesh.Uri(), is_here ? path_ : std::filesystem::path(base));
          return body->geometry.push_back({files_.mesh(file, vectorOf(mesh.Scale())), X_OG});
        }
        default:
          fail(
              "has geometry of a kind that is not read (box, sphere, cylinder, capsule, "
              "ellipsoid, plane and mesh are)",
              name);
      }
    } catch (const InputError& error) {
      if (error.place().file.empty()) fail(error.message(), name);
      throw;
    }
  }

  const std::filesystem::path& path_;
  const SdfFiles& files_;
  SdfWorld out_;
};

}  // namespace

SdfWorld parseSdfWorld(const std::string& content, const std::filesystem::path& path,
                       const SdfFiles& files) {
  return WorldReader(path, files).run(content);
}

#else

SdfWorld parseSdfWorld(const std::string& /*content*/, const std::filesystem::path& path,
                       const SdfFiles& /*files*/) {
  throw InputError({path.string(), 0, "", ""},
                   "is an SDF world, and this build has no libsdformat (Debian: libsdformat-dev; "
                   "ALLCLEAR_WITH_SDFORMAT)");
}

#endif

}  // namespace allclear
