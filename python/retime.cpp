// Motions along paths that come from elsewhere.
#include "allclear/planner/retime.h"

#include "allclear/config/task_file.h"
#include "allclear/python/bindings.h"

namespace allclear::python {
namespace {

std::string statusName(const RetimedPath& done) {
  static constexpr const char* kNames[] = {"certified", "path_not_clear", "not_certified"};
  return kNames[static_cast<int>(done.status)];
}

std::shared_ptr<RetimedPath> retimed(const Problem& problem, const NamedTrajectory& path,
                                     double tolerance) {
  const std::vector<Finding> findings = validate(problem);
  if (!findings.empty()) throw InputError({problem.source_file, 0, "", ""}, findings[0].message);
  const NamedTrajectory ordered =
      arranged(path, plannedNames(problem), {"", 0, "path: joints", ""});
  return std::make_shared<RetimedPath>(
      retime(problem, ordered.trajectory, {.tolerance = tolerance}));
}

}  // namespace

void addRetime(py::module_& module) {
  py::class_<RetimedPath, std::shared_ptr<RetimedPath>>(module, "RetimedPath")
      .def_property_readonly("status", &statusName)
      .def_readonly("message", &RetimedPath::message)
      .def_readonly("rests", &RetimedPath::rests)
      .def_readonly("rounds", &RetimedPath::rounds)
      .def_readonly("seconds", &RetimedPath::seconds)
      .def_property_readonly("within",
                             [](const RetimedPath& r) {
                               return r.certificate && r.certificate->follows
                                          ? std::optional(r.certificate->follows->within)
                                          : std::nullopt;
                             })
      .def_property_readonly("certificate", [](const RetimedPath& r) {
        return r.certificate ? std::make_shared<Certificate>(*r.certificate) : nullptr;
      });
  module.def("retime", &retimed, py::arg("problem"), py::arg("path"), py::arg("tolerance"),
             WithoutGil());
  module.def(
      "load_path",
      [](const std::filesystem::path& path, const Problem& problem) {
        return std::make_shared<NamedTrajectory>(loadPath(path, problem));
      },
      py::arg("path"), py::arg("problem"), WithoutGil());
}

}  // namespace allclear::python
