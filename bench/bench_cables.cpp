// What cables cost along a plan: the check that a stretch is never taut, and the room that each
// body has beside it, decided against the margin and bracketed.
//   bench_cables [TASK.yaml] [--json F]     (the dress pack of examples/ where no task is named)
#include <CLI/CLI.hpp>
#include <cstdio>

#include "allclear/config/task_file.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/minimum/cable/cable.h"
#include "allclear/planner/certificate/motion.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/problem/cables.h"
#include "bench/support/bench_report.h"

namespace allclear::bench {
namespace {

constexpr double kTolerance = 1e-4;  ///< [m] of brackets

/// A plan of the task, as curves of all links and obstacles.
struct Planned {
  Problem problem;
  CertifiedGeometry geometry;
  Trajectory trajectory;
  CertifiedMotion motion;

  explicit Planned(const Problem& of)
      : problem(of),
        geometry(certifiedGeometry(problem)),
        trajectory(planOf(problem)),
        motion(problem, geometry, trajectory, certifiedPoseTolerance(problem)) {}

  static Trajectory planOf(const Problem& problem) {
    PlanOptions options{.time_limit = 120.0};
    options.improve = Improve::kNone;
    const Plan found = plan(problem, options);
    std::printf("%s\n", found.message.c_str());
    if (!found.trajectory) throw InputError("no plan");
    return *found.trajectory;
  }

  std::vector<BodyCurve> curvesOf(const CertifiedBody& body) const {
    if (body.link >= 0) return motion.linkCurve(body.link);
    const Obstacle& obstacle = problem.obstacles[body.obstacle];
    if (!obstacle.moves()) return {BodyCurve::still(obstacle.X_WO, {0.0, motion.duration()})};
    std::vector<BodyCurve> curves;
    for (const Interval& cell : motion.cells()) curves.push_back(obstacle.curve(cell));
    return curves;
  }

  MovingCable cableOf(const CableStretch& stretch) const {
    return {stretch.a.p_L,
            stretch.b.p_L,
            motion.linkCurve(stretch.a.link),
            motion.linkCurve(stretch.b.link),
            stretch.length,
            stretch.radius};
  }
};

void spans(const Planned& planned, Report* report) {
  std::printf("\nnever taut, the whole plan (%zu cells)\n%-40s %10s %10s %10s\n",
              planned.motion.cells().size(), "stretch", "proven [m]", "seen [m]", "time [us]");
  double slowest = 0.0;
  for (const CableStretch& stretch : cableStretches(planned.problem)) {
    const MovingCable cable = planned.cableOf(stretch);
    const CableSpan span = greatestSpan(cable, kTolerance);
    const double us =
        1e-3 * nanosecondsPerCall([&](int) { keep(greatestSpan(cable, kTolerance)); });
    slowest = std::max(slowest, us);
    std::printf("%-40s %10.5f %10.5f %10.2f\n", betweenClips(planned.problem, stretch).c_str(),
                span.upper, span.lower, us);
  }
  report->figure("taut_us", slowest);
}

void rooms(const Planned& planned, Report* report) {
  std::printf("\nroom, the whole plan, hulls\n%-28s %-10s %10s %10s %8s %12s %12s\n", "stretch",
              "body", "least [mm]", "bracket", "bounds", "decide [us]", "bracket [us]");
  const double margin = planned.problem.collision.margin;
  const MotionTree tree(*planned.problem.robot);
  double far = 0.0, near = 0.0;
  for (const CableStretch& stretch : cableStretches(planned.problem)) {
    for (const CertifiedBody& body : planned.geometry.bodies) {
      const CableBody named{body.name, body.link, body.kind == CertifiedBody::Kind::kAttached};
      if (!cableExemption(planned.problem, tree, stretch, named).empty()) continue;
      const std::vector<BodyCurve> curves = planned.curvesOf(body);
      const std::vector<Geometry> solids = body.solids(MeshFidelity::kHull);
      const MovingCable cable = planned.cableOf(stretch);
      const auto all = [&](const CableRoomOptions& options) {
        CableRoom least;
        least.lower = least.upper = HUGE_VAL;
        for (const Geometry& solid : solids) {
          const CableRoom room = cableRoom(cable, {&solid.shape, solid.X_BG, curves}, options);
          least.evaluations += room.evaluations;
          least.lower = std::min(least.lower, room.lower);
          least.upper = std::min(least.upper, room.upper);
        }
        return least;
      };
      CableRoomOptions decide, bracket;
      decide.threshold = margin;
      decide.decide_only = true;
      bracket.tolerance = kTolerance;
      const CableRoom decided = all(decide), found = all(bracket);
      const double decide_us = 1e-3 * nanosecondsPerCall([&](int) { keep(all(decide)); }, 0.02, 3);
      const double bracket_us =
          1e-3 * nanosecondsPerCall([&](int) { keep(all(bracket)); }, 0.02, 3);
      (decided.evaluations == 0 ? far : near) =
          std::max(decided.evaluations == 0 ? far : near, decide_us);
      std::printf("%-28s %-10s %10.3f %10.3f %8d %12.2f %12.2f\n",
                  betweenClips(planned.problem, stretch).c_str(), body.name.c_str(),
                  1e3 * found.upper, 1e3 * (found.upper - found.lower), decided.evaluations,
                  decide_us, bracket_us);
    }
  }
  std::printf("slowest decision: %.1f us by balls alone, %.1f us else\n", far, near);
  report->figure("far_us", far);
  report->figure("near_us", near);
}

}  // namespace
}  // namespace allclear::bench

int main(int argc, char** argv) {
  CLI::App app("What cables cost along a plan.");
  std::string task = "examples/dress_pack/task.yaml", json;
  app.add_option("task", task);
  app.add_option("--json", json);
  CLI11_PARSE(app, argc, argv);
  using namespace allclear;
  bench::Report report(argc, argv);
  const bench::Planned planned(loadTask(task).problem);
  bench::spans(planned, &report);
  bench::rooms(planned, &report);
  return 0;
}
