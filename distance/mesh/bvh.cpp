// A binary tree by sweeps along the principal axes of each set (cost: triangles times cubed
// diagonal of their box, both halves), collapsed to nodes of eight children. Volumes are fitted in
// double precision, rounded to single, and then grown until they are proven to hold every corner.

#include "allclear/distance/mesh/bvh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "allclear/core/assert.h"
#include "allclear/distance/geometry/smallest_ball.h"

namespace allclear {
namespace {

using Index = std::int32_t;

/// Sets larger than this are split at the best of `kBins` planes rather than of all.
constexpr int kLargestSweep = 1 << 13;
constexpr int kBins = 64;
/// Deeper than this, sets are halved: the tree of a mesh made to be unbalanced stays shallow.
constexpr int kDeepest = 96;

/// Through memory: GCC 12 takes a vectorised double -> float -> double for nothing to do.
float rounded(double x) {
  const volatile auto f = static_cast<float>(x);
  return f;
}

float roundedUp(double x) {
  const float f = rounded(x);
  return static_cast<double>(f) < x ? std::nextafterf(f, HUGE_VALF) : f;
}

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

struct BinaryNode {
  Index first, last;  // triangles of the order
  Index left = -1, right = -1;
  double size = 0.0;
};

}  // namespace

class MeshBvhBuilder {
 public:
  MeshBvhBuilder(MeshBvh* out, std::vector<std::int32_t>* order) : out_(*out), order_(*order) {}

  void run() {
    const auto n = static_cast<Index>(out_.triangles_.size());
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
    binary_.reserve(2 * static_cast<std::size_t>(n));
    binary_.push_back({0, n});
    extents_.resize(n);
    key_.resize(n);
    tail_.resize(std::min(n, kLargestSweep + 1));
    splitAll();
    std::vector<TriangleCorners> sorted(n);
    for (Index i = 0; i < n; ++i) sorted[i] = out_.triangles_[order_[i]];
    out_.triangles_ = std::move(sorted);
    collapse();
    takeCorners();
    MeshNode whole{};
    fitVolume(binary_[0], &whole, 0);
    out_.root_ = childVolume(whole, 0);
  }

 private:
  /// Columns: orthonormal, the axis of least spread first.
  template <class At>
  Mat3 principalAxes(const At& triangleAt, Index count) const {
    Vec3 mean = Vec3::Zero();
    for (Index i = 0; i < count; ++i) {
      const TriangleCorners& t = triangleAt(i);
      for (int k = 0; k < 3; ++k) mean += t.corner(k);
    }
    mean /= 3.0 * count;
    Mat3 spread = Mat3::Zero();
    for (Index i = 0; i < count; ++i) {
      const TriangleCorners& t = triangleAt(i);
      for (int k = 0; k < 3; ++k) {
        const Vec3 r = t.corner(k) - mean;
        spread.noalias() += r * r.transpose();
      }
    }
    const double scale = spread.cwiseAbs().maxCoeff();
    if (!(scale > 0.0) || !std::isfinite(scale)) return Mat3::Identity();
    return Eigen::SelfAdjointEigenSolver<Mat3>(spread / scale).eigenvectors();
  }

  void splitAll() {
    std::vector<std::pair<Index, int>> todo{{0, 0}};  // node, depth
    while (!todo.empty()) {
      const auto [number, depth] = todo.back();
      todo.pop_back();
      const BinaryNode node = binary_[number];
      const Index middle = split(node.first, node.last, depth, &binary_[number].size);
      if (node.last - node.first == 1) continue;
      binary_[number].left = static_cast<Index>(binary_.size());
      binary_[number].right = binary_[number].left + 1;
      binary_.push_back({node.first, middle});
      binary_.push_back({middle, node.last});
      todo.push_back({binary_[number].right, depth + 1});
      todo.push_back({binary_[number].left, depth + 1});
    }
  }

  Index split(Index first, Index last, int depth, double* size) {
    const Index count = last - first;
    const auto at = [&](Index i) -> const TriangleCorners& {
      return out_.triangles_[order_[first + i]];
    };
    const Mat3 axes = principalAxes(at, count);
    Extent all;
    for (Index i = 0; i < count; ++i) {
      Extent& e = extents_[order_[first + i]];
      e = Extent();
      for (int k = 0; k < 3; ++k) {
        const Vec3 x = axes.transpose() * at(i).corner(k);
        e.add({x, x});
      }
      all.add(e);
    }
    *size = (all.upper - all.lower).norm();
    if (count == 1) return last;
    if (depth > kDeepest) return first + count / 2;
    return count > kLargestSweep ? splitByBins(first, last, all) : splitBySweep(first, last);
  }

  void sortAlong(Index first, Index last, int axis) {
    for (Index i = first; i < last; ++i) {
      const Extent& e = extents_[order_[i]];
      key_[order_[i]] = e.lower[axis] + e.upper[axis];
    }
    std::sort(order_.begin() + first, order_.begin() + last,
              [&](Index i, Index j) { return key_[i] != key_[j] ? key_[i] < key_[j] : i < j; });
  }

  Index splitBySweep(Index first, Index last) {
    const Index count = last - first;
    // Halves of whole nodes fill the nodes.
    const Index granule = count > MeshNode::kWidth ? MeshNode::kWidth : 1;
    double least = std::numeric_limits<double>::infinity();
    int best_axis = 2;
    Index best = count / 2;
    int sorted_axis = -1;
    for (int axis = 0; axis < 3; ++axis) {
      sortAlong(first, last, axis);
      sorted_axis = axis;
      Extent after;
      for (Index i = count - 1; i > 0; --i) {
        after.add(extents_[order_[first + i]]);
        tail_[i] = (count - i) * after.cubedDiagonal();
      }
      Extent before;
      for (Index i = 1; i < count; ++i) {
        before.add(extents_[order_[first + i - 1]]);
        if (i % granule != 0) continue;
        const double cost = tail_[i] + i * before.cubedDiagonal();
        if (!(cost < least)) continue;
        least = cost;
        best_axis = axis;
        best = i;
      }
    }
    if (best_axis != sorted_axis) sortAlong(first, last, best_axis);
    return first + best;
  }

  Index splitByBins(Index first, Index last, const Extent& all) {
    double least = std::numeric_limits<double>::infinity();
    int best_axis = -1, best_bin = 0;
    const auto binOf = [&](Index triangle, int axis) {
      const Extent& e = extents_[triangle];
      const double length = all.upper[axis] - all.lower[axis];
      const double share = (0.5 * (e.lower[axis] + e.upper[axis]) - all.lower[axis]) / length;
      return std::clamp(static_cast<int>(share * kBins), 0, kBins - 1);
    };
    for (int axis = 0; axis < 3; ++axis) {
      if (!(all.upper[axis] > all.lower[axis])) continue;
      std::array<Extent, kBins> bins;
      std::array<Index, kBins> counts{};
      for (Index i = first; i < last; ++i) {
        const int bin = binOf(order_[i], axis);
        bins[bin].add(extents_[order_[i]]);
        ++counts[bin];
      }
      std::array<double, kBins> tail{};
      Extent after;
      Index n = 0;
      for (int b = kBins - 1; b > 0; --b) {
        after.add(bins[b]);
        n += counts[b];
        tail[b] = n > 0 ? n * after.cubedDiagonal() : -1.0;
      }
      Extent before;
      n = 0;
      for (int b = 1; b < kBins; ++b) {
        before.add(bins[b - 1]);
        n += counts[b - 1];
        if (n == 0 || tail[b] < 0.0) continue;
        const double cost = tail[b] + n * before.cubedDiagonal();
        if (!(cost < least)) continue;
        least = cost;
        best_axis = axis;
        best_bin = b;
      }
    }
    if (best_axis < 0) return first + (last - first) / 2;
    const auto middle = std::stable_partition(
        order_.begin() + first, order_.begin() + last,
        [&](Index triangle) { return binOf(triangle, best_axis) < best_bin; });
    return static_cast<Index>(middle - order_.begin());
  }

  Index countOf(Index number) const { return binary_[number].last - binary_[number].first; }
  bool isLeaf(Index number) const { return countOf(number) == 1; }

  /// The child worth opening next: the largest, but sets that fit in one node of their own stay
  /// whole while larger ones are there.
  Index toOpen(const std::vector<Index>& children) const {
    Index best = -1;
    bool best_is_large = false;
    for (Index k = 0; k < static_cast<Index>(children.size()); ++k) {
      if (isLeaf(children[k])) continue;
      const bool large = countOf(children[k]) > MeshNode::kWidth;
      const bool fits =
          static_cast<int>(children.size()) - 1 + countOf(children[k]) <= MeshNode::kWidth;
      if (!large && !fits) continue;
      const bool better =
          best < 0 || (large && !best_is_large) ||
          (large == best_is_large && binary_[children[k]].size > binary_[children[best]].size);
      if (!better) continue;
      best = k;
      best_is_large = large;
    }
    return best;
  }

  void collapse() {
    struct Task {
      Index binary;
      Index node;
    };
    std::vector<Task> todo{{0, 0}};
    out_.nodes_.emplace_back();
    out_.width_.push_back(0);
    std::vector<Index> children;
    while (!todo.empty()) {
      const Task task = todo.back();
      todo.pop_back();
      children.assign(1, task.binary);
      while (children.size() < MeshNode::kWidth) {
        const Index k = toOpen(children);
        if (k < 0) break;
        const BinaryNode& opened = binary_[children[k]];
        children[k] = opened.left;
        children.push_back(opened.right);
      }
      MeshNode node{};
      for (std::size_t k = 0; k < children.size(); ++k) {
        const Index number = children[k];
        fitVolume(binary_[number], &node, static_cast<int>(k));
        if (isLeaf(number)) {
          node.child[k] = ~binary_[number].first;
          continue;
        }
        node.child[k] = static_cast<Index>(out_.nodes_.size());
        out_.nodes_.emplace_back();
        out_.width_.push_back(0);
        todo.push_back({number, node.child[k]});
      }
      for (std::size_t k = children.size(); k < MeshNode::kWidth; ++k) copyFirst(&node, k);
      out_.width_[task.node] = static_cast<std::uint8_t>(children.size());
      out_.nodes_[task.node] = node;
    }
    out_.nodes_.shrink_to_fit();
    out_.width_.shrink_to_fit();
  }

  /// Lanes without a child compute with harmless numbers.
  static void copyFirst(MeshNode* node, std::size_t slot) {
    for (auto& row : node->ball) row[slot] = row[0];
    for (auto& row : node->box) row[slot] = row[0];
    node->child[slot] = node->child[0];
  }

  void takeCorners() {
    out_.corners_of_.assign(out_.nodes_.size(), -1);
    for (std::size_t n = 0; n < out_.nodes_.size(); ++n) {
      const Index(&child)[MeshNode::kWidth] = out_.nodes_[n].child;
      if (!std::all_of(child, child + MeshNode::kWidth, [](Index c) { return c < 0; })) continue;
      out_.corners_of_[n] = static_cast<Index>(out_.corners_.size());
      LeafCorners& corners = out_.corners_.emplace_back();
      for (int l = 0; l < MeshNode::kWidth; ++l) {
        const TriangleCorners& t = out_.triangles_[~child[l]];
        for (int k = 0; k < 9; ++k) corners.corner[k][l] = rounded(t.p[k / 3][k % 3]);
      }
    }
    out_.corners_.shrink_to_fit();
  }

  void fitVolume(const BinaryNode& set, MeshNode* node, int slot) {
    points_.clear();
    for (Index i = set.first; i < set.last; ++i) {
      for (int k = 0; k < 3; ++k) points_.push_back(out_.triangles_[i].corner(k));
    }
    fitBall(node, slot);
    fitBox(set, node, slot);
  }

  void fitBall(MeshNode* node, int slot) const {
    const Vec3 center = fitting::SmallestBallFinder<3>::find(points_).center;
    Vec3 stored;
    for (int k = 0; k < 3; ++k) {
      node->ball[k][slot] = rounded(center[k]);
      stored[k] = static_cast<double>(node->ball[k][slot]);
    }
    double radius = 0.0;
    for (const Vec3& p : points_) radius = std::max(radius, (p - stored).squaredNorm());
    node->ball[3][slot] = roundedUp(std::sqrt(radius) * (1.0 + 1e-14));
    node->ball[4][slot] = roundedUp(stored.norm() * (1.0 + 1e-14));
  }

  static double boxMeasure(const Extent& e) {
    const Vec3 d = e.upper - e.lower;
    return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
  }
  Extent extentIn(const Mat3& axes) const {
    Extent e;
    for (const Vec3& p : points_) {
      const Vec3 x = axes.transpose() * p;
      e.lower = e.lower.cwiseMin(x);
      e.upper = e.upper.cwiseMax(x);
    }
    return e;
  }

  /// Axes of a box with little surface: the principal ones, turned about each in turn.
  Mat3 boxAxes(const BinaryNode& set) const {
    const auto at = [&](Index i) -> const TriangleCorners& {
      return out_.triangles_[set.first + i];
    };
    const Index count = set.last - set.first;
    if (count == 1) return triangleAxes(out_.triangles_[set.first]);
    Mat3 axes = principalAxes(at, count);
    if (count > kMostTurned) return axes;
    double least = boxMeasure(extentIn(axes));
    for (double step : {0.4, 0.2, 0.1, 0.05}) {
      for (int axis = 0; axis < 3; ++axis) {
        for (double angle : {step, -step}) {
          const Mat3 turned = axes * Eigen::AngleAxisd(angle, Vec3::Unit(axis)).toRotationMatrix();
          const double measure = boxMeasure(extentIn(turned));
          if (!(measure < least)) continue;
          least = measure;
          axes = turned;
        }
      }
    }
    return axes;
  }

  /// Along the longest edge and the normal.
  static Mat3 triangleAxes(const TriangleCorners& t) {
    Vec3 longest = Vec3::Zero(), other = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
      const Vec3 edge = t.corner((k + 1) % 3) - t.corner(k);
      if (edge.squaredNorm() > longest.squaredNorm()) {
        longest = edge;
        other = t.corner((k + 2) % 3) - t.corner(k);
      }
    }
    const double length = longest.norm();
    if (!(length > 0.0)) return Mat3::Identity();
    Mat3 axes;
    axes.col(0) = longest / length;
    other -= axes.col(0).dot(other) * axes.col(0);
    const bool flat = !(other.norm() > 1e-7 * length);
    axes.col(1) = flat ? Vec3(axes.col(0).unitOrthogonal()) : Vec3(other.normalized());
    axes.col(2) = axes.col(0).cross(axes.col(1));
    return axes;
  }

  void fitBox(const BinaryNode& set, MeshNode* node, int slot) {
    const Mat3 axes = boxAxes(set);
    const Extent extent = extentIn(axes);
    const Vec3 center = axes * (0.5 * (extent.lower + extent.upper));
    const Vec3 half = 0.5 * (extent.upper - extent.lower);
    Vec3 stored;
    for (int k = 0; k < 3; ++k) {
      node->box[k][slot] = rounded(center[k]);
      stored[k] = static_cast<double>(node->box[k][slot]);
    }
    // Half edges that make up for the rounding of the centre and of the axes; and never so thin
    // that the axes' rounding would reach through them.
    const double scale = std::max({half.maxCoeff(), stored.cwiseAbs().maxCoeff() * 0x1p-20, 1e-36});
    double slop = stored.cwiseAbs().maxCoeff() * 0x1p-22 + scale * 0x1p-21;
    for (int attempt = 0; attempt < 40; ++attempt, slop *= 2.0) {
      Mat3 G;
      for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
          const float g = rounded((half[i] + slop) * axes(k, i));
          node->box[3 + 3 * i + k][slot] = g;
          G(k, i) = static_cast<double>(g);
        }
      }
      if (holds(G, stored)) return;
    }
    ALLCLEAR_ASSERT(false && "a box that holds its triangles");
  }

  bool holds(const Mat3& G, const Vec3& center) const {
    const Mat3 inverse = G.inverse();
    for (const Vec3& p : points_) {
      const Vec3 x = inverse * (p - center);
      if (!(x.cwiseAbs().maxCoeff() <= 1.0 - 1e-9)) return false;
    }
    return true;
  }

  static constexpr Index kMostTurned = 1 << 12;

  MeshBvh& out_;
  std::vector<Index>& order_;
  std::vector<BinaryNode> binary_;
  std::vector<Extent> extents_;
  std::vector<double> key_, tail_;
  std::vector<Vec3> points_;
};

MeshBvh::MeshBvh(std::vector<TriangleCorners> triangles, std::vector<std::int32_t>* order)
    : triangles_(std::move(triangles)) {
  ALLCLEAR_ASSERT(!triangles_.empty() && triangles_.size() < (std::size_t{1} << 28));
  MeshBvhBuilder(this, order).run();
}

std::size_t MeshBvh::bytes() const {
  const auto of = [](const auto& v) { return v.capacity() * sizeof v[0]; };
  return of(triangles_) + of(nodes_) + of(width_) + of(corners_) + of(corners_of_);
}

}  // namespace allclear
