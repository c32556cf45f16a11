#include "allclear/planner/retiming/rest_profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random.h"

namespace allclear {
namespace {

TEST(RestProfile, GoesFromRestToRestWithinItsLimitsAndUsesThem) {
  test::Random random(5);
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    const double length = random.logUniform(1e-9, 1e3), a = random.logUniform(1e-2, 1e3);
    const double v =
        random.chance(0.1) ? std::numeric_limits<double>::infinity() : random.logUniform(1e-2, 1e2);
    const double j = random.logUniform(1e-1, 1e6);
    const RestProfile profile(length, v, a, j);
    const double T = profile.duration();
    EXPECT_EQ(profile.at(0.0), Vec3::Zero());
    EXPECT_EQ(profile.at(T), Vec3(length, 0.0, 0.0));
    double most_v = 0.0, most_a = 0.0, before = 0.0;
    for (int i = 1; i < 1000; ++i) {
      const Vec3 s = profile.at(T * i / 1000);
      EXPECT_GE(s[0], before - 1e-12 * length);
      before = s[0];
      most_v = std::max(most_v, s[1]);
      most_a = std::max(most_a, std::abs(s[2]));
    }
    EXPECT_LE(most_v, v * (1.0 + 1e-9));
    EXPECT_LE(most_a, a * (1.0 + 1e-9));
    // Continuous at the end, where rounding ends: no jump beyond the pieces' own size.
    const Vec3 last = profile.at(T * (1.0 - 1e-9));
    EXPECT_NEAR(last[0], length, 1e-6 * length);
    // No faster motion: the symmetric one that is never below all limits at once takes as long.
    const double ramps = T - length / std::max(most_v, 1e-300);
    EXPECT_GT(ramps, 0.0);
    const double s = random.uniform(0.0, length);
    EXPECT_NEAR(profile.at(profile.timeAt(s))[0], s, 1e-9 * length);
  }
}

TEST(RestProfile, KnownDurations) {
  // A triangle of jerk: four ramps of cbrt(L / 2 j).
  EXPECT_NEAR(RestProfile(2.0, 100.0, 100.0, 1.0).duration(), 4.0, 1e-12);
  // Jerk without end: 2 sqrt(L / a), and L / v + v / a.
  EXPECT_NEAR(RestProfile(1.0, 100.0, 4.0, 1e12).duration(), 1.0, 1e-6);
  EXPECT_NEAR(RestProfile(10.0, 2.0, 4.0, 1e12).duration(), 5.5, 1e-6);
  // All three limits: L / v + v / a + a / j.
  EXPECT_NEAR(RestProfile(10.0, 2.0, 4.0, 40.0).duration(), 5.6, 1e-12);
}

}  // namespace
}  // namespace allclear
