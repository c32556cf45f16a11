// The separation s(n) = n.(b(n) - a(n)) of two cores along a unit normal n, with a and b their
// support points, as a function on the unit sphere: its largest value is the signed distance when
// the cores overlap, and the distance when they are apart (there it is the only local maximum with
// s > 0).
//
// The support function of a core is smooth but on its creases (core.h): circles of normals that
// support an edge or a line of the surface, and single normals that support a face. Across a crease
// the support point jumps, so s has a ridge there, and its maximum tends to lie on one. A maximum
// is
//  1. at a single normal: of a face of A or of B;
//  2. where a circle of A crosses a circle of B: edge against edge;
//  3. on one circle: edge against a curved surface;
//  4. off all creases: curved against curved, or a corner against a corner.
// 1 and 2 are finitely many candidates in closed form. In 3 and 4, s is smooth along the circle or
// on the sphere, and Newton's iteration on -s converges quadratically, to rounding.
//
// Symbols: n the normal, gradient = a - b of -s in space, curvature the second derivative of -s
// from how a and b move with n. On the sphere the second derivative along a unit tangent t is
// curvature(t, t) - gradient.n; on a circle, gradient.n is replaced by the part along its radius.

#include "allclear/distance/convex/normal_refinement.h"

#include <algorithm>

namespace allclear {
namespace {

constexpr double kLongestStep = 0.3;  // [rad] of one Newton iteration: a fair share of an octant

/// [rad] A normal this exact places points within 1e-11 of the size, and s within its square.
constexpr double kShortestStep = 1e-11;

constexpr int kMostSteps = 15;
constexpr int kMostHalvings = 3;  // more: a kink is in the way, and its crease is what to follow

/// [rad] A step this short changes s by less than 1e-14 of the size: its value no longer tells
/// whether the step was good.
constexpr double kBelowValue = 1e-7;

/// Of the size [m per rad^2]: the least curvature of s at a maximum that is a single point. With
/// less, normals 1e-3 rad around give s to rounding: the maximum is a whole arc of normals.
constexpr double kIsolated = 1e-9;

/// Of the size: a second derivative below this is rounding, or the wrong sign, and is shifted.
constexpr double kLeastBend = 1e-12;

/// A circle about n0's own direction, or of no radius, has no nearest angle to start from.
constexpr double kDegenerateCircle = 1e-12;

/// The squared sine between the axes of two circles from which they are distinct (1e-12 rad).
constexpr double kDistinctAxes2 = 1e-24;

/// The sine between two circles at a crossing from which its position can be corrected.
constexpr double kLeastCrossing = 1e-9;

/// Value and first derivative of -s at a unit normal n.
struct Expansion {
  Vec3 n;
  Vec3 d_B;  ///< direction of B's support, in B's frame
  Vec3 point_A;
  Vec3 point_B;  ///< in B's frame, without a displacement
  Vec3 gradient;
  double value;
};

Expansion expand(const CorePair& pair, const Vec3& n) {
  Expansion e;
  e.n = n;
  e.d_B = pair.towardA(n);
  e.point_A = coreSupport(pair.A, n);
  e.point_B = coreSupport(pair.B, e.d_B);
  e.gradient = e.point_A - (pair.R * e.point_B + pair.p);
  if (pair.is_displaced) e.gradient -= pair.displacement(n);
  e.value = n.dot(e.gradient);
  return e;
}

/// Second derivative of -s along s and t.
double curvature(const CorePair& pair, const Expansion& e, const Vec3& s, const Vec3& t) {
  double sum = coreCurvature(pair.A, e.n, e.point_A, s, t);
  if (!pair.B.isPolytope()) {
    const Vec3 s_B = pair.R.transpose() * s;
    const Vec3 t_B = pair.R.transpose() * t;
    sum += coreCurvature(pair.B, e.d_B, e.point_B, s_B, t_B);
  }
  if (pair.is_displaced) {
    // h = sqrt(n' K n) with the point x = K n / h, so h'' = K / h - x x' / h.
    const Vec3 x = pair.displacement(e.n);
    const double h = std::abs(x.dot(e.n));
    if (h > 0.0) sum += (s.dot(pair.spread * t) - x.dot(s) * x.dot(t)) / h;
  }
  return sum;
}

/// Goes the largest share (1, 1/4, 1/16) of a step of `length` [rad] that lowers -s, and returns
/// it; 0 when none does. `moved(share)` is the normal after that share of the step.
template <class Moved>
double descend(const CorePair& pair, double length, const Moved& moved, Expansion* e) {
  double share = 1.0;
  for (int halving = 0; halving < kMostHalvings; ++halving, share *= 0.25) {
    const Expansion next = expand(pair, moved(share));
    // A last small step sharpens the normal where the value no longer tells.
    const bool sharpens = length * share < kBelowValue && next.value <= e->value + pair.rounding;
    if (next.value < e->value || sharpens) {
      *e = next;
      return share;
    }
  }
  return 0.0;
}

/// Minimises -s on the circle from the angle theta nearest to n0, and offers the normal found.
void refineOnCircle(const CorePair& pair, const CreaseCircle& circle, const Vec3& n0,
                    NormalCandidate* best) {
  const Vec3& axis = circle.axis;
  const double level = circle.sine;
  const double radius = circle.cosine;
  Vec3 e1 = n0 - axis * axis.dot(n0);
  const double length = e1.norm();
  if (length < kDegenerateCircle || radius < kDegenerateCircle) return;
  e1 /= length;
  const Vec3 e2 = axis.cross(e1);
  const auto at = [&](double theta) -> Vec3 {
    return (level * axis + radius * (std::cos(theta) * e1 + std::sin(theta) * e2)).normalized();
  };
  double theta = 0.0;
  Expansion e = expand(pair, at(0.0));
  double bend = 0.0;
  for (int i = 0; i < kMostSteps; ++i) {
    const Vec3 tangent = radius * (-std::sin(theta) * e1 + std::cos(theta) * e2);
    const double slope = e.gradient.dot(tangent);
    bend = curvature(pair, e, tangent, tangent) - e.gradient.dot(e.n - level * axis);
    // Where -s bends down, Newton would climb: a fixed step downhill instead.
    double step = bend > 0.0 ? -slope / bend : (slope > 0.0 ? -0.1 : 0.1);
    step = std::clamp(step, -kLongestStep, kLongestStep);
    const auto moved = [&](double share) { return at(theta + share * step); };
    const double share = descend(pair, std::abs(step), moved, &e);
    theta += share * step;
    if (share * std::abs(step) < kShortestStep) break;
  }
  offer(pair, e.n, -e.value, bend > kIsolated * pair.scale, best);
}

/// Minimises -s on the sphere from n0, where no crease is in the way, and offers the normal found.
/// Each step solves the 2x2 Newton system (h11 h12; h12 h22) step = -slope in a tangent basis.
void refineOnSphere(const CorePair& pair, const Vec3& n0, NormalCandidate* best) {
  Expansion e = expand(pair, n0);
  double least_bend = 0.0;
  for (int i = 0; i < kMostSteps; ++i) {
    const Vec3 t1 = e.n.unitOrthogonal();
    const Vec3 t2 = e.n.cross(t1);
    const Vec2 slope(t1.dot(e.gradient), t2.dot(e.gradient));
    double h11 = curvature(pair, e, t1, t1) - e.value;
    double h22 = curvature(pair, e, t2, t2) - e.value;
    const double h12 = curvature(pair, e, t1, t2);
    const double mean = 0.5 * (h11 + h22);
    const double spread = std::hypot(0.5 * (h11 - h22), h12);
    least_bend = mean - spread;
    if (least_bend <= kLeastBend * pair.scale) {
      // Both eigenvalues (mean -+ spread) are shifted until they are safely positive, at least a
      // thousandth of the larger one: then the step descends.
      const double shift = 1e-3 * (mean + spread + 1e-3 * pair.scale) - least_bend;
      h11 += std::max(0.0, shift);
      h22 += std::max(0.0, shift);
    }
    const double det = h11 * h22 - h12 * h12;
    if (!(det > 0.0)) break;
    Vec2 step(-(h22 * slope.x() - h12 * slope.y()) / det,
              -(h11 * slope.y() - h12 * slope.x()) / det);
    const double length = step.norm();
    if (length > kLongestStep) step *= kLongestStep / length;
    const Vec3 n = e.n;
    const auto moved = [&](double share) -> Vec3 {
      return (n + share * (step.x() * t1 + step.y() * t2)).normalized();
    };
    const double share = descend(pair, step.norm(), moved, &e);
    if (share * step.norm() < kShortestStep) break;
  }
  offer(pair, e.n, -e.value, least_bend > kIsolated * pair.scale, best);
}

/// Newton's correction of a crossing with a cone's circle, whose closed form cancels: solves
/// g1.delta = offset1, g2.delta = offset2, n.delta = 0 for the step delta, twice.
void polishCrossing(const CreaseCircle& c1, const CreaseCircle& c2, Vec3* n) {
  const auto gradient = [&](const CreaseCircle& c) -> Vec3 {
    const Vec3 across = *n - c.axis * c.axis.dot(*n);
    return c.axis * c.cosine - across * (c.sine / across.norm());
  };
  for (int i = 0; i < 2; ++i) {
    const Vec3 g1 = gradient(c1);
    const Vec3 g2 = gradient(c2);
    const double det = n->dot(g1.cross(g2));
    if (!(std::abs(det) > kLeastCrossing)) return;
    *n -= (c1.offset(*n) * g2.cross(*n) + c2.offset(*n) * n->cross(g1)) / det;
    n->normalize();
  }
}

/// The unit vectors on both circles (none, or two mirror images): n = alpha a1 + beta a2 +- gamma
/// (a1 x a2), with alpha and beta from a1.n = sine1 and a2.n = sine2, and gamma = sqrt(rest) from
/// |n| = 1.
int crossings(const CreaseCircle& c1, const CreaseCircle& c2, Vec3 out[2]) {
  const Vec3 cross = c1.axis.cross(c2.axis);
  const double sin2 = cross.squaredNorm();
  if (sin2 < kDistinctAxes2) return 0;
  const double k = c1.axis.dot(c2.axis);
  const double alpha = (c1.sine - k * c2.sine) / sin2;
  const double beta = (c2.sine - k * c1.sine) / sin2;
  const double rest = (1.0 - alpha * c1.sine - beta * c2.sine) / sin2;
  if (rest < 0.0) return 0;  // the circles miss each other
  const Vec3 middle = alpha * c1.axis + beta * c2.axis;
  const Vec3 aside = std::sqrt(rest) * cross;
  out[0] = (middle + aside).normalized();
  out[1] = (middle - aside).normalized();
  if (c1.sine != 0.0 || c2.sine != 0.0) {
    for (int i = 0; i < 2; ++i) polishCrossing(c1, c2, &out[i]);
  }
  return 2;
}

void offerAt(const CorePair& pair, const Vec3& n, NormalCandidate* best) {
  offer(pair, n, pair.separation(n), true, best);
}

/// Creases of B in A's frame, as conditions on n. B is supported along -n: axes change their sign.
Creases creasesInA(const Creases& local, const Mat3& R) {
  Creases out;
  for (int i = 0; i < local.circles; ++i) {
    const CreaseCircle& c = local.circle[i];
    out.add({-(R * c.axis), c.sine, c.cosine});
  }
  for (int i = 0; i < local.normals; ++i) out.add(-(R * local.normal[i]));
  return out;
}

/// Offers the face normals of both cores and the crossings of A's circles with B's, these only
/// within `window` [rad] of n0.
void offerCrossings(const CorePair& pair, const Creases& A, const Creases& B, const Vec3& n0,
                    double window, NormalCandidate* best) {
  for (const Creases* creases : {&A, &B}) {
    for (int i = 0; i < creases->normals; ++i) offerAt(pair, creases->normal[i], best);
  }
  const double least_cosine = leastCosine(window);
  for (int i = 0; i < A.circles; ++i) {
    for (int j = 0; j < B.circles; ++j) {
      Vec3 n[2];
      const int count = crossings(A.circle[i], B.circle[j], n);
      for (int k = 0; k < count; ++k) {
        if (n[k].dot(n0) >= least_cosine) offerAt(pair, n[k], best);
      }
    }
  }
}

/// Whether the contact along the candidate shows that no normal near it has more room (to
/// rounding).
bool isProven(const CorePair& pair, const NormalCandidate& candidate, SupportContact* contact) {
  *contact = contactAt(pair, candidate.n, candidate.separation);
  const double m = contact->mismatch;
  if (m <= 64.0 * pair.rounding) return true;  // the points meet, to rounding of some tens of sums
  const double s = candidate.separation;
  // Apart: the points bound the distance by sqrt(s^2 + m^2). Overlapping: the depth is stationary,
  // and off by about m^2 over the size.
  const double could_gain = s > 0.0 ? 0.5 * m * m / s : m * m / pair.scale;
  constexpr double kMostMismatch = 1e-6;  // of the size: what witnesses may be off sideways
  return could_gain <= 2.0 * pair.rounding && m <= kMostMismatch * pair.scale;
}

/// One pass over the combinations of creases near n0, likeliest first (1 and 2, then 3, then 4 at
/// the top of this file). `found` is the best so far, over all passes.
bool refineOnce(const CorePair& pair, const Vec3& n0, double window, RefineUntil until,
                NormalCandidate* found, SupportContact* contact) {
  const Creases A = creasesNear(pair.A, n0, window);
  const Creases B = creasesInA(creasesNear(pair.B, pair.towardA(n0), window), pair.R);
  double examined = found->separation;  // a candidate no better than this has had its contact tried
  const auto isAnswer = [&] {
    if (until == RefineUntil::kExhausted || !(found->separation > examined)) return false;
    examined = found->separation;
    return isProven(pair, *found, contact);
  };
  offerCrossings(pair, A, B, n0, window, found);
  if (isAnswer()) return true;
  for (const Creases* creases : {&A, &B}) {
    for (int i = 0; i < creases->circles; ++i) {
      refineOnCircle(pair, creases->circle[i], n0, found);
      if (isAnswer()) return true;
    }
  }
  refineOnSphere(pair, n0, found);
  return until == RefineUntil::kExhausted ? isProven(pair, *found, contact) : isAnswer();
}

}  // namespace

void offer(const CorePair& pair, const Vec3& n, double separation, bool isolated,
           NormalCandidate* best) {
  const double tie = kRoomTie * pair.scale;
  const bool same = isSameNormal(best->n, n);
  if (separation > best->separation + 4.0 * pair.rounding) {
    const bool rival = !same && separation <= best->separation + tie;
    *best = {n, separation, isolated && !rival};
  } else if (!same && separation >= best->separation - tie) {
    best->isolated = false;
  }
}

bool refineNormal(const CorePair& pair, const Vec3& n0, double window, RefineUntil until,
                  NormalCandidate* best, SupportContact* contact) {
  // The creases near the normal found may be others than those near n0: each round starts anew from
  // there, until the separation no longer grows.
  constexpr int kMostRounds = 6;
  NormalCandidate found;
  Vec3 start = n0;
  bool proven = false;
  for (int round = 0; round < kMostRounds && !proven; ++round) {
    const double before = found.separation;
    proven = refineOnce(pair, start, window, until, &found, contact);
    if (!(found.separation > before + pair.rounding)) break;
    start = found.n;
  }
  offer(pair, found.n, found.separation, found.isolated, best);
  return proven;
}

}  // namespace allclear
