#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/body_curve.h"
#include "allclear/distance/shape.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

class Cloud;
class DeformingMesh;

/// The pose of a moving obstacle at one instant.
struct PoseKnot {
  double time = 0.0;  ///< [s] since the start of the plan
  Pose X_WO;
};

/// What is known of an obstacle's position: at each instant it may be displaced by any vector of
/// the ellipsoid of `sigma` standard deviations of a covariance, which may change with time.
struct PositionSpread {
  struct Knot {
    double time = 0.0;               ///< [s] since the start of the plan
    Mat3 covariance = Mat3::Zero();  ///< [m^2]: symmetric, without negative eigenvalues
  };
  /// Times ascend strictly; linear in between, and held before the first. Empty: the position is
  /// exact.
  std::vector<Knot> knots;
  Mat3 growth = Mat3::Zero();  ///< [m^2/s] of the covariance after the last knot, without end
  double sigma = 3.0;          ///< standard deviations
  bool in_obstacle = false;    ///< along the axes of the obstacle's frame, not the world's

  bool isEmpty() const { return knots.empty(); }
  bool growsWithoutEnd() const { return !isEmpty() && !growth.isZero(0.0); }
  bool changes() const { return knots.size() > 1 || growsWithoutEnd(); }
  /// sigma^2 times the covariance at time t [m^2], along the axes of its frame. A displacement e is
  /// within the ellipsoid when n.e <= sqrt(n' K n) for all n, with K this matrix.
  Mat3 at(double t) const;
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
  /// Where it may be besides: the robot keeps clear of all of these places.
  PositionSpread spread = {};
  /// A surface that moves and bends by keyframes, in the object frame at `X_WO`; null for a rigid
  /// obstacle. Then `geometry`, `motion` and `spread` are empty.
  std::shared_ptr<const DeformingMesh> deforming = nullptr;
  /// Many small solids of a scan or a map, in the object frame; null for any other obstacle. Then
  /// `geometry` is empty and `deforming` null.
  std::shared_ptr<const Cloud> cloud = nullptr;
  /// How the obstacle's file was read, what of it was left out and why: one sentence each, which
  /// certificates repeat.
  std::vector<std::string> notes = {};

  /// Whether where it is, or where it may be, depends on time.
  bool moves() const { return !motion.empty() || spread.changes() || deforming != nullptr; }
  /// The instant from which that does not change any more [s]; infinite for a spread that grows
  /// without end. Pre: `moves()`.
  double lastChange() const;
  /// The pose at time t [s].
  Pose pose(double t) const;
  /// Where it may be displaced to at time t, along the world's axes (`PositionSpread::at`).
  Mat3 spreadAt(double t) const;
  /// Instants strictly inside `time`, ascending, that cut the motion where it bends and where it
  /// turns, and the spread where it bends: between two of them `curve` is within `tolerance` [m] of
  /// the motion, and `spread.at` is linear.
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
