// Penetration depth by an expanding polytope (G. van den Bergen, "Proximity queries and penetration
// depth computation on 3D game objects", 2001), with the normal refined to rounding.
//
// D = B - A holds the origin. The depth is the distance from the origin to the boundary of D: the
// least, over unit u, of the support value h(u) of D (with u = -n, h(u) = -separation(n)). That has
// many local minima, one per way out. A polytope P inside D, with its corners on D's boundary,
// tells which directions can still win: any way out of D crosses a face of P first, so no direction
// gives a depth below the least distance of a face's plane from the origin. Each round takes that
// nearest face, of normal u:
//  - h(u) is a depth that u gives: an upper bound of the depth;
//  - a face that D does not pass (h(u) = its offset, to rounding) is done: it cannot get better;
//  - else D's support point along u becomes a corner of P, and the face gives way to farther ones.
// The search ends when the nearest face is no nearer than the best depth known.
//
// Around a curved optimum that would take faces without end: P approaches a smooth boundary only
// linearly. Once a face is within a share of the depth, Newton's iteration from its normal finds
// the optimum to rounding (refineNormal), and faces near a direction refined already are done.
//
// Symbols: u a face's normal (outward from the origin: n = -u), offset its distance from the
// origin, reach = h(u), room = reach - offset: how far D passes the face.
// Invariant: the true signed distance is in [best.separation, max(best.separation, -leastOffset)].

#include "allclear/distance/convex/penetration.h"

#include <algorithm>
#include <limits>

#include "allclear/distance/convex/shell.h"

namespace allclear {
namespace {

/// Room for the expansions below, plus a start of at most 11 corners; all on the stack.
constexpr int kMostCorners = 200;
constexpr int kMostFaces = 2 * kMostCorners;
/// Polytopes end before. Curved pairs that do not are hardly deeper than what was found:
/// `converged` is false then, and the bounds hold.
constexpr int kMostExpansions = 180;

// Shares of the size of the pair.

/// Refinement of a face takes over below this room at the latest, however small the depth is.
constexpr double kLeastCoarse = 1e-10;
/// A contact with a smaller mismatch shows that the best normal is stationary.
constexpr double kStationary = 1e-7;
/// A mismatch beyond this, after all attempts, means that the answer is not proven.
constexpr double kUnproven = 1e-4;

using Shell = ConvexShell<FixedVector<Vec3, kMostCorners>, FixedVector<ShellFace, kMostFaces>,
                          FixedVector<ShellEdge, kMostFaces>, FixedVector<int, kMostFaces>>;

/// A polytope with corners on the surface of B - A, growing towards it.
class InnerPolytope {
 public:
  explicit InnerPolytope(const CorePair& pair) : pair_(pair) {
    shell_.tolerance = 2.0 * pair.rounding;
  }

  /// Starts from the corners of GJK's last simplex when they span enough room.
  bool startFrom(const GjkResult& r);
  /// Starts from extreme points. False when B - A is flat; then `flat_normal` is its normal.
  bool start(Vec3* flat_normal);

  /// The point of B - A farthest along u.
  Vec3 support(const Vec3& u) const { return pair_.supportB(-u) - pair_.supportA(-u); }

  /// The face nearest to the origin among those not done, or -1.
  int nearestFace() const {
    int nearest = -1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < shell_.faces().size(); ++i) {
      const ShellFace& face = shell_.faces()[i];
      if (face.offset < least && face.alive && !face.done) {
        nearest = static_cast<int>(i);
        least = face.offset;
      }
    }
    return nearest;
  }

  double leastOffset() const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < shell_.faces().size(); ++i) {
      const ShellFace& face = shell_.faces()[i];
      if (face.alive) least = std::min(least, face.offset);
    }
    return least;
  }

  /// Adds w, beyond face f, as a corner. False when there is no room or rounding forbids it. (One
  /// corner more means two faces more; the 8 keep a distance for those made before old ones go.)
  bool extend(int f, const Vec3& w) {
    return shell_.points().size() < kMostCorners && shell_.faces().size() + 8 < kMostFaces &&
           shell_.extend(f, w);
  }
  /// Adds w if it is beyond any face.
  void extendByAny(const Vec3& w) {
    for (std::size_t f = 0; f < shell_.faces().size(); ++f) {
      if (shell_.faces()[f].alive && shell_.height(static_cast<int>(f), w) > shell_.tolerance) {
        extend(static_cast<int>(f), w);
        return;
      }
    }
  }

  ShellFace& face(int f) { return shell_.faces()[f]; }

 private:
  Vec3 farthestFromLine(const Vec3& p0, const Vec3& along, double* distance) const;

  const CorePair& pair_;
  Shell shell_;
};

bool InnerPolytope::startFrom(const GjkResult& r) {
  // The sines of the tetrahedron's angles must exceed this: its faces' normals are then exact to
  // 1e-12, and no face is a needle from the start.
  constexpr double kLeastShape = 1e-4;
  if (r.size < 4) return false;
  const Vec3& o = r.simplex[0].w;
  const Vec3 a = r.simplex[1].w - o;
  const Vec3 b = r.simplex[2].w - o;
  const Vec3 c = r.simplex[3].w - o;
  const Vec3 n = a.cross(b);
  const double area = n.norm();
  const double height = n.dot(c) / area;
  if (!(area > kLeastShape * a.norm() * b.norm() && std::abs(height) > kLeastShape * c.norm() &&
        std::abs(height) > 64.0 * pair_.rounding)) {
    return false;
  }
  shell_.start(o, r.simplex[1].w, r.simplex[2].w, r.simplex[3].w, height > 0.0);
  return true;
}

/// The axis along which the extreme points `p` (two per axis) are farthest apart.
int longestAxis(const Vec3* p, double* longest) {
  int axis = 0;
  *longest = -1.0;
  for (int i = 0; i < 3; ++i) {
    const double length = (p[2 * i] - p[2 * i + 1]).norm();
    if (length > *longest) {
      *longest = length;
      axis = i;
    }
  }
  return axis;
}

Vec3 InnerPolytope::farthestFromLine(const Vec3& p0, const Vec3& along, double* distance) const {
  const Vec3 side1 = along.unitOrthogonal();
  const Vec3 side2 = along.cross(side1);
  *distance = -1.0;
  Vec3 farthest;
  for (const Vec3& side : {side1, side2}) {
    for (double sign : {1.0, -1.0}) {
      const Vec3 w = support(sign * side);
      const double off = along.cross(w - p0).norm();
      if (off > *distance) {
        *distance = off;
        farthest = w;
      }
    }
  }
  return farthest;
}

bool InnerPolytope::start(Vec3* flat_normal) {
  // Thinner than this, B - A has no inside that rounding leaves.
  const double flat = 64.0 * pair_.rounding;
  Vec3 axis_point[6];
  for (int i = 0; i < 6; ++i) {
    axis_point[i] = support((i % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(i / 2));
  }
  double longest, off;
  const int axis = longestAxis(axis_point, &longest);
  const Vec3& p0 = axis_point[2 * axis];
  const Vec3& p1 = axis_point[2 * axis + 1];
  *flat_normal = Vec3::UnitX();
  if (longest <= flat) return false;  // a point
  const Vec3 along = (p1 - p0) / longest;
  const Vec3 p2 = farthestFromLine(p0, along, &off);
  *flat_normal = along.unitOrthogonal();
  if (off <= flat) return false;  // a segment
  const Vec3 n = along.cross(p2 - p0).normalized();
  *flat_normal = n;
  // The tip of the tetrahedron is on the side of the triangle that reaches farther; the other
  // extreme points follow as corners, so that P is not all on one side of the origin.
  const Vec3 above = support(n);
  const Vec3 below = support(-n);
  const double height_above = n.dot(above - p0);
  const double height_below = n.dot(p0 - below);
  if (std::max(height_above, height_below) <= flat) return false;
  const bool up = height_above >= height_below;
  shell_.start(p0, p1, p2, up ? above : below, up);
  extendByAny(up ? below : above);
  for (const Vec3& w : axis_point) extendByAny(w);
  return true;
}

/// Directions refined already, so that faces about the same optimum are not refined again.
class RefinedDirections {
 public:
  bool near(const Vec3& u, double angle) const {
    for (int i = 0; i < count_; ++i) {
      if ((direction_[i] - u).squaredNorm() < angle * angle) return true;
    }
    return false;
  }
  void add(const Vec3& u) {
    if (count_ < kMost) direction_[count_++] = u;
  }

 private:
  static constexpr int kMost = 32;
  int count_ = 0;
  Vec3 direction_[kMost];
};

class PenetrationSearch {
 public:
  PenetrationSearch(const CorePair& pair, const GjkResult& r)
      : pair_(pair),
        gjk_(r),
        curved_(!pair.A.isPolytope() || !pair.B.isPolytope()),
        exact_(16.0 * pair.rounding),
        polytope_(pair) {}

  PenetrationResult run() {
    offerFirstNormals();
    Vec3 flat_normal;
    if (!polytope_.startFrom(gjk_) && !polytope_.start(&flat_normal)) {
      offerBothSides(flat_normal);
      result_.upper = result_.best.separation;
      return result_;
    }
    expand();
    if (curved_) prove();
    result_.upper = std::max(result_.best.separation, -polytope_.leastOffset());
    return result_;
  }

 private:
  /// Good candidates from the start, so that few faces are nearer than the best.
  void offerFirstNormals() {
    constexpr double kEverywhere = 4.0;  // [rad] more than pi
    constexpr double kAboutHint = 0.1;   // [rad]
    if (curved_) offerCreaseNormals(pair_, Vec3::UnitX(), kEverywhere, &result_.best);
    if (std::isfinite(gjk_.lower)) {
      offer(pair_, gjk_.normal, gjk_.lower, true, &result_.best);
      if (curved_) refine(gjk_.normal, kAboutHint, RefineUntil::kProven);
    }
  }

  /// B - A is flat: it is left across its plane, on either side.
  void offerBothSides(const Vec3& flat_normal) {
    for (double sign : {1.0, -1.0}) {
      const Vec3 n = sign * flat_normal;
      offer(pair_, n, pair_.separation(n), true, &result_.best);
    }
  }

  bool refine(const Vec3& n, double window, RefineUntil until = RefineUntil::kExhausted) {
    SupportContact contact;
    return refineNormal(pair_, n, window, until, &result_.best, &contact);
  }

  /// The best direction may be a face's normal that was offered in passing and never refined:
  /// refines it in two windows [rad] until a contact shows that it is stationary.
  void prove() {
    for (double window : {0.03, 0.3}) {
      const NormalCandidate& best = result_.best;
      const SupportContact contact = contactAt(pair_, best.n, best.separation);
      if (contact.mismatch <= kStationary * pair_.scale) return;
      refine(Vec3(best.n), window);
    }
    const SupportContact contact = contactAt(pair_, result_.best.n, result_.best.separation);
    result_.converged = result_.converged && contact.mismatch <= kUnproven * pair_.scale;
  }

  void expand() {
    NormalCandidate& best = result_.best;
    result_.converged = false;
    for (int i = 0; i < kMostExpansions;) {  // each pass extends or has a face done
      const int f = polytope_.nearestFace();
      if (f < 0 || polytope_.face(f).offset >= -best.separation - exact_) {
        result_.converged = true;
        return;
      }
      ShellFace& face = polytope_.face(f);
      const Vec3 u = face.u;
      const Vec3 w = polytope_.support(u);
      const double reach = u.dot(w);
      const double room = reach - face.offset;
      if (-reach > best.separation) offer(pair_, -u, -reach, true, &best);
      if (room <= exact_ || (curved_ && isRefined(u, reach, room, i))) {
        face.done = true;
      } else if (polytope_.extend(f, w)) {
        ++i;
      } else {
        face.done = true;
      }
    }
  }

  /// Whether Newton's iteration has found the optimum about the face of normal u, so that the face
  /// is done. Tries it when the room over the face is small enough after `i` expansions.
  bool isRefined(const Vec3& u, double reach, double room, int i) {
    const NormalCandidate& best = result_.best;
    // Whole spheres or circles of equal normals would take faces without end: the longer the
    // search, the coarser the faces that are refined.
    const double patience = 1.0 + i * i / 400.0;
    const double coarse =
        std::max(patience * share_ * -best.separation, kLeastCoarse * pair_.scale);
    if (room > coarse) return false;
    // A cap of height `room` on a boundary of radius about `scale` has this half angle.
    const double angle = std::sqrt(coarse / pair_.scale);
    if (refined_ == kMostRefined || proven_.near(u, std::min(0.3, kSameOptimum * angle))) {
      return true;
    }
    ++refined_;
    // The window holds the cap with room to spare, 1e-3 to 0.3 rad. An optimum worse than the
    // face's own normal is some other one, and does not settle the face.
    constexpr double kLeastWindow = 1e-3;
    if (refine(-u, std::clamp(6.0 * angle, kLeastWindow, 0.3)) &&
        best.separation >= -reach - exact_) {
      proven_.add(u);
      return true;
    }
    share_ *= 0.1;  // too coarse a start: let P come nearer before the next attempt
    return false;
  }

  static constexpr double kCoarse = 0.005;  // of the depth: where refinement takes over
  // Two optima within 0.03 rad, 1e-5 of the depth apart, are not one: a whole angle would merge
  // them.
  static constexpr double kSameOptimum = 0.25;
  static constexpr int kMostRefined = 32;  // beyond, every direction is as good as the next

  const CorePair& pair_;
  const GjkResult& gjk_;
  const bool curved_;
  const double exact_;  ///< [m] faces and depths within this are equal
  double share_ = kCoarse;
  int refined_ = 0;
  InnerPolytope polytope_;
  RefinedDirections proven_;
  PenetrationResult result_;
};

}  // namespace

PenetrationResult searchPenetration(const CorePair& pair, const GjkResult& r) {
  return PenetrationSearch(pair, r).run();
}

}  // namespace allclear
