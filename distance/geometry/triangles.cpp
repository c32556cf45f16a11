// Distance of two triangles: the least of
//  - edge to edge, nine pairs of segments,
//  - corner to face, six, where the corner's foot is inside of the face,
//  - edge through face, six, where the triangles intersect,
// each a distance between a point of A and a point of B, so none is too small. Where rounding makes
// a test fail (a foot just outside of a face, a crossing just beside it), the nearest points lie
// within rounding of an edge, and the edge tests find them. Points of segments come from products
// with the common normal d x f rather than from the Gram determinant |d|^2 |f|^2 - (d.f)^2: at an
// angle t between the segments the error is rounding times 1/t rather than 1/t^2.
//
// Vectors of four lanes hold the three corners or edges of a triangle, and one of them repeated.
// Only triangles that reach both sides of the other's plane take a branch.
//
// Symbols: d, f edges of A and B; n a face's normal, not normalised; s, t places along edges.

#include "allclear/distance/geometry/triangles.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "allclear/core/simd.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed through a real call

namespace allclear {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kTiny = std::numeric_limits<double>::min();
constexpr double kBeyond = std::numeric_limits<double>::infinity();

using Lanes = double __attribute__((vector_size(32)));

ALLCLEAR_INLINE Lanes all(double x) { return Lanes{} + x; }
ALLCLEAR_INLINE Lanes clamped(Lanes x) {
  x = x > 0.0 ? x : all(0.0);
  return x < 1.0 ? x : all(1.0);
}
/// x, or 1 where x is too small to divide by (a degenerate edge or face: its dividend is 0 too).
ALLCLEAR_INLINE Lanes divisor(Lanes x) { return x > kTiny ? x : all(1.0); }
ALLCLEAR_INLINE Lanes magnitude(Lanes x) { return x > 0.0 ? x : -x; }

struct Vectors {
  Lanes x, y, z;
};

ALLCLEAR_INLINE Vectors operator+(const Vectors& a, const Vectors& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
ALLCLEAR_INLINE Vectors operator-(const Vectors& a, const Vectors& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
ALLCLEAR_INLINE Vectors operator*(Lanes s, const Vectors& a) { return {s * a.x, s * a.y, s * a.z}; }
ALLCLEAR_INLINE Lanes dot(const Vectors& a, const Vectors& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
ALLCLEAR_INLINE Vectors cross(const Vectors& a, const Vectors& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// Lane l in all lanes.
ALLCLEAR_INLINE Vectors spread(const Vectors& a, int l) {
  return {all(a.x[l]), all(a.y[l]), all(a.z[l])};
}
/// `b` where `nearer` holds.
template <class Mask>
ALLCLEAR_INLINE void replace(const Mask& nearer, const Vectors& b, Vectors* a) {
  a->x = nearer ? b.x : a->x;
  a->y = nearer ? b.y : a->y;
  a->z = nearer ? b.z : a->z;
}

/// Corners of a triangle relative to an origin, and its edges, corner i to i + 1.
struct Sides {
  Vectors corner;
  Vectors edge;
};

ALLCLEAR_INLINE Lanes next(Lanes x) { return __builtin_shufflevector(x, x, 1, 2, 0, 1); }

ALLCLEAR_INLINE Sides sidesOf(const TriangleCorners& T, const double* origin) {
  const auto& p = T.p;
  const Lanes x{p[0][0], p[1][0], p[2][0], p[0][0]}, y{p[0][1], p[1][1], p[2][1], p[0][1]},
      z{p[0][2], p[1][2], p[2][2], p[0][2]};
  return {{x - origin[0], y - origin[1], z - origin[2]}, {next(x) - x, next(y) - y, next(z) - z}};
}

/// The nearest points found, per lane.
struct Nearest {
  Lanes squared;
  Vectors a, b;
};

/// Edges of A with the edges of B: in each lane the best of A's three with that edge of B.
ALLCLEAR_INLINE Nearest edgesWithEdges(const Sides& A, const Sides& B) {
  Nearest best{all(kBeyond), A.corner, B.corner};
  const Vectors& f = B.edge;
  const Lanes ff = divisor(dot(f, f));
  for (int i = 0; i < 3; ++i) {
    const Vectors p = spread(A.corner, i), d = spread(A.edge, i), r = p - B.corner;
    const Vectors n = cross(d, f);
    const Lanes nn = dot(n, n), df = dot(d, f);
    const Lanes s_free = clamped(dot(n, cross(f, r)) / divisor(nn));
    const Lanes t = clamped((df * s_free + dot(f, r)) / ff);
    const Lanes s = clamped((df * t - dot(d, r)) / divisor(dot(d, d)));
    const Vectors w = r + s * d - t * f;
    const Lanes here = dot(w, w);
    const auto nearer = here < best.squared;
    best.squared = nearer ? here : best.squared;
    replace(nearer, p + s * d, &best.a);
    replace(nearer, B.corner + t * f, &best.b);
  }
  return best;
}

/// Feet, in the face F of normal n, of points; `squared` is infinite where the foot is outside.
ALLCLEAR_INLINE void feet(const Sides& F, const Vectors& n, const Vectors& p, Lanes* squared,
                          Vectors* foot) {
  Lanes area[3], inside = all(0.0), sum = all(0.0);
  for (int e = 0; e < 3; ++e) {  // edge e is opposite to corner e + 2
    area[e] = dot(n, cross(spread(F.edge, e), p - spread(F.corner, e)));
    inside = area[e] < inside ? area[e] : inside;
    sum += area[e];
  }
  const Lanes scale = 1.0 / divisor(sum);
  *foot = (area[1] * scale) * spread(F.corner, 0) + (area[2] * scale) * spread(F.corner, 1) +
          (area[0] * scale) * spread(F.corner, 2);
  const Vectors w = p - *foot;
  *squared = inside < 0.0 ? all(kBeyond) : dot(w, w);
  *squared = sum > kTiny ? *squared : all(kBeyond);
}

ALLCLEAR_INLINE Vectors normalOf(const Sides& F) {
  return cross(spread(F.edge, 0), spread(F.edge, 1));
}

/// Corners of P over the face F.
ALLCLEAR_INLINE void cornersOverFace(const Sides& P, const Sides& F, const Vectors& n, bool p_is_A,
                                     Nearest* best) {
  Lanes squared;
  Vectors foot;
  feet(F, n, P.corner, &squared, &foot);
  const auto nearer = squared < best->squared;
  best->squared = nearer ? squared : best->squared;
  replace(nearer, P.corner, p_is_A ? &best->a : &best->b);
  replace(nearer, foot, p_is_A ? &best->b : &best->a);
}

/// The corners' heights over the plane of F, times the length of n.
ALLCLEAR_INLINE Lanes heights(const Sides& P, const Sides& F, const Vectors& n) {
  return dot(n, P.corner - spread(F.corner, 0));
}
ALLCLEAR_INLINE bool onOneSide(Lanes h) {
  return (h[0] > 0.0 && h[1] > 0.0 && h[2] > 0.0) || (h[0] < 0.0 && h[1] < 0.0 && h[2] < 0.0);
}

/// Edges of P through the face F.
ALLCLEAR_INLINE void edgesThroughFace(const Sides& P, const Sides& F, const Vectors& n,
                                      Lanes height, bool p_is_A, double rounding, Nearest* best) {
  const Lanes after = next(height);
  const auto crosses = (height <= 0.0) != (after <= 0.0);
  const Lanes share = height / (crosses ? height - after : all(1.0));
  const Vectors crossing = P.corner + (crosses ? share : all(0.0)) * P.edge;
  Lanes squared;
  Vectors foot;
  feet(F, n, crossing, &squared, &foot);
  squared = crosses ? squared : all(kBeyond);
  const auto nearer = squared < best->squared;
  // The crossing lies in the plane of the face: what is left is rounding.
  const auto meets = squared <= rounding * rounding;
  squared = meets ? all(0.0) : squared;
  best->squared = nearer ? squared : best->squared;
  replace(nearer, crossing, p_is_A ? &best->a : &best->b);
  replace(nearer & meets, foot, p_is_A ? &best->a : &best->b);
  replace(nearer, foot, p_is_A ? &best->b : &best->a);
}

ALLCLEAR_INLINE double largest(const Vectors& v) {
  const Lanes x = magnitude(v.x), y = magnitude(v.y), z = magnitude(v.z);
  Lanes most = x > y ? x : y;
  most = most > z ? most : z;
  const double of_two = most[0] > most[1] ? most[0] : most[1];
  return of_two > most[2] ? of_two : most[2];
}

}  // namespace

ALLCLEAR_MULTIVERSION
TriangleDistance triangleDistance(const TriangleCorners& A, const TriangleCorners& B) {
  const double origin[3] = {A.p[0][0], A.p[0][1], A.p[0][2]};
  const Sides a = sidesOf(A, origin), b = sidesOf(B, origin);
  const Vectors n_A = normalOf(a), n_B = normalOf(b);
  Nearest best = edgesWithEdges(a, b);
  cornersOverFace(a, b, n_B, true, &best);
  cornersOverFace(b, a, n_A, false, &best);
  const Lanes of_A = heights(a, b, n_B), of_B = heights(b, a, n_A);
  const bool through_B = !onOneSide(of_A), through_A = !onOneSide(of_B);
  if (through_A || through_B) {
    const double size = largest(a.edge) + largest(b.edge);
    const double rounding = 16.0 * kEpsilon * (size + largest(b.corner));
    if (through_B) edgesThroughFace(a, b, n_B, of_A, true, rounding, &best);
    if (through_A) edgesThroughFace(b, a, n_A, of_B, false, rounding, &best);
  }
  const Lanes& d = best.squared;
  const int k = d[1] < d[0] ? (d[2] < d[1] ? 2 : 1) : (d[2] < d[0] ? 2 : 0);
  double points[6][4];
  std::memcpy(points[0], &best.a, sizeof best.a);
  std::memcpy(points[3], &best.b, sizeof best.b);
  TriangleDistance result;
  result.distance = std::sqrt(d[k]);
  for (int c = 0; c < 3; ++c) {
    result.a[c] = points[c][k] + origin[c];
    result.b[c] = points[3 + c][k] + origin[c];
  }
  return result;
}

Vec3 nearestOnTriangle(const TriangleCorners& T, const Vec3& p) {
  return triangleDistance(cornersOf(p, p, p), T).pointB();
}

}  // namespace allclear
