// Lists the bodies of a problem and the pairs of them that must stay apart.
//
// This is the place where a certificate could be wrong by leaving something out, so it is kept
// apart from the planner's own model, and simple: all pairs of bodies, minus what the problem or
// the robot model says may touch. Pairs that do not move relative to each other stay in the list,
// marked `fixed`.
#include "allclear/planner/certificate/geometry.h"

#include <algorithm>
#include <set>

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/cloud.h"
#include "allclear/planner/problem/ground_pairs.h"
#include "allclear/planner/problem/pair_margin.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {
namespace {

using Kind = CertifiedBody::Kind;

/// A plane is bounded along its own normal only (motion.h), which must then not turn.
void requireNoTurningPlane(const Obstacle& obstacle) {
  for (const Geometry& part : obstacle.geometry) {
    if (!std::holds_alternative<HalfSpace>(part.shape)) continue;
    for (const PoseKnot& knot : obstacle.motion) {
      const Mat3 turn = knot.X_WO.R - obstacle.motion[0].X_WO.R;
      if (turn.cwiseAbs().maxCoeff() > 0.0) {
        throw InputError("obstacle '" + obstacle.id +
                         "': a plane that turns cannot be certified; use a large box");
      }
    }
  }
}

std::vector<CertifiedBody> bodiesOf(const Problem& problem) {
  std::vector<CertifiedBody> bodies;
  // Links, attached objects, obstacles, in this order: `exemption` relies on it.
  const std::vector<Link>& links = problem.robot->links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    if (links[l].collision.empty()) continue;
    bodies.push_back({links[l].name, Kind::kLink, static_cast<int>(l), -1, links[l].collision});
  }
  for (const AttachedObject& object : problem.attached) {
    bodies.push_back({object.id, Kind::kAttached, object.link, -1, object.geometry});
  }
  for (std::size_t o = 0; o < problem.obstacles.size(); ++o) {
    const Obstacle& obstacle = problem.obstacles[o];
    requireNoTurningPlane(obstacle);
    bodies.push_back({obstacle.id, Kind::kObstacle, -1, static_cast<int>(o), obstacle.geometry});
    if (obstacle.cloud != nullptr) {
      bodies.back().cloud = obstacle.cloud;
      bodies.back().geometry.push_back(obstacle.cloud->boxAbout());
    }
    if (obstacle.deforming == nullptr) continue;
    bodies.back().deforming = obstacle.deforming;
    bodies.back().geometry.push_back(sweptBox(*obstacle.deforming));
  }
  return bodies;
}

/// Tells which bodies move relative to each other.
class RelativeMotion {
 public:
  explicit RelativeMotion(const Problem& problem) : problem_(problem), tree_(*problem.robot) {}

  /// The motion nodes that planned coordinates move, between the world and the body.
  std::set<int> movingNodes(const CertifiedBody& body) const {
    std::set<int> nodes;
    if (body.link < 0) return nodes;
    for (int node : tree_.pathTo(tree_.mounts()[body.link].node)) {
      const int coordinate = tree_.nodes()[node].coordinate;
      const auto& planned = problem_.planned;
      if (std::find(planned.begin(), planned.end(), coordinate) != planned.end()) {
        nodes.insert(node);
      }
    }
    return nodes;
  }

  /// Two bodies that the same nodes move are one rigid body, as long as neither is an obstacle that
  /// moves by itself.
  bool areFixed(const CertifiedBody& a, const CertifiedBody& b) const {
    for (const CertifiedBody* body : {&a, &b}) {
      if (body->obstacle >= 0 && problem_.obstacles[body->obstacle].moves()) return false;
    }
    return movingNodes(a) == movingNodes(b);
  }

 private:
  const Problem& problem_;
  MotionTree tree_;
};

bool mayTouch(const AttachedObject& object, int link) {
  const auto& links = object.touch_links;
  return std::find(links.begin(), links.end(), link) != links.end();
}

/// Why the robot model has this pair of links not checked. Pre: it is disabled.
std::string disabledReason(const RobotModel& robot, int a, int b) {
  const auto [low, high] = std::minmax(a, b);
  for (const DisabledPair& pair : robot.disabledPairs()) {
    if (pair.link_a != low || pair.link_b != high) continue;
    if (pair.from_srdf) return "SRDF: " + pair.reason;
    if (pair.reason == "Adjacent") return "adjacent: joined by a joint, or parts of one body";
    if (pair.reason == "Always") return "sampling: in contact in every sample";
    if (pair.reason == "Never") return "sampling: in contact in no sample";
    return "robot model: " + pair.reason;
  }
  return "robot model";
}

/// Why the two need not be kept apart; empty when they must. Pre: a comes before b in `bodiesOf`,
/// so that a is a link whenever one of them is, and b an obstacle whenever one of them is; they are
/// not both obstacles.
std::string exemption(const Problem& problem, const CertifiedBody& a, const CertifiedBody& b) {
  if (a.link != b.link && holdsPair(problem.collision.avoided, a.name, b.name)) return "";
  if (holdsPair(problem.collision.allowed, a.name, b.name)) return "task: collision.allowed";
  if (holdsPair(problem.collision.allowed_by_scene, a.name, b.name)) {
    return "scene: allowed_collision_matrix";
  }
  if (b.kind == Kind::kObstacle || a.kind == Kind::kAttached) return "";
  if (b.kind == Kind::kLink) {
    const bool is_disabled = problem.robot->isPairDisabled(a.link, b.link);
    return is_disabled ? disabledReason(*problem.robot, a.link, b.link) : "";
  }
  // A link and an attached object: not the link that carries it, nor those that it may touch.
  const auto attached =
      std::find_if(problem.attached.begin(), problem.attached.end(),
                   [&](const AttachedObject& object) { return object.id == b.name; });
  if (a.link == attached->link) return "attached: the link carries it";
  return mayTouch(*attached, a.link) ? "attached: touch_links" : "";
}

/// Where the two touch at a contact, minus the depth that this lets them have; else the margin that
/// task and settings give. A pair that is to be avoided, whatever the robot model says, keeps it.
double marginOf(const Problem& problem, const std::vector<GroundPair>& grounds,
                const CertifiedBody& a, const CertifiedBody& b) {
  const GroundPair* ground = a.kind == Kind::kLink && b.kind == Kind::kObstacle &&
                                     !holdsPair(problem.collision.avoided, a.name, b.name)
                                 ? groundPair(grounds, a.link, b.obstacle)
                                 : nullptr;
  return ground != nullptr ? -ground->depth : pairMargin(problem.collision, a.name, b.name);
}

}  // namespace

CertifiedGeometry certifiedGeometry(const Problem& problem) {
  CertifiedGeometry geometry;
  geometry.bodies = bodiesOf(problem);
  const RelativeMotion motions(problem);
  const EndClearances ends(problem);
  const std::vector<GroundPair> grounds = groundPairs(problem);
  const int count = static_cast<int>(geometry.bodies.size());
  StopSteps steps;
  for (int i = 0; i < count; ++i) {
    for (int j = i + 1; j < count; ++j) {
      steps.step();
      const CertifiedBody &a = geometry.bodies[i], &b = geometry.bodies[j];
      // Two obstacles may overlap: no plan moves them.
      if (a.kind == Kind::kObstacle && b.kind == Kind::kObstacle) continue;
      const std::string reason = exemption(problem, a, b);
      if (!reason.empty()) {
        geometry.exempt.push_back({a.name, b.name, reason});
        continue;
      }
      const double margin = marginOf(problem, grounds, a, b);
      const bool fixed = motions.areFixed(a, b);
      const EndMargins kept = fixed || margin < 0.0
                                  ? EndMargins{margin, margin}
                                  : ends.of({&a.name, a.link, a.obstacle, &a.geometry},
                                            {&b.name, b.link, b.obstacle, &b.geometry}, margin);
      geometry.pairs.push_back({i, j, margin, kept, fixed});
    }
  }
  return geometry;
}

}  // namespace allclear
