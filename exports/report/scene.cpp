// What the report's viewer shows: for each body the meshes that it looks like, the solids that its
// distances are measured to (where these differ), and its pose at every frame; where the camera
// looks; and the points whose paths are drawn.
//
// A file of some hundred thousand triangles opens slowly in a browser, so all meshes share a budget
// of triangles, in proportion to what they have.
#include "allclear/exports/report/scene.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/distance/cloud.h"
#include "allclear/distance/support.h"

namespace allclear {
namespace {

/// So many triangles each mesh keeps, however small its share of the budget: fewer show no shape.
constexpr int kFewestTriangles = 64;

/// The edge of the square that shows a plane, in radii of the view: it reaches beyond the picture.
constexpr double kPlaneSize = 4.0;

/// The least radius of the view [m].
constexpr double kLeastView = 0.05;

/// A bounding ball reaches beyond its body's corners in most directions: this part of its radius
/// frames the picture better.
constexpr double kBallShare = 0.7;

/// Where an obstacle may be is shown by so many corners, anew in so many stages of the motion: the
/// jumps between two stages are a few percent of its size.
constexpr int kSpreadPoints = 250;
constexpr int kSpreadStages = 24;

/// A mesh that bends is shown in so many stages at most.
constexpr int kBendStages = 90;

/// With so many triangles at most in each: files stay small.
constexpr int kBendTriangles = 1500;

/// Elements of a cloud that are drawn, each with some hundred triangles on the graphics card.
constexpr std::int32_t kMostCells = 20000;

/// Frames of a motion that the view takes into account.
constexpr int kViewFrames = 10;

bool isPlane(const std::vector<Geometry>& geometry) {
  return !geometry.empty() && std::all_of(geometry.begin(), geometry.end(), [](const auto& g) {
    return std::holds_alternative<HalfSpace>(g.shape);
  });
}

/// The geometry that shows a body: its visuals, else its collision geometry as the files give it.
const std::vector<Geometry>& looksOf(const Problem& problem, const CertifiedBody& body) {
  // The box about it: for the view alone.
  if (body.deforming != nullptr || body.cloud != nullptr) return body.geometry;
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

/// The finest fidelity at which a pair of this body is measured.
MeshFidelity fidelityOf(int body, const ReportClearance& clearance) {
  MeshFidelity fidelity = MeshFidelity::kHull;
  for (const ReportPair& pair : clearance.pairs) {
    const ReportDistance& at = pair.at.front();
    if (at.a == body || at.b == body) fidelity = std::max(fidelity, pair.fidelity);
  }
  return fidelity;
}

/// The bodies of the geometry, then the links that have visuals but no collision geometry.
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

/// The ball that the camera looks at: the box of the robot and of obstacles that move, over the
/// frames, and of obstacles at rest. Obstacles larger than the robot (a floor, a wall) are left
/// out, or they would make the robot small.
void findView(const Problem& problem, const std::vector<CertifiedBody>& bodies,
              const ReportFrames& frames, ReportScene* scene) {
  Vec3 lower = Vec3::Constant(HUGE_VAL), upper = -lower;
  const auto add = [&](const Vec3& p, double r) {
    lower = lower.cwiseMin(p - Vec3::Constant(r));
    upper = upper.cwiseMax(p + Vec3::Constant(r));
  };
  // The robot first: its size decides which obstacles count.
  for (const bool obstacles : {false, true}) {
    const double robot_size = obstacles && lower.x() < upper.x() ? (upper - lower).norm() : 0.0;
    for (const CertifiedBody& body : bodies) {
      if ((body.kind == CertifiedBody::Kind::kObstacle) != obstacles) continue;
      const bool moves = body.obstacle < 0 || problem.obstacles[body.obstacle].moves();
      const int step = moves ? std::max(1, frames.count() / kViewFrames) : frames.count();
      for (const Geometry& g : looksOf(problem, body)) {
        const Ball ball = boundingBall(g.shape);
        if (!std::isfinite(ball.radius) || (obstacles && ball.radius > robot_size)) continue;
        for (int f = 0; f < frames.count(); f += step) {
          add(bodyPose(problem, body, frames, f) * (g.X_BG * ball.center),
              kBallShare * ball.radius);
        }
      }
    }
  }
  if (!(lower.x() < upper.x())) return;
  scene->center = 0.5 * (lower + upper);
  scene->radius = std::max(kLeastView, 0.5 * (upper - lower).norm());
}

/// The part of each mesh's triangles that fits the budget.
double triangleShare(const Problem& problem, const std::vector<CertifiedBody>& bodies,
                     int most_triangles) {
  double total = 0.0;
  for (const CertifiedBody& body : bodies) {
    for (const Geometry& g : looksOf(problem, body)) {
      const auto* mesh = std::get_if<TriangleMesh>(&g.shape);
      if (mesh != nullptr) total += static_cast<double>(mesh->triangles().size());
    }
  }
  return total > most_triangles ? most_triangles / total : 1.0;
}

/// Points of the surface of a shape displaced within the ellipsoid of K, all in one frame: the
/// farthest along directions that lie evenly on the sphere (a spiral).
std::vector<Vec3> displacedSurface(const Geometry& geometry, const Mat3& K) {
  const double turn = std::numbers::pi * (3.0 - std::sqrt(5.0));  // the golden angle
  std::vector<Vec3> points;
  for (int i = 0; i < kSpreadPoints; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / kSpreadPoints, r = std::sqrt(1.0 - z * z);
    const Vec3 n(r * std::cos(turn * i), r * std::sin(turn * i), z);
    points.push_back(geometry.X_BG * support(geometry.shape, geometry.X_BG.R.transpose() * n) +
                     farthestDisplacement(K, n));
  }
  return points;
}

/// Where the obstacle may be at a frame, in its own frame.
std::vector<PackedMesh> spreadAt(const Obstacle& obstacle, double t, double plane_size) {
  const Mat3 R = obstacle.pose(t).R;
  const Mat3 K = R.transpose() * obstacle.spreadAt(t) * R;
  std::vector<PackedMesh> meshes;
  for (const Geometry& geometry : obstacle.geometry) {
    // A plane moves out; other shapes are shown by the hull of the farthest points.
    Geometry shown = geometry;
    if (std::holds_alternative<HalfSpace>(geometry.shape)) {
      const Vec3 n = geometry.X_BG.R.col(2);
      shown.X_BG.p += displacementReach(K, n) * n;
    } else {
      shown = {ConvexMesh(displacedSurface(geometry, K)), Pose()};
    }
    meshes.push_back(packed(reportMesh(shown, plane_size)));
  }
  return meshes;
}

/// By stages, each as at its last frame. Where neither place nor spread changes one is enough.
std::vector<ReportSpread> spreadsOf(const Obstacle& obstacle, const ReportFrames& frames,
                                    double plane_size) {
  if (obstacle.spread.isEmpty()) return {};
  const bool changes = obstacle.moves() && frames.isMotion();
  const int stages = changes ? std::min(kSpreadStages, frames.count()) : 1;
  std::vector<ReportSpread> out;
  for (int i = 0; i < stages; ++i) {
    const int first = frames.count() * i / stages, last = frames.count() * (i + 1) / stages - 1;
    out.push_back({first, spreadAt(obstacle, frames.times[last], plane_size)});
  }
  return out;
}

/// A mesh that bends, by stages: as it is in the middle of each.
std::vector<ReportSpread> stagesOf(const DeformingMesh& mesh, const ReportFrames& frames,
                                   int most_triangles) {
  const int stages = frames.isMotion() ? std::min(kBendStages, frames.count()) : 1;
  std::vector<ReportSpread> out;
  for (int i = 0; i < stages; ++i) {
    const int first = frames.count() * i / stages, last = frames.count() * (i + 1) / stages - 1;
    const ReportMesh shown{mesh.positions(frames.times[(first + last) / 2]), mesh.triangles()};
    out.push_back({first, {packed(simplified(shown, most_triangles))}});
  }
  return out;
}

/// Every so many elements in the order of the tree, which spreads them evenly.
ReportCells cellsOf(const Cloud& cloud) {
  ReportCells out;
  out.count = cloud.size();
  const std::int32_t step = (cloud.size() + kMostCells - 1) / kMostCells;
  for (std::int32_t i = 0; i < cloud.size(); i += step) {
    const Vec3 center = cloud.center(i), half = 0.5 * (cloud.upper(i) - cloud.lower(i));
    out.centers.insert(out.centers.end(), {center.x(), center.y(), center.z()});
    if (!cloud.isBalls()) {
      out.half_size.insert(out.half_size.end(), {half.x(), half.y(), half.z()});
    }
  }
  if (cloud.isBalls()) out.half_size = {cloud.radius()};
  // For the view, which needs corners to look at.
  const Geometry box = cloud.boxAbout();
  out.size = std::get<Box>(box.shape).size();
  out.lower = box.X_BG.p - 0.5 * out.size;
  return out;
}

/// A body's meshes for the viewer. Its solids are left empty where they are what it looks like.
ReportBody reportBody(const Problem& problem, const CertifiedBody& body, MeshFidelity fidelity,
                      const ReportFrames& frames, double plane_size, double share) {
  // Thinned out by the same share as all others, but never so far that the shape is lost.
  const std::vector<Geometry>& looks = looksOf(problem, body);
  ReportBody out{body.name, body.kind, isPlane(looks), {}, {}, posesOf(problem, body, frames), {}};
  if (body.obstacle >= 0) {
    out.spreads = spreadsOf(problem.obstacles[body.obstacle], frames, plane_size);
  }
  if (body.deforming != nullptr) {
    out.bends = true;
    out.spreads = stagesOf(*body.deforming, frames, kBendTriangles);
    return out;
  }
  if (body.cloud != nullptr) {
    out.is_plane = false;
    out.cells = cellsOf(*body.cloud);
    return out;
  }
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const ReportMesh mesh =
        out.is_plane ? reportPlane(looks, i, plane_size) : reportMesh(looks[i], plane_size);
    const int most = static_cast<int>(share * static_cast<double>(mesh.triangles.size()));
    out.looks.push_back(
        packed(share < 1.0 ? simplified(mesh, std::max(kFewestTriangles, most)) : mesh));
  }
  const bool is_same = isMeshless(looks) && (body.kind != CertifiedBody::Kind::kLink ||
                                             problem.robot->links()[body.link].visual.empty());
  if (is_same) return out;
  for (const Geometry& g : body.solids(fidelity)) {
    out.solids.push_back(packed(reportMesh(g, plane_size)));
  }
  return out;
}

}  // namespace

ReportScene reportScene(const Problem& problem, const CertifiedGeometry& geometry,
                        const ReportFrames& frames, const ReportClearance& clearance,
                        int most_triangles) {
  // The view first: the square that shows a plane is as large as the view.
  ReportScene scene;
  const std::vector<CertifiedBody> bodies = allBodies(problem, geometry);
  findView(problem, bodies, frames, &scene);
  scene.tools = findTools(problem);
  const double plane_size = kPlaneSize * scene.radius;
  const double share = triangleShare(problem, bodies, most_triangles);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    scene.bodies.push_back(reportBody(
        problem, bodies[i], fidelityOf(static_cast<int>(i), clearance), frames, plane_size, share));
  }
  return scene;
}

}  // namespace allclear
