// The double S: jerk up, acceleration held, jerk down, cruise, and the same backwards. Which of the
// pieces vanish depends on the length alone (L. Biagiotti, C. Melchiorri, "Trajectory Planning for
// Automatic Machines and Robots", 2008, section 3.4): while accelerating takes the time T_a up to
// speed v, both ends together take v T_a of the length.
#include "allclear/planner/retiming/rest_profile.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

constexpr int kBisections = 80;  ///< to the last digit

/// How a coordinate is brought up to speed.
struct Acceleration {
  double ramp = 0.0;   ///< [s] of jerk, at each of its ends
  double total = 0.0;  ///< [s]
  double speed = 0.0;  ///< at its end
};

Acceleration toSpeed(double v, double a, double j) {
  if (v * j < a * a) {
    const double ramp = std::sqrt(v / j);
    return {ramp, 2.0 * ramp, v};
  }
  return {a / j, a / j + v / a, v};
}

/// Up to the speed at which braking must begin at once.
Acceleration toTurn(double length, double a, double j) {
  const double ramp = a / j;
  if (length < 2.0 * a * ramp * ramp) {
    const double short_ramp = std::cbrt(length / (2.0 * j));
    return {short_ramp, 2.0 * short_ramp, j * short_ramp * short_ramp};
  }
  const double total = 0.5 * (ramp + std::sqrt(ramp * ramp + 4.0 * length / a));
  return {ramp, total, a * (total - ramp)};
}

}  // namespace

RestProfile::RestProfile(double length, double velocity, double acceleration, double jerk)
    : length_(length) {
  ALLCLEAR_ASSERT(length > 0.0 && velocity > 0.0 && acceleration > 0.0 && jerk > 0.0);
  Acceleration up{0.0, 0.0, velocity};
  if (std::isfinite(velocity)) up = toSpeed(velocity, acceleration, jerk);
  if (!std::isfinite(velocity) || up.speed * up.total > length) {
    up = toTurn(length, acceleration, jerk);
  }
  const double held = std::max(0.0, up.total - 2.0 * up.ramp);
  const double cruise = std::max(0.0, length / up.speed - up.total);
  const double steps[] = {up.ramp, held, up.ramp, cruise, up.ramp, held, up.ramp};
  const double signs[] = {1.0, 0.0, -1.0, 0.0, -1.0, 0.0, 1.0};
  Joint joint{0.0, 0.0, 0.0, 0.0, 0.0};
  for (int i = 0; i < 7; ++i) {
    if (!(steps[i] > 0.0)) continue;
    joint.jerk = signs[i] * jerk;
    joints_.push_back(joint);
    const Vec3 next = along(joint, steps[i]);
    joint = {joint.t + steps[i], next[0], next[1], next[2], 0.0};
  }
  // What rounding has left at the end.
  joints_.push_back({joint.t, length, 0.0, 0.0, 0.0});
}

Vec3 RestProfile::along(const Joint& joint, double dt) const {
  return {joint.s + dt * (joint.v + dt * (joint.a / 2.0 + dt * joint.jerk / 6.0)),
          joint.v + dt * (joint.a + dt * joint.jerk / 2.0), joint.a + dt * joint.jerk};
}

std::vector<double> RestProfile::times() const {
  std::vector<double> out;
  for (const Joint& joint : joints_) out.push_back(joint.t);
  return out;
}

Vec3 RestProfile::at(double t) const {
  if (!(t > 0.0)) return Vec3::Zero();
  if (t >= duration()) return {length_, 0.0, 0.0};
  const auto later =
      std::upper_bound(joints_.begin(), joints_.end(), t,
                       [](double time, const Joint& joint) { return time < joint.t; });
  const Joint& joint = *std::prev(later);
  return along(joint, t - joint.t);
}

double RestProfile::timeAt(double s) const {
  if (!(s > 0.0)) return 0.0;
  if (s >= length_) return duration();
  double low = 0.0, high = duration();
  for (int i = 0; i < kBisections && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    (at(middle)[0] < s ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace allclear
