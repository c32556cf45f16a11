#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "allclear/distance/soft/distance.h"
#include "allclear/distance/soft/gauge.h"
#include "allclear/planner/clearance/evaluator.h"
#include "allclear/trajectories/bspline.h"

namespace allclear {

/// Smooth distances of the pairs of a collision model along a curve: values with their own exact
/// gradients, which lead the optimiser out of contact. Softened ones (distance/soft/distance.h), or
/// by the gauge (distance/soft/gauge.h) where both bodies are spheres or ellipsoids. They prove
/// nothing. Each body is prepared when it is first needed; safe to use from several threads.
class SoftClearance {
 public:
  explicit SoftClearance(const ClearanceEvaluator& evaluator);

  /// Radius of the pair's smaller body [m]: the unit in which softness is chosen.
  double pairSize(int pair) const;

  /// Whether the pair is measured by its gauge: then the softness does not count.
  bool hasGauge(int pair) const;

  /// Whether the pair has a smooth distance at all: not with an obstacle that may be elsewhere
  /// (`Obstacle::spread`), whose Euclidean distance is that to all of its places.
  bool isKnown(int pair) const;

  struct Value {
    double distance = 0.0;  ///< [m]
    double t_star = 0.0;
    VecX gradient;      ///< by the planned coordinates at t_star
    double rate = 0.0;  ///< by time with the robot held: of obstacles that move
  };
  /// The minimum over the span's time, downhill from the Euclidean one, `from`.
  Value minimum(const Clearance& from, const BSpline& curve, double softness,
                ClearanceEvaluator::Workspace& workspace) const;
  /// At time t of the curve.
  Value at(int pair, const BSpline& curve, double t, double softness,
           ClearanceEvaluator::Workspace& workspace) const;

 private:
  struct Body {
    std::once_flag made;
    std::optional<SoftBody> soft;
    std::optional<PosedEllipsoid> ellipsoid;  ///< of bodies that are one
  };
  const Body& body(int index, MeshFidelity fidelity) const;
  SmoothDistance distance(const CollisionPair& pair, const Pose& X_WA, const Pose& X_WB,
                          double softness, SoftWorkspace* workspace) const;

  const ClearanceEvaluator& evaluator_;
  std::unique_ptr<Body[]> bodies_;  ///< fidelity by fidelity, body after body
};

}  // namespace allclear
