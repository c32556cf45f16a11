#include "allclear/distance/smooth_minimum.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/input_error.h"

namespace allclear {
namespace {

/// First step, in shares of the interval: well within the valley of the Euclidean minimum.
constexpr double kFirstStep = 1.0 / 32.0;
constexpr double kSlope = 1e-6;  // of the steepest one met
constexpr int kMostSteps = 60;

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
  double steepest = 0.0;
  struct Sample {
    double t, slope;
  };
  const auto look = [&](double t) {
    const Moving A = movingAt(a, t), B = movingAt(b, t);
    const SmoothDistance d = smoothDistance(*a.body, A.X_WG, *b.body, B.X_WG, options, state);
    state->frozen = state->valid;
    const DistanceGradient& g = d.gradient;
    const double slope = g.translation_A.dot(A.velocity) + g.rotation_A.dot(A.spin) +
                         g.translation_B.dot(B.velocity) + g.rotation_B.dot(B.spin);
    steepest = std::max(steepest, std::fabs(slope));
    if (++best.evaluations == 1 || d.distance < best.at.distance) {
      best.t_star = t;
      best.at = d;
    }
    return Sample{t, slope};
  };
  const auto done = [&](const Sample& s) { return std::fabs(s.slope) <= kSlope * steepest; };

  Sample here = look(std::clamp(t_guess, span.lower, span.upper));
  // Downhill with growing steps until it goes up again.
  Sample other = here;
  double step = kFirstStep * span.length() * (here.slope > 0.0 ? -1.0 : 1.0);
  bool is_bracketed = false;
  while (!is_bracketed && here.slope != 0.0 && best.evaluations < kMostSteps) {
    const double t = std::clamp(here.t + step, span.lower, span.upper);
    if (t == here.t) break;
    other = look(t);
    is_bracketed = other.slope * here.slope <= 0.0;
    if (!is_bracketed) here = other;
    step *= 2.0;
  }
  // Regula falsi on the slope, with bisection where it stalls.
  bool halve = false;
  while (is_bracketed && best.evaluations < kMostSteps && !done(here) && !done(other)) {
    const double width = other.t - here.t;
    const double share = halve ? 0.5 : std::clamp(here.slope / (here.slope - other.slope), 0.05, 0.95);
    const Sample middle = look(here.t + share * width);
    (middle.slope * here.slope > 0.0 ? here : other) = middle;
    halve = std::fabs(other.t - here.t) > 0.5 * std::fabs(width);
    if (std::fabs(other.t - here.t) <= 1e-12 * span.length()) break;
  }
  state->frozen = was_frozen;
  return best;
}

}  // namespace allclear
