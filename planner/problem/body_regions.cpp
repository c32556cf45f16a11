#include "allclear/planner/problem/body_regions.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "allclear/planner/problem/impact_share.h"

namespace allclear {
namespace {

ContactLimit region(const char* name, double newtons_per_millimetre, double mass, double force) {
  ContactLimit limit;
  limit.region = name;
  limit.stiffness = 1e3 * newtons_per_millimetre;
  limit.mass = mass;
  limit.force = force;
  return limit;
}

/// The shortest text that reads back to the same number.
std::string shown(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace

const char* const kBodyRegionSource =
    "ISO/TS 15066:2016, annex A, as remembered and from secondary sources; check against the "
    "standard";

const std::vector<ContactLimit>& bodyRegions() {
  // Forces of transient contact: twice those of quasi-static contact, but for skull and face, where
  // the standard has no transient contact and the quasi-static force stands.
  static const std::vector<ContactLimit> kRegions = {
      region("skull", 150.0, 4.4, 130.0),  region("face", 75.0, 4.4, 65.0),
      region("neck", 50.0, 1.2, 300.0),    region("back", 35.0, 40.0, 420.0),
      region("chest", 25.0, 40.0, 280.0),  region("abdomen", 10.0, 40.0, 220.0),
      region("pelvis", 25.0, 40.0, 360.0), region("upper_arm", 30.0, 3.0, 300.0),
      region("forearm", 40.0, 2.0, 320.0), region("hand", 75.0, 0.6, 280.0),
      region("thigh", 50.0, 75.0, 440.0),  region("lower_leg", 60.0, 75.0, 260.0),
  };
  return kRegions;
}

const ContactLimit* findBodyRegion(const std::string& name) {
  const std::vector<ContactLimit>& regions = bodyRegions();
  const auto it = std::find_if(regions.begin(), regions.end(),
                               [&](const ContactLimit& r) { return r.region == name; });
  return it == regions.end() ? nullptr : &*it;
}

// Energy is a square of a norm of the relative velocity, v - u: its root is at most that of v's
// energy and that of u's, and of the latter no more than the whole mass can have:
// sqrt(E) <= sqrt(E(v)) + |u| sqrt(m / 2). With F = sqrt(2 k E) the second term is |u| sqrt(k m).
double ownForce(const ContactLimit& limit) {
  return limit.human_speed * std::sqrt(limit.stiffness * limit.mass);
}

std::vector<Finding> contactLimitFindings(const Problem& problem) {
  std::vector<Finding> findings;
  const auto check = [&](const std::string& what, double value, bool zero_allowed) {
    if (std::isfinite(value) && (value > 0.0 || (zero_allowed && value == 0.0))) return;
    const char* why = zero_allowed ? " must not be negative" : " must be positive";
    findings.push_back({what, value, 0.0, what + ": " + shown(value) + why});
  };
  for (const ContactLimit& limit : problem.limits.contact) {
    const std::string what = "limits: contact: " + limit.region;
    check(what + ": stiffness", limit.stiffness, false);
    check(what + ": mass", limit.mass, false);
    check(what + ": force", limit.forceLimit(), false);
    check(what + ": human_speed", limit.human_speed, true);
    // No plan can mend this: the robot need not move at all.
    const double own = ownForce(limit), most = limit.forceLimit();
    if (!(own >= most)) continue;
    findings.push_back({what, own, most,
                        what + ": at a human_speed of " + shown(limit.human_speed) +
                            " m/s the region meets even a robot at rest with " + shown(own) +
                            " N, beyond its limit of " + shown(most) + " N"});
  }
  if (problem.limits.slow_down && !maySlowDown(problem)) {
    findings.push_back(
        {"limits: slow_down", 1.0, 0.0,
         "limits: slow_down: a plan cannot be slowed down that has a fixed duration, "
         "waypoints with a time, velocities at its ends, or forces at its feet"});
  }
  for (const MinimumGap& gap : problem.collision.gaps) {
    check("limits: gaps: " + gap.region, gap.gap, false);
  }
  return findings;
}

}  // namespace allclear
