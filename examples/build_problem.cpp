// Builds a problem in code, without a task file, and plans it.
#include <cstdio>

#include "allclear/core/input_error.h"
#include "allclear/planner/planner.h"
#include "allclear/robot_models/load_robot.h"

int main(int argc, char** argv) {
  using namespace allclear;
  if (argc != 3) {
    std::fprintf(stderr, "usage: example_build_problem ROBOT.urdf ROBOT.srdf\n");
    return 2;
  }
  try {
    RobotSource source;
    source.urdf = argv[1];
    source.srdf = argv[2];
    Problem problem;
    problem.robot = std::make_shared<const RobotModel>(loadRobot(source));
    for (int k = 0; k < problem.robot->dimension(); ++k) problem.planned.push_back(k);
    problem.start = problem.robot->neutralConfiguration();
    VecX goal = problem.start;
    goal[0] = 1.5;
    goal[1] = 0.6;
    problem.goal = JointTarget{problem.planned, goal};
    Obstacle post;
    post.id = "post";
    post.X_WO.p = {0.45, 0.45, 0.6};
    post.geometry.push_back({Box({0.1, 0.1, 1.2}), Pose{}});
    problem.obstacles.push_back(post);

    const Plan plan = allclear::plan(problem);
    std::printf("%s\n", plan.message.c_str());
    return plan.status == PlanStatus::kCertified ? 0 : 3;
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
