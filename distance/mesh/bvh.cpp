// A tree of nodes with eight children over the triangles of a mesh.
//
// `splitTriangles` makes a binary tree. A node of eight takes a binary set and opens the largest of
// its parts, again and again, until there are eight: the levels between are left out, so that a
// kernel bounds eight children at once (one to a lane of a register). `VolumeFitter` makes the ball
// and the box of each child. A node of which all children are single triangles also keeps their
// corners in single precision: there a kernel tests the triangles instead of boxes.

#include "allclear/distance/mesh/bvh.h"

#include <algorithm>
#include <utility>

#include "allclear/core/assert.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/mesh/triangle_split.h"
#include "allclear/distance/mesh/volume_fit.h"

namespace allclear {
namespace {

using Index = std::int32_t;
using mesh::BinaryNode;

/// Through memory: GCC 12 removes a vectorised conversion of a double, though it rounds.
float rounded(double x) {
  const volatile auto f = static_cast<float>(x);
  return f;
}

/// The one of `sets` to open next, or -1 when eight are enough: the largest, but a set that fits in
/// one node of its own stays whole while there are larger ones.
Index setToOpen(const std::vector<BinaryNode>& binary, const std::vector<Index>& sets) {
  Index best = -1;
  bool best_is_large = false;
  for (Index k = 0; k < static_cast<Index>(sets.size()); ++k) {
    const BinaryNode& set = binary[sets[k]];
    if (set.isLeaf()) continue;
    const bool large = set.count() > MeshNode::kWidth;
    // A small set is opened only when all of its triangles find a lane in this node.
    const bool fits = static_cast<int>(sets.size()) - 1 + set.count() <= MeshNode::kWidth;
    if (!large && !fits) continue;
    const bool better = best < 0 || (large && !best_is_large) ||
                        (large == best_is_large && set.size > binary[sets[best]].size);
    if (!better) continue;
    best = k;
    best_is_large = large;
  }
  return best;
}

/// The at most eight parts of a binary set that become the children of a node.
void childrenOf(const std::vector<BinaryNode>& binary, Index set, std::vector<Index>* children) {
  children->assign(1, set);
  while (children->size() < MeshNode::kWidth) {
    const Index k = setToOpen(binary, *children);
    if (k < 0) break;
    const BinaryNode& opened = binary[(*children)[k]];
    (*children)[k] = opened.left;
    children->push_back(opened.right);
  }
}

/// Lanes without a child repeat the first one: kernels compute them with harmless numbers.
void copyFirstChild(MeshNode* node, std::size_t slot) {
  for (auto& row : node->ball) row[slot] = row[0];
  for (auto& row : node->box) row[slot] = row[0];
  node->child[slot] = node->child[0];
}

}  // namespace

class MeshBvhBuilder {
 public:
  MeshBvhBuilder(MeshBvh* out, std::vector<std::int32_t>* order) : out_(*out), order_(*order) {}

  void run() {
    binary_ = mesh::splitTriangles(out_.triangles_, &order_);
    std::vector<TriangleCorners> sorted(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) sorted[i] = out_.triangles_[order_[i]];
    out_.triangles_ = std::move(sorted);
    makeNodes();
    storeLeafCorners();
    MeshNode whole{};
    fitVolume(binary_[0], &whole, 0);
    out_.root_ = childVolume(whole, 0);
  }

 private:
  void fitVolume(const BinaryNode& set, MeshNode* node, int slot) {
    fitter_.fit(std::span(out_.triangles_).subspan(set.first, set.count()), node, slot);
  }

  Index addNode() {
    out_.nodes_.emplace_back();
    out_.width_.push_back(0);
    return static_cast<Index>(out_.nodes_.size()) - 1;
  }

  void makeNodes() {
    struct Task {
      Index set;
      Index node;
    };
    std::vector<Task> todo{{0, addNode()}};
    std::vector<Index> children;
    StopSteps steps;
    while (!todo.empty()) {
      steps.step();
      const Task task = todo.back();
      todo.pop_back();
      childrenOf(binary_, task.set, &children);
      // Written into the tree last: `addNode` may move the nodes that are there.
      MeshNode node{};
      for (std::size_t k = 0; k < children.size(); ++k) {
        const BinaryNode& set = binary_[children[k]];
        fitVolume(set, &node, static_cast<int>(k));
        if (set.isLeaf()) {
          node.child[k] = ~set.first;
          continue;
        }
        node.child[k] = addNode();
        todo.push_back({children[k], node.child[k]});
      }
      for (std::size_t k = children.size(); k < MeshNode::kWidth; ++k) copyFirstChild(&node, k);
      out_.width_[task.node] = static_cast<std::uint8_t>(children.size());
      out_.nodes_[task.node] = node;
    }
    out_.nodes_.shrink_to_fit();
    out_.width_.shrink_to_fit();
  }

  /// Keeps the corners of nodes of which all children are triangles. They are rounded to the
  /// nearest: the kernels that read them count that rounding in their error.
  void storeLeafCorners() {
    out_.corners_of_.assign(out_.nodes_.size(), -1);
    StopSteps steps;
    for (std::size_t n = 0; n < out_.nodes_.size(); ++n) {
      steps.step();
      // A node with a child that is a node has no corners of its own.
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

  MeshBvh& out_;
  std::vector<Index>& order_;
  std::vector<BinaryNode> binary_;
  mesh::VolumeFitter fitter_;
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
