#include <gtest/gtest.h>

#include <cstdlib>

#include "allclear/distance/mcd_convex.h"
#include "distance/mcd_oracle.h"
#include "distance/mcd_shapes.h"

namespace allclear {
namespace {

using test::Draw;
using test::MovingSolid;

int samplesOf(int quick, int thorough) { return std::getenv("ALLCLEAR_LONG") ? thorough : quick; }

struct PairKinds {
  int a, b;
};

class ConvexMinimum : public testing::TestWithParam<PairKinds> {};

TEST_P(ConvexMinimum, BracketsTheTrueMinimumOfRandomMotions) {
  for (int i = 0; i < samplesOf(40, 20000); ++i) {
    const std::uint64_t seed = 5000 + 100000 * GetParam().a + 1000000 * GetParam().b + i;
    Draw draw(seed);
    MovingSolid a = test::randomSolid(draw, GetParam().a);
    MovingSolid b = test::randomSolid(draw, GetParam().b);
    const Interval span{0.0, draw.chance(0.05) ? 0.0 : draw.uniform(0.1, 1.0)};
    McdOptions options;
    options.tolerance = draw.logUniform(1e-5, 1e-2);
    test::fitCurves(&a, &b, span, draw.chance(0.3) ? 1e-2 : options.tolerance / 20.0);
    const DistanceBracket bracket = minimumDistance(a.moving(), b.moving(), options);
    const auto f = [&](double t) { return test::trueDistance(a, b, t).upper; };
    const auto truth = test::trueMinimum(f, span, 40);
    const double accuracy = 1e-8;
    ASSERT_LE(bracket.lower, truth.value + accuracy) << "seed " << seed;
    ASSERT_GE(bracket.upper, test::trueDistance(a, b, bracket.t_star).lower - accuracy)
        << "seed " << seed;
    ASSERT_EQ(bracket.status, McdStatus::kBracketed) << "seed " << seed;
    ASSERT_LE(bracket.upper - bracket.lower,
              1.0001 * options.tolerance + 6.0 * test::errorOf(a, b) + accuracy)
        << "seed " << seed;
  }
}

std::string pairName(const testing::TestParamInfo<PairKinds>& pair) {
  static const char* const kNames[] = {"Sphere", "Capsule",   "Box",       "Cylinder",
                                       "Cone",   "Ellipsoid", "HalfSpace", "ConvexMesh"};
  return std::string(kNames[pair.param.a]) + kNames[pair.param.b];
}

INSTANTIATE_TEST_SUITE_P(Pairs, ConvexMinimum,
                         testing::Values(PairKinds{2, 1}, PairKinds{3, 1}, PairKinds{2, 2},
                                         PairKinds{4, 2}, PairKinds{5, 3}, PairKinds{7, 2},
                                         PairKinds{7, 7}, PairKinds{6, 1}, PairKinds{2, 6},
                                         PairKinds{0, 5}, PairKinds{1, 1}),
                         pairName);

TEST(ConvexMinimum, AHalfSpacesRotationErrorReachesFar) {
  const Shape plane = HalfSpace(), ball = Sphere(0.1);
  BodyCurve still = BodyCurve::still(Pose{}, {0.0, 1.0});
  const BodyCurve far = BodyCurve::still({Mat3::Identity(), Vec3(5.0, 0.0, 1.0)}, {0.0, 1.0});
  still.rotation_error = 0.01;
  const DistanceBracket bracket =
      minimumDistance({&plane, Pose{}, {&still, 1}}, {&ball, Pose{}, {&far, 1}}, McdOptions());
  // Tilted by an angle whose rotation matrix is 0.01 off.
  const double angle = 2.0 * std::asin(0.005);
  const double tilted = std::cos(angle) * 1.0 - std::sin(angle) * 5.0 - 0.1;
  EXPECT_LE(bracket.lower, tilted);
  EXPECT_GE(bracket.upper, std::cos(angle) * 1.0 + std::sin(angle) * 5.0 - 0.1);
}

}  // namespace
}  // namespace allclear
