// The search for capsules about balls, and what leads from it to an enclosing shape.

#include "allclear/distance/fit/capsule_search.h"

#include <gtest/gtest.h>

#include <random>

#include "allclear/distance/fit/enclose.h"

namespace allclear::fitting {
namespace {

std::vector<Ball> randomBalls(unsigned seed, int count) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const Vec3 stretch(0.3 + 0.2 * uniform(engine), 0.4, 1.0);
  std::vector<Ball> balls;
  for (int i = 0; i < count; ++i) {
    const Vec3 p(uniform(engine), uniform(engine), uniform(engine));
    balls.push_back({stretch.cwiseProduct(p), i % 3 == 0 ? 0.1 * std::fabs(uniform(engine)) : 0.0});
  }
  return balls;
}

double reachOut(const std::vector<Ball>& balls, const CapsuleFit& fit) {
  double reach = -1.0;
  for (const Ball& ball : balls) {
    reach = std::max(reach, fit.segment.distance(ball.center) + ball.radius - fit.radius);
  }
  return reach;
}

TEST(CapsuleSearch, EveryCapsuleEnclosesAndRefiningMakesItSmaller) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const std::vector<Ball> balls = randomBalls(seed, 5 + static_cast<int>(seed));
    const CapsuleFit rough = roughCapsule(balls, principalAxes(balls).col(0).normalized());
    const CapsuleFit refined = refineCapsule(balls, rough, 60);
    const CapsuleFit best = searchCapsule(balls, {}, {});
    EXPECT_LE(reachOut(balls, rough), 1e-9);
    EXPECT_LE(reachOut(balls, refined), 1e-13);
    EXPECT_LE(reachOut(balls, best), 1e-13);
    EXPECT_LE(refined.volume(), rough.volume() * (1.0 + 1e-9));
    EXPECT_LE(best.volume(), refined.volume() * (1.0 + 1e-9));
  }
}

TEST(CapsuleSearch, NoSmallChangeOfTheEndsImprovesTheResult) {
  std::mt19937 engine(7);
  std::normal_distribution<double> normal;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const std::vector<Ball> balls = randomBalls(seed, 30);
    const CapsuleFit best = searchCapsule(balls, {}, {});
    for (int i = 0; i < 50; ++i) {
      CapsuleFit other = best;
      const double step = i % 2 == 0 ? 1e-2 : 1e-4;
      other.segment.a += step * Vec3(normal(engine), normal(engine), normal(engine));
      other.segment.b += step * Vec3(normal(engine), normal(engine), normal(engine));
      other.radius = 0.0;
      other.radius = reachOut(balls, other);
      EXPECT_GE(other.volume(), best.volume() * (1.0 - 1e-6));
    }
  }
}

TEST(CapsuleSearch, PrincipalAxesAreOrthonormalEvenOfOnePoint) {
  const std::vector<Ball> one{{Vec3(1.0, 2.0, 3.0), 0.0}};
  for (const std::vector<Ball>& balls : {one, randomBalls(1, 20)}) {
    const Mat3 axes = principalAxes(balls);
    EXPECT_LE((axes.transpose() * axes - Mat3::Identity()).norm(), 1e-12);
  }
}

TEST(UnitFrame, BringsSolidsAboutTheOriginAndBack) {
  const Geometry box{Box(Vec3(2.0, 4.0, 4.0)), {Mat3::Identity(), Vec3(10.0, -3.0, 5.0)}};
  const UnitFrame frame(gather({&box, 1}));
  EXPECT_LE((frame.center - box.X_BG.p).norm(), 1e-12);
  EXPECT_NEAR(frame.scale, 3.0, 1e-12);  // half of the diagonal
  const Vec3 p(11.0, -1.0, 3.0);
  EXPECT_NEAR(frame.toUnit(p).norm(), 1.0, 1e-12);
  EXPECT_LE((frame.fromUnit(frame.toUnit(p)) - p).norm(), 1e-12);
}

TEST(CapsuleAlong, HasTheAxisGivenAndTouchesTheSolids) {
  const Geometry box{Box(Vec3(0.2, 0.4, 1.0)), {}};
  const Segment axis{Vec3(0.0, 0.0, -0.3), Vec3(0.0, 0.0, 0.3)};
  const Geometry capsule = capsuleAlong(axis, gather({&box, 1}));
  const Segment found = axisOf(capsule);
  EXPECT_LE((found.a - axis.a).norm() + (found.b - axis.b).norm(), 1e-14);
  EXPECT_NEAR(std::get<Capsule>(capsule.shape).radius(), Vec3(0.1, 0.2, 0.2).norm(), 1e-12);
}

}  // namespace
}  // namespace allclear::fitting
