#include "allclear/distance/soft/gauge.h"

#include <gtest/gtest.h>

#include "allclear/distance/signed_distance.h"
#include "support/random.h"

namespace allclear {
namespace {

using test::Random;

PosedEllipsoid drawBody(Random* draw) {
  const Vec3 radii(draw->logUniform(0.05, 1.0), draw->logUniform(0.05, 1.0),
                   draw->logUniform(0.05, 1.0));
  return {Ellipsoid(radii), Pose{draw->rotation(), draw->inBox(0.5)}};
}

TEST(GaugeDistance, HasTheSignOfTheDistanceAndIsNeverBelowItApart) {
  Random draw(61);
  for (int i = 0; i < 5000; ++i) {
    const PosedEllipsoid A = drawBody(&draw), B = drawBody(&draw);
    const Pose X_WA{draw.rotation(), draw.inBox(1.0)}, X_WB{draw.rotation(), draw.inBox(1.0)};
    const double exact = signedDistance(A.shape, X_WA * A.X_WE, B.shape, X_WB * B.X_WE).distance;
    const SmoothDistance found = gaugeDistance(A, X_WA, B, X_WB);
    EXPECT_EQ(found.distance > 0.0, exact > 0.0) << "pair " << i;
    if (exact > 0.0) {
      EXPECT_GE(found.distance, exact - 1e-12) << "pair " << i;
    }
  }
}

TEST(GaugeDistance, HasTheGradientOfItsOwnValueAlsoDeepInside) {
  Random draw(62);
  for (int i = 0; i < 500; ++i) {
    const PosedEllipsoid A = drawBody(&draw), B = drawBody(&draw);
    const Pose X_WA{draw.rotation(), draw.inBox(1.0)}, X_WB{draw.rotation(), draw.inBox(0.5)};
    const DistanceGradient gradient = gaugeDistance(A, X_WA, B, X_WB).gradient;
    const Vec3* parts[] = {&gradient.translation_A, &gradient.rotation_A, &gradient.translation_B,
                           &gradient.rotation_B};
    constexpr double kStep = 1e-6;
    const auto moved = [](const Pose& X, int k, double step) {
      return k < 3 ? Pose{X.R, X.p + step * Vec3::Unit(k)}
                   : Pose{rotationAbout(Vec3::Unit(k - 3), step) * X.R, X.p};
    };
    for (int k = 0; k < 12; ++k) {
      const auto at = [&](double step) {
        return k < 6 ? gaugeDistance(A, moved(X_WA, k, step), B, X_WB).distance
                     : gaugeDistance(A, X_WA, B, moved(X_WB, k - 6, step)).distance;
      };
      EXPECT_NEAR((*parts[k / 3])[k % 3], (at(kStep) - at(-kStep)) / (2.0 * kStep),
                  1e-6 * (1.0 + gradient.translation_A.norm()))
          << "pair " << i << ", coordinate " << k;
    }
  }
}

TEST(GaugeDistance, TurnsSlowlyWhereTheEuclideanNormalJumps) {
  // Lines through the overlap that pass the other's centre at 0.3.
  Random draw(63);
  constexpr int kLines = 100;
  constexpr double kJump = 0.5;  // of unit normals: 30 degrees
  int euclidean_jumps = 0, jumps = 0;
  for (int line = 0; line < kLines; ++line) {
    const auto draw_radii = [&] {
      return Vec3(draw.uniform(0.4, 1.0), draw.uniform(0.4, 1.0), draw.uniform(0.4, 1.0));
    };
    const PosedEllipsoid A{Ellipsoid(draw_radii()), Pose()};
    const PosedEllipsoid B{Ellipsoid(draw_radii()), Pose()};
    const Vec3 way = draw.direction();
    const Vec3 aside = 0.3 * way.unitOrthogonal();
    Pose X_WB{draw.rotation(), Vec3::Zero()};
    double most = 0.0, most_euclidean = 0.0;
    Vec3 last, last_euclidean;
    for (int i = -80; i <= 80; ++i) {
      X_WB.p = aside + 0.01 * i * way;
      const Vec3 normal = gaugeDistance(A, Pose(), B, X_WB).normal;
      const Vec3 euclidean = signedDistance(A.shape, Pose(), B.shape, X_WB).normal;
      if (i > -80) {
        most = std::max(most, (normal - last).norm());
        most_euclidean = std::max(most_euclidean, (euclidean - last_euclidean).norm());
      }
      last = normal;
      last_euclidean = euclidean;
    }
    jumps += most > kJump;
    euclidean_jumps += most_euclidean > kJump;
  }
  EXPECT_EQ(jumps, 0);
  EXPECT_GT(euclidean_jumps, kLines / 5);
}

TEST(GaugeDistance, IsForBodiesOfOneSphereOrEllipsoid) {
  EXPECT_TRUE(asEllipsoid({{Sphere(0.5), Pose()}}).has_value());
  EXPECT_TRUE(asEllipsoid({{Ellipsoid(Vec3(1.0, 2.0, 3.0)), Pose()}}).has_value());
  EXPECT_FALSE(asEllipsoid({{Box(Vec3(1.0, 2.0, 3.0)), Pose()}}).has_value());
  EXPECT_FALSE(asEllipsoid({{Sphere(0.5), Pose()}, {Sphere(0.5), Pose()}}).has_value());
}

}  // namespace
}  // namespace allclear
