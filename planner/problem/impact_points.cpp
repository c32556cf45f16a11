// Finds the points at which an unplanned contact with the robot has to be looked at.
//
// A body's surface is that of a convex core made thicker by a radius: a capsule is a segment and a
// radius, a sphere a point and a radius, a polyhedron its vertices. A force along the normal of the
// surface goes through a point of the core, and acts there as it does at the surface. The speed of
// a point, at one and the same rates of the coordinates, is convex in the point, so it is greatest
// at a vertex of the core. (The energy of a contact is not: that of a rod that flies sideways is
// greatest in its middle.) Surfaces that are round otherwise (cylinders, cones, ellipsoids) are
// enclosed by a polyhedron: more than is there is safe.
#include "allclear/planner/problem/impact_points.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "allclear/distance/convex_cover.h"
#include "allclear/distance/geometry/few_corners.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/planner/problem/load.h"

namespace allclear {
namespace {

/// Corners of the polygon about a circle: its corners are 2 % farther out than the circle.
constexpr int kCircleCorners = 16;
/// Corners stand this much farther out, relative, than rounding may take.
constexpr double kRounding = 1e-12;

void addCircle(double radius, double z, std::vector<Vec3>* points) {
  const double out = radius * (1.0 + kRounding) / std::cos(std::numbers::pi / kCircleCorners);
  for (int i = 0; i < kCircleCorners; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kCircleCorners;
    points->emplace_back(out * std::cos(angle), out * std::sin(angle), z);
  }
}

/// Vertices of a shape's core, in its own frame; `is_round` where the surface is farther out.
std::vector<Vec3> corePoints(const Shape& shape, bool* is_round) {
  std::vector<Vec3> points;
  std::visit(
      [&](const auto& s) {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, Sphere>) {
          points = {Vec3::Zero()};
          *is_round = true;
        } else if constexpr (std::is_same_v<S, Capsule>) {
          for (double z : {-0.5, 0.5}) points.emplace_back(0.0, 0.0, z * s.length());
          *is_round = true;
        } else if constexpr (std::is_same_v<S, Box>) {
          const Vec3 h = s.halfSize();
          for (int k = 0; k < 8; ++k) {
            points.emplace_back(k & 1 ? h[0] : -h[0], k & 2 ? h[1] : -h[1], k & 4 ? h[2] : -h[2]);
          }
        } else if constexpr (std::is_same_v<S, Cylinder>) {
          for (double z : {-0.5, 0.5}) addCircle(s.radius(), z * s.length(), &points);
        } else if constexpr (std::is_same_v<S, Cone>) {
          addCircle(s.radius(), -0.5 * s.length(), &points);
          points.emplace_back(0.0, 0.0, 0.5 * s.length());
        } else if constexpr (std::is_same_v<S, Ellipsoid>) {
          // Three rings enclose the unit ball: at height z a circle about it has radius at most 1,
          // and the rings at 0 and +-1, with these radii, have it inside of their hull.
          const double tip = std::numbers::sqrt2 - 1.0;
          for (double z : {-1.0, 1.0}) addCircle(tip, z, &points);
          for (double z : {-tip, tip}) addCircle(1.0, z, &points);
          for (Vec3& p : points) p = p.cwiseProduct(s.radii());
        } else if constexpr (std::is_same_v<S, ConvexMesh>) {
          points = fewCorners(s.points());
        } else if constexpr (std::is_same_v<S, TriangleMesh>) {
          points = fewCornersOf(s);  // of its hull
        } else {
          static_assert(std::is_same_v<S, HalfSpace>);  // no link is one
        }
      },
      shape);
  return points;
}

}  // namespace

bool ImpactModel::limits(const ContactLimit& limit, const ImpactBody& body) {
  return limit.links.empty() ||
         std::find(limit.links.begin(), limit.links.end(), body.link) != limit.links.end();
}

ImpactModel::ImpactModel(const Problem& problem)
    : tree_(*loadedRobot(problem)),
      planned_(problem.robot->dimension(), false),
      may_be_exact_(problem.contacts.empty() || ContactSet(problem).moving().empty()) {
  for (int c : problem.planned) planned_[c] = true;
  for (const MotionNode& node : tree_.nodes()) {
    // Nodes come after their parents, so one pass tells what moves.
    const bool is_carried = node.parent >= 0 && moves_[node.parent];
    moves_.push_back(is_carried || planned_[node.coordinate]);
  }
  findBranches();
  const std::vector<Link>& links = problem.robot->links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    addBody(links[l].name, static_cast<int>(l), links[l].collision);
  }
  for (const AttachedObject& object : problem.attached) {
    addBody(object.id, object.link, object.geometry);
  }
}

/// Nodes with the same root belong together, and so do roots under which one coordinate moves
/// nodes of both.
void ImpactModel::findBranches() {
  const std::vector<MotionNode>& nodes = tree_.nodes();
  std::vector<int>& first_of = coordinate_branch_;
  first_of.assign(tree_.dimension(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    branch_.push_back(nodes[i].parent < 0 ? static_cast<int>(i) : branch_[nodes[i].parent]);
    int& first = first_of[nodes[i].coordinate];
    if (first < 0) first = branch_.back();
    const int from = branch_.back(), to = first;
    if (from == to) continue;
    std::replace(branch_.begin(), branch_.end(), from, to);
    std::replace(first_of.begin(), first_of.end(), from, to);
  }
}

void ImpactModel::addBody(const std::string& name, int link,
                          const std::vector<Geometry>& geometry) {
  const LinkMount& mount = tree_.mounts()[link];
  if (mount.node < 0 || !moves_[mount.node]) return;
  ImpactBody body;
  body.name = name;
  body.link = link;
  body.node = mount.node;
  body.branch = branch_[mount.node];
  // Each convex part by itself: the speed is greatest at one of its corners.
  for (const Geometry& part : geometry) {
    const Pose X_NG = mount.X_NL * part.X_BG;
    ImpactCore core{static_cast<int>(body.points.size()), 0};
    for (const Vec3& p_G : corePoints(part.shape, &body.is_round)) {
      body.points.push_back(X_NG * p_G);
      ++core.count;
    }
    if (core.count > 0) body.cores.push_back(core);
  }
  point_count_ += static_cast<int>(body.points.size());
  if (body.points.empty()) return;
  body.ball = ballAbout(body.points);
  bodies_.push_back(std::move(body));
}

std::vector<std::string> jointsWithoutRotor(const Problem& problem) {
  std::vector<std::string> names;
  for (int c : problem.planned) {
    const Coordinate& coordinate = problem.robot->coordinates()[c];
    if (!coordinate.rotor_inertia) names.push_back(coordinate.name);
  }
  return names;
}

}  // namespace allclear
