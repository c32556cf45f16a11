#pragma once

// Random pairs of ellipsoids as the experiments of Choi (2019) have them, and an exact oracle.

#include <Eigen/Geometry>
#include <cmath>
#include <utility>

#include "allclear/core/pose.h"
#include "support/random.h"

namespace allclear::test {

/// Two ellipsoids in the frame of the first, whose centre is the origin; the second one's is on the
/// ray along n.
struct EllipsoidPairDraw {
  Vec3 a, b;
  Eigen::Quaterniond q;  ///< turns the second; not exactly of unit length
  Vec3 n;                ///< unit

  Mat3 R() const { return q.normalized().toRotationMatrix(); }
};

/// The ratio of the radii of each ellipsoid is at most `gamma`, that of the sizes of the two at
/// most `Gamma`: uniform in [1, gamma] with the middle radius uniform, or all log-uniform.
template <class Source>
EllipsoidPairDraw drawEllipsoids(Source* draw, double gamma, double Gamma, bool log_uniform) {
  const auto between = [&](double low, double high) {
    return log_uniform ? draw->logUniform(low, high) : draw->uniform(low, high);
  };
  const auto radii = [&](double largest) {
    const double least = 1.0 / between(1.0, gamma);
    Vec3 r(1.0, between(least, 1.0), least);
    std::swap(r[0], r[draw->index(3)]);
    return Vec3(largest * r);
  };
  EllipsoidPairDraw pair;
  pair.a = radii(1.0);
  pair.b = radii(1.0 / between(1.0, Gamma));
  if (draw->chance(0.5)) std::swap(pair.a, pair.b);
  double q[4];
  for (double& x : q) x = draw->normal();
  pair.q = Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
  pair.n = draw->directionOfNormals();
  return pair;
}

/// The distance of the centres at contact, in 113-bit numbers by halving alone, from the
/// quaternion itself (the matrix in doubles is rounded).
inline double exactApproach(const EllipsoidPairDraw& pair) {
  __extension__ using Real = __float128;
  const Real w = pair.q.w(), x = pair.q.x(), y = pair.q.y(), z = pair.q.z();
  const Real k = w * w + x * x + y * y + z * z;
  const Real R[3][3] = {
      {(w * w + x * x - y * y - z * z) / k, 2 * (x * y - w * z) / k, 2 * (x * z + w * y) / k},
      {2 * (x * y + w * z) / k, (w * w - x * x + y * y - z * z) / k, 2 * (y * z - w * x) / k},
      {2 * (x * z - w * y) / k, 2 * (y * z + w * x) / k, (w * w - x * x - y * y + z * z) / k}};
  Real a2[3], b2[3];
  for (int i = 0; i < 3; ++i) {
    a2[i] = Real(pair.a[i]) * pair.a[i];
    b2[i] = Real(pair.b[i]) * pair.b[i];
  }
  // M = A/u + B/(1 - u); n' M^-1 n and its derivative's sign, by solving M p = n with Cramer's
  // rule.
  const auto solve = [&](Real u, Real* p, Real* f) {
    Real A[3][3] = {}, B[3][3] = {}, M[3][3];
    for (int i = 0; i < 3; ++i) {
      A[i][i] = a2[i];
      for (int j = 0; j < 3; ++j) {
        for (int l = 0; l < 3; ++l) B[i][j] += b2[l] * R[i][l] * R[j][l];
        M[i][j] = A[i][j] / u + B[i][j] / (1 - u);
      }
    }
    Real adj[3][3], det = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        adj[j][i] = M[i1][j1] * M[i2][j2] - M[i1][j2] * M[i2][j1];
      }
    }
    for (int j = 0; j < 3; ++j) det += M[0][j] * adj[j][0];
    Real of_A = 0, of_B = 0, value = 0;
    for (int i = 0; i < 3; ++i) {
      p[i] = 0;
      for (int j = 0; j < 3; ++j) p[i] += adj[i][j] * Real(pair.n[j]) / det;
    }
    for (int i = 0; i < 3; ++i) {
      value += p[i] * Real(pair.n[i]);
      for (int j = 0; j < 3; ++j) {
        of_A += p[i] * A[i][j] * p[j];
        of_B += p[i] * B[i][j] * p[j];
      }
    }
    *f = of_A / (u * u) - of_B / ((1 - u) * (1 - u));
    return value;
  };
  // Halves the ratio u / (1 - u) on a logarithmic scale first (a bracket as wide as doubles), then
  // the bracket itself.
  Real low = 1e-30, high = 1e30, p[3], f = 0, F = 0;
  for (int i = 0; i < 300; ++i) {
    const Real middle =
        high > 4 * low ? Real(std::sqrt(double(low)) * std::sqrt(double(high))) : (low + high) / 2;
    F = solve(middle / (1 + middle), p, &f);
    (f > 0 ? low : high) = middle;
    if (high - low <= low * Real(1e-30)) break;
  }
  // The length of n in doubles is not exactly 1.
  Real n2 = 0;
  for (int i = 0; i < 3; ++i) n2 += Real(pair.n[i]) * pair.n[i];
  const Real d2 = n2 / F;
  double d = std::sqrt(double(d2));
  return d + double((d2 - Real(d) * d) / (2 * Real(d)));  // a Newton step of the root
}

}  // namespace allclear::test
