#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Dense>

namespace allclear {

// Arithmetic with intervals that are rounded outward, and with functions of time whose values and
// first two derivatives are such intervals. The recursions of dynamics (chain_recursion.h) run on
// these numbers and so give proven bounds of torques over a cell of time.
//
// Rounding. IEEE arithmetic rounds each sum or product to the nearest double: the relative error is
// at most eps / 2 (eps = 2^-52), or the absolute error at most 2^-1075 where the result is
// subnormal. `Enclosure::outward` widens each computed end by 2 eps of its size plus the least
// normal number 2^-1022, which is more than that error and the rounding of the widening itself. So
// no rounding mode has to be set, and the result holds whether or not the compiler fuses products
// and sums.

/// An interval of reals, rounded outward: holds every result of an operation on members of its
/// operands. Ends that overflow become infinite; where nothing can be said the result is the whole
/// line, never NaN.
struct Enclosure {
  double lower = 0.0;
  double upper = 0.0;

  static Enclosure outward(double lower, double upper) {
    constexpr double kRounding = 2.0 * std::numeric_limits<double>::epsilon();
    constexpr double kTiny = std::numeric_limits<double>::min();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    // An infinite end would meet its own infinite widening as infinity - infinity; of infinite
    // operands nothing is known.
    if (!(upper - lower < kInfinity)) return {-kInfinity, kInfinity};
    return {lower - kRounding * std::abs(lower) - kTiny,
            upper + kRounding * std::abs(upper) + kTiny};
  }
  double magnitude() const { return std::max(std::abs(lower), std::abs(upper)); }

  friend Enclosure operator+(const Enclosure& a, const Enclosure& b) {
    return outward(a.lower + b.lower, a.upper + b.upper);
  }
  friend Enclosure operator-(const Enclosure& a) { return {-a.upper, -a.lower}; }  // exact
  /// A product is linear in each factor, so it is least and greatest at ends of both.
  friend Enclosure operator*(const Enclosure& a, const Enclosure& b) {
    const double p = a.lower * b.lower, q = a.lower * b.upper;
    const double r = a.upper * b.lower, s = a.upper * b.upper;
    // A NaN among them (0 times infinity) would be lost by the least and greatest.
    if (std::isnan(p + q + r + s)) return outward(p + q + r + s, p + q + r + s);
    return outward(std::min({p, q, r, s}), std::max({p, q, r, s}));
  }
  friend Enclosure operator*(const Enclosure& a, double b) {
    const double p = a.lower * b, q = a.upper * b;
    return b < 0.0 ? outward(q, p) : outward(p, q);
  }
};

/// Encloses the squares: none is negative.
inline Enclosure squared(const Enclosure& a) {
  const double p = a.lower * a.lower, q = a.upper * a.upper;
  const bool has_zero = a.lower <= 0.0 && a.upper >= 0.0;
  Enclosure out = Enclosure::outward(has_zero ? 0.0 : std::min(p, q), std::max(p, q));
  out.lower = std::max(0.0, out.lower);
  return out;
}

/// Where the sine (or cosine) over x can be at most away from its value at the middle of x: half
/// the length of x, since its slope is at most 1. The constant 1e-15 is more than four roundings
/// (eps / 2 each, relative to 1 + |middle|): of the middle, of the half length, of the sine and of
/// the end.
inline double sineRadius(const Enclosure& x, double middle) {
  constexpr double kRounding = 1e-15;
  return 0.5 * (x.upper - x.lower) * (1.0 + kRounding) + kRounding * (1.0 + std::abs(middle));
}

/// Encloses the sine over an interval. Of an infinite one the middle is NaN, and the order of the
/// arguments below makes that [-1, 1]: a comparison with NaN is false, so the first one stays.
inline Enclosure sineOf(const Enclosure& x) {
  const double middle = 0.5 * (x.lower + x.upper);
  const double value = std::sin(middle), radius = sineRadius(x, middle);
  return {std::max(-1.0, value - radius), std::min(1.0, value + radius)};
}

/// Encloses the cosine over an interval.
inline Enclosure cosineOf(const Enclosure& x) {
  const double middle = 0.5 * (x.lower + x.upper);
  const double value = std::cos(middle), radius = sineRadius(x, middle);
  return {std::max(-1.0, value - radius), std::min(1.0, value + radius)};
}

/// Enclosures of a function of time and of its first two derivatives, over a cell of time. The
/// operations are the rules of differentiation: (ab)'' = a''b + 2a'b' + ab'', and the chain rule
/// for sine and cosine.
struct EnclosedSeries {
  Enclosure value, rate, second;

  EnclosedSeries() = default;
  EnclosedSeries(double constant) : value{constant, constant} {}  // NOLINT: numbers are series
  EnclosedSeries(Enclosure v, Enclosure r, Enclosure s) : value(v), rate(r), second(s) {}

  EnclosedSeries& operator+=(const EnclosedSeries& o) {
    value = value + o.value;
    rate = rate + o.rate;
    second = second + o.second;
    return *this;
  }
  EnclosedSeries& operator-=(const EnclosedSeries& o) { return *this += -o; }
  EnclosedSeries& operator*=(const EnclosedSeries& o) { return *this = *this * o; }
  friend EnclosedSeries operator-(const EnclosedSeries& a) {
    return {-a.value, -a.rate, -a.second};
  }
  friend EnclosedSeries operator+(EnclosedSeries a, const EnclosedSeries& b) { return a += b; }
  friend EnclosedSeries operator-(EnclosedSeries a, const EnclosedSeries& b) { return a -= b; }
  friend EnclosedSeries operator*(const EnclosedSeries& a, const EnclosedSeries& b) {
    const Enclosure two{2.0, 2.0};
    return {a.value * b.value, a.rate * b.value + a.value * b.rate,
            a.second * b.value + two * (a.rate * b.rate) + a.value * b.second};
  }
  friend EnclosedSeries operator*(const EnclosedSeries& a, double b) {
    return {a.value * b, a.rate * b, a.second * b};
  }
};

/// (a^2)'' = 2 (a'^2 + a a'').
inline EnclosedSeries squared(const EnclosedSeries& a) {
  return {squared(a.value), a.value * a.rate * 2.0, (squared(a.rate) + a.value * a.second) * 2.0};
}

inline EnclosedSeries sin(const EnclosedSeries& x) {
  const Enclosure s = sineOf(x.value), c = cosineOf(x.value);
  return {s, c * x.rate, c * x.second + -(s * (x.rate * x.rate))};
}
inline EnclosedSeries cos(const EnclosedSeries& x) {
  const Enclosure s = sineOf(x.value), c = cosineOf(x.value);
  return {c, -(s * x.rate), -(s * x.second + c * (x.rate * x.rate))};
}

}  // namespace allclear

namespace Eigen {
template <>
struct NumTraits<allclear::EnclosedSeries> : NumTraits<double> {
  using Real = allclear::EnclosedSeries;
  using NonInteger = allclear::EnclosedSeries;
  using Nested = allclear::EnclosedSeries;
  enum { RequireInitialization = 1, IsComplex = 0 };
};
}  // namespace Eigen
