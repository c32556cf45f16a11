// The distance part used alone, without a robot: the least distance over time of two moving
// solids, with a proof. A ball is thrown over a crate that stands on a slowly sliding cart.
#include <cstdio>

#include "allclear/distance/minimum_distance.h"
#include "allclear/distance/signed_distance.h"

namespace {

using allclear::BodyCurve;
using allclear::Interval;
using allclear::Pose;
using allclear::Vec3;

/// The motion p(t) = p0 + v t + a t^2 / 2 over [0, duration], without turning. As a polynomial it
/// is exact: no remainder. The bounds hold for all points of the body.
BodyCurve thrown(const Vec3& p0, const Vec3& v, const Vec3& a, double duration) {
  BodyCurve curve;
  curve.time = {0.0, duration};
  constexpr int n = BodyCurve::kDegree;
  for (int i = 0; i <= n; ++i) {  // Bernstein coefficients of 1, t and t^2
    const double t = duration * i / n;
    const double tt = duration * duration * i * (i - 1) / (n * (n - 1));
    curve.control[i].p = p0 + t * v + 0.5 * tt * a;
  }
  curve.bounds.linear = {v.norm() + a.norm() * duration, a.norm(), 0.0};
  return curve;
}

}  // namespace

int main() {
  using namespace allclear;
  const Shape ball = Sphere(0.1);
  const Shape crate = Box({0.4, 0.4, 0.8});
  const double duration = 1.2;
  const BodyCurve flight = thrown({-2.0, 0.0, 0.5}, {3.4, 0.3, 5.5}, {0.0, 0.0, -9.81}, duration);
  const BodyCurve cart = thrown({0.0, 0.1, 0.8}, {-0.2, 0.0, 0.0}, Vec3::Zero(), duration);
  // A moving shape: a solid, where it sits on its body, and the body's curves, cell by cell.
  const MovingShape thrown_ball{&ball, Pose{}, {&flight, 1}};
  const MovingShape carried_crate{&crate, Pose{}, {&cart, 1}};

  McdOptions options;
  options.tolerance = 1e-4;
  const DistanceBracket least = minimumDistance(thrown_ball, carried_crate, options);
  std::printf("least distance in [%.4f, %.4f] m at t = %.3f s (%d static distances)\n", least.lower,
              least.upper, least.t_star, least.distance_evaluations);

  // Much cheaper: is it ever nearer than 5 cm?
  options.threshold = 0.05;
  options.decide_only = true;
  const DistanceBracket decided = minimumDistance(thrown_ball, carried_crate, options);
  std::printf("at least 5 cm apart at every instant: %s (%d static distances)\n",
              decided.status == McdStatus::kCertifiedAbove ? "proved" : "no",
              decided.distance_evaluations);

  // For comparison only: many samples, which prove nothing about what is between them.
  double sampled = least.upper;
  for (int i = 0; i <= 10000; ++i) {
    const double t = duration * i / 10000;
    const double d = signedDistance(ball, flight.pose(t), crate, cart.pose(t)).distance;
    if (d < sampled) sampled = d;
  }
  std::printf("least of 10001 samples: %.4f m\n", sampled);
  const bool right = least.lower <= sampled && sampled <= least.upper &&
                     (decided.status == McdStatus::kCertifiedAbove) == (sampled >= 0.05);
  return right ? 0 : 1;
}
