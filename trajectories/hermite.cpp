// Piecewise Hermite curves. The data at both ends of a span of length h give its Bernstein
// coefficients directly: with b_0 .. b_p, p the degree,
//   q0 = b_0,  v0 = p (b_1 - b_0) / h,  a0 = p (p - 1) (b_2 - 2 b_1 + b_0) / h^2,
// mirrored at the end. Degree 1 uses the positions, degree 3 the velocities too, degree 5 all.
#include "allclear/trajectories/hermite.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

bool increaseFromZero(const std::vector<double>& times) {
  if (times.size() < 2 || times.front() != 0.0 || !std::isfinite(times.back())) return false;
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (!(times[i - 1] < times[i])) return false;
  }
  return true;
}

/// One coordinate's data at both ends of a span; zero where they are not given.
struct SpanEnds {
  double h;
  double q0, q1, v0, v1, a0, a1;

  /// Sizes of the terms of a coefficient, for the error bounds: a term carries at most 8 roundings
  /// of half an epsilon.
  double step() const { return std::max(std::abs(v0), std::abs(v1)) * h; }
  double bend() const { return std::max(std::abs(a0), std::abs(a1)) * h * h; }
};

SpanCoefficients positionOf(const SpanEnds& e, int degree) {
  SpanCoefficients result;
  result.length = e.h;
  result.degree = degree;
  result.coefficient.fill(0.0);
  auto& b = result.coefficient;
  b[0] = e.q0;
  b[degree] = e.q1;
  // The equations above, solved for b_1 and b_2. At the end time runs backwards, which turns the
  // sign of velocities but not of accelerations.
  if (degree >= 3) {
    b[1] = e.q0 + e.h * e.v0 / degree;
    b[degree - 1] = e.q1 - e.h * e.v1 / degree;
  }
  if (degree == 5) {
    b[2] = e.q0 + (2.0 * e.h * e.v0) / 5.0 + e.h * e.h * e.a0 / 20.0;
    b[3] = e.q1 - (2.0 * e.h * e.v1) / 5.0 + e.h * e.h * e.a1 / 20.0;
  }
  result.error = 4.0 * kEpsilon * (std::max(std::abs(e.q0), std::abs(e.q1)) + e.step() + e.bend());
  return result;
}

/// The velocity's coefficients, straight from the data: q0 and q1 may be large, and differences of
/// the coefficients above would keep only their rounding. Only the middle one needs positions, and
/// of these the difference.
SpanCoefficients velocityOf(const SpanEnds& e, int degree) {
  SpanCoefficients result;
  result.length = e.h;
  result.degree = degree - 1;
  result.coefficient.fill(0.0);
  auto& b = result.coefficient;
  b[0] = e.v0;
  b[degree - 1] = e.v1;
  const double mean = degree * (e.q1 - e.q0) / e.h;
  if (degree == 5) {
    b[1] = e.v0 + e.h * e.a0 / 4.0;
    b[3] = e.v1 - e.h * e.a1 / 4.0;
    b[2] = mean - 2.0 * (e.v0 + e.v1) + e.h * (e.a1 - e.a0) / 4.0;
  } else {
    b[degree / 2] = mean - (e.v0 + e.v1);  // degree 1 has this one only, and no velocities
  }
  result.error =
      4.0 * kEpsilon * (degree * std::abs(e.q1 - e.q0) + 4.0 * e.step() + e.bend()) / e.h;
  return result;
}

}  // namespace

HermiteCurve::HermiteCurve(std::vector<double> times, MatX positions, MatX velocities,
                           MatX accelerations)
    : times_(std::move(times)),
      rows_{std::move(positions), std::move(velocities), std::move(accelerations)},
      given_order_(rows_[2].size() > 0   ? 2
                   : rows_[1].size() > 0 ? 1
                                         : 0) {
  ALLCLEAR_ASSERT(increaseFromZero(times_));
  for (int order = 0; order <= given_order_; ++order) {
    const MatX& given = rows_[order];
    ALLCLEAR_ASSERT(given.cols() == static_cast<Eigen::Index>(times_.size()));
    ALLCLEAR_ASSERT(given.rows() == rows_[0].rows() && given.allFinite());
  }
}

int HermiteCurve::spanAt(double t) const {
  const auto later = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
  return static_cast<int>(later - times_.begin()) - 1;
}

VecX HermiteCurve::value(double t, int order) const {
  ALLCLEAR_ASSERT(order >= 0 && !std::isnan(t));
  t = std::clamp(t, 0.0, duration());
  const int i = spanAt(t);
  // At a given time the data themselves: no rounding through the coefficients.
  const int row = t == times_[i + 1] ? i + 1 : i;
  if (order <= given_order_ && t == times_[row]) return rows_[order].col(row);
  const double s = (t - times_[i]) / (times_[i + 1] - times_[i]);
  VecX result(dimension());
  for (int r = 0; r < dimension(); ++r) {
    SpanCoefficients piece = coefficients(i, order, r);
    for (int level = piece.degree; level > 0; --level) {
      for (int j = 0; j < level; ++j) {
        piece.coefficient[j] += s * (piece.coefficient[j + 1] - piece.coefficient[j]);
      }
    }
    result[r] = piece.coefficient[0];
  }
  return result;
}

BernsteinSpan HermiteCurve::span(int i) const {
  MatX control(dimension(), degree() + 1);
  for (int r = 0; r < dimension(); ++r) {
    const SpanCoefficients piece = coefficients(i, 0, r);
    for (int j = 0; j <= degree(); ++j) control(r, j) = piece.coefficient[j];
  }
  return {spanTime(i), std::move(control)};
}

SpanCoefficients HermiteCurve::coefficients(int i, int order, int coordinate) const {
  ALLCLEAR_ASSERT(order >= 0 && 0 <= coordinate && coordinate < dimension());
  const auto given = [&](int of_order, int row) {
    return of_order <= given_order_ ? rows_[of_order](coordinate, row) : 0.0;
  };
  const SpanEnds ends{times_[i + 1] - times_[i], given(0, i), given(0, i + 1), given(1, i),
                      given(1, i + 1),           given(2, i), given(2, i + 1)};
  if (order == 0) return positionOf(ends, degree());
  SpanCoefficients result = velocityOf(ends, degree());
  for (int k = 1; k < order; ++k) result.differentiate();
  return result;
}

}  // namespace allclear
