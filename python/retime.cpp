// Motions along paths that come from elsewhere.
#include "allclear/planner/retime.h"

#include "allclear/config/task_file.h"
#include "allclear/python/bindings.h"

namespace allclear::python {
namespace {

std::shared_ptr<RetimedPath> retimed(const Problem& problem, const NamedTrajectory& path,
                                     double tolerance, double time_limit) {
  NamedTrajectory ordered = path;
  {
    const py::gil_scoped_release release;
    const std::vector<Finding> findings = validate(problem);
    if (!findings.empty()) throw InputError({problem.source_file, 0, "", ""}, findings[0].message);
    ordered = arranged(path, plannedNames(problem), {"", 0, "path: joints", ""});
  }
  auto done = std::make_shared<RetimedPath>();
  runInterruptibly([&](const std::function<bool()>& stop) {
    *done = retime(problem, ordered.trajectory,
                   {.tolerance = tolerance, .time_limit = time_limit, .stop = stop});
    return done->status == RetimeStatus::kCertified;
  });
  return done;
}

}  // namespace

void addRetime(py::module_& module) {
  py::class_<RetimedPath, std::shared_ptr<RetimedPath>>(module, "RetimedPath")
      .def_property_readonly("status",
                             [](const RetimedPath& r) { return retimeStatusName(r.status); })
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
             py::arg("time_limit"));
  module.def(
      "load_path",
      [](const std::filesystem::path& path, const Problem& problem) {
        return std::make_shared<NamedTrajectory>(loadPath(path, problem));
      },
      py::arg("path"), py::arg("problem"), WithoutGil());
}

}  // namespace allclear::python
