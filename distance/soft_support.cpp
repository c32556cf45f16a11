#include "allclear/distance/soft_support.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/core/multiversion.h"

namespace allclear {
namespace {

using Kind = ConvexCore::Kind;

/// Terms below e^-kNegligible of the largest are left out: they add up to less than 1e-12 of it
/// among a million.
constexpr double kNegligible = 42.0;

// Plain loops over directions; `n` of them.

ALLCLEAR_MULTIVERSION void boxSupports(double a, double b, double c, const double* x,
                                       const double* y, const double* z, int n, double* out) {
  for (int k = 0; k < n; ++k) {
    out[k] = a * std::fabs(x[k]) + b * std::fabs(y[k]) + c * std::fabs(z[k]);
  }
}

ALLCLEAR_MULTIVERSION void cylinderSupports(double radius, double half, const double* x,
                                            const double* y, const double* z, int n, double* out) {
  for (int k = 0; k < n; ++k) {
    out[k] = radius * std::sqrt(x[k] * x[k] + y[k] * y[k]) + half * std::fabs(z[k]);
  }
}

ALLCLEAR_MULTIVERSION void coneSupports(double radius, double half, const double* x,
                                        const double* y, const double* z, int n, double* out) {
  for (int k = 0; k < n; ++k) {
    const double apex = half * z[k];
    const double rim = radius * std::sqrt(x[k] * x[k] + y[k] * y[k]) - apex;
    out[k] = apex > rim ? apex : rim;
  }
}

ALLCLEAR_MULTIVERSION void ellipsoidSupports(double a, double b, double c, const double* x,
                                             const double* y, const double* z, int n, double* out) {
  for (int k = 0; k < n; ++k) {
    const double u = a * x[k], v = b * y[k], w = c * z[k];
    out[k] = std::sqrt(u * u + v * v + w * w);
  }
}

ALLCLEAR_MULTIVERSION void cornerSupports(const double* px, const double* py, const double* pz,
                                          int corners, const double* x, const double* y,
                                          const double* z, int n, double* out) {
  for (int k = 0; k < n; ++k) out[k] = px[0] * x[k] + py[0] * y[k] + pz[0] * z[k];
  for (int i = 1; i < corners; ++i) {
    const double a = px[i], b = py[i], c = pz[i];
    for (int k = 0; k < n; ++k) {
      const double along = a * x[k] + b * y[k] + c * z[k];
      out[k] = along > out[k] ? along : out[k];
    }
  }
}

/// softness * log(e^(a / softness) + e^(b / softness)), and the share of the first.
double softMaximum(double a, double b, double softness, double* share) {
  const double e = std::exp(-std::fabs(a - b) / softness);
  *share = (a > b ? 1.0 : e) / (1.0 + e);
  return std::max(a, b) + softness * std::log1p(e);
}

/// Of a segment of half length `half` along one axis, at the direction's component u.
double softExtent(double half, double u, double softness, double* point) {
  double share = 0.0;
  const double value = softMaximum(half * u, -half * u, softness, &share);
  *point = half * (2.0 * share - 1.0);
  return value;
}

/// Of a disc about z, rounded at its axis.
double softDisc(double radius, const Vec3& d, double softness, Vec3* point) {
  const double value =
      std::sqrt(radius * radius * (d.x() * d.x() + d.y() * d.y()) + softness * softness);
  *point = radius * radius / value * Vec3(d.x(), d.y(), 0.0);
  return value;
}

SoftSupport softCorners(const Columns& corners, const Vec3& d, double softness, double hard) {
  const double least = hard - kNegligible * softness;
  double sum = 0.0;
  Vec3 point = Vec3::Zero();
  for (int i = 0; i < corners.count(); ++i) {
    const double along = corners.x[i] * d.x() + corners.y[i] * d.y() + corners.z[i] * d.z();
    if (along < least) continue;
    const double weight = std::exp((along - hard) / softness);
    sum += weight;
    point += weight * corners[i];
  }
  return {hard + softness * std::log(sum), point / sum};
}

}  // namespace

void hardSupports(const SoftCore& body, const Columns& directions, double* out) {
  const double* x = directions.x.data();
  const double* y = directions.y.data();
  const double* z = directions.z.data();
  const int n = directions.count();
  const Vec3& size = body.core.size;
  switch (body.core.kind) {
    case Kind::kPoint:
      std::fill(out, out + n, 0.0);
      return;
    case Kind::kSegment:
      return boxSupports(0.0, 0.0, size.z(), x, y, z, n, out);
    case Kind::kBox:
      return boxSupports(size.x(), size.y(), size.z(), x, y, z, n, out);
    case Kind::kCylinder:
      return cylinderSupports(size.x(), size.z(), x, y, z, n, out);
    case Kind::kCone:
      return coneSupports(size.x(), size.z(), x, y, z, n, out);
    case Kind::kEllipsoid:
      return ellipsoidSupports(size.x(), size.y(), size.z(), x, y, z, n, out);
    case Kind::kPoints:
      return cornerSupports(body.corners.x.data(), body.corners.y.data(), body.corners.z.data(),
                            body.corners.count(), x, y, z, n, out);
    case Kind::kTriangle:
      break;
  }
  ALLCLEAR_ASSERT(false);
}

SoftSupport softSupport(const SoftCore& body, const Vec3& d, double softness, double hard) {
  const Vec3& size = body.core.size;
  SoftSupport out;
  switch (body.core.kind) {
    case Kind::kPoint:
      return out;
    case Kind::kSegment:
      out.value = softExtent(size.z(), d.z(), softness, &out.point.z());
      return out;
    case Kind::kBox:
      for (int i = 0; i < 3; ++i) {
        out.value += softExtent(size[i], d[i], softness, &out.point[i]);
      }
      return out;
    case Kind::kCylinder: {
      out.value = softDisc(size.x(), d, softness, &out.point);
      out.value += softExtent(size.z(), d.z(), softness, &out.point.z());
      return out;
    }
    case Kind::kCone: {
      Vec3 rim;
      const double base = softDisc(size.x(), d, softness, &rim) - size.z() * d.z();
      rim.z() -= size.z();
      double share = 0.0;
      out.value = softMaximum(size.z() * d.z(), base, softness, &share);
      out.point = share * Vec3(0.0, 0.0, size.z()) + (1.0 - share) * rim;
      return out;
    }
    case Kind::kEllipsoid: {
      const Vec3 scaled = size.cwiseProduct(d);
      out.value = std::sqrt(scaled.squaredNorm() + softness * softness);
      out.point = size.cwiseProduct(scaled) / out.value;
      return out;
    }
    case Kind::kPoints:
      return softCorners(body.corners, d, softness, hard);
    case Kind::kTriangle:
      break;
  }
  ALLCLEAR_ASSERT(false);
  return out;
}

}  // namespace allclear
