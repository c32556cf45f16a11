#pragma once

// The three methods that the paper compares, as it has them: rivals and references for tests and
// benches. Not for use: they are slower than the product's and lose digits with the ratio of radii.
//
// Choi, "A robust and efficient method to compute the closest approach distance between two
// ellipsoids", Journal of Korea Game Society 19(6), 2019. Equation numbers are the paper's.
//
// Departures:
// - (11): the second bracket is I - u E12 Eu^-1. With the plus sign that the paper prints, Newton's
//   steps have the wrong length.
// - The hybrid takes the start u = 0.5 into its bracket first. Without that (rtsafe of Numerical
//   Recipes) a first halving lands on 0.5 again, and rule (12) takes the step of 0 for the end.
// - The fixed point of its reference [4], which is not among the papers at hand, is taken to be
//   the one that (8) = (9) suggests.
// - Rule (13) needs points on both ellipsoids: those of (6) with the d of (8) and the d of (9).

#include <algorithm>
#include <cmath>

#include "allclear/core/types.h"

namespace allclear::test {

struct ChoiOptions {
  double tolerance = 1e-8;    ///< epsilon of (12) or (13)
  bool by_contact = false;    ///< stop by (13) instead of (12)
  int most_iterations = 100;  ///< as in the paper's experiments
  bool sign_of_11_as_printed = false;
};

struct ChoiResult {
  double u = 0.5;
  double d = 0.0;  ///< from (8)
  int iterations = 0;
  bool converged = false;
};

/// The pair as the paper has it: unit vector n from centre to centre, in the frame of ellipsoid 1.
class ChoiPair {
 public:
  ChoiPair(const Vec3& radii_1, const Vec3& radii_2, const Mat3& R_12, const Vec3& n)
      : n_(n), least_radius_(std::min(radii_1.minCoeff(), radii_2.minCoeff())) {
    E1_ = radii_1.cwiseAbs2().cwiseInverse().asDiagonal();
    E2_ = R_12 * radii_2.cwiseAbs2().cwiseInverse().asDiagonal() * R_12.transpose();
    E2_inverse_ = R_12 * radii_2.cwiseAbs2().asDiagonal() * R_12.transpose();
  }

  ChoiResult fixedPoint(const ChoiOptions& options) const {
    ChoiResult out;
    while (out.iterations < options.most_iterations && !out.converged) {
      const double next = map(out.u);
      step(options, next, &out);
    }
    return finish(out);
  }

  /// Aitken's extrapolation after every two steps of the fixed point; every evaluation counts.
  ChoiResult steffensen(const ChoiOptions& options) const {
    ChoiResult out;
    while (out.iterations < options.most_iterations && !out.converged) {
      const double u0 = out.u, u1 = map(u0);
      step(options, u1, &out);
      if (out.converged) break;
      const double u2 = map(u1);
      const double bend = u2 - 2.0 * u1 + u0;
      double next = bend != 0.0 ? u0 - (u1 - u0) * (u1 - u0) / bend : u2;
      if (!(next > 0.0 && next < 1.0)) next = u2;
      step(options, next, &out);
    }
    return finish(out);
  }

  /// Newton's iteration and halving, within a bracket.
  ChoiResult hybrid(const ChoiOptions& options) const {
    ChoiResult out;
    double low = 0.0, high = 1.0;              // f(0) > 0 > f(1)
    double change = 1.0, change_before = 1.0;  // the last two steps
    while (out.iterations < options.most_iterations && !out.converged) {
      const Slope f = slope(out.u, options.sign_of_11_as_printed);
      (f.value > 0.0 ? low : high) = out.u;
      double next = out.u - f.value / f.slope;
      // As rtsafe has it: halve where Newton leaves the bracket or gains less than halving.
      const bool slow = std::abs(2.0 * f.value) > std::abs(change_before * f.slope);
      if (!(next >= low && next <= high) || slow) next = 0.5 * (low + high);
      change_before = change;
      change = next - out.u;
      step(options, next, &out);
    }
    return finish(out);
  }

 private:
  struct Slope {
    double value, slope;
  };

  Mat3 inverse(double u) const { return Mat3(u * E1_ + (1.0 - u) * E2_).inverse(); }  // Eu^-1

  double map(double u) const {
    const Vec3 w = inverse(u) * (E2_ * n_);
    const Vec3 v = E1_ * w;
    const double lambda = -std::sqrt(v.dot(E2_inverse_ * v) / w.dot(v));
    return 1.0 / (1.0 - lambda);
  }

  /// f of (10) and f' of (11).
  Slope slope(double u, bool as_printed) const {
    const Mat3 Eu_inverse = inverse(u);
    const Vec3 w = Eu_inverse * (E2_ * n_);
    const Vec3 v = E1_ * w;
    const Vec3 y = E2_inverse_ * v;  // E2^-1 E1 w
    const Vec3 z = Eu_inverse * v, z2 = Eu_inverse * (E1_ * y);
    const auto E12 = [&](const Vec3& x) -> Vec3 { return E1_ * x - E2_ * x; };
    const double sign = as_printed ? 1.0 : -1.0;
    return {(1.0 - u) * (1.0 - u) * w.dot(v) - u * u * v.dot(y),
            -2.0 * (1.0 - u) * (w.dot(v) + (1.0 - u) * w.dot(E12(z))) -
                2.0 * u * (v.dot(y) + sign * u * w.dot(E12(z2)))};
  }

  void step(const ChoiOptions& options, double next, ChoiResult* out) const {
    ++out->iterations;
    const double change = std::abs(next - out->u);
    out->u = next;
    out->converged = options.by_contact ? miss(next) <= options.tolerance * least_radius_
                                        : change <= options.tolerance;
  }

  /// |x1 - x2| of (13).
  double miss(double u) const {
    const Vec3 w = inverse(u) * (E2_ * n_);
    const Vec3 v = E1_ * w;
    const double d1 = 1.0 / ((1.0 - u) * std::sqrt(w.dot(v)));
    const double d2 = 1.0 / (u * std::sqrt(v.dot(E2_inverse_ * v)));
    return std::abs(d1 - d2) * (1.0 - u) * w.norm();
  }

  ChoiResult finish(ChoiResult out) const {
    const Vec3 w = inverse(out.u) * (E2_ * n_);
    out.d = 1.0 / ((1.0 - out.u) * std::sqrt(w.dot(E1_ * w)));
    return out;
  }

  Mat3 E1_, E2_, E2_inverse_;
  Vec3 n_;
  double least_radius_;
};

}  // namespace allclear::test
