#pragma once

#include <array>
#include <span>

#include "allclear/distance/convex_cover.h"

namespace allclear {

/// The coarse-to-fine loop of the planner: calls `isDecided(fidelity)` for each of `levels`,
/// coarsest first, until one call returns true. True when the last call did.
///
/// Geometry of a coarser level contains that of every finer one. So a pair that keeps a distance at
/// one level keeps it at all that follow, and only pairs that are near at a cheap level pay for an
/// expensive one.
template <class IsDecided>
bool coarseToFine(std::span<const MeshFidelity> levels, const IsDecided& isDecided) {
  for (MeshFidelity fidelity : levels) {
    if (isDecided(fidelity)) return true;
  }
  return false;
}

/// The levels at which a pair of that fidelity is measured: first hulls, which are cheap and decide
/// for most pairs, then its own.
inline std::span<const MeshFidelity> measuringLevels(MeshFidelity fidelity) {
  static constexpr std::array<std::array<MeshFidelity, 2>, kMeshFidelityCount> kLevels{
      {{MeshFidelity::kHull, MeshFidelity::kHull},
       {MeshFidelity::kHull, MeshFidelity::kPieces},
       {MeshFidelity::kHull, MeshFidelity::kManyPieces},
       {MeshFidelity::kHull, MeshFidelity::kSurface}}};
  const std::span<const MeshFidelity> levels(kLevels[static_cast<int>(fidelity)]);
  return fidelity == MeshFidelity::kHull ? levels.first(1) : levels;
}

/// Exact meshes in contact are measured by their many convex pieces: these bracket the depth over a
/// whole interval, and the direction out of contact changes steadily.
inline constexpr MeshFidelity kContactFidelity = MeshFidelity::kManyPieces;

}  // namespace allclear
