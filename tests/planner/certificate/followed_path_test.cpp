// The distance proven of two curves against the discrete one of dense samples, which is at most a
// step of the samples above the true one.
#include "allclear/planner/certificate/followed_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/random.h"

namespace allclear {
namespace {

struct Samples {
  std::vector<VecX> points;
  double step = 0.0;  ///< greatest distance of two that follow each other
};

Samples samplesOf(const Trajectory& curve, int per_span) {
  Samples out;
  for (int i = 0; i < curve.spanCount(); ++i) {
    const Interval time = curve.spanTime(i);
    for (int k = i == 0 ? 0 : 1; k <= per_span; ++k) {
      out.points.push_back(curve.span(i).value(time.lower + time.length() * k / per_span));
      if (out.points.size() < 2) continue;
      const auto n = out.points.size();
      out.step = std::max(out.step, (out.points[n - 1] - out.points[n - 2]).cwiseAbs().maxCoeff());
    }
  }
  return out;
}

/// The least over all walks of the greatest distance, both going from sample to sample.
double discreteDistance(const Samples& a, const Samples& b) {
  const std::size_t n = a.points.size(), m = b.points.size();
  std::vector<double> row(m), next(m);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      const double here = (a.points[i] - b.points[j]).cwiseAbs().maxCoeff();
      double before = i == 0 && j == 0 ? 0.0 : HUGE_VAL;
      if (i > 0) before = std::min(before, row[j]);
      if (j > 0) before = std::min(before, next[j - 1]);
      if (i > 0 && j > 0) before = std::min(before, row[j - 1]);
      next[j] = std::max(here, before);
    }
    row.swap(next);
  }
  return row[m - 1];
}

MatX randomRows(test::Random& random, int dimension, int count) {
  MatX rows(dimension, count);
  for (double& x : rows.reshaped()) x = random.uniform(-1.0, 1.0);
  // Degenerate ones: rows that repeat the one before, nearly or wholly, and turns back.
  for (int i = 1; i < count; ++i) {
    if (random.chance(0.2)) {
      rows.col(i) = rows.col(i - 1);
      if (random.chance(0.5)) rows(0, i) += 1e-9;
    } else if (i >= 2 && random.chance(0.2)) {
      rows.col(i) = rows.col(i - 2);
    }
  }
  return rows;
}

Trajectory polylineThrough(const MatX& rows) {
  std::vector<double> times;
  for (Eigen::Index i = 0; i < rows.cols(); ++i) times.push_back(static_cast<double>(i));
  return HermiteCurve(std::move(times), rows);
}

/// A curve near a polyline: quintic, at any pace, off by about `off`.
Trajectory curveNear(test::Random& random, const MatX& rows, double off) {
  std::vector<double> times{0.0};
  MatX q = rows, v = MatX::Zero(rows.rows(), rows.cols()), a = v;
  for (Eigen::Index i = 1; i < rows.cols(); ++i)
    times.push_back(times.back() + random.logUniform(0.1, 10.0));
  for (double& x : q.reshaped()) x += random.uniform(-off, off);
  for (double& x : v.reshaped()) x = random.uniform(-off, off);
  return HermiteCurve(std::move(times), std::move(q), std::move(v), std::move(a));
}

TEST(FollowedPath, IsNeverNearerThanSamplesSay) {
  test::Random random(7);
  int proven = 0;
  double slack = 0.0;
  for (int trial = 0; trial < 150; ++trial) {
    SCOPED_TRACE(trial);
    const int count = random.integer(2, 6);
    const MatX rows = randomRows(random, random.integer(1, 3), count);
    const Trajectory path = polylineThrough(rows);
    const double off = random.logUniform(1e-3, 0.3);
    const Trajectory curve = curveNear(random, rows, off);
    const double bound = provenDeviation(curve, path, 4.0);
    if (!std::isfinite(bound)) continue;
    ++proven;
    const Samples a = samplesOf(curve, 150), b = samplesOf(path, 150);
    const double discrete = discreteDistance(a, b);
    // The discrete distance is at most half of both steps above the true one.
    const double step = 0.5 * (a.step + b.step);
    EXPECT_GE(bound, discrete - step - 1e-12);
    EXPECT_LE(bound, 1.08 * discrete + 1e-9);
    slack = std::max(slack, bound / std::max(discrete, 1e-9));
  }
  EXPECT_GT(proven, 140);
}

TEST(FollowedPath, AnyPaceAlongALineIsOnIt) {
  test::Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const VecX from = random.vectorX(4, 2.0), along = random.vectorX(4, 1.0);
    const MatX ends = (MatX(4, 2) << from, from + along).finished();
    // From rest to rest: far from uniform.
    const MatX rest = MatX::Zero(4, 2);
    const Trajectory motion = HermiteCurve({0.0, random.logUniform(1e-3, 1e3)}, ends, rest, rest);
    EXPECT_EQ(provenDeviation(motion, polylineThrough(ends), 0.1), 1e-9);
  }
}

TEST(FollowedPath, OrderAndTheWholeOfThePathCount) {
  const auto line = [](std::vector<double> xs) {
    MatX rows(1, static_cast<Eigen::Index>(xs.size()));
    for (std::size_t i = 0; i < xs.size(); ++i) rows(0, static_cast<Eigen::Index>(i)) = xs[i];
    return polylineThrough(rows);
  };
  // Each point of one is on the other, and yet: a detour that is left out, one that is added, the
  // way back.
  EXPECT_FALSE(isProvenToFollow(line({0, 3}), line({0, 2, 1, 3}), 0.4));
  EXPECT_FALSE(isProvenToFollow(line({0, 2, 1, 3}), line({0, 3}), 0.4));
  EXPECT_FALSE(isProvenToFollow(line({3, 0}), line({0, 3}), 2.9));
  EXPECT_FALSE(isProvenToFollow(line({0, 2.9}), line({0, 3}), 0.09));
  EXPECT_FALSE(isProvenToFollow(line({0, 3, 0}), line({0, 3}), 2.9));
  EXPECT_TRUE(isProvenToFollow(line({0, 2, 1, 3}), line({0, 3}), 0.55));
  EXPECT_TRUE(isProvenToFollow(line({0, 2, 1, 3}), line({0, 2, 1, 3}), 1e-8));
}

/// A curved piece between rows that lie on the path: its bulge counts, between all samples of rows.
TEST(FollowedPath, WhatLiesBetweenRowsCounts) {
  const MatX ends = (MatX(2, 2) << 0.0, 1.0, 0.0, 0.0).finished();
  MatX v = MatX::Zero(2, 2);
  v(1, 0) = 1.0, v(1, 1) = -1.0, v(0, 0) = v(0, 1) = 1.0;
  const Trajectory bulge = HermiteCurve({0.0, 1.0}, ends, v);  // y = t (1 - t): up to 1/4
  const Trajectory path = polylineThrough(ends);
  EXPECT_FALSE(isProvenToFollow(bulge, path, 0.2499));
  EXPECT_TRUE(isProvenToFollow(bulge, path, 0.26));
  EXPECT_FALSE(isProvenToFollow(path, bulge, 0.2499));
  EXPECT_TRUE(isProvenToFollow(path, bulge, 0.26));
}

/// The greatest distance is between the ends of chords: what these leave out counts, of both
/// curves.
TEST(FollowedPath, WhatLiesBetweenChordsCounts) {
  test::Random random(11);
  const MatX ends = (MatX(2, 2) << 0.0, 1.0, 0.0, 0.0).finished();
  const Trajectory line = polylineThrough(ends);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    MatX v = MatX::Ones(2, 2);
    v(1, 0) = random.uniform(-1.0, 1.0);
    v(1, 1) = random.uniform(-1.0, 1.0);
    const Trajectory bulge = HermiteCurve({0.0, 1.0}, ends, v);
    double greatest = 0.0;
    for (int i = 0; i <= 10000; ++i) {
      greatest = std::max(greatest, std::abs(bulge.value(1e-4 * i)[1]));
    }
    // No walk along the line comes nearer than it is.
    EXPECT_FALSE(isProvenToFollow(bulge, line, (1.0 - 1e-6) * greatest));
    EXPECT_FALSE(isProvenToFollow(line, bulge, (1.0 - 1e-6) * greatest));
    EXPECT_TRUE(isProvenToFollow(bulge, line, 1.03 * greatest));
  }
}

TEST(FollowedPath, RefusesWhatMakesNoSense) {
  const Trajectory one = polylineThrough(MatX::Zero(1, 2));
  const Trajectory two = polylineThrough(MatX::Zero(2, 2));
  EXPECT_FALSE(isProvenToFollow(one, two, 1.0));
  EXPECT_FALSE(isProvenToFollow(one, one, 0.0));
  EXPECT_FALSE(isProvenToFollow(one, one, std::nan("")));
  EXPECT_FALSE(isProvenToFollow(one, one, HUGE_VAL));
  EXPECT_TRUE(isProvenToFollow(one, one, 1e-8));
}

TEST(FollowedPath, ThousandsOfRowsThatNearlyCoincideAreFollowed) {
  MatX rows(2, 5000);
  for (Eigen::Index i = 0; i < rows.cols(); ++i) {
    rows(0, i) = 1e-9 * static_cast<double>(i);
    rows(1, i) = i % 2 == 0 ? 0.0 : 1e-10;
  }
  const MatX ends = (MatX(2, 2) << rows.col(0), rows.col(4999)).finished();
  EXPECT_TRUE(isProvenToFollow(polylineThrough(ends), polylineThrough(rows), 1e-8));
}

}  // namespace
}  // namespace allclear
