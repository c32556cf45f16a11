#pragma once

#include "allclear/distance/convex_cover.h"

namespace allclear {

/// The coarse-to-fine loop of the certificate: calls `is_enough(fidelity)` for each level of mesh
/// fidelity, the coarsest (and cheapest) first, until it returns true or no level is left. Every
/// level encloses the bodies, so a proof at any of them is a proof; a finer one only leaves more
/// room between them.
template <class IsEnough>
void refineUntil(IsEnough&& is_enough) {
  for (MeshFidelity fidelity : kFidelities) {
    if (is_enough(fidelity)) return;
  }
}

}  // namespace allclear
