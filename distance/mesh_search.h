#pragma once

// What the searches over two trees of bounding volumes share.

#include "allclear/distance/mesh_body.h"
#include "allclear/distance/mesh_distance.h"

namespace allclear::mesh {

/// A volume of a body: its root, or slot `ref & 7` of node `ref >> 3`.
constexpr std::int32_t kRoot = -1;

inline MeshVolume volumeOf(const MeshBody& body, std::int32_t ref) {
  return ref == kRoot ? body.root() : body.bvh()->volume(ref >> 3, ref & 7);
}

/// The node below, or ~leaf.
inline std::int32_t below(const MeshBody& body, std::int32_t ref) {
  if (ref == kRoot) return body.bvh() == nullptr || body.bvh()->triangles().size() == 1 ? ~0 : 0;
  return body.bvh()->nodes()[ref >> 3].child[ref & 7];
}

inline bool isLeaf(std::int32_t below) { return below < 0; }

/// Pushes the lanes that are not pruned, so that the lowest is popped first; returns the least
/// bound of those that are, or +infinity.
template <class Ref>
double pushLanes(const LaneBounds& bounds, int width, double cutoff, std::int32_t time,
                 const Ref& ref, std::vector<MeshCache::Item>* stack) {
  double pruned = std::numeric_limits<double>::infinity();
  const std::size_t first = stack->size();
  for (int l = 0; l < width; ++l) {
    if (bounds.lower[l] >= cutoff) {
      pruned = std::min(pruned, bounds.lower[l]);
      continue;
    }
    MeshCache::Item item;
    item.lower = bounds.lower[l];
    for (int c = 0; c < 3; ++c) item.n[c] = bounds.n[c][l];
    item.time = time;
    ref(l, &item);
    stack->push_back(item);
    for (std::size_t k = stack->size() - 1; k > first && (*stack)[k - 1].lower < (*stack)[k].lower;
         --k) {
      std::swap((*stack)[k - 1], (*stack)[k]);
    }
  }
  return pruned;
}

}  // namespace allclear::mesh
