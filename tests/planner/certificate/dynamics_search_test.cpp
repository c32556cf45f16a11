// What searches over time share: the bound between two instants, and the halving of cells.
#include "allclear/planner/certificate/dynamics_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "allclear/robot_models/kinematics/speed_recursion.h"
#include "support/touched_robot.h"

namespace allclear {
namespace {

using test::Random;

/// A sine a sin(w t + b) and its derivatives over a cell: the second one by its largest size.
struct Sine {
  double size = 1.0, speed = 1.0, phase = 0.0;
  double at(double t) const { return size * std::sin(speed * t + phase); }
  EnclosedSeries instant(double t) const { return {at(t)}; }
  EnclosedSeries cell() const {
    const double bend = std::abs(size) * speed * speed;
    return {{-std::abs(size), std::abs(size)}, {}, {-bend, bend}};
  }
};

Sine drawSine(Random& random) {
  return {random.uniform(-2.0, 2.0), random.logUniform(0.1, 100.0), random.uniform(0.0, 7.0)};
}

TEST(BoundBetween, HoldsTheFunctionAndFailsWithoutItsBulge) {
  Random random(1);
  int without = 0;
  for (int i = 0; i < 2000; ++i) {
    const Sine f = drawSine(random);
    const double t = random.uniform(0.0, 5.0), h = random.logUniform(1e-6, 1.0);
    const Interval time{t, t + h};
    const Enclosure bound = boundBetween(f.instant(t), f.instant(t + h), f.cell(), time);
    for (int k = 0; k <= 20; ++k) {
      const double value = f.at(t + h * k / 20.0);
      ASSERT_LE(bound.lower, value) << "case " << i;
      ASSERT_GE(bound.upper, value) << "case " << i;
      if (value > std::max(f.at(t), f.at(t + h))) ++without;
    }
  }
  EXPECT_GT(without, 100) << "the ends alone must not be enough";
}

TEST(BoundBetween, KeepsWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Enclosure bound =
      boundBetween(EnclosedSeries(nan), EnclosedSeries(0.0), EnclosedSeries(0.0), {0.0, 1.0});
  EXPECT_FALSE(bound.upper <= 1e9) << "no limit is kept by it";
}

/// Bounds a sine until it is known to a hundredth.
struct SineBounds {
  using Instant = EnclosedSeries;
  struct Cell {
    Interval time;
    Enclosure value;
  };
  Sine f;
  double wanted = 0.01;
  std::vector<Cell> cells{};

  Instant at(double t) const { return f.instant(t); }
  bool bound(Interval time, const Instant& first, const Instant& last, Cell* cell) const {
    *cell = {time, boundBetween(first, last, f.cell(), time)};
    return cell->value.upper - std::max(first.value.upper, last.value.upper) <= wanted;
  }
  void take(const Cell& cell) { cells.push_back(cell); }
};

TEST(CellHalving, CoversAllPiecesWithoutAGapAndStops) {
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    SineBounds search{drawSine(random)};
    CellHalving(search, 12).run({0.0, 0.7, 2.0});
    double reached = 0.0;
    for (const SineBounds::Cell& cell : search.cells) {
      EXPECT_EQ(cell.time.lower, reached);
      reached = cell.time.upper;
    }
    EXPECT_EQ(reached, 2.0);
    SineBounds never{drawSine(random), -1.0};
    CellHalving(never, 3).run({0.0, 1.0});
    EXPECT_EQ(never.cells.size(), 8U) << "three halvings, whatever the bounds";
  }
}

/// Velocities by intervals hold those by numbers, for every node of random trees.
TEST(NodeTwists, OfIntervalsHoldThoseOfNumbers) {
  Random random(3);
  for (int i = 0; i < 30; ++i) {
    const Problem problem = test::touchedRobot(random, i % 3 == 0);
    const MotionTree tree(*problem.robot);
    const VecX q = test::randomConfiguration(random, *problem.robot);
    std::vector<double> at(q.begin(), q.end()), rates;
    for (std::size_t k = 0; k < at.size(); ++k) rates.push_back(random.uniform(-2.0, 2.0));
    const std::vector<bool> moves(tree.nodes().size(), true);
    std::vector<Twist<double>> exact;
    nodeTwists(tree, nodeMotions(tree, at), rates, moves, &exact);
    const Enclosures q_held(at.begin(), at.end()), v_held(rates.begin(), rates.end());
    std::vector<Twist<EnclosedSeries>> held;
    nodeTwists(tree, nodeMotions(tree, q_held), v_held, moves, &held);
    for (std::size_t n = 0; n < exact.size(); ++n) {
      for (int k = 0; k < 3; ++k) {
        // Numbers round as well, by far less than this share of speeds of some metres a second.
        constexpr double kRounding = 1e-12;
        EXPECT_LE(held[n].linear[k].value.lower, exact[n].linear[k] + kRounding);
        EXPECT_GE(held[n].linear[k].value.upper, exact[n].linear[k] - kRounding);
        EXPECT_LE(held[n].angular[k].value.lower, exact[n].angular[k] + kRounding);
        EXPECT_GE(held[n].angular[k].value.upper, exact[n].angular[k] - kRounding);
      }
    }
  }
}

}  // namespace
}  // namespace allclear
