// Which bodies there are, which pairs of them a plan has to keep apart, and how closely each pair
// follows the bodies' meshes.
//
// Pairs are decided from names and kinematics alone: two bodies are a pair unless the task or the
// robot model allows them to touch, or both belong to one link, or both are obstacles. A pair that
// the planned coordinates cannot move apart (both bodies have the same movers) is a fixed pair: no
// plan changes it, so it is no row. The certificate decides the same on its own
// (certificate/geometry.cpp); only `pairMargin` is shared.
#include "allclear/planner/clearance/collision_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/parallel.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/cloud.h"
#include "allclear/distance/convex_cover.h"
#include "allclear/distance/fitting.h"
#include "allclear/planner/clearance/fidelity_chooser.h"
#include "allclear/planner/problem/deforming_pieces.h"
#include "allclear/planner/problem/ground_pairs.h"
#include "allclear/planner/problem/pair_margin.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {
namespace {

/// Parts of a cloud that are told apart: about as many as a scene of primitives has bodies.
constexpr int kCloudParts = 16;

/// A ball around all pieces: about the middle of the box of their balls, which is not the smallest
/// one but near it.
Ball ballAbout(const std::vector<Geometry>& pieces) {
  // The box of the pieces' balls; a piece without an end (a plane) has no finite ball.
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 upper = -lower;
  std::vector<Ball> balls;
  for (const Geometry& piece : pieces) {
    Ball ball = boundingBall(piece.shape);
    ball.center = piece.X_BG * ball.center;
    if (!std::isfinite(ball.radius)) return ball;
    lower = lower.cwiseMin(ball.center - Vec3::Constant(ball.radius));
    upper = upper.cwiseMax(ball.center + Vec3::Constant(ball.radius));
    balls.push_back(ball);
  }
  Ball all;
  if (balls.empty()) return all;
  all.center = balls.size() == 1 ? balls[0].center : Vec3(0.5 * (lower + upper));
  for (const Ball& ball : balls) {
    all.radius = std::max(all.radius, (ball.center - all.center).norm() + ball.radius);
  }
  return all;
}

/// The geometry with every mesh replaced by a capsule around it.
std::vector<Geometry> withCapsules(std::vector<Geometry> geometry) {
  for (Geometry& part : geometry) {
    if (std::holds_alternative<TriangleMesh>(part.shape)) part = fitCapsule(std::span(&part, 1));
  }
  return geometry;
}

CollisionBody body(std::string name, int link, int obstacle,
                   const std::vector<Geometry>& geometry) {
  CollisionBody out{std::move(name), link, obstacle, {}, {}};
  out.solids_by_fidelity[0] = enclosingSolids(geometry, MeshFidelity::kHull);
  out.ball = ballAbout(out.solids(MeshFidelity::kHull));
  return out;
}

/// For every link the nodes of the motion tree that planned coordinates move on the way to it, in
/// order. Nodes and not coordinates, as a joint that mimics another one moves on its own.
std::vector<std::vector<int>> moversOfLinks(const Problem& problem) {
  const MotionTree tree(*problem.robot);
  std::vector<std::vector<int>> out;
  for (const LinkMount& mount : tree.mounts()) {
    std::vector<int> movers;  // nodes, from the base
    for (int node : tree.pathTo(mount.node)) {
      const int k = tree.nodes()[node].coordinate;
      if (std::binary_search(problem.planned.begin(), problem.planned.end(), k)) {
        movers.push_back(node);
      }
    }
    out.push_back(std::move(movers));
  }
  return out;
}

/// Lists bodies and pairs of one problem.
class ModelBuilder {
 public:
  explicit ModelBuilder(const Problem& problem)
      : problem_(problem),
        movers_(moversOfLinks(problem)),
        grounds_(groundPairs(problem)),
        ends_(problem) {}

  CollisionModel build() {
    addLinks();
    addAttached();
    addObstacles();
    addPairs();
    return std::move(model_);
  }

 private:
  void addLinks() {
    const bool capsules = problem_.collision.geometry == GeometryMode::kCapsule;
    const std::vector<Link>& links = problem_.robot->links();
    for (int l = 0; l < static_cast<int>(links.size()); ++l) {
      const std::vector<Geometry>& geometry = links[l].collision;
      if (geometry.empty()) continue;
      add(body(links[l].name, l, -1, capsules ? withCapsules(geometry) : geometry), nullptr);
    }
  }
  void addAttached() {
    for (const AttachedObject& object : problem_.attached) {
      add(body(object.id, object.link, -1, object.geometry), &object);
    }
  }
  void addObstacles() {
    for (int o = 0; o < static_cast<int>(problem_.obstacles.size()); ++o) {
      const Obstacle& obstacle = problem_.obstacles[o];
      if (obstacle.cloud != nullptr) {
        addCloud(o, obstacle);
        continue;
      }
      // A mesh that bends has a box about all of it; distances are to the mesh itself.
      add(obstacle.deforming == nullptr ? body(obstacle.id, -1, o, obstacle.geometry)
                                        : body(obstacle.id, -1, o, {sweptBox(*obstacle.deforming)}),
          nullptr);
    }
  }
  /// A body for each of a few parts: a link between two walls of one cloud has a distance to keep
  /// from each, as it has from two boxes.
  void addCloud(int o, const Obstacle& obstacle) {
    for (const std::int32_t node : obstacle.cloud->parts(kCloudParts)) {
      CollisionBody part = body(obstacle.id, -1, o, {obstacle.cloud->boxAbout(node)});
      part.cloud_node = node;
      add(std::move(part), nullptr);
    }
  }
  void add(CollisionBody body, const AttachedObject* object) {
    model_.bodies.push_back(std::move(body));
    objects_.push_back(object);
  }

  void addPairs() {
    const int count = static_cast<int>(model_.bodies.size());
    StopSteps steps;
    for (int i = 0; i < count; ++i) {
      for (int j = i + 1; j < count; ++j) {
        steps.step();
        if (mayTouch(i, j)) continue;
        const GroundPair* ground = contactOf(i, j);
        const double margin =
            ground != nullptr
                ? -ground->depth
                : pairMargin(problem_.collision, model_.bodies[i].name, model_.bodies[j].name);
        if (canMoveApart(i, j)) {
          const EndMargins ends = ground != nullptr ? EndMargins{margin, margin}
                                                    : ends_.of(endBody(i), endBody(j), margin);
          model_.pairs.push_back({i, j, margin, ends});
        } else {
          model_.fixed_pairs.push_back({i, j, margin, {margin, margin}});
        }
      }
    }
  }

  /// The body with its own geometry, not what stands for it.
  EndClearances::Body endBody(int i) const {
    const CollisionBody& body = model_.bodies[i];
    const std::vector<Geometry>& geometry =
        body.obstacle >= 0       ? problem_.obstacles[body.obstacle].geometry
        : objects_[i] != nullptr ? objects_[i]->geometry
                                 : problem_.robot->links()[body.link].collision;
    return {&body.name, body.link, body.obstacle, &geometry};
  }

  bool mayTouch(int i, int j) const {
    const CollisionBody& a = model_.bodies[i];
    const CollisionBody& b = model_.bodies[j];
    const CollisionSettings& settings = problem_.collision;
    if (a.link != b.link && holdsPair(settings.avoided, a.name, b.name)) return false;
    if (holdsPair(settings.allowed, a.name, b.name) ||
        holdsPair(settings.allowed_by_scene, a.name, b.name)) {
      return true;
    }
    // An obstacle comes second. A capsule about a foot is deep in the floor, whatever the foot is.
    if (b.link < 0 && a.link >= 0) {
      return settings.geometry == GeometryMode::kCapsule && contactOf(i, j) != nullptr;
    }
    if (b.link < 0) return true;
    if (a.link == b.link) return true;
    if (mayTouchLink(objects_[i], b.link) || mayTouchLink(objects_[j], a.link)) return true;
    const bool are_links = objects_[i] == nullptr && objects_[j] == nullptr;
    return are_links && problem_.robot->isPairDisabled(a.link, b.link);
  }

  /// The contact at which a link touches an obstacle; null without one, and of a pair that is to be
  /// avoided.
  const GroundPair* contactOf(int i, int j) const {
    const CollisionBody& a = model_.bodies[i];
    const CollisionBody& b = model_.bodies[j];
    if (objects_[i] != nullptr || a.link < 0 || b.obstacle < 0) return nullptr;
    if (holdsPair(problem_.collision.avoided, a.name, b.name)) return nullptr;
    return groundPair(grounds_, a.link, b.obstacle);
  }

  static bool mayTouchLink(const AttachedObject* object, int link) {
    return object != nullptr &&
           std::count(object->touch_links.begin(), object->touch_links.end(), link) > 0;
  }

  /// Pre: i < j, so that an obstacle comes second.
  bool canMoveApart(int i, int j) const {
    const CollisionBody& a = model_.bodies[i];
    const CollisionBody& b = model_.bodies[j];
    if (b.link >= 0) return movers_[a.link] != movers_[b.link];
    return !movers_[a.link].empty() || problem_.obstacles[b.obstacle].moves();
  }

  const Problem& problem_;
  std::vector<std::vector<int>> movers_;  ///< by link
  std::vector<GroundPair> grounds_;
  EndClearances ends_;
  std::vector<const AttachedObject*> objects_;  ///< by body; null for links and obstacles
  CollisionModel model_;
};

/// Makes the hulls of all meshes that need one; they are kept with the meshes.
void prepareHulls(const Problem& problem, int threads) {
  std::vector<const TriangleMesh*> meshes;
  const auto add = [&](const std::vector<Geometry>& geometry) {
    for (const Geometry& part : geometry) {
      if (const auto* mesh = std::get_if<TriangleMesh>(&part.shape)) meshes.push_back(mesh);
    }
  };
  if (problem.collision.geometry != GeometryMode::kCapsule) {
    for (const Link& link : problem.robot->links()) add(link.collision);
  }
  for (const AttachedObject& object : problem.attached) add(object.geometry);
  for (const Obstacle& obstacle : problem.obstacles) add(obstacle.geometry);
  // One by one they would be made by the first who asks, while the other threads wait.
  if (threads < 2 || meshes.size() < 2) return;
  parallelFor(threads, static_cast<int>(meshes.size()), [&](int i, int) {
    enclosingSolids({{*meshes[i], Pose()}}, MeshFidelity::kHull);
  });
}

}  // namespace

FidelityPolicy firstPolicy(const Problem& problem) {
  switch (problem.collision.geometry) {
    case GeometryMode::kMesh:
      return FidelityPolicy::kEverywhere;
    case GeometryMode::kAuto:
      return FidelityPolicy::kWhereNeeded;
    default:
      return FidelityPolicy::kHulls;
  }
}

bool hasMeshes(const Problem& problem) {
  const auto hasMesh = [](const std::vector<Geometry>& geometry) {
    return std::any_of(geometry.begin(), geometry.end(), [](const Geometry& part) {
      return std::holds_alternative<TriangleMesh>(part.shape);
    });
  };
  const auto& links = problem.robot->links();
  return std::any_of(links.begin(), links.end(),
                     [&](const Link& link) { return hasMesh(link.collision); }) ||
         std::any_of(problem.attached.begin(), problem.attached.end(),
                     [&](const AttachedObject& object) { return hasMesh(object.geometry); }) ||
         std::any_of(problem.obstacles.begin(), problem.obstacles.end(),
                     [&](const Obstacle& obstacle) { return hasMesh(obstacle.geometry); });
}

CollisionModel collisionModel(const Problem& problem, FidelityPolicy policy, int threads) {
  prepareHulls(problem, threads);
  // Hulls first; the policy then says from which fidelity on pairs are measured.
  CollisionModel model = ModelBuilder(problem).build();
  switch (policy) {
    case FidelityPolicy::kHulls:
      break;
    case FidelityPolicy::kWhereNeeded:
      chooseFidelities(problem, MeshFidelity::kHull, &model, threads);
      break;
    case FidelityPolicy::kEverywhere:
      chooseFidelities(problem, MeshFidelity::kPieces, &model, threads);
      break;
    case FidelityPolicy::kSurfaces:
      chooseFidelities(problem, MeshFidelity::kSurface, &model, threads);
  }
  return model;
}

}  // namespace allclear
