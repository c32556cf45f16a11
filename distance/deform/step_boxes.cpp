// Boxes about moving triangles, and the pairs of them that meet.
//
// A vertex stays on the segment between its two places, so the box of both holds it at every t, and
// the box of a triangle's three vertices holds the triangle.
#include "allclear/distance/deform/step_boxes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace allclear::deform {
namespace {

/// Relative and absolute widening that outweighs the rounding of a double to a float: half a unit
/// of the last place, or of the smallest float.
constexpr float kRelativePad = std::numeric_limits<float>::epsilon();
constexpr float kAbsolutePad = 4 * std::numeric_limits<float>::denorm_min();

float roundedUp(double x) {
  const float f = static_cast<float>(x);
  return f + (std::abs(f) * kRelativePad + kAbsolutePad);
}

struct Visit {
  int a, b;  ///< equal: pairs within the node
};

/// Whether one certified patch of another tree holds both nodes.
bool areTogether(const Certified& certified, int a, int b) {
  for (const std::vector<int>& patch : certified.others) {
    if (patch[a] >= 0 && patch[a] == patch[b]) return true;
  }
  return false;
}

/// Opens the larger of two nodes.
template <class Push>
void openPair(const PatchTree& tree_a, int a, const PatchTree& tree_b, int b, const Push& push) {
  const PatchTree::Node &A = tree_a.nodes[a], &B = tree_b.nodes[b];
  if (A.size() >= B.size()) {
    push(a + 1, b);
    push(A.right, b);
  } else {
    push(a, b + 1);
    push(a, B.right);
  }
}

}  // namespace

void fillBoxes(const MeshStep& step, const PatchTree& tree, double reserve, StepBoxes* boxes) {
  // Vertices, then nodes from the leaves up: children have larger numbers than their parents.
  const std::size_t n = step.start.size();
  boxes->vertices.resize(n);
  for (std::size_t v = 0; v < n; ++v) {
    SweptBox& box = boxes->vertices[v];
    for (int k = 0; k < 3; ++k) {
      const double x = step.start[v][k], y = step.end[v][k];
      box.upper[k] = roundedUp(std::max(x, y) + reserve);
      box.minus_lower[k] = roundedUp(reserve - std::min(x, y));
    }
    box.upper[3] = box.minus_lower[3] = 0.0F;
  }
  boxes->nodes.resize(tree.nodes.size());
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const PatchTree::Node& node = tree.nodes[i];
    if (node.isLeaf()) {
      const Triangle& t = step.triangles[tree.order[node.begin]];
      boxes->nodes[i] =
          unionOf(unionOf(boxes->vertices[t[0]], boxes->vertices[t[1]]), boxes->vertices[t[2]]);
    } else {
      boxes->nodes[i] = unionOf(boxes->nodes[i + 1], boxes->nodes[node.right]);
    }
  }
}

std::vector<int> patchOfNodes(const PatchTree& tree, const PatchTree& other,
                              const std::vector<int>& patches) {
  std::vector<int> patch_of(tree.order.size(), -1);  // by triangle
  for (int patch : patches) {
    const PatchTree::Node& node = other.nodes[patch];
    for (int i = node.begin; i < node.end; ++i) patch_of[other.order[i]] = patch;
  }
  std::vector<int> out(tree.nodes.size());
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const PatchTree::Node& node = tree.nodes[i];
    if (node.isLeaf()) {
      out[i] = patch_of[tree.order[node.begin]];
    } else {
      out[i] = out[i + 1] == out[node.right] ? out[i + 1] : -1;
    }
  }
  return out;
}

void pairsWithin(const PatchTree& tree, const StepBoxes& boxes, const Certified& certified,
                 std::vector<TrianglePair>* pairs) {
  // A node against itself opens into both children against themselves and against each other.
  pairs->clear();
  if (tree.nodes.empty()) return;
  std::vector<char> is_certified(tree.nodes.size(), 0);
  for (int patch : certified.own) is_certified[patch] = 1;
  std::vector<Visit> stack{{0, 0}};
  const auto push = [&](int a, int b) {
    if (meet(boxes.nodes[a], boxes.nodes[b])) stack.push_back({a, b});
  };
  while (!stack.empty()) {
    const auto [a, b] = stack.back();
    stack.pop_back();
    if (areTogether(certified, a, b)) continue;
    const PatchTree::Node& node = tree.nodes[a];
    if (a == b) {
      if (node.isLeaf() || is_certified[a]) continue;
      stack.push_back({a + 1, a + 1});
      stack.push_back({node.right, node.right});
      push(a + 1, node.right);
    } else if (node.isLeaf() && tree.nodes[b].isLeaf()) {
      pairs->push_back({tree.order[node.begin], tree.order[tree.nodes[b].begin]});
    } else {
      openPair(tree, a, tree, b, push);
    }
  }
}

void pairsBetween(const PatchTree& a, const StepBoxes& boxes_a, const PatchTree& b,
                  const StepBoxes& boxes_b, std::vector<TrianglePair>* pairs) {
  // Two trees from their roots; the larger node is opened.
  pairs->clear();
  if (a.nodes.empty() || b.nodes.empty()) return;
  std::vector<Visit> stack;
  const auto push = [&](int i, int j) {
    if (meet(boxes_a.nodes[i], boxes_b.nodes[j])) stack.push_back({i, j});
  };
  push(0, 0);
  while (!stack.empty()) {
    const auto [i, j] = stack.back();
    stack.pop_back();
    if (a.nodes[i].isLeaf() && b.nodes[j].isLeaf()) {
      pairs->push_back({a.order[a.nodes[i].begin], b.order[b.nodes[j].begin]});
    } else {
      openPair(a, i, b, j, push);
    }
  }
}

}  // namespace allclear::deform
