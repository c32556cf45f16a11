#pragma once

// What the searches over two trees of bounding volumes share.

#include <cmath>

#include "allclear/distance/mesh_body.h"
#include "allclear/distance/mesh_distance.h"

namespace allclear::mesh {

/// A volume of a body: its root, or slot `ref & 7` of node `ref >> 3`.
constexpr std::int32_t kRoot = -1;

inline CoarseVolumes<float> volumeOf(const MeshBody& body, std::int32_t ref) {
  return ref == kRoot ? coarseVolume(body.root())
                      : coarseVolume(body.bvh()->nodes()[ref >> 3], ref & 7);
}

/// What the searches ask of a volume before it is needed whole.
inline double radiusOf(const MeshBody& body, std::int32_t ref) {
  if (ref == kRoot) return body.root().radius;
  return static_cast<double>(body.bvh()->nodes()[ref >> 3].ball[3][ref & 7]);
}
/// Returns its length.
inline double centerOf(const MeshBody& body, std::int32_t ref, double* center) {
  if (ref == kRoot) {
    for (int c = 0; c < 3; ++c) center[c] = body.root().center[c];
    return body.root().length;
  }
  const MeshNode& node = body.bvh()->nodes()[ref >> 3];
  for (int c = 0; c < 3; ++c) center[c] = static_cast<double>(node.ball[c][ref & 7]);
  return static_cast<double>(node.ball[4][ref & 7]);
}

/// The node below, or ~leaf.
inline std::int32_t below(const MeshBody& body, std::int32_t ref) {
  if (ref == kRoot) return body.bvh() == nullptr || body.bvh()->triangles().size() == 1 ? ~0 : 0;
  return body.bvh()->nodes()[ref >> 3].child[ref & 7];
}

inline bool isLeaf(std::int32_t below) { return below < 0; }

/// The least number in single precision that is not below x.
inline float roundUp(double x) {
  const float y = static_cast<float>(x);
  return static_cast<double>(y) < x ? std::nextafter(y, std::numeric_limits<float>::infinity()) : y;
}

/// Pushes the lanes that are not pruned, so that the lowest is popped first; returns the least
/// bound of those that are, or +infinity.
template <class Ref>
double pushLanes(const LaneBounds& bounds, int width, float cutoff, std::int32_t time,
                 const Ref& ref, std::vector<MeshCache::Item>* stack) {
  float pruned = std::numeric_limits<float>::infinity();
  int order[kWidth];  // highest first
  int count = 0;
  for (int l = 0; l < width; ++l) {
    const float lower = bounds.lower[l];
    if (lower >= cutoff) {
      pruned = std::min(pruned, lower);
      continue;
    }
    int k = count++;
    for (; k > 0 && bounds.lower[order[k - 1]] < lower; --k) order[k] = order[k - 1];
    order[k] = l;
  }
  for (int k = 0; k < count; ++k) {
    const int l = order[k];
    MeshCache::Item item;
    item.lower = static_cast<double>(bounds.lower[l]);
    for (int c = 0; c < 3; ++c) item.n[c] = bounds.n[c][l];
    item.time = time;
    ref(l, &item);
    stack->push_back(item);
  }
  return static_cast<double>(pruned);
}

}  // namespace allclear::mesh
