#pragma once

#include <optional>
#include <vector>

#include "allclear/distance/convex_cover.h"
#include "allclear/distance/fit/surface.h"
#include "allclear/distance/shape.h"

namespace allclear::cover {

/// Where a cover was cut: all that it takes to see again that the pieces enclose the mesh.
struct CoverCuts {
  struct CellCut {
    int cell;  ///< that was cut: what is below the plane keeps the number, what is above comes last
    fitting::Plane plane;
  };
  std::vector<CellCut> cells;          ///< of what is covered as a solid, in their order
  std::vector<fitting::Plane> sheets;  ///< that cut triangles of what is covered as a surface
};

/// What a cover of a mesh encloses: the parts that are solid, or count so, and the surfaces.
struct CoveredParts {
  std::optional<TriangleMesh> solid;
  std::optional<TriangleMesh> shell;
  bool is_closed = true;  ///< `solid` has no rim
};
CoveredParts coveredParts(const TriangleMesh& mesh);

/// `convexCover`, and where it was cut.
std::vector<ConvexMesh> tracedCover(const TriangleMesh& mesh, const ConvexCoverOptions& options,
                                    CoverCuts* cuts);

/// How far [of the mesh's diagonal] a point may be outside of a piece that holds it: flat hulls
/// leave out points within 1e-10 of their extent (geometry/convex_hull.h), others 1e-13.
inline constexpr double kOutside = 2e-10;

/// Whether the pieces enclose the mesh, wherever they come from: true only if every triangle and,
/// of what is covered as a solid, everything inside is in their union, but for `kOutside` and for
/// slivers of cells thinner than about 1e-9 of the size, as of any cover. False also when it cannot
/// be seen from these cuts: those that the pieces were made with do. Cells take pieces in their
/// order, shells all that are left.
///
/// O(triangles * log pieces) and a search for the nearest point for each corner: a small share of
/// what making the cover takes, which tries many cuts.
bool encloses(const TriangleMesh& mesh, const std::vector<ConvexMesh>& pieces,
              const CoverCuts& cuts);

}  // namespace allclear::cover
