// A cloud: its elements sorted into a tree of boxes along the axes.
//
// A node is cut at the median along the widest side of its box, down to leaves of sixteen. So the
// depth is the logarithm of the count whatever the points are: equal points, or points on a line,
// are cut by their number. Elements of a node stand side by side in memory.
#include "allclear/distance/cloud.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"

namespace allclear {
namespace {

/// [m]: as the numbers of scenes.
constexpr double kGreatestValue = 1e9;
/// [m]: as the sizes of shapes, which balls are at rest.
constexpr double kLeastRadius = 1e-30;

/// Added to the sizes of boxes about nodes, relative to the coordinates: more than their rounding.
/// A box may not be flat.
constexpr double kBoxPadding = 1e-9;

// A cast rounds to the nearest float, which may lie on the wrong side of x by half a step: one step
// further is outward. No coordinate is beyond `kGreatestValue`, so none overflows a float.
float roundedDown(double x) {
  const auto f = static_cast<float>(x);
  return static_cast<double>(f) <= x ? f
                                     : std::nextafter(f, -std::numeric_limits<float>::infinity());
}
float roundedUp(double x) { return -roundedDown(-x); }

void requireCount(std::size_t count) {
  if (count == 0) throw InputError("a cloud needs at least one element");
  if (count > Cloud::kMostElements) {
    throw InputError("has " + std::to_string(count) + " elements, more than " +
                     std::to_string(Cloud::kMostElements) + ": thin it out");
  }
}

/// Where the elements of a node are cut, by twice their centres.
int widestAxis(const std::vector<AlignedBox>& elements, std::span<const std::int32_t> order) {
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity()), upper = -lower;
  StopSteps steps;
  for (const std::int32_t i : order) {
    steps.step();
    const Vec3 twice = elements[i].lower + elements[i].upper;
    lower = lower.cwiseMin(twice);
    upper = upper.cwiseMax(twice);
  }
  Eigen::Index axis = 0;
  (upper - lower).maxCoeff(&axis);
  return static_cast<int>(axis);
}

}  // namespace

Cloud Cloud::balls(const std::vector<Vec3>& points, double radius) {
  requireCount(points.size());
  // Negated, so that NaN fails.
  if (!(radius >= kLeastRadius) || !(radius <= kGreatestValue)) {
    throw InputError("the radius of a cloud's points must be between 1e-30 and 1e9 m");
  }
  std::vector<AlignedBox> elements;
  elements.reserve(points.size());
  for (const Vec3& p : points) elements.push_back({p, p});
  return {elements, radius, true};
}

Cloud Cloud::boxes(const std::vector<AlignedBox>& boxes) {
  requireCount(boxes.size());
  return {boxes, 0.0, false};
}

Cloud::Cloud(const std::vector<AlignedBox>& elements, double radius, bool are_balls)
    : radius_(radius) {
  StopSteps steps;
  for (const AlignedBox& box : elements) {
    steps.step();
    if (!(box.lower.cwiseAbs().sum() <= kGreatestValue) ||
        !(box.upper.cwiseAbs().sum() <= kGreatestValue)) {
      throw InputError("a point is not finite or beyond 1e9 m");
    }
    if (!(box.lower.array() <= box.upper.array()).all()) {
      throw InputError("the lower corner of a box is above the upper one");
    }
  }
  build(elements, are_balls);
}

/// Children come after their parent, side by side.
void Cloud::build(const std::vector<AlignedBox>& elements, bool are_balls) {
  std::vector<std::int32_t> order(elements.size());
  std::iota(order.begin(), order.end(), 0);
  StopSteps steps;
  nodes_.reserve(elements.size() / 2 + 1);
  nodes_.push_back({});
  nodes_[0].count = static_cast<std::int32_t>(elements.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    steps.step();
    const Node node = nodes_[n];
    if (node.count <= kLeaf) continue;
    const std::span<std::int32_t> own{order.data() + node.first,
                                      static_cast<std::size_t>(node.count)};
    const int axis = widestAxis(elements, own);
    const auto key = [&](std::int32_t i) {
      return elements[i].lower[axis] + elements[i].upper[axis];
    };
    // Whole leaves on the left, so that nearly all leaves are full. By the index among equals, so
    // that the order is determined.
    const std::int32_t half = (node.count / 2 + kLeaf - 1) / kLeaf * kLeaf;
    const std::int32_t cut = half < node.count ? half : node.count / 2;
    std::nth_element(own.begin(), own.begin() + cut, own.end(),
                     [&](std::int32_t x, std::int32_t y) {
                       steps.step();
                       return key(x) < key(y) || (key(x) == key(y) && x < y);
                     });
    nodes_[n].child = static_cast<std::int32_t>(nodes_.size());
    Node left, right;
    left.first = node.first;
    left.count = cut;
    right.first = node.first + cut;
    right.count = node.count - cut;
    nodes_.push_back(left);
    nodes_.push_back(right);
  }
  nodes_.shrink_to_fit();
  place(elements, order, are_balls);
}

/// Leaves from their elements, all other nodes from their children, which come later. Only leaves
/// round: the least and the greatest of floats are floats again.
void Cloud::place(const std::vector<AlignedBox>& elements, const std::vector<std::int32_t>& order,
                  bool are_balls) {
  lower_.reserve(elements.size());
  if (!are_balls) upper_.reserve(elements.size());
  StopSteps steps;
  for (const std::int32_t i : order) {
    steps.step();
    lower_.push_back(elements[i].lower);
    if (!are_balls) upper_.push_back(elements[i].upper);
  }
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    steps.step();
    Node& node = nodes_[n];
    if (node.child >= 0) {
      const Node &a = nodes_[node.child], &b = nodes_[node.child + 1];
      for (int k = 0; k < 3; ++k) {
        node.lower[k] = std::min(a.lower[k], b.lower[k]);
        node.upper[k] = std::max(a.upper[k], b.upper[k]);
      }
      continue;
    }
    // A leaf: in double precision, then rounded outward.
    Vec3 low = lower(node.first), high = upper(node.first);
    for (std::int32_t i = node.first + 1; i < node.first + node.count; ++i) {
      low = low.cwiseMin(lower(i));
      high = high.cwiseMax(upper(i));
    }
    for (int k = 0; k < 3; ++k) {
      node.lower[k] = roundedDown(low[k]);
      node.upper[k] = roundedUp(high[k]);
    }
  }
}

std::vector<std::int32_t> Cloud::parts(int most) const {
  const auto size = [&](std::int32_t n) {
    double widest = 0.0;
    for (int k = 0; k < 3; ++k) {
      widest = std::max(widest, static_cast<double>(nodes_[n].upper[k] - nodes_[n].lower[k]));
    }
    return widest;
  };
  // The widest on top; among equals the first, so that the choice is determined.
  std::priority_queue<std::pair<double, std::int32_t>> open;
  open.push({size(0), 0});
  std::vector<std::int32_t> whole;
  while (!open.empty() && static_cast<int>(open.size() + whole.size()) < most) {
    const std::int32_t n = -open.top().second;
    open.pop();
    if (nodes_[n].child < 0) {
      whole.push_back(n);
      continue;
    }
    for (const std::int32_t c : {nodes_[n].child, nodes_[n].child + 1}) open.push({size(c), -c});
  }
  for (; !open.empty(); open.pop()) whole.push_back(-open.top().second);
  std::sort(whole.begin(), whole.end());
  return whole;
}

Geometry Cloud::boxAbout(std::int32_t n) const {
  Vec3 lower, upper;
  for (int k = 0; k < 3; ++k) {
    lower[k] = static_cast<double>(nodes_[n].lower[k]) - radius_;
    upper[k] = static_cast<double>(nodes_[n].upper[k]) + radius_;
  }
  const double padding =
      kBoxPadding * (1.0 + lower.cwiseAbs().maxCoeff() + upper.cwiseAbs().maxCoeff());
  return {Box(upper - lower + Vec3::Constant(2.0 * padding)),
          {Mat3::Identity(), 0.5 * (lower + upper)}};
}

double Cloud::farthest() const {
  Vec3 corner;
  for (int k = 0; k < 3; ++k) {
    corner[k] = std::max(std::abs(static_cast<double>(nodes_[0].lower[k])),
                         std::abs(static_cast<double>(nodes_[0].upper[k])));
  }
  constexpr double kRounding = 1.0 + 1e-12;  // of three squares and a root
  return corner.norm() * kRounding + radius_;
}

std::shared_ptr<const Cloud> Cloud::without(const std::vector<char>& drop) const {
  std::vector<AlignedBox> kept;
  for (std::int32_t i = 0; i < size(); ++i) {
    if (drop[i] == 0) kept.push_back({lower(i), upper(i)});
  }
  if (kept.empty()) return nullptr;
  return std::make_shared<const Cloud>(Cloud(kept, radius_, isBalls()));
}

std::size_t Cloud::bytes() const {
  return sizeof(Cloud) + lower_.capacity() * sizeof(Vec3) + upper_.capacity() * sizeof(Vec3) +
         nodes_.capacity() * sizeof(Node);
}

}  // namespace allclear
