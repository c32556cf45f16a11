#pragma once

#include <span>
#include <utility>
#include <vector>

#include "allclear/distance/body_curve.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// A moving body for the broad phase: `ball_B` (body frame) holds all of its geometry.
struct SweptBody {
  Ball ball_B;
  std::span<const BodyCurve> curves;  ///< consecutive cells, or one still curve for all
};

/// Balls that bodies sweep, cell by cell and over the whole time: far pairs cost a few operations.
/// Bodies without bounds (half-spaces: infinite radius) are near to everything.
class BroadPhase {
 public:
  /// All bodies have the same cells but those with one still curve.
  explicit BroadPhase(std::span<const SweptBody> bodies);

  /// A lower bound of the true distance of two bodies over all times [m].
  double lowerDistance(int a, int b) const;

  /// Indices into `pairs` of those that may come nearer than `threshold` [m] at some time; of all
  /// others the distance is >= threshold throughout.
  std::vector<int> survivors(std::span<const std::pair<int, int>> pairs, double threshold) const;

 private:
  struct Swept {
    Vec3 center = Vec3::Zero();
    double radius = 0.0;
  };
  static double gap(const Swept& a, const Swept& b) {
    return (a.center - b.center).norm() - a.radius - b.radius;
  }
  bool mayBeNear(int a, int b, double threshold) const;

  struct Body {
    int first = 0;  ///< in cells_
    int count = 0;
    Swept whole;
  };
  std::vector<Body> bodies_;
  std::vector<Swept> cells_;
};

}  // namespace allclear
