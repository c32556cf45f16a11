// Any two bounded convex shapes: GJK while the cores are apart, a search over separating normals
// when they overlap; where rounding or curvature leaves a gap, the normal is refined by Newton
// iterations on the creases of the support functions (normal_refinement.h). Radii are exact.

#include <algorithm>

#include "allclear/distance/convex/box_axes.h"
#include "allclear/distance/convex/gjk.h"
#include "allclear/distance/convex/pairs.h"
#include "allclear/distance/convex/penetration.h"

namespace allclear {
namespace {

/// Below this share of the size the direction between GJK's nearest points is too noisy.
constexpr double kNearShare = 1e-4;
/// From here Newton closes the bracket of curved shapes faster than GJK.
constexpr double kRefinableGap = 1e-4;

struct CoreDistance {
  double distance = 0.0;
  Vec3 n;
  SupportContact contact;
  double gap = 0.0;
  bool isolated = true;
  bool converged = true;
};

/// Of a contact whose support sets meet in no point that projections find (faces of meshes):
/// nearest points of B moved along n, off A.
SupportContact contactByMoving(const CorePair& pair, const Vec3& n, double separation) {
  CorePair moved = pair;
  const double shift = 0.25 * pair.scale - separation;
  moved.p += shift * n;
  const GjkResult r = gjk(moved, n);
  return {r.witnessA(), r.witnessB() - shift * n, 0.0};
}

CoreDistance fromNormal(const CorePair& pair, const NormalCandidate& best,
                        const SupportContact* proven) {
  CoreDistance out;
  out.distance = best.separation;
  out.n = best.n;
  out.isolated = best.isolated;
  SupportContact contact = proven != nullptr ? *proven : contactAt(pair, best.n, best.separation);
  if (contact.mismatch > 1e-10 * pair.scale) {
    contact = contactByMoving(pair, best.n, best.separation);
  }
  // Half of what rounding left between the points and the normal goes to each.
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

/// The normals that GJK's bracket leaves are within this angle of its own.
double openAngle(const GjkResult& r) {
  const double share = std::max(0.0, r.upper - r.lower) / r.upper;
  return std::min(0.6, 1.5 * std::sqrt(2.0 * share) + 1e-8);
}

bool areBoxes(const CorePair& pair) {
  const auto isBox = [](const ConvexCore& core) {
    return core.kind == ConvexCore::Kind::kSegment || core.kind == ConvexCore::Kind::kBox;
  };
  return isBox(pair.A) && isBox(pair.B);
}

CoreDistance penetration(const CorePair& pair, const GjkResult& r) {
  if (areBoxes(pair)) return fromNormal(pair, bestBoxAxis(pair), nullptr);
  const PenetrationResult search = searchPenetration(pair, r);
  CoreDistance out = fromNormal(pair, search.best, nullptr);
  out.gap = search.upper - search.best.separation;
  // However the search ended, a gap that is closed proves its answer.
  out.converged = search.converged || out.gap <= 1e-12 * pair.scale;
  return out;
}

/// Refines from both of the normals that GJK ended with. Whether a contact proves the answer.
bool refineFrom(const CorePair& pair, const GjkResult& r, double least_window,
                NormalCandidate* best, SupportContact* contact) {
  const double window = std::max(least_window, openAngle(r));
  return refineNormal(pair, r.v / r.upper, window, RefineUntil::kProven, best, contact) ||
         refineNormal(pair, r.normal, window, RefineUntil::kProven, best, contact);
}

/// Apart, and curved or near: GJK's bracket is closed by refining the normal.
CoreDistance refinedApart(const CorePair& pair, const GjkResult& coarse) {
  NormalCandidate best;
  SupportContact contact;
  GjkResult r = coarse;
  bool proven = refineFrom(pair, r, 0.0, &best, &contact);
  if (!proven) {
    r = gjk(pair, best.n);
    if (r.overlap) return penetration(pair, r);
    proven = refineFrom(pair, r, 0.01, &best, &contact);
  }
  // A contact with room to spare is the nearest; one that overlaps is only one of the ways out.
  if (proven && best.separation < -8.0 * pair.rounding) return penetration(pair, r);
  if (proven) {
    CoreDistance out = fromNormal(pair, best, &contact);
    out.gap = 0.5 * contact.mismatch * contact.mismatch / std::max(best.separation, 1e-300);
    out.gap = std::min(out.gap, contact.mismatch);
    return out;
  }
  offer(pair, r.normal, r.lower, true, &best);
  CoreDistance out = fromNormal(pair, best, nullptr);
  out.gap = std::max(0.0, r.upper - best.separation);
  out.converged = out.gap <= 1e-9 * pair.scale;
  return out;
}

CoreDistance coreDistance(const CorePair& pair, const GjkResult& r) {
  if (r.overlap) return penetration(pair, r);
  const bool polytopes = pair.A.isPolytope() && pair.B.isPolytope();
  const bool closed = r.upper - r.lower <= 1e-13 * (pair.scale + r.upper);
  if (polytopes && closed && r.upper >= kNearShare * pair.scale) return fromGjk(r);
  return refinedApart(pair, r);
}

Vec3 firstDirection(const PairQuery& query, const CorePair& pair) {
  if (query.cache != nullptr && query.cache->valid) return query.cache->direction;
  if (pair.p.squaredNorm() > 0.0) return pair.p;
  return Vec3::UnitX();
}

}  // namespace

SignedDistance convexConvex(const PairQuery& query) {
  const CorePair pair(coreOf(query.A), query.X_WA, coreOf(query.B), query.X_WB);
  const double radii = pair.A.radius + pair.B.radius;
  GjkOptions options;
  options.enough = query.limit + radii;
  if (!pair.A.isPolytope() || !pair.B.isPolytope()) options.relative_gap = kRefinableGap;
  const GjkResult r = gjk(pair, firstDirection(query, pair), options);
  SignedDistance out;
  if (r.lower - radii >= query.limit || (!r.overlap && r.upper - radii < query.limit)) {
    out.distance = (r.lower - radii >= query.limit ? r.lower : r.upper) - radii;
    if (query.cache != nullptr) *query.cache = {r.normal, true};
    return out;
  }
  const CoreDistance core = coreDistance(pair, r);
  const Vec3& n = core.n;
  out.distance = core.distance - radii;
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
  if (query.cache != nullptr) *query.cache = {n, true};
  return out;
}

}  // namespace allclear
