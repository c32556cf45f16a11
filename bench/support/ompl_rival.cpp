#include "bench/support/ompl_rival.h"

#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "bench/plan_check_fcl.h"

namespace allclear::bench {
namespace {

namespace ob = ompl::base;
namespace og = ompl::geometric;

/// OMPL's random numbers are of the process: one seed makes a run repeatable.
constexpr unsigned kOmplSeed = 1;
/// Joints without limits may turn so far [rad] from the start: a full turn and a little.
constexpr double kUnlimited = 6.3;

std::shared_ptr<ob::RealVectorStateSpace> stateSpace(const Problem& problem) {
  const PlannedLimits limits = plannedLimits(problem);
  const int n = problem.plannedCount();
  const auto space = std::make_shared<ob::RealVectorStateSpace>(static_cast<unsigned>(n));
  ob::RealVectorBounds bounds(static_cast<unsigned>(n));
  for (int i = 0; i < n; ++i) {
    const double here = problem.start[problem.planned[i]];
    const auto k = static_cast<unsigned>(i);
    bounds.setLow(k, std::isfinite(limits.lower[i]) ? limits.lower[i] : here - kUnlimited);
    bounds.setHigh(k, std::isfinite(limits.upper[i]) ? limits.upper[i] : here + kUnlimited);
  }
  space->setBounds(bounds);
  return space;
}

VecX configuration(const ob::State* state, int dimension) {
  return Eigen::Map<const VecX>(state->as<ob::RealVectorStateSpace::StateType>()->values,
                                dimension);
}

ob::ScopedState<> stateAt(const ob::StateSpacePtr& space, const VecX& q) {
  ob::ScopedState<> state(space);
  for (int i = 0; i < q.size(); ++i) state[static_cast<unsigned>(i)] = q[i];
  return state;
}

double lengthOf(const std::vector<VecX>& path) {
  double length = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) length += (path[i] - path[i - 1]).norm();
  return length;
}

/// A point of the path at a share of its length.
VecX pointAt(const std::vector<VecX>& path, double share) {
  double left = share * lengthOf(path);
  for (std::size_t i = 1; i < path.size(); ++i) {
    const VecX step = path[i] - path[i - 1];
    if (left <= step.norm()) return path[i - 1] + left / std::max(step.norm(), 1e-300) * step;
    left -= step.norm();
  }
  return path.back();
}

void audit(FclPlanCheck& fcl, const std::vector<VecX>& path, int samples, unsigned seed,
           RivalFigures* figures) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> anywhere(0.0, 1.0);
  for (int i = 0; i < samples; ++i) {
    const double share = i == 0 ? 0.0 : i == 1 ? 1.0 : anywhere(random);
    const FclPlanCheck::Instant at = fcl.instant(pointAt(path, share));
    ++figures->samples;
    figures->contacts += at.distance <= 0.0;
    figures->short_of_margin += at.excess < 0.0;
  }
}

}  // namespace

RivalFigures planByOmpl(const Problem& problem, double time_limit, int samples, unsigned seed) {
  static const bool is_seeded = [] {
    ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
    ompl::RNG::setSeed(kOmplSeed);
    return true;
  }();
  (void)is_seeded;
  RivalFigures figures;
  FclPlanCheck fcl(problem);
  const VecX start = problem.plannedPart(problem.start);
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto space = stateSpace(problem);
  og::SimpleSetup setup(space);
  setup.setStateValidityChecker([&](const ob::State* state) {
    return space->satisfiesBounds(state) &&
           !fcl.touches(configuration(state, problem.plannedCount()));
  });
  setup.setPlanner(std::make_shared<og::RRTConnect>(setup.getSpaceInformation()));
  setup.setStartAndGoalStates(stateAt(space, start), stateAt(space, goal));
  if (setup.solve(time_limit) == ob::PlannerStatus::EXACT_SOLUTION) {
    setup.simplifySolution(std::max(0.0, time_limit - seconds()));
    figures.solved = true;
  }
  figures.seconds = seconds();
  if (!figures.solved) return figures;
  std::vector<VecX> path;
  for (const ob::State* state : setup.getSolutionPath().getStates()) {
    path.push_back(configuration(state, problem.plannedCount()));
  }
  figures.length_ratio = lengthOf(path) / std::max((goal - start).norm(), 1e-9);
  audit(fcl, path, samples, seed, &figures);
  return figures;
}

}  // namespace allclear::bench
