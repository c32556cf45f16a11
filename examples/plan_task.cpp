// Plans a task file and prints the verdict.
#include <cstdio>

#include "allclear/config/task_file.h"
#include "allclear/core/input_error.h"
#include "allclear/planner/planner.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: example_plan_task TASK.yaml\n");
    return 2;
  }
  try {
    const allclear::Task task = allclear::loadTask(argv[1]);
    const allclear::Plan plan = allclear::plan(task.problem, task.options);
    std::printf("%s\n", plan.message.c_str());
    return plan.status == allclear::PlanStatus::kCertified ? 0 : 3;
  } catch (const allclear::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
