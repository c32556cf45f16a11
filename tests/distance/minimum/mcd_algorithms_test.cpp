#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "allclear/distance/minimum/capsule/capsule.h"
#include "distance/minimum/mcd_methods.h"
#include "distance/minimum/mcd_oracle.h"
#include "distance/minimum/mcd_shapes.h"

namespace allclear {
namespace {

using test::McdMethod;
using test::methodName;
using test::minimumBy;
using test::MovingSolid;
using test::Random;
using test::samplesOf;

/// Kinds of a pair: capsules mostly, else a convex pair.
std::pair<MovingSolid, MovingSolid> randomPair(Random& draw) {
  const bool capsules = draw.chance(0.7);
  MovingSolid a = test::randomSolid(draw, capsules ? draw.integer(0, 1) : 2);
  MovingSolid b = test::randomSolid(draw, capsules ? draw.integer(0, 1) : draw.integer(1, 2));
  return {std::move(a), std::move(b)};
}

double capsuleDistance(const MovingSolid& a, const MovingSolid& b, double t) {
  const bool capsules = a.shape.index() < 2 && b.shape.index() < 2;
  const double d = test::trueDistance(a, b, t).upper;
  if (!capsules) return d;
  // Crossing axes: the minimum over time has a floor, the static distance none.
  const double floor = -capsuleAxis(a.shape, a.X_BG).radius - capsuleAxis(b.shape, b.X_BG).radius;
  return std::max(d, floor);
}

class McdAlgorithms : public testing::TestWithParam<McdMethod> {};

TEST_P(McdAlgorithms, SoundOnesBracketAndUpperOccurs) {
  int wrong = 0, total = 0;
  double worst = 0.0;
  for (int i = 0; i < samplesOf(100, 20000); ++i) {
    Random draw(30000 + i);
    auto [a, b] = randomPair(draw);
    McdOptions options;
    options.tolerance = draw.logUniform(1e-3, 1e-2);
    const Interval span{0.0, draw.chance(0.05) ? 0.0 : draw.uniform(0.1, 1.0)};
    test::fitCurves(&a, &b, span, options.tolerance / 20.0);
    const DistanceBracket bracket = minimumBy(GetParam(), a.moving(), b.moving(), options);
    const auto f = [&a = a, &b = b](double t) { return capsuleDistance(a, b, t); };
    const auto truth = test::trueMinimum(f, span, 60);
    ASSERT_GE(bracket.upper, f(bracket.t_star) - 1e-12) << "seed " << 30000 + i;
    if (test::isSound(GetParam()) && bracket.status != McdStatus::kUndecided) {
      ASSERT_LE(bracket.upper - bracket.lower,
                1.0001 * options.tolerance + 6.0 * test::errorOf(a, b))
          << "seed " << 30000 + i;
    }
    if (test::isSound(GetParam())) {
      ASSERT_LE(bracket.lower, truth.value + 1e-12) << "seed " << 30000 + i;
    }
    ++total;
    wrong += bracket.upper > truth.value + options.tolerance + 6.0 * test::errorOf(a, b);
    worst = std::max(worst, bracket.upper - truth.value);
  }
  std::printf("%-22s wrong %d of %d, worst %.3g m above the minimum\n", methodName(GetParam()),
              wrong, total, worst);
  if (test::isSound(GetParam())) {
    EXPECT_EQ(wrong, 0);
  }
}

TEST_P(McdAlgorithms, DecideAThresholdAsTheTruthDoes) {
  int above = 0, below = 0;
  for (int i = 0; i < samplesOf(100, 20000); ++i) {
    Random draw(40000 + i);
    auto [a, b] = randomPair(draw);
    const Interval span{0.0, draw.uniform(0.1, 1.0)};
    McdOptions options;
    options.tolerance = 2e-3;
    options.decide_only = draw.chance(0.5);
    test::fitCurves(&a, &b, span, options.tolerance / 20.0);
    const auto f = [&a = a, &b = b](double t) { return capsuleDistance(a, b, t); };
    const auto truth = test::trueMinimum(f, span, 60);
    options.threshold = truth.value + draw.uniform(-0.1, 0.1);
    if (draw.chance(0.3)) options.threshold = truth.value + draw.uniform(-1e-5, 1e-5);
    const DistanceBracket bracket = minimumBy(GetParam(), a.moving(), b.moving(), options);
    above += bracket.status == McdStatus::kCertifiedAbove;
    below += bracket.status == McdStatus::kBelow;
    ASSERT_TRUE(test::isSound(GetParam()) || bracket.status != McdStatus::kCertifiedAbove);
    if (bracket.status == McdStatus::kCertifiedAbove) {
      ASSERT_GE(bracket.lower, *options.threshold);
      ASSERT_GE(truth.value, *options.threshold - 1e-12) << "seed " << 40000 + i;
    }
    if (bracket.status == McdStatus::kBelow) {
      ASSERT_LT(truth.value, *options.threshold) << "seed " << 40000 + i;
      ASSERT_LE(bracket.upper, *options.threshold);
    }
    if (test::isSound(GetParam())) {
      ASSERT_LE(bracket.lower, truth.value + 1e-12) << "seed " << 40000 + i;
      const bool near = std::abs(truth.value - *options.threshold) < 2.0 * options.tolerance;
      ASSERT_TRUE(near ||
                  bracket.status == (truth.value < *options.threshold ? McdStatus::kBelow
                                                                      : McdStatus::kCertifiedAbove))
          << "seed " << 40000 + i << " " << mcdStatusName(bracket.status);
    }
  }
  EXPECT_TRUE(!test::isSound(GetParam()) || above > 10);
  EXPECT_GT(below, 10);
}

TEST_P(McdAlgorithms, ShapesAtRestHaveTheirStaticDistance) {
  for (int i = 0; i < 50; ++i) {
    Random draw(50000 + i);
    auto [a, b] = randomPair(draw);
    const std::vector<BodyCurve> still_a{BodyCurve::still(a.chain.pose(0.3), {0.0, 2.0})};
    const std::vector<BodyCurve> still_b{BodyCurve::still(b.chain.pose(0.3), {0.0, 2.0})};
    a.curves = still_a;
    b.curves = still_b;
    McdOptions options;
    options.refine = true;
    const DistanceBracket bracket = minimumBy(GetParam(), a.moving(), b.moving(), options);
    const double truth = capsuleDistance(a, b, 0.3);
    EXPECT_LE(bracket.lower, truth + 1e-12);
    EXPECT_NEAR(bracket.upper, truth, 1e-11) << "seed " << 50000 + i;
    EXPECT_FALSE(bracket.unique);
  }
}

/// A translation whose control points are `points`, with the remainders given.
BodyCurve translation(const std::vector<Vec3>& points, Interval time) {
  BodyCurve curve = BodyCurve::still(Pose{}, time);
  for (int k = 0; k <= BodyCurve::kDegree; ++k) {
    curve.control[k].p = points[std::min<std::size_t>(k, points.size() - 1)];
  }
  for (int k = 0; k < BodyCurve::kDegree; ++k) {
    const double step = (curve.control[k + 1].p - curve.control[k].p).norm();
    curve.bounds.linear[0] =
        std::max(curve.bounds.linear[0], BodyCurve::kDegree * step / time.length());
  }
  return curve;
}

TEST_P(McdAlgorithms, RemaindersOfBothMotionsCount) {
  // The true motions may be anything within the remainders: nearer to each other by all of them.
  if (!test::isSound(GetParam())) GTEST_SKIP() << "its lower bound is a guess";
  for (int i = 0; i < samplesOf(60, 2000); ++i) {
    Random draw(90000 + i);
    const Shape a = draw.chance(0.5) ? Shape(Capsule(0.1, 0.4)) : Shape(Box(Vec3(0.2, 0.3, 0.4)));
    const Shape b = draw.chance(0.5) ? Shape(Sphere(0.1)) : Shape(Box(Vec3(0.3, 0.3, 0.3)));
    std::vector<Vec3> path;
    for (int k = 0; k < 8; ++k) path.push_back(Vec3(1.0, 0, 0) + draw.inBox(0.3));
    BodyCurve moving = translation(path, {0.0, 1.0});
    BodyCurve other = translation({Vec3(-0.1, 0, 0), Vec3(0, 0.1, 0)}, {0.0, 1.0});
    McdOptions options;
    options.tolerance = 1e-3;
    const DistanceBracket exact =
        minimumBy(GetParam(), {&a, Pose{}, {&moving, 1}}, {&b, Pose{}, {&other, 1}}, options);
    moving.position_error = draw.uniform(0.0, 0.02);
    other.position_error = draw.uniform(0.0, 0.02);
    moving.reference_B = other.reference_B = Vec3(0.0, 0.0, 0.5);
    moving.rotation_error = draw.uniform(0.0, 0.02);
    other.rotation_error = draw.uniform(0.0, 0.02);
    // Every body point is at least this far from the reference point.
    const double sum = moving.error(0.2) + other.error(0.3);
    const auto query = [&] {
      return minimumBy(GetParam(), {&a, Pose{}, {&moving, 1}}, {&b, Pose{}, {&other, 1}}, options);
    };
    ASSERT_LE(query().lower, exact.upper - sum) << "seed " << 90000 + i;
    ASSERT_GE(query().upper, exact.lower + sum) << "seed " << 90000 + i;
    options.threshold = exact.upper - sum + 1e-6;
    ASSERT_NE(query().status, McdStatus::kCertifiedAbove) << "seed " << 90000 + i;
    options.threshold = exact.lower + sum - 1e-6;
    ASSERT_NE(query().status, McdStatus::kBelow) << "seed " << 90000 + i;
  }
}

TEST_P(McdAlgorithms, GapsBetweenCellsHideNothing) {
  // The first cell ends nearer than the second one starts.
  if (!test::isSound(GetParam())) GTEST_SKIP() << "its lower bound is a guess";
  for (const Shape& shape : {Shape(Sphere(0.1)), Shape(Box(Vec3(0.2, 0.2, 0.2)))}) {
    std::vector<Vec3> approach;
    for (int k = 0; k < 8; ++k) approach.push_back(Vec3(1.2 - 0.1 * k / 7.0, 0, 0));
    const std::vector<BodyCurve> jumping{translation(approach, {0.0, 1.0}),
                                         translation({Vec3(1.5, 0, 0)}, {1.0, 2.0}),
                                         translation({Vec3(1.6, 0, 0)}, {2.0, 3.0})};
    const BodyCurve still = BodyCurve::still(Pose{}, {0.0, 3.0});
    McdOptions options;
    const DistanceBracket bracket =
        minimumBy(GetParam(), {&shape, Pose{}, jumping}, {&shape, Pose{}, {&still, 1}}, options);
    EXPECT_LE(bracket.lower, 0.9);
    options.threshold = 0.95;
    EXPECT_NE(
        minimumBy(GetParam(), {&shape, Pose{}, jumping}, {&shape, Pose{}, {&still, 1}}, options)
            .status,
        McdStatus::kCertifiedAbove);
  }
}

INSTANTIATE_TEST_SUITE_P(All, McdAlgorithms,
                         testing::Values(std::nullopt, ReferenceAlgorithm::kGolden,
                                         ReferenceAlgorithm::kAdvancement,
                                         ReferenceAlgorithm::kAdvancementIsotropic,
                                         ReferenceAlgorithm::kHybrid,
                                         ReferenceAlgorithm::kSampling),
                         [](const testing::TestParamInfo<McdMethod>& tested) {
                           std::string name = methodName(tested.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(MinimumDistance, IsTheSameWithTheShapesSwapped) {
  for (int i = 0; i < samplesOf(60, 2000); ++i) {
    Random draw(60000 + i);
    auto [a, b] = randomPair(draw);
    if (draw.chance(0.2)) a = test::randomSolid(draw, 6);
    test::fitCurves(&a, &b, {0.0, 1.0}, 1e-8);
    McdOptions options;
    options.tolerance = 1e-5;
    const DistanceBracket ab = minimumDistance(a.moving(), b.moving(), options);
    const DistanceBracket ba = minimumDistance(b.moving(), a.moving(), options);
    EXPECT_NEAR(ab.upper, ba.upper, 1.1e-5) << "seed " << 60000 + i;
    EXPECT_LE(ab.lower, ba.upper);
    EXPECT_LE(ba.lower, ab.upper);
  }
}

TEST(MinimumDistance, ABodyOnOneStillCurveMeetsManyCells) {
  Random draw(3);
  for (const int kind : {1, 2}) {
    MovingSolid a = test::randomSolid(draw, 1), b = test::randomSolid(draw, kind);
    b.chain.joints.clear();
    a.curves = a.chain.curves({0.0, 1.0}, 5);
    b.curves = b.chain.curves({0.0, 1.0}, 5);
    McdOptions options;
    options.tolerance = 1e-6;
    const DistanceBracket many = minimumDistance(a.moving(), b.moving(), options);
    b.curves = {BodyCurve::still(b.chain.pose(0.0), {-5.0, 99.0})};
    const DistanceBracket one = minimumDistance(a.moving(), b.moving(), options);
    EXPECT_NEAR(many.upper, one.upper, 1.1e-6);
    EXPECT_NEAR(many.t_star, one.t_star, 1e-2);
  }
}

TEST(MinimumDistance, CrossingAxesReachTheFloor) {
  // A bar passes through another one half way.
  const Capsule bar(0.05, 1.0);
  const Shape shape = bar;
  BodyCurve moving = BodyCurve::still(Pose{}, {0.0, 1.0});
  for (int k = 0; k <= BodyCurve::kDegree; ++k) {
    moving.control[k].p = Vec3(-1.0 + 2.0 * k / BodyCurve::kDegree, 0.0, 0.0);
  }
  moving.bounds.linear = {2.0, 0.0, 0.0};
  const BodyCurve still =
      BodyCurve::still({rotationAbout(Vec3::UnitX(), 1.0), Vec3(0.2, 0, 0)}, {0.0, 1.0});
  for (const double tolerance : {1e-3, 1e-9}) {
    McdOptions options;
    options.tolerance = tolerance;
    const DistanceBracket bracket =
        minimumDistance({&shape, Pose{}, {&moving, 1}}, {&shape, Pose{}, {&still, 1}}, options);
    EXPECT_EQ(bracket.status, McdStatus::kBracketed);
    EXPECT_NEAR(bracket.upper, -0.1, tolerance);
    EXPECT_NEAR(bracket.lower, -0.1, 1e-12);
    EXPECT_NEAR(bracket.t_star, 0.6, 1e-3);
  }
}

TEST(MinimumDistance, OutOfEvaluationsTheBracketStillHolds) {
  int undecided = 0;
  for (int i = 0; i < 100; ++i) {
    Random draw(70000 + i);
    auto [a, b] = randomPair(draw);
    test::fitCurves(&a, &b, {0.0, 1.0}, 1e-6);
    McdOptions options;
    options.tolerance = 1e-6;
    options.max_evaluations = draw.integer(1, 6);
    const DistanceBracket bracket = minimumDistance(a.moving(), b.moving(), options);
    const auto truth = test::trueMinimum(
        [&a = a, &b = b](double t) { return capsuleDistance(a, b, t); }, {0.0, 1.0}, 60);
    EXPECT_LE(bracket.lower, truth.value + 1e-12) << "seed " << 70000 + i;
    EXPECT_GE(bracket.upper, truth.value - 1e-12) << "seed " << 70000 + i;
    undecided += bracket.status == McdStatus::kUndecided;
    EXPECT_TRUE(bracket.status == McdStatus::kUndecided || bracket.upper - bracket.lower < 1e-5);
  }
  EXPECT_GT(undecided, 10);
}

TEST(MinimumDistance, RefusesWhatItCannotAnswer) {
  const Shape sphere = Sphere(0.1), plane = HalfSpace();
  const BodyCurve still = BodyCurve::still(Pose{}, {0.0, 1.0});
  const std::vector<BodyCurve> three(3, still);
  BodyCurve late = still, moving = still;
  late.time = {1.0, 2.0};
  late.bounds.linear[0] = moving.bounds.linear[0] = 1.0;
  const auto query = [&](const Shape& a, std::span<const BodyCurve> a_curves, const Shape& b,
                         std::span<const BodyCurve> b_curves, double tolerance = 1e-3) {
    McdOptions options;
    options.tolerance = tolerance;
    return minimumDistance({&a, Pose{}, a_curves}, {&b, Pose{}, b_curves}, options);
  };
  EXPECT_THROW(query(plane, {&still, 1}, plane, {&still, 1}), InputError);
  EXPECT_THROW(query(sphere, {&still, 1}, sphere, {&still, 1}, 0.0), InputError);
  EXPECT_THROW(query(sphere, {&still, 1}, sphere, {&still, 1}, NAN), InputError);
  EXPECT_THROW(query(sphere, {}, sphere, {&still, 1}), InputError);
  EXPECT_THROW(query(sphere, {&moving, 1}, sphere, three), InputError);
  EXPECT_THROW(query(sphere, {&moving, 1}, sphere, {&late, 1}), InputError);
  EXPECT_NO_THROW(query(sphere, {&still, 1}, sphere, three));
}

}  // namespace
}  // namespace allclear
