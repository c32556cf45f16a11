// Distances without a robot: of two shapes at rest, of two that move, and of many pairs of
// ellipsoids.
//
// Columns. The batches of ellipsoids take entry i of every column for pair i. An array of shape
// (n, 3) or (n, 3, 3) in Fortran order (order="F") is just such columns and is read where it is;
// any other layout is brought into this order by NumPy first, a copy.
#include <algorithm>

#include "allclear/distance/ellipsoid_pair.h"
#include "allclear/distance/minimum_distance.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/scene.h"
#include "allclear/python/bindings.h"

namespace allclear::python {

const Shape& shapeOf(py::handle value);  // scene.cpp

namespace {

using Columns = py::array_t<double, py::array::f_style | py::array::forcecast>;

/// The share of a bracket's width that polynomials of a motion may be off by.
constexpr double kPoseShare = 0.02;

py::tuple signedDistanceOf(const py::object& a, const Pose& X_WA, const py::object& b,
                           const Pose& X_WB) {
  const SignedDistance found = signedDistance(shapeOf(a), X_WA, shapeOf(b), X_WB);
  return py::make_tuple(found.distance, found.witness_A, found.witness_B, found.normal,
                        found.unique());
}

/// Of the same two shapes at many poses; one pose stands for all.
py::array_t<double> signedDistancesOf(const py::object& a, const PoseArray& poses_a,
                                      const py::object& b, const PoseArray& poses_b) {
  const Shape &A = shapeOf(a), &B = shapeOf(b);
  const std::vector<Pose> X_WA = toPoses(poses_a, "poses_a"), X_WB = toPoses(poses_b, "poses_b");
  const std::size_t count = std::max(X_WA.size(), X_WB.size());
  if (X_WA.empty() || X_WB.empty() || (X_WA.size() != count && X_WA.size() != 1) ||
      (X_WB.size() != count && X_WB.size() != 1)) {
    throw InputError({"", 0, "poses_a, poses_b", ""}, "must be as many, or one for all");
  }
  py::array_t<double> out(static_cast<py::ssize_t>(count));
  double* to = out.mutable_data();
  const py::gil_scoped_release release;
  DistanceCache cache;
  for (std::size_t i = 0; i < count; ++i) {
    to[i] =
        signedDistance(A, X_WA[X_WA.size() == 1 ? 0 : i], B, X_WB[X_WB.size() == 1 ? 0 : i], &cache)
            .distance;
  }
  return out;
}

/// A shape that goes from pose to pose.
Obstacle movingShape(const py::object& shape, const std::vector<double>& times,
                     const PoseArray& poses, const char* key) {
  Obstacle body;
  body.geometry.push_back({shapeOf(shape), Pose()});
  const std::vector<Pose> X = toPoses(poses, key);
  if (X.empty() || (X.size() > 1 && X.size() != times.size())) {
    throw InputError({"", 0, key, ""}, "must be as many as the times");
  }
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] > times[i - 1]) continue;
    throw InputError({"", 0, key, ""}, "times must increase");
  }
  body.X_WO = X.front();
  for (std::size_t i = 0; i < X.size() && X.size() > 1; ++i)
    body.motion.push_back({times[i], X[i]});
  return body;
}

/// The instants between which both motions are polynomials to within the tolerance.
std::vector<double> cellsOf(const Obstacle& a, const Obstacle& b, Interval time, double tolerance) {
  std::vector<double> ends{time.lower, time.upper};
  for (const Obstacle* body : {&a, &b}) {
    for (const double t : body->breaks(time, tolerance)) ends.push_back(t);
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

/// Bracket, instant, witnesses and normal of the least distance over `time`.
py::tuple leastDistanceOf(const py::object& a, const std::vector<double>& times_a,
                          const PoseArray& poses_a, const py::object& b,
                          const std::vector<double>& times_b, const PoseArray& poses_b,
                          std::pair<double, double> time, double tolerance) {
  const Obstacle A = movingShape(a, times_a, poses_a, "poses_a");
  const Obstacle B = movingShape(b, times_b, poses_b, "poses_b");
  if (!(time.first < time.second))
    throw InputError({"", 0, "time", ""}, "must end after it starts");
  if (!(tolerance > 0.0)) throw InputError({"", 0, "tolerance", ""}, "must be positive");
  DistanceBracket found;
  {
    const py::gil_scoped_release release;
    const std::vector<double> ends =
        cellsOf(A, B, {time.first, time.second}, kPoseShare * tolerance);
    std::vector<BodyCurve> curves_a, curves_b;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      curves_a.push_back(A.curve({ends[i], ends[i + 1]}));
      curves_b.push_back(B.curve({ends[i], ends[i + 1]}));
    }
    McdOptions options;
    options.tolerance = tolerance;
    found = minimumDistance({&A.geometry[0].shape, Pose(), curves_a},
                            {&B.geometry[0].shape, Pose(), curves_b}, options);
  }
  return py::make_tuple(found.lower, found.upper, found.t_star, found.witness_A, found.witness_B,
                        found.normal);
}

/// The columns of an array of n x 3 (or n x 3 x 3) numbers.
template <std::size_t kCount>
std::array<const double*, kCount> columnsOf(const Columns& array, py::ssize_t rows,
                                            const char* key) {
  if (array.ndim() < 1 || array.shape(0) != rows ||
      array.size() != rows * static_cast<py::ssize_t>(kCount)) {
    throw InputError({"", 0, key, ""}, "must have " + std::to_string(rows) + " x " +
                                           (kCount == 3 ? std::string("3") : std::string("3 x 3")) +
                                           " numbers");
  }
  std::array<const double*, kCount> columns;
  for (std::size_t k = 0; k < kCount; ++k) {
    // In Fortran order entry (i, r, c) is at i + n (r + 3 c); the pairs want R row by row.
    const std::size_t place = kCount == 9 ? k / 3 + 3 * (k % 3) : k;
    columns[k] = array.data() + place * static_cast<std::size_t>(rows);
  }
  return columns;
}

void requirePositive(const std::array<const double*, 3>& columns, py::ssize_t rows,
                     const char* key) {
  for (const double* column : columns) {
    const bool all =
        std::all_of(column, column + rows, [](double r) { return r > 0.0 && std::isfinite(r); });
    if (!all) throw InputError({"", 0, key, ""}, "must be positive, finite radii");
  }
}

EllipsoidPairColumns pairsOf(const Columns& radii_a, const Columns& radii_b,
                             const Columns& rotations, const Columns& positions) {
  const py::ssize_t rows = radii_a.ndim() > 0 ? radii_a.shape(0) : 0;
  EllipsoidPairColumns pairs;
  pairs.count = static_cast<std::size_t>(rows);
  pairs.radii_A = columnsOf<3>(radii_a, rows, "radii_a");
  pairs.radii_B = columnsOf<3>(radii_b, rows, "radii_b");
  pairs.R_AB = columnsOf<9>(rotations, rows, "rotations");
  pairs.p_AB = columnsOf<3>(positions, rows, "positions");
  requirePositive(pairs.radii_A, rows, "radii_a");
  requirePositive(pairs.radii_B, rows, "radii_b");
  return pairs;
}

py::array_t<double> gaugesOf(const Columns& radii_a, const Columns& radii_b,
                             const Columns& rotations, const Columns& positions, bool lower) {
  const EllipsoidPairColumns pairs = pairsOf(radii_a, radii_b, rotations, positions);
  py::array_t<double> out(static_cast<py::ssize_t>(pairs.count));
  double* to = out.mutable_data();
  const py::gil_scoped_release release;
  if (lower) {
    lowerEllipsoidGauges(pairs, to);
  } else {
    EllipsoidGaugeColumns results;
    results.gauge = to;
    ellipsoidGauges(pairs, results);
  }
  return out;
}

}  // namespace

void addDistance(py::module_& module) {
  module.def("signed_distance", &signedDistanceOf);
  module.def("signed_distances", &signedDistancesOf);
  module.def("least_distance", &leastDistanceOf);
  module.def("ellipsoid_gauges", &gaugesOf, py::arg("radii_a"), py::arg("radii_b"),
             py::arg("rotations"), py::arg("positions"), py::arg("lower"));
}

}  // namespace allclear::python
