// Convex shapes above planes at rest: brackets of the minimum over time, the lowest corners, and
// the motions that are hard for them.

#include <gtest/gtest.h>

#include "allclear/distance/minimum/convex/half_space.h"
#include "allclear/distance/minimum/convex/lowest_corners.h"
#include "distance/minimum/mcd_oracle.h"
#include "distance/minimum/mcd_shapes.h"

namespace allclear {
namespace {

using test::MovingSolid;
using test::Random;
using test::samplesOf;

const Interval kSpan{0.0, 1.0};

std::vector<Vec3> spherePoints(Random& random, int count) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(0.3 * random.directionOfNormals());
  return points;
}

/// A plane at rest and a shape that moves above it.
struct Scene {
  MovingSolid plane, solid;

  explicit Scene(Random& random, int kind) {
    plane.shape = HalfSpace();
    plane.X_BG = {random.rotation(), random.inBox(0.5)};
    solid = test::randomSolid(random, kind);
  }
  double distance(double t) const {
    return signedDistance(plane.shape, plane.X_BG, solid.shape, solid.pose(t)).distance;
  }
  /// Moves the plane along its normal.
  void shift(double step) { plane.X_BG.p += step * plane.X_BG.R.col(2); }
  void fit(double wanted) {
    solid.curves =
        solid.chain.curves(kSpan, solid.chain.cellsFor(kSpan, wanted, solid.reach(), 20));
    plane.curves = {BodyCurve::still(Pose{}, kSpan)};
  }
  double error() const {
    double error = 0.0;
    for (const BodyCurve& curve : solid.curves) {
      error = std::max(error, curve.error(solid.reach()));
    }
    return error;
  }
};

constexpr int kKinds[] = {0, 1, 2, 3, 4, 5, 7};

TEST(HalfSpaceMinimum, BracketsTheTrueMinimumOfRandomMotions) {
  for (int i = 0; i < samplesOf(1500, 1000000); ++i) {
    SCOPED_TRACE("seed " + std::to_string(i));
    Random random(7000000 + i);
    Scene scene(random, kKinds[i % std::size(kKinds)]);
    scene.fit(random.chance(0.3) ? 1e-3 : 1e-7);
    McdOptions options;
    options.tolerance = random.logUniform(1e-7, 1e-2);
    options.refine = random.chance(0.3);
    const auto truth = test::trueMinimum([&](double t) { return scene.distance(t); }, kSpan, 40);
    const bool swap = random.chance(0.3);
    const MovingShape a = scene.plane.moving(), b = scene.solid.moving();
    const DistanceBracket bracket =
        swap ? minimumDistance(b, a, options) : minimumDistance(a, b, options);
    constexpr double kAccuracy = 1e-11;
    ASSERT_LE(bracket.lower, truth.value + kAccuracy);
    ASSERT_GE(bracket.upper, scene.distance(bracket.t_star) - kAccuracy);
    ASSERT_EQ(bracket.status, McdStatus::kBracketed);
    ASSERT_LE(bracket.upper - bracket.lower,
              1.0001 * options.tolerance + 4.0 * scene.error() + kAccuracy);
    const Vec3 n = (swap ? -1.0 : 1.0) * scene.plane.X_BG.R.col(2);
    EXPECT_LT((bracket.normal - n).norm(), 1e-12);
    // A threshold is decided as the minimum says.
    options.threshold = truth.value + random.uniform(-0.1, 0.1);
    options.decide_only = random.chance(0.5);
    const DistanceBracket decided = minimumDistance(a, b, options);
    const double near = options.tolerance + 4.0 * scene.error() + kAccuracy;
    if (*options.threshold < truth.value - near) {
      EXPECT_EQ(decided.status, McdStatus::kCertifiedAbove);
    } else if (*options.threshold > truth.value + near) {
      EXPECT_EQ(decided.status, McdStatus::kBelow);
    }
  }
}

TEST(HalfSpaceMinimum, OfLargeMeshesIsThatOfAllTheirCorners) {
  for (int count : {100, 3000, 20000}) {
    Random random(count);
    Scene scene(random, 7);
    const std::vector<Vec3> points = spherePoints(random, count);
    scene.solid.shape = ConvexMesh(points);
    for (int round = 0; round < samplesOf(10, 100); ++round) {
      scene.solid.chain = test::randomChain(random, 2, random.logUniform(0.01, 3.0));
      scene.fit(1e-9);
      McdOptions options;
      options.tolerance = random.logUniform(1e-9, 1e-3);
      const DistanceBracket bracket =
          minimumDistance(scene.plane.moving(), scene.solid.moving(), options);
      EXPECT_LE(bracket.upper - bracket.lower, 1.0001 * options.tolerance + 4.0 * scene.error());
      const Vec3 n = scene.plane.X_BG.R.col(2);
      for (int i = 0; i <= 100; ++i) {
        const Pose X = scene.solid.pose(0.01 * i);
        const Vec3 down = X.R.transpose() * n;
        double least = HUGE_VAL;
        for (const Vec3& p : points) least = std::min(least, down.dot(p));
        EXPECT_LE(bracket.lower, n.dot(X.p - scene.plane.X_BG.p) + least + 1e-13);
      }
    }
  }
}

TEST(HalfSpaceMinimum, OfABoxThatSlidesOnItsFaceIsZero) {
  const Shape plane = HalfSpace(), box = Box({0.4, 0.2, 0.1});
  std::array<Pose, LobattoNodes::kCount> poses;
  for (int i = 0; i < LobattoNodes::kCount; ++i) {
    const double s = LobattoNodes::at(i);
    poses[i] = {rotationAbout(Vec3::UnitZ(), 0.3 * s), Vec3(s, -s, 0.05)};
  }
  BodyCurve slide;
  slide.time = kSpan;
  slide.control = LobattoNodes::controlFromSamples(poses);
  slide.bounds.linear[0] = 2.0;
  const BodyCurve still = BodyCurve::still(Pose{}, kSpan);
  McdOptions options;
  options.tolerance = 1e-12;
  const DistanceBracket bracket =
      minimumDistance({&plane, {}, {&still, 1}}, {&box, {}, {&slide, 1}}, options);
  EXPECT_NEAR(bracket.upper, 0.0, 1e-12);
  EXPECT_NEAR(bracket.lower, 0.0, 1e-12);
  EXPECT_EQ(bracket.status, McdStatus::kBracketed);
  EXPECT_LT(bracket.distance_evaluations, 10);
}

TEST(HalfSpaceMinimum, AboveAThresholdIsSeenFromTheBallsAlone) {
  Random random(3);
  Scene scene(random, 2);
  scene.shift(-100.0);
  scene.fit(1e-6);
  McdOptions options;
  options.threshold = 1.0;
  const DistanceBracket bracket =
      minimumDistance(scene.plane.moving(), scene.solid.moving(), options);
  EXPECT_EQ(bracket.status, McdStatus::kCertifiedAbove);
  EXPECT_FALSE(bracket.evaluated);
}

TEST(LowestCorners, GiveTheDistanceAtEveryInstant) {
  for (int i = 0; i < samplesOf(100, 10000); ++i) {
    SCOPED_TRACE("seed " + std::to_string(i));
    Random random(8000000 + i);
    Scene scene(random, 7);
    if (i % 2 == 0) scene.solid.shape = ConvexMesh(spherePoints(random, random.integer(30, 1000)));
    scene.fit(1e-9);
    const std::vector<ConvexCurve> plane = convexCurves(scene.plane.moving()),
                                   mesh = convexCurves(scene.solid.moving());
    const auto sequence = mcd::lowestCorners(plane, mesh);
    mcd::HalfSpaceMotion motion(plane, mesh);
    double end = kSpan.lower;
    for (const mcd::LowestCorner& held : sequence) {
      ASSERT_EQ(held.time.lower, end);  // without gaps
      end = held.time.upper;
      for (int k = 0; k <= 10; ++k) {
        const double s = 0.1 * k;
        std::array<double, BodyCurve::kDegree + 1> d = held.distance;
        for (int level = BodyCurve::kDegree; level > 0; --level) {
          for (int j = 0; j < level; ++j) d[j] = (1.0 - s) * d[j] + s * d[j + 1];
        }
        const Interval cell = motion.cellTime(held.cell);
        const double t = held.time.lower + s * held.time.length();
        const double at = std::clamp((t - cell.lower) / cell.length(), 0.0, 1.0);
        ASSERT_NEAR(d[0], motion.at({held.cell, at}).distance, 1e-9);
      }
    }
    EXPECT_EQ(end, kSpan.upper);
  }
}

}  // namespace
}  // namespace allclear
