// A planner that stays loaded. What makes the first plan of a process slow is kept by the meshes
// themselves (distance/mesh/prepared.h): a planner has only to hold them. Everything else of a plan
// depends on its start and goal, and is made anew, so that no query can spoil the next.
#include "allclear/planner/loaded_planner.h"

#include <algorithm>

#include "allclear/core/input_error.h"
#include "allclear/core/parallel.h"
#include "allclear/distance/convex_cover.h"
#include "allclear/planner/search/plan_run.h"

namespace allclear {
namespace {

/// Makes the hulls of the meshes, which every plan needs.
/// The solids returned are dropped on purpose: what counts is that each mesh has made its hull and
/// keeps it. Finer covers are made when a query first needs them.
void prepare(const std::vector<const std::vector<Geometry>*>& bodies, int threads) {
  parallelFor(threadCount(threads), static_cast<int>(bodies.size()),
              [&](int i, int) { enclosingSolids(*bodies[i], MeshFidelity::kHull); });
}

std::vector<std::string> idsOf(const std::vector<Obstacle>& obstacles) {
  std::vector<std::string> ids;
  for (const Obstacle& obstacle : obstacles) ids.push_back(obstacle.id);
  return ids;
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "'" : ", '") + name + "'";
  return out.empty() ? "none" : out;
}

}  // namespace

Planner::Planner(Problem problem, const PlanOptions& options)
    : problem_(std::move(problem)), options_(options) {
  std::vector<const std::vector<Geometry>*> bodies;
  for (const Link& link : problem_.robot->links()) bodies.push_back(&link.collision);
  for (const AttachedObject& object : problem_.attached) bodies.push_back(&object.geometry);
  for (const Obstacle& obstacle : problem_.obstacles) bodies.push_back(&obstacle.geometry);
  prepare(bodies, options_.threads);
}

std::vector<std::string> Planner::jointNames() const {
  std::vector<std::string> names;
  for (int c : problem_.planned) names.push_back(problem_.robot->coordinates()[c].name);
  return names;
}

/// By names, as messages of other programs have their own order of joints. Each planned joint
/// exactly once: as many names as values could still name one twice and another not at all, which
/// would then stand at 0.
VecX Planner::jointValues(const std::vector<std::string>& names, const VecX& values) const {
  const std::vector<std::string> planned = jointNames();
  if (static_cast<Eigen::Index>(names.size()) != values.size()) {
    throw InputError({"", 0, "joints", ""}, std::to_string(names.size()) + " names for " +
                                                std::to_string(values.size()) + " values");
  }
  VecX out = VecX::Zero(problem_.plannedCount());
  std::vector<char> is_given(planned.size(), 0);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at = std::find(planned.begin(), planned.end(), names[i]);
    if (at == planned.end()) {
      throw InputError({"", 0, "joints", names[i]},
                       "is no planned joint; these are: " + listed(planned));
    }
    const auto k = at - planned.begin();
    if (is_given[k]) throw InputError({"", 0, "joints", names[i]}, "is given twice");
    is_given[k] = 1;
    out[k] = values[static_cast<Eigen::Index>(i)];
  }
  for (std::size_t k = 0; k < planned.size(); ++k) {
    if (!is_given[k]) throw InputError({"", 0, "joints", planned[k]}, "has no value");
  }
  return out;
}

Target Planner::jointGoal(const VecX& values) const {
  return JointTarget{problem_.planned, values};
}

Problem Planner::problemOf(const PlanQuery& query) const {
  const auto requireLength = [&](const VecX& vector, const char* what, bool may_be_empty) {
    if (vector.size() == problem_.plannedCount() || (may_be_empty && vector.size() == 0)) return;
    throw InputError({"", 0, what, ""}, "has " + std::to_string(vector.size()) + " values for " +
                                            std::to_string(problem_.plannedCount()) +
                                            " planned joints");
  };
  // Before `configuration`, which indexes the start without looking. An empty rate is rest.
  requireLength(query.start, "start", false);
  requireLength(query.start_velocity, "start_velocity", true);
  requireLength(query.start_acceleration, "start_acceleration", true);
  requireLength(query.goal_velocity, "goal_velocity", true);
  requireLength(query.goal_acceleration, "goal_acceleration", true);
  Problem problem = problem_;
  problem.start = problem_.configuration(query.start);
  problem.start_velocity = query.start_velocity;
  problem.start_acceleration = query.start_acceleration;
  problem.goal = query.goal;
  problem.goal_velocity = query.goal_velocity;
  problem.goal_acceleration = query.goal_acceleration;
  chooseNearestTurns(problem);
  return problem;
}

Plan Planner::plan(const PlanQuery& query, const PlanHooks& hooks) {
  // Only certified plans are remembered, and a query that fails forgets none: the guess may be
  // poor, never wrong, as what comes of it is certified like any other plan.
  const bool is_warm = is_warm_ && last_.has_value();
  Plan out = planFrom(problemOf(query), options_, hooks, is_warm ? &*last_ : nullptr);
  if (is_warm_ && out.certificate && out.certificate->clear) last_ = out.trajectory;
  return out;
}

Plan Planner::plan(const VecX& start, const VecX& goal, const PlanHooks& hooks) {
  return plan(PlanQuery{start, jointGoal(goal), {}, {}, {}, {}}, hooks);
}

Obstacle& Planner::obstacle(const std::string& id) {
  for (Obstacle& obstacle : problem_.obstacles) {
    if (obstacle.id == id) return obstacle;
  }
  throw InputError({"", 0, "obstacle", id},
                   "there is no such obstacle; there are: " + listed(idsOf(problem_.obstacles)));
}

/// A body that moves by itself is where its motion says (`Obstacle::curve`): a new X_WO would be
/// taken without an effect.
void Planner::update(const std::string& id, const Pose& X_WO) {
  Obstacle& moved = obstacle(id);
  if (!moved.motion.empty()) {
    throw InputError({"", 0, "obstacle", id}, "moves by itself; remove it and add it anew");
  }
  moved.X_WO = X_WO;
}

void Planner::add(Obstacle obstacle) {
  const auto isTaken = [&](const auto& known) { return known.id == obstacle.id; };
  if (std::any_of(problem_.obstacles.begin(), problem_.obstacles.end(), isTaken) ||
      std::any_of(problem_.attached.begin(), problem_.attached.end(), isTaken)) {
    throw InputError({"", 0, "obstacle", obstacle.id}, "the name is taken");
  }
  // One uncertainty for each obstacle: a new one has none.
  if (problem_.uncertainty.obstacles.size() > 0) {
    VecX& uncertain = problem_.uncertainty.obstacles;
    uncertain.conservativeResize(uncertain.size() + 1);
    uncertain[uncertain.size() - 1] = 0.0;
  }
  prepare({&obstacle.geometry}, options_.threads);
  problem_.obstacles.push_back(std::move(obstacle));
}

void Planner::remove(const std::string& id) {
  const auto at = &obstacle(id) - problem_.obstacles.data();
  problem_.obstacles.erase(problem_.obstacles.begin() + at);
  // Uncertainties are by the place in the list: those behind move up with their obstacles, else
  // each would get that of its neighbour.
  VecX& uncertain = problem_.uncertainty.obstacles;
  if (uncertain.size() == 0) return;
  for (Eigen::Index k = at; k + 1 < uncertain.size(); ++k) uncertain[k] = uncertain[k + 1];
  uncertain.conservativeResize(uncertain.size() - 1);
}

/// Off forgets: what is planned after it is switched on again depends on the plans since then
/// alone.
void Planner::useWarmStart(bool is_on) {
  is_warm_ = is_on;
  if (!is_on) forget();
}

}  // namespace allclear
