#include "allclear/planner/program/symmetric_factor.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>

namespace allclear {
namespace {

MatX randomSymmetric(int n, std::mt19937* random) {
  std::normal_distribution<double> normal;
  MatX A(n, n);
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) A(i, j) = A(j, i) = normal(*random);
  }
  return A;
}

void fill(const MatX& A, SymmetricFactor* factor) {
  factor->reset(static_cast<int>(A.rows()));
  for (int j = 0; j < A.cols(); ++j) {
    for (int i = j; i < A.rows(); ++i) factor->add(i, j, A(i, j));
  }
}

int negativeOf(const MatX& A) {
  return static_cast<int>(
      (Eigen::SelfAdjointEigenSolver<MatX>(A).eigenvalues().array() < 0.0).count());
}

TEST(SymmetricFactor, SolvesAndCountsNegativeEigenvaluesOfIndefiniteMatrices) {
  std::mt19937 random(1);
  SymmetricFactor factor;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + trial % 60;
    MatX A = randomSymmetric(n, &random);
    // Diagonals of zero or next to nothing, and rows of very different size.
    if (trial % 3 == 1) A.diagonal().setZero();
    if (trial % 3 == 2) A.diagonal() *= 1e-9;
    if (n > 2 && trial % 5 == 0) {
      std::uniform_real_distribution<double> exponent(-3.0, 3.0);
      const VecX scale = VecX::NullaryExpr(n, [&] { return std::pow(10.0, exponent(random)); });
      A = scale.asDiagonal() * A * scale.asDiagonal();
    }
    if (n == 1) A(0, 0) = -2.0;
    fill(A, &factor);
    ASSERT_TRUE(factor.factor()) << trial;
    EXPECT_EQ(factor.negativeEigenvalues(), negativeOf(A)) << trial;
    const VecX x = VecX::Random(n);
    VecX b = A * x;
    factor.solve(b.data());
    // Backward stable: the residual is small beside |A| |x|, however badly conditioned A is.
    const VecX size = A.cwiseAbs() * b.cwiseAbs();
    EXPECT_LT((A * (b - x)).cwiseAbs().maxCoeff(), 1e-12 * n * size.maxCoeff()) << trial;
  }
}

TEST(SymmetricFactor, CountsEachBlockOfTwoAsOneOfEachSign) {
  MatX A(4, 4);
  A << 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 3, 0;
  SymmetricFactor factor;
  fill(A, &factor);
  ASSERT_TRUE(factor.factor());
  EXPECT_EQ(factor.negativeEigenvalues(), 2);
  VecX b = A * VecX::LinSpaced(4, 1, 4);
  factor.solve(b.data());
  EXPECT_LT((b - VecX::LinSpaced(4, 1, 4)).norm(), 1e-14);
}

TEST(SymmetricFactor, RefusesSingularAndInfiniteMatrices) {
  SymmetricFactor factor;
  MatX zero_row = MatX::Identity(5, 5);
  zero_row(3, 3) = 0.0;
  fill(zero_row, &factor);
  EXPECT_FALSE(factor.factor());
  for (double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    for (int place : {0, 2, 4}) {
      MatX A = MatX::Identity(5, 5);
      A(place, place) = bad;
      fill(A, &factor);
      EXPECT_FALSE(factor.factor()) << bad << " at " << place;
      A = MatX::Identity(5, 5);
      A(4, place) = bad;
      fill(A, &factor);
      EXPECT_FALSE(factor.factor()) << bad << " at 4, " << place;
    }
  }
}

TEST(SymmetricFactor, TakesAnEmptyMatrix) {
  SymmetricFactor factor;
  factor.reset(0);
  EXPECT_TRUE(factor.factor());
  EXPECT_EQ(factor.negativeEigenvalues(), 0);
  factor.solve(nullptr);
}

}  // namespace
}  // namespace allclear
