// Minima over time from slopes alone, against minima known in closed form.

#include "allclear/distance/soft/descend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace allclear {
namespace {

/// Where `descend` came nearest to a level slope, and how often it evaluated.
struct Descent {
  double t = 0.0;
  double slope = HUGE_VAL;
  int evaluations = 0;
};

Descent descendFrom(double guess, Interval span, const std::function<double(double)>& slope) {
  Descent out;
  int calls = 0;
  out.evaluations = descend(span, guess, [&](double t) {
    EXPECT_GE(t, span.lower);
    EXPECT_LE(t, span.upper);
    ++calls;
    if (std::fabs(slope(t)) < std::fabs(out.slope)) {
      out.t = t;
      out.slope = slope(t);
    }
    return slope(t);
  });
  EXPECT_EQ(out.evaluations, calls);
  return out;
}

TEST(Descend, FindsTheMinimumOfAParabolaFromEitherSide) {
  for (const double guess : {0.0, 0.3, 0.69, 0.71, 1.0}) {
    const Descent found = descendFrom(guess, {0.0, 1.0}, [](double t) { return t - 0.7; });
    EXPECT_NEAR(found.t, 0.7, 1e-6) << guess;
    EXPECT_LE(found.evaluations, 10) << guess;
  }
}

TEST(Descend, EndsAtTheEndOfTheSpanWhenTheFunctionFallsTowardsIt) {
  EXPECT_EQ(descendFrom(0.4, {0.0, 1.0}, [](double t) { return t - 2.0; }).t, 1.0);
  EXPECT_EQ(descendFrom(0.4, {0.0, 1.0}, [](double t) { return t + 1.0; }).t, 0.0);
}

TEST(Descend, DoesNotStallWhereTheSlopeIsVeryUneven) {
  // Plain regula falsi keeps the flat end for ever and gains almost nothing per step.
  for (const double power : {3.0, 5.0, 9.0}) {
    const auto slope = [&](double t) { return std::pow(t, power) - 0.01; };
    const Descent found = descendFrom(0.0, {0.0, 1.0}, slope);
    EXPECT_NEAR(found.t, std::pow(0.01, 1.0 / power), 1e-4) << power;
    EXPECT_LT(found.evaluations, 40) << power;
  }
}

TEST(Descend, StaysInTheValleyOfTheGuess) {
  // cos has minima at pi and 3 pi; the slope is -sin.
  const auto slope = [](double t) { return -std::sin(t); };
  EXPECT_NEAR(descendFrom(3.6, {0.0, 12.0}, slope).t, M_PI, 1e-5);
  EXPECT_NEAR(descendFrom(9.0, {0.0, 12.0}, slope).t, 3.0 * M_PI, 1e-5);
}

TEST(Descend, EvaluatesAMinimumAtTheGuessOnce) {
  EXPECT_EQ(descendFrom(0.5, {0.0, 1.0}, [](double t) { return t - 0.5; }).evaluations, 1);
}

TEST(Descend, NeverEvaluatesMoreThanFortyTimes) {
  int sign = 1;  // no continuous slope: the sign alternates whatever t is
  EXPECT_LE(descend({0.0, 1.0}, 0.5, [&](double) { return sign = -sign; }), 40);
}

}  // namespace
}  // namespace allclear
