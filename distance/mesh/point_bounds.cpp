// Bounds of a point, or a ray from it, against the eight children of a node, in single precision.
//
// Rounding. With M = |p| + reach, no number on the way is larger than 3 M, and none goes through
// more than 12 roundings of at most that: 36 roundings of M. `slop` grants 64, so every bound stays
// below the exact distance and no child that a ray passes is lost.

#include "allclear/distance/mesh/point_bounds.h"

#include <limits>

#include "allclear/core/simd.h"

// The lanes are never passed through a real call.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear::mesh {

using namespace simd;  // lanes

namespace {

/// The half edges of a stored box are at right angles to rounding in single precision only
/// (volume_fit.cpp): a point of the box may reach this share of the sum of its half edges beyond
/// what orthogonal axes would allow.
constexpr float kSkew = 2e-6F;
/// A half axis shorter than this [m] has no direction in single precision and rules nothing out;
/// the divisor's floor keeps its lane a number.
constexpr float kNoLength = 1e-18F, kLeastDivisor = 1e-30F;
/// slop in roundings of M, and what one rounding is.
constexpr double kRoundings = 64.0;
constexpr double kRounding = 0.5 * static_cast<double>(std::numeric_limits<float>::epsilon());

ALLCLEAR_INLINE Vector<Lanes> vectorTo(const float (*row)[kWidth], const CoarsePoint& p) {
  return {p.p[0] - lanesOf(row[0]), p.p[1] - lanesOf(row[1]), p.p[2] - lanesOf(row[2])};
}

}  // namespace

CoarsePoint coarsePoint(const Vec3& p, double reach) {
  CoarsePoint out;
  for (int c = 0; c < 3; ++c) out.p[c] = static_cast<float>(p[c]);
  out.slop = static_cast<float>(kRoundings * kRounding * (p.norm() + reach)) +
             std::numeric_limits<float>::min();
  return out;
}

ALLCLEAR_MULTIVERSION
unsigned childrenAlong(const MeshNode& node, const CoarsePoint& p, const float* u) {
  const Vector<Lanes> d = vectorTo(node.ball, p);  // from the centre
  const Lanes along = u[0] * d.x + u[1] * d.y + u[2] * d.z;
  const Vector<Lanes> beside{d.x - along * u[0], d.y - along * u[1], d.z - along * u[2]};
  const Lanes r = lanesOf(node.ball[3]) + p.slop;
  // The ray misses the ball when its line passes beside it, or when the ball is behind p (along is
  // measured from the centre to p): then one of the two is positive.
  return lanesBelow(larger(Lanes(root(dot(beside, beside)) - r), Lanes(along - r)),
                    std::numeric_limits<float>::min());
}

ALLCLEAR_MULTIVERSION
void childrenBeyond(const MeshNode& node, const CoarsePoint& p, float* lower) {
  const Vector<Lanes> to_ball = vectorTo(node.ball, p), to_box = vectorTo(node.box, p);
  Lanes sum = {}, room[3];
  for (int i = 0; i < 3; ++i) {
    const float(*axis)[kWidth] = node.box + 3 + 3 * i;
    const Vector<Lanes> g{lanesOf(axis[0]), lanesOf(axis[1]), lanesOf(axis[2])};
    const Lanes length = root(dot(g, g));
    // How far p is beyond the pair of faces square to this axis.
    const Lanes along =
        magnitude(Lanes(dot(to_box, g))) / larger(length, all<Lanes>(kLeastDivisor));
    room[i] = length > kNoLength ? along - length : Lanes{};
    sum = sum + length;
  }
  const Lanes beside = larger(larger(room[0], room[1]), room[2]) - kSkew * sum;
  const Lanes beyond = root(dot(to_ball, to_ball)) - lanesOf(node.ball[3]);
  const Lanes least = larger(beside, beyond) - p.slop;
  std::memcpy(lower, &least, sizeof least);
}

}  // namespace allclear::mesh
