#pragma once

#include <span>
#include <vector>

#include "allclear/distance/shape.h"

namespace allclear::fitting {

// The input of the fits, reduced to what has the same convex hull: points, balls, discs and
// ellipsoids.

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

/// The solids of all shapes. Throws `InputError` when there is no shape, or a half-space.
Solids gather(std::span<const Geometry> geometries);

/// Points of the solids: curved pieces are replaced by points on them, for a first fit.
std::vector<Vec3> samplePoints(const Solids& solids);

/// A capsule's axis, from a to b; a = b for a ball.
struct Segment {
  Vec3 a, b;
  double length() const { return (b - a).norm(); }
  double distance(const Vec3& p) const;
};

/// How far the solids reach from some set, and the farthest point of each curved piece and of the
/// points.
struct FarthestPoints {
  double distance = 0.0;
  std::vector<Vec3> witnesses;
};

/// kBound: tight upper bounds. kSearch: faster for ellipsoids, up to 3 % of their size too large.
enum class Accuracy { kBound, kSearch };

/// Largest distance of a point of the solids from the segment. Exact to rounding for points, balls
/// and discs; for ellipsoids an upper bound, above by some 1e-6 of their size, or by some 1e-4 when
/// they are equally far nearly everywhere.
FarthestPoints farthestFromSegment(const Solids& solids, const Segment& segment,
                                   Accuracy accuracy = Accuracy::kBound);

/// The same from the line through p along the unit vector d.
FarthestPoints farthestFromLine(const Solids& solids, const Vec3& p, const Vec3& d,
                                Accuracy accuracy = Accuracy::kBound);

/// Range of direction . x over the solids, exact to rounding.
Interval extent(const Solids& solids, const Vec3& direction);

/// Padding of sizes so that rounding cannot spoil an enclosure [m]; never 0. 64 ulps of the numbers
/// involved: a coordinate of a posed point and a distance take some 20 operations.
double padding(double largest_coordinate, double size);

}  // namespace allclear::fitting
