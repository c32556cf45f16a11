#include "allclear/planner/retiming/rounded_path.h"

#include <gtest/gtest.h>

#include <cmath>

#include "allclear/planner/certificate/followed_path.h"
#include "allclear/trajectories/hermite.h"
#include "support/random.h"

namespace allclear {
namespace {

/// The stretches as one fine polyline.
Trajectory sampled(const std::vector<PathStretch>& stretches) {
  std::vector<VecX> points;
  for (const PathStretch& stretch : stretches) {
    for (std::size_t i = 0; i < stretch.pieces.size(); ++i) {
      const PathPiece& piece = stretch.pieces[i];
      for (int k = 0; k <= 40; ++k) {
        const double s = piece.begin + (piece.end - piece.begin) * k / 40;
        points.push_back(stretch.at(static_cast<int>(i), s)[0]);
      }
    }
  }
  MatX rows(points[0].size(), static_cast<Eigen::Index>(points.size()));
  std::vector<double> times;
  for (std::size_t i = 0; i < points.size(); ++i) {
    rows.col(static_cast<Eigen::Index>(i)) = points[i];
    times.push_back(static_cast<double>(i));
  }
  return HermiteCurve(std::move(times), std::move(rows));
}

Trajectory polylineThrough(const MatX& rows) {
  std::vector<double> times;
  for (Eigen::Index i = 0; i < rows.cols(); ++i) times.push_back(static_cast<double>(i));
  return HermiteCurve(std::move(times), rows);
}

MatX randomPath(test::Random& random, int count) {
  MatX rows(3, count);
  rows.col(0) = random.vectorX(3, 1.0);
  for (int i = 1; i < count; ++i) {
    const int kind = random.integer(0, 5);
    rows.col(i) = rows.col(i - 1);
    if (kind == 0) continue;                                                    // repeated
    if (kind == 1) rows.col(i) += random.vectorX(3, 1e-9);                      // nearly
    if (kind == 2 && i >= 2) rows.col(i) = rows.col(i - 2);                     // back
    if (kind == 3 && i >= 2) rows.col(i) += rows.col(i - 1) - rows.col(i - 2);  // straight on
    if (kind >= 4) rows.col(i) += random.vectorX(3, random.logUniform(1e-3, 1.0));
  }
  return rows;
}

TEST(RoundedPath, StaysWithinItsRoomInOrder) {
  test::Random random(17);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    const MatX rows = randomPath(random, random.integer(3, 25));
    const double room = random.chance(0.2) ? 0.0 : random.logUniform(1e-5, 0.1);
    const auto stretches =
        roundedPath(rows, std::vector<double>(static_cast<std::size_t>(rows.cols()), room));
    if (stretches.empty()) continue;  // all points are one
    EXPECT_TRUE(
        isProvenToFollow(sampled(stretches), polylineThrough(rows), std::max(1.03 * room, 1e-8)));
  }
}

TEST(RoundedPath, IsTwiceContinuouslyDifferentiableOnEachStretch) {
  test::Random random(19);
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(trial);
    const MatX rows = randomPath(random, 12);
    const auto stretches = roundedPath(rows, std::vector<double>(12, random.logUniform(1e-4, 0.1)));
    for (const PathStretch& stretch : stretches) {
      for (std::size_t i = 1; i < stretch.pieces.size(); ++i) {
        const double s = stretch.pieces[i].begin;
        const auto before = stretch.at(static_cast<int>(i) - 1, s);
        const auto after = stretch.at(static_cast<int>(i), s);
        for (int order = 0; order < 3; ++order) {
          EXPECT_LT((before[order] - after[order]).cwiseAbs().maxCoeff(), 1e-7) << order;
        }
      }
      // Derivatives against differences.
      const double s = random.uniform(0.05, 0.95) * stretch.length(), h = 1e-6;
      const int i = stretch.pieceAt(s);
      const PathPiece& piece = stretch.pieces[static_cast<std::size_t>(i)];
      if (s - piece.begin < 2 * h || piece.end - s < 2 * h || piece.end - piece.begin < 1e-3) {
        continue;
      }
      for (int order = 0; order < 2; ++order) {
        const VecX by_difference =
            (stretch.at(i, s + h)[order] - stretch.at(i, s - h)[order]) / (2.0 * h);
        EXPECT_LT((by_difference - stretch.at(i, s)[order + 1]).cwiseAbs().maxCoeff(),
                  1e-5 * std::max(1.0, 1.0 / (piece.end - piece.begin)));
      }
    }
  }
}

TEST(RoundedPath, RestsWhereThereIsNoRoom) {
  const MatX corner = (MatX(2, 3) << 0.0, 1.0, 1.0, 0.0, 0.0, 1.0).finished();
  EXPECT_EQ(roundedPath(corner, {0.0, 0.0, 0.0}).size(), 2u);
  EXPECT_EQ(roundedPath(corner, {0.0, 0.01, 0.0}).size(), 1u);
  const MatX line = (MatX(2, 3) << 0.0, 1.0, 2.0, 0.0, 0.0, 0.0).finished();
  EXPECT_EQ(roundedPath(line, {0.0, 0.0, 0.0}).size(), 1u);
  EXPECT_TRUE(roundedPath(MatX::Ones(2, 5), std::vector<double>(5, 0.1)).empty());
}

}  // namespace
}  // namespace allclear
