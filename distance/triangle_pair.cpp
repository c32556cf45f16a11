// Distance of two triangles: the least of
//  - edge to edge, nine pairs of segments,
//  - corner to face, six, where the corner's foot is inside of the face,
//  - edge through face, six, where the triangles intersect,
// each a distance of two points of the triangles. What a test misses for rounding (a foot just
// outside of a face, a crossing just beside it), a test of lower dimension next to it finds to
// rounding. Points of segments come from products with the common normal d x f rather than from the
// Gram determinant |d|^2 |f|^2 - (d.f)^2, whose error at an angle t is 1/t^2 rather than 1/t times
// rounding.
//
// Lanes of four run in parallel: three corners or edges, and one repeated.

#include "allclear/distance/triangle_pair.h"

#include <cmath>
#include <limits>

#include "allclear/core/multiversion.h"

namespace allclear {
namespace {

constexpr int kLanes = 4;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kTiny = std::numeric_limits<double>::min();

struct Lanes {
  double x[kLanes], y[kLanes], z[kLanes];
};

/// Corners of a triangle relative to an origin, and its edges, corner i to i + 1.
struct Sides {
  Lanes corner;
  Lanes edge;
};

ALLCLEAR_ALWAYS_INLINE double clamped(double x) {
  const double low = x > 0.0 ? x : 0.0;
  return low < 1.0 ? low : 1.0;
}

ALLCLEAR_ALWAYS_INLINE void sidesOf(const TriangleCorners& T, const double* origin, Sides* out) {
  for (int l = 0; l < kLanes; ++l) {
    const int i = l % 3, j = (l + 1) % 3;
    out->corner.x[l] = T.p[i][0] - origin[0];
    out->corner.y[l] = T.p[i][1] - origin[1];
    out->corner.z[l] = T.p[i][2] - origin[2];
    out->edge.x[l] = T.p[j][0] - T.p[i][0];
    out->edge.y[l] = T.p[j][1] - T.p[i][1];
    out->edge.z[l] = T.p[j][2] - T.p[i][2];
  }
}

struct Best {
  double squared = std::numeric_limits<double>::infinity();
  double a[3] = {};
  double b[3] = {};
};

/// Edge i of A with the edges of B.
ALLCLEAR_ALWAYS_INLINE void edgeWithEdges(const Sides& A, int i, const Sides& B, Best* best) {
  const double px = A.corner.x[i], py = A.corner.y[i], pz = A.corner.z[i];
  const double dx = A.edge.x[i], dy = A.edge.y[i], dz = A.edge.z[i];
  const double dd = dx * dx + dy * dy + dz * dz;
  const double inverse_dd = 1.0 / (dd > kTiny ? dd : 1.0);
  double squared[kLanes], s_at[kLanes], t_at[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const double fx = B.edge.x[l], fy = B.edge.y[l], fz = B.edge.z[l];
    const double rx = px - B.corner.x[l], ry = py - B.corner.y[l], rz = pz - B.corner.z[l];
    const double nx = dy * fz - dz * fy, ny = dz * fx - dx * fz, nz = dx * fy - dy * fx;
    const double nn = nx * nx + ny * ny + nz * nz;
    const double ff = fx * fx + fy * fy + fz * fz;
    const double df = dx * fx + dy * fy + dz * fz;
    const double dr = dx * rx + dy * ry + dz * rz;
    const double fr = fx * rx + fy * ry + fz * rz;
    const double det =
        nx * (fy * rz - fz * ry) + ny * (fz * rx - fx * rz) + nz * (fx * ry - fy * rx);
    const double s_free = clamped(det / (nn > kTiny ? nn : 1.0));
    const double t = clamped((df * s_free + fr) / (ff > kTiny ? ff : 1.0));
    const double s = clamped((df * t - dr) * inverse_dd);
    const double wx = rx + s * dx - t * fx, wy = ry + s * dy - t * fy, wz = rz + s * dz - t * fz;
    squared[l] = wx * wx + wy * wy + wz * wz;
    s_at[l] = s;
    t_at[l] = t;
  }
  int k = 0;
  for (int l = 1; l < 3; ++l) k = squared[l] < squared[k] ? l : k;
  if (!(squared[k] < best->squared)) return;
  best->squared = squared[k];
  best->a[0] = px + s_at[k] * dx;
  best->a[1] = py + s_at[k] * dy;
  best->a[2] = pz + s_at[k] * dz;
  best->b[0] = B.corner.x[k] + t_at[k] * B.edge.x[k];
  best->b[1] = B.corner.y[k] + t_at[k] * B.edge.y[k];
  best->b[2] = B.corner.z[k] + t_at[k] * B.edge.z[k];
}

/// Feet, in the face F, of four points; `squared` is infinite where the foot is outside.
ALLCLEAR_ALWAYS_INLINE void feet(const Sides& F, double nx, double ny, double nz, const Lanes& p,
                                 double* squared, Lanes* foot) {
  double inside[kLanes], w[3][kLanes], sum[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    inside[l] = 0.0;
    sum[l] = 0.0;
  }
  for (int e = 0; e < 3; ++e) {  // edge e is opposite to corner e + 2
    for (int l = 0; l < kLanes; ++l) {
      const double rx = p.x[l] - F.corner.x[e], ry = p.y[l] - F.corner.y[e],
                   rz = p.z[l] - F.corner.z[e];
      const double ex = F.edge.x[e], ey = F.edge.y[e], ez = F.edge.z[e];
      const double area =
          nx * (ey * rz - ez * ry) + ny * (ez * rx - ex * rz) + nz * (ex * ry - ey * rx);
      w[e][l] = area;
      inside[l] = area < inside[l] ? area : inside[l];
      sum[l] += area;
    }
  }
  for (int l = 0; l < kLanes; ++l) {
    const double scale = 1.0 / (sum[l] > kTiny ? sum[l] : 1.0);
    const double u = w[1][l] * scale, v = w[2][l] * scale, t = w[0][l] * scale;
    foot->x[l] = u * F.corner.x[0] + v * F.corner.x[1] + t * F.corner.x[2];
    foot->y[l] = u * F.corner.y[0] + v * F.corner.y[1] + t * F.corner.y[2];
    foot->z[l] = u * F.corner.z[0] + v * F.corner.z[1] + t * F.corner.z[2];
    const double wx = p.x[l] - foot->x[l], wy = p.y[l] - foot->y[l], wz = p.z[l] - foot->z[l];
    const double here = wx * wx + wy * wy + wz * wz;
    const double beyond = std::numeric_limits<double>::infinity();
    const double if_inside = inside[l] < 0.0 ? beyond : here;
    squared[l] = sum[l] > kTiny ? if_inside : beyond;
  }
}

ALLCLEAR_ALWAYS_INLINE void offer(const Lanes& p, const Lanes& foot, int l, double squared,
                                  bool p_is_A, Best* best) {
  if (!(squared < best->squared)) return;
  best->squared = squared;
  double* of_p = p_is_A ? best->a : best->b;
  double* of_foot = p_is_A ? best->b : best->a;
  of_p[0] = p.x[l];
  of_p[1] = p.y[l];
  of_p[2] = p.z[l];
  of_foot[0] = foot.x[l];
  of_foot[1] = foot.y[l];
  of_foot[2] = foot.z[l];
}

/// Corners of P over the face F, and edges of P through it.
ALLCLEAR_ALWAYS_INLINE void cornersWithFace(const Sides& P, const Sides& F, bool p_is_A,
                                            double rounding, Best* best) {
  const double nx = F.edge.y[0] * F.edge.z[1] - F.edge.z[0] * F.edge.y[1];
  const double ny = F.edge.z[0] * F.edge.x[1] - F.edge.x[0] * F.edge.z[1];
  const double nz = F.edge.x[0] * F.edge.y[1] - F.edge.y[0] * F.edge.x[1];
  double height[kLanes], squared[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    height[l] = nx * (P.corner.x[l] - F.corner.x[0]) + ny * (P.corner.y[l] - F.corner.y[0]) +
                nz * (P.corner.z[l] - F.corner.z[0]);
  }
  Lanes foot;
  feet(F, nx, ny, nz, P.corner, squared, &foot);
  for (int l = 0; l < 3; ++l) offer(P.corner, foot, l, squared[l], p_is_A, best);
  const bool all_above = height[0] > 0.0 && height[1] > 0.0 && height[2] > 0.0;
  const bool all_below = height[0] < 0.0 && height[1] < 0.0 && height[2] < 0.0;
  if (all_above || all_below) return;
  Lanes crossing;
  bool crosses[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const double h0 = height[l], h1 = height[(l + 1) % 3];
    crosses[l] = (h0 <= 0.0) != (h1 <= 0.0);
    const double share = crosses[l] ? h0 / (h0 - h1) : 0.0;
    crossing.x[l] = P.corner.x[l] + share * P.edge.x[l];
    crossing.y[l] = P.corner.y[l] + share * P.edge.y[l];
    crossing.z[l] = P.corner.z[l] + share * P.edge.z[l];
  }
  feet(F, nx, ny, nz, crossing, squared, &foot);
  for (int l = 0; l < 3; ++l) {
    if (!crosses[l] || !(squared[l] < best->squared)) continue;
    // The crossing lies in the plane of the face: what is left is rounding.
    if (squared[l] <= rounding * rounding) {
      offer(foot, foot, l, 0.0, p_is_A, best);
    } else {
      offer(crossing, foot, l, squared[l], p_is_A, best);
    }
  }
}

ALLCLEAR_ALWAYS_INLINE double largest(const Lanes& v) {
  double most = 0.0;
  for (int l = 0; l < kLanes; ++l) {
    const double x = std::abs(v.x[l]), y = std::abs(v.y[l]), z = std::abs(v.z[l]);
    most = x > most ? x : most;
    most = y > most ? y : most;
    most = z > most ? z : most;
  }
  return most;
}

}  // namespace

ALLCLEAR_MULTIVERSION
TriangleDistance triangleDistance(const TriangleCorners& A, const TriangleCorners& B) {
  const double origin[3] = {A.p[0][0], A.p[0][1], A.p[0][2]};
  Sides a, b;
  sidesOf(A, origin, &a);
  sidesOf(B, origin, &b);
  const double size = largest(a.edge) + largest(b.edge);
  const double rounding = 16.0 * kEpsilon * (size + largest(b.corner));
  Best best;
  for (int i = 0; i < 3; ++i) edgeWithEdges(a, i, b, &best);
  cornersWithFace(a, b, true, rounding, &best);
  cornersWithFace(b, a, false, rounding, &best);
  TriangleDistance result;
  result.distance = std::sqrt(best.squared);
  for (int k = 0; k < 3; ++k) {
    result.a[k] = best.a[k] + origin[k];
    result.b[k] = best.b[k] + origin[k];
  }
  return result;
}

Vec3 nearestOnTriangle(const TriangleCorners& T, const Vec3& p) {
  return triangleDistance(cornersOf(p, p, p), T).pointB();
}

}  // namespace allclear
