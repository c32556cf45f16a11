#include "allclear/distance/convex/penetration.h"

#include <algorithm>
#include <limits>

#include "allclear/distance/convex/shell.h"

namespace allclear {
namespace {

constexpr int kMostCorners = 200;
constexpr int kMostFaces = 2 * kMostCorners;
constexpr int kMostExpansions = 180;

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

  bool extend(int f, const Vec3& w) {
    return shell_.points().size() < kMostCorners && shell_.faces().size() + 8 < kMostFaces &&
           shell_.extend(f, w);
  }
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
  const CorePair& pair_;
  Shell shell_;
};

bool InnerPolytope::startFrom(const GjkResult& r) {
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

bool InnerPolytope::start(Vec3* flat_normal) {
  const double flat = 64.0 * pair_.rounding;
  Vec3 axis_point[6];
  for (int i = 0; i < 6; ++i)
    axis_point[i] = support((i % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(i / 2));
  // The longest extent along an axis.
  int axis = 0;
  double longest = -1.0;
  for (int i = 0; i < 3; ++i) {
    const double length = (axis_point[2 * i] - axis_point[2 * i + 1]).norm();
    if (length > longest) {
      longest = length;
      axis = i;
    }
  }
  const Vec3& p0 = axis_point[2 * axis];
  const Vec3& p1 = axis_point[2 * axis + 1];
  *flat_normal = Vec3::UnitX();
  if (longest <= flat) return false;  // a point
  const Vec3 along = (p1 - p0) / longest;
  const Vec3 side1 = along.unitOrthogonal();
  const Vec3 side2 = along.cross(side1);
  double farthest = -1.0;
  Vec3 p2;
  for (const Vec3& side : {side1, side2}) {
    for (double sign : {1.0, -1.0}) {
      const Vec3 w = support(sign * side);
      const double off = along.cross(w - p0).norm();
      if (off > farthest) {
        farthest = off;
        p2 = w;
      }
    }
  }
  *flat_normal = side1;
  if (farthest <= flat) return false;  // a segment
  const Vec3 n = along.cross(p2 - p0).normalized();
  *flat_normal = n;
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

class Search {
 public:
  Search(const CorePair& pair, const GjkResult& r)
      : pair_(pair),
        gjk_(r),
        curved_(!pair.A.isPolytope() || !pair.B.isPolytope()),
        polytope_(pair) {}

  PenetrationResult run() {
    constexpr double kEverywhere = 4.0;  // [rad]
    constexpr double kAboutHint = 0.1;   // [rad]
    if (curved_) offerCreaseNormals(pair_, Vec3::UnitX(), kEverywhere, &result_.best);
    if (std::isfinite(gjk_.lower)) {
      offer(pair_, gjk_.normal, gjk_.lower, true, &result_.best);
      if (curved_) refine(gjk_.normal, kAboutHint, RefineUntil::kProven);
    }
    Vec3 flat_normal;
    if (!polytope_.startFrom(gjk_) && !polytope_.start(&flat_normal)) {
      for (double sign : {1.0, -1.0}) {
        const Vec3 n = sign * flat_normal;
        offer(pair_, n, pair_.separation(n), true, &result_.best);
      }
      result_.upper = result_.best.separation;
      return result_;
    }
    expand();
    if (curved_) prove();
    result_.upper = std::max(result_.best.separation, -polytope_.leastOffset());
    return result_;
  }

 private:
  bool refine(const Vec3& n, double window, RefineUntil until = RefineUntil::kExhausted) {
    SupportContact contact;
    return refineNormal(pair_, n, window, until, &result_.best, &contact);
  }

  /// The best direction may be one that was only passed by.
  void prove() {
    for (double window : {0.03, 0.3}) {
      const NormalCandidate& best = result_.best;
      const SupportContact contact = contactAt(pair_, best.n, best.separation);
      if (contact.mismatch <= 1e-7 * pair_.scale) return;
      refine(Vec3(best.n), window);
    }
    const SupportContact contact = contactAt(pair_, result_.best.n, result_.best.separation);
    result_.converged = result_.converged && contact.mismatch <= 1e-4 * pair_.scale;
  }

  void expand() {
    NormalCandidate& best = result_.best;
    const double exact = 16.0 * pair_.rounding;
    double share = kCoarse;
    int refined = 0;
    result_.converged = false;
    for (int i = 0; i < kMostExpansions;) {  // each pass extends or has a face done
      const int f = polytope_.nearestFace();
      if (f < 0 || polytope_.face(f).offset >= -best.separation - exact) {
        result_.converged = true;
        return;
      }
      ShellFace& face = polytope_.face(f);
      const Vec3 u = face.u;
      const Vec3 w = polytope_.support(u);
      const double reach = u.dot(w);
      const double room = reach - face.offset;
      if (-reach > best.separation) offer(pair_, -u, -reach, true, &best);
      // Whole spheres or circles of equal normals would take faces without end.
      const double patience = 1.0 + i * i / 400.0;
      const double coarse = std::max(patience * share * -best.separation, 1e-10 * pair_.scale);
      if (room <= exact) {
        face.done = true;
        continue;
      }
      if (curved_ && room <= coarse) {
        const double angle = std::sqrt(coarse / pair_.scale);
        if (refined == kMostRefined || proven_.near(u, std::min(0.3, kSameOptimum * angle))) {
          face.done = true;
          continue;
        }
        ++refined;
        // A worse optimum than this very face does not settle it.
        if (refine(-u, std::clamp(6.0 * angle, 1e-3, 0.3)) && best.separation >= -reach - exact) {
          proven_.add(u);
          face.done = true;
          continue;
        }
        share *= 0.1;
      }
      if (polytope_.extend(f, w)) {
        ++i;
      } else {
        face.done = true;
      }
    }
  }

  static constexpr double kCoarse = 0.005;  // of the depth: where refinement takes over
  // Two optima within 0.03 rad, 1e-5 of the depth apart, are not one: a whole angle would merge
  // them.
  static constexpr double kSameOptimum = 0.25;
  static constexpr int kMostRefined = 32;  // beyond, every direction is as good as the next

  const CorePair& pair_;
  const GjkResult& gjk_;
  const bool curved_;
  InnerPolytope polytope_;
  RefinedDirections proven_;
  PenetrationResult result_;
};

}  // namespace

PenetrationResult searchPenetration(const CorePair& pair, const GjkResult& r) {
  return Search(pair, r).run();
}

}  // namespace allclear
