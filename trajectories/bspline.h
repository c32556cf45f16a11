#pragma once

#include <memory>
#include <string>
#include <vector>

#include "allclear/core/types.h"
#include "allclear/trajectories/bernstein_span.h"

namespace allclear {

/// The nonzero basis values (or derivatives) at one instant: the curve's value there is
/// sum_j weights[j] * control_point[first + j].
struct BasisWeights {
  int first = 0;
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 16, 1> weights;
};

/// A clamped B-spline basis in normalised time s in [0, 1]: immutable, without control points or
/// duration, made once and shared by all curves on it. Everything linear in the control points is
/// here: with q(t) = c(s), s = t / T, the derivatives are q^(k)(t) = c^(k)(s) / T^k.
class BSplineBasis {
 public:
  static constexpr int kMaxDegree = 15;

  /// `spans` equal spans.
  static BSplineBasis uniform(int spans, int degree = 5);

  /// All knots, not decreasing: 0 and 1 with multiplicity degree + 1 at the ends, those inside with
  /// at most degree + 1 (with degree + 1 the curve may jump; it is then continuous from the right).
  /// 0 <= degree <= kMaxDegree. Costs O(spans degree^3); the rest is cheap.
  BSplineBasis(std::vector<double> knots, int degree);

  /// Whether `knots` and `degree` make a basis; else a message that says what is wrong.
  static std::string defect(const std::vector<double>& knots, int degree);

  int degree() const { return degree_; }
  int controlCount() const { return static_cast<int>(knots_.size()) - degree_ - 1; }
  int spanCount() const { return static_cast<int>(first_control_.size()); }
  const std::vector<double>& knots() const { return knots_; }

  /// Span i of positive length, in s.
  Interval span(int i) const { return {breaks_[i], breaks_[i + 1]}; }
  /// The span that holds s (clamped to [0, 1]); at a joint, the later one.
  int spanAt(double s) const;
  /// The first of the degree + 1 control points that shape span i.
  int firstControl(int i) const { return first_control_[i]; }

  /// Derivative `order` with respect to s of the basis functions at s (clamped to [0, 1]).
  BasisWeights weights(int order, double s) const;

  /// The same as a dense matrix, one row per entry of `s`: derivative `order` of the curve at s[i]
  /// is control * matrix(order, s).row(i)^T.
  MatX matrix(int order, const VecX& s) const;

  /// (degree + 1) x (degree + 1), not negative, columns sum to 1: the Bernstein coefficients of
  /// span i are control.middleCols(firstControl(i), degree + 1) * toBernstein(i).
  Eigen::Map<const MatX> toBernstein(int i) const;

  /// degree x degree: differences of the same control points, to Bernstein coefficients of
  /// c'(s) * (length of span i) / degree. Accurate relative to the differences however far the
  /// curve is from zero.
  Eigen::Map<const MatX> differencesToBernstein(int i) const;

  /// Symmetric Q, controlCount() square, such that the integral over [0, 1] of the squared
  /// `order`-th derivative of sum_i x_i N_i(s) is x^T Q x. In time, of duration T, the cost is
  /// T^(1 - 2 order) x^T Q x. Closed form, exact to rounding.
  MatX energy(int order) const;

  /// The knots with `inserted` among them, and the controlCount() x (new count) matrix that takes
  /// control points to those of the same curve on them: control * matrix.
  struct Refinement {
    std::vector<double> knots;
    MatX control_map;
  };
  Refinement withInserted(std::vector<double> inserted) const;

  /// The part of the curve over `part` of [0, 1], on knots normalised anew to [0, 1].
  Refinement restrictedTo(Interval part) const;

 private:
  Refinement onKnots(std::vector<double> finer) const;

  int degree_ = 0;
  std::vector<double> knots_;
  std::vector<double> breaks_;      // distinct knots
  std::vector<int> first_control_;  // per span
  std::vector<double> to_bernstein_;
  std::vector<double> differences_to_bernstein_;
};

/// A clamped B-spline curve in R^n over [0, duration] [s]: a basis (shared, immutable), control
/// points and a duration. A value type; copies share the basis.
///
/// Times are clamped to [0, duration]: before the start and after the end the value and the
/// derivatives are those at the end point. A NaN time is a broken contract.
class BSpline {
 public:
  /// `control` is n x basis->controlCount(); duration > 0 and all entries finite.
  BSpline(std::shared_ptr<const BSplineBasis> basis, MatX control, double duration);
  /// On control.cols() - degree equal spans.
  BSpline(const MatX& control, double duration, int degree = 5);

  int dimension() const { return static_cast<int>(control_.rows()); }
  int degree() const { return basis_->degree(); }
  double duration() const { return duration_; }
  const MatX& control() const { return control_; }
  const BSplineBasis& basis() const { return *basis_; }
  const std::shared_ptr<const BSplineBasis>& sharedBasis() const { return basis_; }

  /// The `order`-th time derivative at t; at a joint of spans, from the right.
  VecX value(double t, int order = 0) const;

  /// The weights of the control points in value(t, order): basis().weights(order, t / T) / T^order.
  BasisWeights linearMap(int order, double t) const;

  int spanCount() const { return basis_->spanCount(); }
  Interval spanTime(int i) const;
  int spanAt(double t) const { return basis_->spanAt(t / duration_); }
  /// Span i in Bernstein form, exact to rounding: one small product and one allocation.
  BernsteinSpan span(int i) const;

  /// Bernstein form of the `order`-th derivative of one coordinate over span i, with a bound of its
  /// rounding error.
  SpanCoefficients coefficients(int i, int order, int coordinate) const;

  /// The time derivative, of degree one less. Interior knots must be repeated at most degree times.
  BSpline derivative() const;

  /// The same curve on more knots, given in normalised time, each inside (0, 1).
  BSpline withInsertedKnots(std::vector<double> normalised_knots) const;

  /// The part over `part` (clamped to [0, duration], of positive length), its time shifted so that
  /// it starts at 0.
  BSpline restricted(Interval part) const;

  /// The same path with its time scaled.
  BSpline withDuration(double duration) const { return {basis_, control_, duration}; }
  /// Other control points on the same basis and duration.
  BSpline withControl(MatX control) const { return {basis_, std::move(control), duration_}; }

 private:
  std::shared_ptr<const BSplineBasis> basis_;
  MatX control_;
  double duration_;
};

}  // namespace allclear
