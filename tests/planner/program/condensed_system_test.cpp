#include "allclear/planner/program/condensed_system.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>

namespace allclear {
namespace {

/// A system as an interior point method makes it, entry by entry.
struct Kkt {
  int size = 0;
  std::vector<Entry> entries;
  std::vector<double> values;

  void add(int i, int j, double value) {
    entries.push_back({i, j});
    values.push_back(value);
  }
  MatX dense() const {
    MatX A = MatX::Zero(size, size);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const auto [i, j] = entries[k];
      A(i, j) += values[k];
      if (i != j) A(j, i) += values[k];
    }
    return A;
  }
};

/// x, slacks, multipliers of equalities, multipliers of inequalities. Slack curvatures are drawn
/// log-uniformly, so that rows at their limit and far from it occur.
Kkt randomKkt(int variables, int equalities, int rows, double most_curved, std::mt19937* random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Kkt out;
  out.size = variables + equalities + 2 * rows;
  for (int i = 0; i < variables; ++i) {
    out.add(i, i, 0.5 + uniform(*random));
    out.add(i, i, 0.5);  // repeats add up
    for (int j = 0; j < i; ++j) {
      if (uniform(*random) < 0.3) out.add(j, i, 0.3 * normal(*random));  // the upper triangle
    }
  }
  const int y_c = variables + rows, y_d = y_c + equalities;
  for (int r = 0; r < equalities; ++r) {
    out.add(y_c + r, y_c + r, 0.0);
    for (int j = 0; j < variables; ++j) out.add(y_c + r, j, normal(*random));
  }
  for (int r = 0; r < rows; ++r) {
    const double exponent = -10.0 + (10.0 + most_curved) * uniform(*random);
    out.add(variables + r, variables + r, std::pow(10.0, exponent));
    out.add(y_d + r, variables + r, -1.0);
    out.add(y_d + r, y_d + r, r % 2 == 0 ? 0.0 : -1e-8);
    for (int j = r % variables; j < std::min(variables, r % variables + 4); ++j) {
      out.add(y_d + r, j, normal(*random));
    }
  }
  return out;
}

int negativeOf(const MatX& A) {
  return static_cast<int>(
      (Eigen::SelfAdjointEigenSolver<MatX>(A).eigenvalues().array() < 0.0).count());
}

TEST(CondensedSystem, SolvesAsTheFullMatrixDoes) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const int variables = 1 + trial % 12;
    const int equalities = std::min(trial % 3, variables - 1);
    const Kkt kkt = randomKkt(variables, equalities, trial % 30, 6.0, &random);
    const MatX A = kkt.dense();
    CondensedSystem system(kkt.size, kkt.entries);
    ASSERT_TRUE(system.factor(kkt.values.data(), 1e-8)) << trial;
    EXPECT_EQ(system.negativeEigenvalues(), negativeOf(A)) << trial;
    const VecX x = VecX::Random(kkt.size);
    const VecX b = A * x;
    VecX solved = b;
    system.solve(solved.data());
    const double size = (A.cwiseAbs() * x.cwiseAbs()).maxCoeff();
    EXPECT_LT((A * solved - b).cwiseAbs().maxCoeff(), 1e-9 * size) << trial;
  }
}

TEST(CondensedSystem, EliminatesEverySlackAndRow) {
  std::mt19937 random(3);
  const Kkt kkt = randomKkt(8, 2, 40, 3.0, &random);
  EXPECT_EQ(CondensedSystem(kkt.size, kkt.entries).denseSize(), 8 + 2);
}

TEST(CondensedSystem, KeepsRowsWhoseEliminationWouldLoseDigits) {
  // Slacks that weigh up to 1e14: eliminated, they would bury the rest of the matrix.
  std::mt19937 random(4);
  for (int trial = 0; trial < 100; ++trial) {
    const Kkt kkt = randomKkt(10, 1, 8, 14.0, &random);
    const MatX A = kkt.dense();
    CondensedSystem system(kkt.size, kkt.entries);
    ASSERT_TRUE(system.factor(kkt.values.data(), 1e-4)) << trial;
    const VecX x = VecX::Random(kkt.size);
    const VecX b = A * x;
    VecX solved = b;
    system.solve(solved.data());
    // By row: the rows of large slacks have large right sides of their own.
    const VecX size = A.cwiseAbs() * solved.cwiseAbs();
    for (int i = 0; i < kkt.size; ++i) {
      EXPECT_NEAR(A.row(i).dot(solved), b[i], 1e-9 * (size[i] + 1.0)) << trial << " row " << i;
    }
  }
}

TEST(CondensedSystem, CountsNegativeEigenvaluesOfSaddles) {
  // Concave in some direction: Ipopt has to see it, to add curvature.
  std::mt19937 random(5);
  for (int trial = 0; trial < 50; ++trial) {
    Kkt kkt = randomKkt(6, 1, 10, 2.0, &random);
    for (int i = 0; i < 6; i += 2) kkt.add(i, i, -20.0 * (trial % 4));
    CondensedSystem system(kkt.size, kkt.entries);
    ASSERT_TRUE(system.factor(kkt.values.data(), 1e-8));
    EXPECT_EQ(system.negativeEigenvalues(), negativeOf(kkt.dense())) << trial;
  }
}

TEST(CondensedSystem, TakesStructuresWithoutSlacks) {
  Kkt chain;  // 0 - 1 - 2 - 3: both ends have one neighbour
  chain.size = 4;
  for (int i = 0; i < 4; ++i) chain.add(i, i, i % 2 == 0 ? 2.0 : -1.0);
  for (int i = 1; i < 4; ++i) chain.add(i, i - 1, 1.0);
  const MatX A = chain.dense();
  CondensedSystem system(4, chain.entries);
  ASSERT_TRUE(system.factor(chain.values.data(), 1e-8));
  EXPECT_EQ(system.negativeEigenvalues(), negativeOf(A));
  VecX b = A * VecX::LinSpaced(4, 1, 4);
  system.solve(b.data());
  EXPECT_LT((b - VecX::LinSpaced(4, 1, 4)).norm(), 1e-13);

  Kkt couple;  // two unknowns that have only each other
  couple.size = 2;
  couple.add(0, 0, 1.0);
  couple.add(1, 0, -1.0);
  couple.add(1, 1, 0.0);
  CondensedSystem two(2, couple.entries);
  ASSERT_TRUE(two.factor(couple.values.data(), 1e-8));
  EXPECT_EQ(two.negativeEigenvalues(), 1);
}

TEST(CondensedSystem, RefusesSingularAndInfiniteValues) {
  std::mt19937 random(6);
  Kkt kkt = randomKkt(5, 0, 6, 2.0, &random);
  CondensedSystem system(kkt.size, kkt.entries);
  for (double bad : {std::nan(""), HUGE_VAL}) {
    for (std::size_t k = 0; k < kkt.values.size(); k += 3) {
      std::vector<double> values = kkt.values;
      values[k] = bad;
      EXPECT_FALSE(system.factor(values.data(), 1e-8)) << bad << " at entry " << k;
    }
  }
  const std::vector<double> zeros(kkt.values.size(), 0.0);
  EXPECT_FALSE(system.factor(zeros.data(), 1e-8));
}

}  // namespace
}  // namespace allclear
