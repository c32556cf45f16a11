// Two triangles on a line: a separating axis test in double precision that returns the interval of
// s in which they meet, and the facets of their Minkowski difference that the line crosses at its
// ends.
//
// The axes are the normal of either triangle and the nine products of an edge of A with an edge of
// B; when the triangles are parallel, or at rest, also the products of each triangle's edges with
// its own normal (the axes of the test in their common plane). For a unit axis n, with q from B's
// first corner to A's and extents measured from these corners, the triangles overlap along n while
//   low <= n.q + s n.v <= high,
//   low = min over B - max over A, high = max over B - min over A.
// The last `in` and the first `out` over all axes bound the interval; each is at the facet square
// to its axis. At s = 0 the axis with the widest gap is the direction in which the triangles are
// nearest to be separated.
//
// All axes are in arrays, so that the compiler computes them side by side.

#include "allclear/distance/mesh_depth/line_kernels.h"

#include <cmath>

#include "allclear/core/simd.h"

namespace allclear::mesh {
namespace {

ALLCLEAR_INLINE double greaterOf(double a, double b) { return a > b ? a : b; }
ALLCLEAR_INLINE double lesserOf(double a, double b) { return a < b ? a : b; }

/// Divisors are no smaller than this: a quotient may then be huge but is a number.
constexpr double kLeastDivisor = 1e-300;
/// Axes whose squares are below this share of what their edges allow are rounding: edges are right
/// to some 1e-16 of their length, so a product of two shorter than 1e-13 of it has no direction.
constexpr double kNoDirection = 1e-26;
/// A triangle whose doubled area is below 1e-11 of its longest squared edge has no normal: corners
/// on a line.
constexpr double kNoArea = 1e-22;
/// Facets of one triangle are preferred to those of two edges unless these are better by this share
/// of their offset: equal to rounding otherwise.
constexpr double kBetter = 1e-15;
/// sin^2 of the angle of two normals: below it (0.6 degrees) the triangles count as parallel.
constexpr double kNearlyParallel = 1e-4;

ALLCLEAR_INLINE double awayFromZero(double w) {
  return std::copysign(greaterOf(std::abs(w), kLeastDivisor), w);
}

/// Axes 0 and 1: normals of A and of B. 2 to 10: edges of A times edges of B. 11 to 16, only with
/// all axes: normals times own edges. The rest is zero and fills the registers.
constexpr int kFacets = 12, kAllAxes = 20;
constexpr int kUsedFacets = 11, kUsedAxes = 17;

struct Axes {
  double x[kAllAxes], y[kAllAxes], z[kAllAxes];
};

/// Two triangles: their edges, the longest squared edge of each, and q from B's first corner to A's
/// at s = 0.
struct TrianglePair {
  double a[3][3], b[3][3], q[3], longest_A, longest_B;
};

ALLCLEAR_INLINE void setCross(Axes* axes, int at, const double* a, const double* b) {
  axes->x[at] = a[1] * b[2] - a[2] * b[1];
  axes->y[at] = a[2] * b[0] - a[0] * b[2];
  axes->z[at] = a[0] * b[1] - a[1] * b[0];
}

template <int kAxes>
ALLCLEAR_INLINE void trianglesAxes(const double (*a)[3], const double (*b)[3], Axes* axes) {
  setCross(axes, 0, a[0], a[1]);
  setCross(axes, 1, b[0], b[1]);
  // The two normals, for the axes in the common plane of parallel triangles.
  const double n[3] = {axes->x[0], axes->y[0], axes->z[0]};
  const double k[3] = {axes->x[1], axes->y[1], axes->z[1]};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) setCross(axes, 2 + 3 * i + j, a[i], b[j]);
    if constexpr (kAxes == kAllAxes) {
      setCross(axes, 11 + i, n, a[i]);
      setCross(axes, 14 + i, k, b[i]);
    }
  }
  for (int l = kAxes == kAllAxes ? kUsedAxes : kUsedFacets; l < kAxes; ++l) {
    axes->x[l] = axes->y[l] = axes->z[l] = 0.0;
  }
}

/// Squared lengths at which axes are noise: products of two edges, and of three.
struct AxisNoise {
  double two, three;
};

ALLCLEAR_INLINE AxisNoise axisNoise(const TrianglePair& pair) {
  const double longest = greaterOf(pair.longest_A, pair.longest_B);
  const double two = kNoDirection * pair.longest_A * pair.longest_B,
               own = kNoDirection * longest * longest, three = own * longest;
  return {two, three};
}

/// By the squared normals: one of the triangles has no area.
ALLCLEAR_INLINE bool isThin(const TrianglePair& pair, const double* squares) {
  return squares[0] <= kNoArea * pair.longest_A * pair.longest_A ||
         squares[1] <= kNoArea * pair.longest_B * pair.longest_B;
}

/// The test along the first `kAxes` axes. Each is made a unit vector, an axis of noise 0: that one
/// overlaps for all s and rules nothing out. Then each gives an interval of s; of all, the last to
/// begin and the first to end count.
template <int kAxes>
ALLCLEAR_INLINE void sweepAlong(const LineMotion& m, const TrianglePair& pair,
                                TriangleSweep* result) {
  const auto &a = pair.a, &b = pair.b;
  const auto& q = pair.q;
  Axes axes;
  trianglesAxes<kAxes>(a, b, &axes);
  const AxisNoise noise_of = axisNoise(pair);
  double at[kAxes], speed[kAxes], low[kAxes], high[kAxes], squares[kAxes];
  for (int l = 0; l < kAxes; ++l) {
    const double x = axes.x[l], y = axes.y[l], z = axes.z[l];
    const double squared = x * x + y * y + z * z;
    squares[l] = squared;
    const double noise = l < 2 ? 0.0 : (l < kUsedFacets ? noise_of.two : noise_of.three);
    const double scale = squared > noise ? 1.0 / std::sqrt(greaterOf(squared, kLeastDivisor)) : 0.0;
    const double nx = x * scale, ny = y * scale, nz = z * scale;
    axes.x[l] = nx;
    axes.y[l] = ny;
    axes.z[l] = nz;
    at[l] = nx * q[0] + ny * q[1] + nz * q[2];
    speed[l] = nx * m.v[0] + ny * m.v[1] + nz * m.v[2];
    // The second and third corner of each, relative to its first.
    const double a1 = nx * a[0][0] + ny * a[0][1] + nz * a[0][2];
    const double a2 = -(nx * a[2][0] + ny * a[2][1] + nz * a[2][2]);
    const double b1 = nx * b[0][0] + ny * b[0][1] + nz * b[0][2];
    const double b2 = -(nx * b[2][0] + ny * b[2][1] + nz * b[2][2]);
    low[l] = lesserOf(0.0, lesserOf(b1, b2)) - greaterOf(0.0, greaterOf(a1, a2));
    high[l] = greaterOf(0.0, greaterOf(b1, b2)) - lesserOf(0.0, lesserOf(a1, a2));
  }
  double in[kAxes], out[kAxes], gap[kAxes], side[kAxes];
  for (int l = 0; l < kAxes; ++l) {
    const double w = 1.0 / awayFromZero(speed[l]);
    const double s0 = (low[l] - m.offset - at[l]) * w, s1 = (high[l] + m.offset - at[l]) * w;
    in[l] = lesserOf(s0, s1);
    out[l] = greaterOf(s0, s1);
    const double below = low[l] - at[l], above = at[l] - high[l];
    gap[l] = greaterOf(below, above);
    side[l] = above >= below ? 1.0 : -1.0;
  }
  int i = 0, o = 0, g = 0;  // the last to begin, the first to end, the widest gap at s = 0
  for (int l = 1; l < (kAxes == kAllAxes ? kUsedAxes : kUsedFacets); ++l) {
    i = in[l] > in[i] ? l : i;
    o = out[l] < out[o] ? l : o;
    g = gap[l] > gap[g] + (l < 2 ? 0.0 : kBetter * std::abs(at[l])) ? l : g;
  }
  result->thin = isThin(pair, squares);
  result->in = in[i];
  result->out = out[o];
  result->gap = gap[g];
  // From B to A: against the line's direction where it enters, along it where it leaves.
  const double towards = speed[i] < 0.0 ? 1.0 : -1.0, away = speed[o] < 0.0 ? -1.0 : 1.0;
  const double n_in[3] = {axes.x[i], axes.y[i], axes.z[i]};
  const double n_out[3] = {axes.x[o], axes.y[o], axes.z[o]};
  const double n_gap[3] = {axes.x[g], axes.y[g], axes.z[g]};
  for (int k = 0; k < 3; ++k) {
    result->normal_in[k] = towards * n_in[k];
    result->normal_out[k] = away * n_out[k];
    result->normal_gap[k] = side[g] * n_gap[k];
  }
}

/// Their normals are far from parallel: every facet is square to one of them or to two edges.
ALLCLEAR_INLINE bool areOblique(const TrianglePair& pair) {
  const auto& a = pair.a;
  const auto& b = pair.b;
  double n[3], k[3];
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    n[i] = a[0][j] * a[1][l] - a[0][l] * a[1][j];
    k[i] = b[0][j] * b[1][l] - b[0][l] * b[1][j];
  }
  const double nn = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  const double kk = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
  const double nk = n[0] * k[0] + n[1] * k[1] + n[2] * k[2];
  return nk * nk < (1.0 - kNearlyParallel) * nn * kk;
}

}  // namespace

ALLCLEAR_MULTIVERSION
void sweepTriangles(const LineMotion& m, const TriangleCorners& A, const TriangleCorners& B,
                    TriangleSweep* result) {
  TrianglePair pair;
  pair.longest_A = pair.longest_B = 0.0;
  for (int i = 0; i < 3; ++i) {
    double of_A = 0.0, of_B = 0.0;
    for (int k = 0; k < 3; ++k) {
      pair.a[i][k] = A.p[(i + 1) % 3][k] - A.p[i][k];
      pair.b[i][k] = B.p[(i + 1) % 3][k] - B.p[i][k];
      of_A += pair.a[i][k] * pair.a[i][k];
      of_B += pair.b[i][k] * pair.b[i][k];
    }
    pair.longest_A = greaterOf(pair.longest_A, of_A);
    pair.longest_B = greaterOf(pair.longest_B, of_B);
  }
  for (int k = 0; k < 3; ++k) pair.q[k] = A.p[0][k] + m.T[k] - B.p[0][k];
  // At rest the gap is what is asked for, and between parallel triangles an axis in their common
  // plane may have the widest: then all axes are needed.
  const bool moves = m.v[0] != 0.0 || m.v[1] != 0.0 || m.v[2] != 0.0;
  if (moves && areOblique(pair)) {
    sweepAlong<kFacets>(m, pair, result);
  } else {
    sweepAlong<kAllAxes>(m, pair, result);
  }
}

}  // namespace allclear::mesh
