#pragma once

// Synthetic motions with a known truth: chains of joints whose coordinates are polynomials of time,
// their exact poses, and their body curves with rigorous remainders.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/body_curve.h"
#include "support/random.h"

namespace allclear::test {

constexpr int kOrders = 9;  // derivatives 0..8
using Series = std::array<double, kOrders>;

struct ChainJoint {
  Pose X_PJ;  ///< fixed offset before the joint
  Vec3 axis = Vec3::UnitZ();
  bool revolute = true;
  std::vector<double> polynomial;  ///< coordinate(t) = sum_i c_i t^i

  double coordinate(double t) const {
    double q = 0.0;
    for (auto c = polynomial.rbegin(); c != polynomial.rend(); ++c) q = q * t + *c;
    return q;
  }

  /// Bounds of |q^(m)| / m! on the cell: the Taylor series about its middle, termwise.
  Series bounds(Interval cell) const {
    std::vector<double> taylor = polynomial;
    const int n = static_cast<int>(taylor.size());
    for (int i = 0; i < n; ++i) {
      for (int k = n - 2; k >= i; --k) taylor[k] += cell.middle() * taylor[k + 1];
    }
    Series bound{};
    const double h = 0.5 * cell.length();
    for (int m = 0; m < kOrders; ++m) {
      double binomial = 1.0, power = 1.0;
      for (int k = m; k < n; ++k) {
        bound[m] += binomial * std::abs(taylor[k]) * power;
        binomial *= (k + 1.0) / (k + 1.0 - m);
        power *= h;
      }
    }
    return bound;
  }
};

/// exp of a power series without constant term.
inline Series exponential(const Series& w) {
  Series e{};
  e[0] = 1.0;
  for (int n = 1; n < kOrders; ++n) {
    for (int m = 1; m <= n; ++m) e[n] += m * w[m] * e[n - m] / n;
  }
  return e;
}

struct ChainMotion {
  std::vector<ChainJoint> joints;
  Pose X_JB;  ///< body after the last joint

  Pose pose(double t) const {
    Pose X;
    for (const ChainJoint& joint : joints) {
      const double q = joint.coordinate(t);
      const Pose motion = joint.revolute ? Pose{rotationAbout(joint.axis, q), Vec3::Zero()}
                                         : Pose{Mat3::Identity(), joint.axis * q};
      X = X * joint.X_PJ * motion;
    }
    return X * X_JB;
  }

  /// Moves the whole motion by `step` [m], world axes.
  void move(const Vec3& step) { (joints.empty() ? X_JB : joints.front().X_PJ).p += step; }

  /// Bounds of |p^(n)| / n! of the body's origin and of |(R u)^(n)| / (n! |u|).
  void majorants(Interval cell, Series* linear, Series* angular) const {
    linear->fill(0.0);
    Series w{};
    Series before = exponential(w);
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const Series q = joints[k].bounds(cell);
      double reach = X_JB.p.norm();
      for (std::size_t j = k + 1; j < joints.size(); ++j) {
        reach += joints[j].X_PJ.p.norm();
        if (!joints[j].revolute) reach += joints[j].bounds(cell)[0];
      }
      Series after = before;
      if (joints[k].revolute) {
        for (int m = 1; m < kOrders; ++m) w[m] += q[m];
        after = exponential(w);
        for (int n = 1; n < kOrders; ++n) (*linear)[n] += reach * (after[n] - before[n]);
      } else {
        for (int n = 1; n < kOrders; ++n) {
          for (int m = 1; m <= n; ++m) (*linear)[n] += q[m] * before[n - m];
        }
      }
      before = after;
    }
    *angular = before;
  }

  BodyCurve curve(Interval cell) const {
    std::array<Pose, LobattoNodes::kCount> samples;
    for (int i = 0; i < LobattoNodes::kCount; ++i) {
      samples[i] = pose(cell.lower + LobattoNodes::at(i) * cell.length());
    }
    BodyCurve curve;
    curve.time = cell;
    curve.control = LobattoNodes::controlFromSamples(samples);
    Series linear, angular;
    majorants(cell, &linear, &angular);
    const double h8 = std::pow(0.5 * cell.length(), 8);
    const double rounding = 1e-14 * (1.0 + samples[0].p.norm());
    curve.position_error = h8 * linear[8] / 64.0 + rounding;
    curve.rotation_error = h8 * angular[8] / 64.0 + 1e-14;
    double factorial = 1.0;
    for (int n = 1; n <= 3; ++n) {
      factorial *= n;
      curve.bounds.linear[n - 1] = factorial * linear[n];
      curve.bounds.angular[n - 1] = factorial * angular[n];
    }
    return curve;
  }

  std::vector<BodyCurve> curves(Interval span, int cells) const {
    std::vector<BodyCurve> result;
    for (int i = 0; i < cells; ++i) {
      const double lower = span.lower + span.length() * i / cells;
      const double upper =
          i + 1 == cells ? span.upper : span.lower + span.length() * (i + 1) / cells;
      result.push_back(curve({lower, upper}));
    }
    return result;
  }

  /// The curves' error at `radius` from the body's origin, with so many cells.
  double errorWith(int cells, Interval span, double radius) const {
    double worst = 0.0;
    for (int i = 0; i < cells; ++i) {
      const double h = 0.5 * span.length() / cells;
      const double middle = span.lower + (2 * i + 1) * h;
      Series linear, angular;
      majorants({middle - h, middle + h}, &linear, &angular);
      worst = std::max(worst, std::pow(h, 8) * (linear[8] + angular[8] * radius) / 64.0);
    }
    return worst;
  }

  /// Cells enough for the wanted error [m] at `radius` [m] from the body's origin, but not above
  /// `most`.
  int cellsFor(Interval span, double error, double radius, int most = 1000) const {
    // The error is of the eighth order in the cells' length.
    const double one = errorWith(1, span, radius);
    if (one <= error) return 1;
    const double guess = 0.7 * std::pow(one / error, 1.0 / 8.0);
    int cells = static_cast<int>(std::clamp(guess, 2.0, static_cast<double>(most)));
    while (cells < most && errorWith(cells, span, radius) > error) cells += 1 + cells / 8;
    return std::min(cells, most);
  }
};

/// `thorough` samples with ALLCLEAR_LONG=1 (that share of them with a value below 1), else `quick`.
inline int samplesOf(int quick, int thorough) {
  const char* const share = std::getenv("ALLCLEAR_LONG");
  if (share == nullptr) return quick;
  const double number = std::atof(share);
  return number > 0.0 && number < 1.0 ? static_cast<int>(number * thorough) : thorough;
}

/// Coefficients of a polynomial of values up to about `size` about its first one.
inline std::vector<double> drawPolynomial(Random& random, double size, int degree) {
  std::vector<double> c(degree + 1);
  for (int i = 0; i <= degree; ++i) c[i] = random.uniform(-size, size) / (1.0 + i);
  c[0] = random.uniform(-3.0, 3.0);
  return c;
}

/// A chain on times [0, 1]: `joints` joints with links of some 0.3 m and polynomials of degree up
/// to 5 that turn by about `turn` [rad]; a quarter of the joints slide.
inline ChainMotion randomChain(Random& draw, int joints, double turn, double spread = 0.6) {
  ChainMotion chain;
  for (int i = 0; i < joints; ++i) {
    ChainJoint joint;
    joint.X_PJ = {draw.rotation(), i == 0 ? draw.inBox(spread) : Vec3(draw.inBox(0.25))};
    joint.axis = draw.direction();
    joint.revolute = !draw.chance(0.25);
    joint.polynomial = drawPolynomial(draw, joint.revolute ? turn : 0.3, draw.integer(0, 5));
    if (!joint.revolute) joint.polynomial[0] = draw.uniform(-0.3, 0.3);
    chain.joints.push_back(joint);
  }
  chain.X_JB = {draw.rotation(), draw.inBox(0.2)};
  return chain;
}

}  // namespace allclear::test
