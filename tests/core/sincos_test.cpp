#include "allclear/core/sincos.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace allclear {
namespace {

void expectNearLibrary(const std::vector<double>& angles) {
  std::vector<double> s(angles.size()), c(angles.size());
  sinCos(angles.data(), static_cast<int>(angles.size()), s.data(), c.data());
  for (std::size_t i = 0; i < angles.size(); ++i) {
    ASSERT_LE(std::fabs(s[i] - std::sin(angles[i])), 3e-16) << angles[i];
    ASSERT_LE(std::fabs(c[i] - std::cos(angles[i])), 3e-16) << angles[i];
  }
}

TEST(SinCos, AgreesWithTheLibraryOverAllQuadrants) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> near(-7.0, 7.0), far(-1e5, 1e5);
  std::vector<double> angles;
  for (int i = 0; i < 200000; ++i) angles.push_back(near(random));
  for (int i = 0; i < 200000; ++i) angles.push_back(far(random));
  expectNearLibrary(angles);
}

TEST(SinCos, IsExactAtAndAroundMultiplesOfHalfPi) {
  std::vector<double> angles{0.0, -0.0, 1e-300, -1e-9};
  for (int k = -4000; k <= 4000; ++k) {
    const double x = k * 1.5707963267948966;
    for (double y : {x, std::nextafter(x, 1e9), std::nextafter(x, -1e9), x + 0.78539816339744830}) {
      angles.push_back(y);
    }
  }
  expectNearLibrary(angles);
}

TEST(SinCos, LeavesLargeAndBrokenAnglesToTheLibrary) {
  expectNearLibrary({1e6, -3e17, 1e300, 2.0});
  const double bad[2] = {std::numeric_limits<double>::infinity(), 1.0};
  double s[2], c[2];
  sinCos(bad, 2, s, c);
  EXPECT_TRUE(std::isnan(s[0]) && std::isnan(c[0]));
  EXPECT_EQ(s[1], std::sin(1.0));
}

}  // namespace
}  // namespace allclear
