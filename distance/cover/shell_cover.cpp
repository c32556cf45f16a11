// Covers a surface by convex pieces that stay near it.
//
// Without an inside there are no cells to respect: any division of the triangles will do, each part
// enclosed by its hull. Cuts by planes that each must gain, as for solids (convex_cover.cpp), do
// not find panels: a box without a lid has the same hull when any one of its walls is taken off. So
// the pieces are grown from below, in three steps:
// 1. Groups (`firstGroups`): the largest flat patches, each alone; of the rest, what is connected.
// 2. Groups that fill much are cut by planes, polygons with them, until there are several times as
//    many groups as pieces.
// 3. Of all neighbours, the two that fill the least when joined are joined, again and again.
//
// What a group fills (`Group::filled`) is the volume of its hull and, as flat hulls have none, what
// the hull shows along its thinnest direction beyond the triangles: a window in a wall.
//
// Why the pieces contain the surface: each polygon is in one group; a cut leaves both its parts,
// with the same new corners (fit/surface.h); joined groups keep all corners.
#include "allclear/distance/cover/shell_cover.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/cover/cut.h"
#include "allclear/distance/cover/group.h"
#include "allclear/distance/fit/surface.h"
#include "allclear/distance/geometry/convex_hull.h"

namespace allclear {
namespace {

using cover::Group;
using cover::PieceBox;
using fitting::Plane;
using fitting::Surface;

/// Groups that are cut, per piece wanted, before joining begins; and so many more than pieces.
constexpr int kGroupsPerPiece = 4, kMostGroupsMore = 64;
/// Of a piece's share of the area: a flat patch that is a group of its own is larger. On a curved
/// surface each triangle is a patch.
constexpr double kPatch = 0.25;
/// Of the mesh's size: corners this near to a plane are in it; patches this near are neighbours,
/// and heights the same.
constexpr double kLevel = 1e-7, kBeside = 1e-6;
/// Of the volume of the cube over the mesh's diagonal: the least that a share of volumes is taken
/// of, for meshes whose hull is thin.
constexpr double kThin = 1e-3;
/// Heights along an axis at which a group may be cut, at most.
constexpr int kMostCuts = 6;
/// A group of more corners is cut at its middle only: hulls of many cut parts take long.
constexpr std::size_t kManyCorners = 150;

class ShellCover {
 public:
  ShellCover(const TriangleMesh& mesh, const ConvexCoverOptions& options)
      : mesh_(mesh), most_(std::max(1, options.most_pieces)) {
    for (const Vec3& p : mesh.vertices()) box_.add(p);
    size_ = box_.size().norm();
    const double volume = std::max(convexHull(mesh.vertices()).volume, kThin * std::pow(size_, 3));
    acceptable_ = options.least_gain * volume;
  }

  const std::vector<Plane>& cuts() const { return cuts_; }

  std::vector<ConvexMesh> run() {
    // One piece is the hull of everything: there is nothing to divide.
    if (most_ > 1) {
      for (const std::vector<int>& triangles : firstGroups())
        groups_.emplace_back(surfaceOf(triangles));
      cutGroups();
      joinGroups();
    } else {
      std::vector<int> all(mesh_.triangles().size());
      std::iota(all.begin(), all.end(), 0);
      groups_.emplace_back(surfaceOf(all));
    }
    std::vector<ConvexMesh> pieces;
    for (const Group& group : groups_) pieces.emplace_back(group.hull);
    return pieces;
  }

 private:
  const Vec3& corner(int triangle, int k) const {
    return mesh_.vertices()[mesh_.triangles()[triangle][k]];
  }

  Surface surfaceOf(const std::vector<int>& triangles) const {
    Surface surface;
    for (int t : triangles) {
      const Vec3 corners[] = {corner(t, 0), corner(t, 1), corner(t, 2)};
      surface.add(corners);
    }
    return surface;
  }

  /// Triangles that have an edge in common, by triangle.
  std::vector<std::vector<int>> neighbours() const {
    std::map<std::array<int, 2>, std::vector<int>> users;
    const int count = static_cast<int>(mesh_.triangles().size());
    StopSteps steps;
    for (int t = 0; t < count; ++t) {
      steps.step();
      for (int e = 0; e < 3; ++e) {
        const int u = mesh_.triangles()[t][e], v = mesh_.triangles()[t][(e + 1) % 3];
        if (u != v) users[{std::min(u, v), std::max(u, v)}].push_back(t);
      }
    }
    // Every two users of an edge are neighbours, however many there are.
    std::vector<std::vector<int>> next(count);
    for (const auto& [edge, of] : users) {
      for (int t : of) {
        for (int other : of) {
          if (other != t) next[t].push_back(other);
        }
      }
    }
    return next;
  }

  /// The sets of triangles that neighbours reach from each other as far as `joins(first, other)`
  /// holds for the first of the set; of those with `is_free`.
  template <class Joins>
  static std::vector<std::vector<int>> connected(const std::vector<std::vector<int>>& next,
                                                 std::vector<char> is_free, const Joins& joins) {
    std::vector<std::vector<int>> sets;
    StopSteps steps;
    for (std::size_t first = 0; first < next.size(); ++first) {
      steps.step();
      if (!is_free[first]) continue;
      is_free[first] = 0;
      // The set grows while it is walked through: its end is what was reached last.
      std::vector<int> set{static_cast<int>(first)};
      for (std::size_t i = 0; i < set.size(); ++i) {
        for (int other : next[set[i]]) {
          if (!is_free[other] || !joins(set[0], other)) continue;
          is_free[other] = 0;
          set.push_back(other);
        }
      }
      sets.push_back(std::move(set));
    }
    return sets;
  }

  Vec3 areaOf(int t) const {
    return 0.5 * (corner(t, 1) - corner(t, 0)).cross(corner(t, 2) - corner(t, 0));
  }

  /// Whether a triangle is in the plane of another one.
  bool isLevel(int first, int other) const {
    const Vec3 n = areaOf(first);
    if (n.isZero(0.0)) return false;
    for (int k = 0; k < 3; ++k) {
      const double height = n.dot(corner(other, k) - corner(first, 0));
      if (!(std::abs(height) <= kLevel * size_ * n.norm())) return false;
    }
    return true;
  }

  /// The largest flat patches, then the connected sets of all other triangles; many small sets as
  /// one.
  std::vector<std::vector<int>> firstGroups() const {
    const std::vector<std::vector<int>> next = neighbours();
    const std::vector<char> all(next.size(), 1);
    std::vector<std::vector<int>> flat =
        connected(next, all, [&](int a, int b) { return isLevel(a, b); });
    const auto area = [&](const std::vector<int>& set) {
      double sum = 0.0;
      for (int t : set) sum += areaOf(t).norm();
      return sum;
    };
    // Patches that are large enough to be pieces; on a curved surface none is.
    double total = 0.0;
    for (const std::vector<int>& set : flat) total += area(set);
    std::erase_if(flat, [&](const auto& set) { return area(set) < kPatch * total / most_; });
    keepLargest(&flat, most_, area);
    std::vector<char> is_left(next.size(), 1);
    for (const std::vector<int>& set : flat) {
      for (int t : set) is_left[t] = 0;
    }
    std::vector<std::vector<int>> rest = connected(next, is_left, [](int, int) { return true; });
    const std::vector<int> dropped = keepLargest(&rest, most_, area);
    if (!dropped.empty()) rest.push_back(dropped);
    flat.insert(flat.end(), rest.begin(), rest.end());
    return flat;
  }

  /// Keeps the `count` largest sets, and returns what is in the others.
  template <class Area>
  static std::vector<int> keepLargest(std::vector<std::vector<int>>* sets, int count,
                                      const Area& area) {
    std::vector<std::pair<double, int>> order;
    for (std::size_t i = 0; i < sets->size(); ++i) {
      order.emplace_back(-area((*sets)[i]), static_cast<int>(i));
    }
    // Largest first; of equal ones, the first.
    std::sort(order.begin(), order.end());
    std::vector<std::vector<int>> kept;
    std::vector<int> dropped;
    for (const auto& [less, i] : order) {
      if (static_cast<int>(kept.size()) < count) {
        kept.push_back(std::move((*sets)[i]));
      } else {
        dropped.insert(dropped.end(), (*sets)[i].begin(), (*sets)[i].end());
      }
    }
    *sets = std::move(kept);
    return dropped;
  }

  void cutGroups() {
    const int most = std::max(std::min(kGroupsPerPiece * most_, most_ + kMostGroupsMore),
                              static_cast<int>(groups_.size()) + most_);
    std::vector<char> is_done(groups_.size(), 0);
    while (static_cast<int>(groups_.size()) < most) {
      // The group that fills the most, of those that a plane can still cut.
      int worst = -1;
      for (std::size_t i = 0; i < groups_.size(); ++i) {
        if (is_done[i] || groups_[i].filled <= acceptable_ / kGroupsPerPiece) continue;
        if (worst < 0 || groups_[i].filled > groups_[worst].filled) worst = static_cast<int>(i);
      }
      if (worst < 0) return;
      Plane plane{Vec3::Zero(), 0.0};
      std::vector<Group> halves = bestHalves(groups_[worst], &plane);
      if (halves.empty()) {
        is_done[worst] = 1;
        continue;
      }
      cuts_.push_back(plane);
      groups_[worst] = std::move(halves[0]);
      groups_.push_back(std::move(halves[1]));
      is_done.push_back(0);
    }
  }

  /// The two parts that fill the least together: of cuts across the axes, through the middle and at
  /// some corners.
  std::vector<Group> bestHalves(const Group& group, Plane* by) const {
    std::vector<Group> best;
    double least = HUGE_VAL;
    for (const Vec3& axis : cover::cutAxes(group.surface)) {
      for (double height : heights(group, axis)) {
        throwIfStopped();
        const Plane plane{axis, height};
        Surface below = sideOf(group.surface, plane, true);
        Surface above = sideOf(group.surface, plane, false);
        if (below.size() == 0 || above.size() == 0) continue;
        std::vector<Group> halves;
        halves.emplace_back(std::move(below));
        halves.emplace_back(std::move(above));
        // A cut that gains nothing may be what later ones need: then the thinner halves win.
        const double filled = halves[0].filled + halves[1].filled +
                              1e-3 * acceptable_ *
                                  (halves[0].box.size().norm() + halves[1].box.size().norm()) /
                                  size_;
        if (filled >= least) continue;
        least = filled;
        best = std::move(halves);
        *by = plane;
      }
    }
    return best;
  }

  static std::vector<double> heights(const Group& group, const Vec3& axis) {
    std::vector<double> all;
    for (const Vec3& p : group.surface.corners) all.push_back(axis.dot(p));
    std::sort(all.begin(), all.end());
    const double slack = kBeside * (all.back() - all.front());
    const double middle = 0.5 * (all.front() + all.back());
    if (group.surface.corners.size() > kManyCorners) return {middle};
    std::vector<double> inner;  // different ones
    for (double h : all) {
      const bool is_inside = h > all.front() + slack && h < all.back() - slack;
      if (is_inside && (inner.empty() || h > inner.back() + slack)) inner.push_back(h);
    }
    std::vector<double> out{middle};
    const int count = static_cast<int>(inner.size());
    const int wanted = std::min(kMostCuts, count);
    for (int i = 0; i < wanted; ++i) out.push_back(inner[(2 * i + 1) * count / (2 * wanted)]);
    return out;
  }

  /// What a plane leaves on one side; polygons in the plane go with the side below.
  static Surface sideOf(const Surface& surface, const Plane& plane, bool below) {
    Surface crossing, kept;
    double size = 0.0;
    for (const Vec3& p : surface.corners) size = std::max(size, p.cwiseAbs().maxCoeff());
    const double thickness = cover::kThickness * size;
    StopSteps steps;
    for (int i = 0; i < surface.size(); ++i) {
      steps.step();
      cover::Heights heights;
      for (const Vec3& p : surface.polygon(i)) heights.add(plane.height(p));
      if (heights.upper <= thickness) {
        if (below) kept.add(surface.polygon(i));
      } else if (heights.lower >= -thickness) {
        if (!below) kept.add(surface.polygon(i));
      } else {
        crossing.add(surface.polygon(i));
      }
    }
    // Both sides of a polygon that crosses get the same new corners.
    const Surface cut = crossing.below(below ? plane : plane.flipped());
    for (int i = 0; i < cut.size(); ++i) kept.add(cut.polygon(i));
    return kept;
  }

  /// Two groups, and what joining them fills in addition.
  struct Join {
    double more;
    int a, b;
  };

  void joinGroups() {
    double near = kBeside * size_;
    std::vector<int> alive(groups_.size());
    std::iota(alive.begin(), alive.end(), 0);
    std::vector<Join> joins;
    const auto consider = [&](int a, int b) {
      throwIfStopped();
      if (groups_[a].box.gap(groups_[b].box) > near) return;
      const double more =
          Group(groups_[a], groups_[b]).filled - groups_[a].filled - groups_[b].filled;
      joins.push_back({more, a, b});
    };
    const auto considerAll = [&] {
      joins.clear();
      for (std::size_t i = 0; i < alive.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) consider(alive[j], alive[i]);
      }
    };
    considerAll();
    for (;;) {
      const bool too_many = static_cast<int>(alive.size()) > most_;
      const auto best =
          std::min_element(joins.begin(), joins.end(), [](const Join& x, const Join& y) {
            return std::tie(x.more, x.a, x.b) < std::tie(y.more, y.a, y.b);
          });
      if (best == joins.end()) {
        if (!too_many || alive.size() < 2) break;
        near = std::max(4.0 * near, 0.01 * size_);  // what does not touch is joined after all
        considerAll();
        continue;
      }
      if (!too_many && best->more > acceptable_) break;
      const int a = best->a, b = best->b;
      groups_[a] = Group(groups_[a], groups_[b]);
      std::erase(alive, b);
      std::erase_if(joins,
                    [&](const Join& j) { return j.a == a || j.b == a || j.a == b || j.b == b; });
      for (int other : alive) {
        if (other != a) consider(std::min(a, other), std::max(a, other));
      }
    }
    std::vector<Group> left;
    for (int i : alive) left.push_back(std::move(groups_[i]));
    groups_ = std::move(left);
  }

  const TriangleMesh& mesh_;
  const int most_;
  PieceBox box_;
  double size_ = 0.0;        ///< [m] diagonal of the mesh
  double acceptable_ = 0.0;  ///< [m^3] that a join may fill
  std::vector<Group> groups_;
  std::vector<Plane> cuts_;
};

}  // namespace

std::vector<ConvexMesh> shellCover(const TriangleMesh& mesh, const ConvexCoverOptions& options,
                                   std::vector<Plane>* cuts) {
  ShellCover cover(mesh, options);
  std::vector<ConvexMesh> pieces = cover.run();
  if (cuts != nullptr) *cuts = cover.cuts();
  return pieces;
}

}  // namespace allclear
