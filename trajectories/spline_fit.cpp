// Curves through or near given points.
//
// `fitSpline` fixes the three outermost control points at each end by the end states (position,
// velocity and acceleration involve no others), and solves least squares for those between. What
// the samples leave open, the null space of their matrix, is filled with the least integral of
// squared jerk. `interpolatePositions` finds the quintic spline by the conditions that snap and
// jerk are the same from both sides of a row: a block-tridiagonal system in the velocities and
// accelerations.
#include "allclear/trajectories/spline_fit.h"

#include <algorithm>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

/// Free control points up to which a fit is exact to rounding: a singular value decomposition takes
/// a time that grows with their cube, 10 ms for so many and 5 s for 500.
constexpr int kMostBySvd = 80;

/// The control points first, first + step, first + 2 step that give `state` at normalised time s:
/// derivative k involves only the k + 1 outermost ones, so that they follow one after the other.
MatX outerControl(const BSplineBasis& basis, double duration, const EndState& state, double s,
                  int outermost, int step) {
  ALLCLEAR_ASSERT(basis.degree() >= 2 && basis.controlCount() >= 3 && duration > 0.0);
  const VecX* given[] = {&state.position, &state.velocity, &state.acceleration};
  MatX control(state.position.size(), 3);
  double scale = 1.0;  // duration^order: from derivatives in time to those in s
  for (int order = 0; order < 3; ++order) {
    ALLCLEAR_ASSERT(given[order]->size() == state.position.size() && given[order]->allFinite());
    const BasisWeights map = basis.weights(order, s);
    VecX rest = *given[order] * scale;
    for (int k = 0; k < order; ++k) {
      rest -= control.col(k) * map.weights[outermost + k * step - map.first];
    }
    control.col(order) = rest / map.weights[outermost + order * step - map.first];
    scale *= duration;
  }
  return control;
}

/// x that minimises |A x - b|, and x^T Q x + 2 g^T x among these; b and g have several columns.
MatX leastSquares(const MatX& A, const MatX& b, const MatX& Q, const MatX& g) {
  // Singular values below this times the greatest count as zero: directions that no sample sees.
  // Their computed values are of rounding, some 1e-16.
  constexpr double kRank = 1e-12;
  const int n = static_cast<int>(A.cols());
  int rank = 0;
  MatX V = MatX::Identity(n, n), x = MatX::Zero(n, b.cols());
  if (A.rows() > 0) {
    Eigen::JacobiSVD<MatX> svd(A, Eigen::ComputeFullV | Eigen::ComputeThinU);
    svd.setThreshold(kRank);
    rank = static_cast<int>(svd.rank());
    V = svd.matrixV();
    x = V.leftCols(rank) * (svd.singularValues().head(rank).cwiseInverse().asDiagonal() *
                            (svd.matrixU().leftCols(rank).transpose() * b));
  }
  // Any x + N z fits as well, N a basis of the null space: choose z for the least of the second
  // form.
  if (rank < n) {
    const MatX N = V.rightCols(n - rank);
    x -= N * (N.transpose() * Q * N).ldlt().solve(N.transpose() * (Q * x + g));
  }
  return x;
}

/// The same of a spline with many control points, in a time that grows with their number and not
/// with its cube: the normal equations, with a small share of the second form in place of a null
/// space. Both matrices are banded, as `degree` + 1 control points meet in a span.
MatX leastSquaresOfMany(const MatX& A, const MatX& b, const MatX& Q, const MatX& g, int degree) {
  // Above the rounding of the normal equations; a fit is off by about this share of what it bends.
  constexpr double kShare = 1e-10;
  const Eigen::Index n = A.cols();
  MatX band = MatX::Zero(degree + 1, n);  // (k, j): entry (j + k, j)
  MatX x = MatX::Zero(n, b.cols());
  for (Eigen::Index r = 0; r < A.rows(); ++r) {
    Eigen::Index first = 0;
    while (first < n && A(r, first) == 0.0) ++first;
    for (Eigen::Index j = first; j < std::min(n, first + degree + 1); ++j) {
      for (Eigen::Index i = j; i < std::min(n, first + degree + 1); ++i) {
        band(i - j, j) += A(r, i) * A(r, j);
      }
      x.row(j) += A(r, j) * b.row(r);
    }
  }
  const double size = std::max(band.row(0).maxCoeff(), 1.0);
  const double weight = kShare * size / Q.diagonal().maxCoeff();
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = j; i < std::min(n, j + degree + 1); ++i) {
      band(i - j, j) += weight * Q(i, j);
    }
  }
  x -= weight * g;
  // L D L^T within the band.
  for (Eigen::Index j = 0; j < n; ++j) {
    const Eigen::Index last = std::min<Eigen::Index>(degree, n - 1 - j);
    for (Eigen::Index k = 1; k <= last; ++k) {
      const double factor = band(k, j) / band(0, j);
      for (Eigen::Index l = k; l <= last; ++l) band(l - k, j + k) -= factor * band(l, j);
      x.row(j + k) -= factor * x.row(j);
    }
  }
  for (Eigen::Index j = n - 1; j >= 0; --j) {
    x.row(j) /= band(0, j);
    for (Eigen::Index k = 1; k <= std::min<Eigen::Index>(degree, n - 1 - j); ++k) {
      x.row(j) -= band(k, j) / band(0, j) * x.row(j + k);
    }
  }
  return x;
}

/// A symmetric block-tridiagonal system with 2 x 2 blocks, one per interior row; the right-hand
/// side has a column per coordinate. Block Gauss elimination is stable: the matrix is that of a
/// convex quadratic form.
struct BlockTridiagonal {
  std::vector<Eigen::Matrix2d> diagonal, next;  // next[i] couples row i with row i + 1
  std::vector<Eigen::Matrix2Xd> right;

  void solve() {
    const int count = static_cast<int>(diagonal.size());
    for (int i = 1; i < count; ++i) {
      const Eigen::Matrix2d factor = next[i - 1].transpose() * diagonal[i - 1].inverse();
      diagonal[i] -= factor * next[i - 1];
      right[i] -= factor * right[i - 1];
    }
    for (int i = count - 1; i >= 0; --i) {
      if (i + 1 < count) right[i] -= next[i] * right[i + 1];
      right[i] = (diagonal[i].inverse() * right[i]).eval();
    }
  }
};

}  // namespace

MatX startControl(const BSplineBasis& basis, double duration, const EndState& state) {
  return outerControl(basis, duration, state, 0.0, 0, 1);
}

MatX endControl(const BSplineBasis& basis, double duration, const EndState& state) {
  return outerControl(basis, duration, state, 1.0, basis.controlCount() - 1, -1)
      .rowwise()
      .reverse();
}

BSpline fitSpline(std::shared_ptr<const BSplineBasis> basis, double duration,
                  const Samples& samples, const EndState& start, const EndState& end) {
  // Six control points belong to the ends; the others are free.
  const int count = basis->controlCount(), free = count - 6;
  ALLCLEAR_ASSERT(free >= 0 && basis->degree() >= 3);
  ALLCLEAR_ASSERT(samples.values.cols() == static_cast<Eigen::Index>(samples.times.size()));
  MatX control = MatX::Zero(start.position.size(), count);
  control.leftCols(3) = startControl(*basis, duration, start);
  control.rightCols(3) = endControl(*basis, duration, end);
  if (free > 0) {
    VecX s(samples.values.cols());
    for (Eigen::Index i = 0; i < s.size(); ++i) s[i] = samples.times[i] / duration;
    // Fixed control points move to the right-hand sides of both forms.
    const MatX A = basis->matrix(0, s);
    const MatX Q = basis->energy(3);
    MatX b(s.size(), control.rows());
    if (s.size() > 0) b = samples.values.transpose() - A * control.transpose();
    const MatX g = (Q * control.transpose()).middleRows(3, free);
    const MatX A_free = A.middleCols(3, free), Q_free = Q.block(3, 3, free, free);
    control.middleCols(3, free) =
        (free <= kMostBySvd ? leastSquares(A_free, b, Q_free, g)
                            : leastSquaresOfMany(A_free, b, Q_free, g, basis->degree()))
            .transpose();
  }
  return {std::move(basis), std::move(control), duration};
}

HermiteCurve interpolatePositions(std::vector<double> times, MatX positions) {
  const int rows = static_cast<int>(times.size());
  ALLCLEAR_ASSERT(rows >= 2 && positions.cols() == rows);
  MatX velocities = MatX::Zero(positions.rows(), rows);
  MatX accelerations = MatX::Zero(positions.rows(), rows);
  // The snap and the jerk from both sides of row i, equal: with h the length of a span and d its
  // step, over the unknowns (v, a) of its ends,
  //   snap at its start  [-360 d + h (192 v0 + 168 v1) + h^2 (36 a0 - 24 a1)] / h^4
  //   snap at its end    [ 360 d - h (168 v0 + 192 v1) + h^2 (36 a1 - 24 a0)] / h^4
  //   jerk at its start  [  60 d - h (36 v0 + 24 v1) - h^2 (9 a0 - 3 a1)] / h^3
  //   jerk at its end    [  60 d - h (24 v0 + 36 v1) + h^2 (9 a1 - 3 a0)] / h^3
  // Rows: snap after - snap before, jerk before - jerk after; the matrix is then symmetric.
  const int inner = rows - 2;
  BlockTridiagonal system;
  system.diagonal.resize(inner);
  system.next.resize(std::max(0, inner - 1));
  system.right.resize(inner);
  for (int i = 0; i < inner; ++i) {
    const double h = times[i + 1] - times[i], k = times[i + 2] - times[i + 1];
    const VecX d = positions.col(i + 1) - positions.col(i);
    const VecX e = positions.col(i + 2) - positions.col(i + 1);
    const double ih = 1.0 / h, ik = 1.0 / k;
    const double cross = 36.0 * (ik * ik - ih * ih);
    system.diagonal[i] << 192.0 * (ih * ih * ih + ik * ik * ik), cross, cross, 9.0 * (ih + ik);
    if (i + 1 < inner) {
      system.next[i] << 168.0 * ik * ik * ik, -24.0 * ik * ik, 24.0 * ik * ik, -3.0 * ik;
    }
    system.right[i].resize(2, positions.rows());
    system.right[i].row(0) =
        360.0 * (e * (ik * ik * ik * ik) + d * (ih * ih * ih * ih)).transpose();
    system.right[i].row(1) = 60.0 * (e * (ik * ik * ik) - d * (ih * ih * ih)).transpose();
  }
  system.solve();
  for (int i = 0; i < inner; ++i) {
    velocities.col(i + 1) = system.right[i].row(0).transpose();
    accelerations.col(i + 1) = system.right[i].row(1).transpose();
  }
  return {std::move(times), std::move(positions), std::move(velocities), std::move(accelerations)};
}

}  // namespace allclear
