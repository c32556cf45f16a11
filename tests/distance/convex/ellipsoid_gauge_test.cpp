#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "allclear/distance/convex/ellipsoid_equation.h"
#include "allclear/distance/ellipsoid_pair.h"
#include "allclear/distance/signed_distance.h"
#include "support/choi_2019.h"
#include "support/ellipsoid_draws.h"
#include "support/long_run.h"

namespace allclear {
namespace {

using test::drawEllipsoids;
using test::EllipsoidPairDraw;
using test::isLong;
using test::Random;

EllipsoidGauge gaugeOf(const EllipsoidPairDraw& pair, double centers) {
  return ellipsoidGauge(Ellipsoid(pair.a), Pose(), Ellipsoid(pair.b),
                        Pose{pair.R(), centers * pair.n});
}

double rating(const std::vector<double>& values, double share) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

TEST(EllipsoidGauge, OfSpheresIsTheRatioOfCentersToRadii) {
  Random draw(11);
  for (int i = 0; i < 2000; ++i) {
    const double a = draw.logUniform(1e-6, 1.0), b = draw.logUniform(1e-6, 1.0);
    const Pose X_WA{draw.rotation(), draw.inBox(1.0)};
    const Pose X_WB{draw.rotation(), X_WA.p + draw.logUniform(1e-9, 1e3) * draw.direction()};
    const EllipsoidGauge g =
        ellipsoidGauge(Ellipsoid(Vec3::Constant(a)), X_WA, Ellipsoid(Vec3::Constant(b)), X_WB);
    const Vec3 way = X_WB.p - X_WA.p;
    EXPECT_NEAR(g.approach, a + b, 4e-15 * (a + b));
    EXPECT_NEAR(g.gauge * (a + b), way.norm(), 4e-15 * way.norm());
    EXPECT_NEAR(g.ratio, a / (a + b), 1e-7);
    EXPECT_LT((g.normal - way.normalized()).norm(), 1e-12);
    EXPECT_LE(
        closestApproach(Ellipsoid(Vec3::Constant(a)), X_WA, Ellipsoid(Vec3::Constant(b)), X_WB)
            .iterations,
        5);
  }
}

TEST(EllipsoidGauge, AlongCommonAxesIsTheRatioToTheSumOfRadii) {
  Random draw(12);
  for (int i = 0; i < 2000; ++i) {
    Vec3 a, b;
    for (int k = 0; k < 3; ++k) {
      a[k] = draw.logUniform(1e-3, 1.0);
      b[k] = draw.logUniform(1e-3, 1.0);
    }
    const int axis = draw.index(3);
    const EllipsoidGauge g = ellipsoidGauge(Ellipsoid(a), Pose(), Ellipsoid(b),
                                            Pose{Mat3::Identity(), 0.3 * Vec3::Unit(axis)});
    EXPECT_NEAR(g.approach, a[axis] + b[axis], 4e-15 * (a[axis] + b[axis]));
  }
}

TEST(EllipsoidGauge, AgreesWithTheExactRoot) {
  // Single pairs may be off by what the rounding of their rotation matrix does to them: about
  // 1e-16 times the ratio of the radii.
  const struct {
    double gamma, Gamma;
    bool log_uniform;
    double typical, worst;
  } kCases[] = {
      {5, 3, false, 5e-16, 2e-15}, {1000, 3, false, 2e-15, 1e-13}, {1e5, 10, true, 1e-14, 1e-11}};
  for (const auto& c : kCases) {
    Random draw(13);
    std::vector<double> errors;
    for (int i = 0; i < 1500; ++i) {
      const EllipsoidPairDraw pair = drawEllipsoids(&draw, c.gamma, c.Gamma, c.log_uniform);
      const double exact = exactApproach(pair);
      errors.push_back(std::abs(gaugeOf(pair, 1.0).approach / exact - 1.0));
      const Pose X_AB{pair.R(), pair.n};
      const ClosestApproach value =
          closestApproach(Ellipsoid(pair.a), Pose(), Ellipsoid(pair.b), X_AB);
      errors.push_back(std::abs(value.distance / exact - 1.0));
    }
    EXPECT_LT(rating(errors, 0.98), c.typical) << "ratio of radii " << c.gamma;
    EXPECT_LT(rating(errors, 1.0), c.worst) << "ratio of radii " << c.gamma;
  }
}

TEST(EllipsoidGauge, AgreesWithThePapersMethods) {
  Random draw(14);
  for (int i = 0; i < 2000; ++i) {
    const EllipsoidPairDraw pair = drawEllipsoids(&draw, 5.0, 3.0, false);
    const test::ChoiPair rival(pair.a, pair.b, pair.R(), pair.n);
    const double d = gaugeOf(pair, 1.0).approach;
    test::ChoiOptions options;
    options.tolerance = 1e-13;
    EXPECT_NEAR(rival.hybrid(options).d, d, 1e-11 * d);
    EXPECT_NEAR(rival.fixedPoint(options).d, d, 1e-8 * d);
    EXPECT_NEAR(rival.steffensen(options).d, d, 1e-8 * d);
  }
}

TEST(EllipsoidGauge, NeedsFewIterations) {
  const struct {
    double gamma, Gamma;
    bool log_uniform;
    double mean;
    int most;
  } kCases[] = {{5, 3, false, 2.2, 4}, {1000, 3, false, 4.0, 8}, {1e6, 1e6, true, 3.6, 12}};
  for (const auto& c : kCases) {
    Random draw(15);
    double sum = 0.0;
    const int kPairs = isLong() ? 10000000 : 100000;
    for (int i = 0; i < kPairs; ++i) {
      const EllipsoidPairDraw pair = drawEllipsoids(&draw, c.gamma, c.Gamma, c.log_uniform);
      const int iterations =
          closestApproach(Ellipsoid(pair.a), Pose(), Ellipsoid(pair.b), Pose{pair.R(), pair.n})
              .iterations;
      sum += iterations;
      ASSERT_LE(iterations, c.most) << "ratio of radii " << c.gamma << ", pair " << i;
    }
    EXPECT_LE(sum / kPairs, c.mean) << "ratio of radii " << c.gamma;
  }
}

/// F all but reaches its maximum, where it is so level that a step of the ratio by a factor hardly
/// changes it and where it is not. (What rounding the pair's rotation does to d is another matter.)
TEST(EllipsoidGauge, ValueIsAtItsMaximum) {
  Random draw(19);
  for (int i = 0; i < (isLong() ? 10000000 : 200000); ++i) {
    const EllipsoidPairDraw draws = drawEllipsoids(&draw, 1e6, 1e6, true);
    ellipsoid::Pair<double> pair;
    const Mat3 R = draws.R();
    for (int k = 0; k < 3; ++k) {
      pair.a[k] = draws.a[k];
      pair.b[k] = draws.b[k];
      pair.n[k] = draws.n[k];
      for (int j = 0; j < 3; ++j) pair.R[k][j] = R(k, j);
    }
    ellipsoid::normalise(&pair);
    const auto equation = ellipsoid::equationOf(pair);
    double iterations = 0.0;
    const double r = ellipsoid::solve(equation, ellipsoid::kShortForValue, &iterations);
    // Much closer: the step before its last is below 1e-8.
    const double exact = ellipsoid::solve(equation, 1e-8, &iterations);
    const double F = ellipsoid::contactFunction(equation, r);
    ASSERT_NEAR(F, ellipsoid::contactFunction(equation, exact), 1e-14 * F) << "pair " << i;
  }
}

TEST(EllipsoidGauge, BoundsTheSignedDistanceAndHasItsSign) {
  Random draw(16);
  for (int i = 0; i < 20000; ++i) {
    const EllipsoidPairDraw pair = drawEllipsoids(&draw, draw.logUniform(1.0, 1000.0), 10.0, true);
    const double d = gaugeOf(pair, 1.0).approach;
    const double off = draw.logUniform(1e-12, 0.9) * (draw.chance(0.5) ? 1.0 : -1.0);
    const double centers = (1.0 + off) * d;
    const EllipsoidGauge g = gaugeOf(pair, centers);
    const SignedDistance exact = signedDistance(Ellipsoid(pair.a), Pose(), Ellipsoid(pair.b),
                                                Pose{pair.R(), centers * pair.n});
    const double least = pair.a.minCoeff() + pair.b.minCoeff();
    const double slack = 1e-14 * (pair.a.maxCoeff() + pair.b.maxCoeff() + centers);
    const double over = g.gauge - 1.0;
    if (std::abs(off) > 1e-11) {
      EXPECT_EQ(over > 0.0, exact.distance > 0.0) << "pair " << i;
    }
    EXPECT_LE(g.room, exact.distance + slack);
    EXPECT_LE(std::min(over * least, over * d), exact.distance + slack);
    EXPECT_GE(std::max(over * least, over * d), exact.distance - slack);
    if (over > 0.0) {
      EXPECT_LE(over * least, g.room + slack);
    }
    if (over < 0.0) {
      EXPECT_LE(over * d, g.room + slack);
    }
  }
}

TEST(EllipsoidGauge, KeepsItsValueWhenTheWorldMovesAndScales) {
  Random draw(17);
  for (int i = 0; i < 2000; ++i) {
    const EllipsoidPairDraw pair = drawEllipsoids(&draw, 100.0, 10.0, true);
    const EllipsoidGauge g = gaugeOf(pair, 1.0);
    const double scale = draw.chance(0.5) ? 1e25 : 1e-25;
    const Pose X_WA{draw.rotation(), Vec3::Zero()};
    const Pose X_WB{X_WA.R * pair.R(), X_WA.R * Vec3(scale * pair.n)};
    const Ellipsoid A(scale * pair.a), B(scale * pair.b);
    const EllipsoidGauge moved = ellipsoidGauge(A, X_WA, B, X_WB);
    const EllipsoidGauge swapped = ellipsoidGauge(B, X_WB, A, X_WA);
    EXPECT_NEAR(moved.gauge, g.gauge, 1e-13 * g.gauge);
    EXPECT_NEAR(swapped.gauge, g.gauge, 1e-13 * g.gauge);
    EXPECT_LT((moved.normal + swapped.normal).norm(), 1e-6);
    EXPECT_NEAR(moved.room, scale * g.room, 1e-9 * scale);
  }
}

TEST(EllipsoidGauge, IsZeroWhereTheCentersCoincide) {
  const Ellipsoid A(Vec3(1.0, 2.0, 3.0)), B(Vec3(0.5, 0.25, 1.0));
  const EllipsoidGauge g = ellipsoidGauge(A, Pose(), B, Pose());
  EXPECT_EQ(g.gauge, 0.0);
  EXPECT_EQ(g.half_slope, Vec3::Zero());
  EXPECT_NEAR(g.approach, 1.5, 1e-14);
  EXPECT_NEAR(g.normal.norm(), 1.0, 1e-15);
  EXPECT_LT(g.room, 0.0);
}

TEST(EllipsoidGauge, GradientOfItsSquareMatchesDifferences) {
  Random draw(18);
  for (int i = 0; i < 2000; ++i) {
    const EllipsoidPairDraw pair = drawEllipsoids(&draw, 100.0, 3.0, true);
    const Ellipsoid A(pair.a), B(pair.b);
    const Pose X_WA{draw.rotation(), draw.inBox(1.0)};
    const double d = gaugeOf(pair, 1.0).approach;
    const Pose X_WB{X_WA.R * pair.R(),
                    X_WA.p + X_WA.R * Vec3(draw.logUniform(1e-3, 2.0) * d * pair.n)};
    const DistanceGradient gradient =
        squaredGaugeGradient(ellipsoidGauge(A, X_WA, B, X_WB), A, X_WA, B, X_WB);
    const auto value = [&](const Vec3& dx_A, const Vec3& dr_A, const Vec3& dx_B, const Vec3& dr_B) {
      const auto moved = [](const Pose& X, const Vec3& dx, const Vec3& dr) {
        const double angle = dr.norm();
        return Pose{angle > 0.0 ? Mat3(rotationAbout(dr / angle, angle) * X.R) : X.R, X.p + dx};
      };
      const double g = ellipsoidGauge(A, moved(X_WA, dx_A, dr_A), B, moved(X_WB, dx_B, dr_B)).gauge;
      return g * g;
    };
    // Short beside the least radius and the way between the centres: g^2 turns over these lengths.
    const double least = std::min(pair.a.minCoeff(), pair.b.minCoeff());
    const double step = 1e-5 * std::min(least, (X_WB.p - X_WA.p).norm());
    for (int k = 0; k < 12; ++k) {
      Vec3 way[4] = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
      way[k / 3][k % 3] = step;
      const double up = value(way[0], way[1], way[2], way[3]);
      const double down = value(-way[0], -way[1], -way[2], -way[3]);
      const Vec3* parts[] = {&gradient.translation_A, &gradient.rotation_A, &gradient.translation_B,
                             &gradient.rotation_B};
      double size = 0.0;
      for (const Vec3* part : parts) size += part->norm();
      // Rounding of a difference, and the third derivative over this step.
      const double g2 = value(Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero());
      EXPECT_NEAR((*parts[k / 3])[k % 3], (up - down) / (2.0 * step),
                  1e-6 * size + 1e-14 * g2 / step)
          << "pair " << i << ", coordinate " << k;
    }
  }
}

TEST(EllipsoidEquation, HasItsMaximumAtTheRootAndIsALowerBoundElsewhere) {
  Random draw(21);
  for (int i = 0; i < 2000; ++i) {
    const EllipsoidPairDraw draws = drawEllipsoids(&draw, 1000.0, 10.0, true);
    ellipsoid::Pair<double> pair;
    for (int k = 0; k < 3; ++k) {
      pair.a[k] = draws.a[k];
      pair.b[k] = draws.b[k];
      pair.n[k] = draws.n[k];
      for (int j = 0; j < 3; ++j) pair.R[k][j] = draws.R()(k, j);
    }
    ellipsoid::normalise(&pair);
    const ellipsoid::Equation<double> equation = ellipsoid::equationOf(pair);
    double iterations = 0.0;
    const double root = ellipsoid::solve(equation, ellipsoid::kShortForSlope, &iterations);
    EXPECT_GE(root, equation.low * (1.0 - 1e-12));
    EXPECT_LE(root, equation.high * (1.0 + 1e-12));
    const double most = ellipsoid::contactFunction(equation, root);
    for (int k = 0; k < 20; ++k) {
      const double r = root * draw.logUniform(1e-6, 1e6);
      EXPECT_LE(ellipsoid::contactFunction(equation, r), most * (1.0 + 1e-13));
    }
  }
}

class EllipsoidBatch : public testing::Test {
 protected:
  void drawPairs(int count, double gamma) {
    Random draw(19);
    for (auto& column : columns_) column.clear();
    for (int i = 0; i < count; ++i) {
      const EllipsoidPairDraw pair = drawEllipsoids(&draw, gamma, 3.0, true);
      const Vec3 c = draw.logUniform(0.1, 3.0) * pair.n;
      const Mat3 R = pair.R();
      for (int k = 0; k < 3; ++k) {
        columns_[k].push_back(pair.a[k]);
        columns_[3 + k].push_back(pair.b[k]);
        columns_[15 + k].push_back(c[k]);
        for (int j = 0; j < 3; ++j) columns_[6 + 3 * k + j].push_back(R(k, j));
      }
      single_.push_back(ellipsoidGauge(Ellipsoid(pair.a), Pose(), Ellipsoid(pair.b), Pose{R, c}));
    }
    pairs_.count = static_cast<std::size_t>(count);
    for (int k = 0; k < 3; ++k) {
      pairs_.radii_A[k] = columns_[k].data();
      pairs_.radii_B[k] = columns_[3 + k].data();
      pairs_.p_AB[k] = columns_[15 + k].data();
    }
    for (int k = 0; k < 9; ++k) pairs_.R_AB[k] = columns_[6 + k].data();
  }

  std::vector<double> columns_[18];
  std::vector<EllipsoidGauge> single_;
  EllipsoidPairColumns pairs_;
};

TEST_F(EllipsoidBatch, GivesWhatSinglePairsGive) {
  for (const int count : {1, 7, 8, 9, 1003}) {
    single_.clear();
    drawPairs(count, 1000.0);
    std::vector<double> gauge(count), ratio(count), slope[3], lower(count);
    EllipsoidGaugeColumns results;
    results.gauge = gauge.data();
    results.ratio = ratio.data();
    for (int k = 0; k < 3; ++k) {
      slope[k].resize(count);
      results.half_slope[k] = slope[k].data();
    }
    ellipsoidGauges(pairs_, results);
    lowerEllipsoidGauges(pairs_, lower.data());
    for (int i = 0; i < count; ++i) {
      EXPECT_NEAR(gauge[i], single_[i].gauge, 1e-13 * gauge[i]);
      EXPECT_NEAR(ratio[i], single_[i].ratio, 1e-5);
      EXPECT_LE(lower[i], gauge[i]);
      const Vec3 p(slope[0][i], slope[1][i], slope[2][i]);
      EXPECT_LT((p - single_[i].half_slope).norm(), 1e-6 * p.norm());
    }
  }
}

TEST_F(EllipsoidBatch, ProvesNearlyAllPairsApartWithoutIterating) {
  drawPairs(20000, 5.0);
  std::vector<double> lower(single_.size());
  lowerEllipsoidGauges(pairs_, lower.data());
  int apart = 0, proven = 0;
  for (std::size_t i = 0; i < single_.size(); ++i) {
    if (single_[i].gauge < 1.0) {
      EXPECT_LT(lower[i], 1.0);
    }
    apart += single_[i].gauge > 1.05;
    proven += single_[i].gauge > 1.05 && lower[i] > 1.0;
  }
  EXPECT_GT(proven, 0.95 * apart);
}

TEST_F(EllipsoidBatch, TakesPairsOfBodies) {
  Random draw(20);
  std::vector<PosedEllipsoid> bodies;
  for (int i = 0; i < 20; ++i) {
    const EllipsoidPairDraw pair = drawEllipsoids(&draw, 10.0, 3.0, false);
    bodies.push_back({Ellipsoid(pair.a), Pose{draw.rotation(), draw.inBox(2.0)}});
  }
  std::vector<std::array<int, 2>> pairs;
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < i; ++j) pairs.push_back({i, j});
  }
  std::vector<double> gauges(pairs.size());
  ellipsoidGauges(bodies, pairs, gauges);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const PosedEllipsoid &A = bodies[pairs[k][0]], &B = bodies[pairs[k][1]];
    const double single = ellipsoidGauge(A.shape, A.X_WE, B.shape, B.X_WE).gauge;
    EXPECT_NEAR(gauges[k], single, 1e-13 * single);
  }
}

}  // namespace
}  // namespace allclear
