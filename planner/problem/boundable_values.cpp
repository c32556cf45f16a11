// Which numbers of a problem a proof can be made of. The limits are those of trajectories
// (`TrajectoryLimits`): far beyond any machine, and so far below what a double holds that the
// highest power taken of them (rates to the fifteenth) stays finite.
#include "allclear/planner/problem/boundable_values.h"

#include <cmath>

#include "allclear/distance/deforming_mesh.h"
#include "allclear/trajectories/named_trajectory.h"

namespace allclear {
namespace {

constexpr double kGreatest = TrajectoryLimits::kGreatestValue;
constexpr double kShortest = TrajectoryLimits::kShortestStep;

/// How far from orthogonal a rotation may be: products of rotations in files with six decimals.
constexpr double kRotation = 1e-5;

// Written so that NaN is not.
bool isBounded(double value) { return std::abs(value) <= kGreatest; }
bool isBounded(const Pose& X) {
  const Mat3 off = X.R.transpose() * X.R - Mat3::Identity();
  return (X.p.array().abs() <= kGreatest).all() && (off.array().abs() <= kRotation).all();
}

class BoundableValues {
 public:
  explicit BoundableValues(const Problem& problem) : problem_(problem) {}

  std::vector<Finding> run() {
    checkJoints();
    for (Eigen::Index c = 0; c < problem_.start.size(); ++c) {
      require(isBounded(problem_.start[c]),
              "start: joint '" + problem_.robot->coordinates()[c].name + "'", problem_.start[c]);
    }
    for (const Obstacle& obstacle : problem_.obstacles) checkObstacle(obstacle);
    for (const AttachedObject& object : problem_.attached) {
      checkGeometry("attached object '" + object.id + "'", object.geometry);
    }
    checkDemands();
    return std::move(findings_);
  }

 private:
  void require(bool good, const std::string& what, double value,
               const char* why = "is not finite or beyond 1e9") {
    if (!good) findings_.push_back({what, value, kGreatest, what + ": " + why});
  }

  void checkJoints() {
    for (const Joint& joint : problem_.robot->joints()) {
      const std::string what = "joint '" + joint.name + "'";
      require(isBounded(joint.X_PJ), what, kGreatest, "its origin is not finite or beyond 1e9 m");
      if (!joint.mimic) continue;
      require(isBounded(joint.mimic->multiplier) && isBounded(joint.mimic->offset),
              what + ": mimic", joint.mimic->multiplier,
              "its multiplier or offset is not finite or beyond 1e9");
    }
    for (const Link& link : problem_.robot->links()) {
      checkGeometry("link '" + link.name + "'", link.collision);
    }
  }

  void checkGeometry(const std::string& what, const std::vector<Geometry>& parts) {
    for (const Geometry& part : parts) {
      require(isBounded(part.X_BG), what, kGreatest,
              "the pose of its geometry is not finite or beyond 1e9 m");
    }
  }

  /// Positions and order of keyframes are checked by the mesh itself.
  void checkTimes(const std::string& what, const std::vector<double>& times) {
    for (std::size_t k = 1; k < times.size(); ++k) {
      require(times[k] - times[k - 1] >= kShortest, what, times[k],
              "its keyframes must be 1e-9 s or more apart");
    }
  }

  void checkObstacle(const Obstacle& obstacle) {
    const std::string what = "obstacle '" + obstacle.id + "'";
    checkGeometry(what, obstacle.geometry);
    require(isBounded(obstacle.X_WO), what, kGreatest, "its pose is not finite or beyond 1e9 m");
    if (obstacle.deforming != nullptr) checkTimes(what, obstacle.deforming->times());
    double previous = -std::numeric_limits<double>::infinity();
    for (const PoseKnot& knot : obstacle.motion) {
      const bool good =
          isBounded(knot.time) && isBounded(knot.X_WO) && knot.time - previous >= kShortest;
      require(
          good, what, knot.time,
          "its motion must be finite and below 1e9, and its times must ascend by 1e-9 s or more");
      if (!good) return;  // what follows a wrong knot means nothing
      previous = knot.time;
    }
  }

  void checkDemands() {
    require(isBounded(problem_.collision.margin), "collision: margin", problem_.collision.margin);
    require(isBounded(problem_.collision.tolerance) && problem_.collision.tolerance > 0.0,
            "collision: tolerance", problem_.collision.tolerance, "must be positive and below 1e9");
    for (const PairMargin& pair : problem_.collision.pair_margins) {
      require(isBounded(pair.margin), "pair margin of '" + pair.a + "'", pair.margin);
    }
    for (const PathConstraint& constraint : problem_.path_constraints) {
      const bool good = std::visit([](const auto& keep) { return isGood(keep); }, constraint);
      require(good, "path constraint", kGreatest, "its numbers must be finite, its axes not zero");
    }
    for (const Waypoint& waypoint : problem_.waypoints) {
      require(!waypoint.time || isBounded(*waypoint.time), "waypoint: time",
              waypoint.time.value_or(0.0));
    }
  }

  static bool isGood(const KeepAxis& keep) {
    return keep.axis_L.allFinite() && keep.axis_L.norm() > 0.0 && keep.direction_W.allFinite() &&
           keep.direction_W.norm() > 0.0 && isBounded(keep.tolerance);
  }
  static bool isGood(const KeepInBox& keep) {
    return isBounded(keep.X_WB) && isBounded({Mat3::Identity(), keep.p_L}) &&
           (keep.size.array().abs() <= kGreatest).all();
  }
  static bool isGood(const KeepPose& keep) { return isBounded(keep.X_LP) && isBounded(keep.X_AP); }
  static bool isGood(const KeepOnLine& line) {
    bool good = isBounded(line.X_LP) && isBounded(line.X_WA);
    for (const KeepOnLine::Stretch& stretch : line.stretches) {
      good = good && (stretch.way_W.array().abs() <= kGreatest).all() &&
             (stretch.turn_W.array().abs() <= kGreatest).all();
    }
    return good;
  }

  const Problem& problem_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> unboundableValues(const Problem& problem) {
  return BoundableValues(problem).run();
}

}  // namespace allclear
