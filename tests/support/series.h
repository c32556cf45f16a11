#pragma once

#include <array>
#include <cmath>

#include "allclear/core/types.h"

namespace allclear::test {

/// Truncated power series in time as a scalar: arithmetic on it gives exact time derivatives of any
/// composition (coefficient n is the n-th derivative over n!).
struct Series {
  static constexpr int kOrder = 15;
  std::array<double, kOrder + 1> c{};

  Series() = default;
  Series(double value) { c[0] = value; }  // NOLINT: numbers are series
  double derivative(int n) const {
    double f = 1.0;
    for (int i = 2; i <= n; ++i) f *= i;
    return c[n] * f;
  }
  Series& operator+=(const Series& o) {
    for (int i = 0; i <= kOrder; ++i) c[i] += o.c[i];
    return *this;
  }
  Series& operator-=(const Series& o) {
    for (int i = 0; i <= kOrder; ++i) c[i] -= o.c[i];
    return *this;
  }
  Series& operator*=(const Series& o) { return *this = *this * o; }
  friend Series operator+(Series a, const Series& b) { return a += b; }
  friend Series operator-(Series a, const Series& b) { return a -= b; }
  friend Series operator-(const Series& a) { return Series(0.0) - a; }
  friend Series operator*(const Series& a, const Series& b) {
    Series r;
    for (int i = 0; i <= kOrder; ++i) {
      for (int j = 0; j <= i; ++j) r.c[i] += a.c[j] * b.c[i - j];
    }
    return r;
  }
};

/// Both at once, from s' = x' c, c' = -x' s.
inline void sinCosSeries(const Series& x, Series* s, Series* c) {
  s->c[0] = std::sin(x.c[0]);
  c->c[0] = std::cos(x.c[0]);
  for (int n = 1; n <= Series::kOrder; ++n) {
    double ds = 0.0, dc = 0.0;
    for (int m = 1; m <= n; ++m) {
      ds += m * x.c[m] * c->c[n - m];
      dc -= m * x.c[m] * s->c[n - m];
    }
    s->c[n] = ds / n;
    c->c[n] = dc / n;
  }
}
inline Series sin(const Series& x) {
  Series s, c;
  sinCosSeries(x, &s, &c);
  return s;
}
inline Series cos(const Series& x) {
  Series s, c;
  sinCosSeries(x, &s, &c);
  return c;
}

}  // namespace allclear::test

namespace Eigen {
template <>
struct NumTraits<allclear::test::Series> : NumTraits<double> {
  using Real = allclear::test::Series;
  using NonInteger = allclear::test::Series;
  using Nested = allclear::test::Series;
  enum { RequireInitialization = 1, IsComplex = 0 };
};
}  // namespace Eigen
