// The point x of a convex body with the least sum of distances |x - A| + |x - B|, at one instant.
//
// The idea. The points with a sum of at most S are an ellipsoid with foci A and B: centre c, half
// axes S/2 along AB and sqrt(S^2 - |AB|^2)/2 across. Scale space along AB by their quotient, and it
// is a ball of radius b. Let x be the point of the body nearest to c in that scale. If the body
// meets the inside of the ellipsoid of S, x is inside of it too, so its sum is a better S: start
// with the sum of any point and repeat. As in Dinkelbach's method for quotients (W. Dinkelbach, "On
// nonlinear fractional programming", Management Science 1967) each S is the least sum to second
// order in the error of the last one. The nearest point is found by the method of Gilbert, Johnson
// and Keerthi over support points; how exact it is matters to no proof, because the directions u
// and v found here bound the sum from below by themselves (cable_bound.h).
//
// A body that the segment AB meets has the least sum |AB|.
//
// Symbols: e unit along AB, k the scale along it; y a point seen from c in that scale.
#include <algorithm>
#include <cmath>

#include "allclear/distance/minimum/cable/cable_bound.h"

namespace allclear {
namespace {

using mcd::CableDirections;
using mcd::PlaneDirections;

constexpr int kMostScales = 40;        // the error squares: five or so are usual
constexpr int kMostSupports = 60;      // per scale
constexpr double kNoGain = 1e-14;      // relative: a sum that falls by less has converged
constexpr double kNearestGap = 1e-13;  // relative to the square of the distance, of GJK
constexpr double kFlat = 1e-9;  // half width of an ellipsoid over its length: AB meets the body
constexpr double kAtClip =
    1e-12;  // of the lengths involved: nearer points are there but for rounding

/// The nearest point to the origin of the convex hull of up to four points; keeps only those that
/// it needs. One of every subset with the newest point is the one: their hulls' nearest points are
/// found by least squares, and valid where all weights are positive.
class Simplex {
 public:
  void start(const Vec3& point) {
    size_ = 1;
    points_[0] = point;
  }
  bool holds(const Vec3& point) const {
    return std::any_of(points_, points_ + size_, [&](const Vec3& p) { return p == point; });
  }
  /// Adds a point; the nearest of the hull. Pre: fewer than four points.
  Vec3 add(const Vec3& point) {
    points_[size_++] = point;
    int best = -1;
    double least = std::numeric_limits<double>::infinity();
    Vec3 nearest = point;
    for (int others = 0; others < 1 << (size_ - 1); ++others) {
      Vec3 candidate;
      if (!nearestOf(others, &candidate) || !(candidate.squaredNorm() < least)) continue;
      least = candidate.squaredNorm();
      nearest = candidate;
      best = others;
    }
    // Points that the nearest one does not need would only come back.
    int kept = 0;
    for (int i = 0; i + 1 < size_; ++i) {
      if (best >> i & 1) points_[kept++] = points_[i];
    }
    points_[kept++] = point;
    size_ = kept;
    return nearest;
  }
  bool isFull() const { return size_ == 4; }

 private:
  /// Of the newest point and the others in the set, where that is inside of their hull.
  bool nearestOf(int others, Vec3* nearest) const {
    const Vec3& origin = points_[size_ - 1];
    Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 3> edges(3, 0);
    for (int i = 0; i + 1 < size_; ++i) {
      if (!(others >> i & 1)) continue;
      edges.conservativeResize(3, edges.cols() + 1);
      edges.col(edges.cols() - 1) = points_[i] - origin;
    }
    // The least |origin + edges w|: normal equations of at most three unknowns.
    *nearest = origin;
    if (edges.cols() == 0) return true;
    using Weights = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1>;
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3> gram =
        edges.transpose() * edges;
    const Weights weights = gram.ldlt().solve(-(edges.transpose() * origin));
    if (!weights.allFinite() || weights.minCoeff() < 0.0 || weights.sum() > 1.0) return false;
    *nearest = origin + edges * weights;
    return true;
  }

  int size_ = 0;
  Vec3 points_[4];
};

double sumAt(const Vec3& x, const Vec3& A, const Vec3& B) {
  return (x - A).norm() + (x - B).norm();
}

/// The point nearest to c in the scale k along e; from a point x of the body.
Vec3 nearestInScale(const Shape& shape, const Pose& X, const Vec3& c, const Vec3& e, double k,
                    const Vec3& x) {
  const auto scaled = [&](const Vec3& d) { return Vec3(d + ((k - 1.0) * e.dot(d)) * e); };
  Simplex simplex;
  Vec3 y = scaled(x - c);
  simplex.start(y);
  for (int i = 0; i < kMostSupports; ++i) {
    const double squared = y.squaredNorm();
    if (!(squared > 0.0)) break;
    // The scale is symmetric: the farthest point along -y in it is that along scaled(-y).
    const Vec3 along = X.R.transpose() * scaled(-y);
    if (along.isZero(0.0)) break;
    const Vec3 corner = scaled(X * support(shape, along) - c);
    if (squared - y.dot(corner) <= kNearestGap * squared || simplex.holds(corner)) break;
    const Vec3 next = simplex.add(corner);
    if (!(next.squaredNorm() < squared)) break;
    y = next;
    if (simplex.isFull()) break;  // the origin is inside
  }
  return c + y + ((1.0 / k - 1.0) * e.dot(y)) * e;
}

Vec3 nearestOfConvex(const Vec3& A, const Vec3& B, const Shape& shape, const Pose& X) {
  const Vec3 c = 0.5 * (A + B);
  const double span = (B - A).norm();
  const Vec3 e = span > 0.0 ? Vec3((B - A) / span) : Vec3::UnitX();
  const Vec3 towards = X.R.transpose() * (c - X.p);
  Vec3 x = X * support(shape, towards.isZero(0.0) ? Vec3(Vec3::UnitX()) : towards);
  // S of the opening comment is `sum`: it falls with every round.
  double sum = sumAt(x, A, B);
  for (int i = 0; i < kMostScales; ++i) {
    const double across = std::sqrt(std::max(0.0, (sum - span) * (sum + span)));
    if (!(across > kFlat * sum)) break;
    const Vec3 next = nearestInScale(shape, X, c, e, across / sum, x);
    const double next_sum = sumAt(next, A, B);
    if (!(next_sum < sum)) break;
    const bool is_final = sum - next_sum <= kNoGain * sum;
    x = next;
    sum = next_sum;
    if (is_final) break;
  }
  return x;
}

/// Where a ray of light from A to B meets the plane as a mirror; a point of AB in the half-space
/// where there is one.
Vec3 nearestOfPlane(const Vec3& A, const Vec3& B, const Vec3& n, const Vec3& origin) {
  const double a = n.dot(A - origin), b = n.dot(B - origin);
  if (a <= 0.0) return A;
  if (b <= 0.0) return B;
  const double share = a / (a + b);
  const Vec3 x = A + share * (B - A);
  return x - n.dot(x - origin) * n;
}

Vec3 unitOrZero(const Vec3& d, double zero) {
  const double norm = d.norm();
  return norm > zero ? Vec3(d / norm) : Vec3::Zero();
}

/// The least of u.(x - A) + v.(x - B) over the body, less its rounding.
double lowerSum(const CableDirections& at, const Vec3& A, const Vec3& B, const Shape& shape,
                const Pose& X) {
  const double scale = A.norm() + B.norm() + X.p.norm();
  if (std::holds_alternative<HalfSpace>(shape)) {
    const Vec3 n = X.R.col(2);
    const PlaneDirections plane = mcd::planeDirections(at, n);
    const double mirrored = plane.alpha * (n.dot(A - X.p) + n.dot(B - X.p)) + plane.tau.dot(B - A);
    return std::max(mirrored, plane.along.dot(B - A)) - mcd::kCableRoundings * scale;
  }
  const Vec3 w = at.u + at.v;
  const Ball ball = boundingBall(shape);
  return w.dot(X.p) - mcd::cableSupport(shape, X.R.transpose() * -w) - at.u.dot(A) - at.v.dot(B) -
         mcd::kCableRoundings * (scale + ball.center.norm() + ball.radius);
}

}  // namespace

CableInstant cableInstant(const Vec3& p_WA, const Vec3& p_WB, double length, double radius,
                          const Shape& shape, const Pose& X_WG) {
  const bool is_plane = std::holds_alternative<HalfSpace>(shape);
  CableInstant out;
  out.x = is_plane ? nearestOfPlane(p_WA, p_WB, X_WG.R.col(2), X_WG.p)
                   : nearestOfConvex(p_WA, p_WB, shape, X_WG);
  const double at_clip = kAtClip * (p_WA.norm() + p_WB.norm() + X_WG.p.norm());
  out.u = unitOrZero(out.x - p_WA, at_clip);
  out.v = unitOrZero(out.x - p_WB, at_clip);
  // At a clip itself any direction will do: the other one's opposite proves |AB|.
  if (out.u.isZero(0.0)) out.u = -out.v;
  if (out.v.isZero(0.0)) out.v = -out.u;
  out.room = 0.5 * (sumAt(out.x, p_WA, p_WB) - length) - radius;
  out.lower = lowered(out.room,
                      0.5 * (lowerSum({out.u, out.v}, p_WA, p_WB, shape, X_WG) - length) - radius);
  return out;
}

}  // namespace allclear
