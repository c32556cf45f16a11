// Partitions of space into cells with capsules.

#include "allclear/distance/fit/partition.h"

#include <gtest/gtest.h>

#include <random>

namespace allclear::fitting {
namespace {

/// Samples of an elbow: two bars that meet at a right angle.
std::vector<Sample> elbow() {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> uniform(-0.1, 0.1);
  std::vector<Sample> samples;
  for (int i = 0; i < 60; ++i) {
    const double along = i / 60.0;
    const Vec3 jitter(uniform(engine), uniform(engine), uniform(engine));
    for (const Vec3& p : {Vec3(along, 0.0, 0.0), Vec3(0.0, along, 0.0)}) {
      samples.push_back({{p + jitter, 0.0}, p + jitter});
    }
  }
  return samples;
}

bool isIn(const Cell& cell, const Vec3& p) {
  for (const Plane& plane : cell.planes) {
    if (plane.height(p) > 0.0) return false;
  }
  return true;
}

/// Every sample is in a cell and in its capsule, and every point of space is in a cell. Tilted
/// slabs of a grid may overlap.
void expectSound(const Partition& partition, std::size_t sample_count) {
  std::size_t count = 0;
  for (const Cell& cell : partition.cells) {
    count += cell.samples.size();
    for (const Sample& s : cell.samples) {
      EXPECT_TRUE(isIn(cell, s.key));
      EXPECT_LE(cell.fit.segment.distance(s.ball.center) + s.ball.radius, cell.fit.radius + 1e-9);
    }
  }
  EXPECT_GE(count, sample_count);
  std::mt19937 engine(6);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  for (int i = 0; i < 500; ++i) {
    const Vec3 p(uniform(engine), uniform(engine), uniform(engine));
    int cells = 0;
    for (const Cell& cell : partition.cells) cells += isIn(cell, p);
    EXPECT_GE(cells, 1);
  }
}

TEST(Partition, OfAnElbowIntoTwoHasAMuchSmallerUnion) {
  const std::vector<Sample> samples = elbow();
  const std::vector<Partition> found = searchPartitions(samples, 2, 0.0);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].cells.size(), 1U);
  EXPECT_EQ(found[1].cells.size(), 2U);
  for (const Partition& partition : found) expectSound(partition, samples.size());
  EXPECT_LT(found[1].volume, 0.6 * found[0].volume);
}

TEST(Partition, EndsWhenTheVolumeIsEnough) {
  EXPECT_EQ(searchPartitions(elbow(), 4, 100.0).size(), 1U);
}

TEST(Partition, PolishKeepsItSoundAndNeverEnlargesTheUnion) {
  const std::vector<Sample> samples = elbow();
  int smaller = 0;
  for (Partition grid : gridPartitions(samples, Mat3::Identity(), 3)) {
    const double before = grid.volume;
    polishPartition(samples, &grid);
    EXPECT_LE(grid.volume, before * (1.0 + 1e-12));
    expectSound(grid, samples.size());
    smaller += grid.volume < 0.99 * before;
  }
  EXPECT_GT(smaller, 0);
}

TEST(Partition, HullBallsOfManySamplesReachAsFar) {
  std::mt19937 engine(8);
  std::normal_distribution<double> normal;
  std::vector<Sample> samples;
  for (int i = 0; i < 1000; ++i) {
    const Vec3 p(normal(engine), normal(engine), 2.0 * normal(engine));
    samples.push_back({{p, 0.0}, p});
  }
  const std::vector<Ball> balls = hullBalls(samples);
  EXPECT_LT(balls.size(), 100U);
  double all = 0.0, some = 0.0;
  for (const Sample& s : samples) all = std::max(all, s.ball.center.norm());
  for (const Ball& ball : balls) some = std::max(some, ball.center.norm());
  EXPECT_GE(some, 0.9 * all);
}

}  // namespace
}  // namespace allclear::fitting
