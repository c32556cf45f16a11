#pragma once

#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

/// The convex polygon on which a robot stands: the soles of its support links that are contacts,
/// and the lowest points of the others, at the start, in the horizontal plane at their height
/// (gravity points along -z of the world).
struct SupportPolygon {
  struct Edge {
    Eigen::Vector2d inward;  ///< unit
    double offset = 0.0;     ///< points of the polygon have inward . p >= offset
  };
  std::vector<Edge> edges;
  double height = 0.0;  ///< [m]
  double radius = 0.0;  ///< [m] of a circle inside: a scale

  /// How far inside of an edge, beyond `margin` [m], the ground's wrench acts (its zero-moment
  /// point), times its vertical force [N m]. Not negative when the robot is balanced at that edge.
  static double room(const Edge& edge, double height, double margin, const Vec3& force,
                     const Vec3& moment) {
    return edge.inward.x() * (height * force.x() - moment.y()) +
           edge.inward.y() * (moment.x() + height * force.y()) - (edge.offset + margin) * force.z();
  }
};

/// Points within this height [m] of the lowest one touch the ground.
inline constexpr double kGroundLayer = 1e-3;

/// Throws `InputError` when the support links have no polygon (nothing flat below), when the
/// planned coordinates move one that is no contact, or when contacts are at several heights. Soles
/// count less the margins of their contacts. Round shapes count by some of their points, so the
/// polygon is never larger than the real one.
SupportPolygon supportPolygon(const Problem& problem, const Balance& balance);

/// Whether a planned coordinate moves the link.
bool isMoved(const Problem& problem, int link);

/// The weight of the whole robot [N].
double robotWeight(const RobotModel& robot);

}  // namespace allclear
