// Distances at rest against brute force; and marks.
#include "allclear/distance/cloud/rest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "distance/cloud/cloud_scenes.h"
#include "distance/minimum/mcd_shapes.h"
#include "support/long_run.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using test::bruteDistance;
using test::Random;

struct Scene {
  Shape shape = Sphere(1.0);
  Pose X_WA, X_WO;
  Cloud cloud = Cloud::balls({Vec3::Zero()}, 1.0);
};

Scene drawScene(std::uint64_t seed) {
  Random random(seed);
  Scene scene;
  const int kind = random.integer(0, 6);
  scene.shape = test::randomShape(random, kind == 6 ? 7 : kind);
  scene.X_WA = {random.rotation(), random.direction() * random.logUniform(0.01, 1.5)};
  scene.X_WO = {random.rotation(), random.vector(0.3)};
  scene.cloud = random.chance(0.4)
                    ? Cloud::boxes(test::randomBoxes(random, 80))
                    : Cloud::balls(test::randomPoints(random, 300), random.logUniform(1e-4, 0.1));
  return scene;
}

TEST(CloudAtRest, IsTheLeastOfAllElements) {
  const int count = test::samplesOf(1000, 30000);
  int deep = 0;
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scene s = drawScene(100u + seed);
    const double brute = bruteDistance(s.shape, s.X_WA, s.cloud, s.X_WO);
    const SignedDistance d = signedDistance(s.shape, s.X_WA, s.cloud, s.X_WO);
    ASSERT_NEAR(d.distance, brute, 1e-7);
    ASSERT_NEAR((d.witness_B - d.witness_A - d.distance * d.normal).norm(), 0.0, 1e-7);
    deep += brute < 0.0 ? 1 : 0;
    Random random(seed);
    const double off = random.logUniform(1e-5, 0.3);
    ASSERT_TRUE(distanceAtLeast(s.shape, s.X_WA, s.cloud, s.X_WO, brute - off));
    ASSERT_FALSE(distanceAtLeast(s.shape, s.X_WA, s.cloud, s.X_WO, brute + off));
  }
  EXPECT_GT(deep, count / 10);
}

/// As many as brute force says, wherever both limits are; those within rounding of the distance are
/// not drawn.
TEST(CloudAtRest, TellsHowManyLimitsAreKept) {
  const int count = test::samplesOf(1000, 30000);
  std::array<int, 3> seen{};
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scene s = drawScene(20000u + seed);
    if (seed % 10 == 0) s.shape = test::boxMesh({0.1, 0.2, 0.3});
    const double brute = signedDistance(s.shape, s.X_WA, s.cloud, s.X_WO).distance;
    Random random(seed);
    const auto off = [&] {
      const double length = random.logUniform(1e-5, 0.3);
      return random.chance(0.5) ? length : -length;
    };
    const double one = brute + off(), other = random.chance(0.2) ? one : brute + off();
    const double low = std::min(one, other), high = std::max(one, other);
    const int kept = (brute >= low ? 1 : 0) + (brute >= high ? 1 : 0);
    ASSERT_EQ(limitsKept(s.shape, s.X_WA, s.cloud, s.X_WO, low, high), kept);
    ++seen[kept];
  }
  for (const int of_kind : seen) EXPECT_GT(of_kind, count / 10);
}

/// Moving A back along the normal by the depth frees it of the element: a way out.
TEST(CloudAtRest, ADepthLeadsOutOfItsElement) {
  for (int seed = 0; seed < 300; ++seed) {
    const Scene s = drawScene(5000u + seed);
    const SignedDistance d = signedDistance(s.shape, s.X_WA, s.cloud, s.X_WO);
    if (d.distance >= 0.0) continue;
    Pose moved = s.X_WA;
    moved.p += (d.distance - 1e-6) * d.normal;
    double own = HUGE_VAL;  // of the element whose surface has the witness
    for (std::int32_t i = 0; i < s.cloud.size(); ++i) {
      const Vec3 size = (s.cloud.upper(i) - s.cloud.lower(i)).cwiseMax(1e-9);
      const Shape element = s.cloud.isBalls() ? Shape(Sphere(s.cloud.radius())) : Shape(Box(size));
      const Pose X{s.X_WO.R, s.X_WO * s.cloud.center(i)};
      if (signedDistance(s.shape, s.X_WA, element, X).distance > d.distance + 1e-7) continue;
      own = signedDistance(s.shape, moved, element, X).distance;
    }
    ASSERT_GT(own, -1e-6) << seed;
  }
}

TEST(CloudAtRest, OfPartsTogetherIsThatOfTheWhole) {
  for (int seed = 0; seed < 100; ++seed) {
    const Scene s = drawScene(9000u + seed);
    double least = HUGE_VAL;
    for (const std::int32_t node : s.cloud.parts(16)) {
      least = std::min(least, signedDistance(s.shape, s.X_WA, s.cloud, s.X_WO, node).distance);
    }
    EXPECT_NEAR(least, signedDistance(s.shape, s.X_WA, s.cloud, s.X_WO).distance, 1e-9);
  }
}

TEST(CloudAtRest, MarksExactlyWhatIsNear) {
  for (int seed = 0; seed < 100; ++seed) {
    Scene s = drawScene(400u + seed);
    if (seed % 3 == 0) s.shape = test::boxMesh({0.1, 0.2, 0.3});
    std::vector<char> marks(static_cast<std::size_t>(s.cloud.size()), 0);
    markNear(s.shape, s.X_WA, s.cloud, s.X_WO, 0.05, &marks);
    for (std::int32_t i = 0; i < s.cloud.size(); ++i) {
      const Vec3 size = (s.cloud.upper(i) - s.cloud.lower(i)).cwiseMax(1e-9);
      const Shape element = s.cloud.isBalls() ? Shape(Sphere(s.cloud.radius())) : Shape(Box(size));
      const double d =
          signedDistance(s.shape, s.X_WA, element, {s.X_WO.R, s.X_WO * s.cloud.center(i)}).distance;
      if (std::abs(d - 0.05) < 1e-7) continue;
      ASSERT_EQ(marks[i] != 0, d < 0.05) << seed << " " << d;
    }
  }
}

}  // namespace
}  // namespace allclear
