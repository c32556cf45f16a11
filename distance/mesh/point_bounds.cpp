// In single precision, eight children side by side. With M = |p| + reach no number on the way is
// more than 3 M, and none goes through more than 12 roundings of that; `slop` is 64.

#include "allclear/distance/mesh/point_bounds.h"

#include <limits>

#include "allclear/core/simd.h"

// The lanes are never passed through a real call.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear::mesh {

using namespace simd;  // lanes

namespace {

/// Edges of a box are at right angles to rounding in single precision.
constexpr float kSkew = 2e-6F;

ALLCLEAR_INLINE Vector<Lanes> vectorTo(const float (*row)[kWidth], const CoarsePoint& p) {
  return {p.p[0] - lanesOf(row[0]), p.p[1] - lanesOf(row[1]), p.p[2] - lanesOf(row[2])};
}

}  // namespace

CoarsePoint coarsePoint(const Vec3& p, double reach) {
  CoarsePoint out;
  for (int c = 0; c < 3; ++c) out.p[c] = static_cast<float>(p[c]);
  out.slop =
      static_cast<float>(64.0 * 0.5 * std::numeric_limits<float>::epsilon() * (p.norm() + reach)) +
      std::numeric_limits<float>::min();
  return out;
}

ALLCLEAR_MULTIVERSION
unsigned childrenAlong(const MeshNode& node, const CoarsePoint& p, const float* u) {
  const Vector<Lanes> d = vectorTo(node.ball, p);  // from the centre
  const Lanes along = u[0] * d.x + u[1] * d.y + u[2] * d.z;
  const Vector<Lanes> beside{d.x - along * u[0], d.y - along * u[1], d.z - along * u[2]};
  const Lanes r = lanesOf(node.ball[3]) + p.slop;
  // Passed on the side, or behind: then the larger of the two is positive.
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
    // An axis without length says nothing.
    const Lanes along = magnitude(Lanes(dot(to_box, g))) / larger(length, all<Lanes>(1e-30F));
    room[i] = length > 1e-18F ? along - length : Lanes{};
    sum = sum + length;
  }
  const Lanes beside = larger(larger(room[0], room[1]), room[2]) - kSkew * sum;
  const Lanes beyond = root(dot(to_ball, to_ball)) - lanesOf(node.ball[3]);
  const Lanes least = larger(beside, beyond) - p.slop;
  std::memcpy(lower, &least, sizeof least);
}

}  // namespace allclear::mesh
