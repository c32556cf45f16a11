// Where the tip of a robot is. No file says it: a URDF ends in a flange, in fingers, or in a frame
// without geometry that somebody has called tool0. All that is fixed to the last planned link, or
// held by joints that are not planned, counts as the tool.
#include "allclear/exports/report/tools.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "allclear/distance/support.h"
#include "allclear/planner/problem/alternatives.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

/// A middle that is nearer to the last joint than this [m] gives no direction.
constexpr double kLeastLength = 1e-3;

/// A frame counts as the tool's where it is so far out, of the way to the end of the geometry: one
/// at a flange or a sensor is not.
constexpr double kOuter = 0.8;

bool isPlanned(const Problem& problem, const Joint& joint) {
  return joint.first_coordinate >= 0 &&
         std::binary_search(problem.planned.begin(), problem.planned.end(), joint.first_coordinate);
}

/// Shapes with their place in the world.
struct Placed {
  Geometry geometry;
  Pose X_WL;
  Vec3 center() const { return X_WL * (geometry.X_BG * boundingBall(geometry.shape).center); }
  double reachAlong(const Vec3& direction, const Vec3& from) const {
    const Pose X_WG = X_WL * geometry.X_BG;
    const Vec3 p = X_WG * support(geometry.shape, X_WG.R.transpose() * direction);
    return direction.dot(p - from);
  }
};

/// The mean of the middles.
std::optional<Vec3> middleOf(const std::vector<Placed>& parts) {
  if (parts.empty()) return std::nullopt;
  Vec3 sum = Vec3::Zero();
  for (const Placed& part : parts) sum += part.center();
  return Vec3(sum / static_cast<double>(parts.size()));
}

/// The tool on one last link, at the start.
class Tool {
 public:
  Tool(const Problem& problem, int link, const std::vector<Pose>& X_WL)
      : problem_(problem), link_(link), X_WL_(X_WL), is_part_(X_WL.size(), false) {
    is_part_[link] = true;
    // Joints come parents first; planned ones do not lead out of a last link.
    for (const Joint& joint : problem.robot->joints()) {
      if (is_part_[joint.parent_link]) is_part_[joint.child_link] = true;
    }
  }

  /// What is carried, else a frame near the end of all geometry, else that end.
  ReportTool tip() const {
    const Pose& X_WL = X_WL_[link_];
    if (const auto carried = middleOf(carriedParts())) return {link_, X_WL.inverse() * *carried};
    const Vec3 end = farEnd();
    const auto frame = farthestFrame();
    const bool is_out = frame && (*frame - X_WL.p).norm() >= kOuter * (end - X_WL.p).norm();
    return {link_, X_WL.inverse() * (is_out ? *frame : end)};
  }

 private:
  /// What is carried by any part of the tool.
  std::vector<Placed> carriedParts() const {
    std::vector<Placed> parts;
    for (const AttachedObject& object : problem_.attached) {
      if (!is_part_[object.link]) continue;
      for (const Geometry& g : object.geometry) parts.push_back({g, X_WL_[object.link]});
    }
    return parts;
  }

  /// The end of the tool's geometry along the line from the last joint through its middle.
  Vec3 farEnd() const {
    const Vec3& from = X_WL_[link_].p;
    const std::vector<Placed> parts = linkParts();
    const Vec3 middle = middleOf(parts).value_or(from);
    if ((middle - from).norm() < kLeastLength) return middle;
    const Vec3 direction = (middle - from).normalized();
    double reach = 0.0;
    for (const Placed& part : parts) reach = std::max(reach, part.reachAlong(direction, from));
    return from + reach * direction;
  }

  /// The collision geometry of all parts of the tool.
  std::vector<Placed> linkParts() const {
    std::vector<Placed> parts;
    for (std::size_t l = 0; l < is_part_.size(); ++l) {
      if (!is_part_[l]) continue;
      for (const Geometry& g : problem_.robot->links()[l].collision) {
        if (std::isfinite(boundingBall(g.shape).radius)) parts.push_back({g, X_WL_[l]});
      }
    }
    return parts;
  }

  /// The origin of a link without a shape, and without any that has one beyond it.
  std::optional<Vec3> farthestFrame() const {
    const std::vector<Link>& links = problem_.robot->links();
    std::vector<bool> has_shape(links.size(), false);
    const auto& joints = problem_.robot->joints();
    for (std::size_t l = 0; l < links.size(); ++l) {
      has_shape[l] = !links[l].collision.empty() || links[l].has_visuals;
    }
    for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint) {
      if (has_shape[joint->child_link]) has_shape[joint->parent_link] = true;
    }
    // Of several such frames the one farthest out is the tool's.
    std::optional<Vec3> farthest;
    double most = kLeastLength;
    for (std::size_t l = 0; l < links.size(); ++l) {
      const double distance = (X_WL_[l].p - X_WL_[link_].p).norm();
      if (!is_part_[l] || has_shape[l] || distance <= most) continue;
      most = distance;
      farthest = X_WL_[l].p;
    }
    return farthest;
  }

  const Problem& problem_;
  int link_;
  const std::vector<Pose>& X_WL_;
  std::vector<bool> is_part_;  ///< by link: moves with the last one
};

/// Links that a planned joint moves and no planned joint is beyond.
std::vector<int> lastLinks(const Problem& problem) {
  // Joints come parents first, so from the last to the first each child is known before its parent.
  std::vector<bool> carries(problem.robot->links().size(), false);
  const std::vector<Joint>& joints = problem.robot->joints();
  for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint) {
    if (isPlanned(problem, *joint) || carries[joint->child_link]) {
      carries[joint->parent_link] = true;
    }
  }
  std::vector<int> links;
  for (const Joint& joint : joints) {
    if (isPlanned(problem, joint) && !carries[joint.child_link]) links.push_back(joint.child_link);
  }
  return links;
}

}  // namespace

std::vector<ReportTool> findTools(const Problem& problem) {
  std::vector<ReportTool> tools;
  for (const PoseTarget& pose : posesOf(problem.goal)) {
    // Alternatives place the same frame, most often.
    const bool is_known = std::any_of(tools.begin(), tools.end(), [&](const ReportTool& tool) {
      return tool.link == pose.link && tool.p_LT == pose.X_LP.p;
    });
    if (!is_known) tools.push_back({pose.link, pose.X_LP.p});
  }
  if (!tools.empty()) return tools;
  // Joint goals say nothing of a tool: the ends of the planned chains.
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.start, workspace, X_WL);
  for (const int link : lastLinks(problem)) tools.push_back(Tool(problem, link, X_WL).tip());
  return tools;
}

}  // namespace allclear
