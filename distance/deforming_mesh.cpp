// A mesh whose vertices move linearly between keyframes, and a tree of boxes about its triangles.
//
// The tree is built once, where the mesh is spread out the most; its boxes are refitted at every
// keyframe. A vertex between two keyframes is a convex combination of its positions there, so it
// lies in the same combination of the boxes: boxes at keyframes are all that is kept.
#include "allclear/distance/deforming_mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <queue>
#include <string>
#include <utility>

#include "allclear/core/input_error.h"
#include "allclear/distance/geometry/triangles.h"

namespace allclear {
namespace {

/// [m], [s]: as the numbers of scenes.
constexpr double kGreatestValue = 1e9;

/// Of the volume of the box: closed parts that are flat enclose 0 to rounding, and may.
constexpr double kFlatVolume = 1e-9;

// A cast rounds to the nearest float, which may lie on the wrong side of x by half a step: one step
// further is outward. No value of a mesh is beyond `kGreatestValue`, so none overflows a float.
float roundedDown(double x) {
  const auto f = static_cast<float>(x);
  return static_cast<double>(f) <= x ? f
                                     : std::nextafter(f, -std::numeric_limits<float>::infinity());
}
float roundedUp(double x) { return -roundedDown(-x); }

/// Six times the volume enclosed, about `origin`.
/// Each triangle and the origin span a tetrahedron of the signed volume a.(b x c)/6; those of a
/// closed surface add up to what it encloses, whatever the origin (divergence theorem). Rounding
/// does depend on it, and grows with its distance.
double sixfoldVolume(const std::vector<Vec3>& p, const std::vector<Triangle>& triangles,
                     const std::vector<std::int32_t>& which, const Vec3& origin) {
  double volume = 0.0;
  for (const std::int32_t t : which) {
    const Triangle& tri = triangles[t];
    volume += (p[tri[0]] - origin).dot((p[tri[1]] - origin).cross(p[tri[2]] - origin));
  }
  return volume;
}

}  // namespace

DeformingMesh::DeformingMesh(std::vector<Triangle> triangles,
                             std::vector<std::vector<Vec3>> keyframes, std::vector<double> times)
    : triangles_(std::move(triangles)), keyframes_(std::move(keyframes)), times_(std::move(times)) {
  // First of all, as nothing after it looks at an index again; the tree before the boxes, which are
  // by its nodes.
  check();
  findParts();
  checkOrientation();
  buildTree();
  boxes_.resize(nodes_.size() * times_.size());
  for (int k = 0; k < keyframeCount(); ++k) refit(k);
}

void DeformingMesh::check() const {
  if (triangles_.empty()) throw InputError("a deforming mesh needs triangles");
  if (keyframes_.empty() || keyframes_.size() != times_.size()) {
    throw InputError("a deforming mesh needs one time for each keyframe, and at least one");
  }
  for (std::size_t k = 0; k < times_.size(); ++k) {
    const std::string name = "keyframe " + std::to_string(k);
    if (!(std::abs(times_[k]) <= kGreatestValue))
      throw InputError(name + ": its time is no number below 1e9");
    // Negated, so that NaN fails.
    if (k > 0 && !(times_[k] > times_[k - 1])) throw InputError(name + ": times must ascend");
    if (keyframes_[k].size() != keyframes_[0].size()) {
      throw InputError(name + " has " + std::to_string(keyframes_[k].size()) +
                       " vertices, the first one " + std::to_string(keyframes_[0].size()));
    }
    for (const Vec3& p : keyframes_[k]) {
      if (!(p.cwiseAbs().sum() <= kGreatestValue)) {
        throw InputError(name + ": a vertex is not finite or beyond 1e9 m");
      }
    }
  }
  for (const Triangle& triangle : triangles_) {
    for (const int v : triangle) {
      if (v < 0 || v >= vertexCount()) {
        throw InputError("a triangle has the vertex " + std::to_string(v) + " of " +
                         std::to_string(vertexCount()));
      }
    }
  }
}

/// Parts are joined by edges. A part is closed when each of its edges comes once in each direction.
void DeformingMesh::findParts() {
  struct Sides {
    int forward = 0, backward = 0;
    std::int32_t triangle = -1;
  };
  std::map<std::pair<int, int>, Sides> edges;
  // A forest of triangles, joined where they share an edge.
  std::vector<std::int32_t> part(triangles_.size());
  std::iota(part.begin(), part.end(), 0);
  // Union and find, with paths halved on the way (R. Tarjan, J. van Leeuwen, JACM 31, 1984).
  const auto root = [&](std::int32_t t) {
    while (part[t] != t) t = part[t] = part[part[t]];
    return t;
  };
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(triangles_.size()); ++t) {
    for (int i = 0; i < 3; ++i) {
      const int a = triangles_[t][i], b = triangles_[t][(i + 1) % 3];
      Sides& sides = edges[std::minmax(a, b)];
      ++(a < b ? sides.forward : sides.backward);
      if (sides.triangle >= 0) part[root(t)] = root(sides.triangle);
      sides.triangle = t;
    }
  }
  // A single edge opens the whole part: one with one side only (a border), with two triangles that
  // run along it in the same direction (they disagree on the outside), or with more than two (a
  // fin). Such a part has no inside, and none is made up for it.
  std::vector<char> closed(triangles_.size(), 1);
  for (const auto& [edge, sides] : edges) {
    if (sides.forward != 1 || sides.backward != 1) closed[root(sides.triangle)] = 0;
  }
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(triangles_.size()); ++t) {
    if (closed[root(t)]) closed_triangles_.push_back(t);
  }
  // Where surfaces do not meet, a part is inside of another solid with all of its points or with
  // none: one vertex of each is enough to find out.
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(triangles_.size()); ++t) {
    if (root(t) == t) representatives_.push_back(triangles_[t][0]);
  }
}

/// The closed parts enclose a positive volume at every keyframe.
/// Taken together, not part by part: the skin of a hollow within a solid faces inward, and has a
/// negative volume of its own with every right.
void DeformingMesh::checkOrientation() const {
  if (closed_triangles_.empty()) return;
  for (int k = 0; k < keyframeCount(); ++k) {
    Vec3 lower = keyframes_[k][triangles_[closed_triangles_[0]][0]], upper = lower;
    for (const std::int32_t t : closed_triangles_) {
      for (const int v : triangles_[t]) {
        lower = lower.cwiseMin(keyframes_[k][v]);
        upper = upper.cwiseMax(keyframes_[k][v]);
      }
    }
    // About the middle of their box, where numbers are small.
    const double size = (upper - lower).norm();
    if (!(sixfoldVolume(keyframes_[k], triangles_, closed_triangles_, 0.5 * (lower + upper)) >=
          -kFlatVolume * size * size * size)) {
      throw InputError("keyframe " + std::to_string(k) +
                       ": a closed mesh is inside out: its triangles face inward");
    }
  }
}

DeformingMesh::Instant DeformingMesh::at(double t) const {
  // Negated, so that NaN rests at the first keyframe.
  if (!(t > times_.front())) return {0, 0.0};
  if (t >= times_.back()) return {keyframeCount() - 1, 0.0};
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  const int k = static_cast<int>(after - times_.begin()) - 1;
  return {k, std::clamp((t - times_[k]) / (times_[k + 1] - times_[k]), 0.0, 1.0)};
}

Vec3 DeformingMesh::velocity(int vertex, double t) const {
  if (t < times_.front() || t >= times_.back()) return Vec3::Zero();
  const int k = at(t).keyframe;
  return (keyframes_[k + 1][vertex] - keyframes_[k][vertex]) / (times_[k + 1] - times_[k]);
}

std::vector<Vec3> DeformingMesh::positions(double t) const {
  const Instant when = at(t);
  std::vector<Vec3> out(vertexCount());
  for (int v = 0; v < vertexCount(); ++v) out[v] = position(v, when);
  return out;
}

TriangleMesh DeformingMesh::frozen(double t) const { return {positions(t), triangles_}; }

/// Weights of the nearest point in its triangle: by areas, which are exact enough for a rate.
Vec3 DeformingMesh::velocityNear(const Vec3& p, double t) const {
  const Instant when = at(t);
  double least = std::numeric_limits<double>::infinity();
  Vec3 velocity_there = Vec3::Zero();
  for (const Triangle& tri : triangles_) {
    const Vec3 a = position(tri[0], when), b = position(tri[1], when), c = position(tri[2], when);
    const Vec3 near = nearestOnTriangle(cornersOf(a, b, c), p);
    const double squared = (near - p).squaredNorm();
    if (!(squared < least)) continue;
    least = squared;
    // Each corner weighs as the triangle opposite of it.
    Vec3 weight((b - near).cross(c - near).norm(), (c - near).cross(a - near).norm(),
                (a - near).cross(b - near).norm());
    const double sum = weight.sum();
    weight = sum > 0.0 ? Vec3(weight / sum) : Vec3(Vec3::Constant(1.0 / 3.0));
    velocity_there = weight[0] * velocity(tri[0], t) + weight[1] * velocity(tri[1], t) +
                     weight[2] * velocity(tri[2], t);
  }
  return velocity_there;
}

/// Between them every vertex moves at one velocity: a search cuts its time there, and has straight
/// lines on each side.
std::vector<double> DeformingMesh::breaks(Interval time) const {
  const auto first = std::upper_bound(times_.begin(), times_.end(), time.lower);
  const auto last = std::lower_bound(first, times_.end(), time.upper);
  return {first, last};
}

/// The solid angle of a triangle by van Oosterom and Strackee (1983).
/// By the two arguments of atan2 an angle of more than a quarter of the sphere, where the
/// denominator is negative, is right as well. Sheets are left out: they would add a fraction
/// everywhere.
double DeformingMesh::windingNumber(const Vec3& p, double t) const {
  const Instant when = at(t);
  double angle = 0.0;
  for (const std::int32_t i : closed_triangles_) {
    const Vec3 a = position(triangles_[i][0], when) - p, b = position(triangles_[i][1], when) - p,
               c = position(triangles_[i][2], when) - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    angle += 2.0 * std::atan2(a.dot(b.cross(c)),
                              la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return angle / (4.0 * std::numbers::pi);
}

/// Median cuts of the triangles' middles along the longest edge of their box, at the keyframe where
/// the mesh is spread out the most: there neighbours are near and others are not.
/// One tree serves all keyframes. Boxes of the same node can be interpolated in time; those of
/// trees made keyframe by keyframe would belong to different triangles.
void DeformingMesh::buildTree() {
  int spread_out = 0;
  double widest = -1.0;
  for (int k = 0; k < keyframeCount(); ++k) {
    Vec3 lower = keyframes_[k][0], upper = lower;
    for (const Vec3& p : keyframes_[k]) {
      lower = lower.cwiseMin(p);
      upper = upper.cwiseMax(p);
    }
    const Vec3 size = upper - lower;
    // The two longest edges: the area that a sheet can have there.
    const double area = size.sum() - size.minCoeff();
    if (area > widest) {
      widest = area;
      spread_out = k;
    }
  }
  const int count = static_cast<int>(triangles_.size());
  std::vector<Vec3> middle(count);
  for (int t = 0; t < count; ++t) {
    const Triangle& tri = triangles_[t];
    const auto& p = keyframes_[spread_out];
    middle[t] = (p[tri[0]] + p[tri[1]] + p[tri[2]]) / 3.0;
  }
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0);
  nodes_.push_back({0, count, -1});
  // Nodes are split in the order in which they are made: parents before children.
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node node = nodes_[i];
    if (node.count <= kLeaf) continue;
    const auto begin = order_.begin() + node.first, end = begin + node.count;
    Vec3 lower = middle[*begin], upper = lower;
    for (auto it = begin; it != end; ++it) {
      lower = lower.cwiseMin(middle[*it]);
      upper = upper.cwiseMax(middle[*it]);
    }
    int axis = 0;
    (upper - lower).maxCoeff(&axis);
    const int half = node.count / 2;
    std::nth_element(begin, begin + half, end, [&](std::int32_t x, std::int32_t y) {
      // Equal middles by their number: the tree is the same on every machine.
      return std::pair(middle[x][axis], x) < std::pair(middle[y][axis], y);
    });
    nodes_[i].child = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back({node.first, half, -1});
    nodes_.push_back({node.first + half, node.count - half, -1});
  }
}

/// Leaves from the vertices, all others from their children, which come later.
/// Only leaves round: the least and the greatest of floats are floats again.
void DeformingMesh::refit(int keyframe) {
  NodeBox* boxes = &boxes_[static_cast<std::size_t>(keyframe) * nodes_.size()];
  const std::vector<Vec3>& p = keyframes_[keyframe];
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    if (node.child >= 0) {
      const NodeBox &a = boxes[node.child], &b = boxes[node.child + 1];
      for (int axis = 0; axis < 3; ++axis) {
        boxes[i].lower[axis] = std::min(a.lower[axis], b.lower[axis]);
        boxes[i].upper[axis] = std::max(a.upper[axis], b.upper[axis]);
      }
      continue;
    }
    // A leaf: in double precision, then rounded outward.
    Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity()), upper = -lower;
    for (std::int32_t t = node.first; t < node.first + node.count; ++t) {
      for (const int v : triangles_[order_[t]]) {
        lower = lower.cwiseMin(p[v]);
        upper = upper.cwiseMax(p[v]);
      }
    }
    for (int axis = 0; axis < 3; ++axis) {
      boxes[i].lower[axis] = roundedDown(lower[axis]);
      boxes[i].upper[axis] = roundedUp(upper[axis]);
    }
  }
}

/// The largest are cut until there are enough: where the tree cuts them, then in the order of their
/// leaf.
std::vector<std::vector<std::int32_t>> DeformingMesh::patches(int most) const {
  // By the count, and among equals the first in the order, so that the choice is determined.
  struct Range {
    std::int32_t first, count, node;  ///< -1: a part of a leaf
    bool operator<(const Range& other) const {
      return std::pair(count, -first) < std::pair(other.count, -other.first);
    }
  };
  std::priority_queue<Range> open;
  open.push({0, nodes_[0].count, 0});
  while (static_cast<int>(open.size()) < most && open.top().count > 1) {
    const Range range = open.top();
    open.pop();
    const std::int32_t child = range.node < 0 ? -1 : nodes_[range.node].child;
    const std::int32_t half = child < 0 ? range.count / 2 : nodes_[child].count;
    open.push({range.first, half, child});
    open.push({range.first + half, range.count - half, child < 0 ? -1 : child + 1});
  }
  std::vector<Range> chosen;
  for (; !open.empty(); open.pop()) chosen.push_back(open.top());
  std::sort(chosen.begin(), chosen.end(),
            [](const Range& x, const Range& y) { return x.first < y.first; });
  std::vector<std::vector<std::int32_t>> out;
  for (const Range& range : chosen) {
    std::vector<std::int32_t> vertices;
    for (std::int32_t t = range.first; t < range.first + range.count; ++t) {
      const Triangle& tri = triangles_[order_[t]];
      vertices.insert(vertices.end(), tri.begin(), tri.end());
    }
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    out.push_back(std::move(vertices));
  }
  return out;
}

std::size_t DeformingMesh::treeBytes() const {
  return boxes_.size() * sizeof(NodeBox) + nodes_.size() * sizeof(Node) +
         order_.size() * sizeof(std::int32_t);
}

std::size_t DeformingMesh::bytes() const {
  return treeBytes() + keyframes_.size() * keyframes_[0].size() * sizeof(Vec3) +
         triangles_.size() * sizeof(Triangle);
}

}  // namespace allclear
