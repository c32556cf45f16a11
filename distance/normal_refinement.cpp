#include "allclear/distance/normal_refinement.h"

#include <algorithm>

namespace allclear {
namespace {

constexpr double kLongestStep = 0.3;  // [rad] of one Newton iteration
constexpr int kMostSteps = 15;
constexpr int kMostHalvings = 3;  // more: a kink is in the way, and its crease is what to follow

/// Value and first two derivatives (in space) of -s at a unit normal: the gradient is a - b.
struct Expansion {
  Vec3 gradient;
  Mat3 hessian;
  double value;
};

Expansion expand(const CorePair& pair, const Vec3& n) {
  Vec3 a;
  Vec3 b;
  Mat3 hessian_A;
  Mat3 hessian_B;
  coreCurvature(pair.A, n, &a, &hessian_A);
  coreCurvature(pair.B, -(pair.R.transpose() * n), &b, &hessian_B);
  Expansion e;
  e.gradient = a - (pair.R * b + pair.p);
  e.hessian = hessian_A + pair.R * hessian_B * pair.R.transpose();
  e.value = n.dot(e.gradient);
  return e;
}

/// Minimises -s on the circle from the angle nearest to n0.
void refineOnCircle(const CorePair& pair, const CreaseCircle& circle, const Vec3& n0,
                    NormalCandidate* best) {
  const Vec3& axis = circle.axis;
  const double level = circle.sine;
  const double radius = circle.cosine;
  Vec3 e1 = n0 - axis * axis.dot(n0);
  const double length = e1.norm();
  if (length < 1e-12 || radius < 1e-12) return;
  e1 /= length;
  const Vec3 e2 = axis.cross(e1);
  const auto at = [&](double theta) -> Vec3 {
    return (level * axis + radius * (std::cos(theta) * e1 + std::sin(theta) * e2)).normalized();
  };
  double theta = 0.0;
  Vec3 n = at(0.0);
  Expansion e = expand(pair, n);
  double curvature = 0.0;
  for (int i = 0; i < kMostSteps; ++i) {
    const Vec3 tangent = radius * (-std::sin(theta) * e1 + std::cos(theta) * e2);
    const double slope = e.gradient.dot(tangent);
    curvature = tangent.dot(e.hessian * tangent) - e.gradient.dot(n - level * axis);
    double step = curvature > 0.0 ? -slope / curvature : (slope > 0.0 ? -0.1 : 0.1);
    step = std::clamp(step, -kLongestStep, kLongestStep);
    bool moved = false;
    for (int halving = 0; halving < kMostHalvings && std::abs(step) > 1e-16; ++halving, step *= 0.25) {
      const Vec3 n_new = at(theta + step);
      const Expansion e_new = expand(pair, n_new);
      if (e_new.value < e.value + pair.rounding) {
        const bool last = std::abs(step) < 1e-11 || !(e_new.value < e.value);
        if (e_new.value < e.value || std::abs(step) < 1e-7) {
          theta += step;
          n = n_new;
          e = e_new;
        }
        moved = !last;
        break;
      }
    }
    if (!moved) break;
  }
  offer(pair, n, -e.value, curvature > 1e-9 * pair.scale, best);
}

/// Minimises -s on the sphere from n0, where no crease is in the way.
void refineOnSphere(const CorePair& pair, const Vec3& n0, NormalCandidate* best) {
  Vec3 n = n0;
  Expansion e = expand(pair, n);
  double least_curvature = 0.0;
  for (int i = 0; i < kMostSteps; ++i) {
    const Vec3 t1 = n.unitOrthogonal();
    const Vec3 t2 = n.cross(t1);
    const double g1 = t1.dot(e.gradient);
    const double g2 = t2.dot(e.gradient);
    const Vec3 H1 = e.hessian * t1;
    const double h11 = t1.dot(H1) - e.value;
    const double h12 = t2.dot(H1);
    const double h22 = t2.dot(e.hessian * t2) - e.value;
    const double mean = 0.5 * (h11 + h22);
    const double spread = std::hypot(0.5 * (h11 - h22), h12);
    least_curvature = mean - spread;
    // Shift an indefinite matrix until it is safely positive: then the step descends.
    const double shift = std::max(0.0, 1e-3 * (mean + spread + 1e-3 * pair.scale) -
                                           least_curvature);
    const double use_shift = least_curvature > 1e-12 * pair.scale ? 0.0 : shift;
    const double a11 = h11 + use_shift;
    const double a22 = h22 + use_shift;
    const double det = a11 * a22 - h12 * h12;
    if (!(det > 0.0)) break;
    Vec2 step(-(a22 * g1 - h12 * g2) / det, -(a11 * g2 - h12 * g1) / det);
    const double length = step.norm();
    if (length > kLongestStep) step *= kLongestStep / length;
    bool moved = false;
    for (int halving = 0; halving < kMostHalvings && step.norm() > 1e-16; ++halving, step *= 0.25) {
      const Vec3 n_new = (n + step.x() * t1 + step.y() * t2).normalized();
      const Expansion e_new = expand(pair, n_new);
      if (e_new.value < e.value + pair.rounding) {
        const bool last = step.norm() < 1e-11 || !(e_new.value < e.value);
        if (e_new.value < e.value || step.norm() < 1e-7) {
          n = n_new;
          e = e_new;
        }
        moved = !last;
        break;
      }
    }
    if (!moved) break;
  }
  offer(pair, n, -e.value, least_curvature > 1e-9 * pair.scale, best);
}

/// Newton's correction of a crossing with a cone's circle, whose closed form cancels.
void polishCrossing(const CreaseCircle& c1, const CreaseCircle& c2, Vec3* n) {
  const auto gradient = [&](const CreaseCircle& c) -> Vec3 {
    const Vec3 across = *n - c.axis * c.axis.dot(*n);
    return c.axis * c.cosine - across * (c.sine / across.norm());
  };
  for (int i = 0; i < 2; ++i) {
    const Vec3 g1 = gradient(c1);
    const Vec3 g2 = gradient(c2);
    const double det = n->dot(g1.cross(g2));
    if (!(std::abs(det) > 1e-9)) return;
    *n -= (c1.offset(*n) * g2.cross(*n) + c2.offset(*n) * n->cross(g1)) / det;
    n->normalize();
  }
}

/// The unit vectors on both circles (none, or two mirror images).
int crossings(const CreaseCircle& c1, const CreaseCircle& c2, Vec3 out[2]) {
  const Vec3 cross = c1.axis.cross(c2.axis);
  const double sin2 = cross.squaredNorm();
  if (sin2 < 1e-24) return 0;
  const double k = c1.axis.dot(c2.axis);
  const double alpha = (c1.sine - k * c2.sine) / sin2;
  const double beta = (c2.sine - k * c1.sine) / sin2;
  const double rest = (1.0 - alpha * c1.sine - beta * c2.sine) / sin2;
  if (rest < 0.0) return 0;
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

/// Creases of B in A's frame, as conditions on n (B is supported along -n).
Creases turned(const Creases& local, const Mat3& R) {
  Creases out;
  for (int i = 0; i < local.circles; ++i) {
    const CreaseCircle& c = local.circle[i];
    out.add({-(R * c.axis), c.sine, c.cosine});
  }
  for (int i = 0; i < local.normals; ++i) out.add(-(R * local.normal[i]));
  return out;
}

void offerAmong(const CorePair& pair, const Creases& A, const Creases& B, const Vec3& n0,
                double window, NormalCandidate* best) {
  for (const Creases* creases : {&A, &B}) {
    for (int i = 0; i < creases->normals; ++i) offerAt(pair, creases->normal[i], best);
  }
  const double least_cosine = window >= 3.2 ? -2.0 : std::cos(window);
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

/// Whether the contact along the candidate leaves nothing to be gained near it.
bool isProven(const CorePair& pair, const NormalCandidate& candidate, Contact* contact) {
  *contact = contactAt(pair, candidate.n, candidate.separation);
  const double m = contact->mismatch;
  if (m <= 64.0 * pair.rounding) return true;
  const double s = candidate.separation;
  // Apart: the points bound the distance by sqrt(s^2 + m^2). Overlapping: the depth is stationary,
  // and off by about m^2 over the size.
  const double could_gain = s > 0.0 ? 0.5 * m * m / s : m * m / pair.scale;
  return could_gain <= 2.0 * pair.rounding && m <= 1e-6 * pair.scale;
}

/// One pass over the combinations of creases near n0, likeliest first.
bool refineOnce(const CorePair& pair, const Vec3& n0, double window, NormalCandidate* found,
                Contact* contact) {
  const Creases A = creasesNear(pair.A, n0, window);
  const Creases B = turned(creasesNear(pair.B, pair.towardA(n0), window), pair.R);
  const double nothing = found->separation;
  offerAmong(pair, A, B, n0, window, found);
  double proven_not = found->separation;
  if (proven_not > nothing && isProven(pair, *found, contact)) return true;
  for (const Creases* creases : {&A, &B}) {
    for (int i = 0; i < creases->circles; ++i) {
      refineOnCircle(pair, creases->circle[i], n0, found);
      if (found->separation > proven_not && isProven(pair, *found, contact)) return true;
      proven_not = found->separation;
    }
  }
  refineOnSphere(pair, n0, found);
  return found->separation > proven_not && isProven(pair, *found, contact);
}

}  // namespace

void offer(const CorePair& pair, const Vec3& n, double separation, bool isolated,
           NormalCandidate* best) {
  // Normals nearer than 1e-3 rad are one: the same optimum, reached less or more exactly.
  constexpr double kSameCosine = 1.0 - 5e-7;
  const double tie = 1e-10 * pair.scale;
  const bool same = best->n.dot(n) > kSameCosine;
  if (separation > best->separation + 4.0 * pair.rounding) {
    const bool rival = !same && separation <= best->separation + tie;
    *best = {n, separation, isolated && !rival};
  } else if (!same && separation >= best->separation - tie) {
    best->isolated = false;
  }
}

void offerCreaseNormals(const CorePair& pair, const Vec3& n0, double window,
                        NormalCandidate* best) {
  const Creases A = creasesNear(pair.A, n0, window);
  const Creases B = turned(creasesNear(pair.B, pair.towardA(n0), window), pair.R);
  offerAmong(pair, A, B, n0, window, best);
}

bool refineNormal(const CorePair& pair, const Vec3& n0, double window, NormalCandidate* best,
                  Contact* contact) {
  constexpr int kMostRounds = 6;
  NormalCandidate found;
  Vec3 start = n0;
  bool proven = false;
  for (int round = 0; round < kMostRounds && !proven; ++round) {
    const double before = found.separation;
    proven = refineOnce(pair, start, window, &found, contact);
    if (!(found.separation > before + pair.rounding)) break;
    start = found.n;
  }
  offer(pair, found.n, found.separation, found.isolated, best);
  return proven;
}

}  // namespace allclear
