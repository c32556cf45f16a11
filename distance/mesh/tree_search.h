#pragma once

// What the searches over two trees of bounding volumes share.

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

/// A volume of a body: its root, or slot `ref & 7` of node `ref >> 3`.
constexpr std::int32_t kRoot = -1;

inline CoarseVolumes<float> volumeOf(const MeshBody& body, std::int32_t ref) {
  return ref == kRoot ? coarseVolume(body.root())
                      : coarseVolume(body.bvh()->nodes()[ref >> 3], ref & 7);
}

inline float radiusOf(const MeshBody& body, std::int32_t ref) {
  if (ref == kRoot) return static_cast<float>(body.root().radius);
  return body.bvh()->nodes()[ref >> 3].ball[3][ref & 7];
}
/// A bound of |p| over a volume.
inline float farthestOf(const MeshBody& body, std::int32_t ref) {
  if (ref == kRoot) return static_cast<float>(body.root().length + body.root().radius);
  const MeshNode& node = body.bvh()->nodes()[ref >> 3];
  return node.ball[4][ref & 7] + node.ball[3][ref & 7];
}

/// The node below, or ~leaf.
inline std::int32_t below(const MeshBody& body, std::int32_t ref) {
  if (ref == kRoot) return body.bvh() == nullptr || body.bvh()->triangles().size() == 1 ? ~0 : 0;
  return body.bvh()->nodes()[ref >> 3].child[ref & 7];
}

inline bool isLeaf(std::int32_t below) { return below < 0; }

/// The volumes of one body as a search looks at them: most pairs share one with the pair before.
class Taken {
 public:
  explicit Taken(const MeshBody& body) : body_(body) {}

  const MeshBody& body() const { return body_; }

  const CoarseVolumes<float>& volume(std::int32_t ref) {
    if (ref != ref_) volume_ = volumeOf(body_, ref);
    ref_ = ref;
    return volume_;
  }
  /// What is in it, until the next call; `under` is below(body, ref).
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
  /// Pre: `ref` is a leaf, and a triangle.
  const CoarseTriangle& triangle(std::int32_t ref) {
    if (ref != ref_of_triangle_) {
      triangle_ = coarseTriangle(body_.bvh()->triangles()[~below(body_, ref)], volume(ref));
    }
    ref_of_triangle_ = ref;
    return triangle_;
  }

 private:
  /// The one triangle, or box, in every lane.
  void fillLanes(std::int32_t ref) {
    if (body_.bvh() != nullptr) {
      const TriangleCorners& t = body_.bvh()->triangles()[~below(body_, ref)];
      for (int k = 0; k < 9; ++k) {
        std::fill_n(lanes_[k], kWidth, static_cast<float>(t.p[k / 3][k % 3]));
      }
    } else {
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

/// What a bound along n may lose because the volume is not its content: of two, the one that loses
/// more is opened. A share of the radius keeps those in order that lie along n, or meet (n is 0).
inline float thicknessAlong(const Vector<float>& n, const CoarseVolumes<float>& volume,
                            float radius) {
  float sum = 0.1F * radius;
  for (const auto& axis : volume.axis) sum += std::abs(dot(n, vectorOf(axis)));
  return sum;
}

/// The least number in single precision that is not below x.
inline float roundUp(double x) {
  const float y = static_cast<float>(x);
  return static_cast<double>(y) < x ? std::nextafter(y, std::numeric_limits<float>::infinity()) : y;
}

/// Depth first finds an upper bound at once, but then improves it around the place that it found:
/// now and then the pair of the least bound is taken instead. (Always would leave fewer pairs, and
/// take more time than they do.)
class LeastFirst {
 public:
  void look(std::vector<MeshCache::Item>* stack) {
    if (++steps_ < next_) return;
    next_ = steps_ + std::max<std::size_t>(8, stack->size() / 4);
    const auto below = [](const auto& x, const auto& y) { return x.lower < y.lower; };
    std::iter_swap(std::min_element(stack->begin(), stack->end(), below), stack->end() - 1);
  }

 private:
  std::size_t steps_ = 0, next_ = 16;
};

/// Pushes the lanes that are not pruned, so that the nearest is popped first; returns the least
/// bound of the others, or +infinity (lanes past the width are copies of the first).
template <class Ref>
double pushLanes(const LaneBounds& bounds, int width, std::int32_t time, const Ref& ref,
                 std::vector<MeshCache::Item>* stack) {
  const std::size_t first = stack->size();
  std::size_t best = first;
  int nearest = -1;
  for (unsigned rest = bounds.open & ((1U << width) - 1U); rest != 0; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    MeshCache::Item& item = stack->emplace_back();
    // What is not a number is no bound, and must not hide among those that are.
    const auto lower = static_cast<double>(bounds.lower[l]);
    item.lower = std::isnan(lower) ? -std::numeric_limits<double>::infinity() : lower;
    for (int c = 0; c < 3; ++c) item.n[c] = bounds.n[c][l];
    item.time = time;
    ref(l, &item);
    if (nearest < 0 || bounds.estimate[l] < bounds.estimate[nearest]) {
      nearest = l;
      best = stack->size() - 1;
    }
  }
  if (stack->size() > first) std::swap((*stack)[best], stack->back());
  return static_cast<double>(bounds.pruned);
}

/// Opens one side of a pair and pushes what is not pruned; returns the least bound of the rest.
template <bool kMoving>
double openPair(const CoarsePoses& m, Taken* A, Taken* B, const MeshCache::Item& item, bool opens_A,
                const Room& room, float cutoff, std::vector<MeshCache::Item>* stack) {
  Taken &opened = opens_A ? *A : *B, &other = opens_A ? *B : *A;
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
  // A leaf is taken as the triangle that it is.
  if (isLeaf(below(other.body(), whole)) && other.body().bvh() != nullptr) {
    open(other.triangle(whole));
  } else {
    open(other.volume(whole));
  }
  const auto child = [&](int lane, MeshCache::Item* out) {
    out->a = opens_A ? node << 3 | lane : item.a;
    out->b = opens_A ? item.b : node << 3 | lane;
  };
  return pushLanes(bounds, opened.body().bvh()->width(node), item.time, child, stack);
}

}  // namespace allclear::mesh
