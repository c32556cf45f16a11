// The whole of it without a file: a robot by names, a scene in code, a plan, its samples, and how
// near two bodies come.
#include <cstdio>

#include "allclear/core/input_error.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/workcell.h"

int main(int argc, char** argv) {
  using namespace allclear;
  if (argc != 3) {
    std::fprintf(stderr, "usage: example_workcell ROBOT.urdf ROBOT.srdf\n");
    return 2;
  }
  try {
    const Robot robot(argv[1], argv[2]);
    const JointGroup arm = robot.group("arm");
    const VecX start = arm.state("ready");
    const VecX goal = robot.configuration({{"joint1", 1.5}, {"joint2", 0.2}}, start);

    Scene scene;
    scene.addBox("post", {0.1, 0.1, 1.2}, {Mat3::Identity(), {0.45, 0.45, 0.6}});
    scene.addPlane("floor", Vec3::UnitZ(), -0.001);
    scene.attach("part", robot, "tool", Sphere(0.03), {Mat3::Identity(), {0.0, 0.0, 0.1}});

    Problem problem = makeProblem(robot, "arm", start, goal, scene);
    problem.collision.margin = 0.005;
    const auto closest = closestPair(problem, start);
    if (closest) std::printf("at the start %s\n", describe(*closest).c_str());

    const Plan plan = allclear::plan(problem);
    std::printf("%s\n", plan.message.c_str());
    if (plan.status != PlanStatus::kCertified) return 3;
    const HermiteCurve rows = controllerRows(*plan.trajectory, 100.0);
    std::printf("%zu rows for a controller; joint1 ends at %.3f rad\n", rows.times().size(),
                rows.positions()(0, rows.spanCount()));
    const LeastDistance least = leastDistance(problem, *plan.trajectory, "part", "post");
    std::printf("'part' and 'post' are never nearer than %.4f m: at t = %.2f s\n",
                least.distance.lower, least.t);
    return least.distance.lower >= problem.collision.margin ? 0 : 1;
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
