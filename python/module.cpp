// The module `allclear._core`, and what all its parts share: poses as arrays, errors as exceptions.
//
// `InputError` becomes `allclear.InputError`, a Python class that carries file, line, key and
// value.
#include "allclear/exports/report.h"
#include "allclear/python/bindings.h"

namespace allclear::python {
namespace {

/// How far R'R may be from 1 and the last row from (0, 0, 0, 1): more is no rounding, but a matrix
/// that scales or mirrors, or another convention.
constexpr double kRotationTolerance = 1e-6;

/// None where the place does not say.
py::object orNone(const std::string& text) {
  return text.empty() ? py::none() : py::object(py::str(text));
}

void raiseInputError(const InputError& error) {
  const InputPlace& place = error.place();
  const py::object type = py::module_::import("allclear.errors").attr("InputError");
  const py::object line = place.line > 0 ? py::object(py::int_(place.line)) : py::none();
  const py::object instance =
      type(error.what(), orNone(place.file), line, orNone(place.key), orNone(place.value));
  PyErr_SetObject(type.ptr(), instance.ptr());
}

}  // namespace

Pose toPose(const Eigen::Matrix4d& X) {
  const Mat3 R = X.topLeftCorner<3, 3>();
  const double off = (R.transpose() * R - Mat3::Identity()).cwiseAbs().maxCoeff();
  const double row_off = (X.row(3) - Eigen::RowVector4d::Unit(3)).cwiseAbs().maxCoeff();
  if (!(off <= kRotationTolerance) || !(row_off <= kRotationTolerance) ||
      !(R.determinant() > 0.0) || !X.allFinite()) {
    throw InputError({"", 0, "pose", ""},
                     "a pose is a 4 x 4 matrix [R p; 0 0 0 1] whose R is a rotation");
  }
  if (off == 0.0) return {R, X.topRightCorner<3, 1>()};
  return {Eigen::Quaterniond(R).normalized().toRotationMatrix(), X.topRightCorner<3, 1>()};
}

Eigen::Matrix4d fromPose(const Pose& X) {
  Eigen::Matrix4d out = Eigen::Matrix4d::Identity();
  out.topLeftCorner<3, 3>() = X.R;
  out.topRightCorner<3, 1>() = X.p;
  return out;
}

std::vector<Pose> toPoses(const PoseArray& array, const char* key) {
  if (array.ndim() != 3 || array.shape(1) != 4 || array.shape(2) != 4) {
    throw InputError({"", 0, key, ""}, "must be an array of n x 4 x 4 numbers");
  }
  using RowMajor = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;
  std::vector<Pose> poses;
  for (py::ssize_t i = 0; i < array.shape(0); ++i) {
    poses.push_back(toPose(Eigen::Map<const RowMajor>(array.data(i, 0, 0))));
  }
  return poses;
}

py::array viewOf(const double* data, std::vector<py::ssize_t> shape, py::handle owner) {
  py::array_t<double> view(std::move(shape), data, owner);
  py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

}  // namespace allclear::python

PYBIND11_MODULE(_core, module) {
  using namespace allclear::python;
  module.doc() = "The compiled part of allclear. Use the package `allclear` instead.";
  module.attr("version") = ALLCLEAR_VERSION;
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const allclear::InputError& error) {
      raiseInputError(error);
    }
  });
  module.def("has_reports", &allclear::hasReports);
  addRobot(module);
  addScene(module);
  addTrajectory(module);
  addProblem(module);
  addCertificate(module);
  addPlan(module);
  addPlanner(module);
  addSequence(module);
  addDistance(module);
  addRetime(module);
}
