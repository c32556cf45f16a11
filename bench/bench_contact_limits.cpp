// What it costs to prove the force of unplanned contacts along a plan, and how tight the proof is.
//   bench_contact_limits [ROBOTS_FOLDER]
// For robots of the shared data, as sphere covers and as meshes: swings of all joints between
// random configurations at 0.9 of their speed limits. Per region: the greatest force at 4,000
// instants (all points, worst direction), the bounds by the cheap form and by the tight one (close
// to the values everywhere), with cells and time; what the certificate does (cheap first, tight
// where needed); and by how much the plan would have to be slower.
#include <ctime>
#include <filesystem>
#include <iostream>

#include "allclear/core/input_error.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/impact_bounds.h"
#include "allclear/planner/problem/body_regions.h"
#include "allclear/planner/problem/impact_energy.h"
#include "allclear/robot_models/load_robot.h"
#include "bench/support/known_masses.h"
#include "tests/support/random_robot.h"

namespace allclear {
namespace {

double cpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Case {
  const char* name;
  const char* urdf;
  const char* srdf;
  const char* group;
};

Problem swing(const std::shared_ptr<const RobotModel>& robot, const char* group,
              test::Random& random) {
  Problem problem;
  problem.robot = robot;
  problem.planned = robot->findGroup(group)->coordinates;
  std::sort(problem.planned.begin(), problem.planned.end());
  problem.start = robot->neutralConfiguration();
  VecX goal(problem.plannedCount());
  for (int k = 0; k < problem.plannedCount(); ++k) {
    const Coordinate& c = robot->coordinates()[problem.planned[k]];
    const double low = std::max(c.lower, -2.8), high = std::min(c.upper, 2.8);
    problem.start[problem.planned[k]] = random.uniform(low, high);
    goal[k] = random.uniform(low, high);
  }
  problem.goal = JointTarget{problem.planned, goal};
  return problem;
}

Trajectory splineFor(const Problem& problem) {
  constexpr int kCount = 13;  // 8 spans
  const VecX from = problem.plannedPart(problem.start);
  const VecX to = std::get<JointTarget>(problem.goal).values;
  MatX control(from.size(), kCount);
  for (int i = 0; i < kCount; ++i) {
    const double s = std::clamp((i - 2.0) / (kCount - 5.0), 0.0, 1.0);
    control.col(i) = from + s * (to - from);
  }
  const BSpline curve(control, 1.0);
  const PlannedLimits limits = plannedLimits(problem);
  double fastest = 0.0;
  for (int i = 0; i <= 400; ++i) {
    fastest = std::max(
        fastest, curve.value(i / 400.0, 1).cwiseAbs().cwiseQuotient(limits.velocity).maxCoeff());
  }
  return curve.withDuration(fastest / 0.9);
}

double sampled(const Problem& problem, const ImpactModel& model, const Trajectory& trajectory) {
  constexpr int kInstants = 4000;
  ImpactEnergy energy(model);
  const ContactLimit& limit = problem.limits.contact[0];
  double most = 0.0;
  for (int i = 0; i <= kInstants; ++i) {
    const double t = trajectory.duration() * i / kInstants;
    const VecX rates = trajectory.value(t, 1);
    VecX v = VecX::Zero(problem.robot->dimension());
    for (int k = 0; k < problem.plannedCount(); ++k) v[problem.planned[k]] = rates[k];
    energy.place(problem.configuration(trajectory.value(t)), v);
    for (const ImpactBody& body : model.bodies()) {
      // The exact energy is at most the cheap one: it matters only where that is greater.
      if (energy.fastest(body, limit.mass).energy <= most) continue;
      most = std::max(most, energy.worst(body, limit.mass).energy);
    }
  }
  return springForce(limit, most);
}

struct Timed {
  double force = 0.0;
  std::size_t cells = 0;
  double milliseconds = 0.0;
};

Timed timed(const Problem& problem, const ImpactModel& model, const Trajectory& trajectory,
            const ImpactBoundOptions& options) {
  constexpr double kLong = 0.05;  // [s] of runs, for the clock's resolution
  Timed out;
  int runs = 0;
  const double start = cpuSeconds();
  do {
    const ImpactBounds found = impactBounds(problem, model, trajectory, options);
    out.force = 0.0;
    for (const ImpactBound& bound : found.bounds) out.force = std::max(out.force, bound.upper);
    out.cells = found.cells.size();
    ++runs;
  } while (cpuSeconds() - start < kLong);
  out.milliseconds = 1e3 * (cpuSeconds() - start) / runs;
  return out;
}

void runCase(const Case& of, const std::filesystem::path& folder) {
  RobotSource source;
  source.urdf = folder / of.urdf;
  source.srdf = folder / of.srdf;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    source.package_map[entry.path().filename()] = entry.path();
  }
  const auto robot = bench::withKnownMasses(std::make_shared<const RobotModel>(loadRobot(source)));
  test::Random random(7);
  for (int plan = 0; plan < 2; ++plan) {
    Problem problem = swing(robot, of.group, random);
    const Trajectory trajectory = splineFor(problem);
    for (const char* region : {"hand", "forearm", "upper_arm", "chest", "thigh"}) {
      problem.limits.contact = {*findBodyRegion(region)};
      const ImpactModel model(problem);
      const double seen = sampled(problem, model, trajectory);
      const Timed cheap = timed(problem, model, trajectory, {.tight = false, .everywhere = true});
      const Timed tight = timed(problem, model, trajectory, {.everywhere = true});
      const Timed needed = timed(problem, model, trajectory, {});
      const double limit = problem.limits.contact[0].forceLimit();
      std::printf(
          "%-14s %d %-9s %5d %7.1f | %7.1f %4zu %7.2f | %7.1f %4zu %7.2f %5.2f%% | %7.1f %4zu "
          "%7.2f | %5.2f\n",
          of.name, plan, region, model.pointCount(), seen, cheap.force, cheap.cells,
          cheap.milliseconds, tight.force, tight.cells, tight.milliseconds,
          100.0 * (tight.force * tight.force / (seen * seen) - 1.0), needed.force, needed.cells,
          needed.milliseconds, std::max(1.0, tight.force / limit));
    }
  }
}

}  // namespace
}  // namespace allclear

int main(int argc, char** argv) {
  using namespace allclear;
  const char* data = std::getenv("ALLCLEAR_DATA");
  const std::filesystem::path folder =
      argc > 1 ? argv[1] : std::filesystem::path(data ? data : "../shared/data") / "robots";
  const Case cases[] = {
      {"Panda spheres", "panda_description/urdf/panda_spherized.urdf",
       "panda_description/srdf/panda.srdf", "panda_arm"},
      {"Panda hulls", "panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf",
       "panda_arm"},
      {"UR5 spheres", "ur5_description/urdf/ur5_robotiq85_spherized.urdf",
       "ur5_description/srdf/ur5_robotiq85.srdf", "manipulator"},
      {"UR5 hulls", "ur5_description/urdf/ur5_robotiq85.urdf",
       "ur5_description/srdf/ur5_robotiq85.srdf", "manipulator"},
  };
  std::printf(
      "robot      plan region   points  worst N |   cheap cells     ms |   tight cells     ms "
      "energy | certif. cells     ms | slower\n");
  for (const Case& of : cases) {
    try {
      runCase(of, folder);
    } catch (const std::exception& error) {
      std::cerr << of.name << ": " << error.what() << "\n";
    }
  }
}
