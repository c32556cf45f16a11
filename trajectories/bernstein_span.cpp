#include "allclear/trajectories/bernstein_span.h"

#include <algorithm>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

constexpr double kRounding = 1e-14;  // relative; a few dozen roundings of de Casteljau's steps

/// De Casteljau at s: leaves the coefficients over [0, s] in `left` and those over [s, 1] in
/// `right`.
void subdivide(const MatX& control, double s, MatX* left, MatX* right) {
  MatX work = control;
  const int degree = static_cast<int>(control.cols()) - 1;
  left->resizeLike(control);
  right->resizeLike(control);
  for (int level = 0; level <= degree; ++level) {
    left->col(level) = work.col(0);
    right->col(degree - level) = work.col(degree - level);
    for (int i = 0; i < degree - level; ++i) {
      work.col(i) = (1.0 - s) * work.col(i) + s * work.col(i + 1);
    }
  }
}

}  // namespace

BernsteinSpan::BernsteinSpan(Interval time, MatX control)
    : time_(time), control_(std::move(control)) {
  ALLCLEAR_ASSERT(control_.cols() >= 1);
  ALLCLEAR_ASSERT(time_.length() > 0.0 || (time_.length() == 0.0 && control_.cols() == 1));
}

VecX BernsteinSpan::value(double t, int order) const {
  if (order > degree()) return VecX::Zero(dimension());
  if (order > 0) return derivative(order).value(t);
  if (degree() == 0) return control_.col(0);
  const double s = (t - time_.lower) / time_.length();
  MatX work = control_;
  for (int level = degree(); level > 0; --level) {
    for (int i = 0; i < level; ++i) work.col(i) += s * (work.col(i + 1) - work.col(i));
  }
  return work.col(0);
}

BernsteinSpan BernsteinSpan::derivative(int order) const {
  ALLCLEAR_ASSERT(order >= 0);
  MatX work = control_;
  for (int k = 0; k < order; ++k) {
    const int degree = static_cast<int>(work.cols()) - 1;
    if (degree == 0) return {time_, MatX::Zero(dimension(), 1)};
    const MatX difference = work.rightCols(degree) - work.leftCols(degree);
    work = difference * (degree / time_.length());
  }
  return {time_, std::move(work)};
}

BernsteinSpan BernsteinSpan::restricted(Interval part) const {
  const double lower = std::clamp(part.lower, time_.lower, time_.upper);
  const double upper = std::clamp(part.upper, time_.lower, time_.upper);
  ALLCLEAR_ASSERT(lower < upper);
  MatX kept = control_;
  MatX rest;
  if (upper < time_.upper) {
    MatX left;
    subdivide(kept, (upper - time_.lower) / time_.length(), &left, &rest);
    kept = std::move(left);
  }
  if (lower > time_.lower) {
    MatX right;
    subdivide(kept, (lower - time_.lower) / (upper - time_.lower), &rest, &right);
    kept = std::move(right);
  }
  return {{lower, upper}, std::move(kept)};
}

VecX BernsteinSpan::magnitudeBound() const {
  return control_.cwiseAbs().rowwise().maxCoeff() * (1.0 + kRounding);
}

}  // namespace allclear
