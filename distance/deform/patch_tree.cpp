// Cuts a mesh into a tree of patches whose boundaries are single short loops.
//
// A patch is certified only when its boundary is one simple loop (patch_test.h), and the shorter
// the loop the better. A cut at the median of the centroids leaves saw teeth and scattered
// triangles. So each set of triangles is cut like this:
// 1. A set of several parts, connected across edges, is cut between parts.
// 2. Else the triangles are sorted along each wide axis of their box. Of the places within
// `kWindow`
//    of the wanted share, the one is taken whose cut edges are shortest in sum.
// 3. Triangles with two neighbours on the other side change sides: they were teeth.
#include "allclear/distance/deform/patch_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

namespace allclear::deform {
namespace {

/// A cut may leave the wanted share by this part of the triangles: wide enough to find a straight
/// cut in a small set, narrow enough to keep the tree's depth near log2 n.
constexpr double kWindow = 0.15;
/// Of two cuts of the same length, the one nearer to the wanted share wins: a cut at the edge of
/// the window counts as longer by this part.
constexpr double kOffShare = 0.3;
/// Axes shorter than this part of the longest are not tried: boxes would become long.
constexpr double kWideAxis = 0.6;
/// Rounds in which teeth change sides.
constexpr int kSmoothingRounds = 4;

int nextCorner(int half_edge) { return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1; }

class Cutter {
 public:
  Cutter(std::span<const Triangle> triangles, std::span<const Vec3> rest,
         const std::vector<int>& opposite, const CutOptions& options)
      : triangles_(triangles), rest_(rest), opposite_(opposite), options_(options) {
    const std::size_t n = triangles.size();
    centroid_.reserve(n);
    for (const Triangle& t : triangles)
      centroid_.push_back((rest[t[0]] + rest[t[1]] + rest[t[2]]) / 3);
    tree_.order.resize(n);
    std::iota(tree_.order.begin(), tree_.order.end(), 0);
    place_ = tree_.order;
    is_left_.assign(n, 0);
    next_.assign(rest.size(), -1);
  }

  PatchTree run() {
    if (!triangles_.empty()) grow(0, static_cast<int>(triangles_.size()), 0);
    return std::move(tree_);
  }

 private:
  int vertexOf(int half_edge) const { return triangles_[half_edge / 3][half_edge % 3]; }

  bool isWithin(int half_edge, int begin, int end) const {
    return half_edge >= 0 && place_[half_edge / 3] >= begin && place_[half_edge / 3] < end;
  }

  /// Makes the node of [begin, end) and all below it. Returns its boundary half-edges.
  std::vector<int> grow(int begin, int end, int level) {
    const int number = static_cast<int>(tree_.nodes.size());
    tree_.nodes.push_back({begin, end});
    // The boundary is that of the children without the edges between them.
    std::vector<int> boundary;
    if (end - begin == 1) {
      for (int e = 0; e < 3; ++e) boundary.push_back(3 * tree_.order[begin] + e);
    } else {
      const int middle = cut(begin, end, level);
      boundary = grow(begin, middle, level + 1);
      tree_.nodes[number].right = static_cast<int>(tree_.nodes.size());
      const std::vector<int> right = grow(middle, end, level + 1);
      boundary.insert(boundary.end(), right.begin(), right.end());
      std::erase_if(boundary, [&](int h) { return isWithin(opposite_[h], begin, end); });
    }
    addLoop(boundary, &tree_.nodes[number]);
    return boundary;
  }

  /// Stores the boundary when it is a single loop that passes no vertex twice.
  void addLoop(const std::vector<int>& boundary, PatchTree::Node* node) {
    node->loop_begin = node->loop_end = static_cast<int>(tree_.loops.size());
    if (boundary.empty()) return;
    bool is_simple = true;
    for (int h : boundary) {
      int& next = next_[vertexOf(h)];
      is_simple = is_simple && next < 0 && vertexOf(h) != vertexOf(nextCorner(h));
      next = vertexOf(nextCorner(h));
    }
    const int start = vertexOf(boundary.front());
    int at = start;
    for (std::size_t i = 0; is_simple && i < boundary.size(); ++i) {
      tree_.loops.push_back(at);
      at = next_[at];
      // The walk comes back to the start with the last edge, no sooner and no later.
      is_simple = at >= 0 && (at == start) == (i + 1 == boundary.size());
    }
    for (int h : boundary) next_[vertexOf(h)] = -1;
    if (is_simple) {
      node->loop_end = static_cast<int>(tree_.loops.size());
    } else {
      tree_.loops.resize(node->loop_begin);
    }
  }

  int cut(int begin, int end, int level) {
    const double share = level < options_.levels ? options_.share : 0.5;
    int middle = cutBetweenParts(begin, end, share);
    if (middle < 0) middle = cutAcross(begin, end, share);
    for (int i = begin; i < end; ++i) place_[tree_.order[i]] = i;
    return middle;
  }

  Vec3 extent(int begin, int end) const {
    Vec3 lower = centroid_[tree_.order[begin]], upper = lower;
    for (int i = begin; i < end; ++i) {
      lower = lower.cwiseMin(centroid_[tree_.order[i]]);
      upper = upper.cwiseMax(centroid_[tree_.order[i]]);
    }
    return upper - lower;
  }

  void sortAlong(int axis, std::vector<int>* set) const {
    std::sort(set->begin(), set->end(), [&](int i, int j) {
      const double x = centroid_[i][axis], y = centroid_[j][axis];
      return x != y ? x < y : i < j;
    });
  }

  /// Orders the set part by part. Returns the seam of two parts that is nearest to the share, or -1
  /// when there is only one part.
  int cutBetweenParts(int begin, int end, double share) {
    int axis = 0;
    extent(begin, end).maxCoeff(&axis);
    std::vector<int> set(tree_.order.begin() + begin, tree_.order.begin() + end);
    sortAlong(axis, &set);
    // Parts in the order of their first triangles along the axis.
    std::vector<int> ordered, seams, stack;
    std::vector<char> seen(set.size(), 0);
    for (int first : set) {
      if (seen[place_[first] - begin]) continue;
      if (!ordered.empty()) seams.push_back(begin + static_cast<int>(ordered.size()));
      seen[place_[first] - begin] = 1;
      stack.push_back(first);
      while (!stack.empty()) {
        const int t = stack.back();
        stack.pop_back();
        ordered.push_back(t);
        for (int e = 0; e < 3; ++e) {
          const int other = opposite_[3 * t + e];
          if (!isWithin(other, begin, end) || seen[place_[other / 3] - begin]) continue;
          seen[place_[other / 3] - begin] = 1;
          stack.push_back(other / 3);
        }
      }
    }
    if (seams.empty()) return -1;
    std::copy(ordered.begin(), ordered.end(), tree_.order.begin() + begin);
    const double wanted = begin + share * (end - begin);
    return *std::min_element(seams.begin(), seams.end(), [&](int a, int b) {
      return std::abs(a - wanted) < std::abs(b - wanted);
    });
  }

  int cutAcross(int begin, int end, double share) {
    // Cuts a connected set where the cut is shortest; returns the place of the cut.
    const Vec3 size = extent(begin, end);
    double least = std::numeric_limits<double>::infinity();
    int middle = begin + (end - begin) / 2;
    std::vector<int> best(tree_.order.begin() + begin, tree_.order.begin() + end);
    for (int axis = 0; axis < 3; ++axis) {
      if (size[axis] < kWideAxis * size.maxCoeff()) continue;
      std::vector<int> set(tree_.order.begin() + begin, tree_.order.begin() + end);
      sortAlong(axis, &set);
      const auto [length, count] = shortestCut(set, begin, end, share);
      if (!(length < least)) continue;
      least = length;
      middle = begin + count;
      best = std::move(set);
    }
    return begin + smoothed(best, begin, end, middle - begin);
  }

  double edgeLength(int half_edge) const {
    return (rest_[vertexOf(half_edge)] - rest_[vertexOf(nextCorner(half_edge))]).norm();
  }

  /// Moves triangle after triangle to the left side; keeps the least length of cut edges.
  std::pair<double, int> shortestCut(const std::vector<int>& set, int begin, int end,
                                     double share) {
    const int n = static_cast<int>(set.size());
    const int first = std::max(1, static_cast<int>(std::ceil((share - kWindow) * n)));
    const int last = std::max(first, std::min(n - 1, static_cast<int>((share + kWindow) * n)));
    // An edge is cut while one of its triangles is left.
    for (int t : set) is_left_[t] = 0;
    std::pair<double, int> best{std::numeric_limits<double>::infinity(), std::min(first, n - 1)};
    double length = 0.0;
    for (int k = 1; k <= std::min(last, n - 1); ++k) {
      const int t = set[k - 1];
      is_left_[t] = 1;
      for (int e = 0; e < 3; ++e) {
        const int other = opposite_[3 * t + e];
        if (!isWithin(other, begin, end)) continue;
        length += is_left_[other / 3] ? -edgeLength(3 * t + e) : edgeLength(3 * t + e);
      }
      const double off = std::abs(k - share * n) / (kWindow * n);
      const double cost = length * (1.0 + kOffShare * off);
      if (k >= first && cost < best.first) best = {cost, k};
    }
    return best;
  }

  /// Triangles with two neighbours on the other side go there; writes the set's new order. Returns
  /// how many are left of the cut.
  int smoothed(const std::vector<int>& set, int begin, int end, int count) {
    const int n = static_cast<int>(set.size());
    for (int i = 0; i < n; ++i) is_left_[set[i]] = i < count;
    for (int round = 0; round < kSmoothingRounds; ++round) {
      bool has_changed = false;
      for (int t : set) {
        int here = 0, there = 0;
        for (int e = 0; e < 3; ++e) {
          const int other = opposite_[3 * t + e];
          if (isWithin(other, begin, end)) ++(is_left_[other / 3] == is_left_[t] ? here : there);
        }
        // Neither side may lose its last triangle.
        const int own = is_left_[t] ? count : n - count;
        if (there < 2 || here > 1 || own == 1) continue;
        count += is_left_[t] ? -1 : 1;
        is_left_[t] = !is_left_[t];
        has_changed = true;
      }
      if (!has_changed) break;
    }
    auto out = tree_.order.begin() + begin;
    for (int t : set) {
      if (is_left_[t]) *out++ = t;
    }
    for (int t : set) {
      if (!is_left_[t]) *out++ = t;
    }
    return count;
  }

  std::span<const Triangle> triangles_;
  std::span<const Vec3> rest_;
  const std::vector<int>& opposite_;
  CutOptions options_;
  std::vector<Vec3> centroid_;
  std::vector<int> place_;  ///< of each triangle in the order
  std::vector<char> is_left_;
  std::vector<int> next_;  ///< scratch of `addLoop`: the vertex after a vertex, -1 elsewhere
  PatchTree tree_;
};

}  // namespace

std::vector<int> oppositeHalfEdges(std::span<const Triangle> triangles) {
  // Uses of one edge become neighbours in a sorted list; two that run against each other are
  // opposite.
  struct Use {
    std::uint64_t edge;
    int half_edge;
    bool is_forward;
  };
  std::vector<Use> uses;
  uses.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int e = 0; e < 3; ++e) {
      const auto u = static_cast<std::uint64_t>(triangles[t][e]);
      const auto v = static_cast<std::uint64_t>(triangles[t][(e + 1) % 3]);
      uses.push_back({std::min(u, v) << 32 | std::max(u, v), static_cast<int>(3 * t) + e, u < v});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.half_edge < b.half_edge;
  });
  std::vector<int> opposite(3 * triangles.size(), -1);
  for (std::size_t i = 0; i < uses.size();) {
    std::size_t j = i + 1;
    while (j < uses.size() && uses[j].edge == uses[i].edge) ++j;
    if (j - i == 2 && uses[i].is_forward != uses[i + 1].is_forward &&
        uses[i].half_edge / 3 != uses[i + 1].half_edge / 3) {
      opposite[uses[i].half_edge] = uses[i + 1].half_edge;
      opposite[uses[i + 1].half_edge] = uses[i].half_edge;
    }
    i = j;
  }
  return opposite;
}

PatchTree cutAlongMesh(std::span<const Triangle> triangles, std::span<const Vec3> rest,
                       const std::vector<int>& opposite, const CutOptions& options) {
  return Cutter(triangles, rest, opposite, options).run();
}

}  // namespace allclear::deform
