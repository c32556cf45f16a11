// Rows to clouds: the elements are exact, the robot's body its solids of some fidelity.
#include "allclear/planner/clearance/cloud_clearance.h"

#include <algorithm>

#include "allclear/distance/support.h"

namespace allclear {
namespace {

/// Deep inside of a dense cloud many elements are nearly as deep as the deepest: so many distances
/// give the optimiser a way out, and the bracket holds without more.
constexpr int kMostEvaluations = 3000;

}  // namespace

void measureCloud(const std::vector<Geometry>& solids, std::span<const BodyCurve> curves,
                  const MovingCloud& cloud, McdOptions options, Clearance* best) {
  options.max_evaluations = kMostEvaluations;
  for (const Geometry& a : solids) {
    options.threshold = best->upper;  // larger distances of other solids do not matter
    const MovingShape moving{&a.shape, a.X_BG, curves};
    // Far beyond the demand an optimiser needs a gradient, and no narrow bracket.
    const DistanceBracket bracket = minimumDistance(moving, cloud, options, best->demand);
    // The lower ends hold for all solids together; the nearest one gives the gradient.
    best->lower = std::min(best->lower, bracket.lower);
    if (!bracket.evaluated || bracket.upper >= best->upper) continue;
    const WitnessGradient witness =
        witnessGradient(moving, {nullptr, Pose(), cloud.curves}, bracket);
    best->upper = bracket.upper;
    best->t_star = bracket.t_star;
    best->p_A = witness.p_A;
    best->p_B = witness.p_B;
    best->normal = witness.normal;
  }
}

void measureCloudAtRest(const std::vector<Geometry>& solids, const Pose& X_WA, const Cloud& cloud,
                        std::int32_t node, const Pose& X_WO, const Mat3* spread, int pair,
                        double demand, double* least, Clearance* worst) {
  const double grown = spread == nullptr ? 0.0 : displacementRadius(*spread);
  for (const Geometry& a : solids) {
    // Most solids are farther than the worst so far, which costs less to find out.
    if (distanceAtLeast(a.shape, X_WA * a.X_BG, cloud, X_WO, *least + demand + grown, node)) {
      continue;
    }
    const SignedDistance d = signedDistance(a.shape, X_WA * a.X_BG, cloud, X_WO, node);
    // Worse only counts if it is nearer to its demand than all before.
    if (d.distance - grown - demand >= *least) continue;
    *least = d.distance - grown - demand;
    worst->demand = demand;
    worst->pair = pair;
    worst->lower = worst->upper = d.distance - grown;
    worst->p_A = X_WA.inverse() * d.witness_A;
    worst->p_B = X_WO.inverse() * (d.witness_B - grown * d.normal);
    worst->normal = d.normal;
  }
}

}  // namespace allclear
