#include "allclear/planner/clearance/collision_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/distance/convex_cover.h"
#include "allclear/distance/enclosing_solids.h"
#include "allclear/distance/fitting.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {
namespace {

Ball ballAbout(const std::vector<Geometry>& pieces) {
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

/// Meshes by capsules about them.
std::vector<Geometry> byCapsules(std::vector<Geometry> geometry) {
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

/// For every link the planned coordinates that move it, in order.
std::vector<std::vector<int>> movers(const Problem& problem) {
  const MotionTree tree(*problem.robot);
  std::vector<std::vector<int>> out;
  for (const LinkMount& mount : tree.mounts()) {
    std::vector<int> coordinates;
    for (int node : tree.pathTo(mount.node)) {
      const int k = tree.nodes()[node].coordinate;
      if (std::binary_search(problem.planned.begin(), problem.planned.end(), k)) {
        coordinates.push_back(node);  // the node, not the coordinate: mimics move on their own
      }
    }
    out.push_back(std::move(coordinates));
  }
  return out;
}

bool allowed(const CollisionSettings& settings, const std::string& a, const std::string& b) {
  return std::any_of(settings.allowed.begin(), settings.allowed.end(), [&](const auto& pair) {
    return (pair.first == a && pair.second == b) || (pair.first == b && pair.second == a);
  });
}

/// Chooses how closely each pair is measured.
class FidelityChooser {
 public:
  FidelityChooser(const Problem& problem, CollisionModel* model)
      : problem_(problem), model_(*model) {
    ends_.push_back(posesAt(problem.start));
    if (const auto* goal = std::get_if<JointTarget>(&problem.goal)) {
      VecX q = problem.start;
      for (std::size_t k = 0; k < goal->coordinates.size(); ++k) {
        q[goal->coordinates[k]] = goal->values[k];
      }
      ends_.push_back(posesAt(q));
    }
  }

  void apply(MeshFidelity least) {
    for (CollisionPair& pair : model_.pairs) {
      for (MeshFidelity fidelity : kFidelities) {
        if (fidelity > least && keepsMargin(pair)) break;
        const std::size_t before = solidCount(pair, pair.fidelity);
        const bool closer =
            solidCount(pair, fidelity) > before ||
            (fidelity == MeshFidelity::kSurface && (hasMesh(pair.a) || hasMesh(pair.b)));
        if (closer) pair.fidelity = fidelity;
      }
    }
  }

 private:
  std::vector<Pose> posesAt(const VecX& q) const {
    const Kinematics kinematics(*problem_.robot);
    Kinematics::Workspace workspace = kinematics.makeWorkspace();
    std::vector<Pose> X_WL;
    kinematics.linkPoses(q, workspace, X_WL);
    return X_WL;
  }

  /// At start and goal.
  bool keepsMargin(const CollisionPair& pair) const {
    const CollisionBody& A = model_.bodies[pair.a];
    const CollisionBody& B = model_.bodies[pair.b];
    for (const std::vector<Pose>& X_WL : ends_) {
      const auto pose = [&](const CollisionBody& body) {
        return body.obstacle >= 0 ? problem_.obstacles[body.obstacle].pose(0.0) : X_WL[body.link];
      };
      const Pose X_WA = pose(A), X_WB = pose(B);
      const double apart =
          (X_WA * A.ball.center - X_WB * B.ball.center).norm() - A.ball.radius - B.ball.radius;
      if (apart >= pair.margin) continue;
      for (const Geometry& a : A.solids(pair.fidelity)) {
        for (const Geometry& b : B.solids(pair.fidelity)) {
          if (!distanceAtLeast(a.shape, X_WA * a.X_BG, b.shape, X_WB * b.X_BG, pair.margin)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  const std::vector<Geometry>& geometry(const CollisionBody& body) const {
    if (body.obstacle >= 0) return problem_.obstacles[body.obstacle].geometry;
    if (problem_.robot->links()[body.link].name == body.name) {
      return problem_.robot->links()[body.link].collision;
    }
    return std::find_if(problem_.attached.begin(), problem_.attached.end(),
                        [&](const AttachedObject& object) { return object.id == body.name; })
        ->geometry;
  }

  /// That is closed, so that it can stand for itself.
  bool hasMesh(int body) const {
    const auto& solids = model_.bodies[body].solids(MeshFidelity::kSurface);
    return std::any_of(solids.begin(), solids.end(), [](const Geometry& solid) {
      return std::holds_alternative<TriangleMesh>(solid.shape);
    });
  }

  /// Makes them where they are missing.
  std::size_t solidCount(const CollisionPair& pair, MeshFidelity fidelity) {
    std::size_t count = 0;
    for (int b : {pair.a, pair.b}) {
      CollisionBody& body = model_.bodies[b];
      auto& solids = body.solids_by_fidelity[static_cast<int>(fidelity)];
      if (solids.empty()) solids = enclosingSolids(geometry(body), fidelity);
      count += solids.size();
    }
    return count;
  }

  const Problem& problem_;
  CollisionModel& model_;
  std::vector<std::vector<Pose>> ends_;  ///< of all links
};

}  // namespace

double marginBetween(const CollisionSettings& settings, const std::string& a,
                     const std::string& b) {
  double one_body = -std::numeric_limits<double>::infinity();
  for (const PairMargin& entry : settings.pair_margins) {
    if (entry.b.empty()) {
      if (entry.a == a || entry.a == b) one_body = std::max(one_body, entry.margin);
    } else if ((entry.a == a && entry.b == b) || (entry.a == b && entry.b == a)) {
      return entry.margin;
    }
  }
  return std::isfinite(one_body) ? one_body : settings.margin;
}

CollisionModel collisionModel(const Problem& problem, FidelityPolicy detail) {
  const RobotModel& robot = *problem.robot;
  CollisionModel model;
  std::vector<const AttachedObject*> carried;  // by body; null for links and obstacles
  const bool capsules = problem.collision.geometry == GeometryMode::kCapsule;
  for (int l = 0; l < static_cast<int>(robot.links().size()); ++l) {
    const std::vector<Geometry>& geometry = robot.links()[l].collision;
    if (geometry.empty()) continue;
    model.bodies.push_back(
        body(robot.links()[l].name, l, -1, capsules ? byCapsules(geometry) : geometry));
    carried.push_back(nullptr);
  }
  for (const AttachedObject& object : problem.attached) {
    model.bodies.push_back(body(object.id, object.link, -1, object.geometry));
    carried.push_back(&object);
  }
  for (int o = 0; o < static_cast<int>(problem.obstacles.size()); ++o) {
    model.bodies.push_back(body(problem.obstacles[o].id, -1, o, problem.obstacles[o].geometry));
    carried.push_back(nullptr);
  }

  const auto moved_by = movers(problem);
  const auto mayTouch = [&](int i, int j) {
    const CollisionBody& a = model.bodies[i];
    const CollisionBody& b = model.bodies[j];
    if (allowed(problem.collision, a.name, b.name)) return true;
    if (a.link < 0 || b.link < 0) return a.link < 0 && b.link < 0;
    if (a.link == b.link) return true;
    for (const auto& [object, other] : {std::pair(carried[i], b.link), {carried[j], a.link}}) {
      if (object == nullptr) continue;
      if (std::count(object->touch_links.begin(), object->touch_links.end(), other)) return true;
    }
    if (carried[i] == nullptr && carried[j] == nullptr) return robot.isPairDisabled(a.link, b.link);
    return false;
  };
  const int count = static_cast<int>(model.bodies.size());
  for (int i = 0; i < count; ++i) {
    for (int j = i + 1; j < count; ++j) {
      if (mayTouch(i, j)) continue;
      const CollisionBody& a = model.bodies[i];
      const CollisionBody& b = model.bodies[j];
      const CollisionPair pair{i, j, marginBetween(problem.collision, a.name, b.name)};
      const bool obstacle_moves = b.obstacle >= 0 && problem.obstacles[b.obstacle].moves();
      const bool apart = b.link < 0 ? !moved_by[a.link].empty() || obstacle_moves
                                    : moved_by[a.link] != moved_by[b.link];
      (apart ? model.pairs : model.fixed_pairs).push_back(pair);
    }
  }
  switch (detail) {
    case FidelityPolicy::kHulls:
      break;
    case FidelityPolicy::kWhereNeeded:
      FidelityChooser(problem, &model).apply(MeshFidelity::kHull);
      break;
    case FidelityPolicy::kEverywhere:
      FidelityChooser(problem, &model).apply(MeshFidelity::kPieces);
      break;
    case FidelityPolicy::kSurfaces:
      FidelityChooser(problem, &model).apply(MeshFidelity::kSurface);
  }
  return model;
}

}  // namespace allclear
