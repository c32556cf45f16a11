// Continuous tangent planes on a triangle (thesis V.B, Def. 5.2; Panozzo et al. 2013).
//
// Corners 1, 2, 3 with tangent planes T_i (2 x 3, orthonormal rows), barycentric coordinates w_i:
//   R_ij = Ort(T_j T_i^T)                              turns T_i towards T_j within its plane
// with Ort(M) the orthogonal matrix nearest to M, E_e a 2 x 2 orthogonal matrix per edge, to be
// found, and the two rows of Psi spanning the blended plane at w.
//   A_1 = E12 R12 T1, A_2 = E12 T2, A_3 = E23 R23 T2, A_4 = E23 T3, A_5 = E31 R31 T3, A_6 = E31 T1
//   Psi12 = w1 A_1 + w2 A_2 + w3 (A_4 + A_5) / 2, and cyclic,                               (5.10)
//   Psi = (w1 w2 Psi12 + w2 w3 Psi23 + w3 w1 Psi31) / (w1 w2 + w2 w3 + w3 w1).              (5.9)
// (5.9) as printed divides by the coordinates, which are 0 on edges; the form here does not.
// On the edge 12 Psi = E12 (w1 R12 T1 + w2 T2): the neighbouring triangle has the same up to an
// orthogonal matrix on the left, hence the same plane.
//
// The E_e are to bring the six A_k together (5.11). A common turn of all changes nothing, so E12 =
// I. Then each E_e in turn is set to the best one for the others (a Procrustes problem):
//   the sum over k of |E_e X_e - A_k|^2 + |E_e Y_e - A_k|^2, the A_k of the other edges, is least
//   at E_e = Ort(S (X_e + Y_e)^T), X_e = R T, Y_e = T, S the sum of these A_k.

#include "allclear/distance/phong/triangle.h"

#include <cmath>

namespace allclear::phong {
namespace {

/// Below this length a 2x2 matrix's rotation part is zero: no direction is nearer than another.
constexpr double kNoRotation = 1e-300;
/// Barycentric: at a corner the blend is 0/0; this much off it, it is exact to rounding again.
constexpr double kCorner = 1e-14;
/// Least squared length of the rows' cross product, to divide by: 0 where a plane degenerates.
constexpr double kLeastSquare = 1e-200;

/// Sweeps over the turns of the edges. Each brings them about four times nearer to their limit
/// (measured on random normals): after eight they are within 1e-7 where the normals of a triangle
/// are 0.1 rad apart, within 3e-6 at 0.5 rad, more than a mesh that stands for a smooth body has.
/// Any turns give a continuous field; the limit gives the smoothest.
constexpr int kSweeps = 8;

}  // namespace

Plane tangentPlane(const Vec3& n) {
  // Duff et al. 2017, "Building an Orthonormal Basis, Revisited".
  const double sign = std::copysign(1.0, n.z());
  const double a = -1.0 / (sign + n.z());
  const double b = n.x() * n.y() * a;
  Plane out;
  out.row(0) = Vec3(1.0 + sign * n.x() * n.x() * a, sign * b, -sign * n.x());
  out.row(1) = Vec3(b, sign + n.y() * n.y() * a, -n.y());
  return out;
}

Mat2 nearestOrthogonal(const Mat2& M) {
  // Every M is a scaled rotation plus a scaled reflection, orthogonal to each other as matrices.
  // The nearest orthogonal matrix is the larger part, scaled to length 1.
  const double c = M(0, 0) + M(1, 1), s = M(1, 0) - M(0, 1);  // twice the rotation part
  const double d = M(0, 0) - M(1, 1), t = M(1, 0) + M(0, 1);  // twice the reflection part
  const double rotation = c * c + s * s, reflection = d * d + t * t;
  Mat2 out;
  if (rotation >= reflection) {
    const double length = std::sqrt(rotation);
    if (length < kNoRotation) return Mat2::Identity();
    out << c, -s, s, c;
    return out / length;
  }
  out << d, t, t, -d;
  return out / std::sqrt(reflection);
}

PhongTriangle phongTriangle(const std::array<Vec3, 3>& normals) {
  Plane T[3], X[3];  // T[i]: plane at corner i. X[e] = R T: plane at the start of edge e, turned
                     // towards that at its end
  for (int i = 0; i < 3; ++i) T[i] = tangentPlane(normals[i]);
  for (int e = 0; e < 3; ++e) {
    const Plane& next = T[(e + 1) % 3];
    X[e] = nearestOrthogonal(next * T[e].transpose()) * T[e];
  }
  Mat2 E[3] = {Mat2::Identity(), Mat2::Identity(), Mat2::Identity()};
  Plane sum[3];  // of both planes of an edge, unturned
  for (int e = 0; e < 3; ++e) sum[e] = X[e] + T[(e + 1) % 3];
  // The first sweep sets the edges one by one, so that their initial values do not matter.
  E[1] = nearestOrthogonal(sum[0] * sum[1].transpose());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (int e : {2, 1}) {
      const Plane others = E[0] * sum[0] + E[3 - e] * sum[3 - e];
      E[e] = nearestOrthogonal(others * sum[e].transpose());
    }
  }
  PhongTriangle out;
  for (int e = 0; e < 3; ++e) {
    out.plane[2 * e] = E[e] * X[e];
    out.plane[2 * e + 1] = E[e] * T[(e + 1) % 3];
  }
  // Which side is outside: decided at the middle, where the plane is farthest from degenerate.
  const Plane middle = phongPlane(out, Vec3::Constant(1.0 / 3.0)).value;
  const Vec3 n = middle.row(0).transpose().cross(middle.row(1).transpose());
  out.sign = n.dot(normals[0] + normals[1] + normals[2]) < 0.0 ? -1.0 : 1.0;
  return out;
}

PhongPlane phongPlane(const PhongTriangle& triangle, const Vec3& weights) {
  Vec3 w = weights;
  if (std::abs(w[0] * w[1] + w[1] * w[2] + w[2] * w[0]) < kCorner) {
    w += kCorner * (Vec3::Constant(1.0) - 3.0 * w);
  }
  // Psi = N / D, N = sum over the edges e of w_i w_j (w_i A_i + w_j A_j + w_k C_e).
  Plane N = Plane::Zero(), dN[3] = {Plane::Zero(), Plane::Zero(), Plane::Zero()};
  for (int e = 0; e < 3; ++e) {
    const int i = e, j = (e + 1) % 3, k = (e + 2) % 3;
    const Plane& Ai = triangle.plane[2 * e];
    const Plane& Aj = triangle.plane[2 * e + 1];
    const Plane C = 0.5 * (triangle.plane[2 * j + 1] + triangle.plane[2 * k]);
    const Plane blend = w[i] * Ai + w[j] * Aj + w[k] * C;
    const double ij = w[i] * w[j];
    N += ij * blend;
    dN[i] += w[j] * blend + ij * Ai;
    dN[j] += w[i] * blend + ij * Aj;
    dN[k] += ij * C;
  }
  const double inverse = 1.0 / (w[0] * w[1] + w[1] * w[2] + w[2] * w[0]);
  PhongPlane out;
  out.value = inverse * N;
  for (int i = 0; i < 2; ++i) {
    // dD/dw_i - dD/dw_3 = (1 - w_i) - (1 - w_3).
    out.derivative[i] = inverse * (dN[i] - dN[2] - (w[2] - w[i]) * out.value);
  }
  return out;
}

PhongNormal phongNormal(const PhongPlane& plane, double sign) {
  const Vec3 r0 = plane.value.row(0), r1 = plane.value.row(1);
  const Vec3 cross = sign * r0.cross(r1);
  const double length = std::sqrt(std::max(cross.squaredNorm(), kLeastSquare));
  PhongNormal out;
  out.value = cross / length;
  for (int i = 0; i < 2; ++i) {
    const Vec3 d0 = plane.derivative[i].row(0), d1 = plane.derivative[i].row(1);
    // d(c / |c|) is the part of dc / |c| across c.
    const Vec3 d = sign * (d0.cross(r1) + r0.cross(d1)) / length;
    out.derivative[i] = d - out.value * out.value.dot(d);
  }
  return out;
}

}  // namespace allclear::phong
