// Any two bounded convex shapes. Each is a core thickened by a ball (core.h); the signed distance
// of the shapes is that of the cores less both radii, exactly. For the cores:
//
//  1. GJK brackets their distance. A query with a limit often ends here.
//  2. Apart, both polytopes, bracket closed: GJK's nearest points are the answer.
//  3. Apart, curved: a coarse simplex names the features of the contact, and these give the answer
//     (feature_descent.h).
//  4. Apart otherwise (not settled by features, or so near that GJK's normal is noise): the normal
//     is refined by Newton's iteration over all creases, which ends in a contact that proves it
//     (normal_refinement.h).
//  5. Overlapping: the depth is minus the largest separation over all normals. Boxes and segments
//     have 15 candidates (box_axes.h); others are searched (penetration.h).
//
// Throughout, separation(n) of any unit n is a lower bound of the signed distance of the cores. The
// `distance` returned is such a value (or, in 2, GJK's |v|, equal to it within rounding), so it is
// never too large; `gap` says how much too small it could be.

#include <algorithm>

#include "allclear/distance/convex/box_axes.h"
#include "allclear/distance/convex/feature_descent.h"
#include "allclear/distance/convex/gjk.h"
#include "allclear/distance/convex/pairs.h"
#include "allclear/distance/convex/penetration.h"

namespace allclear {
namespace {

// Shares of the size of the pair (`CorePair::scale`), unless said otherwise.

/// Nearer than this, the way between GJK's nearest points is refined: the points have an error of
/// 1e-16 of the size, which tilts a way this long by 1e-12 rad, and a shorter one by more.
constexpr double kNearShare = 1e-4;

/// GJK's bracket of polytopes counts as closed from here: a few times its own rounding.
constexpr double kClosedGap = 1e-13;

/// Of the distance: from here Newton closes the bracket of curved shapes faster than GJK.
constexpr double kRefinableGap = 1e-4;

/// Curved shapes: GJK's bracket from which its simplex names the features of the contact, nearly
/// always. Where it does not, GJK goes on to kRefinableGap.
constexpr double kNamedGap = 1e-3;

/// Points whose way differs from the room along n by more than this are no contact.
constexpr double kContactMismatch = 1e-10;

/// The largest gap that still counts as converged, apart and (where the search was cut short) deep.
constexpr double kConvergedGapApart = 1e-9;
constexpr double kConvergedGapDeep = 1e-12;

/// [rad] What rounding leaves of an angle whose cosine is 1: sqrt(2 * 2^-52) is 2e-8.
constexpr double kLeastAngle = 1e-8;

/// [rad] Widest window about GJK's normal: beyond, most creases of a box are in it anyway.
constexpr double kWidestAngle = 0.6;

/// [rad] Least window of the second attempt, which starts from a normal already refined.
constexpr double kSecondWindow = 0.01;

/// The answer for two cores, in the frame of A's.
struct CoreDistance {
  double distance = 0.0;   ///< signed [m]
  Vec3 n;                  ///< unit, from A to B
  SupportContact contact;  ///< the witnesses
  double gap = 0.0;        ///< the true distance is at most `distance + gap`
  bool isolated = true;
  bool converged = true;
};

/// A contact along n for support sets of which alternating projections found no common point (large
/// faces of meshes). Moves B along n until it is clear of A and takes GJK's nearest points: with n
/// the answer, these lie opposite to each other along n.
SupportContact contactByMoving(const CorePair& pair, const Vec3& n, double separation) {
  CorePair moved = pair;
  const double shift = 0.25 * pair.scale - separation;
  moved.p += shift * n;
  const GjkResult r = gjk(moved, n);
  return {r.witnessA(), r.witnessB() - shift * n, 0.0};
}

/// The answer whose normal is `best`; `proven` is its contact, if known.
CoreDistance fromNormal(const CorePair& pair, const NormalCandidate& best,
                        const SupportContact* proven, double tolerance) {
  CoreDistance out;
  out.distance = best.separation;
  out.n = best.n;
  out.isolated = best.isolated;
  SupportContact contact = proven != nullptr ? *proven : contactAt(pair, best.n, best.separation);
  // Curved surfaces of which the normal is off by x are off by x^2 in the room and by x sideways.
  const double coarse = std::sqrt(2.0 * tolerance * pair.scale);
  if (contact.mismatch > kContactMismatch * pair.scale + coarse) {
    contact = contactByMoving(pair, best.n, best.separation);
  }
  // The witnesses must differ by exactly distance * n: each is moved half of what rounding left.
  const Vec3 middle = 0.5 * (contact.a + contact.b);
  out.contact = {middle - 0.5 * best.separation * best.n, middle + 0.5 * best.separation * best.n};
  return out;
}

CoreDistance fromGjk(const GjkResult& r) {
  CoreDistance out;
  out.distance = r.upper;
  out.n = r.v / r.upper;
  out.contact = {r.witnessA(), r.witnessB()};
  out.gap = std::max(0.0, r.upper - r.lower);
  out.converged = r.converged;
  return out;
}

/// The true normal is within this angle of GJK's. The nearest point p of B - A has |p| <= upper,
/// and along GJK's normal p reaches at least `lower`: so cos(angle) >= lower / upper = 1 - share,
/// and the angle is at most about sqrt(2 share), here with half as much to spare.
double openAngle(const GjkResult& r) {
  const double share = std::max(0.0, r.upper - r.lower) / r.upper;
  return std::min(kWidestAngle, 1.5 * std::sqrt(2.0 * share) + kLeastAngle);
}

bool areBoxes(const CorePair& pair) {
  const auto isBox = [](const ConvexCore& core) {
    return core.kind == ConvexCore::Kind::kSegment || core.kind == ConvexCore::Kind::kBox;
  };
  return isBox(pair.A) && isBox(pair.B) && !pair.is_displaced;
}

/// The cores overlap, or touch within rounding: so GJK says. Should rounding in a flat simplex have
/// misled it, the search over normals finds a positive separation all the same: the distance.
CoreDistance penetration(const CorePair& pair, const GjkResult& r, double tolerance) {
  if (areBoxes(pair)) return fromNormal(pair, bestBoxAxis(pair), nullptr, 0.0);
  const PenetrationResult search = searchPenetration(pair, r, tolerance);
  CoreDistance out =
      fromNormal(pair, search.best, search.has_contact ? &search.contact : nullptr, tolerance);
  out.gap = search.upper - search.best.separation;
  // However the search ended, a gap that is closed proves its answer.
  out.converged = search.converged || out.gap <= kConvergedGapDeep * pair.scale;
  return out;
}

/// Refines the two normals that GJK ended with: the way between the nearest points, and the one
/// that proves the lower bound. True when a contact proves the answer.
bool refineFrom(const CorePair& pair, const GjkResult& r, double least_window,
                NormalCandidate* best, SupportContact* contact) {
  const double window = std::max(least_window, openAngle(r));
  return refineNormal(pair, r.v / r.upper, window, RefineUntil::kProven, best, contact) ||
         refineNormal(pair, r.normal, window, RefineUntil::kProven, best, contact);
}

CoreDistance fromContact(const CorePair& pair, const NormalCandidate& best,
                         const SupportContact& contact) {
  CoreDistance out = fromNormal(pair, best, &contact, 0.0);
  // The points are sqrt(s^2 + m^2) apart: an upper bound, above s by at most m^2 / (2 s) and by m.
  const double m = contact.mismatch;
  constexpr double kNotZero = 1e-300;  // makes 0 / 0 of a touching pair 0
  out.gap = 0.5 * m * m / std::max(best.separation, kNotZero);
  out.gap = std::min(out.gap, m);
  return out;
}

/// Whether the features that GJK's simplex names give a proven contact: the answer, of cores that
/// are apart. (A stationary normal without room is one way out of several, where they overlap.)
bool isNamed(const CorePair& pair, const GjkResult& r, CoreDistance* out) {
  NamedContact named;
  for (int i = 0; i < r.size; ++i) {
    named.a[named.count] = r.simplex[i].a;
    named.b[named.count++] = r.simplex[i].b;
  }
  NormalCandidate best;
  SupportContact contact;
  if (!descendByFeatures(pair, named, r.v / r.upper, &best, &contact)) return false;
  if (!(best.separation > 0.0)) return false;
  *out = fromContact(pair, best, contact);
  return true;
}

/// Apart, and curved or near: closes GJK's bracket by refining the normal.
CoreDistance refinedApart(const CorePair& pair, const GjkResult& coarse) {
  NormalCandidate best;
  SupportContact contact;
  GjkResult r = coarse;
  bool proven = refineFrom(pair, r, 0.0, &best, &contact);
  if (!proven) {
    // GJK may have stopped at a coarse bracket: a full run from the best normal so far.
    r = gjk(pair, best.n);
    if (r.overlap) return penetration(pair, r, 0.0);
    proven = refineFrom(pair, r, kSecondWindow, &best, &contact);
  }
  // Apart, a contact proves that n is the answer: the separation has one maximum there. Overlapping
  // (rounding had GJK miss it) the contact is a local maximum only, one way out of several.
  if (proven && best.separation < -8.0 * pair.rounding) return penetration(pair, r, 0.0);
  if (proven) return fromContact(pair, best, contact);
  // No proof: the best lower bound there is, and GJK's upper bound.
  offer(pair, r.normal, r.lower, true, &best);
  CoreDistance out = fromNormal(pair, best, nullptr, 0.0);
  out.gap = std::max(0.0, r.upper - best.separation);
  out.converged = out.gap <= kConvergedGapApart * pair.scale;
  return out;
}

/// GJK's bracket is narrow enough for the tolerance: its lower end, with the normal that proves it.
CoreDistance fromBracket(const GjkResult& r) {
  CoreDistance out;
  out.distance = r.lower;
  out.n = r.normal;
  const Vec3 middle = 0.5 * (r.witnessA() + r.witnessB());
  out.contact = {middle - 0.5 * r.lower * r.normal, middle + 0.5 * r.lower * r.normal};
  out.gap = std::max(0.0, r.upper - r.lower);
  return out;
}

CoreDistance coreDistance(const CorePair& pair, const GjkResult& r, double tolerance) {
  if (r.overlap) return penetration(pair, r, tolerance);
  const bool closed = r.upper - r.lower <= kClosedGap * (pair.scale + r.upper);
  if (pair.isPolytope() && closed && r.upper >= kNearShare * pair.scale) return fromGjk(r);
  if (r.upper - r.lower <= tolerance) return fromBracket(r);
  return refinedApart(pair, r);
}

/// The normal of the last query, else the way between the centres.
Vec3 firstDirection(const PairQuery& query, const CorePair& pair) {
  if (query.cache != nullptr && query.cache->valid) return query.cache->direction;
  if (pair.p.squaredNorm() > 0.0) return pair.p;
  return Vec3::UnitX();
}

/// Whether GJK's bracket alone decides on which side of the limit the distance is. Without a limit
/// (NaN) both comparisons fail.
bool isDecided(const GjkResult& r, double radii, double limit) {
  return r.lower - radii >= limit || (!r.overlap && r.upper - radii < limit);
}

/// The cores' answer as that of the thickened shapes, in the world.
SignedDistance ofShapes(const PairQuery& query, const CorePair& pair, const CoreDistance& core) {
  SignedDistance out;
  const Vec3& n = core.n;
  out.distance = core.distance - (pair.A.radius + pair.B.radius);
  out.normal = query.X_WA.R * n;
  const Vec3 origin_A = query.X_WA.p;
  const Vec3 a = core.contact.a + pair.A.offset;
  const Vec3 b = core.contact.b + pair.A.offset;
  out.witness_A = query.X_WA.R * (a + pair.A.radius * n) + origin_A;
  out.witness_B = query.X_WA.R * (b - pair.B.radius * n) + origin_A;
  out.unique_normal = core.isolated;
  out.unique_witness = contactIsUnique(pair, n);
  out.gap = core.gap;
  out.converged = core.converged;
  return out;
}

SignedDistance answer(const PairQuery& query, const CorePair& pair, const CoreDistance& core) {
  if (query.cache != nullptr) *query.cache = {core.n, true};
  return ofShapes(query, pair, core);
}

}  // namespace

SignedDistance convexConvex(const PairQuery& query) {
  const CorePair pair(coreOf(query.A), query.X_WA, coreOf(query.B), query.X_WB, query.spread);
  const double radii = pair.A.radius + pair.B.radius;
  GjkOptions options;
  options.enough = query.limit + radii;
  // A tolerance helps where a curved surface meets edges and corners. Of two curved ones the
  // features are so few that refining all directions is faster.
  const bool curved = !pair.isPolytope();
  const bool smooth = !pair.A.isPolytope() && !pair.B.isPolytope();
  const double tolerance = smooth ? 0.0 : query.tolerance;
  const auto stopRefinable = [&options, tolerance] {
    options.gap = tolerance;
    if (!(tolerance > 0.0)) options.relative_gap = kRefinableGap;
  };
  const bool has_features = curved && !pair.is_displaced;
  if (has_features) {
    options.gap = kNamedGap * pair.scale;
  } else if (curved) {
    stopRefinable();
  }
  GjkResult r = gjk(pair, firstDirection(query, pair), options);
  if (has_features && !r.overlap && !isDecided(r, radii, query.limit)) {
    CoreDistance core;
    if (isNamed(pair, r, &core)) return answer(query, pair, core);
    stopRefinable();
    continueGjk(pair, options, &r);
  }
  if (isDecided(r, radii, query.limit)) {
    SignedDistance out;  // only the side of the limit matters: no witnesses
    out.distance = (r.lower - radii >= query.limit ? r.lower : r.upper) - radii;
    if (query.cache != nullptr) *query.cache = {r.normal, true};
    return out;
  }
  return answer(query, pair, coreDistance(pair, r, tolerance));
}

}  // namespace allclear
