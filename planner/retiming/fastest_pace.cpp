// The least time along a curve, by an interior-point method for one function of one variable.
//
// Duration is the integral of b^(-1/2) over the old time: convex in b. Accelerations and torques
// are linear in b. Jerk reads |L(b)| <= b^(-1/2), L linear: the right side is convex, so it lies
// above its tangent at the current pace. With the tangent in its place the row is linear, and what
// keeps it keeps the true one: every step stays inside of the limits (F. Debrouwere et al., IEEE
// T-RO 2013). The tangent is renewed at every step of Newton's method for
//   duration + weighted integrals of squared jerk and acceleration - mu * sum of log(slack),
// with mu falling (S. Boyd, L. Vandenberghe, "Convex Optimization", 2004, chapter 11). A renewed
// tangent only widens slacks, so the sum of both never rises for one mu.
//
// b is a quadratic spline: a row meets three neighbouring coefficients, and the Hessian has two
// diagonals beside the main one. A step costs as much as its rows.
#include "allclear/planner/retiming/fastest_pace.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "allclear/core/stop_scope.h"

namespace allclear {
namespace {

constexpr int kMostSteps = 120;
/// mu falls to this share when Newton's decrement is this share of the barrier's: near the centre.
constexpr double kFall = 0.15;
constexpr double kNearCentre = 0.01;
/// The end: so large a share of the duration may the barrier still cost.
constexpr double kGap = 2e-3;
constexpr double kFirstGap = 0.5;
/// A step ends this share before the nearest row, and is halved until the merit falls.
constexpr double kBeforeRow = 0.9;
constexpr double kArmijo = 1e-4;
constexpr int kHalvings = 20;
/// Added to the Hessian's diagonal, relative: coefficients that nothing holds do not move.
constexpr double kRegularisation = 1e-12;
/// Holds a coefficient that is given: large beside all else on the diagonal.
constexpr double kHeld = 1e12;

/// A symmetric matrix of three diagonals: the main one and two below it.
class Banded {
 public:
  explicit Banded(Eigen::Index n) : rows_(MatX::Zero(3, n)) {}
  void add(int first, const Vec3& d, double factor) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j <= i; ++j) rows_(i - j, first + j) += factor * d[i] * d[j];
    }
  }
  double& diagonal(Eigen::Index i) { return rows_(0, i); }

  /// Solves by Cholesky's factorisation, in place; false when it is not positive definite.
  bool solve(VecX* x) {
    // L column by column: each leaves its products to the two columns that follow.
    const Eigen::Index n = rows_.cols();
    for (Eigen::Index j = 0; j < n; ++j) {
      if (!(rows_(0, j) > 0.0)) return false;
      const double root = std::sqrt(rows_(0, j));
      rows_(0, j) = root;
      for (int i = 1; i <= 2 && j + i < n; ++i) rows_(i, j) /= root;
      if (j + 1 < n) rows_(0, j + 1) -= rows_(1, j) * rows_(1, j);
      if (j + 2 < n) {
        rows_(1, j + 1) -= rows_(2, j) * rows_(1, j);
        rows_(0, j + 2) -= rows_(2, j) * rows_(2, j);
      }
    }
    for (Eigen::Index j = 0; j < n; ++j) {
      (*x)[j] /= rows_(0, j);
      for (int i = 1; i <= 2 && j + i < n; ++i) (*x)[j + i] -= rows_(i, j) * (*x)[j];
    }
    for (Eigen::Index j = n - 1; j >= 0; --j) {
      for (int i = 1; i <= 2 && j + i < n; ++i) (*x)[j] -= rows_(i, j) * (*x)[j + i];
      (*x)[j] /= rows_(0, j);
    }
    return x->allFinite();
  }

 private:
  MatX rows_;  ///< (k, j): entry (j + k, j)
};

/// The merit with the tangents of one pace, as a function of the coefficients.
class Merit {
 public:
  Merit(const PaceRows& rows, const PaceOptions& options) : rows_(rows), options_(options) {
    slacks_ = 0;
    for (const PaceSample& sample : rows.samples()) slacks_ += 2 + 2 * sample.row_count;
  }
  int slacks() const { return slacks_; }

  /// Tangents at `c`, from now on.
  void linearise(const VecX& c) {
    tangents_.clear();
    for (const PaceSample& sample : rows_.samples()) {
      tangents_.push_back(sample.value.dot(c.segment<3>(sample.first)));
    }
  }

  double duration(const VecX& c) const {
    double sum = 0.0;
    for (const PaceSample& sample : rows_.samples()) {
      sum += sample.step / std::sqrt(sample.value.dot(c.segment<3>(sample.first)));
    }
    return sum;
  }

  /// Infinite outside of the rows. Slacks are multiplied up, as one logarithm for many is cheaper.
  double value(const VecX& c, double mu) const {
    // Beyond a row the merit is infinite: what would be its logarithm is not taken.
    double sum = 0.0, log_sum = 0.0;
    bool inside = true;
    forEachSample(c, [&](const PaceSample& sample, double b, double tangent) {
      inside = inside && b > 0.0 && b < sample.cap;
      if (!inside) return;
      sum += sample.step / std::sqrt(b);
      double product = b / tangent * (1.0 - b / sample.cap);
      forEachRow(sample, c, tangent, [&](const PaceRow& row, double limit, double, double at) {
        const double upper = limit - at, lower = limit + at;
        inside = inside && upper > 0.0 && lower > 0.0;
        product *= upper * lower;
        sum += smoothing(sample, row, tangent) * at * at;
        if (product < kSmallProduct || product > kLargeProduct) {
          log_sum += inside ? std::log(product) : 0.0;
          product = 1.0;
        }
      });
      log_sum += inside ? std::log(product) : 0.0;
    });
    return inside ? sum - mu * log_sum : HUGE_VAL;
  }

  void derivatives(const VecX& c, double mu, VecX* gradient, Banded* hessian) const {
    const auto add = [&](int first, const Vec3& d, double slope, double curvature) {
      gradient->segment<3>(first) += slope * d;
      hessian->add(first, d, curvature);
    };
    forEachSample(c, [&](const PaceSample& sample, double b, double tangent) {
      const double slow = sample.step / (b * std::sqrt(b));
      const double to_cap = sample.cap - b;
      add(sample.first, sample.value, -0.5 * slow - mu / b + mu / to_cap,
          0.75 * slow / b + mu / (b * b) + mu / (to_cap * to_cap));
      forEachRow(sample, c, tangent,
                 [&](const PaceRow& row, double limit, double slope, double at) {
                   const double upper = limit - at, lower = limit + at;
                   // The slacks' derivatives by the coefficients: the limit's own, minus and plus
                   // the row's.
                   const Vec3 of_limit = slope * sample.value;
                   add(sample.first, of_limit - row.weights, -mu / upper, mu / (upper * upper));
                   add(sample.first, of_limit + row.weights, -mu / lower, mu / (lower * lower));
                   const double smooth = 2.0 * smoothing(sample, row, tangent);
                   add(sample.first, row.weights, smooth * at, smooth);
                 });
    });
  }

  /// The largest step along `d`, at most 1, that stays inside of the rows with their tangents.
  double longestStep(const VecX& c, const VecX& d) const {
    double step = 1.0;
    // A slack that falls at `rate` per unit of the step is used up after slack / -rate.
    const auto meet = [&](double slack, double rate) {
      if (rate < 0.0) step = std::min(step, -kBeforeRow * slack / rate);
    };
    forEachSample(c, [&](const PaceSample& sample, double b, double tangent) {
      const Vec3 step_here = d.segment<3>(sample.first);
      const double rate = sample.value.dot(step_here);
      meet(b, rate);
      meet(sample.cap - b, -rate);
      forEachRow(sample, c, tangent,
                 [&](const PaceRow& row, double limit, double slope, double at) {
                   const double by_row = row.weights.dot(step_here);
                   meet(limit - at, slope * rate - by_row);
                   meet(limit + at, slope * rate + by_row);
                 });
    });
    return step;
  }

 private:
  static constexpr double kSmallProduct = 1e-100, kLargeProduct = 1e100;

  /// The weight of a squared row in the merit. dt = ds / sqrt(b), and jerk is sqrt(b) times its
  /// row: its square in time is sqrt(b) row^2 ds. That of an acceleration is row^2 / sqrt(b) ds.
  double smoothing(const PaceSample& sample, const PaceRow& row, double tangent) const {
    const double root = std::sqrt(tangent);
    switch (row.kind) {
      case PaceRow::Kind::kJerk:
        return options_.smoothness * sample.step * root;
      case PaceRow::Kind::kAcceleration:
        return options_.gentleness * sample.step / root;
      default:
        return 0.0;
    }
  }

  template <class Visit>
  void forEachSample(const VecX& c, const Visit& visit) const {
    StopSteps stop;
    for (std::size_t i = 0; i < tangents_.size(); ++i) {
      stop.step();
      const PaceSample& sample = rows_.samples()[i];
      visit(sample, sample.value.dot(c.segment<3>(sample.first)), tangents_[i]);
    }
  }

  /// Visits (row, its limit, the limit's derivative by b, its value).
  template <class Visit>
  void forEachRow(const PaceSample& sample, const VecX& c, double tangent,
                  const Visit& visit) const {
    const Vec3 here = c.segment<3>(sample.first);
    const double b = sample.value.dot(here);
    // The tangent of b^(-1/2) at the pace of the last `linearise`.
    const double root = 1.0 / std::sqrt(tangent);
    const double slope = -0.5 * root / tangent;
    for (int r = 0; r < sample.row_count; ++r) {
      const PaceRow& row = rows_.rows()[sample.row + r];
      const double at = row.offset + row.weights.dot(here);
      if (row.isJerk()) {
        visit(row, root + slope * (b - tangent), slope, at);
      } else {
        visit(row, 1.0, 0.0, at);
      }
    }
  }

  const PaceRows& rows_;
  const PaceOptions& options_;
  int slacks_;
  std::vector<double> tangents_;  ///< b of the samples where the tangents touch
};

/// Newton's step at c; its decrement, or a negative number when there is none.
double newtonStep(const Merit& merit, const PaceOptions& options, const VecX& c, double mu,
                  VecX* step) {
  const Eigen::Index n = c.size();
  VecX gradient = VecX::Zero(n);
  Banded hessian(n);
  merit.derivatives(c, mu, &gradient, &hessian);
  // b = 1 and b' = 0 at an end are its two outer coefficients.
  const auto hold = [&](Eigen::Index i) {
    gradient[i] = 0.0;
    hessian.diagonal(i) += kHeld * (1.0 + hessian.diagonal(i));
  };
  if (options.keep_start) hold(0), hold(1);
  if (options.keep_end) hold(n - 1), hold(n - 2);
  for (Eigen::Index i = 0; i < n; ++i) hessian.diagonal(i) *= 1.0 + kRegularisation;
  *step = -gradient;
  if (!hessian.solve(step)) return -1.0;
  return -gradient.dot(*step);
}

}  // namespace

FastestPace fastestPace(const PaceRows& rows, VecX start, const PaceOptions& options) {
  if (!rows.isInside(start, 0.0)) return {};
  FastestPace out{std::move(start), 0};
  VecX& c = out.coefficients;
  Merit merit(rows, options);
  merit.linearise(c);
  double mu = kFirstGap * merit.duration(c) / merit.slacks();
  VecX step;
  for (; out.steps < kMostSteps; ++out.steps) {
    throwIfStopped();
    const double decrement = newtonStep(merit, options, c, mu, &step);
    if (decrement < 0.0) break;
    double length = merit.longestStep(c, step);
    const double now = merit.value(c, mu);
    int halvings = 0;
    while (merit.value(c + length * step, mu) > now - kArmijo * length * decrement &&
           ++halvings < kHalvings) {
      length *= 0.5;
    }
    const bool is_stuck = halvings == kHalvings;
    if (!is_stuck) c += length * step;
    merit.linearise(c);
    // Near the centre: the next one, until the barrier's share of the duration is small.
    if (is_stuck || decrement < kNearCentre * mu * merit.slacks()) {
      if (mu * merit.slacks() < kGap * merit.duration(c)) break;
      mu *= kFall;
    }
  }
  return out;
}

}  // namespace allclear
