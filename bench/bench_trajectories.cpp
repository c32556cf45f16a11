// What a planner asks of a trajectory in its hot path, in ns per call: 7 joints, quintic, 12 equal
// spans, and the Hermite curve of the same at 250 Hz. Minimum of several runs.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "allclear/trajectories/trajectory.h"

namespace {

using namespace allclear;

/// Least time per call of `call(i)`, in ns; what it returns is added up so that it is computed.
template <class Call>
double nanoseconds(Call call) {
  constexpr int kRuns = 400, kCalls = 1000;  // short runs, of which some are not interrupted
  double least = std::numeric_limits<double>::infinity();
  static volatile double sink;
  for (int run = 0; run < kRuns; ++run) {
    double sum = 0.0;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) sum += call(i);
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    sink = sum;
    least = std::min(least, spent.count() / kCalls);
  }
  (void)sink;
  return least;
}

/// The span by knot insertion, as textbooks do it, for comparison with the matrix.
double spanByInsertion(const BSpline& curve, int i) {
  const Interval s = curve.basis().span(i);
  std::vector<double> inserted;
  for (double end : {s.lower, s.upper}) {
    if (end > 0.0 && end < 1.0) inserted.insert(inserted.end(), 4, end);
  }
  const BSplineBasis::Refinement finer = curve.basis().withInserted(std::move(inserted));
  return (curve.control() * finer.control_map)(0, 0);
}

using Figures = std::vector<std::pair<std::string, double>>;

Figures measure() {
  constexpr int kSpans = 12;
  std::srand(1);
  const BSpline spline(MatX::Random(7, kSpans + 5), 3.0);
  const Trajectory curve = spline;
  const Trajectory rows = controllerRows(curve, 250.0);
  const int row_spans = rows.spanCount();
  const auto time = [](int i) { return 3.0 * (i % 1009) / 1009.0; };
  const auto part = [&](int i) { return Interval{time(i), time(i) + 0.05}; };
  return {
      {"bspline_span_ns",
       nanoseconds([&](int i) { return curve.span(i % kSpans).control()(0, 1); })},
      {"bspline_span_by_knot_insertion_ns",
       nanoseconds([&](int i) { return spanByInsertion(spline, i % kSpans); })},
      {"bspline_value_ns", nanoseconds([&](int i) { return curve.value(time(i))[0]; })},
      {"bspline_acceleration_ns", nanoseconds([&](int i) { return curve.value(time(i), 2)[0]; })},
      {"bspline_linear_map_ns",
       nanoseconds([&](int i) { return spline.linearMap(2, time(i)).weights[0]; })},
      {"bspline_velocity_bound_ns",
       nanoseconds([&](int i) { return curve.derivativeBound(1, part(i))[0]; })},
      {"bspline_jerk_bound_ns",
       nanoseconds([&](int i) { return curve.derivativeBound(3, part(i))[0]; })},
      {"bspline_with_control_ns",
       nanoseconds([&](int) { return spline.withControl(spline.control()).control()(0, 0); })},
      {"span_restricted_ns", nanoseconds([span = curve.span(3)](int i) {
         const double from = span.time().lower + 1e-6 * (i % 1009);
         return span.restricted({from, from + 0.05}).control()(0, 0);
       })},
      {"hermite_span_ns",
       nanoseconds([&](int i) { return rows.span(i % row_spans).control()(0, 1); })},
      {"hermite_value_ns", nanoseconds([&](int i) { return rows.value(time(i))[0]; })},
  };
}

}  // namespace

int main(int argc, char** argv) {
  const Figures figures = measure();
  for (const auto& [name, value] : figures) std::printf("%-36s %9.1f\n", name.c_str(), value);
  if (argc == 3 && std::strcmp(argv[1], "--json") == 0) {
    std::ofstream out(argv[2]);
    out << "{\"figures\": {";
    const char* separator = "";
    for (const auto& [name, value] : figures) {
      out << separator << '"' << name << "\": " << value;
      separator = ", ";
    }
    out << "}}\n";
    return out ? 0 : 1;
  }
  return argc == 1 ? 0 : 2;
}
