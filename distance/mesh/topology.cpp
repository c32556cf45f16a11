// Cleans a triangle mesh: same points, but a topology that distances and inside tests can rely on.
//
// Steps, each a function of `Cleaner`: drop repeated triangles; keep segments and points (triangles
// without area) that no other triangle has; renumber the vertices; find neighbours across edges and
// the parts that edges connect; turn triangles to agree with their neighbours; find which parts are
// closed; turn closed parts to face outward.
//
// A part is closed when every edge of it is passed equally often in both directions: then its
// triangles have no boundary, the sum of their solid angles about a point off the surface is a
// whole multiple of 4 pi, and that multiple (the winding number) is what "inside" means. The sign
// of a part's volume tells which way it faces: outward parts have a positive one.

#include "allclear/distance/mesh/topology.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/mesh/counting_sort.h"
#include "allclear/distance/mesh/merged_vertices.h"

namespace allclear {
namespace {

bool hasRepeat(const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

Triangle sorted(Triangle t) {
  std::sort(t.begin(), t.end());
  return t;
}

using Edge = std::array<int, 2>;
Edge sortedEdge(int u, int v) { return u < v ? Edge{u, v} : Edge{v, u}; }

/// A directed edge of a triangle. Uses of one edge, by any triangle, have the same `ends`.
struct Use {
  Edge ends;
  int triangle;
  int side;
  bool forward;  ///< from the smaller vertex number to the larger
};

/// By edge, then by triangle. Pre: corners are below `vertices`.
std::vector<Use> edgeUses(const std::vector<Triangle>& triangles, int vertices) {
  std::vector<Use> uses;
  uses.reserve(3 * triangles.size());
  StopSteps steps;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    steps.step();
    for (int e = 0; e < 3; ++e) {
      const int u = triangles[i][e], v = triangles[i][(e + 1) % 3];
      if (u != v) uses.push_back({sortedEdge(u, v), static_cast<int>(i), e, u < v});
    }
  }
  for (int end : {1, 0}) {  // the last key first
    mesh::countingSort(&uses, vertices, [end](const Use& use) { return use.ends[end]; });
  }
  return uses;
}

/// Calls visit(first, last) for the uses of each edge.
template <class Visit>
void forEdges(const std::vector<Use>& uses, const Visit& visit) {
  // End by end: comparing arrays would call a function.
  const auto isSame = [](Edge a, Edge b) { return a[0] == b[0] && a[1] == b[1]; };
  StopSteps steps;
  for (std::size_t i = 0; i < uses.size();) {
    steps.step();
    std::size_t j = i + 1;
    while (j < uses.size() && isSame(uses[j].ends, uses[i].ends)) ++j;
    visit(&uses[i], &uses[i] + (j - i));
    i = j;
  }
}

class Cleaner {
 public:
  Cleaner(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles)
      : vertices_(vertices), given_(triangles) {}

  MeshTopology run() {
    // Of a million triangles each takes some 20 to 200 ms: they ask `throwIfStopped` themselves.
    for (const auto step : {&Cleaner::keepTriangles, &Cleaner::keepUncovered,
                            &Cleaner::compactVertices, &Cleaner::connect, &Cleaner::orientParts,
                            &Cleaner::markClosed, &Cleaner::turnOutsideOut}) {
      (this->*step)();
    }
    return std::move(out_);
  }

 private:
  void add(const Triangle& triangle, int source) {
    out_.triangles.push_back(triangle);
    out_.source.push_back(source);
  }

  /// Keeps the first of triangles with the same corners, whichever way round; those without area
  /// wait in `degenerate_`.
  void keepTriangles() {
    const std::vector<int> first = mesh::mergedVertices(vertices_);
    const auto& given = given_;
    merged_.resize(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
      steps_.step();
      for (int k = 0; k < 3; ++k) merged_[i][k] = first[given[i][k]];
    }
    std::vector<int> order(given.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<Triangle> keys(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) keys[i] = sorted(merged_[i]);
    for (int corner : {2, 1, 0}) {
      mesh::countingSort(&order, static_cast<int>(vertices_.size()),
                         [&](int i) { return keys[i][corner]; });
    }
    // Equal triangles are neighbours in this order, the one with the smallest number first.
    std::vector<char> keep(given.size(), 1);
    for (std::size_t k = 1; k < order.size(); ++k) {
      steps_.step();
      const Triangle &a = keys[order[k - 1]], &b = keys[order[k]];
      if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]) keep[order[k]] = 0;
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      steps_.step();
      if (!keep[i]) continue;
      if (hasRepeat(merged_[i])) {
        degenerate_.push_back(static_cast<int>(i));
      } else {
        add(merged_[i], static_cast<int>(i));
      }
    }
  }

  /// Keeps segments and points that are no edge or corner of a proper triangle.
  void keepUncovered() {
    if (degenerate_.empty()) return;
    std::vector<Edge> edges;
    std::vector<char> used(vertices_.size(), 0);
    for (const Triangle& t : out_.triangles) {
      steps_.step();
      for (int e = 0; e < 3; ++e) {
        edges.push_back(sortedEdge(t[e], t[(e + 1) % 3]));
        used[t[e]] = 1;
      }
    }
    for (int end : {1, 0}) {
      mesh::countingSort(&edges, static_cast<int>(vertices_.size()),
                         [end](const Edge& edge) { return edge[end]; });
    }
    for (int i : degenerate_) {
      steps_.step();
      // Two corners are equal: the smallest and the largest number are the segment's ends.
      const Triangle key = sorted(merged_[i]);
      const bool is_point = key[0] == key[2];
      const bool covered =
          is_point ? used[key[0]] != 0
                   : std::binary_search(edges.begin(), edges.end(), Edge{key[0], key[2]});
      if (!covered) add(merged_[i], i);
    }
  }

  /// Numbers the vertices in the order in which triangles use them; unused ones go.
  void compactVertices() {
    std::vector<int> number(vertices_.size(), -1);
    for (Triangle& t : out_.triangles) {
      steps_.step();
      for (int& v : t) {
        if (number[v] < 0) {  // used for the first time
          number[v] = static_cast<int>(out_.vertices.size());
          out_.vertices.push_back(vertices_[v]);
        }
        v = number[v];
      }
    }
    out_.vertices.shrink_to_fit();
    out_.triangles.shrink_to_fit();
    out_.source.shrink_to_fit();
  }

  /// Finds the neighbours across edges of exactly two triangles, and the parts: sets of triangles
  /// that edges connect, however many triangles an edge has (a union-find forest).
  void connect() {
    const int n = static_cast<int>(out_.triangles.size());
    out_.neighbours.assign(n, {-1, -1, -1});
    std::vector<int> parent(n);
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](int i) {
      steps_.step();
      while (parent[i] != i) i = parent[i] = parent[parent[i]];  // halving the path
      return i;
    };
    const std::vector<Use> uses = edgeUses(out_.triangles, static_cast<int>(out_.vertices.size()));
    forEdges(uses, [&](const Use* first, const Use* last) {
      for (const Use* use = first + 1; use < last; ++use) {
        const int a = root(first->triangle), b = root(use->triangle);
        parent[std::max(a, b)] = std::min(a, b);
      }
      if (last - first != 2 || first[0].triangle == first[1].triangle) return;
      out_.neighbours[first[0].triangle][first[0].side] = first[1].triangle;
      out_.neighbours[first[1].triangle][first[1].side] = first[0].triangle;
    });
    // A root has the smallest number of its part, so that it is numbered first.
    out_.part.resize(n);
    int parts = 0;
    for (int i = 0; i < n; ++i) out_.part[i] = root(i) == i ? parts++ : out_.part[root(i)];
    out_.part_closed.assign(parts, 1);
  }

  void turn(int i) {
    Triangle& t = out_.triangles[i];
    std::swap(t[1], t[2]);  // edge 0 becomes 2 and back, edge 1 stays
    std::swap(out_.neighbours[i][0], out_.neighbours[i][2]);
  }

  /// Whether two neighbours pass their common edge in opposite directions, as they must to face the
  /// same side.
  bool agree(int i, int side, int j) const {
    const int u = out_.triangles[i][side], v = out_.triangles[i][(side + 1) % 3];
    for (int e = 0; e < 3; ++e) {
      if (out_.triangles[j][e] == v && out_.triangles[j][(e + 1) % 3] == u) return true;
    }
    return false;
  }

  /// Turns triangles to agree with the first triangle of their patch. A patch is connected across
  /// edges of two triangles: across others "the same side" has no meaning.
  void orientParts() {
    std::vector<char> seen(out_.triangles.size(), 0);
    std::vector<int> stack;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i]) continue;
      seen[i] = 1;
      stack.push_back(static_cast<int>(i));
      while (!stack.empty()) {
        steps_.step();
        const int t = stack.back();
        stack.pop_back();
        for (int side = 0; side < 3; ++side) {
          const int next = out_.neighbours[t][side];
          if (next < 0 || seen[next]) continue;
          seen[next] = 1;
          // `next` is turned before it is opened. A Moebius strip disagrees along one edge: it is
          // left so, and turns out to be open.
          if (!agree(t, side, next)) turn(next);
          stack.push_back(next);
        }
      }
    }
  }

  /// A part is closed when each of its edges is passed equally often both ways, and no triangle of
  /// it is without area.
  void markClosed() {
    const std::vector<Use> uses = edgeUses(out_.triangles, static_cast<int>(out_.vertices.size()));
    forEdges(uses, [&](const Use* first, const Use* last) {
      int balance = 0;
      for (const Use* use = first; use < last; ++use) balance += use->forward ? 1 : -1;
      if (balance != 0) out_.part_closed[out_.part[first->triangle]] = 0;
    });
    for (std::size_t i = 0; i < out_.triangles.size(); ++i) {
      if (hasRepeat(out_.triangles[i])) out_.part_closed[out_.part[i]] = 0;
    }
    out_.closed =
        std::find(out_.part_closed.begin(), out_.part_closed.end(), 0) == out_.part_closed.end();
  }

  /// What decides which way a part is turned.
  struct Part {
    double volume = 0.0;  ///< signed: negative when it faces inward
    Vec3 lower = Vec3::Constant(HUGE_VAL);
    Vec3 upper = Vec3::Constant(-HUGE_VAL);
    Vec3 vertex = Vec3::Zero();  ///< one of its own
  };

  std::vector<Part> measured() const {
    std::vector<Part> parts(out_.part_closed.size());
    // Signed tetrahedra over a corner near the mesh: any origin gives a closed part's volume.
    const Vec3 origin = out_.vertices.front();
    for (std::size_t i = 0; i < out_.triangles.size(); ++i) {
      steps_.step();
      Part& part = parts[out_.part[i]];
      Vec3 p[3];
      for (int k = 0; k < 3; ++k) {
        const Vec3& v = out_.vertices[out_.triangles[i][k]];
        p[k] = v - origin;
        part.lower = part.lower.cwiseMin(v);
        part.upper = part.upper.cwiseMax(v);
        part.vertex = v;
      }
      part.volume += p[0].dot(p[1].cross(p[2])) / 6.0;
    }
    return parts;
  }

  /// Whether another closed part, one that faces outward, contains the part.
  bool isCavity(const std::vector<Part>& parts, const std::vector<std::vector<int>>& triangles,
                std::size_t number) const {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      steps_.step();
      if (k == number || !out_.part_closed[k] || !(parts[k].volume > 0.0)) continue;
      // A box that does not contain the part's box spares the winding number, O(triangles).
      if ((parts[k].lower.array() > parts[number].lower.array()).any() ||
          (parts[k].upper.array() < parts[number].upper.array()).any()) {
        continue;
      }
      constexpr double kInside = 0.5;  // between 0, outside, and 1
      if (std::abs(winding(triangles[k], parts[number].vertex)) > kInside) return true;
    }
    return false;
  }

  double winding(const std::vector<int>& triangles, const Vec3& p) const {
    double sum = 0.0;
    for (int i : triangles) {
      steps_.step();
      sum += solidAngle(out_, i, p);
    }
    return sum / (4.0 * std::numbers::pi);
  }

  double closedVolume(const std::vector<Part>& parts) const {
    double total = 0.0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (out_.part_closed[k]) total += parts[k].volume;
    }
    return total;
  }

  /// Turns closed parts that face inward, except cavities.
  void turnInwardParts(std::vector<Part>& parts) {
    std::vector<std::vector<int>> triangles(parts.size());
    for (std::size_t i = 0; i < out_.triangles.size(); ++i) {
      steps_.step();
      triangles[out_.part[i]].push_back(static_cast<int>(i));
    }
    // The cavities of a mesh that is inside out as a whole face outward, its shells inward: turning
    // all of it restores both.
    if (closedVolume(parts) < 0.0) {
      for (std::size_t k = 0; k < parts.size(); ++k) turnPart(parts, triangles, k);
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (!out_.part_closed[k] || parts[k].volume >= 0.0) continue;
      if (!isCavity(parts, triangles, k)) turnPart(parts, triangles, k);
    }
  }

  void turnOutsideOut() {
    std::vector<Part> parts = measured();
    bool any_inward = false;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      any_inward |= out_.part_closed[k] != 0 && parts[k].volume < 0.0;
    }
    if (any_inward) turnInwardParts(parts);
    out_.volume = closedVolume(parts);
  }

  void turnPart(std::vector<Part>& parts, const std::vector<std::vector<int>>& triangles,
                std::size_t k) {
    if (!out_.part_closed[k]) return;
    parts[k].volume = -parts[k].volume;
    for (int i : triangles[k]) turn(i);
  }

 public:
  /// Signed solid angle of triangle i from p (A. van Oosterom and J. Strackee, 1983).
  static double solidAngle(const MeshTopology& mesh, int i, const Vec3& p) {
    const Triangle& t = mesh.triangles[i];
    const Vec3 a = mesh.vertices[t[0]] - p, b = mesh.vertices[t[1]] - p,
               c = mesh.vertices[t[2]] - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    const double det = a.dot(b.cross(c));
    const double cosine = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    return det == 0.0 ? 0.0 : 2.0 * std::atan2(det, cosine);
  }

 private:
  const std::vector<Vec3>& vertices_;
  const std::vector<Triangle>& given_;
  std::vector<Triangle> merged_;
  std::vector<int> degenerate_;
  mutable StopSteps steps_;
  MeshTopology out_;
};

}  // namespace

MeshTopology cleaned(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles) {
  return Cleaner(vertices, triangles).run();
}

double windingNumber(const MeshTopology& mesh, const Vec3& p) {
  double sum = 0.0;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    if (mesh.part_closed[mesh.part[i]]) sum += Cleaner::solidAngle(mesh, static_cast<int>(i), p);
  }
  return sum / (4.0 * std::numbers::pi);
}

}  // namespace allclear
