#pragma once

// Vectors that fit a register, and the macros that compile a kernel for several instruction sets.
//
// Everything here is for kernels only and is inlined into its caller, so that a multiversioned
// kernel gets the instructions of its version.

#include <cmath>
#include <cstdint>
#include <cstring>

#include "allclear/core/types.h"

/// Marks a hot kernel (a plain loop over plain arrays, no calls into other translation units) to be
/// compiled for several instruction sets, of which the best one is chosen when the program starts.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(ALLCLEAR_NO_CLONES)
#define ALLCLEAR_MULTIVERSION \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ALLCLEAR_MULTIVERSION
#endif

/// Marks a helper of such a kernel: it must be inlined, or it would be compiled for the default
/// instruction set only.
#if defined(__GNUC__)
#define ALLCLEAR_INLINE __attribute__((always_inline)) inline
#define ALLCLEAR_INLINE_LAMBDA __attribute__((always_inline))
#else
#define ALLCLEAR_INLINE inline
#define ALLCLEAR_INLINE_LAMBDA
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // never passed through a real call

namespace allclear {

// --- Four doubles: a 3-vector and one lane of padding.

/// The alignment is explicit: without AVX the type's own would be 16, while the AVX versions of the
/// kernels rely on 32. (As a template argument the type would lose its alignment: put it in a
/// struct to store it in a container.)
using Pack4 = double __attribute__((vector_size(32), aligned(32)));

ALLCLEAR_INLINE Pack4 pack(double x, double y, double z) { return Pack4{x, y, z, 0.0}; }
ALLCLEAR_INLINE Pack4 pack(const double* xyz) { return Pack4{xyz[0], xyz[1], xyz[2], 0.0}; }
/// All four lanes from memory, at any alignment.
ALLCLEAR_INLINE Pack4 packOf4(const double* x) {
  Pack4 result;
  std::memcpy(&result, x, sizeof result);
  return result;
}
ALLCLEAR_INLINE Pack4 pack(const Vec3& v) { return Pack4{v[0], v[1], v[2], 0.0}; }
ALLCLEAR_INLINE Vec3 unpack(Pack4 v) { return {v[0], v[1], v[2]}; }

/// Cross product with three shuffles: computed in the order z, x, y, which saves a fourth.
ALLCLEAR_INLINE Pack4 cross(Pack4 a, Pack4 b) {
  const Pack4 a_yzx = __builtin_shufflevector(a, a, 1, 2, 0, 3);
  const Pack4 b_yzx = __builtin_shufflevector(b, b, 1, 2, 0, 3);
  const Pack4 c = a * b_yzx - a_yzx * b;
  return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

ALLCLEAR_INLINE double dot(Pack4 a, Pack4 b) {
  const Pack4 c = a * b;
  return c[0] + c[1] + c[2];
}

/// A 3x3 matrix by columns.
struct Columns4 {
  Pack4 c[3];
};

ALLCLEAR_INLINE Pack4 operator*(const Columns4& M, Pack4 v) {
  return M.c[0] * v[0] + M.c[1] * v[1] + M.c[2] * v[2];
}

}  // namespace allclear

namespace allclear::simd {

// --- Eight floats. Each function exists for eight at once and for a single one, so that a template
// written once serves both.

constexpr int kWidth = 8;  ///< lanes

using Lanes = float __attribute__((vector_size(32)));

ALLCLEAR_INLINE Lanes lanesOf(const float* x) {
  Lanes lanes;
  std::memcpy(&lanes, x, sizeof lanes);
  return lanes;
}

ALLCLEAR_INLINE float larger(float a, float b) { return a > b ? a : b; }
ALLCLEAR_INLINE double larger(double a, double b) { return a > b ? a : b; }
ALLCLEAR_INLINE Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }
ALLCLEAR_INLINE float smaller(float a, float b) { return a < b ? a : b; }
ALLCLEAR_INLINE double smaller(double a, double b) { return a < b ? a : b; }
ALLCLEAR_INLINE Lanes smaller(Lanes a, Lanes b) { return a < b ? a : b; }
ALLCLEAR_INLINE float root(float x) { return std::sqrt(x); }
ALLCLEAR_INLINE Lanes root(Lanes x) {
  float each[kWidth];
  std::memcpy(each, &x, sizeof x);
  for (int l = 0; l < kWidth; ++l) each[l] = std::sqrt(each[l]);
  return lanesOf(each);
}
/// A number in every lane.
template <class L>
ALLCLEAR_INLINE L all(float x) {
  return L{} + x;
}
template <class L>
ALLCLEAR_INLINE L magnitude(L x) {
  return larger(x, -x);
}
template <class L>
ALLCLEAR_INLINE L clamped(L x) {
  return smaller(larger(x, all<L>(-1.0F)), all<L>(1.0F));
}

// --- Eight doubles, or one, for templates written once for both.

using DoubleLanes = double __attribute__((vector_size(64)));

ALLCLEAR_INLINE DoubleLanes larger(DoubleLanes a, DoubleLanes b) { return a > b ? a : b; }
ALLCLEAR_INLINE DoubleLanes smaller(DoubleLanes a, DoubleLanes b) { return a < b ? a : b; }
ALLCLEAR_INLINE double root(double x) { return std::sqrt(x); }
ALLCLEAR_INLINE DoubleLanes root(DoubleLanes x) {
  double each[kWidth];
  std::memcpy(each, &x, sizeof x);
  for (int l = 0; l < kWidth; ++l) each[l] = std::sqrt(each[l]);
  DoubleLanes out;
  std::memcpy(&out, each, sizeof out);
  return out;
}
/// Lane by lane, a where x is below 0 (or a NaN with the sign set), else b. By its bits: GCC takes
/// comparisons of lanes apart in functions that are compiled for several instruction sets.
ALLCLEAR_INLINE double whereNegative(double x, double a, double b) { return x < 0.0 ? a : b; }
ALLCLEAR_INLINE DoubleLanes whereNegative(DoubleLanes x, DoubleLanes a, DoubleLanes b) {
  using Bits = std::uint64_t __attribute__((vector_size(64)));
  Bits sign, of_a, of_b;
  std::memcpy(&sign, &x, sizeof x);
  std::memcpy(&of_a, &a, sizeof a);
  std::memcpy(&of_b, &b, sizeof b);
  const Bits mask = Bits{} - (sign >> 63);
  const Bits bits = (mask & of_a) | (~mask & of_b);
  DoubleLanes out;
  std::memcpy(&out, &bits, sizeof out);
  return out;
}
ALLCLEAR_INLINE bool anyPositive(double x) { return x > 0.0; }
ALLCLEAR_INLINE bool anyPositive(DoubleLanes x) {
  double each[kWidth];
  std::memcpy(each, &x, sizeof x);
  double most = each[0];
  for (int l = 1; l < kWidth; ++l) most = larger(most, each[l]);
  return most > 0.0;
}

template <class L>
struct Vector {
  L x, y, z;
};
template <class L, class M>
ALLCLEAR_INLINE auto dot(const Vector<L>& a, const Vector<M>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class L>
ALLCLEAR_INLINE Vector<L> vectorOf(const L* v) {
  return {v[0], v[1], v[2]};
}
/// R p, and its transpose times p.
template <class L>
ALLCLEAR_INLINE Vector<L> turned(const float* R, const Vector<L>& p) {
  return {R[0] * p.x + R[1] * p.y + R[2] * p.z, R[3] * p.x + R[4] * p.y + R[5] * p.z,
          R[6] * p.x + R[7] * p.y + R[8] * p.z};
}
template <class L>
ALLCLEAR_INLINE Vector<L> turnedBack(const float* R, const Vector<L>& p) {
  return {R[0] * p.x + R[3] * p.y + R[6] * p.z, R[1] * p.x + R[4] * p.y + R[7] * p.z,
          R[2] * p.x + R[5] * p.y + R[8] * p.z};
}

/// The least over [-1, 1] of the quadratic of these Bernstein coefficients: with x = b0 - b1 and
/// y = b2 - b1 both positive it is b1 + x y / (x + y), else an end's.
template <class L>
ALLCLEAR_INLINE L leastOfQuadratic(L b0, L b1, L b2) {
  const L zero{}, x = larger(b0 - b1, zero), y = larger(b2 - b1, zero);
  // 1e-30: where x and y are both 0, y / 0 would be NaN.
  return smaller(smaller(b0, b2), b1 + x * (y / (x + y + 1e-30F)));
}

/// Bit i is set when lane i is below the cutoff or NaN.
ALLCLEAR_INLINE unsigned lanesBelow(float x, float cutoff) { return x >= cutoff ? 0U : 1U; }
ALLCLEAR_INLINE unsigned lanesBelow(Lanes x, float cutoff) {
  using Bits = std::int32_t __attribute__((vector_size(32)));
  const Bits below = ~(x >= cutoff) & Bits{1, 2, 4, 8, 16, 32, 64, 128};
  std::uint64_t part[4];
  std::memcpy(part, &below, sizeof below);
  // Each lane's own bit, gathered: lanes are 32 bits, two to a part.
  const std::uint64_t all = (part[0] | part[1]) | (part[2] | part[3]);
  return static_cast<unsigned>(all | all >> 32) & 255U;
}
/// The least of the lanes. A NaN lane may be passed over or be the result: see `lanesBelow`.
ALLCLEAR_INLINE float leastLane(float x) { return x; }
ALLCLEAR_INLINE float leastLane(Lanes x) {
  using Half = float __attribute__((vector_size(16)));
  Half low, high;
  std::memcpy(&low, &x, sizeof low);
  std::memcpy(&high, reinterpret_cast<const char*>(&x) + sizeof low, sizeof high);
  low = low < high ? low : high;
  return smaller(smaller(low[0], low[1]), smaller(low[2], low[3]));
}

}  // namespace allclear::simd

#pragma GCC diagnostic pop
