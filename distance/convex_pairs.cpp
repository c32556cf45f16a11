// Any two bounded convex shapes: GJK while the cores are apart, a search over separating normals
// when they overlap; where rounding or curvature leaves a gap, the normal is refined by Newton
// iterations on the creases of the support functions (normal_refinement.h). Radii are exact.

#include <algorithm>

#include "allclear/distance/gjk.h"
#include "allclear/distance/pair_functions.h"
#include "allclear/distance/penetration_search.h"

namespace allclear {
namespace {

/// Below this share of the size the direction between GJK's nearest points is too noisy.
constexpr double kNearShare = 1e-4;
/// Normals closer than this [rad] to a crease are on it.
constexpr double kOnCrease = 1e-10;

struct CoreWitnesses {
  Vec3 a;
  Vec3 b;
  bool unique = true;
};

/// Nearest points of B moved along n, off A, where they are easy to find.
CoreWitnesses witnessesByMoving(const CorePair& pair, const Vec3& n, double separation) {
  CorePair moved = pair;
  const double shift = std::max(0.25 * pair.scale, pair.scale * 1e-3) - separation;
  moved.p += shift * n;
  const GjkResult r = gjk(moved, n);
  const Vec3 b = r.witnessB() - shift * n;
  // Of the two, the middle is kept: each then is off its surface by rounding only.
  const Vec3 middle = 0.5 * (r.witnessA() + b);
  return {middle - 0.5 * separation * n, middle + 0.5 * separation * n, false};
}

/// Crossing of two edges, seen along n.
CoreWitnesses onEdges(const SupportSet& A, const SupportSet& B, const Vec3& n, double separation) {
  const Vec3 w = B.center - A.center - separation * n;
  const Vec3& u = A.half_edge;
  const Vec3& v = B.half_edge;
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v);
  const double det = uu * vv - uv * uv;
  const double s = std::clamp((w.dot(u) * vv - w.dot(v) * uv) / det, -1.0, 1.0);
  const Vec3 a = A.center + s * u;
  return {a, a + separation * n, true};
}

CoreWitnesses witnessesAt(const CorePair& pair, const Vec3& n, double separation) {
  const SupportSet A = supportSet(pair.A, n, kOnCrease);
  if (A.dimension == 0) {
    return {A.center, A.center + separation * n, true};
  }
  SupportSet B = supportSet(pair.B, -(pair.R.transpose() * n), kOnCrease);
  B.center = pair.R * B.center + pair.p;
  B.half_edge = pair.R * B.half_edge;
  if (B.dimension == 0) return {B.center - separation * n, B.center, true};
  if (A.dimension == 1 && B.dimension == 1) {
    const double sine = A.half_edge.normalized().cross(B.half_edge.normalized()).norm();
    if (sine > 1e-9) return onEdges(A, B, n, separation);
  }
  return witnessesByMoving(pair, n, separation);
}

bool witnessesAreUnique(const CorePair& pair, const Vec3& n) {
  constexpr double kParallel = 1e-9;
  const SupportSet A = supportSet(pair.A, n, kParallel);
  if (A.dimension == 0) return true;
  const SupportSet B = supportSet(pair.B, -(pair.R.transpose() * n), kParallel);
  if (B.dimension == 0) return true;
  if (A.dimension + B.dimension > 2) return false;
  const Vec3 edge_B = pair.R * B.half_edge;
  return A.half_edge.cross(edge_B).norm() > kParallel * A.half_edge.norm() * edge_B.norm();
}

struct CoreDistance {
  double distance = 0.0;
  Vec3 n;
  CoreWitnesses witnesses;
  double gap = 0.0;
  bool isolated = true;
  bool converged = true;
};

CoreDistance fromNormal(const CorePair& pair, const NormalCandidate& best) {
  CoreDistance out;
  out.distance = best.separation;
  out.n = best.n;
  out.isolated = best.isolated;
  out.witnesses = witnessesAt(pair, best.n, best.separation);
  return out;
}

void activeCorners(const CorePair& pair, const GjkResult& r, ActivePoints* A, ActivePoints* B) {
  for (int i = 0; i < r.size; ++i) {
    A->add(r.simplex[i].a);
    B->add(pair.R.transpose() * (r.simplex[i].b - pair.p));
  }
}

/// Apart, but so near or so curved that the normal needs refining.
CoreDistance refinedApart(const CorePair& pair, const GjkResult& r) {
  ActivePoints active_A;
  ActivePoints active_B;
  activeCorners(pair, r, &active_A, &active_B);
  NormalCandidate best;
  offer(pair, r.normal, r.lower, true, &best);
  refineNormal(pair, r.normal, active_A, active_B, &best);
  CoreDistance out = fromNormal(pair, best);
  out.isolated = true;
  out.gap = std::max(0.0, r.upper - out.distance);
  out.converged = out.gap <= 1e-8 * pair.scale;
  return out;
}

CoreDistance penetration(const CorePair& pair, const GjkResult& r) {
  const Vec3 hint = std::isfinite(r.lower) ? r.normal : Vec3(Vec3::Zero());
  const PenetrationResult search = searchPenetration(pair, hint);
  CoreDistance out = fromNormal(pair, search.best);
  out.gap = search.upper - search.best.separation;
  out.converged = search.converged;
  return out;
}

CoreDistance coreDistance(const CorePair& pair, const GjkResult& r) {
  CoreDistance out;
  if (r.overlap) {
    out = penetration(pair, r);
  } else if (r.upper - r.lower > 1e-13 * (pair.scale + r.upper) ||
             r.upper < kNearShare * pair.scale) {
    out = refinedApart(pair, r);
  } else {
    out.distance = r.upper;
    out.n = r.v / r.upper;
    out.witnesses = {r.witnessA(), r.witnessB(), true};
    out.gap = std::max(0.0, r.upper - r.lower);
  }
  out.witnesses.unique = witnessesAreUnique(pair, out.n);
  return out;
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
  const GjkResult r = gjk(pair, firstDirection(query, pair), query.limit + radii);
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
  const Vec3 a = core.witnesses.a + pair.A.offset;
  const Vec3 b = core.witnesses.b + pair.A.offset;
  out.witness_A = query.X_WA.R * (a + pair.A.radius * n) + origin_A;
  out.witness_B = query.X_WA.R * (b - pair.B.radius * n) + origin_A;
  out.unique_normal = core.isolated;
  out.unique_witness = core.witnesses.unique;
  out.gap = core.gap;
  out.converged = core.converged && r.converged;
  if (query.cache != nullptr) *query.cache = {n, true};
  return out;
}

}  // namespace allclear
