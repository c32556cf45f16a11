// Splits a set of triangles in halves, again and again, down to single triangles.
//
// Each set has a frame of its own: the principal axes of its corners. Along each axis the triangles
// are sorted by the middle of their extent, and every cut of that order into a front and a back is
// a candidate. The cost of a candidate is
//   n_front D_front^3 + n_back D_back^3,
// n the number of triangles and D the diagonal of their box in the frame: D^3 stands for how much
// space is near the set, and so for how often a query has to open it. Both parts' D come from one
// pass from the front and one from the back. Sets too large to be sorted three times use 64 bins
// per axis instead. The choice decides how fast queries are, never what they answer.

#include "allclear/distance/mesh/triangle_split.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/mesh/bvh.h"
#include "allclear/distance/mesh/principal_axes.h"

namespace allclear::mesh {
namespace {

using Index = std::int32_t;

/// Sets larger than this are split at the best of `kBins` planes rather than of all.
constexpr int kLargestSweep = 1 << 13;
constexpr int kBins = 64;
/// Deeper than this, sets are halved by number: the tree of a mesh that was made to be unbalanced
/// stays shallow.
constexpr int kDeepest = 96;

/// An axis-aligned box in some frame.
struct Extent {
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 upper = Vec3::Constant(-std::numeric_limits<double>::infinity());

  void add(const Extent& other) {
    lower = lower.cwiseMin(other.lower);
    upper = upper.cwiseMax(other.upper);
  }
  double cubedDiagonal() const {
    const double squared = (upper - lower).squaredNorm();
    return squared * std::sqrt(squared);
  }
};

class TriangleSplitter {
 public:
  TriangleSplitter(const std::vector<TriangleCorners>& triangles, std::vector<Index>* order)
      : triangles_(triangles), order_(*order) {
    const auto n = static_cast<Index>(triangles.size());
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
    extents_.resize(n);
    key_.resize(n);
    cost_of_back_.resize(std::min(n, kLargestSweep + 1));
  }

  std::vector<BinaryNode> run() {
    std::vector<BinaryNode> nodes;
    nodes.reserve(2 * triangles_.size());
    nodes.push_back({0, static_cast<Index>(triangles_.size())});
    std::vector<std::pair<Index, int>> todo{{0, 0}};  // node, depth
    while (!todo.empty()) {
      steps_.step();
      const auto [number, depth] = todo.back();
      todo.pop_back();
      const BinaryNode node = nodes[number];
      const Index middle = split(node.first, node.last, depth, &nodes[number].size);
      if (node.isLeaf()) continue;
      nodes[number].left = static_cast<Index>(nodes.size());
      nodes[number].right = nodes[number].left + 1;
      nodes.push_back({node.first, middle});
      nodes.push_back({middle, node.last});
      // The left half is split first: the order of nodes follows the order of triangles.
      todo.push_back({nodes[number].right, depth + 1});
      todo.push_back({nodes[number].left, depth + 1});
    }
    return nodes;
  }

 private:
  /// Reorders the set and returns where its second half begins; measures the set's box.
  Index split(Index first, Index last, int depth, double* size) {
    const Index count = last - first;
    const Extent all = measure(first, count);
    *size = (all.upper - all.lower).norm();
    if (count == 1) return last;
    if (depth > kDeepest) return first + count / 2;
    return count > kLargestSweep ? splitByBins(first, last, all) : splitBySweep(first, last);
  }

  /// The extents of the set's triangles in the frame of its principal axes, and that of them all.
  Extent measure(Index first, Index count) {
    const auto at = [&](Index i) -> const TriangleCorners& {
      return triangles_[order_[first + i]];
    };
    // Extents of former sets are in other frames: each set measures all of its triangles anew.
    const Mat3 axes = principalAxes(at, count);
    Extent all;
    for (Index i = 0; i < count; ++i) {
      steps_.step();
      Extent& e = extents_[order_[first + i]];
      e = Extent();
      for (int k = 0; k < 3; ++k) {
        const Vec3 x = axes.transpose() * at(i).corner(k);
        e.add({x, x});
      }
      all.add(e);
    }
    return all;
  }

  void sortAlong(Index first, Index last, int axis) {
    for (Index i = first; i < last; ++i) {
      const Extent& e = extents_[order_[i]];
      key_[order_[i]] = e.lower[axis] + e.upper[axis];
    }
    // By number where middles are equal: the order must not depend on the library's sort.
    std::sort(order_.begin() + first, order_.begin() + last,
              [&](Index i, Index j) { return key_[i] != key_[j] ? key_[i] < key_[j] : i < j; });
  }

  Index splitBySweep(Index first, Index last) {
    const Index count = last - first;
    // A front of whole nodes (eight triangles each) leaves no node half empty.
    const Index granule = count > MeshNode::kWidth ? MeshNode::kWidth : 1;
    double least = std::numeric_limits<double>::infinity();
    int best_axis = 2;
    Index best = count / 2;
    int sorted_axis = -1;
    for (int axis = 0; axis < 3; ++axis) {
      sortAlong(first, last, axis);
      sorted_axis = axis;
      // From the back: the cost of every back; then from the front: of every front with its back.
      Extent back;
      for (Index i = count - 1; i > 0; --i) {
        back.add(extents_[order_[first + i]]);
        cost_of_back_[i] = (count - i) * back.cubedDiagonal();
      }
      Extent front;
      for (Index i = 1; i < count; ++i) {
        front.add(extents_[order_[first + i - 1]]);
        if (i % granule != 0) continue;
        const double cost = cost_of_back_[i] + i * front.cubedDiagonal();
        if (!(cost < least)) continue;
        least = cost;
        best_axis = axis;
        best = i;
      }
    }
    if (best_axis != sorted_axis) sortAlong(first, last, best_axis);
    return first + best;
  }

  /// A plane between two bins: bins below `bin` of `axis` are the front.
  struct BinCut {
    double cost = std::numeric_limits<double>::infinity();
    int axis = -1;
    int bin = 0;
  };

  int binOf(Index triangle, int axis, const Extent& all) const {
    const Extent& e = extents_[triangle];
    const double length = all.upper[axis] - all.lower[axis];
    const double share = (0.5 * (e.lower[axis] + e.upper[axis]) - all.lower[axis]) / length;
    return std::clamp(static_cast<int>(share * kBins), 0, kBins - 1);
  }

  Index splitByBins(Index first, Index last, const Extent& all) {
    BinCut best;
    for (int axis = 0; axis < 3; ++axis) {
      if (all.upper[axis] > all.lower[axis]) tryBins(first, last, all, axis, &best);
    }
    // All middles at one place: any half will do.
    if (best.axis < 0) return first + (last - first) / 2;
    const auto middle =
        std::stable_partition(order_.begin() + first, order_.begin() + last, [&](Index triangle) {
          steps_.step();
          return binOf(triangle, best.axis, all) < best.bin;
        });
    return static_cast<Index>(middle - order_.begin());
  }

  void tryBins(Index first, Index last, const Extent& all, int axis, BinCut* best) const {
    std::array<Extent, kBins> bins;
    std::array<Index, kBins> counts{};
    for (Index i = first; i < last; ++i) {
      steps_.step();
      const int bin = binOf(order_[i], axis, all);
      bins[bin].add(extents_[order_[i]]);
      ++counts[bin];
    }
    // Negative: no triangle behind the plane, so it is no cut.
    std::array<double, kBins> cost_of_back{};
    Extent back;
    Index n = 0;
    for (int b = kBins - 1; b > 0; --b) {
      back.add(bins[b]);
      n += counts[b];
      cost_of_back[b] = n > 0 ? n * back.cubedDiagonal() : -1.0;
    }
    Extent front;
    n = 0;
    for (int b = 1; b < kBins; ++b) {
      front.add(bins[b - 1]);
      n += counts[b - 1];
      if (n == 0 || cost_of_back[b] < 0.0) continue;
      const double cost = cost_of_back[b] + n * front.cubedDiagonal();
      if (cost < best->cost) *best = {cost, axis, b};
    }
  }

  const std::vector<TriangleCorners>& triangles_;
  std::vector<Index>& order_;
  std::vector<Extent> extents_;  ///< by triangle, in the frame of the set split last
  std::vector<double> key_;      ///< by triangle: twice the middle of its extent along an axis
  std::vector<double> cost_of_back_;
  mutable StopSteps steps_;  ///< the first sets take long, each of their triangles counts
};

}  // namespace

std::vector<BinaryNode> splitTriangles(const std::vector<TriangleCorners>& triangles,
                                       std::vector<std::int32_t>* order) {
  return TriangleSplitter(triangles, order).run();
}

}  // namespace allclear::mesh
