// What a retiming allocates grows as its rows do: a copy of all rows for each of them, as it was
// made once, is seen here on any machine.

#include <gtest/gtest.h>

#include <cmath>

#include "allclear/planner/retiming/retime.h"
#include "allclear/trajectories/hermite.h"
#include "planner/seeds/seed_scenes.h"
#include "support/counted_memory.h"

namespace allclear {
namespace {

/// A wave of three joints for as many seconds as it has turns, at rest at its ends.
HermiteCurve wave(int rows) {
  const double step = 0.05, T = step * (rows - 1);
  std::vector<double> times;
  MatX q(3, rows), v(3, rows), a(3, rows);
  const Vec3 size(0.5, 0.3, 0.2), pace(1.0, 1.3, 0.7);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double t = step * static_cast<double>(i);
    times.push_back(t);
    // Comes up and ends smoothly: sin^4 of the share of the time.
    const double u = M_PI / T, s = std::sin(u * t), c = std::cos(u * t);
    const double e = s * s * s * s, e1 = 4.0 * u * s * s * s * c,
                 e2 = 4.0 * u * u * s * s * (3.0 * c * c - s * s);
    for (Eigen::Index k = 0; k < 3; ++k) {
      const double w = std::sin(pace[k] * t), w1 = pace[k] * std::cos(pace[k] * t);
      q(k, i) = size[k] * e * w;
      v(k, i) = size[k] * (e1 * w + e * w1);
      a(k, i) = size[k] * (e2 * w + 2.0 * e1 * w1 - e * pace[k] * pace[k] * w);
    }
  }
  return {std::move(times), std::move(q), std::move(v), std::move(a)};
}

/// [bytes] for a motion of so many rows, and the rows of what comes of it.
std::pair<double, double> bytesFor(int rows) {
  const Trajectory curve(wave(rows));
  Problem problem = test::wallProblem();
  problem.obstacles.clear();
  problem.start = curve.value(0.0);
  problem.goal = JointTarget{{0, 1, 2}, curve.value(curve.duration())};
  const std::size_t before = test::allocated_bytes;
  const auto done = retimed(problem, curve, {.row_step = 0.02, .most_rows = 100000});
  const auto taken = static_cast<double>(test::allocated_bytes - before);
  EXPECT_TRUE(done.has_value());
  return {taken, done ? static_cast<double>(done->curve.times().size()) : 0.0};
}

TEST(RetimeAllocation, GrowsAsTheRowsDo) {
  const auto [few, few_rows] = bytesFor(400);
  const auto [many, many_rows] = bytesFor(3200);
  EXPECT_GT(many_rows, 4.0 * few_rows);
  EXPECT_LT(many / many_rows, 1.5 * few / few_rows)
      << "bytes per row, of " << many_rows << " rows and of " << few_rows;
}

}  // namespace
}  // namespace allclear
