#pragma once

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "allclear/core/input_error.h"
#include "allclear/core/pose.h"
#include "allclear/planner/planner.h"
#include "allclear/trajectories/named_trajectory.h"

// The compiled part of the Python package, `allclear._core`: values in, values out, with names and
// types as strict as those of C++. What makes it pleasant (dicts, defaults, pictures) is Python, in
// python/allclear/.
//
// Poses are 4 x 4 arrays. Whatever takes long runs without the interpreter's lock (GIL).

namespace allclear::python {

namespace py = pybind11;

/// Drops the GIL for the call.
using WithoutGil = py::call_guard<py::gil_scoped_release>;

/// One function for each source: adds its classes and functions to the module.
void addRobot(py::module_& module);
void addScene(py::module_& module);
void addProblem(py::module_& module);
void addTrajectory(py::module_& module);
void addCertificate(py::module_& module);
void addPlan(py::module_& module);
void addPlanner(py::module_& module);
void addSequence(py::module_& module);
void addDistance(py::module_& module);
void addRetime(py::module_& module);

/// A 4 x 4 matrix as a pose. Throws `InputError` unless its rotation is one to within 1e-6; what is
/// off below that is taken away.
Pose toPose(const Eigen::Matrix4d& X);
Eigen::Matrix4d fromPose(const Pose& X);

/// n poses from an array n x 4 x 4, read in place.
using PoseArray = py::array_t<double, py::array::c_style | py::array::forcecast>;
std::vector<Pose> toPoses(const PoseArray& array, const char* key);

/// The value that a word stands for; an error at `key` that names the known words.
template <class Value>
Value fromWord(const std::string& word, const std::vector<std::pair<std::string, Value>>& table,
               const char* key) {
  std::vector<std::string> known;
  for (const auto& [name, value] : table) {
    if (name == word) return value;
    known.push_back(name);
  }
  throw InputError({"", 0, key, word}, "is not known" + insteadOf(word, known));
}

/// A goal or waypoint of any kind. (A class of its own: pybind11 would take a variant apart.)
struct TargetOf {
  Target target;
};

/// A view of memory that `owner` keeps alive: read-only, not a copy.
py::array viewOf(const double* data, std::vector<py::ssize_t> shape, py::handle owner);

/// A plan and the problem as it was then.
struct PlanOfProblem {
  std::shared_ptr<Problem> problem;
  Plan plan;

  bool isCertified() const { return plan.certificate && plan.certificate->clear; }
};

/// Runs `work`, which asks its argument whether to stop, without the GIL. A Ctrl-C raises
/// KeyboardInterrupt unless `work` returns true: its result is worth more. What other handlers of
/// signals raise is raised.
void runInterruptibly(const std::function<bool(const std::function<bool()>& stop)>& work);

/// Plans by `solve` without the GIL. Signals and what `progress` raises end the search (plan.cpp).
using Solver = std::function<Plan(const Problem&, const PlanHooks&)>;
std::shared_ptr<PlanOfProblem> planned(Problem problem, const Solver& solve,
                                       const py::object& progress);

}  // namespace allclear::python

namespace pybind11::detail {

/// Poses come and go as 4 x 4 arrays.
template <>
struct type_caster<allclear::Pose> {
  PYBIND11_TYPE_CASTER(allclear::Pose, const_name("numpy.ndarray[numpy.float64[4, 4]]"));

  bool load(handle source, bool convert) {
    make_caster<Eigen::Matrix4d> matrix;
    if (!matrix.load(source, convert)) return false;
    value = allclear::python::toPose(cast_op<Eigen::Matrix4d&>(matrix));
    return true;
  }
  static handle cast(const allclear::Pose& X, return_value_policy, handle parent) {
    return make_caster<Eigen::Matrix4d>::cast(allclear::python::fromPose(X),
                                              return_value_policy::move, parent);
  }
};

}  // namespace pybind11::detail
