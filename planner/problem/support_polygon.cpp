#include "allclear/planner/problem/support_polygon.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "allclear/core/input_error.h"
#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {
namespace {

/// Points that stand for the rim of a round face. Their polygon lies inside of the circle: the
/// support is never overestimated, and by less than half a percent of the radius underestimated.
constexpr int kRimPoints = 32;

/// Corners nearer than this [m] span no edge: the hull may repeat a corner but for rounding.
constexpr double kShortestEdge = 1e-9;

void addRim(double radius, double z, std::vector<Vec3>* out) {
  for (int i = 0; i < kRimPoints; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kRimPoints;
    out->push_back({radius * std::cos(angle), radius * std::sin(angle), z});
  }
}

/// Points of a shape, its lowest ones among them when it stands on a face or rolls on a round side.
struct StandingPoints {
  const Mat3& R_WG;
  std::vector<Vec3> operator()(const Box& box) const {
    std::vector<Vec3> out;
    for (int i = 0; i < 8; ++i) {
      out.push_back(
          box.halfSize().cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
    }
    return out;
  }
  std::vector<Vec3> operator()(const Cylinder& cylinder) const {
    std::vector<Vec3> out;
    addRim(cylinder.radius(), -0.5 * cylinder.length(), &out);
    addRim(cylinder.radius(), 0.5 * cylinder.length(), &out);
    return out;
  }
  std::vector<Vec3> operator()(const Cone& cone) const {
    std::vector<Vec3> out{Vec3(0, 0, 0.5 * cone.length())};
    addRim(cone.radius(), -0.5 * cone.length(), &out);
    return out;
  }
  std::vector<Vec3> operator()(const ConvexMesh& mesh) const { return mesh.points(); }
  std::vector<Vec3> operator()(const TriangleMesh& mesh) const { return mesh.vertices(); }
  std::vector<Vec3> operator()(const HalfSpace&) const { return {}; }
  template <class Round>
  std::vector<Vec3> operator()(const Round& shape) const {
    // The world's downward direction in the shape's frame; the support point of a round shape.
    const Vec3 down = -R_WG.row(2).transpose();
    if constexpr (std::is_same_v<Round, Sphere>) {
      return {shape.radius() * down};
    } else if constexpr (std::is_same_v<Round, Capsule>) {
      const Vec3 end(0, 0, 0.5 * shape.length());
      return {end + shape.radius() * down, shape.radius() * down - end};
    } else {
      const Vec3 scaled = shape.radii().cwiseProduct(down);
      return {shape.radii().cwiseProduct(scaled) / scaled.norm()};
    }
  }
};

}  // namespace

bool isMoved(const Problem& problem, int link) {
  const MotionTree tree(*problem.robot);
  for (int node : tree.pathTo(tree.mounts()[link].node)) {
    const int coordinate = tree.nodes()[node].coordinate;
    if (std::count(problem.planned.begin(), problem.planned.end(), coordinate) > 0) return true;
  }
  return false;
}

double robotWeight(const RobotModel& robot) {
  const MotionTree tree(robot);
  double mass = tree.worldInertia().mass;
  for (const MotionNode& node : tree.nodes()) mass += node.inertia.mass;
  return mass * kStandardGravity.norm();
}

SupportPolygon supportPolygon(const Problem& problem, const Balance& balance) {
  // All candidates: points of all supports, where the start puts them.
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.start, workspace, X_WL);
  std::vector<Vec3> points;
  std::string names;
  for (int link : balance.support_links) {
    const Link& support = problem.robot->links()[link];
    names += (names.empty() ? "'" : ", '") + support.name + "'";
    if (isMoved(problem, link)) {
      throw InputError({problem.source_file, 0, "balance: support", support.name},
                       "is moved by a planned joint; a support stays where it is");
    }
    for (const Geometry& part : support.collision) {
      const Pose X_WG = X_WL[link] * part.X_BG;
      for (const Vec3& p : std::visit(StandingPoints{X_WG.R}, part.shape)) {
        points.push_back(X_WG * p);
      }
    }
  }
  // Those that touch the ground are the lowest, within a layer; the polygon is their hull from
  // above.
  SupportPolygon polygon;
  polygon.height = std::numeric_limits<double>::infinity();
  for (const Vec3& p : points) polygon.height = std::min(polygon.height, p.z());
  std::vector<Vec3> ground;
  for (const Vec3& p : points) {
    if (p.z() <= polygon.height + kGroundLayer) ground.push_back({p.x(), p.y(), 0.0});
  }
  std::vector<int> corners;
  if (!ground.empty()) corners = convexHull(ground).vertices;
  if (corners.size() < 3) {
    throw InputError({problem.source_file, 0, "balance: support", names},
                     "no flat surface to stand on below these links");
  }
  // Edges: unit normals that point to the middle. The nearest edge gives the radius.
  Eigen::Vector2d middle = Eigen::Vector2d::Zero();
  for (int c : corners) middle += ground[c].head<2>() / static_cast<double>(corners.size());
  polygon.radius = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Eigen::Vector2d a = ground[corners[i]].head<2>();
    const Eigen::Vector2d b = ground[corners[(i + 1) % corners.size()]].head<2>();
    Eigen::Vector2d inward(a.y() - b.y(), b.x() - a.x());
    if (!(inward.norm() > kShortestEdge)) continue;
    inward.normalize();
    if (inward.dot(middle - a) < 0.0) inward = -inward;
    polygon.edges.push_back({inward, inward.dot(a)});
    polygon.radius = std::min(polygon.radius, inward.dot(middle - a));
  }
  return polygon;
}

}  // namespace allclear
