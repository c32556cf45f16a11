#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allclear/planner/planner.h"

namespace allclear {

/// What a loaded planner is asked: vectors over its planned joints, in the order of
/// `Planner::jointNames`.
struct PlanQuery {
  VecX start;
  Target goal;
  VecX start_velocity;      ///< empty: at rest
  VecX start_acceleration;  ///< empty: zero
  VecX goal_velocity;       ///< empty: at rest
  VecX goal_acceleration;   ///< empty: zero
};

/// A planner that stays loaded: holds a robot, its scene and the settings of a problem, and plans
/// from one state to another again and again. What is derived from meshes (hulls, convex covers,
/// what is closed) is made once, when it is first needed, and shared with every copy.
///
/// A plan is the same, to the bit, as that of `allclear::plan` for `problemOf(query)` with the same
/// options; unless warm starts are on (`useWarmStart`).
///
/// Threads: one planner is for one thread at a time. Copies are cheap (they share robot and meshes,
/// which several threads may use at once) and independent in all else: give each thread its own.
class Planner {
 public:
  /// All but start and goal of `problem` is what every query is planned with: robot, planned
  /// joints, where the others are (`Problem::start`), scene, limits, objective, path constraints.
  /// Waypoints and times stay, too. Prepares the hulls of all meshes.
  explicit Planner(Problem problem, const PlanOptions& options = {});

  const Problem& problem() const { return problem_; }
  PlanOptions& options() { return options_; }
  const PlanOptions& options() const { return options_; }

  /// Names of the planned joints (`Coordinate::name`), in the order of all vectors of a query.
  std::vector<std::string> jointNames() const;
  /// The planned joints' values of a full configuration that names each of them once, in any order.
  /// Throws `InputError`, with the nearest name, for one that is unknown, missing, or not planned.
  VecX jointValues(const std::vector<std::string>& names, const VecX& values) const;
  /// A goal of joints.
  Target jointGoal(const VecX& values) const;

  /// What a query is planned as. Wrapping joints take the shorter arc (`chooseNearestTurns`).
  /// Throws `InputError` when a vector has another length than there are planned joints.
  Problem problemOf(const PlanQuery& query) const;

  /// Plans. Throws `InputError` as `allclear::plan` does.
  Plan plan(const PlanQuery& query, const PlanHooks& hooks = {});
  /// From rest to rest.
  Plan plan(const VecX& start, const VecX& goal, const PlanHooks& hooks = {});

  /// Moves an obstacle that stands still. Throws `InputError` when there is none of that name, or
  /// it moves by itself.
  void update(const std::string& obstacle, const Pose& X_WO);
  /// Throws `InputError` when the name is taken.
  void add(Obstacle obstacle);
  /// Throws `InputError` when there is none of that name.
  void remove(const std::string& obstacle);

  /// Whether the last certified plan is the first guess of the next, bent to its start and goal;
  /// off at first. Only a guess: where it is not nearly clear, or does not become a certified plan,
  /// the search goes on as without it. A plan then depends on the plans before it, and on nothing
  /// else: the same sequence of queries gives the same plans.
  void useWarmStart(bool is_on);
  /// Forgets the last plan.
  void forget() { last_.reset(); }

 private:
  Obstacle& obstacle(const std::string& id);

  Problem problem_;
  PlanOptions options_;
  bool is_warm_ = false;
  std::optional<Trajectory> last_;  ///< of the last certified plan, where warm starts are on
};

}  // namespace allclear
