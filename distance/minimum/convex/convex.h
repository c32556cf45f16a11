#pragma once

#include <array>
#include <span>
#include <vector>

#include "allclear/distance/distance_result.h"
#include "allclear/distance/minimum/instant.h"
#include "allclear/distance/minimum_distance.h"

namespace allclear {

/// A moving convex shape on one cell: made once per (shape, cell) by `convexCurves` and shared by
/// all pairs of the shape.
struct ConvexCurve {
  const Shape* shape = nullptr;
  std::array<Pose, BodyCurve::kDegree + 1> control;  ///< of the geometry frame G
  Interval time;
  double reach = 0.0;           ///< every point of the shape is within this of G's origin [m]
  double error = 0.0;           ///< of every point of the shape; a half-space: of its origin [m]
  double rotation_error = 0.0;  ///< [m] per metre from G's origin
  double jump = 0.0;            ///< bound of the gap [m] to the end of the previous cell
  double lever_speed = 0.0;     ///< bound of the true speed [m/s] of the shape's points
  double angular_speed = 0.0;
  double scale = 0.0;               ///< bound of the coefficients' magnitudes [m]
  Vec3 ball_center = Vec3::Zero();  ///< ball about all that the shape sweeps, error included
  double ball_radius = 0.0;         ///< infinite for a half-space

  bool still() const { return lever_speed == 0.0 && angular_speed == 0.0; }
};

/// The curves of a shape on consecutive cells. `shape` is borrowed. Throws `InputError` for a
/// triangle mesh.
void convexCurves(std::span<const BodyCurve> bodies, const Shape& shape, const Pose& X_BG,
                  std::span<ConvexCurve> curves);

/// The curves of a moving convex shape, which is borrowed.
std::vector<ConvexCurve> convexCurves(const MovingShape& moving);

/// `minimumDistance` of two convex shapes whose curves exist already: they are made once per shape
/// and shared by all its pairs.
DistanceBracket minimumDistance(std::span<const ConvexCurve> a, std::span<const ConvexCurve> b,
                                const McdOptions& options);

namespace mcd {

/// Two moving convex shapes as searches see them: signed distances at instants, and bounds over
/// intervals. A half-space is always A. Borrows the curves.
class ConvexMotion {
 public:
  /// Pre: equally many curves, or one still curve; at most A is a half-space, and then nothing is
  /// displaced.
  ConvexMotion(std::span<const ConvexCurve> a, std::span<const ConvexCurve> b,
               const Spread* spread = nullptr);

  int cells() const { return cells_; }
  Interval cellTime(int cell) const { return (timed_by_b_ ? curveB(cell) : curveA(cell)).time; }
  /// The true distance is within this [m] of the one between the rigid poses nearest to the
  /// polynomial ones.
  double error() const { return error_; }
  /// Bounds of the distance over a cell from the balls that the shapes sweep.
  Interval ballBounds(int cell) const;
  /// Gap [m] of the polynomial motion where the cell follows another.
  double jump(int cell) const;

  /// Signed distance of the rigid poses nearest to the polynomial ones. Not const: the query starts
  /// from where the previous one ended.
  Instant at(TimePoint when);
  /// Upper bound of |d(distance)/dt| [m/s] over the cell from lever arms, while displacements do
  /// not grow.
  double leverSpeed(int cell) const;
  /// Upper bound [m] of how much farther displacements reach, along any direction, at one instant
  /// between t0 and t1 [s] than at either.
  double growth(double t0, double t1) const;
  bool witnessIsUnique(const Instant& instant) const { return instant.unique; }

  /// Directional support-function bound: lower bound [m], over s in [s0, s1] of a cell, of the
  /// signed distance of the polynomial motion, from the room along a direction that turns from
  /// `start` to `end` (unit vectors, A to B). A half-space uses its own normal instead.
  double lowerBound(int cell, double s0, double s1, const Vec3& start, const Vec3& end) const;

  const ConvexCurve& curveA(int cell) const { return a_[cell * a_step_]; }
  const ConvexCurve& curveB(int cell) const { return b_[cell * b_step_]; }

 private:
  double planeBound(int cell, double s0, double s1) const;
  Mat3 spreadAt(double t) const;

  const ConvexCurve* a_;
  const ConvexCurve* b_;
  int a_step_, b_step_, cells_;
  bool timed_by_b_;  ///< a single still curve of A may span other times
  bool plane_;       ///< A is a half-space
  double error_ = 0.0;
  double plane_lever_ = 0.0;  ///< bound of a point of B from the half-space's origin
  DistanceCache cache_;       ///< of the previous `at`
  bool is_displaced_ = false;
  Mat3 spread_ = Mat3::Zero(), spread_rate_ = Mat3::Zero();  ///< at `start_`, and per second
  double start_ = 0.0;                                       ///< [s]
  double displacement_ = 0.0;                                ///< [m] the most there is
};

}  // namespace mcd
}  // namespace allclear
