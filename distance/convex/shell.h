#pragma once

#include <cmath>
#include <limits>

#include "allclear/core/types.h"

namespace allclear {

/// A vector in a fixed array, with the part of std::vector's interface that `ConvexShell` uses. The
/// caller keeps within the capacity: nothing is checked. Items not yet added are left as they are:
/// setting some tens of kilobytes to zero would take as long as a search.
template <class T, int capacity>
class FixedVector {
 public:
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  void clear() { size_ = 0; }
  void resize(std::size_t size) { size_ = static_cast<int>(size); }
  void push_back(const T& value) { items_[size_++] = value; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }

 private:
  int size_ = 0;
  T items_[capacity];
};

/// A triangle of the shell.
struct ShellFace {
  int corner[3];     ///< counterclockwise from outside
  int neighbour[3];  ///< across the edge from corner[i] to corner[i + 1]
  Vec3 u;            ///< outward unit normal
  double offset;     ///< of the plane along u
  bool alive;
};

/// An edge between faces that see a new point and those that do not.
struct ShellEdge {
  int from;
  int to;
  int outside;  ///< the face that stays
};

/// A closed convex surface of triangles that grows point by point (as in quickhull and in the
/// expanding polytope algorithm). `Points`, `Faces`, `Edges`, `Indices`, `Numbers` are std::vector
/// or FixedVector.
///
/// A face that the shell's owner has set done is left out by `nearestFace`; a sliver, which has no
/// plane of its own, is done from the start.
///
/// A new point sees some faces: it is above their planes. Those are connected; they are replaced by
/// a fan of triangles from the point to the closed loop of edges around them (the horizon). With
/// rounding the loop may come out broken; then the shell stays as it was.
template <class Points, class Faces, class Edges, class Indices, class Numbers>
class ConvexShell {
 public:
  /// A point up to this high [m] over a face does not see it.
  double tolerance = 0.0;

  const Points& points() const { return points_; }
  const Faces& faces() const { return faces_; }

  void setDone(int f) { open_[f] = std::numeric_limits<double>::infinity(); }
  /// The face of least offset among those alive and not done, or -1.
  int nearestFace() const {
    const std::size_t count = faces_.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < count; ++i) least = open_[i] < least ? open_[i] : least;
    if (least == std::numeric_limits<double>::infinity()) return -1;
    std::size_t i = 0;
    while (open_[i] != least) ++i;
    return static_cast<int>(i);
  }

  /// Starts with the tetrahedron of these corners, not flat; `above`: d is on the side of the plane
  /// (a, b, c) from which that order is counterclockwise.
  void start(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, bool above) {
    points_.push_back(a);
    points_.push_back(above ? c : b);
    points_.push_back(above ? b : c);
    points_.push_back(d);
    static constexpr int kCorners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static constexpr int kNeighbours[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int f = 0; f < 4; ++f) {
      addFace();
      for (int e = 0; e < 3; ++e) faces_[f].neighbour[e] = kNeighbours[f][e];
      setCorners(f, kCorners[f][0], kCorners[f][1], kCorners[f][2], 0);
    }
  }

  /// Height [m] of p over the plane of face f.
  double height(int f, const Vec3& p) const { return faces_[f].u.dot(p) - faces_[f].offset; }

  /// Extends the hull by `p`, beyond face `f`. False, and nothing changed, when rounding has made
  /// the visible part ragged.
  bool extend(int f, const Vec3& p) {
    buried_.clear();
    edges_.clear();
    made_.clear();
    bury(f, 0, 3, p);
    if (!isLoop()) {
      for (std::size_t i = 0; i < buried_.size(); ++i) faces_[buried_[i]].alive = true;
      return false;
    }
    // One new face for each edge of the horizon, two more than buried faces: whose places are used
    // first, all of them.
    const int tip = static_cast<int>(points_.size());
    points_.push_back(p);
    const int count = static_cast<int>(edges_.size());
    for (int i = 0; i < count; ++i) {
      const bool reuse = i < static_cast<int>(buried_.size());
      made_.push_back(reuse ? buried_[i] : static_cast<int>(faces_.size()));
      if (!reuse) addFace();
    }
    for (int i = 0; i < count; ++i) {
      link(i, tip, made_[(i + 1) % count], made_[(i + count - 1) % count]);
    }
    return true;
  }

 private:
  void addFace() {
    faces_.resize(faces_.size() + 1);
    open_.resize(faces_.size());
  }

  /// Marks as dead the faces that p sees, from face f on, and lists the edges around them,
  /// counterclockwise. Looks across `edge_count` edges of f from `first_edge` on, in their order:
  /// this depth-first walk meets the horizon's edges one after the other.
  void bury(int f, int first_edge, int edge_count, const Vec3& p) {
    faces_[f].alive = false;
    buried_.push_back(f);
    for (int i = 0; i < edge_count; ++i) {
      const int e = (first_edge + i) % 3;
      const int from = faces_[f].corner[e];
      const int to = faces_[f].corner[(e + 1) % 3];
      const int g = faces_[f].neighbour[e];
      if (!faces_[g].alive) continue;
      if (height(g, p) <= tolerance) {
        edges_.push_back({from, to, g});
        continue;
      }
      // Goes on from the edge after the one through which g is entered.
      int entry = 0;
      while (faces_[g].corner[entry] != to) ++entry;
      bury(g, entry + 1, 2, p);
    }
  }

  /// Whether each edge of the horizon begins where the one before it ends.
  bool isLoop() const {
    const std::size_t count = edges_.size();
    if (count < 3) return false;
    for (std::size_t i = 0; i < count; ++i) {
      if (edges_[i].to != edges_[i + 1 < count ? i + 1 : 0].from) return false;
    }
    return true;
  }

  /// Makes the new face over edge i of the horizon, beside the new faces `next` and `previous`.
  void link(int i, int tip, int next, int previous) {
    const ShellEdge edge = edges_[i];
    const int f = made_[i];
    faces_[f].neighbour[0] = edge.outside;
    faces_[f].neighbour[1] = next;
    faces_[f].neighbour[2] = previous;
    ShellFace& outside = faces_[edge.outside];
    for (int e = 0; e < 3; ++e) {
      if (outside.corner[e] == edge.to && outside.corner[(e + 1) % 3] == edge.from) {
        outside.neighbour[e] = f;
      }
    }
    setCorners(f, edge.from, edge.to, tip, edge.outside);
  }

  void setCorners(int f, int i, int j, int k, int beside) {
    ShellFace& face = faces_[f];
    face.corner[0] = i;
    face.corner[1] = j;
    face.corner[2] = k;
    face.alive = true;
    const Vec3& a = points_[i];
    const Vec3 ab = points_[j] - a;
    const Vec3 ac = points_[k] - a;
    const Vec3 n = ab.cross(ac);
    const double area2 = n.squaredNorm();
    // A sliver has no plane of its own and hardly any extent: it borrows its neighbour's.
    constexpr double kSliverSine2 = 1e-30;  // squared sine of an angle of rounding only
    const bool sliver = !(area2 > kSliverSine2 * ab.squaredNorm() * ac.squaredNorm());
    face.u = sliver ? faces_[beside].u : Vec3(n / std::sqrt(area2));
    face.offset = face.u.dot(a);
    open_[f] = sliver ? std::numeric_limits<double>::infinity() : face.offset;
  }

  Points points_;
  Faces faces_;
  Edges edges_;
  Indices buried_;
  Indices made_;
  Numbers open_;  // offset of each face; infinite if dead or done
};

}  // namespace allclear
