// Plans tasks, proves a pair of exact meshes, and prints all certificates: what `compare.py` holds
// against the same of another instruction set. With `--level` it prints the one that its kernels
// were chosen for.
#include <iostream>

#include "allclear/config/task_file.h"
#include "allclear/core/simd.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/planner/planner.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(ALLCLEAR_NO_CLONES)
__attribute__((target("default"))) int chosenLevel() { return 1; }
__attribute__((target("arch=x86-64-v3"))) int chosenLevel() { return 3; }
__attribute__((target("arch=x86-64-v4"))) int chosenLevel() { return 4; }
#else
int chosenLevel() { return 0; }
#endif

/// A ring that turns through another one, without touching: a search between exact meshes.
Certificate linkedRings() {
  RobotModel::Data data;
  data.links.resize(2);
  data.links[0].name = "base";
  data.links[1].name = "ring";
  data.links[1].parent_joint = 0;
  data.links[1].collision = {{test::torusMesh(0.3, 0.05, 40, 12), {Mat3::Identity(), {0.3, 0, 0}}}};
  Joint joint;
  joint.name = "turn";
  joint.type = JointType::kRevolute;
  joint.parent_link = 0;
  joint.child_link = 1;
  joint.axis = Vec3::UnitX();
  joint.first_coordinate = 0;
  data.joints = {joint};
  data.coordinates.push_back({"turn", 0, true, false, -3.0, 3.0, 3.0, 100.0});
  Problem problem;
  problem.robot = std::make_shared<RobotModel>(std::move(data));
  problem.planned = {0};
  problem.start = VecX::Constant(1, 1.2);
  problem.goal = JointTarget{{0}, VecX::Constant(1, 1.8)};
  problem.obstacles = {{"fixed", {}, {{test::torusMesh(0.3, 0.05, 40, 12), {}}}, {}}};
  MatX control = MatX::Constant(1, 8, 1.2);
  control.rightCols(4).setConstant(1.8);
  return certify(problem, BSpline(control, 3.0));
}

}  // namespace
}  // namespace allclear

int main(int count, char** arguments) {
  if (count == 2 && std::string(arguments[1]) == "--level") {
    std::cout << allclear::chosenLevel() << "\n";
    return 0;
  }
  std::cout << allclear::formatCertificateJson(allclear::linkedRings());
  for (int i = 1; i < count; ++i) {
    allclear::Task task = allclear::loadTask(arguments[i]);
    task.options.time_limit = 500.0;  // never the clock's decision
    const allclear::Plan plan = allclear::plan(task.problem, task.options);
    if (plan.certificate) std::cout << allclear::formatCertificateJson(*plan.certificate);
  }
  return 0;
}
