#include "allclear/planner/clearance/pair_stray.h"

#include <algorithm>

namespace allclear {

PairStray::PairStray(const Problem& problem, const CollisionModel& model)
    : problem_(problem),
      model_(model),
      is_needed_(!problem.uncertainty.isZero()),
      reach_(*problem.robot) {
  if (!is_needed_) return;
  for (const CollisionBody& body : model.bodies) {
    // Hulls enclose the finer solids of their body, so they reach at least as far from each axis.
    // Obstacles only shift as a whole and need no reach: they have none here.
    std::vector<StraySolid> solids;
    if (body.link >= 0) {
      for (const Geometry& geometry : body.solids(MeshFidelity::kHull)) {
        solids.push_back(reach_.solid(body.link, geometry));
      }
    }
    solids_.push_back(std::move(solids));
  }
}

double PairStray::of(int pair, const StrayReach::Placement& at) const {
  const auto [a, b] = std::pair(model_.pairs[pair].a, model_.pairs[pair].b);
  const int obstacle = model_.bodies[b].obstacle;
  const VecX& displaced = problem_.uncertainty.obstacles;
  if (obstacle >= 0) {
    return ofBody(a, 0, true, at) + (displaced.size() > 0 ? displaced[obstacle] : 0.0);
  }
  // What moves both alike drops out.
  if (solids_[a].empty() || solids_[b].empty()) return 0.0;
  const std::size_t shared = sharedNodes(solids_[a][0].path, solids_[b][0].path);
  return ofBody(a, shared, false, at) + ofBody(b, shared, false, at);
}

/// The most of its solids: the sum of reach times stray over the joints that are not shared.
double PairStray::ofBody(int body, std::size_t shared, bool with_base,
                         const StrayReach::Placement& at) const {
  double most = 0.0;
  for (const StraySolid& solid : solids_[body]) {
    most = std::max(most, reach_.displacement(at, solid, shared, with_base, problem_.uncertainty));
  }
  return most;
}

}  // namespace allclear
