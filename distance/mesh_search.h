#pragma once

// What the searches over two trees of bounding volumes share.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "allclear/distance/mesh_body.h"
#include "allclear/distance/mesh_distance.h"

namespace allclear::mesh {

/// A volume of a body: its root, or slot `ref & 7` of node `ref >> 3`.
constexpr std::int32_t kRoot = -1;

inline CoarseVolumes<float> volumeOf(const MeshBody& body, std::int32_t ref) {
  return ref == kRoot ? coarseVolume(body.root())
                      : coarseVolume(body.bvh()->nodes()[ref >> 3], ref & 7);
}

inline double radiusOf(const MeshBody& body, std::int32_t ref) {
  if (ref == kRoot) return body.root().radius;
  return static_cast<double>(body.bvh()->nodes()[ref >> 3].ball[3][ref & 7]);
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

  const CoarseVolumes<float>& volume(std::int32_t ref) {
    if (ref != ref_) volume_ = volumeOf(body_, ref);
    ref_ = ref;
    return volume_;
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
  static constexpr std::int32_t kNone = kRoot - 1;
  const MeshBody& body_;
  std::int32_t ref_ = kNone;
  std::int32_t ref_of_triangle_ = kNone;
  CoarseVolumes<float> volume_;
  CoarseTriangle triangle_;
};

/// What a bound along n may lose because the volume is not its content: of two, the one that loses
/// more is opened. A share of the radius keeps those in order that lie along n, or meet (n is 0).
inline float thicknessAlong(const Vector<float>& n, const CoarseVolumes<float>& volume) {
  float sum = 0.1F * volume.radius;
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
    next_ = steps_ + std::max<std::size_t>(16, stack->size() / 4);
    const auto below = [](const auto& x, const auto& y) { return x.lower < y.lower; };
    std::iter_swap(std::min_element(stack->begin(), stack->end(), below), stack->end() - 1);
  }

 private:
  std::size_t steps_ = 0, next_ = 16;
};

/// Bounds of one side's children against one volume of the other: a leaf there is taken as the
/// triangle that it is.
template <class Bounds>
void withVolume(Taken* taken, const MeshBody& body, std::int32_t ref, const Bounds& bounds) {
  if (isLeaf(below(body, ref)) && body.bvh() != nullptr) {
    bounds(taken->triangle(ref));
  } else {
    bounds(taken->volume(ref));
  }
}

/// Pushes the lanes that are not pruned, so that the lowest is popped first; returns the least
/// bound of the others, or +infinity (lanes past the width are copies of the first).
template <class Ref>
double pushLanes(const LaneBounds& bounds, int width, std::int32_t time, const Ref& ref,
                 std::vector<MeshCache::Item>* stack) {
  const std::size_t first = stack->size();
  std::size_t lowest = first;
  for (unsigned rest = bounds.open & ((1U << width) - 1U); rest != 0; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    MeshCache::Item& item = stack->emplace_back();
    // What is not a number is no bound, and must not hide among those that are.
    const auto lower = static_cast<double>(bounds.lower[l]);
    item.lower = std::isnan(lower) ? -std::numeric_limits<double>::infinity() : lower;
    for (int c = 0; c < 3; ++c) item.n[c] = bounds.n[c][l];
    item.time = time;
    ref(l, &item);
    if (item.lower < (*stack)[lowest].lower) lowest = stack->size() - 1;
  }
  if (stack->size() > first) std::swap((*stack)[lowest], stack->back());
  return static_cast<double>(bounds.pruned);
}

}  // namespace allclear::mesh
