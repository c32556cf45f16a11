#pragma once

// The gauge of two ellipsoids as an equation of one unknown, and its solution; for one pair (L is
// double) or eight at once (L is simd::DoubleLanes). Derivation: docs/algorithms/ellipsoids.md.
//
// Choi, "A robust and efficient method to compute the closest approach distance between two
// ellipsoids", Journal of Korea Game Society 19(6), 2019, has the equation; what follows differs
// in form (sums of squares, no matrix is inverted) and in the iteration.
//
//   A, B    matrices of the ellipsoids x' A^-1 x <= 1 (here A = diag(a^2), B = R diag(b^2) R')
//   n       unit direction between the centres
//   u       in (0, 1); r = u / (1 - u)
//   N, D    n' adj(A + r B) n and det(A + r B), polynomials of r
//   F(r)    = n' (A/u + B/(1 - u))^-1 n = r / (1 + r) N / D; its maximum over r is 1 / d^2, with
//           d the distance of the centres at contact. Every value is a lower bound of that.
//   P, Q    quartics of r with F' = 0 <=> r^2 Q = P; solved as
//           psi(x) = x + ln(Q / P) / 2 = 0 with x = ln r, whose slope is in (0, 1]

#include "allclear/core/simd.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // never passed through a real call

namespace allclear::ellipsoid {

using simd::anyPositive;
using simd::larger;
using simd::root;
using simd::smaller;
using simd::whereNegative;

/// A pair in A's frame, lengths divided by the largest radius.
template <class L>
struct Pair {
  L a[3], b[3];  ///< radii
  L R[3][3];     ///< R[i][j]: coordinate i of B's axis j
  L n[3];        ///< unit, from A's centre to B's
};

template <class L>
struct Equation {
  L N[3], D[4];  ///< coefficients, all positive
  L low, high;   ///< a bracket of the root r
  L start;       ///< ratio of the radii along n: the root if B is A scaled
};

template <class L>
ALLCLEAR_INLINE L squared(L x) {
  return x * x;
}

/// All coefficients as sums of squares: nothing cancels.
template <class L>
ALLCLEAR_INLINE Equation<L> equationOf(const Pair<L>& pair) {
  const L *a = pair.a, *b = pair.b, *n = pair.n;
  const L A[3] = {a[0] * a[0], a[1] * a[1], a[2] * a[2]};
  const L B[3] = {b[0] * b[0], b[1] * b[1], b[2] * b[2]};
  const L adjA[3] = {A[1] * A[2], A[2] * A[0], A[0] * A[1]};
  const L adjB[3] = {B[1] * B[2], B[2] * B[0], B[0] * B[1]};
  Equation<L> e;
  e.N[0] = adjA[0] * n[0] * n[0] + adjA[1] * n[1] * n[1] + adjA[2] * n[2] * n[2];
  e.D[0] = A[0] * adjA[0];
  e.D[3] = B[0] * adjB[0];
  e.N[1] = e.N[2] = e.D[1] = e.D[2] = L{};
  for (int j = 0; j < 3; ++j) {
    // f is B's axis j. The mixed terms are products of the axes' sizes and (e_i x f_j).n etc.
    const L f[3] = {pair.R[0][j], pair.R[1][j], pair.R[2][j]};
    const L along = f[0] * n[0] + f[1] * n[1] + f[2] * n[2];
    const L f2[3] = {f[0] * f[0], f[1] * f[1], f[2] * f[2]};
    const L t[3] = {f[1] * n[2] - f[2] * n[1], f[2] * n[0] - f[0] * n[2],
                    f[0] * n[1] - f[1] * n[0]};
    e.N[1] += B[j] * (A[0] * t[0] * t[0] + A[1] * t[1] * t[1] + A[2] * t[2] * t[2]);
    e.N[2] += adjB[j] * along * along;
    e.D[1] += B[j] * (adjA[0] * f2[0] + adjA[1] * f2[1] + adjA[2] * f2[2]);
    e.D[2] += adjB[j] * (A[0] * f2[0] + A[1] * f2[1] + A[2] * f2[2]);
  }
  // The root is h_A(p) / h_B(p) for some p: between the extreme ratios of radii.
  const L least_a = smaller(smaller(a[0], a[1]), a[2]), most_a = larger(larger(a[0], a[1]), a[2]);
  const L least_b = smaller(smaller(b[0], b[1]), b[2]), most_b = larger(larger(b[0], b[1]), b[2]);
  e.low = least_a / most_b;
  e.high = most_a / least_b;
  e.start = root(e.D[0] * e.N[2] / (e.N[0] * e.D[3]));
  return e;
}

/// F(r), with 1 / F = 0 left to the caller: F is positive.
template <class L>
ALLCLEAR_INLINE L contactFunction(const Equation<L>& e, L r) {
  const L N = e.N[0] + r * (e.N[1] + r * e.N[2]);
  const L D = e.D[0] + r * (e.D[1] + r * (e.D[2] + r * e.D[3]));
  return r * N / ((1.0 + r) * D);
}

/// 2 atanh(z) = ln((1 + z) / (1 - z)): to rounding for small z, too small by far near 1, where only
/// the sign and a large size matter.
template <class L>
ALLCLEAR_INLINE L twiceAtanh(L z) {
  const L z2 = z * z;
  return 2.0 * z *
         (1.0 +
          z2 * (1.0 / 3 +
                z2 * (1.0 / 5 + z2 * (1.0 / 7 + z2 * (1.0 / 9 + z2 * (1.0 / 11 + z2 / 13.0))))));
}

/// A polynomial at ln r by its terms: the value and the sums of k term_k and k^2 term_k.
template <class L>
struct Powers {
  L value, first, second;
};
template <class L>
ALLCLEAR_INLINE Powers<L> powersOf(const L* coefficient, const L* r) {
  const L t1 = coefficient[1] * r[1], t2 = coefficient[2] * r[2], t3 = coefficient[3] * r[3],
          t4 = coefficient[4] * r[4];
  return {coefficient[0] + ((t1 + t2) + (t3 + t4)), (t1 + 2.0 * t2) + (3.0 * t3 + 4.0 * t4),
          (t1 + 4.0 * t2) + (9.0 * t3 + 16.0 * t4)};
}

/// Of F: the last step may change it by this share. The share left after it is the square.
constexpr double kLastChange = 1e-7;
/// Longer steps of x = ln r are never the last: F may be all but level far from its maximum. Where
/// radii differ by a factor of 1e6, steps of 1 would leave errors of up to 2e-7 in d (11 of 300,000
/// pairs above 1e-11), 0.3 of 8e-12, 0.1 of 2e-13; 0.03 leaves 2e-15, for 0.2 % more iterations.
constexpr double kShortForValue = 0.03;
/// Where r itself counts (for slopes and normals): the error left is about the cube.
constexpr double kShortForSlope = 1e-3;
/// Far more than are ever needed: halving ln(10^12) down to rounding takes 60.
constexpr int kMostIterations = 100;
/// Steps of x = ln r longer than this are cut: psi bends within. So far from the root that psi is
/// beyond `kFar` it hardly does, and r is off by orders of magnitude: a longer step then saves an
/// eighth of all iterations at ratios up to 1e6.
constexpr double kLongestStep = 3.0;
constexpr double kFar = 3.0;
constexpr double kLongestFarStep = 12.0;

/// ln w, which is psi where w is the root of r^2 Q / P; and how long a step may be.
template <class L>
ALLCLEAR_INLINE L logarithm(L w, L* longest_step) {
  const L zero{}, near = twiceAtanh((w - 1.0) / (w + 1.0));
  *longest_step = zero + kLongestStep;
  const L beyond = larger(near, -near) - kFar;
  if (!anyPositive(beyond)) return near;
  // There the series is too small: ln w = 4 ln of the fourth root, which is near 1.
  const L v = root(root(w));
  *longest_step = whereNegative(beyond, *longest_step, zero + kLongestFarStep);
  return whereNegative(beyond, near, 4.0 * twiceAtanh((v - 1.0) / (v + 1.0)));
}

/// The root r, by Halley's iteration for psi, within a bracket. `short_step`: one of the two above.
/// `iterations` counts the evaluations of P and Q.
template <class L>
ALLCLEAR_INLINE L solve(const Equation<L>& e, double short_step, L* iterations) {
  const L *N = e.N, *D = e.D;
  const L P[5] = {N[0] * D[0], 2.0 * (N[1] * D[0]), N[1] * D[1] - N[0] * D[2] + 3.0 * (N[2] * D[0]),
                  2.0 * (N[2] * D[1] - N[0] * D[3]), N[2] * D[2] - N[1] * D[3]};
  const L Q[5] = {N[0] * D[1] - N[1] * D[0], 2.0 * (N[0] * D[2] - N[2] * D[0]),
                  N[1] * D[2] - N[2] * D[1] + 3.0 * (N[0] * D[3]), 2.0 * (N[1] * D[3]),
                  N[2] * D[3]};
  const L zero{}, one = zero + 1.0;
  L r = e.start, low = e.low, high = e.high, count = zero;
  L open = one;  // 0 where the root is found. Flags are 1 or 0.
  for (int i = 0; i < kMostIterations; ++i) {
    const L r2 = r * r;
    const L power[5] = {one, r, r2, r2 * r, r2 * r2};
    const Powers<L> p = powersOf(P, power), q = powersOf(Q, power);
    // F rises while P > r^2 Q: the root is on that side.
    const L rise = p.value - r2 * q.value;
    low = whereNegative(zero - rise, r, low);
    high = whereNegative(zero - rise, high, r);
    const L inverse = 1.0 / (p.value * q.value);
    const L over_p = q.value * inverse, over_q = p.value * inverse;
    const L mean_p = p.first * over_p, mean_q = q.first * over_q;
    const L slope = 1.0 + 0.5 * (mean_q - mean_p);
    const L bend =
        0.5 * ((q.second * over_q - mean_q * mean_q) - (p.second * over_p - mean_p * mean_p));
    const L w = root(r2 * q.value * over_p);
    L longest;
    const L psi = logarithm(w, &longest);
    // Halley: Newton with the slope half a step ahead, where that is not far from the slope here.
    const L ahead = slope - 0.5 * psi * bend / slope;
    const L halley =
        whereNegative(0.5 * slope - ahead, whereNegative(ahead - 3.0 * slope, ahead, slope), slope);
    const L step = -psi / halley;
    const L x = smaller(larger(step, zero - longest), longest);
    // r exp(x), by the fourth power of exp(x / 4).
    const L y = 0.25 * x;
    const L quarter = (12.0 + y * (6.0 + y)) / (12.0 + y * (y - 6.0));
    const L next = r * squared(squared(quarter));
    // Rounding may leave P or Q without sign when radii differ by a factor of 1e6: halve then. A
    // last step may leave the bracket by rounding alone.
    const L worst = smaller(smaller(p.value, q.value), slope);
    const L valid = whereNegative(zero - worst, one, zero);
    const L change = larger(rise, -rise) * larger(x, -x);
    const L least = kLastChange * ((1.0 + r) * (p.value + r * q.value));
    const L excess = larger(change - least, larger(x, -x) - short_step);
    const L last = whereNegative(excess, valid, zero);
    const L within = whereNegative(larger(low - next, next - high), valid, zero);
    const L inside = smaller(larger(next, low), high);
    const L moved = whereNegative(zero - (last + within), inside, root(low * high));
    r = whereNegative(zero - open, moved, r);
    count += open;
    open = whereNegative(zero - last, zero, open);
    if (!anyPositive(open)) break;
  }
  *iterations = count;
  return r;
}

/// (A/u + B/(1 - u))^-1 n at the root.
template <class L>
ALLCLEAR_INLINE void slopeOf(const Pair<L>& pair, const Equation<L>& e, L r, L* out) {
  const L *a = pair.a, *b = pair.b, *n = pair.n;
  const L A[3] = {a[0] * a[0], a[1] * a[1], a[2] * a[2]};
  const L B[3] = {b[0] * b[0], b[1] * b[1], b[2] * b[2]};
  const L adjA[3] = {A[1] * A[2], A[2] * A[0], A[0] * A[1]};
  const L adjB[3] = {B[1] * B[2], B[2] * B[0], B[0] * B[1]};
  const L D = e.D[0] + r * (e.D[1] + r * (e.D[2] + r * e.D[3]));
  const L factor = r / ((1.0 + r) * D);
  for (int i = 0; i < 3; ++i) out[i] = adjA[i] * n[i];
  for (int j = 0; j < 3; ++j) {
    const L f[3] = {pair.R[0][j], pair.R[1][j], pair.R[2][j]};
    const L along = r * r * adjB[j] * (f[0] * n[0] + f[1] * n[1] + f[2] * n[2]);
    // A (f x n) for the mixed term of the adjugate: (A (f x n)) x f.
    const L s[3] = {A[0] * (f[1] * n[2] - f[2] * n[1]), A[1] * (f[2] * n[0] - f[0] * n[2]),
                    A[2] * (f[0] * n[1] - f[1] * n[0])};
    const L mixed = r * B[j];
    out[0] += mixed * (s[1] * f[2] - s[2] * f[1]) + along * f[0];
    out[1] += mixed * (s[2] * f[0] - s[0] * f[2]) + along * f[1];
    out[2] += mixed * (s[0] * f[1] - s[1] * f[0]) + along * f[2];
  }
  for (int i = 0; i < 3; ++i) out[i] *= factor;
}

/// Divides the lengths of a pair by its largest radius, and the way between the centres, which is
/// in `n` at first, by its length; where that is 0 the way is along x.
template <class L>
struct Scale {
  L size;     ///< the largest radius
  L centers;  ///< distance of the centres
};
template <class L>
ALLCLEAR_INLINE Scale<L> normalise(Pair<L>* pair) {
  L *a = pair->a, *b = pair->b, *n = pair->n;
  const L zero{}, one = zero + 1.0;
  const L size = larger(larger(larger(a[0], a[1]), a[2]), larger(larger(b[0], b[1]), b[2]));
  const L per_size = one / size;
  for (int i = 0; i < 3; ++i) {
    a[i] = a[i] * per_size;
    b[i] = b[i] * per_size;
  }
  // The largest coordinate first: squares of what remains neither overflow nor vanish.
  const L most = larger(larger(larger(n[0], -n[0]), larger(n[1], -n[1])), larger(n[2], -n[2]));
  const L per_most = one / whereNegative(zero - most, most, one);
  const L x = whereNegative(zero - most, n[0] * per_most, one), y = n[1] * per_most,
          z = n[2] * per_most;
  const L length = root(x * x + y * y + z * z);
  const L per_length = one / length;
  n[0] = x * per_length;
  n[1] = y * per_length;
  n[2] = z * per_length;
  return {size, most * length};
}

}  // namespace allclear::ellipsoid

#pragma GCC diagnostic pop
