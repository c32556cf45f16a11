// Two moving convex shapes: distances at instants and bounds over intervals.
//
// Directional support-function bound. For a unit n the signed distance is at least the room along
// n,
//   room(s) = n.(T_B - T_A) + min_{p in B} (R_B^T n).p - max_{p in A} (R_A^T n).p,
// in separation (a gap between two planes) and in penetration (the length of a translation that
// frees the shapes) alike. The minimum over p is concave in (T, R^T n), and with polynomial poses
// these are convex combinations of their Bernstein coefficients: room(s) is at least the least room
// of the coefficients. Here n turns linearly with s, n(s) = (1 - s) n_0 + s n_1, so that the bound
// is exact at both ends of the interval: T.n and R^T n have degree 8, and |n(s)| <= 1. A room along
// n(s) is |n(s)| times the room along its unit vector. So a room >= 0 is a bound as it is, and a
// negative one becomes one when it is divided by the least |n(s)|.
//
// Displacements (`Spread`) take sqrt(n' K n) off the room. That is convex in n, so the coefficients
// of n(s) bound it as well; and its square is linear in K, so over an interval it is at most the
// greater of the values at both ends.

#include <cmath>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/distance/convex/convex_distance.h"
#include "allclear/distance/convex/core.h"
#include "allclear/distance/geometry/bernstein.h"
#include "allclear/distance/minimum/convex/convex.h"
#include "allclear/distance/support.h"

namespace allclear::mcd {
namespace {

constexpr int kCount = BodyCurve::kDegree + 1;
/// Roundings of a room, relative to the lengths that it is a sum of: restriction (8 products), the
/// product with n (2) and the support functions (some 20), for either shape.
constexpr double kRounding = 100.0 * std::numeric_limits<double>::epsilon();
/// Relative errors that `signedDistance` promises: for pairs in closed form, and for iterated ones.
constexpr double kClosedFormAccuracy = 1e-12;
constexpr double kIteratedAccuracy = 1e-8;
/// Newton's iteration squares the error: from 1e-8 the next step is exact to rounding.
constexpr double kNearlyOrthonormal = 1e-8;
/// Normals whose product is below this turn too far for a linear n: its chord would be short, and a
/// division by its length would ruin a negative room.
constexpr double kLeastCosine = 0.2;

/// Polynomial pose of the cell at s and its derivative. Bernstein polynomials of degree 6 give
/// both: the value is the mean of neighbouring coefficients weighted by 1 - s and s, the derivative
/// seven times their difference.
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

/// The rotation nearest to a matrix that is nearly one, by Newton's iteration for the polar factor:
/// each step turns an error e into e^2.
Mat3 nearestRotation(Mat3 R) {
  for (int i = 0; i < 4; ++i) {
    const Mat3 excess = R.transpose() * R - Mat3::Identity();
    R -= 0.5 * R * excess;
    if (excess.cwiseAbs().maxCoeff() < kNearlyOrthonormal) break;
  }
  return R;
}

/// Relative error that `signedDistance` promises for the pair.
double distanceAccuracy(const Shape& a, const Shape& b) {
  const auto closed = [](const Shape& shape) {
    return std::holds_alternative<Sphere>(shape) || std::holds_alternative<Capsule>(shape) ||
           std::holds_alternative<Box>(shape) || std::holds_alternative<HalfSpace>(shape);
  };
  return closed(a) && closed(b) ? kClosedFormAccuracy : kIteratedAccuracy;
}

/// Support values of a bounded convex shape along directions that turn little by little.
class SupportAlong {
 public:
  explicit SupportAlong(const Shape& shape) : core_(coreOf(shape)) {}
  double operator()(const Vec3& d) {
    const Vec3 point = core_.kind == ConvexCore::Kind::kPoints
                           ? core_.points->corner(core_.points->farthest(d, &walk_))
                           : coreSupport(core_, d);
    return d.dot(point + core_.offset) + core_.radius * d.norm();
  }

 private:
  ConvexCore core_;
  PointCloud::Walk walk_;
};

/// One shape along m(s), linear from m0 to m1, over an interval: the Bernstein coefficients of m.T
/// (first column) and of R^T m (the others), of degree 8.
struct DirectionalCurve {
  double value[kCount + 1][4];
};

/// Restricts to [s0, s1] the columns m0.T, R^T m0, m1.T, R^T m1 of degree 7, then multiplies the
/// first four by 1 - s and the others by s: coefficient r of degree 8 is ((8 - r) x_r + r y_(r-1))
/// / 8. Translations are taken from `origin`, so that bodies far from the world's origin lose no
/// digits.
ALLCLEAR_MULTIVERSION
void directionalCurve(const Pose* control, const Pose* origin, const double* m0, const double* m1,
                      double s0, double s1, DirectionalCurve* out) {
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
  double part[kCount][8];  // the coefficients of [s0, s1]
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
  // Times 1 - s and s, and added: one degree more.
  for (int r = 0; r <= kCount; ++r) {
    for (int c = 0; c < 4; ++c) {
      const double first = r < kCount ? (kCount - r) * part[r][c] : 0.0;
      const double second = r > 0 ? r * part[r - 1][4 + c] : 0.0;
      out->value[r][c] = (first + second) / kCount;
    }
  }
}

}  // namespace

ConvexMotion::ConvexMotion(std::span<const ConvexCurve> a, std::span<const ConvexCurve> b,
                           const Spread* spread)
    : a_(a.data()),
      b_(b.data()),
      a_step_(a.size() > 1 ? 1 : 0),
      b_step_(b.size() > 1 ? 1 : 0),
      cells_(static_cast<int>(std::max(a.size(), b.size()))),
      timed_by_b_(a.size() == 1 && (b.size() > 1 || a[0].still())),
      plane_(std::holds_alternative<HalfSpace>(*a[0].shape)) {
  ALLCLEAR_ASSERT(a.size() == b.size() || (a.size() == 1 && a[0].still()) ||
                  (b.size() == 1 && b[0].still()));
  if (spread != nullptr) {
    is_displaced_ = true;
    const Interval time = wholeTime(*this);
    start_ = time.lower;
    spread_ = spread->start;
    if (time.length() > 0.0) spread_rate_ = (spread->end - spread->start) / time.length();
    displacement_ = std::max(displacementRadius(spread->start), displacementRadius(spread->end));
  }
  const double accuracy =
      is_displaced_ ? kIteratedAccuracy : distanceAccuracy(*a[0].shape, *b[0].shape);
  for (int cell = 0; cell < cells_; ++cell) {
    const ConvexCurve &A = curveA(cell), &B = curveB(cell);
    // Distances are taken at the rotation nearest to the polynomial's matrix. That is as far from
    // the matrix as the true rotation at most, so the rotation's error counts twice.
    double sum = B.error + B.rotation_error * B.reach + A.error;
    if (plane_) {  // it reaches as far from its origin as B's points are away
      for (int k = 0; k < kCount; ++k) {
        plane_lever_ = std::max(plane_lever_, (B.control[k].p - A.control[k].p).norm() + B.reach);
      }
      sum += 2.0 * A.rotation_error * plane_lever_;
    } else {
      sum += A.rotation_error * A.reach;
    }
    error_ = std::max(error_, sum + accuracy * (A.reach + B.reach + displacement_));
  }
}

Interval ConvexMotion::ballBounds(int cell) const {
  const double centers = (curveA(cell).ball_center - curveB(cell).ball_center).norm();
  const double radii = curveA(cell).ball_radius + curveB(cell).ball_radius;
  return {centers - radii - displacement_, centers + radii};
}

double ConvexMotion::jump(int cell) const {
  return cell == 0 ? 0.0 : a_step_ * curveA(cell).jump + b_step_ * curveB(cell).jump;
}

Instant ConvexMotion::at(TimePoint when) {
  const ConvexCurve &A = curveA(when.cell), &B = curveB(when.cell);
  Pose X_A, dX_A, X_B, dX_B;
  poseAt(A, when.s, &X_A, &dX_A);
  poseAt(B, when.s, &X_B, &dX_B);
  X_A.R = nearestRotation(X_A.R);
  X_B.R = nearestRotation(X_B.R);
  const Interval time = cellTime(when.cell);
  Instant instant;
  instant.when = when;
  instant.t = when.s < 1.0 ? time.lower + when.s * time.length() : time.upper;
  const Mat3 spread = spreadAt(instant.t);
  const SignedDistance result =
      convexDistance(*A.shape, X_A, *B.shape, X_B, &cache_, 0.0, is_displaced_ ? &spread : nullptr);
  instant.distance = result.distance;
  instant.ceiling = result.converged ? result.distance : result.distance + result.gap;
  instant.witness_A = result.witness_A;
  instant.witness_B = result.witness_B;
  instant.normal = result.normal;
  instant.unique = result.unique();
  // The envelope theorem: the slope of the distance is that of the gap between the witnesses, held
  // fixed to their bodies.
  const Vec3& n = result.normal;
  Vec3 of_B = result.witness_B;
  double growth = 0.0;  // [m/s] of sqrt(n' K n); 0 where that is not smooth
  if (is_displaced_) {
    of_B += farthestDisplacement(spread, n);  // back to B itself: displacements do not turn with it
    const double reach = displacementReach(spread, n);
    if (reach > 0.0) growth = 0.5 * n.dot(spread_rate_ * n) / reach;
  }
  const Vec3 p_A = X_A.R.transpose() * (result.witness_A - X_A.p);
  const Vec3 p_B = X_B.R.transpose() * (of_B - X_B.p);
  if (time.length() > 0.0) {
    instant.slope = n.dot(dX_B * p_B - dX_A * p_A) / time.length() - growth;
  }
  return instant;
}

Mat3 ConvexMotion::spreadAt(double t) const { return spread_ + (t - start_) * spread_rate_; }

/// With K0 and K1 the values at both ends, |sqrt(n' K n) - sqrt(n' K0 n)| is at most
/// sqrt(|n' (K - K0) n|), which is greatest for K1.
double ConvexMotion::growth(double t0, double t1) const {
  return is_displaced_ ? displacementRadius((t1 - t0) * spread_rate_) : 0.0;
}

double ConvexMotion::leverSpeed(int cell) const {
  const ConvexCurve &A = curveA(cell), &B = curveB(cell);
  return A.lever_speed + B.lever_speed + (plane_ ? A.angular_speed * plane_lever_ : 0.0);
}

double ConvexMotion::lowerBound(int cell, double s0, double s1, const Vec3& start,
                                const Vec3& end) const {
  if (plane_) return planeBound(cell, s0, s1);
  const ConvexCurve &A = curveA(cell), &B = curveB(cell);
  const bool turns = start.dot(end) > kLeastCosine;
  const Vec3& last = turns ? end : start;
  const Vec3 minus_start = -start, minus_last = -last;
  DirectionalCurve of_A, of_B;
  directionalCurve(A.control.data(), &A.control[0], start.data(), last.data(), s0, s1, &of_A);
  directionalCurve(B.control.data(), &A.control[0], minus_start.data(), minus_last.data(), s0, s1,
                   &of_B);
  SupportAlong support_A(*A.shape), support_B(*B.shape);
  const Interval time = cellTime(cell);
  const Mat3 K0 = spreadAt(time.lower + s0 * time.length());
  const Mat3 K1 = spreadAt(time.lower + s1 * time.length());
  const auto displaced = [&](int r) {
    if (!is_displaced_) return 0.0;
    const Vec3 n = ((kCount - r) * start + r * last) / kCount;  // coefficient of n(s)
    return std::max(upperDisplacementReach(K0, n), upperDisplacementReach(K1, n));
  };
  double room = std::numeric_limits<double>::infinity();
  for (int r = 0; r <= kCount; ++r) {
    const double* x = of_A.value[r];
    const double* y = of_B.value[r];
    room = std::min(room, -x[0] - y[0] - support_A({x[1], x[2], x[3]}) -
                              support_B({y[1], y[2], y[3]}) - displaced(r));
  }
  // Of the roundings; translations are relative to A's, but were rounded at their own magnitude.
  room -= kRounding * (A.scale + B.scale + A.reach + B.reach + displacement_);
  // |n(s)| is at most 1 up to rounding, and least at the middle of the chord.
  return room >= 0.0 ? room * (1.0 - kRounding) : room / (0.5 * (start + last).norm());
}

/// For a half-space A with the normal n_A(s) = R_A e_z the room along n_A is the distance itself.
/// n_A . (T_B - T_A) and R_B^T n_A are products of two polynomials of degree 7: with coefficients
/// times binomials (`normal`, `offset`, `R`) a product's coefficients are plain convolutions, of
/// degree 14.
double ConvexMotion::planeBound(int cell, double s0, double s1) const {
  constexpr int kProduct = 2 * BodyCurve::kDegree;
  constexpr double kBinomial[kCount] = {1, 7, 21, 35, 35, 21, 7, 1};
  constexpr double kBinomial14[kProduct + 1] = {1,    14,   91,   364, 1001, 2002, 3003, 3432,
                                                3003, 2002, 1001, 364, 91,   14,   1};
  const ConvexCurve &A = curveA(cell), &B = curveB(cell);
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
  // Convolutions: height is n_A.(T_B - T_A), direction R_B^T n_A.
  double height[kProduct + 1] = {};
  Vec3 direction[kProduct + 1];
  for (Vec3& d : direction) d.setZero();
  for (int i = 0; i < kCount; ++i) {
    for (int j = 0; j < kCount; ++j) {
      height[i + j] += normal[i].dot(offset[j]);
      direction[i + j] += R[j].transpose() * normal[i];
    }
  }
  SupportAlong support_B(*B.shape);
  double room = std::numeric_limits<double>::infinity();
  for (int r = 0; r <= kProduct; ++r) {
    const Vec3 down = direction[r] / -kBinomial14[r];
    room = std::min(room, height[r] / kBinomial14[r] - support_B(down));
  }
  return room - kRounding * (A.scale + B.scale + B.reach + plane_lever_);
}

}  // namespace allclear::mcd
