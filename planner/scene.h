#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/body_curve.h"
#include "allclear/distance/shape.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// The pose of a moving obstacle at one instant.
struct PoseKnot {
  double time = 0.0;  ///< [s] since the start of the plan
  Pose X_WO;
};

/// A body of the world that the robot must not touch.
struct Obstacle {
  std::string id;                  ///< unique among obstacles and attached objects
  Pose X_WO;                       ///< its pose; unused when it moves
  std::vector<Geometry> geometry;  ///< in the object frame O
  /// Its known motion; empty when it stands still. Times ascend strictly. Between two knots the
  /// position is linear and the orientation turns at constant rate along the shorter arc; before
  /// the first knot and after the last one it rests there.
  std::vector<PoseKnot> motion;

  bool moves() const { return !motion.empty(); }
  /// The pose at time t [s].
  Pose pose(double t) const;
  /// Instants strictly inside `time`, ascending, that cut the motion where it bends and where it
  /// turns: between two of them `curve` is within `tolerance` [m] of it.
  std::vector<double> breaks(Interval time, double tolerance) const;
  /// The motion over `cell`. Pre: no break is inside of the cell.
  BodyCurve curve(Interval cell) const;
  /// The velocity in the world [m/s] of the object's point that is at p_W at time t.
  Vec3 pointVelocity(double t, const Vec3& p_W) const;
};

/// An object that the robot carries.
struct AttachedObject {
  std::string id;                  ///< unique among obstacles and attached objects
  int link = -1;                   ///< the link that carries it
  std::vector<Geometry> geometry;  ///< in the link frame
  std::vector<int> touch_links;    ///< links it may touch, besides `link`
  std::optional<Inertia> inertia;  ///< in the link frame; needed where torques or balance are
};

}  // namespace allclear
