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

/// What is known of two features over t in [0, 1].
struct FeatureMeeting {
  enum class Verdict {
    kApart,      ///< proved: they touch at no t
    kTouching,   ///< they touch, or come nearer than the resolution, at `time`
    kUndecided,  ///< the search took too long; `time` is where it ended
  };
  Verdict verdict = Verdict::kUndecided;
  double time = 0.0;  ///< the first instant of contact, or one of a contact that lasts
};

// Continuous collision of two features whose vertices move linearly. Degenerate features (points,
// needles, coplanar motion) are allowed. Every coordinate must be finite.

FeatureMeeting meetingVertexFace(const MovingPoint& vertex, const std::array<MovingPoint, 3>& face,
                                 const VertexMotionOptions& options = {});

FeatureMeeting meetingEdgeEdge(const std::array<MovingPoint, 2>& a,
                               const std::array<MovingPoint, 2>& b,
                               const VertexMotionOptions& options = {});

// The same as yes or no. False only when they provably do not touch at any t in [0, 1].

bool mayTouchVertexFace(const MovingPoint& vertex, const std::array<MovingPoint, 3>& face,
                        const VertexMotionOptions& options = {});

bool mayTouchEdgeEdge(const std::array<MovingPoint, 2>& a, const std::array<MovingPoint, 2>& b,
                      const VertexMotionOptions& options = {});

}  // namespace allclear
