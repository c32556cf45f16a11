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
// linearly. Once a face is within a share of the depth, the features that its corners name give the
// optimum to rounding (feature_descent.h), or else the creases about it do (refineNormal). Faces
// near a direction refined already are done.
//
// With a tolerance faces are done only where D is no farther from them than that, so that the whole
// bracket is as narrow. Features give the best normal and its contact to rounding all the same.
//
// Symbols: u a face's normal (outward from the origin: n = -u), offset its distance from the
// origin, reach = h(u), room = reach - offset: how far D passes the face.
// Invariant: the true signed distance is in [best.separation, max(best.separation, -leastOffset)].

#include "allclear/distance/convex/penetration.h"

#include <algorithm>
#include <limits>

#include "allclear/distance/convex/inner_polytope.h"

namespace allclear {
namespace {

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
  PenetrationSearch(const CorePair& pair, const GjkResult& r, double tolerance)
      : pair_(pair),
        gjk_(r),
        curved_(!pair.isPolytope()),
        refines_(curved_ && !(tolerance > 0.0)),
        exact_(std::max(16.0 * pair.rounding, tolerance)),
        polytope_(pair) {}

  PenetrationResult run() {
    if (std::isfinite(gjk_.lower)) offer(pair_, gjk_.normal, gjk_.lower, true, &result_.best);
    Vec3 flat_normal;
    // GJK's simplex is a polytope already; where it is flat, support points start one.
    if (!polytope_.startFrom(gjk_) && !polytope_.start(&flat_normal)) {
      offerBothSides(flat_normal);
      result_.upper = result_.best.separation;
      return result_;
    }
    expand();
    if (curved_ && !refines_ && !hasContact()) {
      double separation = 0.0;
      descend(best_named_, Vec3(result_.best.n), &separation);
    }
    result_.has_contact = hasContact();
    if (refines_ && !result_.has_contact) prove();
    offerTies();
    result_.upper = std::max(result_.best.separation, -polytope_.leastOffset());
    return result_;
  }

 private:
  /// B - A is flat: it is left across its plane, on either side.
  void offerBothSides(const Vec3& flat_normal) {
    for (double sign : {1.0, -1.0}) {
      const Vec3 n = sign * flat_normal;
      offer(pair_, n, pair_.separation(n), true, &result_.best);
    }
  }

  /// Faces of D itself that are as near as the best, another way out each: their normals make it
  /// not isolated. (Curved ways out as short as the best were refined: P has nearer faces there.)
  void offerTies() {
    const NormalCandidate& best = result_.best;
    const double tie = kRoomTie * pair_.scale;
    for (int f = 0; best.isolated && f < polytope_.faceCount(); ++f) {
      const ShellFace& face = polytope_.face(f);
      if (!face.alive || !(std::abs(face.offset + best.separation) <= tie)) continue;
      if (isSameNormal(best.n, -face.u)) continue;
      const Vec3 n = -face.u;
      offer(pair_, n, pair_.separation(n), true, &result_.best);
    }
  }

  bool hasContact() const { return result_.best.n == contact_normal_; }

  /// Offers the optimum to which the features lead, if any; then `separation` is its own.
  bool descend(const NamedContact& named, const Vec3& n, double* separation) {
    SupportContact contact;
    NormalCandidate found;
    if (named.count == 0 || !descendByFeatures(pair_, named, n, &found, &contact)) return false;
    offer(pair_, found.n, found.separation, found.isolated, &result_.best);
    if (result_.best.n == found.n) {
      result_.contact = contact;
      contact_normal_ = found.n;
    }
    *separation = found.separation;
    return true;
  }

  /// With a tolerance: the face of the best normal so far. Near enough to D it names the optimum,
  /// and fewer faces are nearer than that.
  void noteBest(int f, double room) {
    best_named_ = polytope_.namedBy(f);
    if (refined_ > 0 || room > kCoarse * -result_.best.separation) return;
    ++refined_;
    double separation = 0.0;
    descend(best_named_, Vec3(result_.best.n), &separation);
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
      const ShellFace& face = polytope_.face(f);
      const Vec3 u = face.u;
      const MinkowskiPoint w = polytope_.support(u);
      const double reach = u.dot(w.w);
      const double room = reach - face.offset;
      if (-reach > best.separation) {
        offer(pair_, -u, -reach, true, &best);
        if (curved_ && !refines_) noteBest(f, room);
      }
      if (room <= exact_ || (refines_ && isRefined(f, u, reach, room, i))) {
        polytope_.setDone(f);
      } else if (polytope_.extend(f, w)) {
        ++i;
      } else {
        polytope_.setDone(f);
      }
    }
  }

  /// Whether Newton's iteration has found the optimum about the face of normal u, so that the face
  /// is done. Tries it when the room over the face is small enough after `i` expansions.
  bool isRefined(int f, const Vec3& u, double reach, double room, int i) {
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
    double separation = 0.0;
    if (descend(polytope_.namedBy(f), -u, &separation) && separation >= -reach - exact_) {
      proven_.add(u);
      return true;
    }
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
  const bool refines_;  ///< curved cores, no tolerance: faces end by Newton's iteration
  const double exact_;  ///< [m] faces and depths within this are equal
  double share_ = kCoarse;
  int refined_ = 0;
  InnerPolytope polytope_;
  RefinedDirections proven_;
  PenetrationResult result_;
  Vec3 contact_normal_ = Vec3::Zero();  ///< of result_.contact
  NamedContact best_named_;             ///< with a tolerance: by the face of the best normal
};

}  // namespace

PenetrationResult searchPenetration(const CorePair& pair, const GjkResult& r, double tolerance) {
  return PenetrationSearch(pair, r, tolerance).run();
}

}  // namespace allclear
