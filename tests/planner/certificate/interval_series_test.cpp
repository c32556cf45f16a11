#include "allclear/planner/certificate/interval_series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/random_robot.h"

namespace allclear {
namespace {

using test::Random;

/// A sum or product of two doubles, exactly: the rounded result and the error of the rounding.
struct Exact {
  double rounded;
  double error;

  /// Knuth's and Dekker's error-free transformations. Pre: neither overflows nor is subnormal.
  static Exact sum(double a, double b) {
    const double s = a + b, b_part = s - a;
    return {s, (a - (s - b_part)) + (b - b_part)};
  }
  static Exact product(double a, double b) {
    const double p = a * b;
    return {p, std::fma(a, b, -p)};
  }
  bool isIn(double lower, double upper) const {
    // Near `rounded` the differences are exact.
    return lower - rounded <= error && error <= upper - rounded;
  }
};

Enclosure randomInterval(Random& random) {
  const double middle = random.logUniform(1e-6, 1e6) * (random.uniform(0.0, 1.0) < 0.5 ? -1 : 1);
  const double length = random.uniform(0.0, 1.0) < 0.3 ? 0.0 : random.logUniform(1e-12, 1e3);
  return {middle, middle + length};
}

double memberOf(const Enclosure& x, Random& random) {
  const double choice = random.uniform(0.0, 1.0);
  if (choice < 0.3) return x.lower;
  if (choice < 0.6) return x.upper;
  return std::clamp(random.uniform(x.lower, x.upper), x.lower, x.upper);
}

TEST(Enclosure, HoldsEveryExactSumAndProductOfMembers) {
  Random random(1);
  int rounded_away = 0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const Enclosure a = randomInterval(random), b = randomInterval(random);
    const double x = memberOf(a, random), y = memberOf(b, random);
    const Enclosure sum = a + b, product = a * b, difference = a + -b;
    EXPECT_TRUE(Exact::sum(x, y).isIn(sum.lower, sum.upper)) << x << " + " << y;
    EXPECT_TRUE(Exact::sum(x, -y).isIn(difference.lower, difference.upper)) << x << " - " << y;
    EXPECT_TRUE(Exact::product(x, y).isIn(product.lower, product.upper)) << x << " * " << y;
    // Rounded to nearest, the ends would leave out the exact result about half of the time.
    const Exact least = Exact::product(a.lower, a.lower);
    if (!least.isIn(least.rounded, INFINITY)) ++rounded_away;
  }
  EXPECT_GT(rounded_away, kCount / 4) << "the numbers are too round to test any rounding";
}

TEST(Enclosure, HoldsProductsTooSmallForNormalNumbers) {
  const Enclosure tiny{1e-200, 1e-200};
  const Enclosure product = tiny * tiny;
  EXPECT_LE(product.lower, 0.0) << "1e-400 is positive, but rounds to 0";
  EXPECT_GT(product.upper, 0.0);
}

TEST(Enclosure, HoldsTheSineAndCosineOfEveryMember) {
  Random random(2);
  for (int i = 0; i < 100000; ++i) {
    const double middle = random.uniform(-1e3, 1e3);
    const Enclosure x{middle, middle + (i % 3 == 0 ? 0.0 : random.logUniform(1e-15, 10.0))};
    const long double t = memberOf(x, random);
    const Enclosure sine = sineOf(x), cosine = cosineOf(x);
    EXPECT_TRUE(sine.lower <= sinl(t) && sinl(t) <= sine.upper) << middle;
    EXPECT_TRUE(cosine.lower <= cosl(t) && cosl(t) <= cosine.upper) << middle;
    EXPECT_LE(sine.upper - sine.lower, 1.1 * (x.upper - x.lower) + 4e-12) << "not tight";
  }
}

/// The same arithmetic in numbers of 64 bits instead of intervals of numbers of 53.
struct LongSeries {
  long double value, rate, second;

  friend LongSeries operator+(const LongSeries& a, const LongSeries& b) {
    return {a.value + b.value, a.rate + b.rate, a.second + b.second};
  }
  friend LongSeries operator-(const LongSeries& a) { return {-a.value, -a.rate, -a.second}; }
  friend LongSeries operator*(const LongSeries& a, const LongSeries& b) {
    return {a.value * b.value, a.rate * b.value + a.value * b.rate,
            a.second * b.value + 2.0L * a.rate * b.rate + a.value * b.second};
  }
};
LongSeries sin(const LongSeries& x) {
  const long double s = sinl(x.value), c = cosl(x.value);
  return {s, c * x.rate, c * x.second - s * x.rate * x.rate};
}
LongSeries cos(const LongSeries& x) {
  const long double s = sinl(x.value), c = cosl(x.value);
  return {c, -s * x.rate, -s * x.second - c * x.rate * x.rate};
}

/// A function of three functions, of `steps` operations drawn with `seed`, the same for every type.
template <class Series>
Series randomFunction(unsigned seed, int steps, std::vector<Series> terms) {
  Random random(seed);
  for (int k = 0; k < steps; ++k) {
    const auto pick = [&] {
      const double at = random.uniform(0.0, 1.0) * static_cast<double>(terms.size());
      return terms[std::min(terms.size() - 1, static_cast<std::size_t>(at))];
    };
    const Series a = pick(), b = pick();
    const double operation = random.uniform(0.0, 4.0);
    if (operation < 1.0) {
      terms.push_back(a + -b);
    } else if (operation < 2.0) {
      terms.push_back(sin(a) * b);
    } else if (operation < 3.0) {
      terms.push_back(cos(a + b));
    } else {
      terms.push_back(sin(a * b));
    }
  }
  return terms.back();
}

bool holds(const Enclosure& x, long double value) { return x.lower <= value && value <= x.upper; }

/// With single numbers as input the width of the result is its rounding alone: without outward
/// rounding the intervals would be single numbers, and nearly all would miss.
TEST(EnclosedSeries, OfSingleNumbersHoldTheExactDerivativesTightly) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    std::vector<EnclosedSeries> enclosed;
    std::vector<LongSeries> exact;
    for (int i = 0; i < 3; ++i) {
      const double v = random.uniform(-2, 2), r = random.uniform(-2, 2), s = random.uniform(-2, 2);
      enclosed.push_back({{v, v}, {r, r}, {s, s}});
      exact.push_back({v, r, s});
    }
    const EnclosedSeries x = randomFunction(seed, 8, enclosed);
    const LongSeries y = randomFunction(seed, 8, exact);
    EXPECT_TRUE(holds(x.value, y.value)) << "seed " << seed;
    EXPECT_TRUE(holds(x.rate, y.rate)) << "seed " << seed;
    EXPECT_TRUE(holds(x.second, y.second)) << "seed " << seed;
    EXPECT_LE(x.value.upper - x.value.lower, 1e-9 * (1.0 + x.value.magnitude()));
  }
}

TEST(EnclosedSeries, OfIntervalsHoldTheDerivativesOfEveryMember) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    std::vector<EnclosedSeries> enclosed;
    std::vector<LongSeries> member;
    const double length = random.logUniform(1e-6, 1e-1);
    for (int i = 0; i < 3; ++i) {
      Enclosure part[3];
      double at[3];
      for (int k = 0; k < 3; ++k) {
        const double lower = random.uniform(-2.0, 2.0);
        part[k] = {lower, lower + length};
        at[k] = memberOf(part[k], random);
      }
      enclosed.push_back({part[0], part[1], part[2]});
      member.push_back({at[0], at[1], at[2]});
    }
    const EnclosedSeries x = randomFunction(seed, 5, enclosed);
    const LongSeries y = randomFunction(seed, 5, member);
    EXPECT_TRUE(holds(x.value, y.value)) << "seed " << seed;
    EXPECT_TRUE(holds(x.rate, y.rate)) << "seed " << seed;
    EXPECT_TRUE(holds(x.second, y.second)) << "seed " << seed;
  }
}

TEST(Enclosure, OfWhatOverflowedIsTheWholeLineNeverNan) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Enclosure all{-kInfinity, kInfinity}, zero{0.0, 0.0}, huge{1e300, 1e300};
  for (const Enclosure& x : {zero * all, all * zero, huge * huge, all + -all, huge * huge * zero,
                             Enclosure{kNan, 1.0} + zero, Enclosure{1.0, kNan} * huge}) {
    EXPECT_EQ(x.lower, -kInfinity);
    EXPECT_EQ(x.upper, kInfinity);
    EXPECT_EQ(x.magnitude(), kInfinity);
  }
  for (const Enclosure& x : {sineOf(all), cosineOf(all), sineOf({1e308, kInfinity})}) {
    EXPECT_EQ(x.lower, -1.0);
    EXPECT_EQ(x.upper, 1.0);
  }
}

}  // namespace
}  // namespace allclear
