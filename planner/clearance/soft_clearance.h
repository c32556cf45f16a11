#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "allclear/distance/soft/distance.h"
#include "allclear/planner/clearance/evaluator.h"
#include "allclear/trajectories/bspline.h"

namespace allclear {

/// Softened distances (distance/soft/distance.h) of the pairs of a collision model along a curve:
/// values with their own exact gradients, which lead the optimiser out of contact. They prove
/// nothing. Each body is prepared when it is first needed; safe to use from several threads.
class SoftClearance {
 public:
  explicit SoftClearance(const ClearanceEvaluator& evaluator);

  /// Radius of the pair's smaller body [m]: the unit in which softness is chosen.
  double pairSize(int pair) const;

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
  };
  const SoftBody& body(int index, MeshFidelity fidelity) const;

  const ClearanceEvaluator& evaluator_;
  std::unique_ptr<Body[]> bodies_;  ///< fidelity by fidelity, body after body
};

}  // namespace allclear
