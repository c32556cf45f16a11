#include "allclear/distance/soft/minimum.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/input_error.h"

namespace allclear {
namespace {

/// First step, in shares of the interval: well within the valley of the Euclidean minimum.
constexpr double kFirstStep = 1.0 / 32.0;
constexpr double kSlope = 1e-6;  // of the steepest one met
constexpr int kMostLooks = 40;

/// A moving body's pose and the rates that its polynomial has there.
struct Moving {
  Pose X_WG;
  Vec3 velocity = Vec3::Zero();  ///< of G's origin, world
  Vec3 spin = Vec3::Zero();      ///< world
};

const BodyCurve& cellAt(std::span<const BodyCurve> curves, double t) {
  const auto* cell = std::partition_point(curves.data(), curves.data() + curves.size() - 1,
                                          [&](const BodyCurve& c) { return c.time.upper < t; });
  return *cell;
}

/// The polynomial's rate is one of small degree over a cell: differences of its values over a
/// thousandth of the cell have the slope to 1e-6 of it, all that stepping asks for.
Moving movingAt(const SmoothMover& mover, double t) {
  const BodyCurve& curve = cellAt(mover.curves, t);
  Moving out;
  const Pose here = curve.pose(t);
  out.X_WG = here * mover.X_BG;
  if (mover.curves.size() == 1 && curve.bounds.linear[0] == 0.0 && curve.bounds.angular[0] == 0.0) {
    return out;
  }
  const double step = 1e-3 * curve.time.length();
  const double before = std::max(curve.time.lower, t - step);
  const double after = std::min(curve.time.upper, t + step);
  const Pose X = curve.pose(before), Y = curve.pose(after);
  const double rate = 1.0 / (after - before);
  const Mat3 W = rate * (Y.R - X.R) * here.R.transpose();
  out.spin = 0.5 * Vec3(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1));
  out.velocity = rate * ((Y * mover.X_BG.p) - (X * mover.X_BG.p));
  return out;
}

}  // namespace

int descend(Interval span, double t_guess, const std::function<double(double t)>& look) {
  struct Sample {
    double t, slope;
  };
  double steepest = 0.0;
  int looks = 0;
  const auto sample = [&](double t) {
    ++looks;
    const double slope = look(t);
    steepest = std::max(steepest, std::fabs(slope));
    return Sample{t, slope};
  };
  const auto isLevel = [&](const Sample& s) { return std::fabs(s.slope) <= kSlope * steepest; };
  Sample here = sample(std::clamp(t_guess, span.lower, span.upper));
  Sample there = here;  // beyond the minimum, once it is bracketed
  bool is_bracketed = false;
  double step = kFirstStep * span.length() * (here.slope > 0.0 ? -1.0 : 1.0);
  while (!is_bracketed && here.slope != 0.0 && looks < kMostLooks) {
    const double t = std::clamp(here.t + step, span.lower, span.upper);
    if (t == here.t) break;
    there = sample(t);
    is_bracketed = there.slope * here.slope <= 0.0;
    if (!is_bracketed) here = there;
    step *= 2.0;
  }
  // Regula falsi on the slope; an end that stays counts half (Illinois).
  int stays = 0;  // > 0: how often `there` has, < 0: `here`
  bool level = isLevel(here) || isLevel(there);
  while (is_bracketed && !level && looks < kMostLooks) {
    const double width = there.t - here.t;
    if (std::fabs(width) <= 1e-12 * span.length()) break;
    const double share = std::clamp(here.slope / (here.slope - there.slope), 1e-3, 1.0 - 1e-3);
    const Sample middle = sample(here.t + share * width);
    level = isLevel(middle);
    if (middle.slope * here.slope > 0.0) {
      here = middle;
      stays = std::max(0, stays) + 1;
      if (stays > 1) there.slope *= 0.5;
    } else {
      there = middle;
      stays = std::min(0, stays) - 1;
      if (stays < -1) here.slope *= 0.5;
    }
  }
  return looks;
}

SmoothMinimum smoothMinimum(const SmoothMover& a, const SmoothMover& b, double t_guess,
                            const SmoothOptions& options, SmoothState* state) {
  if (a.curves.empty() || b.curves.empty()) {
    throw InputError("a minimum over time needs a curve of both bodies");
  }
  const auto& longer = a.curves.size() > 1 ? a.curves : b.curves;
  const Interval span{longer.front().time.lower, longer.back().time.upper};
  SmoothState own;
  if (state == nullptr) state = &own;
  const bool was_frozen = state->frozen;
  SmoothMinimum best;
  best.at.distance = HUGE_VAL;
  best.evaluations = descend(span, t_guess, [&](double t) {
    const Moving A = movingAt(a, t), B = movingAt(b, t);
    const SmoothDistance d = smoothDistance(*a.body, A.X_WG, *b.body, B.X_WG, options, state);
    state->frozen = state->valid;
    if (d.distance < best.at.distance) {
      best.t_star = t;
      best.at = d;
    }
    const DistanceGradient& g = d.gradient;
    return g.translation_A.dot(A.velocity) + g.rotation_A.dot(A.spin) +
           g.translation_B.dot(B.velocity) + g.rotation_B.dot(B.spin);
  });
  state->frozen = was_frozen;
  return best;
}

}  // namespace allclear
