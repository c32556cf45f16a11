#pragma once

#include <array>

#include "allclear/core/types.h"

namespace allclear {

/// A point that moves on a straight line at constant rate, from `start` (t = 0) to `end` (t = 1).
struct MovingPoint {
  Vec3 start = Vec3::Zero();
  Vec3 end = Vec3::Zero();
};

struct VertexMotionOptions {
  /// Gaps below this fraction of the largest coordinate count as contact.
  double resolution = 1e-17;
  /// Boxes of (t, u, v) to examine at most; then the result is "may touch".
  int max_boxes = 200000;
};

// Continuous collision of two features whose vertices move linearly. False only when they provably
// do not touch at any t in [0, 1]; true when they touch, come nearer than the resolution, or the
// search takes too long. Degenerate features (points, needles, coplanar motion) are allowed. Every
// coordinate must be finite.

bool mayTouchVertexFace(const MovingPoint& vertex, const std::array<MovingPoint, 3>& face,
                        const VertexMotionOptions& options = {});

bool mayTouchEdgeEdge(const std::array<MovingPoint, 2>& a, const std::array<MovingPoint, 2>& b,
                      const VertexMotionOptions& options = {});

}  // namespace allclear
