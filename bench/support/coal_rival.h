#pragma once

#include <memory>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/shape.h"

namespace coal {
class CollisionGeometry;
}

namespace allclear::bench {

/// A shape as Coal has it.
using CoalGeometry = std::shared_ptr<coal::CollisionGeometry>;

/// `triangles`: the faces of a convex mesh, counterclockwise from outside.
CoalGeometry coalGeometry(const Shape& shape, const std::vector<Vec3>& corners,
                          const std::vector<Triangle>& triangles);

/// Distance queries of two shapes by Coal, with its defaults but for the tolerance.
class CoalQueries {
 public:
  CoalQueries(const CoalGeometry& A, const CoalGeometry& B, double tolerance);
  ~CoalQueries();

  void addPoses(const Pose& X_WA, const Pose& X_WB);
  /// Signed distance [m] at the i-th poses added, by coal::distance: as `signedDistance`, it finds
  /// out with every query which shapes it is given.
  double distance(std::size_t i) const;
  /// The same by an object made for these two shapes, which its documentation advises for repeated
  /// queries of one pair.
  double preparedDistance(std::size_t i) const;

 private:
  struct Queries;
  std::unique_ptr<Queries> queries_;
};

}  // namespace allclear::bench
