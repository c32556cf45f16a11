#pragma once

#include <vector>

#include "allclear/core/types.h"

namespace allclear {

/// The factorisation P A P^T = L D L^T of a dense symmetric matrix, definite or not: L is unit
/// lower triangular, D has blocks of size 1 and 2. Takes n^3 / 3 multiplications; a solve takes
/// 2 n^2. Holds its matrix, so that a next one of the same size allocates nothing.
class SymmetricFactor {
 public:
  /// A zero matrix of this size, to be filled by `add` or through `column`.
  void reset(int size);
  int size() const { return size_; }
  /// Column j; only rows from j on are used.
  double* column(int j) { return matrix_.data() + static_cast<std::size_t>(j) * size_; }
  const double* column(int j) const { return matrix_.data() + static_cast<std::size_t>(j) * size_; }
  void add(int i, int j, double value) { column(i < j ? i : j)[i < j ? j : i] += value; }

  /// Replaces the matrix by its factors. False when it is singular (a pivot column is zero) or not
  /// finite.
  bool factor();
  /// Of D, and so of the matrix (Sylvester's law of inertia).
  int negativeEigenvalues() const { return negative_; }
  /// Replaces b by A^-1 b. Pre: `factor` returned true.
  void solve(double* b) const;

 private:
  bool choosePivot(int k, int* with, int* block);
  void swap(int k, int with, int block);
  void eliminateOne(int k);
  void eliminateTwo(int k);

  int size_ = 0;
  int negative_ = 0;
  std::vector<double> matrix_;  ///< by columns, lower triangle
  std::vector<int> exchanged_;  ///< by column: the row that it was exchanged with
  std::vector<int> block_;      ///< by column: size of its block, 0 in the second of two
  std::vector<double> scratch_;
};

}  // namespace allclear
