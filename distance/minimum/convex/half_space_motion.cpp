// A convex shape above a plane at rest: distances at instants and bounds over stretches of time.
//
// Seen from the body the plane's normal turns: the way down is m(s) = -R(s)' n. With h(s) the
// height of the core's origin above the plane, and the core's support function
// support(m) = max of m.v over its points v,
//
//     distance(s) = h(s) - support(m(s)) - radius.
//
// h and m are polynomials of degree 7, and at each s both are the same convex combination of their
// Bernstein coefficients (h_k, m_k). Support functions are convex and homogeneous: so
//
//     distance(s) >= min_k (h_k - support(m_k)) - radius                                    (bound)
//
// for any polynomial m, unit or not. The directions in which a point v of the core is farthest form
// a convex cone, its normal cone: if v is farthest along all m_k, it is along every m(s), and
//
//     distance(s) = h(s) - m(s).v - radius,                                             (one point)
//
// a single polynomial. Eight support queries thus decide what Kim et al. (2004) decide by the
// lengths of arcs on the sphere of directions, and without any bound of the speed.
//
// Rounding. Rows, supports and their products are sums of at most some thirty terms, of lengths up
// to the scale of the curves and the reach of the shape; cutting a stretch is a convex combination
// and adds a rounding each time. The pad covers a hundred.

#include <algorithm>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/core/simd.h"
#include "allclear/distance/minimum/convex/half_space.h"

namespace allclear::mcd {
namespace {

constexpr int kCount = BodyCurve::kDegree + 1;
constexpr double kRounding = 100.0 * std::numeric_limits<double>::epsilon();
constexpr double kOnCrease = 1e-9;  // [rad] a face or edge as level as this touches as a whole

using Rows = double[kCount][4];

/// Rows {h_k, m_k} of the core's origin `offset` (in G).
ALLCLEAR_MULTIVERSION
void fillRows(const Pose* control, const double* normal, const double* origin, const double* offset,
              Rows& row) {
  for (int k = 0; k < kCount; ++k) {
    const double* R = control[k].R.data();
    const double* p = control[k].p.data();
    double m[3];
    double height = 0.0;
    for (int c = 0; c < 3; ++c) {
      m[c] = -(R[3 * c] * normal[0] + R[3 * c + 1] * normal[1] + R[3 * c + 2] * normal[2]);
      height += normal[c] * (p[c] - origin[c]);
    }
    height -= m[0] * offset[0] + m[1] * offset[1] + m[2] * offset[2];
    row[k][0] = height;
    for (int c = 0; c < 3; ++c) row[k][1 + c] = m[c];
  }
}

/// De Casteljau's algorithm: the coefficients of both parts.
ALLCLEAR_MULTIVERSION
void splitRows(const Rows& row, double share, Rows& left, Rows& right) {
  alignas(32) Rows b;
  for (int k = 0; k < kCount; ++k) {
    for (int c = 0; c < 4; ++c) b[k][c] = row[k][c];
  }
  for (int level = 0; level < kCount; ++level) {
    for (int c = 0; c < 4; ++c) {
      left[level][c] = b[0][c];
      right[kCount - 1 - level][c] = b[kCount - 1 - level][c];
    }
    for (int k = 0; k + level + 1 < kCount; ++k) {
      for (int c = 0; c < 4; ++c) b[k][c] = (1.0 - share) * b[k][c] + share * b[k + 1][c];
    }
  }
}

/// Bernstein polynomials of degree 6 at s: values and derivatives follow from these.
void weightsAt(double s, double* w) {
  w[0] = 1.0;
  for (int level = 1; level < kCount - 1; ++level) {
    w[level] = 0.0;
    for (int i = level; i > 0; --i) w[i] = (1.0 - s) * w[i] + s * w[i - 1];
    w[0] *= 1.0 - s;
  }
}

double heightOf(const double* row, const Vec3& point) {
  return row[0] - (row[1] * point.x() + row[2] * point.y() + row[3] * point.z());
}

}  // namespace

bool isAboveStillPlane(std::span<const ConvexCurve> plane, std::span<const ConvexCurve> shape) {
  return std::holds_alternative<HalfSpace>(*plane[0].shape) && shape.size() >= plane.size() &&
         std::all_of(plane.begin(), plane.end(), [](const ConvexCurve& c) { return c.still(); });
}

HalfSpaceMotion::HalfSpaceMotion(std::span<const ConvexCurve> plane,
                                 std::span<const ConvexCurve> shape)
    : curves_(shape),
      normal_(plane[0].control[0].R.col(2).normalized()),
      origin_(plane[0].control[0].p),
      core_(coreOf(*shape[0].shape)) {
  ALLCLEAR_ASSERT(std::holds_alternative<HalfSpace>(*plane[0].shape));
  for (const ConvexCurve& curve : curves_) {
    double lever = 0.0;  // of the shape's points about the plane's origin
    for (const Pose& X : curve.control) lever = std::max(lever, (X.p - origin_).norm());
    lever += curve.reach;
    for (const ConvexCurve& still : plane) {
      ALLCLEAR_ASSERT(still.still());
      // The normal is as far from the true one as the rotation's column, and once more after it
      // was made a unit vector.
      error_ = std::max(error_, curve.error + still.error + 2.0 * still.rotation_error * lever +
                                    kRounding * (curve.scale + still.scale + lever));
    }
  }
}

Interval HalfSpaceMotion::ballBounds(int cell) const {
  const double height = normal_.dot(curves_[cell].ball_center - origin_);
  return {height - curves_[cell].ball_radius, height + curves_[cell].ball_radius};
}

Vec3 HalfSpaceMotion::lowest(const Vec3& m) {
  if (core_.kind != ConvexCore::Kind::kPoints) return coreSupport(core_, m);
  return core_.points->corner(core_.points->farthest(m, &walk_));
}

void HalfSpaceMotion::whole(int cell, Stretch* out) const {
  out->cell = cell;
  out->s0 = 0.0;
  out->s1 = 1.0;
  out->one_point = false;
  fillRows(curves_[cell].control.data(), normal_.data(), origin_.data(), core_.offset.data(),
           out->row);
}

StretchBounds HalfSpaceMotion::bounds(Stretch* stretch) {
  const Rows& row = stretch->row;
  const auto down = [&](int k) { return Vec3(row[k][1], row[k][2], row[k][3]); };
  StretchBounds out;
  Vec3 first = stretch->point, last = stretch->point;
  if (stretch->one_point) {
    out.left = out.lower = heightOf(row[0], first);
    for (int k = 1; k < kCount; ++k) {
      out.right = heightOf(row[k], first);
      out.lower = std::min(out.lower, out.right);
    }
  } else {
    first = last = lowest(down(0));
    out.left = out.lower = heightOf(row[0], first);
    bool one = true;
    for (int k = 1; k < kCount; ++k) {
      last = lowest(down(k));
      one = one && last == first;
      out.right = heightOf(row[k], last);
      out.lower = std::min(out.lower, out.right);
    }
    stretch->one_point = one;
    stretch->point = first;
  }
  // The envelope theorem: the slope of the distance is that of the height of its lowest point.
  out.left_slope = BodyCurve::kDegree * (heightOf(row[1], first) - out.left);
  out.right_slope = BodyCurve::kDegree * (out.right - heightOf(row[kCount - 2], last));
  out.lower -= core_.radius;
  out.left -= core_.radius;
  out.right -= core_.radius;
  return out;
}

void HalfSpaceMotion::split(const Stretch& stretch, double share, Stretch* left, Stretch* right) {
  const double start = stretch.s0, middle = start + share * (stretch.s1 - start);
  left->cell = right->cell = stretch.cell;
  right->s1 = stretch.s1;
  left->s0 = start;
  left->s1 = right->s0 = middle;
  left->one_point = right->one_point = stretch.one_point;
  left->point = right->point = stretch.point;
  splitRows(stretch.row, share, left->row, right->row);
}

Instant HalfSpaceMotion::at(TimePoint when) {
  const ConvexCurve& curve = curves_[when.cell];
  Stretch cell;
  whole(when.cell, &cell);
  double w[kCount];
  weightsAt(when.s, w);
  // Weights of degree 7, the cell's rows and the pose, all at s.
  double row[4] = {};
  Pose X{Mat3::Zero(), Vec3::Zero()};
  for (int k = 0; k < kCount; ++k) {
    const double weight =
        (k + 1 < kCount ? (1.0 - when.s) * w[k] : 0.0) + (k > 0 ? when.s * w[k - 1] : 0.0);
    for (int c = 0; c < 4; ++c) row[c] += weight * cell.row[k][c];
    X.R += weight * curve.control[k].R;
    X.p += weight * curve.control[k].p;
  }
  const Vec3 point = lowest({row[1], row[2], row[3]});
  Instant out;
  out.when = when;
  out.t = when.s < 1.0 ? curve.time.lower + when.s * curve.time.length() : curve.time.upper;
  out.distance = out.ceiling = heightOf(row, point) - core_.radius;
  out.normal = normal_;
  out.witness_B = X * Vec3(point + core_.offset) - core_.radius * normal_;
  out.witness_A = out.witness_B - out.distance * normal_;
  if (curve.time.length() > 0.0) {
    double rise = 0.0;
    for (int k = 0; k + 1 < kCount; ++k) {
      rise += w[k] * (heightOf(cell.row[k + 1], point) - heightOf(cell.row[k], point));
    }
    out.slope = BodyCurve::kDegree * rise / curve.time.length();
  }
  return out;
}

bool HalfSpaceMotion::witnessIsUnique(const Instant& instant) const {
  const ConvexCurve& curve = curves_[instant.when.cell];
  double w[kCount];
  weightsAt(instant.when.s, w);
  Vec3 m = Vec3::Zero();
  for (int k = 0; k + 1 < kCount; ++k) {
    const Mat3 R =
        (1.0 - instant.when.s) * curve.control[k].R + instant.when.s * curve.control[k + 1].R;
    m -= w[k] * (R.transpose() * normal_);
  }
  return supportSet(core_, m.normalized(), kOnCrease).dimension() == 0;
}

}  // namespace allclear::mcd
