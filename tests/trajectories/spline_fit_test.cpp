#include "allclear/trajectories/spline_fit.h"

#include <gtest/gtest.h>

#include "allclear/core/assert.h"
#include "trajectories/curves.h"

namespace allclear {
namespace {

using test::Random32;

EndState stateAt(const BSpline& curve, double t) {
  return {curve.value(t, 0), curve.value(t, 1), curve.value(t, 2)};
}

void expectEnds(const Trajectory& curve, const EndState& start, const EndState& end) {
  const double T = curve.duration();
  for (const auto& [t, state] : {std::pair(0.0, start), std::pair(T, end)}) {
    EXPECT_LE((curve.value(t, 0) - state.position).norm(), 1e-13 * (1.0 + state.position.norm()));
    EXPECT_LE((curve.value(t, 1) - state.velocity).norm(), 1e-11 * (1.0 + state.velocity.norm()));
    EXPECT_LE((curve.value(t, 2) - state.acceleration).norm(),
              1e-10 * (1.0 + state.acceleration.norm()));
  }
}

Samples samplesOf(const BSpline& curve, int count) {
  Samples samples{{}, MatX(curve.dimension(), count)};
  for (int i = 0; i < count; ++i) {
    samples.times.push_back(curve.duration() * (i + 0.5) / count);
    samples.values.col(i) = curve.value(samples.times.back());
  }
  return samples;
}

TEST(FitSpline, FindsTheCurveThatTheSamplesAreOf) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Random32 random(seed);
    const int spans = 1 + static_cast<int>(random() % 12);
    const BSpline curve(test::randomMatrix(random, 4, spans + 5), random.uniform(0.5, 5.0));
    const double T = curve.duration();
    const BSpline fit = fitSpline(curve.sharedBasis(), T, samplesOf(curve, 8 * spans),
                                  stateAt(curve, 0.0), stateAt(curve, T));
    EXPECT_LE((fit.control() - curve.control()).cwiseAbs().maxCoeff(), 1e-10) << "seed " << seed;
    expectEnds(fit, stateAt(curve, 0.0), stateAt(curve, T));
  }
}

/// Beyond `kMostBySvd` unknowns another way is taken.
TEST(FitSpline, OfManySpansFollowsTheCurveThatTheSamplesAreOf) {
  Random32 random(2);
  for (int spans : {90, 600}) {
    const BSpline curve(test::randomMatrix(random, 3, spans + 5), 4.0);
    const BSpline fit = fitSpline(curve.sharedBasis(), 4.0, samplesOf(curve, 4 * spans),
                                  stateAt(curve, 0.0), stateAt(curve, 4.0));
    EXPECT_LE((fit.control() - curve.control()).cwiseAbs().maxCoeff(), 1e-5) << spans;
    expectEnds(fit, stateAt(curve, 0.0), stateAt(curve, 4.0));
  }
}

TEST(FitSpline, OfManySpansFillsWhatSamplesLeaveOpenWithTheLeastJerk) {
  const auto basis = std::make_shared<const BSplineBasis>(BSplineBasis::uniform(200));
  const BSpline fit = fitSpline(basis, 3.0, {{}, MatX(1, 0)}, EndState::atRest(VecX::Zero(1)),
                                EndState::atRest(VecX::Ones(1)));
  for (double s : {0.1, 0.37, 0.5, 0.9}) {
    EXPECT_NEAR(fit.value(3.0 * s)[0], s * s * s * (10.0 + s * (-15.0 + 6.0 * s)), 1e-4);
  }
}

TEST(FitSpline, HasTheLeastSumOfSquares) {
  Random32 random(1);
  const auto basis = std::make_shared<const BSplineBasis>(BSplineBasis::uniform(6));
  const Samples samples = {{0.1, 0.3, 0.35, 0.6, 0.8, 1.1, 1.3, 1.6, 1.9},
                           test::randomMatrix(random, 2, 9)};
  const EndState start{VecX::Ones(2), VecX::Constant(2, 0.3), VecX::Constant(2, -0.4)};
  const EndState end = EndState::atRest(VecX::Zero(2));
  const auto error = [&](const BSpline& curve) {
    double sum = 0.0;
    for (int i = 0; i < 9; ++i) {
      sum += (curve.value(samples.times[i]) - samples.values.col(i)).squaredNorm();
    }
    return sum;
  };
  const BSpline fit = fitSpline(basis, 2.0, samples, start, end);
  expectEnds(fit, start, end);
  EXPECT_GT(error(fit), 1e-3) << "the samples are not on any such curve";
  for (int n = 0; n < 200; ++n) {
    MatX control = fit.control();
    control.middleCols(3, 5) += 1e-4 * test::randomMatrix(random, 2, 5);
    EXPECT_GT(error(fit.withControl(control)), error(fit));
  }
}

TEST(FitSpline, PassesThroughFewSamplesWithTheLeastJerk) {
  Random32 random(2);
  const auto basis = std::make_shared<const BSplineBasis>(BSplineBasis::uniform(8));
  const Samples samples = {{0.5, 1.2}, test::randomMatrix(random, 3, 2)};
  const EndState start = EndState::atRest(VecX::Zero(3)), end = EndState::atRest(VecX::Ones(3));
  const BSpline fit = fitSpline(basis, 2.0, samples, start, end);
  expectEnds(fit, start, end);
  for (int i = 0; i < 2; ++i) {
    EXPECT_LE((fit.value(samples.times[i]) - samples.values.col(i)).norm(), 1e-12);
  }
  const MatX Q = basis->energy(3);
  const auto jerk = [&](const MatX& c) { return (c * Q * c.transpose()).trace(); };
  // Moves within the null space of the samples cannot lessen it.
  const MatX A = basis->matrix(0, (VecX(2) << 0.25, 0.6).finished()).middleCols(3, 7);
  const MatX N = A.fullPivLu().kernel();
  for (int n = 0; n < 100; ++n) {
    MatX control = fit.control();
    control.middleCols(3, 7) += 1e-3 * test::randomMatrix(random, 3, 5) * N.transpose();
    EXPECT_GT(jerk(control), jerk(fit.control()));
  }
}

TEST(FitSpline, WithoutSamplesFromRestToRestIsTheMinimumJerkMotion) {
  const auto basis = std::make_shared<const BSplineBasis>(BSplineBasis::uniform(5));
  const BSpline fit = fitSpline(basis, 3.0, {{}, MatX(1, 0)}, EndState::atRest(VecX::Zero(1)),
                                EndState::atRest(VecX::Ones(1)));
  for (double s : {0.1, 0.37, 0.5, 0.9}) {
    EXPECT_NEAR(fit.value(3.0 * s)[0], s * s * s * (10.0 + s * (-15.0 + 6.0 * s)), 1e-12);
  }
}

/// Largest jump of a derivative at the rows inside, relative to its size.
double jump(const HermiteCurve& curve, int order) {
  double worst = 0.0, size = 0.0;
  for (int i = 1; i < curve.spanCount(); ++i) {
    for (int k = 0; k < curve.dimension(); ++k) {
      const SpanCoefficients before = curve.coefficients(i - 1, order, k);
      const SpanCoefficients after = curve.coefficients(i, order, k);
      worst = std::max(worst, std::abs(before.coefficient[before.degree] - after.coefficient[0]));
      size = std::max({size, before.magnitude(), after.magnitude()});
    }
  }
  return size > 0.0 ? worst / size : 0.0;
}

TEST(InterpolatePositions, IsFourTimesContinuousFromRestToRest) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Random32 random(seed);
    const HermiteCurve data = test::randomHermite(random);
    const HermiteCurve curve = interpolatePositions(data.times(), data.positions());
    EXPECT_EQ(curve.positions(), data.positions());
    EXPECT_LE(jump(curve, 3), 1e-7) << "seed " << seed;
    EXPECT_LE(jump(curve, 4), 1e-7) << "seed " << seed;
    EXPECT_EQ(curve.velocities().col(0), VecX::Zero(3));
    EXPECT_EQ(curve.accelerations().rightCols(1), VecX::Zero(3));
  }
}

TEST(InterpolatePositions, AgreesWithTheFitOnKnotsAtTheRows) {
  Random32 random(3);
  const std::vector<double> times = {0.0, 0.2, 0.5, 1.1, 1.5, 2.0};
  const MatX positions = test::randomMatrix(random, 2, 6);
  const HermiteCurve curve = interpolatePositions(times, positions);
  std::vector<double> knots(6, 0.0);
  for (int i = 1; i < 5; ++i) knots.push_back(times[i] / 2.0);
  knots.insert(knots.end(), 6, 1.0);
  const BSpline fit =
      fitSpline(std::make_shared<const BSplineBasis>(knots, 5), 2.0,
                {{0.2, 0.5, 1.1, 1.5}, positions.middleCols(1, 4)},
                EndState::atRest(positions.col(0)), EndState::atRest(positions.col(5)));
  for (double t = 0.0; t < 2.0; t += 0.0137) {
    EXPECT_LE((curve.value(t) - fit.value(t)).norm(), 1e-11);
  }
}

TEST(InterpolatePositions, StaysFiniteAndKeepsItsRowsWhateverTheirSpacing) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Random32 random(seed);
    std::vector<double> times{0.0};
    for (int i = 0; i < 50; ++i) {
      times.push_back(times.back() + random.logUniform(1e-8, 1e2));
    }
    const MatX positions = test::randomMatrix(random, 2, 51) * random.logUniform(1e-6, 1e9);
    EXPECT_NO_THROW({
      const Trajectory curve = interpolatePositions(times, positions);
      EXPECT_TRUE(curve.derivativeBound(3, {0.0, curve.duration()}).allFinite());
      EXPECT_EQ(curve.value(times[7]), positions.col(7));
    }) << "seed "
       << seed;
  }
}

TEST(InterpolatePositions, OfManyRowsFollowsTheCurveThatTheyAreOf) {
  const int rows = test::samples(20000, 100000);
  std::vector<double> times;
  MatX positions(1, rows);
  for (int i = 0; i < rows; ++i) {
    times.push_back(i * 1e-3);
    positions(0, i) = std::sin(times.back());
  }
  const HermiteCurve curve = interpolatePositions(times, positions);
  for (int i = 100; i < rows - 100; i += 37) {
    ASSERT_NEAR(curve.velocities()(0, i), std::cos(times[i]), 1e-9) << i;
    ASSERT_NEAR(curve.accelerations()(0, i), -std::sin(times[i]), 1e-6) << i;
  }
}

TEST(InterpolatePositions, OfTwoRowsIsTheMinimumJerkMotion) {
  const HermiteCurve curve = interpolatePositions({0.0, 2.0}, (MatX(1, 2) << 1.0, 3.0).finished());
  EXPECT_DOUBLE_EQ(curve.value(1.0)[0], 2.0);
  EXPECT_DOUBLE_EQ(curve.value(1.0, 1)[0], 2.0 * 30.0 / 16.0 / 2.0);
}

}  // namespace
}  // namespace allclear
