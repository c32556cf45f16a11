// The pieces that the capsules' kernel is made of.

#include <gtest/gtest.h>

#include "allclear/distance/minimum/capsule/motion.h"
#include "allclear/distance/minimum/capsule/rows.h"
#include "distance/minimum/mcd_shapes.h"

namespace allclear {
namespace {

using test::MovingSolid;
using test::Random;

struct CurvePair {
  std::vector<CapsuleCurve> a, b;
  explicit CurvePair(Random& draw) {
    MovingSolid solid_a = test::randomSolid(draw, 1), solid_b = test::randomSolid(draw, 1);
    solid_a.curves = solid_a.chain.curves({0.0, 1.0}, 1);
    solid_b.curves = solid_b.chain.curves({0.0, 1.0}, 1);
    a = capsuleCurves(solid_a.moving());
    b = capsuleCurves(solid_b.moving());
  }
};

TEST(CapsuleRows, RestrictedToAPartAreTheSamePolynomials) {
  for (int i = 0; i < 200; ++i) {
    Random draw(i);
    const CurvePair pair(draw);
    double rows[mcd::kCount][mcd::kRow], part[mcd::kCount][mcd::kRow];
    mcd::gatherRows(pair.a[0], pair.b[0], rows);
    const double s0 = draw.uniform(0.0, 0.9), s1 = draw.uniform(s0 + 0.05, 1.0);
    mcd::restrictRows(rows, s0, s1, part);
    for (double x : {0.0, 0.3, 1.0}) {
      double whole[mcd::kRow], of_part[mcd::kRow], rate[mcd::kRow], rate_of_part[mcd::kRow];
      mcd::evaluateRows(rows, s0 + (s1 - s0) * x, whole, rate);
      mcd::evaluateRows(part, x, of_part, rate_of_part);
      for (int c = 0; c < mcd::kRow; ++c) {
        ASSERT_NEAR(whole[c], of_part[c], 1e-13) << "seed " << i;
        ASSERT_NEAR(rate[c] * (s1 - s0), rate_of_part[c], 1e-11) << "seed " << i;
      }
    }
  }
}

mcd::Connection connectionAt(const CurvePair& pair, double s) {
  double rows[mcd::kCount][mcd::kRow], value[mcd::kRow], rate[mcd::kRow];
  mcd::gatherRows(pair.a[0], pair.b[0], rows);
  mcd::evaluateRows(rows, s, value, rate);
  const mcd::SegmentPair nearest = mcd::closestOfRow(value);
  mcd::Connection connection{};
  mcd::fillConnection(value, rate, s, nearest, std::sqrt(nearest.squared), &connection);
  return connection;
}

/// Whether the witnesses are of the same kind: inside of the axes or at the same ends.
bool isSameKind(const mcd::Connection& x, const mcd::Connection& y) {
  const auto kind = [](double sigma) { return (sigma > 0.0) + (sigma >= 1.0); };
  return kind(x.sigma) == kind(y.sigma) && kind(x.tau) == kind(y.tau);
}

TEST(CapsuleConnection, DerivativeIsThatOfDifferences) {
  constexpr double kStep = 1e-5;
  int compared = 0;
  for (int i = 0; i < 300; ++i) {
    Random draw(1000 + i);
    const CurvePair pair(draw);
    const double s = draw.uniform(0.1, 0.9);
    const mcd::Connection at = connectionAt(pair, s);
    const mcd::Connection before = connectionAt(pair, s - kStep);
    const mcd::Connection after = connectionAt(pair, s + kStep);
    if (!at.has_derivative || !isSameKind(before, after) || at.distance < 0.02) continue;
    ++compared;
    double size = 1.0;
    for (double d : at.dw) size = std::max(size, std::abs(d));
    for (int c = 0; c < 3; ++c) {
      ASSERT_NEAR((after.w[c] - before.w[c]) / (2.0 * kStep), at.dw[c], 1e-3 * size)
          << "seed " << 1000 + i;
    }
    ASSERT_NEAR((after.squared - before.squared) / (2.0 * kStep), at.slope, 1e-4 * size)
        << "seed " << 1000 + i;
  }
  EXPECT_GT(compared, 100);
}

TEST(CapsuleMotion, SlopeIsThatOfTheDistance) {
  constexpr double kStep = 1e-6;
  int compared = 0;
  for (int i = 0; i < 300; ++i) {
    Random draw(2000 + i);
    const CurvePair pair(draw);
    const mcd::CapsuleMotion motion(pair.a, pair.b);
    const double s = draw.uniform(0.1, 0.9);
    const mcd::Instant at = motion.at({0, s});
    const double slope =
        (motion.at({0, s + kStep}).distance - motion.at({0, s - kStep}).distance) / (2.0 * kStep);
    if (!motion.witnessIsUnique(at)) continue;
    ++compared;
    ASSERT_NEAR(slope, at.slope, 1e-4 * (1.0 + std::abs(slope))) << "seed " << 2000 + i;
    ASSERT_LE(std::abs(at.slope), motion.leverSpeed(0) * 1.01 + 1e-9) << "seed " << 2000 + i;
    ASSERT_NEAR((at.witness_B - at.witness_A).dot(at.normal), at.distance, 1e-12);
  }
  EXPECT_GT(compared, 200);
}

}  // namespace
}  // namespace allclear
