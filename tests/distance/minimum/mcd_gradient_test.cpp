#include <gtest/gtest.h>

#include "distance/minimum/mcd_oracle.h"
#include "distance/minimum/mcd_shapes.h"

namespace allclear {
namespace {

using test::ChainMotion;
using test::MovingSolid;
using test::Random;
using test::samplesOf;

/// Velocity of a body point, seen at time t, per unit of one coefficient of one joint.
Vec3 pointVelocity(const ChainMotion& chain, int joint, int power, double t, const Vec3& p_B) {
  Pose X;
  Vec3 axis = Vec3::Zero(), origin = Vec3::Zero();
  for (int j = 0; j < static_cast<int>(chain.joints.size()); ++j) {
    const test::ChainJoint& at = chain.joints[j];
    X = X * at.X_PJ;
    if (j == joint) {
      axis = X.R * at.axis;
      origin = X.p;
    }
    const double q = at.coordinate(t);
    X = X * (at.revolute ? Pose{rotationAbout(at.axis, q), Vec3::Zero()}
                         : Pose{Mat3::Identity(), at.axis * q});
  }
  const Vec3 p = X * chain.X_JB * p_B;
  const Vec3 rate = chain.joints[joint].revolute ? Vec3(axis.cross(p - origin)) : axis;
  return rate * std::pow(t, power);
}

DistanceBracket refined(MovingSolid& a, MovingSolid& b, int cells) {
  const Interval span{0.0, 1.0};
  a.curves = a.chain.curves(span, cells);
  b.curves = b.chain.curves(span, cells);
  McdOptions options;
  options.tolerance = 1e-4;
  options.refine = true;
  return minimumDistance(a.moving(), b.moving(), options);
}

/// The gradient with respect to all coefficients of A's joints against central differences.
class EnvelopeGradient : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(EnvelopeGradient, EqualsCentralDifferencesWhereTheMinimiserIsUnique) {
  int compared = 0;
  const auto [kind_a, kind_b] = GetParam();
  for (int i = 0; i < samplesOf(60, 3000); ++i) {
    const std::uint64_t seed = 80000 + 10000000 * kind_a + 1000000 * kind_b + i;
    Random draw(seed);
    MovingSolid a = test::randomSolid(draw, kind_a), b = test::randomSolid(draw, kind_b);
    const int cells = std::max(a.chain.cellsFor({0.0, 1.0}, 1e-12, 1.0),
                               b.chain.cellsFor({0.0, 1.0}, 1e-12, 1.0));
    if (a.chain.joints.empty() || cells > 40) continue;
    const DistanceBracket bracket = refined(a, b, cells);
    const WitnessGradient witness = witnessGradient(a.moving(), b.moving(), bracket);
    if (!witness.unique) continue;
    VecX analytic(0), numeric(0);
    double uncertain = 0.0;  // of the differences: how far those of two steps are apart
    bool smooth = true;
    for (int j = 0; j < static_cast<int>(a.chain.joints.size()); ++j) {
      for (int power = 0; power < static_cast<int>(a.chain.joints[j].polynomial.size()); ++power) {
        const auto shifted = [&](double by) {
          MovingSolid moved = a;
          moved.chain.joints[j].polynomial[power] += by;
          return refined(moved, b, cells);
        };
        // Differences of the fourth order; across a change of features they disagree.
        const auto difference = [&](double step) {
          const DistanceBracket plus = shifted(step), minus = shifted(-step);
          const DistanceBracket plus2 = shifted(2 * step), minus2 = shifted(-2 * step);
          const double near = (plus.upper - minus.upper) / (2 * step);
          const double far = (plus2.upper - minus2.upper) / (4 * step);
          smooth = smooth && plus2.unique && minus2.unique && std::abs(near - far) < 1e-4;
          return (4.0 * near - far) / 3.0;
        };
        const double fine = difference(1e-5), coarse = difference(3e-5);
        uncertain = std::hypot(uncertain, fine - coarse);
        numeric.conservativeResize(numeric.size() + 1);
        analytic.conservativeResize(analytic.size() + 1);
        numeric[numeric.size() - 1] = fine;
        analytic[analytic.size() - 1] =
            -witness.normal.dot(pointVelocity(a.chain, j, power, witness.t_star, witness.p_A));
      }
    }
    if (!smooth || numeric.size() == 0) continue;
    compared += uncertain < 1e-7;
    ASSERT_LE((analytic - numeric).norm(), 1e-6 * std::max(0.1, analytic.norm()) + uncertain)
        << "seed " << seed << "\n"
        << analytic.transpose() << "\n"
        << numeric.transpose();
  }
  std::printf("compared %d gradients\n", compared);
  EXPECT_GT(compared, 5);
}

INSTANTIATE_TEST_SUITE_P(Pairs, EnvelopeGradient,
                         testing::Values(std::pair{1, 1}, std::pair{0, 1}, std::pair{2, 1},
                                         std::pair{2, 2}));

TEST(EnvelopeGradient, TwoEqualMinimaAreFlagged) {
  // A ball swings past another one and back: two instants of the same least distance.
  const Shape ball = Sphere(0.1);
  BodyCurve moving = BodyCurve::still(Pose{}, {0.0, 1.0});
  // x(s) = 16 s (1 - s) - 3: elevated from degree 2 (coefficients -3, 5, -3).
  for (int k = 0; k <= 7; ++k) {
    const double c =
        5.0 * 2.0 * k * (7 - k) / 42.0 - 3.0 * ((7 - k) * (6 - k) + k * (k - 1)) / 42.0;
    moving.control[k].p = Vec3(c, 0.5, 0.0);
  }
  moving.bounds.linear = {16.0, 32.0, 0.0};
  const BodyCurve still = BodyCurve::still(Pose{}, {0.0, 1.0});
  McdOptions options;
  options.refine = true;
  DistanceBracket bracket =
      minimumDistance({&ball, Pose{}, {&moving, 1}}, {&ball, Pose{}, {&still, 1}}, options);
  EXPECT_NEAR(bracket.upper, 0.3, 1e-12);
  EXPECT_FALSE(bracket.unique);
  // Tilted, one of the two is nearer by far.
  for (int k = 0; k <= 7; ++k) moving.control[k].p.y() += 0.3 * k / 7.0;
  bracket = minimumDistance({&ball, Pose{}, {&moving, 1}}, {&ball, Pose{}, {&still, 1}}, options);
  EXPECT_TRUE(bracket.unique);
  // Not asked for, it is not claimed, and all else stays as it is.
  options.check_unique = false;
  const DistanceBracket same =
      minimumDistance({&ball, Pose{}, {&moving, 1}}, {&ball, Pose{}, {&still, 1}}, options);
  EXPECT_FALSE(same.unique);
  EXPECT_EQ(same.upper, bracket.upper);
  EXPECT_EQ(same.t_star, bracket.t_star);
  EXPECT_EQ(same.witness_A, bracket.witness_A);
  EXPECT_LT(same.distance_evaluations, bracket.distance_evaluations);
}

TEST(EnvelopeGradient, ParallelCapsulesAreFlagged) {
  const Shape bar = Capsule(0.05, 0.6);
  BodyCurve moving = BodyCurve::still(Pose{}, {0.0, 1.0});
  for (int k = 0; k <= 7; ++k) moving.control[k].p = Vec3(0.5 - 0.2 * k / 7.0, 0.0, 0.1);
  moving.bounds.linear = {0.2, 0.0, 0.0};
  const BodyCurve still = BodyCurve::still(Pose{}, {0.0, 1.0});
  McdOptions options;
  options.refine = true;
  EXPECT_FALSE(
      minimumDistance({&bar, Pose{}, {&moving, 1}}, {&bar, Pose{}, {&still, 1}}, options).unique);
  const BodyCurve crossed =
      BodyCurve::still({rotationAbout(Vec3::UnitX(), 1.0), Vec3::Zero()}, {0.0, 1.0});
  EXPECT_TRUE(
      minimumDistance({&bar, Pose{}, {&moving, 1}}, {&bar, Pose{}, {&crossed, 1}}, options).unique);
}

}  // namespace
}  // namespace allclear
