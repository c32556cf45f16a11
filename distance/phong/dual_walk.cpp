// The dual form of the Phong distance: it works on the two surfaces instead of their Minkowski sum.
//
// The thesis (V, eq. 5.3) projects the origin on the boundary of the sum A - B along its continuous
// normals. A point of that boundary is a difference a - b of surface points whose normals are
// opposite. So the same projection can be written for two points instead of one: find a on A and b
// on B with opposite normals, both parallel to the line from a to b. No sum is needed.
//
// In A's frame, with X_AB = (R, t): surface points a (coordinates u1, u2 of a triangle of A) and
// b (v1, v2), x = a - (R b + t), Psi the tangent plane at a (two rows), n_B the normal at b,
// m = R n_B. Four equations
//   F = (Psi x, Psi m) = 0:
// x and B's normal are both along A's normal n. The distance is delta = -n.x, and x = -delta n.
// Newton's method solves them; its steps walk over the meshes from triangle to triangle.
//
// Derivative by the implicit function theorem. delta changes with (u, v) by -n.da + n.R db
// (dn.x = 0 where x is along n), and
//   d delta = n.dp - w^T dF|poses,   J^T w = (d delta / d(u, v)),   J = dF / d(u, v),
// dp being the motion of b with its body. B moves by tau, and by omega about its origin:
// dp = tau + omega x R b, dm = omega x m.

#include "allclear/distance/phong/dual_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace allclear::phong {
namespace {

/// |F| without units: lengths relative to `length`, the distance where the walk began.
double residual(const DualEquations& e, double length) {
  return std::hypot(e.F.head<2>().norm() / length, e.F.tail<2>().norm());
}

}  // namespace

DualEquations DualWalk::equations(const PointPair& at) const {
  DualEquations e;
  const PhongPlane plane = A_.plane(at.a);
  const PhongNormal normal_A = phongNormal(plane, A_.triangle(at.a.triangle).sign);
  const PhongNormal normal_B = B_.normal(at.b);
  // The third barycentric coordinate is 1 minus the others: moving coordinate k moves the point
  // along the edge from corner 2 to corner k.
  for (int k = 0; k < 2; ++k) {
    e.da[k] = A_.mesh().corner(at.a.triangle, k) - A_.mesh().corner(at.a.triangle, 2);
    e.db[k] = X_.R * (B_.mesh().corner(at.b.triangle, k) - B_.mesh().corner(at.b.triangle, 2));
  }
  e.Rb = X_.R * position(B_.mesh(), at.b);
  e.x = position(A_.mesh(), at.a) - e.Rb - X_.p;
  e.Psi = plane.value;
  e.n = normal_A.value;
  e.m = X_.R * normal_B.value;
  e.F << e.Psi * e.x, e.Psi * e.m;
  for (int k = 0; k < 2; ++k) {
    e.J.col(k) << plane.derivative[k] * e.x + e.Psi * e.da[k], plane.derivative[k] * e.m;
    e.J.col(2 + k) << -(e.Psi * e.db[k]), e.Psi * (X_.R * normal_B.derivative[k]);
  }
  return e;
}

PointPair DualWalk::moved(const PointPair& at, const DualEquations& e, const Vec4& step,
                          bool walking) const {
  PointPair next = at;
  if (!walking) {
    next.a.weights += Vec3(step[0], step[1], -step[0] - step[1]);
    next.b.weights += Vec3(step[2], step[3], -step[2] - step[3]);
    return next;
  }
  walk(A_.mesh(), step[0] * e.da[0] + step[1] * e.da[1], &next.a);
  const Vec3 of_b = step[2] * e.db[0] + step[3] * e.db[1];
  walk(B_.mesh(), X_.R.transpose() * of_b, &next.b);
  return next;
}

/// Halves the step until the residual falls enough for its length (Armijo's rule). Keeps the best
/// of all points tried: over an edge the planes have a kink, where the rule may fail throughout.
bool DualWalk::searchAlong(const Vec4& step, bool walking, double length, double* residual_at,
                           PointPair* at, DualEquations* e) const {
  constexpr int kMostHalvings = 6;
  constexpr double kLeastDecrease = 0.1;  // of the decrease that the linear model predicts
  PointPair best = *at;
  DualEquations e_best = *e;
  double least = std::numeric_limits<double>::infinity();
  double fraction = 1.0;
  for (int half = 0; half < kMostHalvings; ++half, fraction *= 0.5) {
    const PointPair next = moved(*at, *e, fraction * step, walking);
    const DualEquations e_next = equations(next);
    const double after = residual(e_next, length);
    if (after < least) {
      least = after;
      best = next;
      e_best = e_next;
    }
    if (after < (1.0 - kLeastDecrease * fraction) * *residual_at) break;
  }
  if (!(least < *residual_at)) return false;
  *at = best;
  *e = e_best;
  *residual_at = least;
  return true;
}

bool DualWalk::solve(PointPair* at, bool walking, DualEquations* out) const {
  constexpr int kMostSteps = 40;
  // Converged: what double precision allows. Stalled: near enough that value and gradient are good
  // to about 1e-10, though rounding or a kink stops the walk.
  constexpr double kConverged = 2e-14, kStalled = 1e-10;
  constexpr double kLongest = 0.15;      // step by size: the linear model does not reach farther
  constexpr double kLeastLength = 0.05;  // of the size: near contact x says nothing about scale
  DualEquations e = equations(*at);
  const double length = std::max(e.x.norm(), kLeastLength * size_);
  double residual_at = residual(e, length);
  for (int step = 0; step < kMostSteps && residual_at > kConverged; ++step) {
    Vec4 d = -e.J.partialPivLu().solve(e.F);
    if (!d.allFinite()) break;
    const double longest = std::max((d[0] * e.da[0] + d[1] * e.da[1]).norm(),
                                    (d[2] * e.db[0] + d[3] * e.db[1]).norm());
    if (longest > kLongest * size_) d *= kLongest * size_ / longest;
    if (!searchAlong(d, walking, length, &residual_at, at, &e)) break;
  }
  *out = e;
  return residual_at <= kStalled;
}

std::optional<std::array<Vec3, 2>> gradientByB(const DualEquations& e) {
  Eigen::Matrix<double, 4, 1> by_points;
  for (int k = 0; k < 2; ++k) {
    by_points[k] = -e.n.dot(e.da[k]);
    by_points[2 + k] = e.n.dot(e.db[k]);
  }
  const Eigen::Matrix<double, 4, 1> w = e.J.transpose().partialPivLu().solve(by_points);
  if (!w.allFinite()) return std::nullopt;
  // n.dp and w^T dF for dp = tau + omega x R b, dm = omega x m; B's motion moves x by -dp.
  Vec3 translation = e.n, rotation = e.Rb.cross(e.n);
  for (int r = 0; r < 2; ++r) {
    const Vec3 row = e.Psi.row(r);
    translation += w[r] * row;
    rotation += w[r] * e.Rb.cross(row) - w[2 + r] * e.m.cross(row);
  }
  return std::array<Vec3, 2>{translation, rotation};
}

}  // namespace allclear::phong
