#pragma once

// Four doubles that travel together: a 3-vector and one lane of padding, in one register where the
// processor has one wide enough. For kernels only; everything here is inlined into its caller, so
// that a multiversioned kernel gets the instructions of its version.

#include <cstring>

#include "allclear/core/types.h"

namespace allclear {

/// The alignment is said outright: without AVX the type's own would be 16, while the kernels' AVX
/// versions rely on 32. (A container must hold a struct of them: a template argument would lose
/// it.)
using Pack4 = double __attribute__((vector_size(32), aligned(32)));

#define ALLCLEAR_INLINE inline __attribute__((always_inline))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // never passed through a real call

ALLCLEAR_INLINE Pack4 pack(double x, double y, double z) { return Pack4{x, y, z, 0.0}; }
ALLCLEAR_INLINE Pack4 pack(const double* xyz) { return Pack4{xyz[0], xyz[1], xyz[2], 0.0}; }
ALLCLEAR_INLINE Pack4 packOf4(const double* x) {
  Pack4 result;
  std::memcpy(&result, x, sizeof result);
  return result;
}
ALLCLEAR_INLINE Pack4 pack(const Vec3& v) { return Pack4{v[0], v[1], v[2], 0.0}; }
ALLCLEAR_INLINE Vec3 unpack(Pack4 v) { return {v[0], v[1], v[2]}; }

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

#pragma GCC diagnostic pop

}  // namespace allclear
