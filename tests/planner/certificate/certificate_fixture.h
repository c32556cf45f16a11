#pragma once

#include <gtest/gtest.h>

#include <string>

#include "allclear/distance/signed_distance.h"
#include "allclear/planner/certificate.h"
#include "allclear/robot_models/kinematics/chain_recursion.h"
#include "config/task_fixture.h"
#include "support/random_robot.h"

namespace allclear::test {

/// A task of the small arm, from `ready` to the given values; `more` is appended.
inline std::string armTask(const std::string& goal, const std::string& more = "") {
  return "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
         "start_state: {group_state: ready, finger: 0.02}\n"
         "goal: {joint_constraints: " +
         goal + "}\n" + more;
}

inline std::string boxScene(const std::string& objects) {
  return "scene: {collision_objects: [" + objects + "]}\n";
}

inline std::string boxAt(const std::string& id, const Vec3& size, const Vec3& p) {
  const auto list = [](const Vec3& v) {
    return "[" + std::to_string(v.x()) + ", " + std::to_string(v.y()) + ", " +
           std::to_string(v.z()) + "]";
  };
  return "{id: " + id + ", type: box, dimensions: " + list(size) + ", pose: {position: " + list(p) +
         "}}";
}

/// A quintic spline from rest at the problem's start to rest at its goal; its inner control points
/// leave the straight line by up to `bend` [rad], a tenth of it [m] for the lift, the first joint.
inline Trajectory splineOf(const Problem& problem, double duration, Random& random, double bend) {
  constexpr int kCount = 12;
  const VecX from = problem.plannedPart(problem.start);
  const VecX to = std::get<JointTarget>(problem.goal).values;
  MatX control(from.size(), kCount);
  for (int i = 0; i < kCount; ++i) {
    const double s = std::clamp((i - 2.0) / (kCount - 5.0), 0.0, 1.0);
    control.col(i) = (1.0 - s) * from + s * to;
    if (i <= 2 || i >= kCount - 3) continue;
    VecX offset = random.vectorX(static_cast<int>(from.size()), bend);
    offset[0] *= 0.1;
    control.col(i) += offset;
  }
  return BSpline(control, duration);
}

/// What the solids and poses of the problem themselves say, with none of the certificate's code:
/// the least signed distance at t of all pairs that the planned joints or obstacles can part, and
/// its margin taken off when asked for.
class InstantOracle {
 public:
  InstantOracle(const Problem& problem, const Trajectory& trajectory)
      : problem_(problem), trajectory_(trajectory), tree_(*problem.robot) {}

  double leastDistance(double t, std::string* pair = nullptr) const {
    const VecX q = problem_.configuration(trajectory_.value(t));
    const auto X_WL = linkPosesOf(tree_, std::vector<double>(q.begin(), q.end()));
    const auto& links = problem_.robot->links();
    double least = std::numeric_limits<double>::infinity();
    const auto visit = [&](const std::vector<Geometry>& a, const Pose& X_A,
                           const std::vector<Geometry>& b, const Pose& X_B,
                           const std::string& name) {
      for (const Geometry& i : a) {
        for (const Geometry& j : b) {
          const double d = signedDistance(i.shape, X_A * i.X_BG, j.shape, X_B * j.X_BG).distance;
          if (d < least && pair != nullptr) *pair = name;
          least = std::min(least, d);
        }
      }
    };
    for (const auto& [a, b] : problem_.robot->collisionPairs()) {
      if (isRigid(a, b)) continue;
      visit(links[a].collision, X_WL[a], links[b].collision, X_WL[b],
            links[a].name + " " + links[b].name);
    }
    for (const Obstacle& obstacle : problem_.obstacles) {
      for (std::size_t l = 0; l < links.size(); ++l) {
        if (!obstacle.moves() && isRigid(0, static_cast<int>(l))) continue;
        visit(links[l].collision, X_WL[l], obstacle.geometry, obstacle.pose(t),
              links[l].name + " " + obstacle.id);
      }
    }
    return least;
  }

 private:
  /// Of the small arm in group `arm`: hand and fingers are one body; the base does not move.
  bool isRigid(int a, int b) const {
    const auto body = [&](int link) {
      const std::string& name = problem_.robot->links()[link].name;
      return name.find("finger") != std::string::npos ? std::string("hand") : name;
    };
    return body(a) == body(b);
  }

  const Problem& problem_;
  const Trajectory& trajectory_;
  MotionTree tree_;
};

}  // namespace allclear::test
