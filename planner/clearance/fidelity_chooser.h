#pragma once

#include "allclear/planner/clearance/collision_model.h"

namespace allclear {

/// Gives every pair of the model the coarsest fidelity that is at least `coarsest` and keeps the
/// pair's margin at the start and at a joint goal, or the finest if none does; a finer level counts
/// only if it shows more of the bodies. Makes the solids that are missing, shared by `threads`.
void chooseFidelities(const Problem& problem, MeshFidelity coarsest, CollisionModel* model,
                      int threads = 1);

}  // namespace allclear
