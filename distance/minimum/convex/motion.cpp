// Two moving convex shapes: distances at instants and bounds over intervals.
//
// Directional support-function bound. For a unit n the signed distance is at least the room along
// n,
//   room(s) = n.(T_B - T_A) + min_{p in B} (R_B^T n).p - max_{p in A} (R_A^T n).p,
// in separation and in penetration alike. The minimum over p is concave in (T, R^T n), and with
// polynomial poses these are convex combinations of their Bernstein coefficients: room(s) is at
// least the least room of the coefficients. Here n turns linearly with s, so that the bound is
// exact at both ends of the interval: degree 8, |n(s)| <= 1. Where the room is negative, dividing
// it by the least |n(s)| makes up for the length.

#include <cmath>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/distance/convex/convex_distance.h"
#include "allclear/distance/geometry/bernstein.h"
#include "allclear/distance/minimum/convex/convex.h"
#include "allclear/distance/support.h"

namespace allclear::mcd {
namespace {

constexpr int kCount = BodyCurve::kDegree + 1;
constexpr double kRounding = 100.0 * std::numeric_limits<double>::epsilon();

/// Polynomial pose of the cell at s and its derivative.
void poseAt(const ConvexCurve& curve, double s, Pose* X, Pose* dX) {
  double w[kCount] = {1.0};  // Bernstein polynomials of degree 6
  for (int level = 1; level < kCount - 1; ++level) {
    for (int i = level; i > 0; --i) w[i] = (1.0 - s) * w[i] + s * w[i - 1];
    w[0] *= 1.0 - s;
  }
  *X = {Mat3::Zero(), Vec3::Zero()};
  *dX = *X;
  for (int k = 0; k + 1 < kCount; ++k) {
    const Pose &X0 = curve.control[k], &X1 = curve.control[k + 1];
    X->R += w[k] * (1.0 - s) * X0.R + w[k] * s * X1.R;
    X->p += w[k] * (1.0 - s) * X0.p + w[k] * s * X1.p;
    const double rate = BodyCurve::kDegree * w[k];
    dX->R += rate * (X1.R - X0.R);
    dX->p += rate * (X1.p - X0.p);
  }
}

/// The rotation nearest to a matrix that is all but one, by Newton's iteration for the polar factor
/// (an error e becomes e^2).
Mat3 nearestRotation(Mat3 R) {
  for (int i = 0; i < 4; ++i) {
    const Mat3 excess = R.transpose() * R - Mat3::Identity();
    R -= 0.5 * R * excess;
    if (excess.cwiseAbs().maxCoeff() < 1e-8) break;
  }
  return R;
}

/// Relative error that `signedDistance` promises for the pair.
double distanceAccuracy(const Shape& a, const Shape& b) {
  const auto closed = [](const Shape& shape) {
    return std::holds_alternative<Sphere>(shape) || std::holds_alternative<Capsule>(shape) ||
           std::holds_alternative<Box>(shape) || std::holds_alternative<HalfSpace>(shape);
  };
  return closed(a) && closed(b) ? 1e-12 : 1e-8;
}

/// Coefficients of one shape on an interval: along[r] = m.T and w[r] = R^T m, r = 0..8, where m is
/// linear from m0 to m1.
struct Directed {
  double value[kCount + 1][4];
};

ALLCLEAR_MULTIVERSION
void direct(const Pose* control, const Pose* origin, const double* m0, const double* m1, double s0,
            double s1, Directed* out) {
  double rows[kCount][8];
  for (int k = 0; k < kCount; ++k) {
    const double* R = control[k].R.data();
    const double* p = control[k].p.data();
    const double x = p[0] - origin->p.data()[0], y = p[1] - origin->p.data()[1],
                 z = p[2] - origin->p.data()[2];
    rows[k][0] = m0[0] * x + m0[1] * y + m0[2] * z;
    rows[k][4] = m1[0] * x + m1[1] * y + m1[2] * z;
    for (int c = 0; c < 3; ++c) {
      rows[k][1 + c] = R[3 * c] * m0[0] + R[3 * c + 1] * m0[1] + R[3 * c + 2] * m0[2];
      rows[k][5 + c] = R[3 * c] * m1[0] + R[3 * c + 1] * m1[1] + R[3 * c + 2] * m1[2];
    }
  }
  double part[kCount][8];
  if (s0 == 0.0 && s1 == 1.0) {
    for (int k = 0; k < kCount; ++k) {
      for (int c = 0; c < 8; ++c) part[k][c] = rows[k][c];
    }
  } else {
    RestrictionWeights weights;
    restrictionWeights(s0, s1, weights);
    for (int i = 0; i < kCount; ++i) {
      for (int c = 0; c < 8; ++c) part[i][c] = 0.0;
      for (int j = 0; j < kCount; ++j) {
        for (int c = 0; c < 8; ++c) part[i][c] += weights[i][j] * rows[j][c];
      }
    }
  }
  for (int r = 0; r <= kCount; ++r) {
    for (int c = 0; c < 4; ++c) {
      const double first = r < kCount ? (kCount - r) * part[r][c] : 0.0;
      const double second = r > 0 ? r * part[r - 1][4 + c] : 0.0;
      out->value[r][c] = (first + second) / kCount;
    }
  }
}

}  // namespace

ConvexMotion::ConvexMotion(std::span<const ConvexCurve> a, std::span<const ConvexCurve> b)
    : a_(a.data()),
      b_(b.data()),
      a_step_(a.size() > 1 ? 1 : 0),
      b_step_(b.size() > 1 ? 1 : 0),
      cells_(static_cast<int>(std::max(a.size(), b.size()))),
      timed_by_b_(a.size() == 1 && (b.size() > 1 || a[0].still())),
      plane_(std::holds_alternative<HalfSpace>(*a[0].shape)) {
  ALLCLEAR_ASSERT(a.size() == b.size() || (a.size() == 1 && a[0].still()) ||
                  (b.size() == 1 && b[0].still()));
  const double accuracy = distanceAccuracy(*a[0].shape, *b[0].shape);
  for (int cell = 0; cell < cells_; ++cell) {
    const ConvexCurve &A = this->a(cell), &B = this->b(cell);
    // The rigid pose nearest to the polynomial is as far from it as the true one at most.
    double sum = B.error + B.rotation_error * B.reach + A.error;
    if (plane_) {
      for (int k = 0; k < kCount; ++k) {
        plane_lever_ = std::max(plane_lever_, (B.control[k].p - A.control[k].p).norm() + B.reach);
      }
      sum += 2.0 * A.rotation_error * plane_lever_;
    } else {
      sum += A.rotation_error * A.reach;
    }
    error_ = std::max(error_, sum + accuracy * (A.reach + B.reach));
  }
}

Interval ConvexMotion::ballBounds(int cell) const {
  const double centers = (a(cell).ball_center - b(cell).ball_center).norm();
  const double radii = a(cell).ball_radius + b(cell).ball_radius;
  return {centers - radii, centers + radii};
}

double ConvexMotion::jump(int cell) const {
  return cell == 0 ? 0.0 : a_step_ * a(cell).jump + b_step_ * b(cell).jump;
}

Instant ConvexMotion::at(Place place) const {
  const ConvexCurve &A = a(place.cell), &B = b(place.cell);
  Pose X_A, dX_A, X_B, dX_B;
  poseAt(A, place.s, &X_A, &dX_A);
  poseAt(B, place.s, &X_B, &dX_B);
  X_A.R = nearestRotation(X_A.R);
  X_B.R = nearestRotation(X_B.R);
  const SignedDistance result = convexDistance(*A.shape, X_A, *B.shape, X_B, &cache_);
  const Interval time = cellTime(place.cell);
  Instant instant;
  instant.place = place;
  instant.t = place.s < 1.0 ? time.lower + place.s * time.length() : time.upper;
  instant.distance = result.distance;
  instant.ceiling = result.converged ? result.distance : result.distance + result.gap;
  instant.witness_A = result.witness_A;
  instant.witness_B = result.witness_B;
  instant.normal = result.normal;
  instant.unique = result.unique();
  const Vec3 p_A = X_A.R.transpose() * (result.witness_A - X_A.p);
  const Vec3 p_B = X_B.R.transpose() * (result.witness_B - X_B.p);
  if (time.length() > 0.0) {
    instant.slope = result.normal.dot(dX_B * p_B - dX_A * p_A) / time.length();
  }
  return instant;
}

double ConvexMotion::approachSpeed(int cell, const Instant& from, bool backward) const {
  const ConvexCurve &A = a(cell), &B = b(cell);
  const double length = cellTime(cell).length();
  if (length <= 0.0) return 0.0;
  if (plane_) return leverSpeed(cell);
  const Vec3 n = backward ? Vec3(-from.normal) : from.normal;
  double fastest = -std::numeric_limits<double>::infinity();
  for (int k = 0; k + 1 < kCount; ++k) {
    const Pose &A0 = A.control[k], &A1 = A.control[k + 1];
    const Pose &B0 = B.control[k], &B1 = B.control[k + 1];
    const double rate = n.dot((A1.p - A0.p) - (B1.p - B0.p)) +
                        ((A1.R - A0.R).transpose() * n).norm() * A.reach +
                        ((B1.R - B0.R).transpose() * n).norm() * B.reach;
    fastest = std::max(fastest, rate);
  }
  return (BodyCurve::kDegree * fastest + kRounding * (A.scale + B.scale)) / length;
}

double ConvexMotion::leverSpeed(int cell) const {
  const ConvexCurve &A = a(cell), &B = b(cell);
  return A.lever_speed + B.lever_speed + (plane_ ? A.angular_speed * plane_lever_ : 0.0);
}

double ConvexMotion::lowerBound(int cell, double s0, double s1, const Vec3& start,
                                const Vec3& end) const {
  if (plane_) return planeBound(cell, s0, s1);
  const ConvexCurve &A = a(cell), &B = b(cell);
  const bool turns = start.dot(end) > 0.2;
  const Vec3& last = turns ? end : start;
  const Vec3 minus_start = -start, minus_last = -last;
  Directed of_A, of_B;
  direct(A.control.data(), &A.control[0], start.data(), last.data(), s0, s1, &of_A);
  direct(B.control.data(), &A.control[0], minus_start.data(), minus_last.data(), s0, s1, &of_B);
  double room = std::numeric_limits<double>::infinity();
  for (int r = 0; r <= kCount; ++r) {
    const double* x = of_A.value[r];
    const double* y = of_B.value[r];
    room = std::min(room, -x[0] - y[0] - supportValue(*A.shape, {x[1], x[2], x[3]}) -
                              supportValue(*B.shape, {y[1], y[2], y[3]}));
  }
  room -= kRounding * (A.scale + B.scale + A.reach + B.reach);
  // |n(s)| is least at the middle of the chord, and at most 1 up to rounding.
  return room >= 0.0 ? room * (1.0 - kRounding) : room / (0.5 * (start + last).norm());
}

/// For a half-space A the room along its own normal is the distance itself: products of degree 14.
double ConvexMotion::planeBound(int cell, double s0, double s1) const {
  constexpr int kProduct = 2 * BodyCurve::kDegree;
  constexpr double kBinomial[kCount] = {1, 7, 21, 35, 35, 21, 7, 1};
  constexpr double kBinomial14[kProduct + 1] = {1,    14,   91,   364, 1001, 2002, 3003, 3432,
                                                3003, 2002, 1001, 364, 91,   14,   1};
  const ConvexCurve &A = a(cell), &B = b(cell);
  RestrictionWeights weights;
  restrictionWeights(s0, s1, weights);
  Vec3 normal[kCount], offset[kCount];
  Mat3 R[kCount];
  for (int i = 0; i < kCount; ++i) {
    normal[i].setZero();
    offset[i].setZero();
    R[i].setZero();
    for (int j = 0; j < kCount; ++j) {
      const double w = weights[i][j] * kBinomial[i];
      normal[i] += w * A.control[j].R.col(2);
      offset[i] += w * (B.control[j].p - A.control[j].p);
      R[i] += w * B.control[j].R;
    }
  }
  double height[kProduct + 1] = {};
  Vec3 direction[kProduct + 1];
  for (Vec3& d : direction) d.setZero();
  for (int i = 0; i < kCount; ++i) {
    for (int j = 0; j < kCount; ++j) {
      height[i + j] += normal[i].dot(offset[j]);
      direction[i + j] += R[j].transpose() * normal[i];
    }
  }
  double room = std::numeric_limits<double>::infinity();
  for (int r = 0; r <= kProduct; ++r) {
    const Vec3 down = direction[r] / -kBinomial14[r];
    room = std::min(room, height[r] / kBinomial14[r] - supportValue(*B.shape, down));
  }
  return room - kRounding * (A.scale + B.scale + B.reach + plane_lever_);
}

}  // namespace allclear::mcd
