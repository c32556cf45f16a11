// The planner that stays loaded. One is for one thread at a time: a lock of its own makes a second
// thread wait, which the interpreter's lock does not, as it is dropped while planning.
#include <mutex>
#include <optional>
#include <variant>

#include "allclear/planner/loaded_planner.h"
#include "allclear/planner/workcell.h"
#include "allclear/python/bindings.h"

namespace allclear::python {
namespace {

struct LoadedPlanner {
  LoadedPlanner(Problem problem, const PlanOptions& options)
      : planner(std::move(problem), options) {}

  Planner planner;
  std::mutex mutex;
};

/// The lock of a planner, waited for without the GIL: who holds it may need that.
std::unique_lock<std::mutex> locked(LoadedPlanner& p) {
  const py::gil_scoped_release release;
  return std::unique_lock(p.mutex);
}

VecX orEmpty(const std::optional<VecX>& values) { return values ? *values : VecX(); }

std::shared_ptr<PlanOfProblem> planNext(LoadedPlanner& p, const VecX& start,
                                        const std::variant<TargetOf, VecX>& goal,
                                        const std::optional<VecX>& start_velocity,
                                        const std::optional<VecX>& start_acceleration,
                                        const std::optional<VecX>& goal_velocity,
                                        const std::optional<VecX>& goal_acceleration,
                                        const py::object& progress) {
  const auto lock = locked(p);
  const auto* joints = std::get_if<VecX>(&goal);
  const PlanQuery query{start,
                        joints ? p.planner.jointGoal(*joints) : std::get<TargetOf>(goal).target,
                        orEmpty(start_velocity),
                        orEmpty(start_acceleration),
                        orEmpty(goal_velocity),
                        orEmpty(goal_acceleration)};
  return planned(
      p.planner.problemOf(query),
      [&](const Problem&, const PlanHooks& hooks) { return p.planner.plan(query, hooks); },
      progress);
}

void addObstacles(Planner& planner, const Scene& scene) {
  if (!scene.attached.empty() || !scene.allowed.empty()) {
    throw InputError(
        "scene: only obstacles can be added to a planner; what the robot carries and "
        "what may touch belong to its problem");
  }
  for (const Obstacle& obstacle : scene.obstacles) planner.add(obstacle);
}

}  // namespace

void addPlanner(py::module_& module) {
  py::class_<LoadedPlanner, std::shared_ptr<LoadedPlanner>>(module, "Planner")
      .def(py::init<Problem, const PlanOptions&>(), py::arg("problem"), py::arg("options"))
      .def_property_readonly("joints", [](LoadedPlanner& p) { return p.planner.jointNames(); })
      .def_property_readonly("problem",
                             [](LoadedPlanner& p) {
                               const auto lock = locked(p);
                               return std::make_shared<Problem>(p.planner.problem());
                             })
      .def("plan", &planNext, py::arg("start"), py::arg("goal"), py::arg("start_velocity"),
           py::arg("start_acceleration"), py::arg("goal_velocity"), py::arg("goal_acceleration"),
           py::arg("progress"))
      .def(
          "move",
          [](LoadedPlanner& p, const std::string& obstacle, const Pose& X_WO) {
            const auto lock = locked(p);
            p.planner.update(obstacle, X_WO);
          },
          py::arg("obstacle"), py::arg("pose"))
      .def(
          "add",
          [](LoadedPlanner& p, const Scene& scene) {
            const auto lock = locked(p);
            addObstacles(p.planner, scene);
          },
          py::arg("scene"))
      .def(
          "remove",
          [](LoadedPlanner& p, const std::string& obstacle) {
            const auto lock = locked(p);
            p.planner.remove(obstacle);
          },
          py::arg("obstacle"))
      .def(
          "use_warm_start",
          [](LoadedPlanner& p, bool is_on) {
            const auto lock = locked(p);
            p.planner.useWarmStart(is_on);
          },
          py::arg("is_on"))
      .def("forget", [](LoadedPlanner& p) {
        const auto lock = locked(p);
        p.planner.forget();
      });
}

}  // namespace allclear::python
