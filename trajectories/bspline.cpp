// A B-spline curve c(s) = sum_i N_i(s) control_i over s = t / duration: evaluation by de Boor's
// triangle, spans in Bernstein form by the matrices of the basis, knots inserted or cut off by
// blossoms (bspline_basis.cpp).
//
// Positions and derivatives take different ways on purpose. A derivative is a combination of
// differences of control points; formed first, they cancel exactly what the curve's distance from
// zero adds, so that the error is relative to the differences. Bounds of velocities depend on it.
#include "allclear/trajectories/bspline.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/core/simd.h"

namespace allclear {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// combineColumns for a number of columns known when compiling, on `kRows` rows: the sums stay in
/// registers.
template <int kRows, int m>
inline void combineRows(const double* columns, const double* matrix, int n, double* out) {
  double from[m][kRows];
  for (int l = 0; l < m; ++l) {
    for (int r = 0; r < kRows; ++r) from[l][r] = columns[l * n + r];
  }
  for (int j = 0; j < m; ++j) {
    double sum[kRows] = {};
    for (int l = 0; l < m; ++l) {
      for (int r = 0; r < kRows; ++r) sum[r] += matrix[j * m + l] * from[l][r];
    }
    for (int r = 0; r < kRows; ++r) out[j * n + r] = sum[r];
  }
}

/// out (n x m) = columns (n x m) * matrix (m x m), all stored by columns: a span's control points
/// to its Bernstein coefficients. Quintic curves of four
/// coordinates and more go by blocks of four, of which the last may overlap the one before.
ALLCLEAR_MULTIVERSION
void combineColumns(const double* columns, const double* matrix, int n, int m, double* out) {
  if (m == 6 && n >= 4) {  // degree 5, the planner's
    for (int r = 0; r < n; r += 4) {
      const int first = std::min(r, n - 4);
      combineRows<4, 6>(columns + first, matrix, n, out + first);
    }
    return;
  }
  for (int j = 0; j < m; ++j) {
    double* sum = out + j * n;
    const double* weight = matrix + j * m;
    for (int r = 0; r < n; ++r) sum[r] = weight[0] * columns[r];
    for (int l = 1; l < m; ++l) {
      const double w = weight[l];
      const double* column = columns + l * n;
      for (int r = 0; r < n; ++r) sum[r] += w * column[r];
    }
  }
}

}  // namespace

BSpline::BSpline(std::shared_ptr<const BSplineBasis> basis, MatX control, double duration)
    : basis_(std::move(basis)), control_(std::move(control)), duration_(duration) {
  ALLCLEAR_ASSERT(basis_ != nullptr && control_.cols() == basis_->controlCount());
  ALLCLEAR_ASSERT(duration_ > 0.0 && std::isfinite(duration_) && control_.allFinite());
}

BSpline::BSpline(const MatX& control, double duration, int degree)
    : BSpline(std::make_shared<const BSplineBasis>(
                  BSplineBasis::uniform(static_cast<int>(control.cols()) - degree, degree)),
              control, duration) {}

VecX BSpline::value(double t, int order) const {
  ALLCLEAR_ASSERT(order >= 0 && !std::isnan(t));
  const int p = degree();
  VecX result = VecX::Zero(dimension());
  if (order > p) return result;
  const std::vector<double>& knots = basis_->knots();
  const double s = std::clamp(t / duration_, 0.0, 1.0);
  const int first = basis_->firstControl(basis_->spanAt(s));
  // Differences of control points first, then de Boor: the error of a derivative is then relative
  // to the differences, however far the curve is from zero. Level k combines neighbours with
  // step[k][l], the same for all coordinates.
  constexpr int kMost = BSplineBasis::kMaxDegree + 1;
  double step[kMost][kMost], d[kMost];
  for (int k = 1; k <= p; ++k) {
    for (int l = 0; l <= p - k; ++l) {
      const double lower = knots[first + l + k], width = knots[first + l + p + 1] - lower;
      step[k][l] = k <= order ? (p - k + 1) / (width * duration_) : (s - lower) / width;
    }
  }
  for (int r = 0; r < dimension(); ++r) {
    for (int l = 0; l <= p; ++l) d[l] = control_(r, first + l);
    for (int k = 1; k <= order; ++k) {
      for (int l = 0; l <= p - k; ++l) d[l] = step[k][l] * (d[l + 1] - d[l]);
    }
    for (int k = order + 1; k <= p; ++k) {
      for (int l = 0; l <= p - k; ++l) d[l] += step[k][l] * (d[l + 1] - d[l]);
    }
    result[r] = d[0];
  }
  return result;
}

BasisWeights BSpline::linearMap(int order, double t) const {
  BasisWeights result = basis_->weights(order, t / duration_);
  for (int k = 0; k < order; ++k) result.weights /= duration_;
  return result;
}

Interval BSpline::spanTime(int i) const {
  const Interval s = basis_->span(i);
  return {s.lower * duration_, s.upper * duration_};
}

BernsteinSpan BSpline::span(int i) const {
  MatX bernstein(dimension(), degree() + 1);
  combineColumns(control_.data() + static_cast<std::size_t>(basis_->firstControl(i)) * dimension(),
                 basis_->toBernstein(i).data(), dimension(), degree() + 1, bernstein.data());
  return {spanTime(i), std::move(bernstein)};
}

SpanCoefficients BSpline::coefficients(int i, int order, int coordinate) const {
  ALLCLEAR_ASSERT(order >= 0 && 0 <= coordinate && coordinate < dimension());
  const int p = degree(), first = basis_->firstControl(i);
  const int used = order == 0 ? p + 1 : p;  // control points, or their differences
  SpanCoefficients result;
  result.length = basis_->span(i).length() * duration_;
  result.degree = std::max(0, used - 1);
  result.coefficient.fill(0.0);
  if (order > p) return result;
  // Positions from the control points, velocities from their differences, the others from these.
  const double factor = order == 0 ? 1.0 : p / result.length;
  const double* matrix =
      order == 0 ? basis_->toBernstein(i).data() : basis_->differencesToBernstein(i).data();
  double largest = 0.0;
  for (int l = 0; l < used; ++l) {
    const double from = order == 0
                            ? control_(coordinate, first + l)
                            : control_(coordinate, first + l + 1) - control_(coordinate, first + l);
    largest = std::max(largest, std::abs(from));
    for (int j = 0; j < used; ++j) result.coefficient[j] += matrix[j * used + l] * from;
  }
  for (int j = 0; j < used; ++j) result.coefficient[j] *= factor;
  // A coefficient is a sum of `used` products, whose weights are not negative and sum to at most p
  // in a column (to 1 for positions). Rounded are each weight, each difference, each product and
  // sum, and the factor: at most used + 4 roundings of half an epsilon for each term; a whole
  // epsilon leaves the second-order terms room.
  result.error = factor * largest * p * (used + 4) * kEpsilon;
  for (int k = 1; k < order; ++k) result.differentiate();
  return result;
}

BSpline BSpline::derivative() const {
  const int p = degree();
  ALLCLEAR_ASSERT(p >= 1);
  // The derivative of a B-spline has the scaled differences as control points, on the same knots
  // less one at each end.
  const std::vector<double>& knots = basis_->knots();
  MatX control(dimension(), control_.cols() - 1);
  for (int i = 0; i < control.cols(); ++i) {
    const double width = (knots[i + p + 1] - knots[i + 1]) * duration_;
    control.col(i) = (control_.col(i + 1) - control_.col(i)) * (p / width);
  }
  return {std::make_shared<const BSplineBasis>(
              std::vector<double>(knots.begin() + 1, knots.end() - 1), p - 1),
          std::move(control), duration_};
}

BSpline BSpline::withInsertedKnots(std::vector<double> normalised_knots) const {
  const BSplineBasis::Refinement finer = basis_->withInserted(std::move(normalised_knots));
  return {std::make_shared<const BSplineBasis>(finer.knots, degree()), control_ * finer.control_map,
          duration_};
}

BSpline BSpline::restricted(Interval part) const {
  const double lower = std::clamp(part.lower, 0.0, duration_);
  const double upper = std::clamp(part.upper, 0.0, duration_);
  const BSplineBasis::Refinement piece =
      basis_->restrictedTo({lower / duration_, upper / duration_});
  return {std::make_shared<const BSplineBasis>(piece.knots, degree()), control_ * piece.control_map,
          upper - lower};
}

}  // namespace allclear
