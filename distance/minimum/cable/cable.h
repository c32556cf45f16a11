#pragma once

#include <limits>
#include <optional>
#include <span>

#include "allclear/core/pose.h"
#include "allclear/core/types.h"
#include "allclear/distance/body_curve.h"
#include "allclear/distance/minimum_distance.h"
#include "allclear/distance/shape.h"

namespace allclear {

// A cable of length L and radius rho from a point A to a point B, flexible and without stretch: its
// centre line lies in |x - A| + |x - B| <= L, whatever its shape. The *room* of a point x beside it
//
//     room(x) = (|x - A| + |x - B| - L) / 2 - rho
//
// is never above the distance of x from the surface of the cable (docs/algorithms/cables.md), and
// that of a body is the least of its points'. All in metres.

/// The room that a body has beside a stretch of cable at one instant.
struct CableInstant {
  double room = 0.0;        ///< at `x`: never below the body's
  double lower = 0.0;       ///< never above the body's: proved by u and v, rounding included
  Vec3 x = Vec3::Zero();    ///< the point of the body with the least room, world
  Vec3 u = Vec3::UnitX();   ///< (x - A) / |x - A|
  Vec3 v = -Vec3::UnitX();  ///< (x - B) / |x - B|
};

/// A triangle mesh counts as its convex hull.
CableInstant cableInstant(const Vec3& p_WA, const Vec3& p_WB, double length, double radius,
                          const Shape& shape, const Pose& X_WG);

/// A stretch of cable between two points that bodies carry. `curves` of both are consecutive cells
/// of time, the same for both; a body at rest may give one still curve for all.
struct MovingCable {
  Vec3 p_A = Vec3::Zero();  ///< in the frame of the body that holds it
  Vec3 p_B = Vec3::Zero();
  std::span<const BodyCurve> curves_A;
  std::span<const BodyCurve> curves_B;
  double length = 0.0;
  double radius = 0.0;
};

/// lower <= max over t of |A(t) - B(t)| <= upper, remainders and rounding included.
struct CableSpan {
  double lower = 0.0;
  double upper = 0.0;
  double t = 0.0;  ///< where it is at least `lower`
};

/// To `tolerance` [m] (and the motion's own error), or only so far that `upper` <= `enough`. A few
/// microseconds. Throws `InputError` for curves that do not match.
CableSpan greatestSpan(const MovingCable& cable, double tolerance,
                       double enough = -std::numeric_limits<double>::infinity());

/// Of a search for the least room over time.
struct CableRoomOptions {
  double tolerance = 1e-3;          ///< wanted width of the bracket [m]
  std::optional<double> threshold;  ///< to decide [m]
  bool decide_only = false;         ///< stop as soon as it is below the threshold
  int max_evaluations = 20000;      ///< bounds over an interval: then `kUndecided`
};

/// lower <= min over t of the body's room <= upper, remainders and rounding included.
struct CableRoom {
  double lower = 0.0;
  double upper = 0.0;
  double t = 0.0;  ///< where the room is at most `upper`
  Vec3 x = Vec3::Zero();
  bool evaluated = false;  ///< false: far by what balls sweep; `upper`, `t` and `x` are coarse
  McdStatus status = McdStatus::kUndecided;
  int evaluations = 0;  ///< bounds over an interval
};

/// Branch and bound over time. The body is convex, or a half-space that does not turn; a triangle
/// mesh counts as its convex hull. Throws `InputError` for curves that do not match.
CableRoom cableRoom(const MovingCable& cable, const MovingShape& body,
                    const CableRoomOptions& options);

}  // namespace allclear
