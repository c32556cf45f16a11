// Planning without the interpreter's lock, and plans.
//
// Python's handler of signals only sets a flag while C++ runs; `PyErr_CheckSignals` acts on it, in
// the thread that the interpreter started in. The planner asks `stop` between its steps: there the
// lock is taken for a moment, at most every `kLookEvery`. A KeyboardInterrupt then ends the search
// like the Ctrl-C of the command: the best certified plan so far is returned, and the exception is
// raised only where there is none. Any other exception, of a handler or of the progress function,
// ends the search too, and is raised.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "allclear/exports/output_files.h"
#include "allclear/exports/report.h"
#include "allclear/exports/report/clearance.h"
#include "allclear/python/bindings.h"

namespace allclear::python {
namespace {

using Clock = std::chrono::steady_clock;
/// How often signals are looked for: far below what a person notices, far above what a look costs.
constexpr std::chrono::milliseconds kLookEvery{20};

/// What may end a search from outside.
class Interruption {
 public:
  explicit Interruption(py::object progress) : progress_(std::move(progress)) {}

  /// The planner's `stop`. Any thread may ask; only the caller's looks for signals.
  bool isAsked() {
    if (asked_ || std::this_thread::get_id() != caller_) return asked_;
    const Clock::time_point now = Clock::now();
    if (now - looked_ < kLookEvery) return false;
    looked_ = now;
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) keepPythonError();
    return asked_;
  }

  bool wantsProgress() const { return has_progress_; }

  void tell(const PlanProgress& step) {
    if (asked_) return;
    const py::gil_scoped_acquire lock;
    py::dict out;
    out["attempt"] = step.attempt;
    out["round"] = step.round;
    out["iteration"] = step.iteration;
    out["cost"] = step.cost;
    out["infeasibility"] = step.infeasibility;
    out["worst"] = step.worst;
    out["best"] = std::isnan(step.best) ? py::object(py::none()) : py::float_(step.best);
    try {
      progress_(out);
    } catch (py::error_already_set& error) {
      keep(error);
    }
  }

  /// Raises what came from outside. Call it with the GIL, after the search.
  void raise(bool has_plan) const {
    if (error_) std::rethrow_exception(error_);
    if (!is_keyboard_ || has_plan) return;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }

 private:
  void keepPythonError() {
    py::error_already_set error;  // takes the error that Python has set
    keep(error);
  }
  void keep(const py::error_already_set& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) {
      is_keyboard_ = true;
    } else if (!error_) {
      error_ = std::make_exception_ptr(error);
    }
    asked_ = true;
  }

  py::object progress_;
  const bool has_progress_ = !progress_.is_none();
  const std::thread::id caller_ = std::this_thread::get_id();
  Clock::time_point looked_ = Clock::now();
  std::atomic<bool> asked_{false};
  bool is_keyboard_ = false;
  std::exception_ptr error_;
};

std::shared_ptr<PlanOfProblem> planOf(const Problem& problem, const PlanOptions& options,
                                      const py::object& progress) {
  return planned(
      problem,
      [&options](const Problem& p, const PlanHooks& hooks) {
        return allclear::plan(p, options, hooks);
      },
      progress);
}

std::shared_ptr<NamedTrajectory> trajectoryOf(const PlanOfProblem& p) {
  if (!p.plan.trajectory) return nullptr;
  if (p.plan.certificate) return std::make_shared<NamedTrajectory>(p.plan.certificate->trajectory);
  return std::make_shared<NamedTrajectory>(
      NamedTrajectory{*p.plan.trajectory, plannedNames(*p.problem), {}});
}

std::shared_ptr<Certificate> certificateOf(const PlanOfProblem& p) {
  return p.plan.certificate ? std::make_shared<Certificate>(*p.plan.certificate) : nullptr;
}

py::dict statisticsOf(const PlanOfProblem& p) {
  const PlanStatistics& s = p.plan.statistics;
  py::dict out;
  out["seconds"] = s.seconds;
  out["seed_seconds"] = s.seed_seconds;
  out["solve_seconds"] = s.solve_seconds;
  out["certify_seconds"] = s.certify_seconds;
  out["attempts"] = s.attempts;
  out["rounds"] = s.rounds;
  out["iterations"] = s.iterations;
  out["cost"] = s.cost;
  out["first_guess"] = s.seed;
  out["cut_short"] = s.cut_short;
  out["longest_call"] = py::none();
  if (!s.longest_call.empty()) {
    py::dict call;
    call["library"] = s.longest_call;
    call["seconds"] = s.longest_call_seconds;
    out["longest_call"] = call;
  }
  py::list steps;
  for (const PlanStep& step : s.steps) {
    py::dict row;
    row["seconds"] = step.seconds;
    row["attempts"] = step.attempts;
    row["iterations"] = step.iterations;
    row["cost"] = step.cost;
    row["duration"] = step.duration;
    row["origin"] = step.origin;
    steps.append(row);
  }
  out["steps"] = steps;
  return out;
}

/// Writes what is asked for; returns the files written and the warnings.
std::pair<std::vector<std::filesystem::path>, std::vector<std::string>> writeFiles(
    const PlanOfProblem& p, const OutputSettings& output) {
  std::vector<std::filesystem::path> written;
  std::vector<std::string> warnings;
  if (!output.report.empty()) requireReports();
  OutputSettings rest = output;
  rest.report.clear();
  const bool has_rest =
      !(rest.csv + rest.trajectory + rest.certificate + rest.proof + rest.ros2).empty();
  if (has_rest && !p.isCertified()) {
    throw InputError({"", 0, "plan", planStatusName(p.plan.status)},
                     "there is no certified plan to write; a report can be written of any");
  }
  if (has_rest) {
    written = writeOutputFiles(rest, ".", *p.problem, *p.plan.trajectory, &*p.plan.certificate,
                               &warnings);
  }
  if (!output.report.empty()) {
    writePlanReport(output.report, *p.problem, p.plan);
    written.emplace_back(output.report);
  }
  return {std::move(written), std::move(warnings)};
}

/// Distances over time of the closest pairs, as reports draw them.
struct Series {
  std::string a, b;
  double margin = 0.0;
  std::vector<double> distances;
  std::vector<std::array<double, 3>> bounds;  ///< t0, t1, proven lower bound
};

std::pair<std::vector<double>, std::vector<Series>> closestSeries(const PlanOfProblem& p,
                                                                  int most_pairs) {
  if (!p.plan.trajectory) return {};
  const CertifiedGeometry geometry = certifiedGeometry(*p.problem);
  const ReportFrames frames = motionFrames(*p.problem, *p.plan.trajectory);
  const ReportClearance clearance =
      reportClearance(*p.problem, geometry, frames,
                      p.plan.certificate ? &*p.plan.certificate : nullptr, most_pairs);
  std::vector<Series> all;
  for (const ReportPair& pair : clearance.pairs) {
    const ReportDistance& first = pair.at.front();
    if (first.a < 0 || first.b < 0) continue;
    Series series{
        geometry.bodies[first.a].name, geometry.bodies[first.b].name, first.margin, {}, {}};
    for (const ReportDistance& at : pair.at) series.distances.push_back(at.distance);
    for (const ReportBound& bound : pair.bounds) {
      series.bounds.push_back({bound.t0, bound.t1, bound.lower});
    }
    all.push_back(std::move(series));
  }
  return {frames.times, std::move(all)};
}

py::tuple clearancesOf(const PlanOfProblem& p, int most_pairs) {
  std::pair<std::vector<double>, std::vector<Series>> found;
  {
    const py::gil_scoped_release release;
    found = closestSeries(p, most_pairs);
  }
  py::list pairs;
  for (const Series& s : found.second) {
    pairs.append(py::make_tuple(s.a, s.b, s.margin, s.distances, s.bounds));
  }
  return py::make_tuple(found.first, pairs);
}

}  // namespace

std::shared_ptr<PlanOfProblem> planned(Problem problem, const Solver& solve,
                                       const py::object& progress) {
  Interruption interruption(progress);
  PlanHooks hooks;
  hooks.stop = [&interruption] { return interruption.isAsked(); };
  if (interruption.wantsProgress()) {
    hooks.progress = [&interruption](const PlanProgress& step) { interruption.tell(step); };
  }
  auto out = std::make_shared<PlanOfProblem>();
  out->problem = std::make_shared<Problem>(std::move(problem));
  {
    const py::gil_scoped_release release;
    out->plan = solve(*out->problem, hooks);
  }
  interruption.raise(out->isCertified());
  return out;
}

void runInterruptibly(const std::function<bool(const std::function<bool()>& stop)>& work) {
  Interruption interruption{py::none()};
  bool is_done = false;
  {
    const py::gil_scoped_release release;
    is_done = work([&interruption] { return interruption.isAsked(); });
  }
  interruption.raise(is_done);
}

void addPlan(py::module_& module) {
  py::class_<PlanOfProblem, std::shared_ptr<PlanOfProblem>>(module, "Plan")
      .def_property_readonly("status",
                             [](const PlanOfProblem& p) {
                               std::string name = planStatusName(p.plan.status);
                               std::replace(name.begin(), name.end(), ' ', '_');
                               return name;
                             })
      .def_property_readonly("certified", &PlanOfProblem::isCertified)
      .def_property_readonly("message", [](const PlanOfProblem& p) { return p.plan.message; })
      .def_property_readonly("trajectory", &trajectoryOf)
      .def_property_readonly("certificate", &certificateOf)
      .def_property_readonly("statistics", &statisticsOf)
      .def_property_readonly("reached",
                             [](const PlanOfProblem& p) -> std::optional<py::tuple> {
                               if (!p.isCertified() || !p.plan.certificate->goal) return {};
                               const ReachedGoal& goal = *p.plan.certificate->goal;
                               return py::make_tuple(goal.alternative, goal.count, goal.name);
                             })
      .def_property_readonly("left_out",
                             [](const PlanOfProblem& p) {
                               py::list out;
                               for (const LeftOutAlternative& one : p.plan.left_out) {
                                 out.append(py::make_tuple(one.alternative, one.why));
                               }
                               return out;
                             })
      .def_property_readonly(
          "problem", [](const PlanOfProblem& p) { return std::make_shared<Problem>(*p.problem); })
      .def("write", &writeFiles, py::arg("output"), WithoutGil())
      .def(
          "report", [](const PlanOfProblem& p) { return formatPlanReport(*p.problem, p.plan); },
          WithoutGil())
      .def("clearances", &clearancesOf, py::arg("pairs"));
  module.def("plan", &planOf, py::arg("problem"), py::arg("options"), py::arg("progress"));
}

}  // namespace allclear::python
