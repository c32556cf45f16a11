#include "allclear/planner/certificate/limit_statement.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "allclear/planner/certificate/words.h"

namespace allclear {
namespace {

/// Joints that repeat a planned one.
std::vector<std::string> followersOf(const Problem& problem) {
  std::vector<std::string> names;
  for (const Joint& joint : problem.robot->joints()) {
    if (!joint.mimic) continue;
    const auto& planned = problem.planned;
    if (std::find(planned.begin(), planned.end(), joint.mimic->coordinate) != planned.end()) {
      names.push_back(joint.name);
    }
  }
  return names;
}

}  // namespace

std::vector<Assumption> limitAssumptions(const Problem& problem) {
  std::vector<std::string> acceleration, jerk, velocity, effort, lowered, unlimited;
  std::size_t joints = 0;
  const LimitSettings& limits = problem.limits;
  const auto isGiven = [](const VecX& values, int c) {
    return c < values.size() && !std::isnan(values[c]);
  };
  for (int c : problem.planned) {
    const Coordinate& joint = problem.robot->coordinates()[c];
    // Each limit on its own: a task may give the acceleration and leave the jerk to the default.
    const bool by_default = !isGiven(limits.acceleration, c) || !isGiven(limits.jerk, c);
    if (!isGiven(limits.acceleration, c)) acceleration.push_back(joint.name);
    if (!isGiven(limits.jerk, c)) jerk.push_back(joint.name);
    if (!std::isfinite(joint.velocity)) velocity.push_back(joint.name);
    if (isGiven(limits.velocity, c))
      lowered.push_back(joint.name + " = " + shown(limits.velocity[c]));
    if (isGiven(limits.jerk, c) && std::isinf(limits.jerk[c])) unlimited.push_back(joint.name);
    if (limits.torque && !std::isfinite(joint.effort)) effort.push_back(joint.name);
    joints += by_default || !std::isfinite(joint.velocity);
  }
  const std::vector<std::string> followers =
      limits.torque ? followersOf(problem) : std::vector<std::string>();
  std::string text;
  const auto say = [&](const std::vector<std::string>& names, const std::string& what) {
    if (!names.empty()) text += (text.empty() ? "" : " ") + what + joined(names) + ".";
  };
  say(acceleration, "Limits of acceleration are " + shown(LimitSettings::kAccelerationPerVelocity) +
                        " /s times that of velocity by default, for ");
  say(jerk, "Limits of jerk are " + shown(LimitSettings::kJerkPerVelocity) +
                " /s^2 times that of velocity by default, for ");
  say(velocity, "The URDF does not limit the velocity (the defaults take it as " +
                    shown(LimitSettings::kVelocityWhenUnlimited) + ") of ");
  say(effort, "The URDF does not limit the torque of ");
  say(followers,
      "Limits of torque are those of the joints that are repeated, which must do the work of those "
      "that repeat them; not kept are limits of their own, of ");
  say(lowered, "Limits of velocity taken from the task [rad/s or m/s]: ");
  say(unlimited, "No limit of jerk but full acceleration within " +
                     shown(1e3 * LimitSettings::kSwitch) + " ms for ");
  if (text.empty()) return {};
  std::string brief;
  if (joints > 0) brief = "limits of " + counted(joints, "joint") + " by default";
  if (!effort.empty()) {
    brief += (brief.empty() ? "" : ", ") + counted(effort.size(), "torque") + " not limited";
  }
  if (!followers.empty()) {
    brief += (brief.empty() ? "" : ", ") + counted(followers.size(), "mimic joint") +
             " without a torque limit";
  }
  return {{"limits", text, brief}};
}

}  // namespace allclear
