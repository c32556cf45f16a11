#pragma once

#include <span>
#include <vector>

#include "allclear/distance/shape.h"

namespace allclear::fitting {

// What the fits see of their input: the convex hull of points, balls, discs and ellipsoids.

struct Disc {
  Vec3 center;
  Vec3 normal;  ///< unit
  Vec3 u, v;    ///< unit, span the disc's plane
  double radius;
};

/// Points center + axes * w, |w| <= 1.
struct EllipsoidSolid {
  Vec3 center;
  Mat3 axes;
};

struct Solids {
  std::vector<Vec3> points;
  std::vector<Ball> balls;
  std::vector<Disc> discs;
  std::vector<EllipsoidSolid> ellipsoids;

  bool isCurved() const { return !balls.empty() || !discs.empty() || !ellipsoids.empty(); }
  /// Largest absolute coordinate that the solids reach: the scale of rounding errors.
  double largestCoordinate() const;
};

/// Throws `InputError` when there is nothing or a half-space.
Solids gather(std::span<const Geometry> geometries);

/// The solids with their curved pieces replaced by points on them, for a first fit.
std::vector<Vec3> samplePoints(const Solids& solids);

/// A capsule's axis: from a to b, equal for a ball.
struct Segment {
  Vec3 a, b;
  double length() const { return (b - a).norm(); }
  double distance(const Vec3& p) const;
};

/// The farthest point of each curved piece and of the points from some set, and how far it is.
struct Farthest {
  double distance = 0.0;
  std::vector<Vec3> witnesses;
};

/// kBound: never too small. kSearch: quicker for ellipsoids, up to 3 % of their size too large.
enum class Accuracy { kBound, kSearch };

/// Largest distance of a point of the solids from the segment. Exact to rounding for points, balls
/// and discs; for ellipsoids an upper bound, above by some 1e-6 of their size, or by some 1e-4 when
/// they are equally far nearly everywhere.
Farthest farthestFromSegment(const Solids& solids, const Segment& segment,
                             Accuracy accuracy = Accuracy::kBound);

/// The same from the line through p along the unit vector d.
Farthest farthestFromLine(const Solids& solids, const Vec3& p, const Vec3& d,
                          Accuracy accuracy = Accuracy::kBound);

/// Values of direction . x over the solids, exact to rounding.
Interval extent(const Solids& solids, const Vec3& direction);

/// Added to sizes so that rounding cannot spoil an enclosure; never 0.
double padding(double largest_coordinate, double size);

}  // namespace allclear::fitting
