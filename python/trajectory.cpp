// Trajectories. Rows are not copied: the arrays are read-only views of the curve, which they keep
// alive.
#include "allclear/config/task_file.h"
#include "allclear/python/bindings.h"
#include "allclear/trajectories/trajectory_files.h"

namespace allclear::python {
namespace {

using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Times = py::array_t<double, py::array::c_style | py::array::forcecast>;

const std::vector<std::pair<std::string, Interpolation>> kInterpolations = {
    {"linear", Interpolation::kLinear},
    {"cubic", Interpolation::kCubic},
    {"quintic", Interpolation::kQuintic}};

std::optional<Interpolation> interpolationFor(const std::string& word) {
  if (word.empty()) return std::nullopt;
  return fromWord(word, kInterpolations, "interpolation");
}

/// Rows of an array as columns of a matrix: the same memory order, so one plain copy into the
/// curve.
MatX columnsOf(const Rows& rows, std::size_t count, std::size_t joints, const char* key) {
  if (rows.size() == 0) return {};
  if (rows.ndim() != 2 || rows.shape(0) != static_cast<py::ssize_t>(count) ||
      rows.shape(1) != static_cast<py::ssize_t>(joints)) {
    throw InputError({"", 0, key, ""}, "must have " + std::to_string(count) + " rows and " +
                                           std::to_string(joints) + " columns");
  }
  return Eigen::Map<const MatX>(rows.data(), static_cast<Eigen::Index>(joints),
                                static_cast<Eigen::Index>(count));
}

std::shared_ptr<NamedTrajectory> fromRows(const std::vector<double>& times, const Rows& positions,
                                          const Rows& velocities, const Rows& accelerations,
                                          const std::vector<std::string>& joints) {
  const std::size_t n = times.size(), k = joints.size();
  const bool ascend =
      std::is_sorted(times.begin(), times.end(), [](double a, double b) { return !(a > b); });
  if (n < 2 || times.front() != 0.0 || !ascend || !std::isfinite(times.back())) {
    throw InputError({"", 0, "times", ""}, "must start at 0 and increase, at least two");
  }
  const MatX p = columnsOf(positions, n, k, "positions");
  const MatX v = columnsOf(velocities, n, k, "velocities");
  const MatX a = columnsOf(accelerations, n, k, "accelerations");
  if (p.size() == 0) throw InputError({"", 0, "positions", ""}, "are needed");
  if (a.size() > 0 && v.size() == 0) {
    throw InputError({"", 0, "velocities", ""}, "are needed where accelerations are given");
  }
  if (!p.allFinite() || !v.allFinite() || !a.allFinite()) {
    throw InputError({"", 0, "positions", ""}, "rows must be finite numbers");
  }
  requireJointNames(joints, {"", 0, "joints", ""});
  return std::make_shared<NamedTrajectory>(
      NamedTrajectory{HermiteCurve(times, p, v, a), joints, {}});
}

/// The derivative of an order at many instants: a row for each.
py::array_t<double> valuesAt(const NamedTrajectory& named, const Times& times, int order) {
  if (order < 0) throw InputError({"", 0, "order", std::to_string(order)}, "must be 0 or more");
  const py::ssize_t count = times.size(), joints = named.trajectory.dimension();
  py::array_t<double> out({count, joints});
  const double* t = times.data();
  double* to = out.mutable_data();
  for (py::ssize_t i = 0; i < count; ++i, to += joints) {
    if (!std::isfinite(t[i])) throw InputError({"", 0, "t", ""}, "must be finite");
    Eigen::Map<VecX>(to, joints) = named.trajectory.value(t[i], order);
  }
  return out;
}

/// The rows of a curve by rows, as views; none of a spline.
py::object rowsOf(const py::object& self, int order) {
  const auto& named = self.cast<const NamedTrajectory&>();
  const HermiteCurve* curve = named.trajectory.hermite();
  if (curve == nullptr || order > curve->givenOrder()) return py::none();
  const MatX& rows = order == 0   ? curve->positions()
                     : order == 1 ? curve->velocities()
                                  : curve->accelerations();
  return viewOf(rows.data(), {rows.cols(), rows.rows()}, self);
}

py::object timesOf(const py::object& self) {
  const HermiteCurve* curve = self.cast<const NamedTrajectory&>().trajectory.hermite();
  if (curve == nullptr) return py::none();
  return viewOf(curve->times().data(), {static_cast<py::ssize_t>(curve->times().size())}, self);
}

std::shared_ptr<NamedTrajectory> controllerRowsOf(const NamedTrajectory& named, double rate) {
  if (!(rate >= 0.0)) throw InputError({"", 0, "rate", std::to_string(rate)}, "must be positive");
  NamedTrajectory rows = named;
  rows.trajectory = controllerRows(named.trajectory, rate);
  return std::make_shared<NamedTrajectory>(std::move(rows));
}

}  // namespace

void addTrajectory(py::module_& module) {
  py::class_<NamedTrajectory, std::shared_ptr<NamedTrajectory>>(module, "Trajectory")
      .def(py::init(&fromRows), py::arg("times"), py::arg("positions"), py::arg("velocities"),
           py::arg("accelerations"), py::arg("joints"))
      .def_property_readonly("duration",
                             [](const NamedTrajectory& n) { return n.trajectory.duration(); })
      .def_readonly("joints", &NamedTrajectory::joint_names)
      .def_readonly("warnings", &NamedTrajectory::warnings)
      .def_readonly("assumptions", &NamedTrajectory::assumptions)
      .def_property_readonly("interpolation",
                             [](const NamedTrajectory& n) { return describe(n.interpolation()); })
      .def_property_readonly("times", &timesOf)
      .def("rows", &rowsOf, py::arg("order"))
      .def("values", &valuesAt, py::arg("times"), py::arg("order"))
      .def("controller_rows", &controllerRowsOf, py::arg("rate"))
      .def("json", [](const NamedTrajectory& n) { return formatTrajectoryJson(n); });
  module.def(
      "parse_trajectory_json",
      [](const std::string& text, const std::string& file) {
        return std::make_shared<NamedTrajectory>(parseTrajectoryJson(text, file));
      },
      py::arg("text"), py::arg("file"));
  module.def(
      "load_trajectory",
      [](const std::filesystem::path& path, const Problem& problem,
         const std::string& interpolation) {
        return std::make_shared<NamedTrajectory>(
            loadTrajectory(path, problem, interpolationFor(interpolation)));
      },
      py::arg("path"), py::arg("problem"), py::arg("interpolation"), WithoutGil());
}

}  // namespace allclear::python
