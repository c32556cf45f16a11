#pragma once

#include <array>
#include <span>
#include <vector>

#include "allclear/distance/shape.h"

namespace allclear {

/// How closely solids follow a mesh: its hull, a cover of a few convex pieces or of many, or the
/// mesh itself (which is exact, and costs most).
enum class MeshFidelity { kHull, kPieces, kManyPieces, kSurface };
constexpr int kMeshFidelityCount = 4;
/// Closer and closer.
constexpr std::array<MeshFidelity, kMeshFidelityCount> kFidelities{
    MeshFidelity::kHull, MeshFidelity::kPieces, MeshFidelity::kManyPieces, MeshFidelity::kSurface};

/// How finely a mesh is covered.
struct ConvexCoverOptions {
  int most_pieces = 16;
  /// A cut must take off at least this share of the volume of the mesh's convex hull.
  double least_gain = 0.01;
};

/// Convex solids, in the mesh's frame, whose union contains the mesh: its surface and, of closed
/// meshes, everything inside. Found by cutting space along planes where the hulls of what is left
/// on either side take the least volume; one piece when no cut is worth it. Deterministic.
///
/// Why it contains the mesh: a point of the solid S is in some convex cell C, and an extreme point
/// of the hull of S and C's common part is a point of the surface in C or a corner of C in S; the
/// piece of C is the hull of just those. Corners count as inside when the surface winds about them
/// at all, so open and self-crossing meshes are covered generously. Rounding: about 1e-11 of the
/// mesh's size.
std::vector<ConvexMesh> convexCover(const TriangleMesh& mesh,
                                    const ConvexCoverOptions& options = {});

/// Solids that enclose the geometry: a mesh as `fidelity` says, anything else as it is. Convex,
/// but for `kSurface`: then closed meshes are left as they are; open ones, of which the inside is
/// not defined, by many pieces.
std::vector<Geometry> enclosingSolids(const std::vector<Geometry>& geometry, MeshFidelity fidelity);

}  // namespace allclear
