// Support functions h(d) = max p.d of convex cores, and smooth functions g >= h.
//
// A maximum max(a, b) becomes sigma log(e^(a/sigma) + e^(b/sigma)), which is at least the larger
// one and at most sigma log 2 above it. A length sqrt(x^2) becomes sqrt(x^2 + sigma^2), which is
// between x and x + sigma. Every core below is a sum or maximum of such terms, in its own frame:
//   segment (half length c)      c |d_z|                     a soft maximum of +-c d_z
//   box (half edges a, b, c)     a|d_x| + b|d_y| + c|d_z|     three of them
//   cylinder (radius r)          r rho + c |d_z|              rho^2 = d_x^2 + d_y^2
//   cone                         max(c d_z, r rho - c d_z)    apex or rim
//   ellipsoid                    |(a d_x, b d_y, c d_z)|
//   points                       max p_i.d
// The derivative of g by d is a weighted mean of support points, so a point of the core: it takes
// the place of the support point in gradients and witnesses.

#include "allclear/distance/soft/support.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "allclear/core/assert.h"
#include "allclear/core/simd.h"

namespace allclear {
namespace {

using Kind = ConvexCore::Kind;

// Hard supports along n directions: plain loops that the compiler vectorises.

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

/// softness * log(e^(a / softness) + e^(b / softness)), and the weight of the first term, the
/// derivative by a. Written with the larger one in front so that no exponential overflows.
double softMaximum(double a, double b, double softness, double* share) {
  const double e = std::exp(-std::fabs(a - b) / softness);
  *share = (a > b ? 1.0 : e) / (1.0 + e);
  return std::max(a, b) + softness * std::log1p(e);
}

/// Soft support of the segment [-half, half] on an axis, u the direction's component along it.
double softExtent(double half, double u, double softness, double* point) {
  double share = 0.0;
  const double value = softMaximum(half * u, -half * u, softness, &share);
  *point = half * (2.0 * share - 1.0);
  return value;
}

/// Soft support of a disc about z. The hard one, radius * rho, has a kink where d is along z.
double softDisc(double radius, const Vec3& d, double softness, Vec3* point) {
  const double value =
      std::sqrt(radius * radius * (d.x() * d.x() + d.y() * d.y()) + softness * softness);
  *point = radius * radius / value * Vec3(d.x(), d.y(), 0.0);
  return value;
}

/// e^x for x <= 0, to about 1e-15 of it; e^-700 for x below -700. No calls and no branches, so that
/// loops over it become vector code. With x = n log 2 + r: e^x = 2^n e^r, where 2^n is added to the
/// exponent bits of the Taylor sum of e^r. log 2 is split in two parts (fdlibm's), the first with
/// trailing zeros so that its product with n is exact.
ALLCLEAR_INLINE double decay(double x) {
  // 1.5 * 2^52: adding it rounds to an integer, which stays in the low bits of the sum.
  constexpr double kMagic = 6755399441055744.0;
  constexpr double kLogTwoHigh = 6.93147180369123816490e-01;
  constexpr double kLogTwoLow = 1.90821492927058770002e-10;
  const double y = x > -700.0 ? x : -700.0;
  const double shifted = y * 1.4426950408889634 + kMagic;
  const double n = shifted - kMagic;
  const double r = (y - n * kLogTwoHigh) - n * kLogTwoLow;
  double sum = 1.0 / 479001600.0;  // Taylor to r^12 at |r| <= 0.35
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  const std::int64_t bits = std::bit_cast<std::int64_t>(sum) +
                            static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(shifted) << 52);
  return std::bit_cast<double>(bits);
}

/// The sum over the corners p of w = e^(sharpness (p.d - hard)), sharpness = 1 / softness: out[0];
/// and the sum of w p: out[1..3]. Fixed lanes keep the order of the additions the same for
/// every width of registers.
ALLCLEAR_MULTIVERSION void cornerSums(const double* px, const double* py, const double* pz,
                                      int corners, const double* d, double hard, double sharpness,
                                      double* out) {
  constexpr int kLanes = SoftCore::kBlock;
  double sum[4][kLanes] = {};
  for (int first = 0; first < corners; first += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int i = first + lane;
      const double along = px[i] * d[0] + py[i] * d[1] + pz[i] * d[2];
      // Rounding can leave a corner above `hard`, the largest of them: `decay` wants x <= 0.
      const double below = sharpness * (along - hard);
      const double e = decay(below < 0.0 ? below : 0.0);
      const double weight = i < corners ? e : 0.0;
      sum[0][lane] += weight;
      sum[1][lane] += weight * px[i];
      sum[2][lane] += weight * py[i];
      sum[3][lane] += weight * pz[i];
    }
  }
  for (int k = 0; k < 4; ++k) {
    out[k] = 0.0;
    for (int lane = 0; lane < kLanes; ++lane) out[k] += sum[k][lane];
  }
}

SoftSupport softCorners(const SoftCore& body, const Vec3& d, double softness, double hard) {
  double sums[4];
  cornerSums(body.corners.x.data(), body.corners.y.data(), body.corners.z.data(), body.corner_count,
             d.data(), hard, 1.0 / softness, sums);
  // The largest term is 1 in exact arithmetic; less by rounding would put the value below `hard`.
  return {hard + softness * std::log(std::max(1.0, sums[0])),
          Vec3(sums[1], sums[2], sums[3]) / sums[0]};
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
                            body.corner_count, x, y, z, n, out);
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
      // Hull of the base disc at -c and the apex at c: a soft maximum of their supports.
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
      return softCorners(body, d, softness, hard);
    case Kind::kTriangle:
      break;
  }
  ALLCLEAR_ASSERT(false);
  return out;
}

}  // namespace allclear
