// What all searches share, on motions whose distance is a function written down here.

#include <gtest/gtest.h>

#include <functional>

#include "allclear/core/input_error.h"
#include "allclear/distance/minimum/bracket.h"
#include "allclear/distance/minimum/convex/certified.h"
#include "allclear/distance/minimum/cubic_minimum.h"
#include "allclear/distance/minimum/instant.h"
#include "allclear/distance/minimum/minimiser_polish.h"
#include "allclear/distance/minimum/query.h"
#include "allclear/distance/minimum/reference/searches.h"
#include "allclear/distance/minimum/search_result.h"
#include "distance/minimum/mcd_oracle.h"
#include "distance/minimum/mcd_shapes.h"

namespace allclear {
namespace {

using mcd::Instant;
using mcd::SearchResult;
using mcd::TimePoint;
using test::Random;

/// A "motion" of one or more equal cells on [0, 1] whose distance is f(t) with the slope df(t).
struct FunctionMotion {
  std::function<double(double)> f, df;
  double speed = 1.0;
  int count = 1;
  bool witness_is_unique = true;

  int cells() const { return count; }
  Interval cellTime(int cell) const {
    return {static_cast<double>(cell) / count, (cell + 1.0) / count};
  }
  double error() const { return 0.0; }
  double leverSpeed(int) const { return speed; }
  bool witnessIsUnique(const Instant&) const { return witness_is_unique; }
  Instant at(TimePoint when) const {
    Instant instant;
    instant.when = when;
    instant.t = cellTime(when.cell).lower + when.s * cellTime(when.cell).length();
    instant.distance = instant.ceiling = f(instant.t);
    instant.slope = df(instant.t);
    return instant;
  }
};

FunctionMotion parabola(double t_min, double least) {
  return {[=](double t) { return least + (t - t_min) * (t - t_min); },
          [=](double t) { return 2.0 * (t - t_min); }};
}

/// Two valleys, at 0.2 and 0.8, the second one lower by `lower`.
FunctionMotion twoValleys(double lower) {
  constexpr double kTurns = 2.0 * std::numbers::pi / 0.6;
  return {[=](double t) { return 1.0 - std::cos(kTurns * (t - 0.2)) - lower * t; },
          [=](double t) { return kTurns * std::sin(kTurns * (t - 0.2)) - lower; }, kTurns + 1.0};
}

bool polished(FunctionMotion motion, double from, double tolerance, SearchResult* result) {
  result->best = motion.at(mcd::timePointAt(motion, from));
  mcd::MinimiserPolish<FunctionMotion> polish(&motion, result);
  polish.run();
  return polish.isUnique(tolerance);
}

TEST(InnerMinimum, IsTheLeastInnerValueOfTheCubic) {
  Random draw(1);
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    const double d0 = draw.uniform(-1, 1), d1 = draw.uniform(-1, 1);
    const double f0 = draw.uniform(-5, 5), f1 = draw.uniform(-5, 5);
    const double rise = d1 - d0, c2 = 3 * rise - 2 * f0 - f1, c3 = f0 + f1 - 2 * rise;
    const auto cubic = [&](double x) { return d0 + x * (f0 + x * (c2 + x * c3)); };
    double least = std::min(d0, d1);
    for (int k = 1; k < 200; ++k) least = std::min(least, cubic(k / 200.0));
    double x = 0.0, value = 0.0;
    if (!mcd::innerMinimum(d0, f0, d1, f1, &x, &value)) {
      EXPECT_NEAR(least, std::min(d0, d1), 1e-12) << "case " << i;
      continue;
    }
    ++found;
    EXPECT_NEAR(value, cubic(x), 1e-12) << "case " << i;
    EXPECT_LE(std::min({value, d0, d1}), least + 1e-12) << "case " << i;
    EXPECT_LE(value, std::min(cubic(x - 1e-3), cubic(x + 1e-3))) << "case " << i;
  }
  EXPECT_GT(found, 200);
}

TEST(TimePoint, OfAnInstantBetweenCellsIsTheStartOfTheLaterOne) {
  FunctionMotion motion = parabola(0.5, 0.0);
  motion.count = 4;
  EXPECT_EQ(mcd::timePointAt(motion, 0.5).cell, 2);
  EXPECT_EQ(mcd::timePointAt(motion, 0.5).s, 0.0);
  EXPECT_EQ(mcd::timePointAt(motion, 0.375).cell, 1);
  EXPECT_EQ(mcd::timePointAt(motion, 0.375).s, 0.5);
  EXPECT_EQ(mcd::timePointAt(motion, 7.0).cell, 3);
  EXPECT_EQ(mcd::timePointAt(motion, 7.0).s, 1.0);
  EXPECT_EQ(mcd::wholeTime(motion).upper, 1.0);
}

TEST(MinimiserPolish, FindsTheMinimiserToRounding) {
  for (double t_min : {0.3141, 0.0, 1.0, -0.5, 1.5}) {
    for (int cells : {1, 3}) {
      FunctionMotion motion = parabola(t_min, 0.2);
      motion.count = cells;
      SearchResult result;
      EXPECT_TRUE(polished(motion, 0.5, 1e-3, &result)) << t_min;
      EXPECT_NEAR(result.best.t, std::clamp(t_min, 0.0, 1.0), 1e-12) << t_min;
    }
  }
}

TEST(MinimiserPolish, DeniesUniquenessOfValleysKinksAndPlateaus) {
  // Eight samples per cell predict the height of a valley this narrow to some 0.01.
  SearchResult result;
  EXPECT_FALSE(polished(twoValleys(1e-4), 0.75, 0.02, &result));
  EXPECT_NEAR(result.best.t, 0.8, 1e-2);
  EXPECT_TRUE(polished(twoValleys(0.1), 0.75, 0.02, &result));
  const FunctionMotion kink{[](double t) { return std::abs(t - 0.3); },
                            [](double t) { return t < 0.3 ? -1.0 : 1.0; }};
  EXPECT_FALSE(polished(kink, 0.5, 1e-3, &result));
  EXPECT_LE(result.best.distance, 0.2);
  const FunctionMotion plateau{[](double) { return 0.3; }, [](double) { return 0.0; }};
  EXPECT_FALSE(polished(plateau, 0.5, 1e-3, &result));
  FunctionMotion sliding = parabola(0.5, 0.2);
  sliding.witness_is_unique = false;
  EXPECT_FALSE(polished(sliding, 0.4, 1e-3, &result));
}

TEST(GoldenSection, MayEndInTheWrongValley) {
  // Why it is a rival and no part of the product: from the middle it keeps to one side.
  FunctionMotion valleys = twoValleys(0.5);
  McdOptions options;
  options.tolerance = 1e-4;
  const auto truth = test::trueMinimum(valleys.f, {0.0, 1.0}, 100);
  const SearchResult right = mcd::ReferenceSearch<FunctionMotion>(&valleys, options).golden();
  FunctionMotion mirrored{[&](double t) { return valleys.f(1.0 - t); },
                          [&](double t) { return -valleys.df(1.0 - t); }, valleys.speed};
  const SearchResult left = mcd::ReferenceSearch<FunctionMotion>(&mirrored, options).golden();
  const double worse = std::max(right.best.distance, left.best.distance);
  EXPECT_GT(worse, truth.value + 0.1);
}

TEST(Sampling, BracketsAnyFunctionOfBoundedSlope) {
  Random draw(2);
  for (int i = 0; i < 50; ++i) {
    FunctionMotion motion = twoValleys(draw.uniform(0.0, 1.0));
    motion.count = draw.integer(1, 3);
    McdOptions options;
    options.tolerance = draw.logUniform(1e-3, 1e-1);
    const SearchResult result = mcd::ReferenceSearch<FunctionMotion>(&motion, options).sampling();
    const double truth = test::trueMinimum(motion.f, {0.0, 1.0}, 100).value;
    EXPECT_LE(result.lower, truth + 1e-12);
    EXPECT_GE(result.best.ceiling, truth - 1e-12);
    EXPECT_LE(result.best.ceiling - result.lower, options.tolerance + 1e-12);
  }
}

TEST(Bracket, AGuessDecidesNoThreshold) {
  FunctionMotion motion = parabola(0.5, 0.2);
  McdOptions options;
  options.threshold = 0.1;
  SearchResult result;
  result.best = motion.at({0, 0.5});
  result.lower = 0.2;
  EXPECT_EQ(mcd::bracketOf(motion, result, options, true).status, McdStatus::kCertifiedAbove);
  EXPECT_EQ(mcd::bracketOf(motion, result, options, false).status, McdStatus::kBracketed);
  options.threshold = 0.25;
  EXPECT_EQ(mcd::bracketOf(motion, result, options, false).status, McdStatus::kBelow);
}

TEST(Bracket, IsNarrowUpToTheMotionsOwnUncertainty) {
  DistanceBracket bracket;
  bracket.lower = 1.0;
  bracket.upper = 1.001;
  EXPECT_TRUE(mcd::isNarrow(bracket, 1e-3, 0.0));
  EXPECT_FALSE(mcd::isNarrow(bracket, 9e-4, 0.0));
  EXPECT_FALSE(mcd::isNarrow(bracket, 9e-4, 5.4e-4));
  EXPECT_TRUE(mcd::isNarrow(bracket, 9e-4, 5.6e-4));
}

TEST(Query, RefusesOptionsOutOfRange) {
  McdOptions good, bad;
  EXPECT_NO_THROW(mcd::requireValid(good));
  bad.tolerance = HUGE_VAL;
  EXPECT_THROW(mcd::requireValid(bad), InputError);
  bad = good;
  bad.threshold = NAN;
  EXPECT_THROW(mcd::requireValid(bad), InputError);
  bad = good;
  bad.max_evaluations = 0;
  EXPECT_THROW(mcd::requireValid(bad), InputError);
}

TEST(Query, ABracketSwappedTwiceIsItself) {
  Random draw(3);
  DistanceBracket bracket;
  bracket.witness_A = draw.inBox(1.0);
  bracket.witness_B = draw.inBox(1.0);
  bracket.normal = draw.direction();
  const DistanceBracket once = mcd::swapped(bracket), twice = mcd::swapped(once);
  EXPECT_EQ(once.witness_A, bracket.witness_B);
  EXPECT_EQ(once.normal, -bracket.normal);
  EXPECT_EQ(twice.witness_A, bracket.witness_A);
  EXPECT_EQ(twice.normal, bracket.normal);
}

TEST(CertifiedConvex, ProvesItsLowerEndForThePolynomialMotion) {
  for (int i = 0; i < 60; ++i) {
    Random draw(80000 + i);
    test::MovingSolid a = test::randomSolid(draw, 2), b = test::randomSolid(draw, 7);
    test::fitCurves(&a, &b, {0.0, 1.0}, 1e-6);
    const std::vector<ConvexCurve> a_curves = convexCurves(a.moving()),
                                   b_curves = convexCurves(b.moving());
    mcd::ConvexMotion motion(a_curves, b_curves);
    McdOptions options;
    options.tolerance = 1e-3;
    const SearchResult result = mcd::certifiedConvex(&motion, options);
    for (int k = 0; k <= 100; ++k) {
      const Instant instant = motion.at(mcd::timePointAt(motion, k / 100.0));
      ASSERT_LE(std::min(result.lower, result.best.ceiling) - motion.error(), instant.ceiling)
          << "seed " << 80000 + i;
    }
    ASSERT_GE(result.lower, result.best.ceiling - options.tolerance) << "seed " << 80000 + i;
  }
}

}  // namespace
}  // namespace allclear
