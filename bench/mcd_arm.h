#pragma once

// A seven-joint arm of capsules on random quintic B-spline motions: the workload of the benches of
// the minimum over time. Its body curves carry rigorous remainders.

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "allclear/core/sincos.h"
#include "allclear/distance/mcd_capsule.h"

namespace allclear::bench {

constexpr int kJoints = 7;
constexpr int kOrder = 8;  // of the derivative that bounds the remainder

using Series = std::array<double, kOrder + 1>;
using Coefficients = std::array<double, 6>;  // of a quintic, Bernstein form on one span

/// One knot span of the motion of all joints.
struct ArmSpan {
  Interval time;
  std::array<Coefficients, kJoints> q;
};

struct Arm {
  // Modified Denavit-Hartenberg: x offset, twist about x, z offset.
  static constexpr double kA[kJoints] = {0, 0, 0, 0.0825, -0.0825, 0, 0.088};
  static constexpr double kD[kJoints] = {0.333, 0, 0.316, 0, 0.384, 0, 0.107};
  static constexpr int kTwist[kJoints] = {0, -1, 1, 1, -1, 1, 1};  // quarter turns
  std::vector<std::pair<int, CapsuleAxis>> capsules;               // link, axis in the link frame

  Arm() {
    const auto add = [&](int link, Vec3 p0, Vec3 p1, double r) {
      capsules.push_back({link, {p0, p1, r}});
    };
    add(0, {0, 0, -0.19}, {0, 0, 0}, 0.09);
    add(1, {0, -0.19, 0}, {0, 0, 0}, 0.08);
    add(2, {0, 0, -0.12}, {0.08, 0, 0}, 0.08);
    add(3, {-0.08, 0.12, 0}, {0, 0, 0}, 0.07);
    add(4, {0, 0, -0.26}, {0, 0.03, -0.02}, 0.07);
    add(5, {0, 0, 0}, {0.088, 0, 0}, 0.06);
    add(6, {0, 0, 0}, {0, 0, 0.12}, 0.07);
  }

  /// Poses of the seven links.
  void forward(const std::array<double, kJoints>& q, std::array<Pose, kJoints>* X) const {
    Pose at;
    for (int j = 0; j < kJoints; ++j) {
      const double ca = kTwist[j] == 0, sa = kTwist[j];
      const double c = std::cos(q[j]), s = std::sin(q[j]);
      Pose local;
      local.R << c, -s, 0, s * ca, c * ca, -sa, s * sa, c * sa, ca;
      local.p << kA[j], -sa * kD[j], ca * kD[j];
      at = j == 0 ? local : at * local;
      (*X)[j] = at;
    }
  }
};

inline double bernsteinValue(const Coefficients& c, double s) {
  Coefficients w = c;
  for (int n = 5; n > 0; --n) {
    for (int i = 0; i < n; ++i) w[i] += s * (w[i + 1] - w[i]);
  }
  return w[0];
}

/// sup |q^(m)| / m! on [s0, s1] of the span, in units of its time.
inline Series jointBounds(const Coefficients& q, double s0, double s1, double duration) {
  // Taylor coefficients about the middle, then termwise.
  Coefficients w = q;
  Series bound{};
  const double middle = 0.5 * (s0 + s1), half = 0.5 * (s1 - s0) * duration;
  Series taylor{};
  double binomial = 1.0, scale = 1.0;
  for (int m = 0; m <= 5; ++m) {
    taylor[m] = binomial * scale * [&] {
      Coefficients v = w;
      for (int n = 5 - m; n > 0; --n) {
        for (int i = 0; i < n; ++i) v[i] += middle * (v[i + 1] - v[i]);
      }
      return v[0];
    }();
    for (int i = 0; i < 5 - m; ++i) w[i] = w[i + 1] - w[i];
    binomial *= (5.0 - m) / (m + 1.0);
    scale /= duration;
  }
  constexpr double kChoose[6][6] = {{1, 1, 1, 1, 1, 1},   {0, 1, 2, 3, 4, 5}, {0, 0, 1, 3, 6, 10},
                                    {0, 0, 0, 1, 4, 10}, {0, 0, 0, 0, 1, 5}, {0, 0, 0, 0, 0, 1}};
  for (int m = 0; m <= 5; ++m) {
    double power = 1.0;
    for (int k = m; k <= 5; ++k) {
      bound[m] += kChoose[m][k] * std::abs(taylor[k]) * power;
      power *= half;
    }
  }
  return bound;
}

/// Coefficients 0..8 of exp of a series without constant term (and of degree 5).
inline Series exponential(const Series& w) {
  Series e{};
  e[0] = 1.0;
  for (int n = 1; n <= kOrder; ++n) {
    double sum = 0.0;
    for (int m = 1; m <= std::min(n, 5); ++m) sum += m * w[m] * e[n - m];
    e[n] = sum / n;
  }
  return e;
}

/// Bounds of |p^(n)|/n! of each link's origin (n = 1, 2, 3, 8) and of rotated unit vectors.
struct LinkMajorants {
  std::array<double, kJoints> linear8{}, angular8{}, linear1{}, angular1{};
};

inline LinkMajorants majorants(const ArmSpan& span, double s0, double s1) {
  LinkMajorants result;
  std::array<double, kJoints> gain8{}, gain1{};
  Series w{};
  double before8 = 0.0, before1 = 0.0;
  for (int j = 0; j < kJoints; ++j) {
    const Series q = jointBounds(span.q[j], s0, s1, span.time.length());
    for (int m = 1; m <= 5; ++m) w[m] += q[m];
    const Series e = exponential(w);
    gain8[j] = e[8] - before8;
    gain1[j] = e[1] - before1;
    before8 = e[8];
    before1 = e[1];
    result.angular8[j] = before8;
    result.angular1[j] = before1;
    double reach = 0.0;
    for (int k = j; k >= 0; --k) {
      result.linear8[j] += gain8[k] * reach;
      result.linear1[j] += gain1[k] * reach;
      reach += std::hypot(Arm::kA[k], Arm::kD[k]);
    }
  }
  return result;
}

/// Body curves of all links on consecutive cells of one span: curves[link][cell].
struct ArmCurves {
  std::array<std::vector<BodyCurve>, kJoints> links;
  int cells = 0;
  int forward_kinematics = 0;
};

inline void armCurves(const Arm& arm, const ArmSpan& span, double wanted_error, ArmCurves* out) {
  constexpr double kReach = 0.3;  // of a capsule from its link's origin
  const double duration = span.time.length();
  const LinkMajorants whole = majorants(span, 0.0, 1.0);
  double worst = 0.0;
  for (int j = 0; j < kJoints; ++j) {
    worst = std::max(worst, whole.linear8[j] + kReach * whole.angular8[j]);
  }
  worst *= std::pow(0.5 * duration, 8) / 64.0;
  const int cells = std::max(1, static_cast<int>(std::ceil(std::pow(worst / wanted_error, 0.125))));
  out->cells = cells;
  out->forward_kinematics = 0;
  for (auto& link : out->links) link.resize(cells);
  std::array<std::array<Pose, 8>, kJoints> samples;
  std::array<Pose, kJoints> X;
  std::array<double, kJoints> q;
  for (int i = 0; i < cells; ++i) {
    const double s0 = static_cast<double>(i) / cells, s1 = (i + 1.0) / cells;
    for (int k = 0; k < 8; ++k) {
      if (k == 0 && i > 0) {
        for (int j = 0; j < kJoints; ++j) samples[j][0] = samples[j][7];
        continue;
      }
      const double s = k == 7 ? s1 : s0 + (s1 - s0) * LobattoNodes::at(k);
      for (int j = 0; j < kJoints; ++j) q[j] = bernsteinValue(span.q[j], s);
      arm.forward(q, &X);
      ++out->forward_kinematics;
      for (int j = 0; j < kJoints; ++j) samples[j][k] = X[j];
    }
    const LinkMajorants bound = majorants(span, s0, s1);
    const double h = 0.5 * duration * (s1 - s0);
    const double h8 = h * h * h * h * h * h * h * h / 64.0;
    for (int j = 0; j < kJoints; ++j) {
      BodyCurve& curve = out->links[j][i];
      curve.time = {span.time.lower + s0 * duration, span.time.lower + s1 * duration};
      curve.control = LobattoNodes::controlFromSamples(samples[j]);
      curve.position_error = h8 * bound.linear8[j] + 1e-14;
      curve.rotation_error = h8 * bound.angular8[j] + 1e-14;
      curve.bounds.linear[0] = bound.linear1[j];
      curve.bounds.angular[0] = bound.angular1[j];
    }
  }
}

/// Spans of random quintic B-splines with uniform knots: control points walk by `step` [rad].
inline std::vector<ArmSpan> randomSpans(std::mt19937_64& engine, int count, double duration,
                                        double step) {
  std::normal_distribution<double> normal(0.0, step);
  std::uniform_real_distribution<double> start(-1.2, 1.2);
  std::array<std::vector<double>, kJoints> control;
  for (auto& c : control) {
    c.push_back(start(engine));
    while (static_cast<int>(c.size()) < count + 5) c.push_back(0.9 * c.back() + normal(engine));
  }
  std::vector<ArmSpan> spans(count);
  for (int i = 0; i < count; ++i) {
    spans[i].time = {i * duration, (i + 1) * duration};
    for (int j = 0; j < kJoints; ++j) {
      // Blossom of the uniform quintic B-spline at (0^{5-k}, 1^k), knots -4..5 by de Boor.
      for (int k = 0; k <= 5; ++k) {
        double d[6];
        for (int l = 0; l < 6; ++l) d[l] = control[j][i + l];
        for (int level = 0; level < 5; ++level) {
          const double u = level < 5 - k ? 0.0 : 1.0;
          for (int l = 0; l < 5 - level; ++l) {
            const double low = l - 4.0 + level, high = l + 1.0;
            const double weight = (u - low) / (high - low);
            d[l] = (1.0 - weight) * d[l] + weight * d[l + 1];
          }
        }
        spans[i].q[j][k] = d[0];
      }
    }
  }
  return spans;
}

}  // namespace allclear::bench
