// Rows to obstacles that bend: the mesh is exact, the robot's body its solids of some fidelity.
#include "allclear/planner/clearance/deforming_clearance.h"

#include <algorithm>

#include "allclear/distance/deforming_mesh.h"

namespace allclear {

void measureDeforming(const std::vector<Geometry>& solids, std::span<const BodyCurve> curves,
                      const Obstacle& obstacle, McdOptions options, Clearance* best) {
  const BodyCurve still =
      BodyCurve::still(obstacle.X_WO, {curves.front().time.lower, curves.back().time.upper});
  for (const Geometry& a : solids) {
    options.threshold = best->upper;  // larger distances of other solids do not matter
    const MovingShape moving{&a.shape, a.X_BG, curves};
    const DistanceBracket bracket =
        minimumDistance(moving, *obstacle.deforming, obstacle.X_WO, options);
    best->lower = std::min(best->lower, bracket.lower);
    if (!bracket.evaluated || bracket.upper >= best->upper) continue;
    const WitnessGradient witness =
        witnessGradient(moving, {nullptr, Pose(), {&still, 1}}, bracket);
    best->upper = bracket.upper;
    best->t_star = bracket.t_star;
    best->p_A = witness.p_A;
    best->p_B = witness.p_B;
    best->normal = witness.normal;
  }
}

void measureDeformingAtRest(const std::vector<Geometry>& solids, const Pose& X_WA,
                            const Obstacle& obstacle, double t, int pair, double demand,
                            double* least, Clearance* worst) {
  for (const Geometry& a : solids) {
    const SignedDistance d =
        signedDistance(a.shape, X_WA * a.X_BG, *obstacle.deforming, obstacle.X_WO, t);
    // Worse only counts if it is nearer to its demand than all before.
    if (d.distance - demand >= *least) continue;
    *least = d.distance - demand;
    worst->demand = demand;
    worst->pair = pair;
    worst->lower = worst->upper = d.distance;
    worst->p_A = X_WA.inverse() * d.witness_A;
    worst->p_B = obstacle.X_WO.inverse() * d.witness_B;
    worst->normal = d.normal;
  }
}

}  // namespace allclear
