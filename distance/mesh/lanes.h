#pragma once

// Eight numbers in one register, and vectors of them; all that follows is for these and for single
// ones alike.

#include <cmath>
#include <cstdint>
#include <cstring>

#include "allclear/core/multiversion.h"

namespace allclear::mesh {

constexpr int kWidth = 8;  ///< lanes

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // never passed through a real call

using Lanes = float __attribute__((vector_size(32)));

ALLCLEAR_ALWAYS_INLINE Lanes lanesOf(const float* x) {
  Lanes lanes;
  std::memcpy(&lanes, x, sizeof lanes);
  return lanes;
}

ALLCLEAR_ALWAYS_INLINE float larger(float a, float b) { return a > b ? a : b; }
ALLCLEAR_ALWAYS_INLINE double larger(double a, double b) { return a > b ? a : b; }
ALLCLEAR_ALWAYS_INLINE Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }
ALLCLEAR_ALWAYS_INLINE float smaller(float a, float b) { return a < b ? a : b; }
ALLCLEAR_ALWAYS_INLINE double smaller(double a, double b) { return a < b ? a : b; }
ALLCLEAR_ALWAYS_INLINE Lanes smaller(Lanes a, Lanes b) { return a < b ? a : b; }
ALLCLEAR_ALWAYS_INLINE float root(float x) { return std::sqrt(x); }
ALLCLEAR_ALWAYS_INLINE Lanes root(Lanes x) {
  float each[kWidth];
  std::memcpy(each, &x, sizeof x);
  for (int l = 0; l < kWidth; ++l) each[l] = std::sqrt(each[l]);
  return lanesOf(each);
}
/// A number in every lane.
template <class L>
ALLCLEAR_ALWAYS_INLINE L all(float x) {
  return L{} + x;
}
template <class L>
ALLCLEAR_ALWAYS_INLINE L magnitude(L x) {
  return larger(x, -x);
}
template <class L>
ALLCLEAR_ALWAYS_INLINE L clamped(L x) {
  return smaller(larger(x, all<L>(-1.0F)), all<L>(1.0F));
}

template <class L>
struct Vector {
  L x, y, z;
};
template <class L, class M>
ALLCLEAR_ALWAYS_INLINE auto dot(const Vector<L>& a, const Vector<M>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class L>
ALLCLEAR_ALWAYS_INLINE Vector<L> vectorOf(const L* v) {
  return {v[0], v[1], v[2]};
}
/// R p, and its transpose times p.
template <class L>
ALLCLEAR_ALWAYS_INLINE Vector<L> turned(const float* R, const Vector<L>& p) {
  return {R[0] * p.x + R[1] * p.y + R[2] * p.z, R[3] * p.x + R[4] * p.y + R[5] * p.z,
          R[6] * p.x + R[7] * p.y + R[8] * p.z};
}
template <class L>
ALLCLEAR_ALWAYS_INLINE Vector<L> turnedBack(const float* R, const Vector<L>& p) {
  return {R[0] * p.x + R[3] * p.y + R[6] * p.z, R[1] * p.x + R[4] * p.y + R[7] * p.z,
          R[2] * p.x + R[5] * p.y + R[8] * p.z};
}

/// The least over [-1, 1] of the quadratic of these Bernstein coefficients: with x = b0 - b1 and
/// y = b2 - b1 both positive it is b1 + x y / (x + y), else an end's.
template <class L>
ALLCLEAR_ALWAYS_INLINE L leastOfQuadratic(L b0, L b1, L b2) {
  const L zero{}, x = larger(b0 - b1, zero), y = larger(b2 - b1, zero);
  return smaller(smaller(b0, b2), b1 + x * (y / (x + y + 1e-30F)));
}

/// Bit i: lane i is below the cutoff, or not a number.
ALLCLEAR_ALWAYS_INLINE unsigned lanesBelow(float x, float cutoff) { return x >= cutoff ? 0U : 1U; }
ALLCLEAR_ALWAYS_INLINE unsigned lanesBelow(Lanes x, float cutoff) {
  using Bits = std::int32_t __attribute__((vector_size(32)));
  const Bits below = ~(x >= cutoff) & Bits{1, 2, 4, 8, 16, 32, 64, 128};
  std::uint64_t part[4];
  std::memcpy(part, &below, sizeof below);
  const std::uint64_t all = (part[0] | part[1]) | (part[2] | part[3]);
  return static_cast<unsigned>(all | all >> 32) & 255U;
}
ALLCLEAR_ALWAYS_INLINE float leastLane(float x) { return x; }
ALLCLEAR_ALWAYS_INLINE float leastLane(Lanes x) {
  using Half = float __attribute__((vector_size(16)));
  Half low, high;
  std::memcpy(&low, &x, sizeof low);
  std::memcpy(&high, reinterpret_cast<const char*>(&x) + sizeof low, sizeof high);
  low = low < high ? low : high;
  return smaller(smaller(low[0], low[1]), smaller(low[2], low[3]));
}

#pragma GCC diagnostic pop

}  // namespace allclear::mesh
