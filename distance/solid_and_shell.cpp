// Tells the parts of a mesh that bound solids from those that do not.
//
// Modulo 2. The rim of a set of triangles is the edges that an odd number of them have. At each
// corner an even number of such edges meet, so the rim falls into loops; a set without a rim
// separates inside from outside, whatever way its triangles face. Steps:
// 1. `cleaned` merges vertices and drops repeated triangles. Without a rim all is solid.
// 2. Loops that are small get a fan of triangles (mesh/holes.h): a hole, or a seam where a vertex
//    of one triangle lies on an edge of another.
// 3. `cleaned` finds parts anew, now joined across seams, turns their triangles and says which are
//    closed.
// 4. In parts that stay open, patches that meet the others at edges of three triangles are set
//    aside, the smallest first: walls within a solid and fins on it. If the rest closes, it is
//    solid.
// 5. What is left is the shell, without the fans of step 2.
#include "allclear/distance/solid_and_shell.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/mesh/holes.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/mesh/topology.h"

namespace allclear {
namespace {

/// Of area times diagonal: a closed part with less volume is a sheet with two sides. Above the
/// rounding of the volume (1e-15), below any panel.
constexpr double kFlat = 1e-9;
/// Of its longest edge squared: a triangle with less area is on that edge, to rounding.
constexpr double kNoArea = 1e-13;
/// Patches that are set aside from one part, at most, and of its area.
constexpr int kMostSheets = 64;
constexpr double kMostSheetArea = 0.5;

using mesh::Edge;
using mesh::HoleFans;
using mesh::PartSize;
using mesh::partSizes;
using mesh::rimOf;

Edge edgeOf(int u, int v) { return {std::min(u, v), std::max(u, v)}; }

/// Sets aside patches of one part of a mesh, so that the rest has no rim.
class SheetFinder {
 public:
  SheetFinder(const MeshTopology& mesh, const std::vector<int>& part) : mesh_(mesh), part_(part) {
    findPatches();
  }

  /// Whether the triangle belongs to a patch that was set aside; empty when the rest stays open.
  std::vector<char> run() {
    double total = std::accumulate(area_.begin(), area_.end(), 0.0), left = kMostSheetArea * total;
    for (int count = 0; count < kMostSheets; ++count) {
      throwIfStopped();
      // No rim is left: what was set aside is told by triangle.
      const int patch = smallestAtRim();
      if (patch < 0) {
        std::vector<char> aside(part_.size());
        for (std::size_t i = 0; i < part_.size(); ++i) aside[i] = is_aside_[patch_[i]];
        return aside;
      }
      left -= area_[patch];
      if (left < 0.0) return {};
      is_aside_[patch] = 1;
    }
    return {};
  }

 private:
  /// A patch is connected across edges of two triangles.
  void findPatches() {
    std::map<int, int> place;
    for (std::size_t i = 0; i < part_.size(); ++i) place[part_[i]] = static_cast<int>(i);
    patch_.assign(part_.size(), -1);
    StopSteps steps;
    for (std::size_t i = 0; i < part_.size(); ++i) {
      steps.step();
      if (patch_[i] >= 0) continue;
      const int patch = static_cast<int>(area_.size());
      area_.push_back(0.0);
      std::vector<int> stack{static_cast<int>(i)};
      patch_[i] = patch;
      while (!stack.empty()) {
        const int k = stack.back();
        stack.pop_back();
        const Triangle& t = mesh_.triangles[part_[k]];
        area_[patch] +=
            mesh::triangleArea(mesh_.vertices[t[0]], mesh_.vertices[t[1]], mesh_.vertices[t[2]]);
        for (int side = 0; side < 3; ++side) {
          const int next = mesh_.neighbours[part_[k]][side];
          // An edge that is not of two triangles bounds the patch.
          if (next < 0) {
            const int u = t[side], v = t[(side + 1) % 3];
            if (u != v) uses_[edgeOf(u, v)].push_back(patch);
          } else if (patch_[place[next]] < 0) {
            patch_[place[next]] = patch;
            stack.push_back(place[next]);
          }
        }
      }
    }
    is_aside_.assign(area_.size(), 0);
  }

  /// The smallest patch left at an edge of an odd number of triangles; -1 when there is none.
  int smallestAtRim() const {
    int best = -1;
    for (const auto& [edge, patches] : uses_) {
      const auto left =
          std::count_if(patches.begin(), patches.end(), [&](int p) { return !is_aside_[p]; });
      if (left % 2 == 0) continue;
      for (int p : patches) {
        if (!is_aside_[p] && (best < 0 || area_[p] < area_[best])) best = p;
      }
    }
    return best;
  }

  const MeshTopology& mesh_;
  const std::vector<int>& part_;
  std::vector<int> patch_;                 ///< by place in `part_`
  std::vector<double> area_;               ///< by patch
  std::vector<char> is_aside_;             ///< by patch
  std::map<Edge, std::vector<int>> uses_;  ///< edges not of two triangles: a patch for each
};

class Splitter {
 public:
  explicit Splitter(const TriangleMesh& mesh)
      : given_(cleaned(mesh.vertices(), mesh.triangles())) {}

  SolidAndShell run() {
    // Without a rim, and turned one way: nothing is to be decided but what has no volume.
    if (given_.closed && flatParts(given_).empty()) {
      out_.is_solid = true;
      out_.parts = static_cast<int>(given_.part_closed.size());
      return std::move(out_);
    }
    fans_ = mesh::closeSmallHoles(given_);
    std::vector<Triangle> triangles = given_.triangles;
    triangles.insert(triangles.end(), fans_.triangles.begin(), fans_.triangles.end());
    joined_ = cleaned(fans_.vertices, triangles);
    sortParts();
    finish();
    return std::move(out_);
  }

 private:
  static std::vector<int> flatParts(const MeshTopology& mesh) {
    const std::vector<PartSize> sizes = partSizes(mesh);
    std::vector<int> flat;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const PartSize& s = sizes[k];
      if (!(std::abs(s.volume) > kFlat * s.area * s.diagonal()))
        flat.push_back(static_cast<int>(k));
    }
    return flat;
  }

  /// Sorts the triangles of each part into `solid_` and `shell_`.
  void sortParts() {
    std::vector<std::vector<int>> parts(joined_.part_closed.size());
    for (std::size_t i = 0; i < joined_.triangles.size(); ++i) {
      steps_.step();
      parts[joined_.part[i]].push_back(static_cast<int>(i));
    }
    out_.parts = static_cast<int>(parts.size());
    const std::vector<int> flat = flatParts(joined_);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      // A closed part without volume is a sheet with two sides.
      const bool is_flat = std::binary_search(flat.begin(), flat.end(), static_cast<int>(k));
      if (joined_.part_closed[k] && !is_flat) {
        solid_.insert(solid_.end(), parts[k].begin(), parts[k].end());
      } else {
        sortOpenPart(parts[k]);
      }
    }
  }

  void sortOpenPart(const std::vector<int>& part) {
    throwIfStopped();
    ++out_.open_parts;
    const std::vector<char> aside = SheetFinder(joined_, part).run();
    std::vector<Triangle> rest;
    for (std::size_t i = 0; i < aside.size(); ++i) {
      if (!aside[i]) rest.push_back(joined_.triangles[part[i]]);
    }
    // Fans are dropped with the part that they did not close.
    const bool has_solid = !rest.empty() && isSolid(rest);
    const std::set<Edge> edges = has_solid ? edgesOf(rest) : std::set<Edge>{};
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (has_solid && !aside[i]) {
        solid_.push_back(part[i]);
      } else if (!isFan(part[i]) && !liesOnEdge(joined_.triangles[part[i]], edges)) {
        shell_.push_back(part[i]);
      }
    }
  }

  static std::set<Edge> edgesOf(const std::vector<Triangle>& triangles) {
    std::set<Edge> edges;
    StopSteps steps;
    for (const Triangle& t : triangles) {
      steps.step();
      for (int e = 0; e < 3; ++e) edges.insert(edgeOf(t[e], t[(e + 1) % 3]));
    }
    return edges;
  }

  /// Whether a triangle has no area and its longest edge is one of these: then it adds no point.
  bool liesOnEdge(const Triangle& t, const std::set<Edge>& edges) const {
    const auto at = [&](int i) -> const Vec3& { return joined_.vertices[t[i % 3]]; };
    int longest = 0;
    for (int e = 1; e < 3; ++e) {
      if ((at(e + 1) - at(e)).norm() > (at(longest + 1) - at(longest)).norm()) longest = e;
    }
    const double length = (at(longest + 1) - at(longest)).norm();
    const int u = t[longest], v = t[(longest + 1) % 3];
    return mesh::triangleArea(at(0), at(1), at(2)) <= kNoArea * length * length &&
           edges.count(edgeOf(u, v)) > 0;
  }

  bool isSolid(const std::vector<Triangle>& triangles) const {
    const MeshTopology rest = cleaned(joined_.vertices, triangles);
    return rest.closed && flatParts(rest).empty();
  }

  bool isFan(int triangle) const {
    return joined_.source[triangle] >= static_cast<int>(given_.triangles.size());
  }

  std::vector<Triangle> taken(const std::vector<int>& numbers) const {
    std::vector<Triangle> triangles;
    for (int i : numbers) {
      steps_.step();
      triangles.push_back(joined_.triangles[i]);
    }
    return triangles;
  }

  void finish() {
    const bool is_all = solid_.size() == joined_.triangles.size();
    const MeshTopology solid = is_all           ? joined_
                               : solid_.empty() ? MeshTopology{}
                                                : cleaned(joined_.vertices, taken(solid_));
    if (solid_.empty() || !solid.closed) {
      // All of it, as it was given.
      out_.is_shell = true;
      out_.open_parts = out_.parts = static_cast<int>(given_.part_closed.size());
      out_.open_edges = static_cast<int>(rimOf(given_.triangles).size());
      return;
    }
    std::vector<char> used(fans_.holes.size(), 0);
    for (int i : solid_) {
      if (isFan(i)) used[fans_.hole[joined_.source[i] - given_.triangles.size()]] = 1;
    }
    for (std::size_t h = 0; h < used.size(); ++h) {
      if (used[h]) out_.closed_holes.push_back(fans_.holes[h]);
    }
    out_.solid = PreparedMesh::part(solid.vertices, solid.triangles);
    if (shell_.empty()) return;
    const MeshTopology shell = cleaned(joined_.vertices, taken(shell_));
    out_.open_edges = static_cast<int>(rimOf(shell.triangles).size());
    out_.shell = PreparedMesh::part(shell.vertices, shell.triangles);
  }

  const MeshTopology given_;
  HoleFans fans_;
  MeshTopology joined_;  ///< with the fans
  std::vector<int> solid_, shell_;
  mutable StopSteps steps_;
  SolidAndShell out_;
};

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string millimetres(double metres) {
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, 1e3 * metres, std::chars_format::general, 3).ptr;
  return std::string(text, end) + " mm";
}

}  // namespace

SolidAndShell solidAndShell(const TriangleMesh& mesh) { return Splitter(mesh).run(); }

std::string closednessText(const SolidAndShell& mesh) {
  std::string text = "closed";
  if (mesh.open_parts > 0) {
    text = (mesh.parts == 1 ? "open"
                            : std::to_string(mesh.open_parts) + " of " +
                                  std::to_string(mesh.parts) + " parts open") +
           " (" + counted(mesh.open_edges, "open edge") + ")";
  }
  // A seam lets nothing through: its area is rounding.
  std::size_t holes = 0, seams = 0;
  double across = 0.0;
  for (const ClosedHole& hole : mesh.closed_holes) {
    const bool is_seam = hole.area <= kFlat * hole.across * hole.across;
    ++(is_seam ? seams : holes);
    if (!is_seam) across = std::max(across, hole.across);
  }
  if (seams > 0) text += ", " + counted(seams, "seam") + " joined";
  if (holes > 0) {
    text += ", " + counted(holes, "hole") + " (up to " + millimetres(across) +
            " across) taken as closed";
  }
  return text;
}

std::string stanceText(const SolidAndShell& mesh, OpenMeshes open) {
  if (mesh.open_parts == 0) return "a solid";
  if (open == OpenMeshes::kFill) return "convex pieces that fill it";
  return mesh.is_shell ? "a surface, its triangles alone"
                       : "solids, and a surface for what is open";
}

}  // namespace allclear
