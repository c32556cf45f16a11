// Bernstein coefficients with a running bound of their rounding error. By the convex hull property
// a polynomial over [0, 1] stays between its least and greatest coefficient; widened by the error
// that bound holds for the exact curve.
#include "allclear/trajectories/bernstein_span.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace

void SpanCoefficients::differentiate() {
  if (degree == 0) {
    coefficient[0] = 0.0;
    error = 0.0;
    return;
  }
  const double factor = degree / length;
  double largest = 0.0;
  for (int i = 0; i < degree; ++i) {
    coefficient[i] = factor * (coefficient[i + 1] - coefficient[i]);
    largest = std::max(largest, std::abs(coefficient[i]));
  }
  --degree;
  // Each coefficient is factor * (difference of two that err by `error`): twice the error before,
  // scaled. Rounded are the difference, the length, the factor and the product, half an epsilon
  // each; 4 epsilon are twice as many. The last factor covers the rounding of this formula itself.
  error = (2.0 * factor * error + 4.0 * kEpsilon * largest) * (1.0 + 8.0 * kEpsilon);
}

void SpanCoefficients::restrict(double u0, double u1, double parameter_error) {
  const auto [least, greatest] =
      std::minmax_element(coefficient.begin(), coefficient.begin() + degree + 1);
  const double largest = std::max(std::abs(*least), std::abs(*greatest));
  // A wrong u0 or u1 moves the polynomial by at most its slope times the error; the slope in u is
  // at most degree * (range of its coefficients). De Casteljau's steps are convex combinations:
  // none enlarges a coefficient, and each of 2 * degree levels rounds by at most three half
  // epsilons of the largest (1 - u, the products, the sum).
  error +=
      parameter_error * degree * (*greatest - *least) + 4.0 * (degree + 1) * kEpsilon * largest;
  // An overflow on the way here has made the error infinite or NaN: refuse to make a bound of it.
  ALLCLEAR_ASSERT(std::isfinite(error));
  // Keep the left part [0, u1], then its right part [u0 / u1, 1].
  if (u1 < 1.0) {
    for (int level = 1; level <= degree; ++level) {
      for (int i = degree; i >= level; --i) {
        coefficient[i] = (1.0 - u1) * coefficient[i - 1] + u1 * coefficient[i];
      }
    }
  }
  if (u0 > 0.0) {
    const double s = u0 / u1;
    for (int level = 1; level <= degree; ++level) {
      for (int i = 0; i <= degree - level; ++i) {
        coefficient[i] = (1.0 - s) * coefficient[i] + s * coefficient[i + 1];
      }
    }
  }
  length *= u1 - u0;
}

double SpanCoefficients::lower() const {
  return *std::min_element(coefficient.begin(), coefficient.begin() + degree + 1) - error;
}

double SpanCoefficients::upper() const {
  return *std::max_element(coefficient.begin(), coefficient.begin() + degree + 1) + error;
}

double SpanCoefficients::magnitude() const {
  double largest = 0.0;
  for (int i = 0; i <= degree; ++i) largest = std::max(largest, std::abs(coefficient[i]));
  return largest + error;
}

}  // namespace allclear
