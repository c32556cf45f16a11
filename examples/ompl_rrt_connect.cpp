// Plans a task with OMPL's RRTConnect, whose edges Allclear proves clear, and certifies the result:
// what to do where a planner is in place already and only its samples are not trusted.
#include <ompl/base/objectives/PathLengthOptimizationObjective.h>
#include <ompl/geometric/PathSimplifier.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/RandomNumbers.h>

#include <cstdio>

#include "allclear/config/task_file.h"
#include "allclear/core/input_error.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/segment_clearance.h"
#include "allclear/planner/timing.h"
#include "ompl_motion_validator.h"

namespace {

using namespace allclear;
namespace ob = ompl::base;
namespace og = ompl::geometric;

/// The planned coordinates within their limits; those without any, one turn either way.
std::shared_ptr<ob::RealVectorStateSpace> stateSpace(const Problem& problem) {
  const PlannedLimits limits = plannedLimits(problem);
  const auto space = std::make_shared<ob::RealVectorStateSpace>(problem.plannedCount());
  ob::RealVectorBounds bounds(problem.plannedCount());
  for (int i = 0; i < problem.plannedCount(); ++i) {
    const double here = problem.start[problem.planned[i]];
    bounds.setLow(i, std::max(limits.lower[i], here - 6.3));
    bounds.setHigh(i, std::min(limits.upper[i], here + 6.3));
  }
  space->setBounds(bounds);
  return space;
}

ob::ScopedState<> stateAt(const ob::StateSpacePtr& space, const VecX& q) {
  ob::ScopedState<> state(space);
  for (int i = 0; i < q.size(); ++i) state[i] = q[i];
  return state;
}

/// Corners of a path that OMPL found, each edge of it proved clear; empty when it found none.
std::vector<VecX> findPath(const Problem& problem, const VecX& goal, double seconds) {
  const auto clearance = std::make_shared<SegmentClearance>(problem);
  const auto space = stateSpace(problem);
  const auto dimension = static_cast<unsigned>(problem.plannedCount());
  og::SimpleSetup setup(space);
  const ob::SpaceInformationPtr& si = setup.getSpaceInformation();
  setup.setStateValidityChecker([&](const ob::State* state) {
    return clearance->isClear(CertifiedMotionValidator::configuration(state, dimension));
  });
  si->setMotionValidator(std::make_shared<CertifiedMotionValidator>(si, clearance));
  setup.setPlanner(std::make_shared<og::RRTConnect>(si));
  setup.setStartAndGoalStates(stateAt(space, problem.plannedPart(problem.start)),
                              stateAt(space, goal));
  if (setup.solve(seconds) != ob::PlannerStatus::EXACT_SOLUTION) return {};
  og::PathGeometric& path = setup.getSolutionPath();
  const std::size_t found = path.getStateCount();
  og::PathSimplifier(si).reduceVertices(path);
  std::printf("%zu corners found, %zu after shortcuts; %ld edges were asked about, %ld proved\n",
              found, path.getStateCount(), clearance->statistics().segments,
              clearance->statistics().certified);
  std::vector<VecX> corners;
  for (const ob::State* state : path.getStates()) {
    corners.push_back(CertifiedMotionValidator::configuration(state, dimension));
  }
  return corners;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: example_ompl_rrt_connect TASK.yaml\n");
    return 2;
  }
  try {
    ompl::msg::setLogLevel(ompl::msg::LOG_WARN);
    ompl::RNG::setSeed(1);
    const Task task = loadTask(argv[1]);
    const Problem& problem = task.problem;
    const auto* goal = std::get_if<JointTarget>(&problem.goal);
    if (goal == nullptr) throw InputError("this example needs a goal of joint values");
    const std::vector<VecX> corners = findPath(problem, goal->values, task.options.time_limit);
    if (corners.empty()) {
      std::printf("no path found\n");
      return 3;
    }
    // The path as a motion that rests at its corners; what it keeps is proved anew.
    const Trajectory trajectory(restingAtCorners(problem, corners));
    const Certificate certificate = certify(problem, trajectory);
    std::printf("%s\n", certificate.message.c_str());
    return certificate.clear ? 0 : 5;
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
