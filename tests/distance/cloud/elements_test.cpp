// Rigid bodies and clouds over time: brackets against brute force over all elements at many
// instants, and each term of the bound left out.
#include "allclear/distance/cloud/elements.h"

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "distance/cloud/cloud_scenes.h"
#include "distance/minimum/mcd_oracle.h"
#include "distance/minimum/mcd_shapes.h"
#include "support/long_run.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using test::bruteDistance;
using test::MovingSolid;
using test::Random;

constexpr Interval kTime{0.0, 1.0};

struct Scene {
  MovingSolid a, b;  ///< b: the motion of the cloud's frame
  Cloud cloud = Cloud::balls({Vec3::Zero()}, 1.0);
  Pose X_WO;
  bool moves = false;

  Pose poseB(double t) const { return moves ? b.chain.pose(t) : X_WO; }
  double distance(double t) const { return bruteDistance(a.shape, a.pose(t), cloud, poseB(t)); }
  MovingCloud moving() const { return {&cloud, b.curves}; }
};

/// The body near the cloud and moving fast; the cloud at rest or moving, near or 1e6 m away.
Scene drawScene(std::uint64_t seed, bool far = false) {
  Random random(seed);
  Scene scene;
  scene.a = test::randomSolid(random, 1);
  const int kind = random.integer(0, 6);
  scene.a.shape = test::randomShape(random, kind == 6 ? 7 : kind);
  scene.a.chain.move(random.direction() * random.logUniform(0.05, 1.5));
  scene.cloud = random.chance(0.3)
                    ? Cloud::boxes(test::randomBoxes(random, 60))
                    : Cloud::balls(test::randomPoints(random, 200), random.logUniform(1e-4, 0.1));
  scene.X_WO = {random.rotation(), random.vector(0.3)};
  scene.moves = random.chance(0.4);
  if (far) {
    const Vec3 away = 1e6 * random.direction();
    scene.a.chain.move(away);
    scene.X_WO.p += away;
    scene.moves = false;
  }
  if (scene.moves) {
    scene.b = test::randomSolid(random, 0);
    scene.b.X_BG = Pose();
    scene.b.shape = Sphere(1.0);
    test::fitCurves(&scene.a, &scene.b, kTime, 1e-7);
  } else {
    scene.a.curves =
        scene.a.chain.curves(kTime, scene.a.chain.cellsFor(kTime, 1e-7, scene.a.reach(), 20));
    scene.b.curves = {BodyCurve::still(scene.X_WO, kTime)};
  }
  return scene;
}

double curveError(const Scene& scene) {
  double error = 0.0;
  for (const BodyCurve& curve : scene.a.curves) {
    error = std::max(error, curve.error(scene.a.reach() + 1.0));
  }
  for (const BodyCurve& curve : scene.b.curves) error += curve.error(2.0);
  return error;
}

double leastSeen(const Scene& scene, int instants, double near) {
  double least = HUGE_VAL;
  for (int i = 0; i <= instants; ++i) {
    least = std::min(least, scene.distance(static_cast<double>(i) / instants));
  }
  for (int i = -4; i <= 4; ++i) {
    least = std::min(least, scene.distance(std::clamp(near + 0.002 * i, 0.0, 1.0)));
  }
  return least;
}

TEST(CloudSearch, BracketsHoldTheTrueMinimum) {
  int apart = 0, deep = 0;
  const int count = test::samplesOf(400, 10000);
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scene scene = drawScene(1000u + seed);
    McdOptions options;
    options.tolerance = 1e-4;
    options.refine = seed % 2 == 0;
    const DistanceBracket bracket = minimumDistance(scene.a.moving(), scene.moving(), options);
    const double slack = 1e-8 + 2.0 * curveError(scene);
    const double least = leastSeen(scene, 60, bracket.t_star);
    ASSERT_LE(bracket.lower, least + slack);
    ASSERT_LE(bracket.lower, bracket.upper);
    ASSERT_GE(bracket.upper, scene.distance(bracket.t_star) - slack);
    (least > 0.0 ? apart : deep) += 1;
    // Depths of curved solids have a gap, which no search narrows.
    ASSERT_TRUE(least <= 0.0 || bracket.status == McdStatus::kBracketed);
    if (bracket.evaluated && bracket.upper > 1e-6) {
      ASSERT_NEAR((bracket.witness_B - bracket.witness_A).norm(), bracket.upper, slack + 1e-6);
    }
  }
  EXPECT_GT(apart, count / 5);
  EXPECT_GT(deep, count / 20);
}

TEST(CloudSearch, HoldsAMillionMetresAway) {
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scene scene = drawScene(7000u + seed, true);
    McdOptions options;
    options.tolerance = 1e-3;
    const DistanceBracket bracket = minimumDistance(scene.a.moving(), scene.moving(), options);
    const double least = leastSeen(scene, 40, bracket.t_star);
    // Coordinates of 1e6 round by 1e-10, and what is computed with them by some hundred times that.
    ASSERT_LE(bracket.lower, least + 1e-6);
    ASSERT_GE(bracket.upper, scene.distance(bracket.t_star) - 2e-6);
  }
}

TEST(CloudSearch, DecidesAThreshold) {
  int above = 0, below = 0;
  for (int seed = 0; seed < 200; ++seed) {
    const Scene scene = drawScene(3000u + seed);
    Random random(seed);
    const double least = leastSeen(scene, 40, 0.5);
    McdOptions options;
    options.threshold = least - random.logUniform(1e-3, 0.1);
    options.decide_only = true;
    const DistanceBracket sure = minimumDistance(scene.a.moving(), scene.moving(), options);
    if (sure.status == McdStatus::kCertifiedAbove) {
      ++above;
      ASSERT_GE(sure.lower, *options.threshold);
    }
    ASSERT_LE(sure.lower, least + 1e-6);
    options.threshold = least + random.logUniform(1e-3, 0.1);
    const DistanceBracket not_so = minimumDistance(scene.a.moving(), scene.moving(), options);
    ASSERT_NE(not_so.status, McdStatus::kCertifiedAbove);
    below += not_so.status == McdStatus::kBelow ? 1 : 0;
  }
  EXPECT_GT(above, 150);
  EXPECT_GT(below, 190);
}

/// Beyond the focus a bracket is as wide as a fifth of the rest at most, and holds all the same.
TEST(CloudSearch, IsNarrowWhereTheFocusIs) {
  int beyond = 0, below = 0, evaluations = 0, evaluations_narrow = 0;
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scene scene = drawScene(5000u + seed);
    Random random(seed);
    McdOptions options;
    options.tolerance = 1e-5;
    options.refine = random.chance(0.5);
    const DistanceBracket narrow = minimumDistance(scene.a.moving(), scene.moving(), options);
    if (!(narrow.upper > 0.0)) continue;
    const double focus = narrow.upper + random.uniform(-0.3, 0.1);
    const DistanceBracket found = minimumDistance(scene.a.moving(), scene.moving(), options, focus);
    const double slack = 1e-8 + 2.0 * curveError(scene);
    ASSERT_EQ(found.status, McdStatus::kBracketed);
    ASSERT_LE(found.lower, narrow.upper);
    ASSERT_GE(found.upper, narrow.lower);
    const double width = std::max(1e-5 + slack, 0.2 * (found.upper - focus));
    ASSERT_LE(found.upper - found.lower, width * (1.0 + 1e-9));
    // What is beyond stays beyond.
    ASSERT_TRUE(!(narrow.lower > focus) || found.lower >= focus);
    (focus < narrow.lower ? beyond : below) += 1;
    evaluations += found.bound_evaluations;
    evaluations_narrow += narrow.bound_evaluations;
  }
  EXPECT_GT(beyond, 60);
  EXPECT_GT(below, 20);
  EXPECT_LT(evaluations, 0.8 * evaluations_narrow);
}

/// A bound without one of its terms has to be too high for some scenes; with all of them for none.
TEST(CloudSearch, NeedsEachTerm) {
  enum { kAll, kRemainderA, kRemainderB, kRadius, kFarEnd, kError, kCount };
  int wrong[kCount] = {};
  for (int seed = 0; seed < 300; ++seed) {
    Random random(50000u + seed);
    Scene scene;
    // One curve, so that stretches of time are long; a fast turn past the cloud.
    scene.a.shape = Capsule(0.01, random.uniform(0.2, 0.6));
    scene.a.chain = test::randomChain(random, 2, random.uniform(1.0, 4.0), 0.4);
    scene.a.chain.move(random.direction() * 0.7);
    scene.cloud = Cloud::balls(test::randomPoints(random, 40), random.logUniform(1e-3, 0.05));
    scene.moves = random.chance(0.5);
    scene.X_WO = {random.rotation(), random.vector(0.1)};
    scene.a.curves = scene.a.chain.curves(kTime, 4);
    if (scene.moves) {
      scene.b.chain = test::randomChain(random, 2, random.uniform(1.0, 3.0), 0.2);
      scene.b.curves = scene.b.chain.curves(kTime, 4);
    } else {
      scene.b.curves = {BodyCurve::still(scene.X_WO, kTime)};
    }
    const double least = leastSeen(scene, 200, 0.5);
    for (int term = 0; term < kCount; ++term) {
      tree::BoundTerms terms;
      if (term == kRemainderA) terms.remainder_a = 0.0;
      if (term == kRemainderB) terms.remainder_b = 0.0;
      if (term == kRadius) terms.radius = 0.0;
      if (term == kFarEnd) terms.far_end = 0.0;
      if (term == kError) terms.error = 0.0;
      const tree::RigidShape shape(scene.a.shape);
      const MovingShape a = scene.a.moving();
      const cloud::CloudElements b(scene.moving());
      cloud::CloudSearch search(shape, a, b, terms);
      McdOptions options;
      options.tolerance = 1e-4;
      const tree::SearchResult found = search.run(options);
      const double slack = term == kError ? 0.0 : 1e-6;
      if (found.lower > least + slack) ++wrong[term];
    }
  }
  EXPECT_EQ(wrong[kAll], 0);
  EXPECT_GT(wrong[kRemainderA], 0);
  EXPECT_GT(wrong[kRemainderB], 0);
  EXPECT_GT(wrong[kRadius], 0);
  EXPECT_GT(wrong[kFarEnd], 0);
}

/// Curves that are off by as much as they say, always to the wrong side.
TEST(CloudSearch, NeedsTheErrorOfCurves) {
  for (const bool of_b : {false, true}) {
    BodyCurve a = BodyCurve::still({Mat3::Identity(), Vec3(1.0, 0, 0)}, kTime);
    BodyCurve b = BodyCurve::still(Pose(), kTime);
    (of_b ? b : a).position_error = 0.01;
    const Shape ball = Sphere(0.1);
    const Cloud cloud = Cloud::balls({Vec3::Zero()}, 0.2);
    const DistanceBracket bracket =
        minimumDistance({&ball, Pose(), {&a, 1}}, {&cloud, {&b, 1}}, McdOptions());
    EXPECT_LE(bracket.lower, 0.69);
    EXPECT_GE(bracket.lower, 0.69 - 1e-3);
    EXPECT_GE(bracket.upper, 0.71);
  }
}

TEST(CloudSearch, ATriangleMeshIsExactOutsideAndSolidInside) {
  const Shape box = test::boxMesh({0.2, 0.3, 0.4});
  int apart = 0, contacts = 0;
  for (int seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scene scene = drawScene(9000u + seed);
    scene.a.shape = box;
    McdOptions options;
    options.tolerance = 1e-4;
    const DistanceBracket bracket = minimumDistance(scene.a.moving(), scene.moving(), options);
    // The mesh of a box is the box.
    Scene solid = scene;
    solid.a.shape = Box(Vec3(0.4, 0.6, 0.8));
    const double least = leastSeen(solid, 40, bracket.t_star);
    ASSERT_LE(bracket.lower, least + 1e-6);
    if (bracket.penetrating) {
      ++contacts;
      ASSERT_LE(least, 2e-3);
    } else {
      ++apart;
      ASSERT_GT(least, -1e-6);
      ASSERT_GE(bracket.upper, solid.distance(bracket.t_star) - 1e-6);
    }
  }
  EXPECT_GT(apart, 20);
  EXPECT_GT(contacts, 20);
}

/// Wholly inside: no surface is met, and no point may be missed.
TEST(CloudSearch, FindsAPointWithinAMesh) {
  const Shape box = test::boxMesh({0.5, 0.5, 0.5});
  const Cloud cloud = Cloud::balls({{0.1, 0, 0}, {3, 0, 0}}, 0.01);
  const BodyCurve a = BodyCurve::still(Pose(), kTime), b = a;
  const DistanceBracket bracket =
      minimumDistance({&box, Pose(), {&a, 1}}, {&cloud, {&b, 1}}, McdOptions());
  EXPECT_TRUE(bracket.penetrating);
  EXPECT_NEAR(bracket.upper, -0.41, 1e-6);
  EXPECT_FALSE(distanceAtLeast(box, Pose(), cloud, Pose(), 0.001));
  EXPECT_LT(signedDistance(box, Pose(), cloud, Pose()).distance, -0.4);
}

TEST(CloudSearch, CountsTheBallAboutASpread) {
  const Shape ball = Sphere(0.1);
  const Cloud cloud = Cloud::balls({Vec3::Zero()}, 0.2);
  const BodyCurve a = BodyCurve::still({Mat3::Identity(), Vec3(1, 0, 0)}, kTime);
  const BodyCurve b = BodyCurve::still(Pose(), kTime);
  Spread spread;
  spread.end = Vec3(0.0, 0.01, 0.0).asDiagonal();
  McdOptions options;
  options.spread = &spread;
  const DistanceBracket bracket =
      minimumDistance({&ball, Pose(), {&a, 1}}, {&cloud, {&b, 1}}, options);
  EXPECT_NEAR(bracket.upper, 0.6, 1e-6);
  EXPECT_NEAR((bracket.witness_B - bracket.witness_A).norm(), 0.6, 1e-6);
}

TEST(CloudSearch, RefusesWhatItCannotAnswer) {
  const Cloud cloud = Cloud::balls({Vec3::Zero()}, 0.2);
  const BodyCurve still = BodyCurve::still(Pose(), kTime);
  const Shape plane = HalfSpace(), ball = Sphere(1.0);
  EXPECT_THROW(minimumDistance({&plane, Pose(), {&still, 1}}, {&cloud, {&still, 1}}, McdOptions()),
               InputError);
  EXPECT_THROW(minimumDistance({&ball, Pose(), {&still, 1}}, {&cloud, {}}, McdOptions()),
               InputError);
  EXPECT_THROW(
      minimumDistance({&ball, Pose(), {&still, 1}}, {&cloud, {&still, 1}, 7}, McdOptions()),
      InputError);
}

/// What a search looks at grows with the logarithm of the points, not with them.
TEST(CloudSearch, CostsLittleMoreForManyMorePoints) {
  const Shape link = Capsule(0.05, 0.4);
  int evaluations[2] = {};
  for (int i = 0; i < 2; ++i) {
    const int n = i == 0 ? 30 : 500;
    std::vector<Vec3> points;  // a wall of 2 m x 2 m
    for (int x = 0; x < n; ++x) {
      for (int y = 0; y < n; ++y) points.emplace_back(2.0 * x / n - 1.0, 2.0 * y / n - 1.0, 0.0);
    }
    const Cloud cloud = Cloud::balls(points, 0.05);
    BodyCurve a = BodyCurve::still({Mat3::Identity(), Vec3(0, 0, 0.5)}, kTime);
    const BodyCurve b = BodyCurve::still(Pose(), kTime);
    McdOptions options;
    options.threshold = 0.1;
    options.decide_only = true;
    const DistanceBracket bracket =
        minimumDistance({&link, {rotationAbout(Vec3::UnitX(), 1.3), Vec3::Zero()}, {&a, 1}},
                        {&cloud, {&b, 1}}, options);
    EXPECT_EQ(bracket.status, McdStatus::kCertifiedAbove);
    evaluations[i] = bracket.bound_evaluations + bracket.distance_evaluations;
  }
  EXPECT_LE(evaluations[1], 2 * evaluations[0] + 20);
}

}  // namespace
}  // namespace allclear
