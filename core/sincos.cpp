// Sine and cosine of many angles at once. Each angle is reduced to r in [-pi/4, pi/4] by taking off
// k quarter turns (W. Cody, W. Waite, "Software manual for the elementary functions", 1980): pi/2
// is given in three parts, of which the first two have trailing zeros, so that k times them is
// exact. There Taylor polynomials are enough: their first omitted terms are below 1e-19. The
// quadrant k mod 4 then says which of the two is the sine, and the signs.
//
// Every step is arithmetic on doubles without branches, so that the loop vectorises on the plainest
// x86-64. In particular, adding and subtracting 1.5 * 2^52 rounds to the nearest integer: doubles
// of that size have no bits for fractions.
#include "allclear/core/sincos.h"

#include <cmath>

#include "allclear/core/simd.h"

namespace allclear {
namespace {

/// k stays below 2^16 for these angles [rad]: its product with a 33-bit part of pi/2 fits a
/// double's 53 bits, exactly.
constexpr double kLargestAngle = 1e5;
constexpr double kRoundingShift = 6755399441055744.0;  // 1.5 * 2^52
constexpr double kTwoOverPi = 0.63661977236758134308;
constexpr double kHalfPi1 = 1.57079632673412561417e+00;  // the first 33 bits of pi/2
constexpr double kHalfPi2 = 6.07710050630396597660e-11;  // the next 33
constexpr double kHalfPi3 = 2.02226624879595063154e-21;  // the rest

constexpr double reciprocalFactorial(int n) {
  double f = 1.0;
  for (int i = 2; i <= n; ++i) f *= i;
  return 1.0 / f;
}

/// Pre: |angle| < kLargestAngle.
ALLCLEAR_MULTIVERSION
void sinCosReduced(const double* __restrict angles, int count, double* __restrict sines,
                   double* __restrict cosines) {
  for (int i = 0; i < count; ++i) {
    const double shifted = angles[i] * kTwoOverPi + kRoundingShift;
    const double k = shifted - kRoundingShift;
    const double r = ((angles[i] - k * kHalfPi1) - k * kHalfPi2) - k * kHalfPi3;
    const double z = r * r;
    double s = reciprocalFactorial(17);
    s = s * z - reciprocalFactorial(15);
    s = s * z + reciprocalFactorial(13);
    s = s * z - reciprocalFactorial(11);
    s = s * z + reciprocalFactorial(9);
    s = s * z - reciprocalFactorial(7);
    s = s * z + reciprocalFactorial(5);
    s = s * z - reciprocalFactorial(3);
    s = r + r * (z * s);
    double c = reciprocalFactorial(16);
    c = c * z - reciprocalFactorial(14);
    c = c * z + reciprocalFactorial(12);
    c = c * z - reciprocalFactorial(10);
    c = c * z + reciprocalFactorial(8);
    c = c * z - reciprocalFactorial(6);
    c = c * z + reciprocalFactorial(4);
    c = (1.0 - 0.5 * z) + z * (z * c);
    // Quadrant k mod 4, from k/4 and k/2 rounded down: all in doubles, for the vectoriser's sake.
    const double half = (k * 0.5 - 0.25 + kRoundingShift) - kRoundingShift;       // floor(k / 2)
    const double fourth = (half * 0.5 - 0.25 + kRoundingShift) - kRoundingShift;  // floor(k / 4)
    const double odd = k - 2.0 * half;           // 1 when sine and cosine change places
    const double upper = half - 2.0 * fourth;    // 1 in quadrants 2 and 3
    const double sine_sign = 1.0 - 2.0 * upper;  // + + - -
    const double cosine_sign = sine_sign * (1.0 - 2.0 * odd);  // + - - +
    sines[i] = sine_sign * (odd > 0.5 ? c : s);
    cosines[i] = cosine_sign * (odd > 0.5 ? s : c);
  }
}

}  // namespace

void sinCos(const double* angles, int count, double* sines, double* cosines) {
  bool small = true;
  for (int i = 0; i < count; ++i) small = small && std::fabs(angles[i]) < kLargestAngle;
  if (small) return sinCosReduced(angles, count, sines, cosines);
  for (int i = 0; i < count; ++i) {
    sines[i] = std::sin(angles[i]);
    cosines[i] = std::cos(angles[i]);
  }
}

}  // namespace allclear
