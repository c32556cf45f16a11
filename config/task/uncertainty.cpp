// The section `uncertainty`: how far joints, obstacles and base may be from where the plan has
// them.
#include "allclear/config/task/sections.h"
#include "allclear/core/input_error.h"

namespace allclear {
namespace {

constexpr const char* kDefault = "default";  ///< the key for all that are not named

/// Reads one number for all, or `{default: .., name: ..}`; what is neither named nor covered by a
/// default is certain. `indexOf` finds the place of a name, or fails.
template <class IndexOf>
VecX readByName(const Value& value, std::size_t count, const IndexOf& indexOf) {
  VecX out = VecX::Zero(static_cast<Eigen::Index>(count));
  if (!value.isMap()) {
    out.setConstant(value.notNegative());
    return out;
  }
  if (const auto all = value.find(kDefault)) out.setConstant(all->notNegative());
  for (const Value::Entry& entry : value.entries()) {
    if (entry.key != kDefault) out[indexOf(entry)] = entry.value.notNegative();
  }
  return out;
}

int obstacleIndex(const Value::Entry& entry, const Problem& problem) {
  std::vector<std::string> known;
  for (const Obstacle& obstacle : problem.obstacles) {
    if (obstacle.id == entry.key) return static_cast<int>(known.size());
    known.push_back(obstacle.id);
  }
  entry.value.fail("there is no obstacle '" + entry.key + "'" + didYouMean(entry.key, known));
}

}  // namespace

/// Names must be known, or a misspelt one would leave its joint certain, unnoticed.
void readUncertainty(const Value& task, Problem& problem) {
  const auto section = task.find("uncertainty");
  if (!section) return;
  section->only({"joints", "obstacles", "base"});
  Uncertainty& uncertainty = problem.uncertainty;
  if (const auto joints = section->find("joints")) {
    uncertainty.joints =
        readByName(*joints, problem.robot->coordinates().size(), [&](const Value::Entry& entry) {
          return coordinateIndex(entry.key, entry.value, *problem.robot);
        });
  }
  if (const auto obstacles = section->find("obstacles")) {
    uncertainty.obstacles =
        readByName(*obstacles, problem.obstacles.size(),
                   [&](const Value::Entry& entry) { return obstacleIndex(entry, problem); });
  }
  const auto base = section->find("base");
  if (!base) return;
  // A plain number is of the position: the base then stands at its angle exactly.
  if (!base->isMap()) {
    uncertainty.base_position = base->notNegative();
    return;
  }
  base->only({"position", "angle"});
  if (const auto value = base->find("position")) uncertainty.base_position = value->notNegative();
  if (const auto value = base->find("angle")) uncertainty.base_angle = value->notNegative();
}

}  // namespace allclear
