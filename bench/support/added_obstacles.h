#pragma once

// Planes and ellipsoids around a certified plan, near its path but clear of it: then a plan among
// them exists.

#include <algorithm>
#include <string>
#include <vector>

#include "allclear/core/assert.h"
#include "allclear/distance/convex_cover.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/distance/support.h"
#include "allclear/planner/certificate.h"
#include "allclear/robot_models/kinematics.h"
#include "tests/support/random.h"

namespace allclear::bench {

/// The robot's hulls at instants of a trajectory.
class SweptHulls {
 public:
  SweptHulls(const Problem& problem, const Trajectory& trajectory, int instants) {
    const Kinematics kinematics(*problem.robot);
    Kinematics::Workspace workspace = kinematics.makeWorkspace();
    std::vector<Pose> X_WL;
    const auto add = [&](int link, const std::vector<Geometry>& geometry) {
      for (Geometry& hull : enclosingSolids(geometry, MeshFidelity::kHull)) {
        hulls_.push_back({link, std::move(hull)});
      }
    };
    for (int l = 0; l < static_cast<int>(problem.robot->links().size()); ++l) {
      add(l, problem.robot->links()[l].collision);
    }
    for (const AttachedObject& object : problem.attached) add(object.link, object.geometry);
    for (int i = 0; i < instants; ++i) {
      const double t = trajectory.duration() * i / (instants - 1);
      kinematics.linkPoses(problem.configuration(trajectory.value(t)), workspace, X_WL);
      poses_.emplace_back();
      for (const auto& [link, hull] : hulls_) poses_.back().push_back(X_WL[link] * hull.X_BG);
    }
  }

  /// The lowest that anything comes along n.
  double lowest(const Vec3& n) const {
    double least = HUGE_VAL;
    for (const std::vector<Pose>& at : poses_) {
      for (std::size_t h = 0; h < hulls_.size(); ++h) {
        const Vec3 down = -(at[h].R.transpose() * n);
        least = std::min(least, n.dot(at[h].p) - supportValue(hulls_[h].second.shape, down));
      }
    }
    return least;
  }

  bool isAtLeast(const Shape& shape, const Pose& X, double distance) const {
    for (const std::vector<Pose>& at : poses_) {
      for (std::size_t h = 0; h < hulls_.size(); ++h) {
        if (!distanceAtLeast(hulls_[h].second.shape, at[h], shape, X, distance)) return false;
      }
    }
    return true;
  }

  Vec3 randomPlace(test::Random& random) const {
    return poses_[random.index(static_cast<int>(poses_.size()))]
                 [random.index(static_cast<int>(hulls_.size()))]
                     .p;
  }

 private:
  std::vector<std::pair<int, Geometry>> hulls_;
  std::vector<std::vector<Pose>> poses_;  ///< by instant, then hull
};

/// Step by step: GCC 12 crashes on the same as one nested list of values.
inline void addObstacle(const std::string& name, const Pose& X_WO, const Shape& shape,
                        Problem* problem) {
  const Geometry geometry{shape, Pose{}};
  Obstacle& obstacle = problem->obstacles.emplace_back();
  obstacle.id = name;
  obstacle.X_WO = X_WO;
  obstacle.geometry.push_back(geometry);
}

/// Adds so many planes and as many ellipsoids, each 1 to 20 cm from the trajectory's path, beyond
/// the margin. False when a certificate of the trajectory among them fails.
inline bool addFreeObstacles(const Trajectory& trajectory, int count, unsigned seed,
                             Problem* problem) {
  constexpr int kInstants = 60;
  test::Random random(seed);
  const SweptHulls swept(*problem, trajectory, kInstants);
  const double margin = problem->collision.margin;
  for (int i = 0; i < count; ++i) {
    const Vec3 n = random.directionOfNormals();
    const double room = margin + random.logUniform(0.01, 0.2);
    const Mat3 R = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), n).toRotationMatrix();
    addObstacle("added plane " + std::to_string(i), {R, (swept.lowest(n) - room) * n}, HalfSpace(),
                problem);
  }
  for (int i = 0; i < count; ++i) {
    const Ellipsoid shape(
        {random.logUniform(0.02, 0.2), random.logUniform(0.02, 0.2), random.logUniform(0.02, 0.2)});
    const double room = margin + random.logUniform(0.01, 0.2);
    Pose X{random.rotationOfNormals(), swept.randomPlace(random)};
    const Vec3 outward = random.directionOfNormals();
    while (!swept.isAtLeast(shape, X, room)) X.p += 0.01 * outward;
    addObstacle("added ellipsoid " + std::to_string(i), X, shape, problem);
  }
  return certify(*problem, trajectory).clear;
}

}  // namespace allclear::bench
