#include "allclear/planner/problem/support_polygon.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/planner/problem/standing_points.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {
namespace {

/// Corners nearer than this [m] span no edge: the hull may repeat a corner but for rounding.
constexpr double kShortestEdge = 1e-9;

/// Adds the corners of the link's soles, less the margins that these keep from their edges and that
/// hold what they may drift, and its points; false when the link has none.
bool addSoles(const ContactSet& contacts, int link, std::vector<Vec3>* out) {
  bool has_any = false;
  for (const PlacedContact& placed : contacts.all()) {
    const Contact& contact = placed.contact;
    if (contact.link != link) continue;
    const bool is_flat = contact.kind == Contact::Kind::kFlat;
    // A link that stays by itself, and of which no sole is known, counts by its shape.
    if (is_flat && !(contact.half_size.minCoeff() > 0.0)) continue;
    has_any = true;
    const Eigen::Vector2d half =
        is_flat ? Eigen::Vector2d((contact.half_size.array() - contact.margin).cwiseMax(0.0))
                : Eigen::Vector2d(0.0, 0.0);
    for (int corner = 0; corner < 4; ++corner) {
      out->push_back(placed.X_WC * Vec3(corner & 1 ? half.x() : -half.x(),
                                        corner & 2 ? half.y() : -half.y(), 0.0));
    }
  }
  return has_any;
}

/// The zero-moment point has a meaning on one plane only. Feet on steps need forces.
void requireOneHeight(const Problem& problem, const std::vector<Vec3>& soles,
                      const std::vector<Vec3>& points) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const Vec3& p : points) lowest = std::min(lowest, p.z());
  for (const Vec3& p : soles) {
    if (p.z() <= lowest + kGroundLayer) continue;
    throw InputError(
        {problem.source_file, 0, "balance: support", ""},
        formatted("the contacts are not on one level plane: some place is %.4g m above another. "
                  "Put the start onto the ground, or use `criterion: forces`",
                  p.z() - lowest));
  }
}

/// Points of a support that is no contact, where the start puts it.
void addShapes(const Problem& problem, int link, const Pose& X_WL, std::vector<Vec3>* out) {
  const Link& support = problem.robot->links()[link];
  if (isMoved(problem, link)) {
    throw InputError({problem.source_file, 0, "balance: support", support.name},
                     "is moved by a planned joint; a support stays where it is: make it a contact");
  }
  for (const Geometry& part : support.collision) {
    const Pose X_WG = X_WL * part.X_BG;
    for (const Vec3& p : standingPoints(part.shape, X_WG.R)) out->push_back(X_WG * p);
  }
}

/// All candidates: corners of soles, and points of the other supports, where the start puts them.
std::vector<Vec3> supportPoints(const Problem& problem, const Balance& balance) {
  const ContactSet contacts(problem);
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.start, workspace, X_WL);
  std::vector<Vec3> soles, points;
  for (int link : balance.support_links) {
    if (!addSoles(contacts, link, &soles)) addShapes(problem, link, X_WL[link], &points);
  }
  points.insert(points.end(), soles.begin(), soles.end());
  // Shapes count by their lowest points alone; soles all count, so none may be higher.
  requireOneHeight(problem, soles, points);
  return points;
}

std::string namesOf(const Problem& problem, const Balance& balance) {
  std::string names;
  for (int link : balance.support_links) {
    names += (names.empty() ? "'" : ", '") + problem.robot->links()[link].name + "'";
  }
  return names;
}

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
  const std::vector<Vec3> points = supportPoints(problem, balance);
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
    throw InputError({problem.source_file, 0, "balance: support", namesOf(problem, balance)},
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
