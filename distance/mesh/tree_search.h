#pragma once

// What the searches over two trees of bounding volumes share: naming volumes, opening a pair of
// them, and the order in which pairs are visited.
//
// Both searches (of bodies at rest in distance.cpp, of bodies that move in minimum/mesh) are branch
// and bound: a stack holds pairs of volumes, each with a lower bound of the distance of whatever is
// inside. A pair whose bound reaches the cutoff is pruned; any other is opened, one side at a time.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "allclear/core/simd.h"
#include "allclear/distance/mesh/body.h"
#include "allclear/distance/mesh/distance.h"
#include "allclear/distance/mesh/volume_bounds.h"

namespace allclear::mesh {

using namespace simd;  // lanes

/// A volume of a body is named by a reference: its root, or slot `ref & 7` of node `ref >> 3`.
constexpr std::int32_t kRoot = -1;

inline CoarseVolumes<float> volumeOf(const MeshBody& body, std::int32_t ref) {
  return ref == kRoot ? coarseVolume(body.root())
                      : coarseVolume(body.bvh()->nodes()[ref >> 3], ref & 7);
}

inline float radiusOf(const MeshBody& body, std::int32_t ref) {
  if (ref == kRoot) return static_cast<float>(body.root().radius);
  return body.bvh()->nodes()[ref >> 3].ball[3][ref & 7];
}
/// An upper bound of |p| over the volume, p relative to the body's centre.
inline float reachOf(const MeshBody& body, std::int32_t ref) {
  if (ref == kRoot) return static_cast<float>(body.root().length + body.root().radius);
  const MeshNode& node = body.bvh()->nodes()[ref >> 3];
  return node.ball[4][ref & 7] + node.ball[3][ref & 7];
}

/// What is below a volume: the number of a node, or ~number of a leaf's triangle.
inline std::int32_t below(const MeshBody& body, std::int32_t ref) {
  if (ref == kRoot) return body.bvh() == nullptr || body.bvh()->triangles().size() == 1 ? ~0 : 0;
  return body.bvh()->nodes()[ref >> 3].child[ref & 7];
}

inline bool isLeaf(std::int32_t below) { return below < 0; }

/// Keeps the last volume of one body in the form that kernels read: consecutive pairs of a search
/// usually share one of their volumes.
class VolumeCache {
 public:
  explicit VolumeCache(const MeshBody& body) : body_(body) {}

  const MeshBody& body() const { return body_; }

  const CoarseVolumes<float>& volume(std::int32_t ref) {
    if (ref != ref_) volume_ = volumeOf(body_, ref);
    ref_ = ref;
    return volume_;
  }
  /// The children of the volume, or a leaf itself in every lane; valid until the next call.
  /// `under` is below(body, ref).
  Children children(std::int32_t ref, std::int32_t under) {
    if (!isLeaf(under)) {
      const MeshNode& node = body_.bvh()->nodes()[under];
      const LeafCorners* corners = body_.bvh()->corners(under);
      if (corners != nullptr) return {corners->corner, true, &node};
      return {node.box, false, &node};
    }
    if (ref != ref_of_lanes_) fillLanes(ref);
    return {lanes_, body_.bvh() != nullptr, nullptr};
  }
  /// Pre: `ref` is a leaf of a body with triangles.
  const CoarseTriangle& triangle(std::int32_t ref) {
    if (ref != ref_of_triangle_) {
      triangle_ = coarseTriangle(body_.bvh()->triangles()[~below(body_, ref)], volume(ref));
    }
    ref_of_triangle_ = ref;
    return triangle_;
  }

 private:
  /// The leaf's one triangle, or the box of a convex core, in every lane.
  void fillLanes(std::int32_t ref) {
    if (body_.bvh() != nullptr) {
      const TriangleCorners& t = body_.bvh()->triangles()[~below(body_, ref)];
      for (int k = 0; k < 9; ++k) {
        std::fill_n(lanes_[k], kWidth, static_cast<float>(t.p[k / 3][k % 3]));
      }
    } else {
      // A convex core has no triangles: its box stands for it, rows as in MeshNode::box.
      const CoarseVolumes<float>& v = volume(ref);
      for (int k = 0; k < 3; ++k) {
        std::fill_n(lanes_[k], kWidth, v.box[k]);
        for (int i = 0; i < 3; ++i) std::fill_n(lanes_[3 + 3 * i + k], kWidth, v.axis[i][k]);
      }
    }
    ref_of_lanes_ = ref;
  }

  static constexpr std::int32_t kNone = kRoot - 1;
  const MeshBody& body_;
  std::int32_t ref_ = kNone;
  std::int32_t ref_of_triangle_ = kNone;
  CoarseVolumes<float> volume_;
  CoarseTriangle triangle_;
  std::int32_t ref_of_lanes_ = kNone;
  alignas(32) float lanes_[12][kWidth];
};

/// How much a bound along n may lose because a volume is larger than its content: half the width of
/// the box along n. Of two volumes the one that loses more is opened first. A tenth of the radius
/// is added so that the larger one is opened where widths say nothing: for flat volumes square to
/// n, and for volumes that meet (n is 0 then).
inline float thicknessAlong(const Vector<float>& n, const CoarseVolumes<float>& volume,
                            float radius) {
  constexpr float kShareOfRadius = 0.1F;
  float sum = kShareOfRadius * radius;
  for (const auto& axis : volume.axis) sum += std::abs(dot(n, vectorOf(axis)));
  return sum;
}

/// The least number in single precision that is not below x.
inline float roundUp(double x) {
  const float y = static_cast<float>(x);
  return static_cast<double>(y) < x ? std::nextafter(y, std::numeric_limits<float>::infinity()) : y;
}

/// Mixes best-first steps into a depth-first search. Depth first finds an upper bound at once but
/// then improves it only around the place where it found one, so now and then the pair of the least
/// bound is moved to the top of the stack. (Best first at every step would visit fewer pairs, but
/// finding the least takes more time than they do.)
class BestFirstMixer {
 public:
  /// Call before a pair is popped. The pause grows with the stack, so that the O(stack) search for
  /// the least costs O(1) a step.
  void mix(std::vector<MeshCache::Item>* stack) {
    if (++steps_ < next_) return;
    next_ = steps_ + std::max<std::size_t>(8, stack->size() / 4);
    const auto below = [](const auto& x, const auto& y) { return x.lower < y.lower; };
    std::iter_swap(std::min_element(stack->begin(), stack->end(), below), stack->end() - 1);
  }

 private:
  std::size_t steps_ = 0, next_ = 16;
};

/// Pushes the open lanes so that the pair whose balls' centres come nearest is popped first;
/// returns the least bound of the pruned lanes, or +infinity. Lanes past the width repeat the
/// first.
template <class SetRefs>
double pushLanes(const LaneBounds& bounds, int width, std::int32_t time, const SetRefs& set_refs,
                 std::vector<MeshCache::Item>* stack) {
  const std::size_t first = stack->size();
  std::size_t best = first;
  int nearest = -1;
  for (unsigned rest = bounds.open & ((1U << width) - 1U); rest != 0; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    MeshCache::Item& item = stack->emplace_back();
    // NaN is no bound: as -infinity the pair is never pruned, and is ordered among the others.
    const auto lower = static_cast<double>(bounds.lower[l]);
    item.lower = std::isnan(lower) ? -std::numeric_limits<double>::infinity() : lower;
    for (int c = 0; c < 3; ++c) item.n[c] = bounds.n[c][l];
    item.time = time;
    set_refs(l, &item);
    if (nearest < 0 || bounds.estimate[l] < bounds.estimate[nearest]) {
      nearest = l;
      best = stack->size() - 1;
    }
  }
  if (stack->size() > first) std::swap((*stack)[best], stack->back());
  return static_cast<double>(bounds.pruned);
}

/// Opens one side of a pair and pushes the children that are not pruned; returns the least bound of
/// those that are.
template <bool kMoving>
double openPair(const CoarsePoses& m, VolumeCache* A, VolumeCache* B, const MeshCache::Item& item,
                bool opens_A, const Room& room, float cutoff, std::vector<MeshCache::Item>* stack) {
  VolumeCache &opened = opens_A ? *A : *B, &other = opens_A ? *B : *A;
  const std::int32_t whole = opens_A ? item.b : item.a, ref = opens_A ? item.a : item.b;
  const std::int32_t node = below(opened.body(), ref);
  const Children children = opened.children(ref, node);
  LaneBounds bounds;
  const auto open = [&](const auto& volume) {
    if constexpr (kMoving) {
      opens_A ? boundsOpeningA(m, children, volume, room, cutoff, &bounds)
              : boundsOpeningB(m, volume, children, room, cutoff, &bounds);
    } else {
      opens_A ? stillBoundsOpeningA(m, children, volume, room, cutoff, &bounds)
              : stillBoundsOpeningB(m, volume, children, room, cutoff, &bounds);
    }
  };
  // The other side stays whole: a leaf as its triangle, which is half the size of its box.
  if (isLeaf(below(other.body(), whole)) && other.body().bvh() != nullptr) {
    open(other.triangle(whole));
  } else {
    open(other.volume(whole));
  }
  const auto set_refs = [&](int lane, MeshCache::Item* out) {
    out->a = opens_A ? node << 3 | lane : item.a;
    out->b = opens_A ? item.b : node << 3 | lane;
  };
  return pushLanes(bounds, opened.body().bvh()->width(node), item.time, set_refs, stack);
}

}  // namespace allclear::mesh
