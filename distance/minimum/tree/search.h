// Least distance over time of a rigid shape A and a tree B of elements: the points of a scan, the
// cells of an octree, the triangles of a mesh that bends (docs/algorithms/clouds.md,
// mesh-sequences.md).
//
// The bound. Let n be a unit vector, during a stretch of time of length h. Elements reach min n.b
// towards A, A reaches max n.a towards B, and for all t, with r by which elements are grown,
//
//     distance(t) >= room(t) = min n.b(t) - max n.a(t) - r.
//
// This is true in penetration as well: the signed distance of convex solids is the greatest room
// over all n. For bodies in linear interpolation between their places at both ends, max n.a is
// convex in t (a maximum of linear functions) and min n.b concave, so the room is concave and at
// least the lesser of its values at the ends. True points leave the linear interpolation by at most
// E(rho) = h^2/8 (A_lin + A_ang rho), with rho their distance from the body's reference point and A
// the bounds of the second derivative, and the polynomial poses by error(rho):
//
//     distance(t) >= min over both ends of [ min n.b - max n.a ] - r - E_A - E_B - errors.
//
// A node of the tree stands for its elements by its box, a leaf by the elements themselves. No n is
// wrong, only loose. While B is at rest in F, the rooms along its three axes hold at the same
// instant, so the norm of those that are positive is a bound too, and the cheapest: the gap.
//
// The search. An item is a stretch of time, a part of A and a node of B. It waits with what its
// parent and the gap prove, the nearest on top, so that a near pair is found soon (until then
// nothing is asked for, and nothing proven); most are closed when their turn comes, as what is
// asked for has become less. If not, an item is looked at along its parent's n, then along
// directions of its own from the instant at which A is nearest: of a leaf that to its nearest
// element, which is measured. What is left is split: in time where E is large beside what smaller
// volumes can gain (their width along n; of a leaf what it lacks of the distance of its nearest
// element) and beside what the bound lacks, else into smaller volumes. Every so often the item with
// the least bound is taken, or the bracket's lower end would wait for the last branch. (Best first
// alone floods the memory where bodies meet.)
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "allclear/core/extremes.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/minimum/tree/boxes.h"
#include "allclear/distance/minimum/tree/result.h"

namespace allclear::tree {

/// Surfaces that are nearer may cross, so that what is inside does not tell any more [m].
inline constexpr double kLeastApart = 1e-12;

/// A stretch of time within one curve of A, and one of B's own cells.
struct Cell {
  Interval time;
  int curve = 0;
  int own = 0;
};

/// The search. `Elements` is B:
///     Pose X_WF;                              // the frame that all is computed in
///     bool is_still;                          // F is O, the frame of B's boxes, at every instant
///     static constexpr int kNearLeaves;       // GJK to the box of a node with so many elements
///     const std::vector<Node>& nodes() const; // first, count, child (-1: a leaf), of all
///     std::int32_t root() const;
///     double radius() const;                  // by which elements are grown [m]
///     double farthest() const;                // lengths that round [m]
///     std::vector<Cell> cells(curves of A) const;
///     using Instant = ...;                    // where B is
///     Instant at(int own, double t) const;
///     AlignedBox box(node, instant) const;    // in O, without the radius; ~i: of element i
///     Pose inO(pose in F, instant) const;     // and directions
///     Vec3 inF(direction of O, instant) const;
///     double leastOfBox(node, n, instant) const;           // min n.b in F, by the node's box
///     double leastOfElements(leaf, n, instant) const;      // by a leaf's elements, or ~i
///     std::int32_t leastElement(leaf, n, instant) const;     // that has it
///     Nearest nearest(shape, part, X_FG, element, instant, n) const;   // n: a guess, or zero
///     double error(own, node) const;          // of B's motion [m]
///     double acceleration(own, node) const;    // bound of B's second derivative
///     double leastThreshold(shape, threshold) const;   // or more, where less proves nothing
///     bool meetsInside(shape, X_FG, instant, t) const;   // where no surfaces meet
///     Vec3 point(instant) const;              // one of B, in F
template <class Elements>
class Search {
 public:
  /// Borrows all.
  Search(const RigidShape& shape, const MovingShape& a, const Elements& elements,
         const BoundTerms& terms = {});

  /// Over all of the curves' time. Stops once a contact without a depth is found. `focus`: as of
  /// `neededWidth`.
  const SearchResult& run(const McdOptions& options, double focus = kUnfocused);
  /// Lowers the result to the least distance near the instant that was found.
  void refine();

  const SearchResult& result() const { return result_; }
  Interval time() const { return {slices_.front().first.t, slices_[roots_ - 1].last.t}; }
  /// The pose of the shape's frame G in F, by the polynomial.
  Pose pose(double t) const { return snapshot(rootAt(t), t).A; }

 private:
  using Instant = typename Elements::Instant;

  /// Where both bodies are.
  struct Snapshot {
    double t = 0.0;
    Pose A;  ///< X_FG
    Instant B{};
  };
  struct Slice {
    Cell cell;
    Snapshot first, middle, last;
    bool has_middle = false;
    int child = -1;              ///< its halves are child and child + 1
    int part = -1;               ///< whose reach is kept,
    Vec3 normal = Vec3::Zero();  ///< along this direction,
    std::array<double, 2> reach{};
    double length() const { return last.t - first.t; }
  };
  struct Part {
    RigidPart part;
    int child = -1, children = 0;
  };
  struct Item {
    double bound;
    double distance;              ///< of boxes, about: the order
    Vec3 n;                       ///< along which the bound was proven, or zero
    std::array<double, 2> reach;  ///< of A along n at both ends; NaN: of another stretch or part
    int slice;
    int part;
    std::int32_t node;  ///< of the tree, or ~element
  };
  /// A part of A over a stretch of time: the same for all nodes.
  struct Swept {
    int slice = -1, part = -1;
    AlignedBox first, last;     ///< in O
    double radius = 0.0;        ///< the part's farthest point from the curve's reference point
    double error = 0.0;         ///< of A, and rounding
    double acceleration = 0.0;  ///< of A
  };
  /// What is found out of an item.
  struct Look {
    double error = 0.0;
    double remainder = 0.0;          ///< E of both
    double loss = 0.0;               ///< all that the inequality subtracts
    double first = 0.0, last = 0.0;  ///< rooms at the ends along the item's n, less no loss
    double proven = -kInfinity;      ///< along it
    double missing = 0.0;            ///< smaller volumes can raise the bound by about this
  };
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  Search(const Search& other, int root, double t);

  Snapshot snapshot(int root, double t) const;
  int rootAt(double t) const;
  bool hasChildren(std::int32_t node) const {
    return node >= 0 && elements_.nodes()[node].child >= 0;
  }
  void makeSlices();
  void needMiddle(Slice* slice);
  int halves(int slice);
  void needChildren(int part);
  const Swept& swept(int slice, int part);
  double gapOf(const Swept& A, const Slice& slice, std::int32_t node) const;
  Look lookAt(const Item& item);
  void raise(const Vec3& n, Look* look, Item* item);
  std::array<double, 2> reachOf(const Vec3& n, const Item& item) const;
  void raiseByNearest(Look* look, Item* item);
  void raise(const Vec3& n, const std::array<double, 2>& reach, Look* look, Item* item);
  const Snapshot& nearestInstant(const Look& look, const Item& item);
  void raiseByElements(const Snapshot& at, Look* look, Item* item);
  void raiseByBoxes(const Snapshot& at, Look* look, Item* item);
  Nearest measure(const Item& item, const Snapshot& at);
  void keep(const Nearest& d, const Item& item, double t, double error);
  void push(int slice, int part, std::int32_t node, const Item& parent);
  void step(Item item);
  void split(const Item& item, const Look& look);
  void splitVolumes(const Item& item);
  Item pop();
  bool openFresh();
  bool minimizeInTime(Interval window);
  double measureAt(double t, int part, std::int32_t element, const Vec3& n);
  void close(double bound) { result_.lower = lowered(result_.lower, bound); }
  double limit() const;

  const RigidShape& shape_;
  const MovingShape& a_;
  const Elements& elements_;
  BoundTerms terms_;
  Pose X_FW_;
  bool at_rest_ = false;  ///< an instant alone: the poses count as exact
  double rounding_ = 0.0;
  double threshold_ = kInfinity;
  double tolerance_ = 0.0;
  bool descends_ = false;  ///< to the nearest leaf first
  double focus_ = kUnfocused;
  int roots_ = 0;  ///< slices of the cells
  std::vector<Slice> slices_;
  std::vector<Part> parts_;
  std::vector<Item> open_;
  std::vector<Item> fresh_;
  Swept swept_;
  long popped_ = 0;
  SearchResult result_;
};

}  // namespace allclear::tree
