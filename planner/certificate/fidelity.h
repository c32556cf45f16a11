#pragma once

#include <algorithm>
#include <limits>

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

/// Signed distance of two bodies, one of them touching the other at a contact: the most that a
/// level shows, as each encloses them. Exact meshes count only where they are apart: of a depth
/// they show little. `distanceAt(fidelity)` measures at one level.
template <class DistanceAt>
double touchDistance(double margin, DistanceAt&& distanceAt) {
  double most = -std::numeric_limits<double>::infinity();
  refineUntil([&](MeshFidelity fidelity) {
    const double distance = distanceAt(fidelity);
    if (fidelity != MeshFidelity::kSurface || distance > 0.0) most = std::max(most, distance);
    return most >= margin;
  });
  return most;
}

}  // namespace allclear
