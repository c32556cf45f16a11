#include "allclear/exports/report_scene.h"

#include <algorithm>
#include <cmath>

namespace allclear {
namespace {

bool isPlane(const std::vector<Geometry>& geometry) {
  return !geometry.empty() && std::all_of(geometry.begin(), geometry.end(), [](const auto& g) {
    return std::holds_alternative<HalfSpace>(g.shape);
  });
}

/// What a body looks like: its visuals, else what the files call its collision geometry.
const std::vector<Geometry>& looksOf(const Problem& problem, const CertifiedBody& body) {
  if (body.kind == CertifiedBody::Kind::kObstacle) {
    return problem.obstacles[body.obstacle].geometry;
  }
  if (body.kind == CertifiedBody::Kind::kAttached) {
    for (const AttachedObject& object : problem.attached) {
      if (object.id == body.name) return object.geometry;
    }
  }
  const Link& link = problem.robot->links()[body.link];
  return link.visual.empty() ? link.collision : link.visual;
}

bool isMeshless(const std::vector<Geometry>& geometry) {
  return std::none_of(geometry.begin(), geometry.end(), [](const Geometry& g) {
    return std::holds_alternative<TriangleMesh>(g.shape);
  });
}

/// The closest look that was taken at a body.
Closeness closenessOf(int body, const ReportClearance& clearance) {
  Closeness closeness = Closeness::kHull;
  for (const ReportPair& pair : clearance.pairs) {
    const ReportDistance& at = pair.at.front();
    if (at.a == body || at.b == body) closeness = std::max(closeness, pair.closeness);
  }
  return closeness;
}

/// The bodies of the geometry, then links that are only seen.
std::vector<CertifiedBody> allBodies(const Problem& problem, const CertifiedGeometry& geometry) {
  std::vector<CertifiedBody> bodies = geometry.bodies;
  const std::vector<Link>& links = problem.robot->links();
  for (int l = 0; l < static_cast<int>(links.size()); ++l) {
    if (links[l].visual.empty()) continue;
    const bool is_known =
        std::any_of(geometry.bodies.begin(), geometry.bodies.end(), [&](const CertifiedBody& b) {
          return b.kind == CertifiedBody::Kind::kLink && b.link == l;
        });
    if (!is_known) bodies.push_back({links[l].name, CertifiedBody::Kind::kLink, l, -1, {}});
  }
  return bodies;
}

std::vector<Pose> posesOf(const Problem& problem, const CertifiedBody& body,
                          const ReportFrames& frames) {
  std::vector<Pose> poses;
  bool moves = false;
  for (int f = 0; f < frames.count(); ++f) {
    poses.push_back(bodyPose(problem, body, frames, f));
    moves = moves || poses[f].R != poses[0].R || poses[f].p != poses[0].p;
  }
  if (!moves) poses.resize(1);
  return poses;
}

/// The ball that the camera looks at: robot over all frames, obstacles where they start; of those
/// much larger than the robot only what is near it.
void findView(const Problem& problem, const std::vector<CertifiedBody>& bodies,
              const ReportFrames& frames, ReportScene* scene) {
  Vec3 lower = Vec3::Constant(HUGE_VAL), upper = -lower;
  const auto add = [&](const Vec3& p, double r) {
    lower = lower.cwiseMin(p - Vec3::Constant(r));
    upper = upper.cwiseMax(p + Vec3::Constant(r));
  };
  for (const bool obstacles : {false, true}) {
    const double robot_size = obstacles && lower.x() < upper.x() ? (upper - lower).norm() : 0.0;
    for (const CertifiedBody& body : bodies) {
      if ((body.kind == CertifiedBody::Kind::kObstacle) != obstacles) continue;
      const bool moves = body.obstacle < 0 || problem.obstacles[body.obstacle].moves();
      const int step = moves ? std::max(1, frames.count() / 10) : frames.count();
      for (const Geometry& g : looksOf(problem, body)) {
        const Ball ball = boundingBall(g.shape);
        if (!std::isfinite(ball.radius) || (obstacles && ball.radius > robot_size)) continue;
        for (int f = 0; f < frames.count(); f += step) {
          add(bodyPose(problem, body, frames, f) * (g.X_BG * ball.center), 0.7 * ball.radius);
        }
      }
    }
  }
  if (!(lower.x() < upper.x())) return;
  scene->center = 0.5 * (lower + upper);
  scene->radius = std::max(0.05, 0.5 * (upper - lower).norm());
}

/// The link whose way is drawn: the one that the goal places, else the last one that moves.
void findTool(const Problem& problem, ReportScene* scene) {
  if (const auto* pose = std::get_if<PoseTarget>(&problem.goal)) {
    scene->tool_link = pose->link;
    scene->p_tool = pose->X_LP.p;
    return;
  }
  const RobotModel& robot = *problem.robot;
  std::vector<bool> moves(robot.links().size(), false);
  std::vector<int> depth(robot.links().size(), 0);
  for (const Joint& joint : robot.joints()) {
    const int c = joint.first_coordinate;
    const bool is_planned =
        c >= 0 && std::binary_search(problem.planned.begin(), problem.planned.end(), c);
    moves[joint.child_link] = moves[joint.parent_link] || is_planned;
    depth[joint.child_link] = depth[joint.parent_link] + (is_planned ? 1 : 0);
    const int link = joint.child_link;
    const bool is_farther = scene->tool_link < 0 || depth[link] > depth[scene->tool_link];
    if (moves[link] && is_farther) scene->tool_link = link;
  }
  if (scene->tool_link < 0) return;
  // Its far end says more than its origin, which may lie on the last joint's axis.
  const Link& link = robot.links()[scene->tool_link];
  for (const Geometry& g : link.collision) {
    const Ball ball = boundingBall(g.shape);
    if (std::isfinite(ball.radius)) scene->p_tool = g.X_BG * ball.center;
  }
}

}  // namespace

ReportScene reportScene(const Problem& problem, const CertifiedGeometry& geometry,
                        const ReportFrames& frames, const ReportClearance& clearance,
                        int most_triangles) {
  ReportScene scene;
  const std::vector<CertifiedBody> bodies = allBodies(problem, geometry);
  findView(problem, bodies, frames, &scene);
  findTool(problem, &scene);
  const double plane_size = 4.0 * scene.radius;
  double total = 0.0;
  for (const CertifiedBody& body : bodies) {
    for (const Geometry& g : looksOf(problem, body)) {
      const auto* mesh = std::get_if<TriangleMesh>(&g.shape);
      if (mesh != nullptr) total += static_cast<double>(mesh->triangles().size());
    }
  }
  const double share = total > most_triangles ? most_triangles / total : 1.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const CertifiedBody& body = bodies[i];
    const std::vector<Geometry>& looks = looksOf(problem, body);
    ReportBody out{body.name, body.kind, isPlane(looks), {}, {}, posesOf(problem, body, frames)};
    for (const Geometry& g : looks) {
      const ReportMesh mesh = reportMesh(g, plane_size);
      const double most = share * static_cast<double>(mesh.triangles.size());
      out.looks.push_back(packed(share < 1.0 ? simplified(mesh, std::max(64, int(most))) : mesh));
    }
    const bool is_same = isMeshless(looks) && (body.kind != CertifiedBody::Kind::kLink ||
                                               problem.robot->links()[body.link].visual.empty());
    if (!is_same) {
      const Closeness closeness = closenessOf(static_cast<int>(i), clearance);
      for (const Geometry& g : body.solids(closeness)) {
        out.solids.push_back(packed(reportMesh(g, plane_size)));
      }
    }
    scene.bodies.push_back(std::move(out));
  }
  return scene;
}

}  // namespace allclear
