#include "allclear/planner/problem/alternatives.h"

#include "allclear/core/assert.h"

namespace allclear {
namespace {

/// Calls `use` for the target, or for each of its alternatives.
template <class Use>
void forEachSingle(const Target& target, const Use& use) {
  if (const auto* any = std::get_if<AnyTarget>(&target)) {
    for (const GoalAlternative& alternative : any->alternatives) {
      forEachSingle(toTarget(alternative.target), use);
    }
    return;
  }
  use(target);
}

}  // namespace

const AnyTarget* alternativesOf(const Problem& problem) {
  return std::get_if<AnyTarget>(&problem.goal);
}

Target toTarget(const SingleTarget& target) {
  return std::visit([](const auto& of_kind) { return Target(of_kind); }, target);
}

Problem withAlternative(const Problem& problem, int alternative) {
  const AnyTarget* any = alternativesOf(problem);
  ALLCLEAR_ASSERT(any != nullptr && alternative >= 0 &&
                  alternative < static_cast<int>(any->alternatives.size()));
  // Copied first: the target is a part of what it replaces.
  Target target = toTarget(any->alternatives[alternative].target);
  Problem single = problem;
  single.goal = std::move(target);
  return single;
}

std::string alternativeName(const AnyTarget& any, int alternative) {
  const std::string& name = any.alternatives[alternative].name;
  const std::string place =
      std::to_string(alternative + 1) + " of " + std::to_string(any.alternatives.size());
  return name.empty() ? "alternative " + place : "'" + name + "' (" + place + ")";
}

std::vector<PoseTarget> posesOf(const Target& target) {
  std::vector<PoseTarget> poses;
  forEachSingle(target, [&](const Target& single) {
    if (const auto* pose = std::get_if<PoseTarget>(&single)) poses.push_back(*pose);
    if (const auto* posture = std::get_if<PostureTarget>(&single)) {
      poses.insert(poses.end(), posture->poses.begin(), posture->poses.end());
    }
  });
  return poses;
}

std::vector<LookAtTarget> looksOf(const Target& target) {
  std::vector<LookAtTarget> looks;
  forEachSingle(target, [&](const Target& single) {
    const auto* posture = std::get_if<PostureTarget>(&single);
    if (posture != nullptr) looks.insert(looks.end(), posture->looks.begin(), posture->looks.end());
  });
  return looks;
}

}  // namespace allclear
