#pragma once

#include <array>
#include <span>
#include <vector>

#include "allclear/distance/shape.h"

namespace allclear {

/// How closely solids follow a mesh: its hull, a cover of a few convex pieces (at most 16) or of
/// many (at most 64), or the mesh itself, which is exact and costs most.
enum class MeshFidelity { kHull, kPieces, kManyPieces, kSurface };
constexpr int kMeshFidelityCount = 4;
/// All of them, coarsest first.
constexpr std::array<MeshFidelity, kMeshFidelityCount> kFidelities{
    MeshFidelity::kHull, MeshFidelity::kPieces, MeshFidelity::kManyPieces, MeshFidelity::kSurface};

/// How finely a mesh is covered.
struct ConvexCoverOptions {
  int most_pieces = 16;
  /// A cut must remove at least this share of the volume of the mesh's convex hull.
  double least_gain = 0.01;
};

/// Convex solids, in the mesh's frame, whose union contains the mesh: every triangle and, of its
/// closed parts, everything inside (solid_and_shell.h). Deterministic.
///
/// Of closed parts: space is cut along planes where the hulls of what is on either side have the
/// least volume; one piece when no cut is worth it. Why the union contains the solid: the cuts
/// divide space into convex cells. Let S be the solid and C a cell. The extreme points of the hull
/// of S and C's common part are points of the surface in C, or corners of C that are in S; the
/// piece of C is the hull of just those. Rounding: about 1e-11 of the mesh's size.
///
/// Of open parts: each piece is the hull of some of the triangles, or of what planes leave of them
/// (cover/shell_cover.h). Their hollow is not filled; of a mesh with both kinds of parts each
/// kind gets half of `most_pieces`. Where the mesh says `OpenMeshes::kFill` and has open parts, all
/// of it is cut as if it were closed, and corners count as inside when the surface winds about them
/// at all.
std::vector<ConvexMesh> convexCover(const TriangleMesh& mesh,
                                    const ConvexCoverOptions& options = {});

/// Bodies that together enclose the geometry: `fidelity` says by what a mesh is replaced; any other
/// shape stays. All of them are convex, except with `kSurface`: there a mesh becomes its closed
/// parts, a solid, and its open ones, a surface (solid_and_shell.h); one whose open parts are to
/// be filled (`OpenMeshes::kFill`) is replaced by many pieces then.
std::vector<Geometry> enclosingSolids(const std::vector<Geometry>& geometry, MeshFidelity fidelity);

/// Corners of a polytope that holds the mesh's hull, of the order of fifty whatever the mesh, and a
/// few percent larger at the most; made once and kept with the mesh.
const std::vector<Vec3>& fewCornersOf(const TriangleMesh& mesh);

}  // namespace allclear
