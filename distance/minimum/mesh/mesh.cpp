// `minimumDistance` of two bodies with triangles: a search of the surfaces, then the bracket of the
// bodies (containment, depth).

#include "allclear/distance/minimum/mesh/mesh.h"

#include <utility>

#include "allclear/distance/minimum/query.h"

namespace allclear {

DistanceBracket minimumDistance(const MeshBody& A, const MovingShape& a, const MeshBody& B,
                                const MovingShape& b, const McdOptions& options, MeshCache* cache,
                                MeshMcdCounts* counts) {
  MeshCache fresh;
  MeshMcdCounts uncounted;
  if (cache == nullptr) cache = &fresh;
  if (counts == nullptr) counts = &uncounted;
  if (A.bvh() == nullptr) {  // `MeshMotion` wants the triangles first
    std::swap(cache->triangle_A, cache->triangle_B);
    const DistanceBracket bracket = minimumDistance(B, b, A, a, options, cache, counts);
    std::swap(cache->triangle_A, cache->triangle_B);
    return mcd::swapped(bracket);
  }
  const mcd::MeshMotion motion(A, a, B, b);
  const mcd::MeshSearchResult found =
      mcd::spaceTime(motion, mcd::optionsOfSurfaces(options), cache, counts);
  return mcd::bracketOf(motion, found, options, true);
}

namespace mcd {

McdOptions optionsOfSurfaces(const McdOptions& options) {
  McdOptions of_surfaces = options;
  if (options.threshold) of_surfaces.threshold = std::max(*options.threshold, 0.0);
  return of_surfaces;
}

}  // namespace mcd
}  // namespace allclear
