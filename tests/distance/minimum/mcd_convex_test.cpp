#include <gtest/gtest.h>

#include "allclear/distance/minimum/convex/convex.h"
#include "allclear/distance/minimum/reference/reference.h"
#include "distance/minimum/mcd_oracle.h"
#include "distance/minimum/mcd_shapes.h"

namespace allclear {
namespace {

using test::MovingSolid;
using test::Random;
using test::samplesOf;

struct PairKinds {
  int a, b;
};

std::string pairName(const PairKinds& pair) {
  static const char* const kNames[] = {"Sphere", "Capsule",   "Box",       "Cylinder",
                                       "Cone",   "Ellipsoid", "HalfSpace", "ConvexMesh"};
  return std::string(kNames[pair.a]) + kNames[pair.b];
}

/// Of a sphere or capsule.
double radiusOf(const Shape& shape) {
  const auto* sphere = std::get_if<Sphere>(&shape);
  return sphere != nullptr ? sphere->radius() : std::get<Capsule>(shape).radius();
}

class ConvexMinimum : public testing::TestWithParam<PairKinds> {};

/// What the motions drawn were like, and how often the algorithms without proof were wrong.
struct Tally {
  int motions = 0, apart = 0, near = 0, deep = 0, through = 0, many_valleys = 0, unsure = 0;
  int golden_wrong = 0, hybrid_wrong = 0, compared = 0;

  void add(const test::TrueMinimum& truth, double tolerance) {
    ++motions;
    apart += truth.value > 10.0 * tolerance;
    near += std::abs(truth.value) <= 10.0 * tolerance;
    deep += truth.value < -10.0 * tolerance;
    through += truth.value < 0.0 && truth.first > 0.0 && truth.last > 0.0;
    many_valleys += truth.valleys > 1;
  }
  void print(const std::string& name) const {
    std::printf(
        "%-22s %d motions: %d apart, %d near, %d penetrating, %d passing through, %d with several "
        "minima, %d without a sure truth; wrong golden %d, hybrid %d of %d\n",
        name.c_str(), motions, apart, near, deep, through, many_valleys, unsure, golden_wrong,
        hybrid_wrong, compared);
  }
};

struct Trial {
  MovingSolid a, b;
  Interval span;
  McdOptions options;
};

/// Moves B so that at some instant of the span the shapes touch, nearly, or overlap deeply.
void meet(Random& draw, const MovingSolid& a, Interval span, MovingSolid* b) {
  const double t = draw.uniform(span.lower, span.upper);
  const SignedDistance d = signedDistance(a.shape, a.pose(t), b->shape, b->pose(t));
  double wanted = draw.logUniform(1e-7, 3e-2);
  if (draw.chance(0.5)) wanted = -wanted;
  if (draw.chance(0.4)) wanted = -draw.uniform(0.0, 0.2);
  b->chain.move((wanted - d.distance) * d.normal);
  if (draw.chance(0.1)) b->chain.move(a.pose(t).p - b->pose(t).p);
}

Trial randomTrial(const PairKinds& kinds, std::uint64_t seed) {
  Random draw(seed);
  Trial trial{test::randomSolid(draw, kinds.a), test::randomSolid(draw, kinds.b), {}, {}};
  trial.span.upper = draw.chance(0.05) ? 0.0 : draw.uniform(0.1, 1.0);
  trial.options.tolerance = draw.logUniform(1e-5, 1e-2);
  if (draw.chance(0.7)) meet(draw, trial.a, trial.span, &trial.b);
  // Coarse cells now and then, so that the remainders matter.
  const double wanted = draw.chance(0.3) ? 1e-2 : trial.options.tolerance / 20.0;
  test::fitCurves(&trial.a, &trial.b, trial.span, wanted);
  return trial;
}

/// Whether an algorithm without proof ended above the minimum by more than it may.
bool isWrong(const Trial& trial, ReferenceAlgorithm algorithm, double truth) {
  const double upper =
      referenceMinimum(algorithm, trial.a.moving(), trial.b.moving(), trial.options).upper;
  return upper > truth + trial.options.tolerance + 6.0 * test::errorOf(trial.a, trial.b);
}

TEST_P(ConvexMinimum, BracketsTheTrueMinimumOfRandomMotions) {
  const bool both_round = GetParam().a <= 1 && GetParam().b <= 1;
  Tally tally;
  for (int i = 0; i < samplesOf(100, 1000000); ++i) {
    const std::uint64_t seed = 10000000u * (8 * GetParam().a + GetParam().b) + i;
    const Trial trial = randomTrial(GetParam(), seed);
    const auto& [a, b, span, options] = trial;
    const DistanceBracket bracket = minimumDistance(a.moving(), b.moving(), options);
    // Capsules whose axes cross: the distance has a floor there.
    const double floor = both_round ? -radiusOf(a.shape) - radiusOf(b.shape) : -HUGE_VAL;
    const auto f = [&, &a = a, &b = b](double t) {
      return std::max(floor, test::trueDistance(a, b, t).upper);
    };
    const auto truth = test::trueMinimum(f, span, 40);
    constexpr double kAccuracy = 1e-8;
    ASSERT_LE(bracket.lower, truth.value + kAccuracy) << "seed " << seed;
    const Interval there = test::trueDistance(a, b, bracket.t_star);
    ASSERT_GE(bracket.upper, there.lower - kAccuracy) << "seed " << seed;
    ASSERT_EQ(bracket.status, McdStatus::kBracketed) << "seed " << seed;
    const double errors = 6.0 * test::errorOf(a, b);
    ASSERT_LE(bracket.upper - bracket.lower, 1.0001 * options.tolerance + errors + kAccuracy)
        << "seed " << seed;
    tally.add(truth, options.tolerance);
    tally.unsure += there.length() > kAccuracy;
    if (i % 10 != 0) continue;
    ++tally.compared;
    tally.golden_wrong += isWrong(trial, ReferenceAlgorithm::kGolden, truth.value);
    tally.hybrid_wrong += isWrong(trial, ReferenceAlgorithm::kHybrid, truth.value);
  }
  tally.print(pairName(GetParam()));
  // Every kind of motion must have occurred.
  EXPECT_GT(std::min({tally.apart, tally.near, tally.deep, tally.many_valleys}), 0);
  EXPECT_LT(tally.unsure, 1 + tally.motions / 1000);
}

/// Motions on which splits where the distance is predicted to be least crept along from one side
/// until the search's depth was used up.
TEST(ConvexMinimumOf, MotionsOnWhichPredictionsCreepIsStillBracketed) {
  constexpr std::pair<PairKinds, std::uint64_t> kMotions[] = {
      {{1, 1}, 90002077}, {{7, 1}, 570025163}, {{5, 7}, 470030531}, {{7, 7}, 630022090}};
  for (const auto& [kinds, seed] : kMotions) {
    const Trial trial = randomTrial(kinds, seed);
    const DistanceBracket bracket =
        minimumDistance(trial.a.moving(), trial.b.moving(), trial.options);
    EXPECT_EQ(bracket.status, McdStatus::kBracketed) << "seed " << seed;
  }
}

std::vector<PairKinds> allPairs() {
  std::vector<PairKinds> pairs;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j <= i; ++j) {
      // A few the other way round: the order must not matter.
      const PairKinds pair = (i + j) % 3 == 0 ? PairKinds{j, i} : PairKinds{i, j};
      if (i != 6 || j != 6) pairs.push_back(pair);
    }
  }
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Pairs, ConvexMinimum, testing::ValuesIn(allPairs()),
                         [](const auto& tested) { return pairName(tested.param); });

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
