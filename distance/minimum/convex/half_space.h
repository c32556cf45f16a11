#pragma once

#include <span>

#include "allclear/distance/convex/core.h"
#include "allclear/distance/minimum/convex/convex.h"
#include "allclear/distance/minimum/search_result.h"

namespace allclear::mcd {

/// Whether the first is a half-space at rest, and the cells of time are those of the other.
bool isAboveStillPlane(std::span<const ConvexCurve> plane, std::span<const ConvexCurve> shape);

/// Distances at the ends of a stretch of time, and what is proved of it between them.
struct StretchBounds {
  double lower = 0.0;  ///< the distance is at least this [m] throughout
  double left = 0.0, right = 0.0;
  double left_slope = 0.0, right_slope = 0.0;  ///< by the share of the stretch [m]
};

/// A bounded convex shape that moves above a half-space at rest: its distance is that of its lowest
/// point, height(s) - support(m(s)) - radius, m(s) = -R(s)' n the way down seen from the body.
/// Borrows the curves.
class HalfSpaceMotion {
 public:
  /// Pre: a half-space at rest, and a bounded convex shape.
  HalfSpaceMotion(std::span<const ConvexCurve> plane, std::span<const ConvexCurve> shape);

  /// Part of a cell, by the Bernstein coefficients of height and m over it.
  struct Stretch {
    int cell = 0;
    double s0 = 0.0, s1 = 1.0;
    /// The point that is lowest throughout, once it is known to be: then the distance is one
    /// polynomial, height - m . point - radius.
    bool one_point = false;
    Vec3 point;
    alignas(32) double row[BodyCurve::kDegree + 1][4];  ///< height of the core's origin, then m
  };

  int cells() const { return static_cast<int>(curves_.size()); }
  Interval cellTime(int cell) const { return curves_[cell].time; }
  /// The true distance is within this [m] of the one computed here.
  double error() const { return error_; }
  /// Bounds of the distance over a cell from the ball that the shape sweeps.
  Interval ballBounds(int cell) const;

  void whole(int cell, Stretch* out) const;
  /// Not const: supports start from where the last one ended.
  StretchBounds bounds(Stretch* stretch);
  /// Cuts at a share of the stretch. `right` may be `stretch`.
  static void split(const Stretch& stretch, double share, Stretch* left, Stretch* right);

  Instant at(TimePoint when);
  double leverSpeed(int cell) const { return curves_[cell].lever_speed; }
  bool witnessIsUnique(const Instant& instant) const;

 private:
  Vec3 lowest(const Vec3& m);

  std::span<const ConvexCurve> curves_;
  Vec3 normal_, origin_;
  ConvexCore core_;
  PointCloud::Walk walk_;
  double error_ = 0.0;
};

/// Branch and bound: `lower` is proved for all times.
SearchResult certifiedHalfSpace(HalfSpaceMotion* motion, const McdOptions& options);

}  // namespace allclear::mcd
