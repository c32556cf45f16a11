#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Dense>

namespace allclear {

/// An interval of reals, rounded outward.
struct Enclosure {
  double lower = 0.0;
  double upper = 0.0;

  static Enclosure outward(double lower, double upper) {
    constexpr double kRounding = 2.0 * std::numeric_limits<double>::epsilon();
    constexpr double kTiny = std::numeric_limits<double>::min();
    return {lower - kRounding * std::abs(lower) - kTiny,
            upper + kRounding * std::abs(upper) + kTiny};
  }
  double magnitude() const { return std::max(std::abs(lower), std::abs(upper)); }

  friend Enclosure operator+(const Enclosure& a, const Enclosure& b) {
    return outward(a.lower + b.lower, a.upper + b.upper);
  }
  friend Enclosure operator-(const Enclosure& a) { return {-a.upper, -a.lower}; }
  friend Enclosure operator*(const Enclosure& a, const Enclosure& b) {
    const double p = a.lower * b.lower, q = a.lower * b.upper;
    const double r = a.upper * b.lower, s = a.upper * b.upper;
    return outward(std::min({p, q, r, s}), std::max({p, q, r, s}));
  }
};

/// Encloses the sine over an interval: by its Lipschitz constant about the middle.
inline Enclosure sineOf(const Enclosure& x, double phase) {
  const double middle = 0.5 * (x.lower + x.upper);
  const double radius =
      0.5 * (x.upper - x.lower) * (1.0 + 1e-15) + 1e-15 * (1.0 + std::abs(middle));
  const double value = phase == 0.0 ? std::sin(middle) : std::cos(middle);
  return {std::max(-1.0, value - radius), std::min(1.0, value + radius)};
}

/// Enclosures of a function of time and of its first two derivatives, over a cell of time.
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
};

inline EnclosedSeries sin(const EnclosedSeries& x) {
  const Enclosure s = sineOf(x.value, 0.0), c = sineOf(x.value, 1.0);
  return {s, c * x.rate, c * x.second + -(s * (x.rate * x.rate))};
}
inline EnclosedSeries cos(const EnclosedSeries& x) {
  const Enclosure s = sineOf(x.value, 0.0), c = sineOf(x.value, 1.0);
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
