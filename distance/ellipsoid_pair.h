#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "allclear/core/pose.h"
#include "allclear/distance/distance_result.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// How far two ellipsoids are from touching, as a factor. Moved along the line of their centres,
/// they touch when the centres are `approach` apart; `gauge` is the distance of the centres over
/// that. So gauge < 1: they overlap; = 1: they touch; > 1: they are apart. Unlike the distance it
/// has a simple equation of one unknown, and its square is smooth everywhere (gradient 0 where the
/// centres coincide). See docs/algorithms/ellipsoids.md.
///
/// With r = least radius of A + least radius of B and d = signed distance:
///   apart        (gauge - 1) r <=  room <=  d <= (gauge - 1) approach
///   overlapping  (1 - gauge) r <= -d <= -room <= (1 - gauge) approach
struct EllipsoidGauge {
  double gauge = 0.0;
  double approach = 0.0;  ///< [m]; along the x axis of A where the centres coincide
  double ratio = 0.5;     ///< the unknown u in (0, 1): A/u + B/(1 - u) touches the pair's sum
  Vec3 half_slope = Vec3::Zero();  ///< [1/m] world: gauge^2 grows by 2 half_slope . (motion of B)
  Vec3 normal = Vec3::UnitX();     ///< unit, world, from A to B: that of the plane between the two
  double room = 0.0;               ///< [m] along `normal`: never above the signed distance
};

/// The distance of the centres at which two ellipsoids touch when they are moved along the line of
/// their centres (along A's x axis where these coincide), and the gauge.
struct ClosestApproach {
  double distance = 0.0;  ///< [m]
  double gauge = 0.0;     ///< actual distance of the centres over `distance`
  int iterations = 0;
};

/// World poses. Error: a few 1e-16 of the value, and what the rounding of the poses does to the
/// pair: about 1e-16 times the ratio of the largest to the least radius of both. For ratios to 1e6.
ClosestApproach closestApproach(const Ellipsoid& A, const Pose& X_WA, const Ellipsoid& B,
                                const Pose& X_WB);

/// The same with the normal, the room along it and the slopes.
EllipsoidGauge ellipsoidGauge(const Ellipsoid& A, const Pose& X_WA, const Ellipsoid& B,
                              const Pose& X_WB);

/// The derivative of gauge^2 (of the result for these bodies) by both poses.
DistanceGradient squaredGaugeGradient(const EllipsoidGauge& gauge, const Ellipsoid& A,
                                      const Pose& X_WA, const Ellipsoid& B, const Pose& X_WB);

/// Many pairs as columns: entry i of every array belongs to pair i. Lengths in any one unit.
struct EllipsoidPairColumns {
  std::size_t count = 0;
  std::array<const double*, 3> radii_A = {};  ///< positive semi-axes
  std::array<const double*, 3> radii_B = {};
  std::array<const double*, 9> R_AB = {};  ///< rotations, row by row
  std::array<const double*, 3> p_AB = {};  ///< B's centre in A's frame
};

/// Where the results go. A null pointer: not wanted.
struct EllipsoidGaugeColumns {
  double* gauge = nullptr;
  double* ratio = nullptr;
  std::array<double*, 3> half_slope = {};  ///< in A's frame
  double* iterations = nullptr;
};

/// The gauges of many pairs, eight at a time: `ellipsoidGauge` to the same accuracy, several
/// times as fast (`bench_ellipsoids`).
void ellipsoidGauges(const EllipsoidPairColumns& pairs, const EllipsoidGaugeColumns& results);

/// Lower bounds of the gauges, without iterating: above 1 the pair is proven
/// apart. Of pairs with radii within a factor of 5 it proves over 90 % of those that are apart by
/// 5 % of the size.
void lowerEllipsoidGauges(const EllipsoidPairColumns& pairs, double* lower);

/// An ellipsoid in the world.
struct PosedEllipsoid {
  Ellipsoid shape;
  Pose X_WE;
};

/// The gauges of the pairs (i, j) of `bodies`. Pre: as many gauges as pairs; indices are valid.
void ellipsoidGauges(std::span<const PosedEllipsoid> bodies,
                     std::span<const std::array<int, 2>> pairs, std::span<double> gauges);

}  // namespace allclear
