// Closes small holes of a mesh by fans of triangles.
//
// Modulo 2. The rim of a set of triangles is the edges that an odd number of them have. At each
// corner an even number of such edges meet, so the rim falls into loops. A fan over a loop, from
// its middle, has that loop for its own rim: with the fan, the loop is gone. No triangle is taken
// away or moved. A seam (T-junction) is a loop as well: it passes along the long edge of one
// triangle and back along the short ones of its neighbours, and its fan has no area.
#include "allclear/distance/mesh/holes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/mesh/counting_sort.h"

namespace allclear::mesh {
namespace {

/// Of the diagonal of a part: a hole as large as a disc of this diameter counts as small. A gripper
/// does not enter a twentieth of a cupboard, and files with such defects have far smaller ones.
constexpr double kSmallHole = 0.05;
/// Of the area of a part: a hole's fan is less. A single triangle would be its own lid else.
constexpr double kSmallLid = 0.05;

/// Calls visit(edge, triangle) for the edges of a triangle that have a length.
template <class Visit>
void forEdges(const Triangle& t, const Visit& visit) {
  for (int e = 0; e < 3; ++e) {
    const int u = t[e], v = t[(e + 1) % 3];
    if (u != v) visit(Edge{std::min(u, v), std::max(u, v)});
  }
}

/// The corners of a rim, each with the corners at the other ends of its edges.
class RimCorners {
 public:
  explicit RimCorners(const std::vector<RimEdge>& rim) {
    // By edge the larger corner comes second: the last edge need not have the largest.
    StopSteps steps;
    int corners = 0;
    for (const RimEdge& e : rim) {
      steps.step();
      corners = std::max(corners, e.edge[1] + 1);
    }
    first_.assign(static_cast<std::size_t>(corners) + 1, 0);
    for (const RimEdge& e : rim) {
      steps.step();
      for (int corner : e.edge) ++first_[static_cast<std::size_t>(corner) + 1];
    }
    for (std::size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
    last_.assign(first_.begin(), first_.end() - 1);
    others_.resize(2 * rim.size());
    for (const RimEdge& e : rim) {
      steps.step();
      others_[static_cast<std::size_t>(last_[e.edge[0]]++)] = e.edge[1];
      others_[static_cast<std::size_t>(last_[e.edge[1]]++)] = e.edge[0];
    }
  }

  int count() const { return static_cast<int>(last_.size()); }
  bool isEmpty(int corner) const { return first_[corner] == last_[corner]; }
  /// Pre: not empty.
  int latest(int corner) const { return others_[static_cast<std::size_t>(last_[corner]) - 1]; }
  void take(int from, int to) {
    const auto begin = others_.begin() + first_[from], end = others_.begin() + last_[from];
    const auto at = std::find(begin, end, to);
    std::copy(at + 1, end, at);
    --last_[from];
  }

 private:
  std::vector<int> first_, last_;  ///< by corner: of what is left of its part of `others_`
  std::vector<int> others_;
};

/// Simple loops that the edges of a rim form: each the corners in order.
std::vector<std::vector<int>> loopsOf(const std::vector<RimEdge>& rim) {
  RimCorners next(rim);
  std::vector<std::vector<int>> loops;
  std::vector<int> place(static_cast<std::size_t>(next.count()), -1);  // of a corner in the path
  StopSteps steps;
  for (int start = 0; start < next.count(); ++start) {
    steps.step();
    while (!next.isEmpty(start)) {
      // An even number of edges at each corner: a walk goes on until it meets itself.
      std::vector<int> path{start};
      place[start] = 0;
      while (!next.isEmpty(path.back())) {
        steps.step();
        const int from = path.back(), to = next.latest(from);
        next.take(from, to);
        next.take(to, from);
        if (place[to] < 0) {
          place[to] = static_cast<int>(path.size());
          path.push_back(to);
          continue;
        }
        const auto first = static_cast<std::size_t>(place[to]);
        loops.emplace_back(path.begin() + static_cast<std::ptrdiff_t>(first), path.end());
        for (std::size_t k = first + 1; k < path.size(); ++k) place[path[k]] = -1;
        path.resize(first + 1);
      }
      for (int corner : path) place[corner] = -1;
    }
  }
  return loops;
}

/// The triangle of an edge of the rim.
int triangleAt(const std::vector<RimEdge>& rim, const Edge& edge) {
  return std::lower_bound(rim.begin(), rim.end(), edge,
                          [](const RimEdge& e, const Edge& wanted) { return e.edge < wanted; })
      ->triangle;
}

/// The parts that a loop passes along, which only seams join, as one.
PartSize sizeAlong(const std::vector<int>& loop, const std::vector<RimEdge>& rim,
                   const MeshTopology& mesh, const std::vector<PartSize>& sizes) {
  std::vector<int> parts;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const int u = loop[i], v = loop[(i + 1) % loop.size()];
    parts.push_back(mesh.part[triangleAt(rim, {std::min(u, v), std::max(u, v)})]);
  }
  // Each part counts once, however many edges of the loop are its own.
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  PartSize whole;
  for (int part : parts) {
    whole.lower = whole.lower.cwiseMin(sizes[part].lower);
    whole.upper = whole.upper.cwiseMax(sizes[part].upper);
    whole.area += sizes[part].area;
  }
  return whole;
}

/// Adds the fan of a loop, unless it is too large for its parts.
void addIfSmall(const std::vector<int>& loop, const PartSize& whole, HoleFans* fans) {
  const int count = static_cast<int>(loop.size());
  const auto at = [&](int i) -> const Vec3& { return fans->vertices[loop[i % count]]; };
  ClosedHole found;
  found.edges = count;
  PartSize box;
  for (int i = 0; i < count; ++i) {
    found.place += at(i) / count;
    box.lower = box.lower.cwiseMin(at(i));
    box.upper = box.upper.cwiseMax(at(i));
  }
  found.across = box.diagonal();
  // Three corners need no middle.
  std::vector<Triangle> fan;
  if (count == 3) {
    fan = {{loop[0], loop[1], loop[2]}};
    found.area = triangleArea(at(0), at(1), at(2));
  } else {
    const int middle = static_cast<int>(fans->vertices.size());
    for (int i = 0; i < count; ++i) {
      fan.push_back({loop[i], loop[(i + 1) % count], middle});
      found.area += triangleArea(at(i), at(i + 1), found.place);
    }
  }
  const double disc = kSmallHole * whole.diagonal();
  const double most = std::min(0.25 * std::numbers::pi * disc * disc, kSmallLid * whole.area);
  if (!(found.area <= most)) return;
  if (count > 3) fans->vertices.push_back(found.place);
  fans->triangles.insert(fans->triangles.end(), fan.begin(), fan.end());
  fans->hole.insert(fans->hole.end(), fan.size(), static_cast<int>(fans->holes.size()));
  fans->holes.push_back(found);
}

}  // namespace

double triangleArea(const Vec3& a, const Vec3& b, const Vec3& c) {
  return 0.5 * (b - a).cross(c - a).norm();
}

std::vector<RimEdge> rimOf(const std::vector<Triangle>& triangles) {
  std::vector<RimEdge> uses;
  uses.reserve(3 * triangles.size());
  int vertices = 0;
  StopSteps steps;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    steps.step();
    forEdges(triangles[i], [&](const Edge& e) {
      uses.push_back({e, static_cast<int>(i)});
      vertices = std::max(vertices, e[1] + 1);
    });
  }
  for (int end : {1, 0}) {
    countingSort(&uses, vertices, [end](const RimEdge& use) { return use.edge[end]; });
  }
  std::vector<RimEdge> rim;
  for (std::size_t i = 0, j = 0; i < uses.size(); i = j) {
    steps.step();
    const Edge& edge = uses[i].edge;
    while (j < uses.size() && uses[j].edge[0] == edge[0] && uses[j].edge[1] == edge[1]) ++j;
    if ((j - i) % 2 == 1) rim.push_back(uses[i]);
  }
  return rim;
}

std::vector<PartSize> partSizes(const MeshTopology& mesh) {
  std::vector<PartSize> sizes(mesh.part_closed.size());
  const Vec3& origin = mesh.vertices.front();
  StopSteps steps;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    steps.step();
    PartSize& size = sizes[mesh.part[i]];
    const Triangle& t = mesh.triangles[i];
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    for (const Vec3* p : {&a, &b, &c}) {
      size.lower = size.lower.cwiseMin(*p);
      size.upper = size.upper.cwiseMax(*p);
    }
    size.area += triangleArea(a, b, c);
    // Signed tetrahedra over one corner: they add up to the volume of a closed part.
    size.volume += (a - origin).dot((b - origin).cross(c - origin)) / 6.0;
  }
  return sizes;
}

HoleFans closeSmallHoles(const MeshTopology& mesh) {
  HoleFans fans;
  fans.vertices = mesh.vertices;
  const std::vector<RimEdge> rim = rimOf(mesh.triangles);
  if (rim.empty()) return fans;
  const std::vector<PartSize> sizes = partSizes(mesh);
  StopSteps steps;
  for (const std::vector<int>& loop : loopsOf(rim)) {
    steps.step();
    addIfSmall(loop, sizeAlong(loop, rim, mesh, sizes), &fans);
  }
  return fans;
}

}  // namespace allclear::mesh
