#include "allclear/distance/geometry/triangles.h"

#include <gtest/gtest.h>

#include <array>

#include "distance/minimum/mcd_motions.h"

namespace allclear {
namespace {

using test::Random;
__extension__ typedef __float128 Real;

// The oracle: features by features in quadruple precision, Gram systems and all cases spelt out.
struct V {
  Real x, y, z;
};
V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
V operator*(Real s, V a) { return {s * a.x, s * a.y, s * a.z}; }
Real dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
Real least(Real a, Real b) { return a < b ? a : b; }

Real pointSegment(V p, V a, V b) {
  const V d = b - a;
  const Real dd = dot(d, d);
  Real t = dd > 0 ? dot(p - a, d) / dd : Real(0);
  t = t < 0 ? Real(0) : t > 1 ? Real(1) : t;
  const V w = p - (a + t * d);
  return dot(w, w);
}

Real segmentSegment(V a, V b, V c, V e) {
  Real best = least(least(pointSegment(a, c, e), pointSegment(b, c, e)),
                    least(pointSegment(c, a, b), pointSegment(e, a, b)));
  const V u = b - a, v = e - c, n = cross(u, v);
  const Real nn = dot(n, n);
  if (!(nn > 0)) return best;
  const V r = c - a;
  const Real s = dot(cross(r, v), n) / nn, t = dot(cross(r, u), n) / nn;
  if (s < 0 || s > 1 || t < 0 || t > 1) return best;
  const V w = (a + s * u) - (c + t * v);
  return least(best, dot(w, w));
}

bool footInside(V p, const std::array<V, 3>& t, V n) {
  for (int k = 0; k < 3; ++k) {
    if (dot(cross(t[(k + 1) % 3] - t[k], p - t[k]), n) < 0) return false;
  }
  return true;
}

double oracle(const TriangleCorners& A, const TriangleCorners& B) {
  std::array<V, 3> a, b;
  for (int i = 0; i < 3; ++i) {
    a[i] = {A.p[i][0], A.p[i][1], A.p[i][2]};
    b[i] = {B.p[i][0], B.p[i][1], B.p[i][2]};
  }
  Real best = dot(a[0] - b[0], a[0] - b[0]);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      best = least(best, segmentSegment(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
    }
  }
  for (int side = 0; side < 2; ++side) {
    const auto &p = side == 0 ? a : b, &f = side == 0 ? b : a;
    const V n = cross(f[1] - f[0], f[2] - f[0]);
    const Real nn = dot(n, n);
    if (!(nn > 0)) continue;
    for (int i = 0; i < 3; ++i) {
      const Real h0 = dot(p[i] - f[0], n), h1 = dot(p[(i + 1) % 3] - f[0], n);
      if (footInside(p[i], f, n)) best = least(best, h0 * h0 / nn);
      if ((h0 > 0) == (h1 > 0)) continue;
      if (footInside(p[i] + (h0 / (h0 - h1)) * (p[(i + 1) % 3] - p[i]), f, n)) return 0.0;
    }
  }
  return std::sqrt(static_cast<double>(best));
}

TriangleCorners drawn(Random& draw) {
  // Needles, points, and coordinates of a lattice (coplanar, parallel and touching pairs).
  if (draw.chance(0.3)) {
    TriangleCorners t;
    for (auto& p : t.p) {
      for (double& x : p) x = draw.integer(-2, 2);
    }
    return t;
  }
  const Vec3 a = draw.inBox(1.0), d = draw.direction() * draw.logUniform(1e-9, 1.0);
  const double along = draw.uniform(-0.5, 1.5);
  return cornersOf(a, a + d, a + along * d + draw.direction() * draw.logUniform(1e-12, 1.0));
}

double sizeOf(const TriangleCorners& A, const TriangleCorners& B) {
  double size = 0.0;
  for (int i = 0; i < 3; ++i) size = std::max({size, A.corner(i).norm(), B.corner(i).norm()});
  return size;
}

void check(const TriangleCorners& A, const TriangleCorners& B, double tolerance) {
  const TriangleDistance found = triangleDistance(A, B);
  const double truth = oracle(A, B);
  const double size = sizeOf(A, B);
  ASSERT_NEAR(found.distance, truth, tolerance * size) << std::hexfloat << truth;
  ASSERT_NEAR((found.pointA() - found.pointB()).norm(), found.distance, 4e-15 * size);
}

TEST(TriangleDistance, AgreesWithQuadruplePrecisionOnDegenerateTriangles) {
  Random draw(20);
  const int cases = std::getenv("ALLCLEAR_LONG") ? 3000000 : 30000;
  for (int i = 0; i < cases; ++i) {
    SCOPED_TRACE("seed 20, case " + std::to_string(i));
    TriangleCorners A = drawn(draw), B = drawn(draw);
    // Near each other, parallel, coplanar or sharing corners.
    if (draw.chance(0.3)) {
      const Vec3 shift = draw.direction() * draw.logUniform(1e-12, 1.0);
      B = A;
      for (auto& p : B.p) {
        for (int k = 0; k < 3; ++k) p[k] += shift[k];
      }
    }
    if (draw.chance(0.2)) std::copy(A.p[0], A.p[0] + 3, B.p[draw.integer(0, 2)]);
    if (draw.chance(0.2)) {
      for (int j = 0; j < 3; ++j) A.p[j][2] = B.p[j][2] = 0.25;
    }
    check(A, B, 4e-15);
    if (HasFatalFailure()) return;
  }
}

TEST(TriangleDistance, IsSymmetricAndScales) {
  Random draw(21);
  for (int i = 0; i < 5000; ++i) {
    const TriangleCorners A = drawn(draw), B = drawn(draw);
    const double d = triangleDistance(A, B).distance, size = sizeOf(A, B);
    ASSERT_NEAR(triangleDistance(B, A).distance, d, 4e-15 * size) << "seed 21, case " << i;
    for (double scale : {0x1p-20, 0x1p20}) {
      TriangleCorners C = A, D = B;
      for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) {
          C.p[j][k] *= scale;
          D.p[j][k] *= scale;
        }
      }
      ASSERT_NEAR(triangleDistance(C, D).distance / scale, d, 4e-15 * size)
          << "seed 21, case " << i;
    }
  }
}

TEST(TriangleDistance, IsExactlyZeroWhereTrianglesCross) {
  Random draw(22);
  for (int i = 0; i < 20000; ++i) {
    // A edge passes through an inner point of B, well away from its rim.
    const Vec3 o = draw.inBox(1.0), u = draw.direction();
    const Vec3 v = u.unitOrthogonal(), w = u.cross(v);
    const double size = draw.logUniform(1e-6, 1e3);
    const TriangleCorners B =
        cornersOf(o + size * v, o - size * (0.5 * v - 0.8 * w), o - size * (0.5 * v + 0.8 * w));
    const Vec3 through = draw.direction();
    if (std::abs(through.dot(u)) < 1e-3) continue;
    const TriangleCorners A =
        cornersOf(o + size * through, o - 2.0 * size * through, o + size * draw.inBox(2.0));
    ASSERT_EQ(triangleDistance(A, B).distance, 0.0) << "seed 22, case " << i;
    ASSERT_EQ(triangleDistance(B, A).distance, 0.0) << "seed 22, case " << i;
  }
}

}  // namespace
}  // namespace allclear
