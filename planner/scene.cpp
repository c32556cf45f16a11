// Motion of obstacles: linear positions and turns at constant rate between knots, as polynomials of
// degree 7 with a remainder.
//
// A curve interpolates the pose at 8 Chebyshev-Lobatto nodes of its cell. Linear positions are
// exact. A rotation at constant rate w has an eighth derivative of size w^8 per metre of radius, so
// the remainder of interpolation is w^8 times `remainderFactor`. `breaks` cuts the time so that it
// stays below the wanted tolerance for the farthest point of the body.
#include "allclear/planner/scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "allclear/core/extremes.h"
#include "allclear/distance/cloud.h"
#include "allclear/distance/deforming_mesh.h"

namespace allclear {
namespace {

constexpr int kCount = BodyCurve::kDegree + 1;
/// Relative rounding of poses and rates: about a thousand operations each.
constexpr double kRounding = 1e3 * std::numeric_limits<double>::epsilon();

/// Rounding of the instants at which a pose is sampled, in machine epsilons of the instant. It is a
/// sum (half an epsilon), and interpolation enlarges the error of a sample by at most 2.5 (the
/// Lebesgue constant of the nodes is 2.1).
constexpr double kTimeRounding = 2.0 * std::numeric_limits<double>::epsilon();

/// [rad] of a spread that turns with its obstacle, between two cuts.
constexpr double kSpreadTurn = 0.02;

/// (h/2)^8 / 8! / 64: the remainder of interpolation at 8 Chebyshev-Lobatto nodes, per eighth
/// derivative, for a cell of length h.
double remainderFactor(double length) { return std::pow(0.5 * length, 8) / 40320.0 / 64.0; }

/// The rotation vector per second from knot i to knot i + 1, in the frame of knot i.
Vec3 turning(const Obstacle& obstacle, std::size_t i) {
  const PoseKnot &a = obstacle.motion[i], &b = obstacle.motion[i + 1];
  const Eigen::AngleAxisd turn(a.X_WO.R.transpose() * b.X_WO.R);
  return turn.angle() / (b.time - a.time) * turn.axis();
}

/// Radius of a ball about the object's origin that holds all of it but planes, which have no end.
double radiusOf(const Obstacle& obstacle) {
  double radius = 0.0;
  for (const Geometry& part : obstacle.geometry) {
    if (std::holds_alternative<HalfSpace>(part.shape)) continue;
    const Ball ball = boundingBall(part.shape);
    radius = std::max(radius, (part.X_BG * ball.center).norm() + ball.radius);
  }
  if (obstacle.cloud != nullptr) radius = std::max(radius, obstacle.cloud->farthest());
  return radius;
}

/// The knot before the stretch that holds t; none before the first and after the last knot.
std::optional<std::size_t> stretchAt(const Obstacle& obstacle, double t) {
  const auto& motion = obstacle.motion;
  if (motion.size() < 2 || t < motion.front().time || t > motion.back().time) return std::nullopt;
  const auto after =
      std::upper_bound(motion.begin() + 1, motion.end() - 1, t,
                       [](double time, const PoseKnot& knot) { return time < knot.time; });
  return static_cast<std::size_t>(after - motion.begin()) - 1;
}

}  // namespace

Mat3 PositionSpread::at(double t) const {
  if (isEmpty()) return Mat3::Zero();
  const double scale = sigma * sigma;
  if (t <= knots.front().time) return scale * knots.front().covariance;
  if (t >= knots.back().time) {
    if (growth.isZero(0.0)) return scale * knots.back().covariance;
    return scale * (knots.back().covariance + (t - knots.back().time) * growth);
  }
  const auto after = std::upper_bound(knots.begin(), knots.end(), t,
                                      [](double time, const Knot& k) { return time < k.time; });
  const Knot &a = *(after - 1), &b = *after;
  const double s = (t - a.time) / (b.time - a.time);
  return scale * ((1.0 - s) * a.covariance + s * b.covariance);
}

double Obstacle::lastChange() const {
  double last = motion.empty() ? 0.0 : motion.back().time;
  if (deforming != nullptr) last = std::max(last, deforming->times().back());
  if (spread.changes()) last = std::max(last, spread.knots.back().time);
  return spread.growsWithoutEnd() ? std::numeric_limits<double>::infinity() : last;
}

Mat3 Obstacle::spreadAt(double t) const {
  const Mat3 K = spread.at(t);
  if (!spread.in_obstacle) return K;
  const Mat3 R = pose(t).R;
  return R * K * R.transpose();
}

Pose Obstacle::pose(double t) const {
  if (motion.empty()) return X_WO;
  if (t <= motion.front().time) return motion.front().X_WO;
  if (t >= motion.back().time) return motion.back().X_WO;
  const auto after =
      std::upper_bound(motion.begin(), motion.end(), t,
                       [](double time, const PoseKnot& knot) { return time < knot.time; });
  const PoseKnot& b = *after;
  const PoseKnot& a = *(after - 1);
  const double s = (t - a.time) / (b.time - a.time);
  const Eigen::AngleAxisd turn(a.X_WO.R.transpose() * b.X_WO.R);
  return {a.X_WO.R * rotationAbout(turn.axis(), s * turn.angle()),
          (1.0 - s) * a.X_WO.p + s * b.X_WO.p};
}

std::vector<double> Obstacle::breaks(Interval time, double tolerance) const {
  std::vector<double> out;
  const auto add = [&](double t) {
    if (t > time.lower && t < time.upper) out.push_back(t);
  };
  // A spread that turns with the obstacle: straight between two cuts, as searches take it, to a
  // share `kSpreadTurn`^2 of itself.
  const double most_turn = spread.in_obstacle && !spread.isEmpty() ? kSpreadTurn : HUGE_VAL;
  if (spread.changes()) {
    for (const PositionSpread::Knot& knot : spread.knots) add(knot.time);
  }
  const double radius = radiusOf(*this);
  for (std::size_t i = 0; i < motion.size(); ++i) {
    add(motion[i].time);
    if (i + 1 == motion.size()) break;
    // The error falls with the eighth power of the number of parts.
    const double length = motion[i + 1].time - motion[i].time;
    const double error = remainderFactor(length) * std::pow(turning(*this, i).norm(), 8) * radius;
    const int parts = 1 + std::max(static_cast<int>(std::pow(error / tolerance, 1.0 / 8.0)),
                                   static_cast<int>(turning(*this, i).norm() * length / most_turn));
    for (int part = 1; part < parts; ++part) add(motion[i].time + length * part / parts);
  }
  std::sort(out.begin(), out.end());
  return out;
}

BodyCurve Obstacle::curve(Interval cell) const {
  if (motion.empty()) return BodyCurve::still(X_WO, cell);
  BodyCurve curve;
  curve.time = cell;
  std::array<Pose, kCount> samples;
  double size = 1.0;
  for (int i = 0; i < kCount; ++i) {
    // Beyond the end, by a rounding, the next stretch would be sampled, which may be far faster.
    const double t = cell.lower + LobattoNodes::at(i) * cell.length();
    samples[i] = pose(i + 1 < kCount ? std::min(t, cell.upper) : cell.upper);
    size = raised(size, samples[i].p.cwiseAbs().sum());
  }
  curve.control = LobattoNodes::controlFromSamples(samples);
  // Bounds of the derivatives: only one speed and one rate occur between two knots.
  const auto stretch = stretchAt(*this, cell.middle());
  const double rate = stretch ? turning(*this, *stretch).norm() : 0.0;
  if (stretch) {
    const PoseKnot &a = motion[*stretch], &b = motion[*stretch + 1];
    curve.bounds.linear[0] = (b.X_WO.p - a.X_WO.p).norm() / (b.time - a.time);
    curve.bounds.angular = {rate, rate * rate, rate * rate * rate};
    for (double* bound : {&curve.bounds.linear[0], &curve.bounds.angular[0],
                          &curve.bounds.angular[1], &curve.bounds.angular[2]}) {
      *bound *= 1.0 + kRounding;
    }
  }
  // An instant that is off by some epsilons of t moves the object by its speed times that.
  const double off = kTimeRounding * std::max(std::abs(cell.lower), std::abs(cell.upper));
  curve.position_error = kRounding * size + off * curve.bounds.linear[0];
  curve.rotation_error =
      std::pow(rate, 8) * remainderFactor(cell.length()) + kRounding + off * rate;
  return curve;
}

Vec3 Obstacle::pointVelocity(double t, const Vec3& p_W) const {
  if (deforming != nullptr) {
    return X_WO.R * deforming->velocityNear(X_WO.inverse() * p_W, t);
  }
  const auto stretch = stretchAt(*this, t);
  if (!stretch) return Vec3::Zero();
  const PoseKnot &a = motion[*stretch], &b = motion[*stretch + 1];
  const Vec3 slide = (b.X_WO.p - a.X_WO.p) / (b.time - a.time);
  const Vec3 turn = a.X_WO.R * turning(*this, *stretch);
  return slide + turn.cross(p_W - pose(t).p);
}

}  // namespace allclear
