// Diagonal pivoting (J. R. Bunch, L. Kaufman, "Some stable methods for calculating inertia and
// solving symmetric linear systems", Mathematics of Computation 1977), as in LAPACK's dsytf2.
//
// Elimination by a diagonal entry is stable only where the entry is not small beside its column.
// With lambda the largest entry of column k below the diagonal, in row r, and sigma the largest of
// row and column r, the pivot is
//   a_kk           if |a_kk| >= alpha lambda, or |a_kk| sigma >= alpha lambda^2
//   a_rr           if |a_rr| >= alpha sigma
//   the 2x2 block of k and r otherwise,
// where alpha = (1 + sqrt 17) / 8 makes the entries grow as little with two steps of size one as
// with one of size two. A 2x2 block chosen this way has one eigenvalue of each sign.
//
// Rows of L already made are not exchanged: `solve` repeats the exchanges in their order.
#include "allclear/planner/program/symmetric_factor.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/simd.h"
#include "allclear/core/stop_scope.h"

namespace allclear {
namespace {

const double kAlpha = (1.0 + std::sqrt(17.0)) / 8.0;

/// The lower triangle of A, n x n with columns `stride` apart, less x f^T.
ALLCLEAR_MULTIVERSION
void subtractOuter(double* __restrict A, int stride, int n, const double* __restrict x,
                   const double* __restrict f) {
  for (int j = 0; j < n; ++j) {
    double* __restrict column = A + static_cast<std::ptrdiff_t>(j) * stride;
    const double factor = f[j];
    for (int i = j; i < n; ++i) column[i] -= factor * x[i];
  }
}

/// The same with x f^T + y g^T.
ALLCLEAR_MULTIVERSION
void subtractTwoOuter(double* __restrict A, int stride, int n, const double* __restrict x,
                      const double* __restrict f, const double* __restrict y,
                      const double* __restrict g) {
  for (int j = 0; j < n; ++j) {
    double* __restrict column = A + static_cast<std::ptrdiff_t>(j) * stride;
    const double by_x = f[j], by_y = g[j];
    for (int i = j; i < n; ++i) column[i] -= by_x * x[i] + by_y * y[i];
  }
}

ALLCLEAR_MULTIVERSION
void subtractScaled(double* __restrict b, const double* __restrict x, double factor, int n) {
  for (int i = 0; i < n; ++i) b[i] -= factor * x[i];
}

ALLCLEAR_MULTIVERSION
double dotProduct(const double* x, const double* y, int n) {
  double lanes[8] = {};
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    for (int k = 0; k < 8; ++k) lanes[k] += x[i + k] * y[i + k];
  }
  double sum = 0.0;
  for (; i < n; ++i) sum += x[i] * y[i];
  for (double lane : lanes) sum += lane;
  return sum;
}

}  // namespace

void SymmetricFactor::reset(int size) {
  size_ = size;
  matrix_.assign(static_cast<std::size_t>(size) * size, 0.0);
  exchanged_.assign(size, 0);
  block_.assign(size, 0);
  scratch_.resize(2 * static_cast<std::size_t>(size));
}

bool SymmetricFactor::factor() {
  negative_ = 0;
  for (int k = 0; k < size_;) {
    throwIfStopped();  // a column of 4000 takes 10 ms
    int with = k, block = 1;
    if (!choosePivot(k, &with, &block)) return false;
    swap(k, with, block);
    // `solve` repeats these exchanges.
    exchanged_[k] = with;
    block_[k] = block;
    if (block == 1) {
      eliminateOne(k);
    } else {
      block_[k + 1] = 0;
      eliminateTwo(k);
    }
    k += block;
  }
  return true;
}

/// Which row to exchange with the (last row of the) pivot at k, and the pivot's size. False when
/// the column is zero, or an entry that was looked at is not finite.
bool SymmetricFactor::choosePivot(int k, int* with, int* block) {
  const auto magnitude = [&](int i, int j) { return std::fabs(column(j)[i]); };
  int r = k;
  double lambda = 0.0;
  for (int i = k + 1; i < size_; ++i) {
    if (magnitude(i, k) > lambda) {
      lambda = magnitude(i, k);
      r = i;
    }
  }
  const double own = magnitude(k, k);
  // A value that is not finite need not be seen here: it spreads to the diagonal of its row, and is
  // found there at the latest.
  if (!(own + lambda > 0.0) || !std::isfinite(own + lambda)) return false;
  if (own >= kAlpha * lambda) return true;
  double sigma = 0.0;
  for (int j = k; j < r; ++j) sigma = std::max(sigma, magnitude(r, j));
  for (int i = r + 1; i < size_; ++i) sigma = std::max(sigma, magnitude(i, r));
  if (!std::isfinite(sigma + magnitude(r, r))) return false;
  if (own * sigma >= kAlpha * lambda * lambda) return true;
  *with = r;
  if (magnitude(r, r) < kAlpha * sigma) *block = 2;
  return true;
}

/// Exchanges rows and columns k + block - 1 and `with` of what is left to factor.
void SymmetricFactor::swap(int k, int with, int block) {
  const int at = k + block - 1;
  if (with == at) return;
  std::swap_ranges(column(at) + with + 1, column(at) + size_, column(with) + with + 1);
  for (int i = at + 1; i < with; ++i) std::swap(column(at)[i], column(i)[with]);
  std::swap(column(at)[at], column(with)[with]);
  if (block == 2) std::swap(column(k)[at], column(k)[with]);
}

void SymmetricFactor::eliminateOne(int k) {
  double* const x = column(k) + k + 1;
  const double pivot = column(k)[k];
  negative_ += pivot < 0.0;
  const int n = size_ - k - 1;
  if (n == 0) return;
  double* const f = scratch_.data();
  for (int i = 0; i < n; ++i) f[i] = x[i] / pivot;
  subtractOuter(column(k + 1) + k + 1, size_, n, x, f);
  std::copy(f, f + n, x);
}

/// L's two columns are [x y] D^-1, with x and y the columns below the block D.
void SymmetricFactor::eliminateTwo(int k) {
  const double a = column(k)[k], b = column(k)[k + 1], c = column(k + 1)[k + 1];
  ++negative_;  // one eigenvalue of each sign: a c < b^2
  const int n = size_ - k - 2;
  if (n == 0) return;
  double* const x = column(k) + k + 2;
  double* const y = column(k + 1) + k + 2;
  double* const f = scratch_.data();
  double* const g = f + size_;
  // Divided by b first, which is the largest entry: no overflow.
  const double ab = a / b, cb = c / b, scale = 1.0 / (b * (ab * cb - 1.0));
  for (int i = 0; i < n; ++i) {
    f[i] = scale * (cb * x[i] - y[i]);
    g[i] = scale * (ab * y[i] - x[i]);
  }
  subtractTwoOuter(column(k + 2) + k + 2, size_, n, x, f, y, g);
  std::copy(f, f + n, x);
  std::copy(g, g + n, y);
}

void SymmetricFactor::solve(double* b) const {
  for (int k = 0; k < size_; k += block_[k]) {
    std::swap(b[k + block_[k] - 1], b[exchanged_[k]]);
    for (int j = k; j < k + block_[k]; ++j) {
      const int first = k + block_[k];
      subtractScaled(b + first, column(j) + first, b[j], size_ - first);
    }
  }
  for (int k = 0; k < size_; k += block_[k]) {
    if (block_[k] == 1) {
      b[k] /= column(k)[k];
      continue;
    }
    const double off = column(k)[k + 1];
    const double ab = column(k)[k] / off, cb = column(k + 1)[k + 1] / off;
    const double first = b[k] / off, second = b[k + 1] / off, share = 1.0 / (ab * cb - 1.0);
    b[k] = share * (cb * first - second);
    b[k + 1] = share * (ab * second - first);
  }
  for (int k = size_ - 1; k >= 0; --k) {
    if (block_[k] == 0) continue;  // with the first column of its block
    const int first = k + block_[k];
    for (int j = k; j < first; ++j) {
      b[j] -= dotProduct(column(j) + first, b + first, size_ - first);
    }
    std::swap(b[first - 1], b[exchanged_[k]]);
  }
}

}  // namespace allclear
