// Polynomials in Bernstein form. De Casteljau's triangle at s has the value at its tip, and the
// coefficients of the two parts [0, s] and [s, 1] along its sides; `keepLeft` and `keepRight` run
// it in place and keep one side.
#include "allclear/trajectories/bernstein_span.h"

#include <algorithm>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

constexpr double kRounding = 1e-14;  // relative; a few dozen roundings of de Casteljau's steps

/// Coefficients over [0, s] instead of [0, 1], in place.
void keepLeft(MatX* control, double s) {
  const auto degree = control->cols() - 1;
  for (Eigen::Index level = 1; level <= degree; ++level) {
    for (Eigen::Index i = degree; i >= level; --i) {
      control->col(i) = (1.0 - s) * control->col(i - 1) + s * control->col(i);
    }
  }
}

/// Coefficients over [s, 1] instead of [0, 1], in place.
void keepRight(MatX* control, double s) {
  const auto degree = control->cols() - 1;
  for (Eigen::Index level = 1; level <= degree; ++level) {
    for (Eigen::Index i = 0; i <= degree - level; ++i) {
      control->col(i) = (1.0 - s) * control->col(i) + s * control->col(i + 1);
    }
  }
}

/// The leading coefficients of `work` become those of the derivative, of degree one less.
void differentiate(MatX* work, int degree, double length) {
  const double factor = degree / length;
  for (int i = 0; i < degree; ++i) work->col(i) = factor * (work->col(i + 1) - work->col(i));
}

}  // namespace

BernsteinSpan::BernsteinSpan(Interval time, MatX control)
    : time_(time), control_(std::move(control)) {
  ALLCLEAR_ASSERT(control_.cols() >= 1);
  ALLCLEAR_ASSERT(time_.length() > 0.0 || (time_.length() == 0.0 && control_.cols() == 1));
}

VecX BernsteinSpan::value(double t, int order) const {
  ALLCLEAR_ASSERT(order >= 0);
  if (order > degree()) return VecX::Zero(dimension());
  if (degree() == 0) return control_.col(0);
  MatX work = control_;
  for (int k = 0; k < order; ++k) differentiate(&work, degree() - k, time_.length());
  const double s = (t - time_.lower) / time_.length();
  for (int level = degree() - order; level > 0; --level) {
    for (int i = 0; i < level; ++i) work.col(i) = (1.0 - s) * work.col(i) + s * work.col(i + 1);
  }
  return work.col(0);
}

BernsteinSpan BernsteinSpan::derivative(int order) const {
  ALLCLEAR_ASSERT(order >= 0);
  if (order > degree()) return {time_, MatX::Zero(dimension(), 1)};
  MatX work = control_;
  for (int k = 0; k < order; ++k) differentiate(&work, degree() - k, time_.length());
  return {time_, work.leftCols(degree() + 1 - order)};
}

BernsteinSpan BernsteinSpan::restricted(Interval part) const {
  const double lower = std::clamp(part.lower, time_.lower, time_.upper);
  const double upper = std::clamp(part.upper, time_.lower, time_.upper);
  ALLCLEAR_ASSERT(lower < upper || degree() == 0);
  MatX kept = control_;
  if (upper < time_.upper) keepLeft(&kept, (upper - time_.lower) / time_.length());
  if (lower > time_.lower) keepRight(&kept, (lower - time_.lower) / (upper - time_.lower));
  return {{lower, upper}, std::move(kept)};
}

VecX BernsteinSpan::magnitudeBound() const {
  return control_.cwiseAbs().rowwise().maxCoeff() * (1.0 + kRounding);
}

}  // namespace allclear
