// Tasks with `segments`: several motions planned as one.
#include "allclear/config/task_file.h"
#include "allclear/core/file.h"
#include "allclear/exports/output_files.h"
#include "allclear/exports/report.h"
#include "allclear/planner/planner.h"
#include "allclear/python/bindings.h"

namespace allclear::python {
namespace {

namespace fs = std::filesystem;

/// A task with segments, as it was read.
struct SequenceTask {
  Task task;
};

/// A plan and the task that it is of.
struct PlanOfSequence {
  std::shared_ptr<SequenceTask> of;
  SequencePlan plan;

  bool isCertified() const { return plan.certificate.clear; }
};

std::shared_ptr<SequenceTask> read(Task task, const fs::path& path) {
  if (!task.sequence) {
    throw InputError({path.string(), 0, "segments", ""},
                     "is missing: plan a single motion by plan");
  }
  return std::make_shared<SequenceTask>(SequenceTask{std::move(task)});
}

/// Runs as the plan of one motion does: signals and progress are looked after there.
std::shared_ptr<PlanOfSequence> planOf(const std::shared_ptr<SequenceTask>& of,
                                       const PlanOptions& options, const py::object& progress) {
  auto out = std::make_shared<PlanOfSequence>();
  out->of = of;
  planned(
      of->task.problem,
      [&](const Problem&, const PlanHooks& hooks) {
        out->plan = planSequence(*of->task.sequence, options, hooks);
        Plan verdict;
        if (out->isCertified()) verdict.certificate = out->plan.certificate.segments[0].certificate;
        return verdict;
      },
      progress);
  return out;
}

py::list segmentsOf(const PlanOfSequence& p) {
  py::list out;
  for (const SequenceSegment& segment : p.plan.certificate.segments) {
    out.append(py::make_tuple(segment.name, segment.start_time,
                              std::make_shared<Problem>(segment.problem),
                              std::make_shared<Certificate>(segment.certificate)));
  }
  return out;
}

py::list eventsOf(const PlanOfSequence& p) {
  py::list out;
  for (const SequenceEvent& event : p.plan.certificate.events) {
    out.append(py::make_tuple(event.object, event.link, event.attaches, event.time));
  }
  return out;
}

std::pair<std::vector<fs::path>, std::vector<std::string>> write(const PlanOfSequence& p,
                                                                 const fs::path& folder) {
  if (!p.isCertified()) {
    throw InputError({"", 0, "plan", planStatusName(p.plan.status)},
                     "there is no certified plan to write");
  }
  std::vector<std::string> warnings;
  const NamedTexts files =
      formatSequenceFiles({}, folder, *p.of->task.sequence, p.plan.certificate, &warnings);
  std::vector<fs::path> paths;
  for (const auto& [path, text] : files) {
    fs::create_directories(path.parent_path());
    paths.push_back(path);
  }
  writeFiles(files);
  return {std::move(paths), std::move(warnings)};
}

std::string report(const PlanOfSequence& p) {
  if (p.isCertified()) return formatSequenceReport(*p.of->task.sequence, p.plan.certificate);
  if (p.plan.failure) return formatPlanReport(p.plan.failure->problem, p.plan.failure->plan);
  return formatTaskReport(p.of->task.problem, {p.plan.message});
}

}  // namespace

void addSequence(py::module_& module) {
  py::class_<SequenceTask, std::shared_ptr<SequenceTask>>(module, "SequenceTask")
      .def_property_readonly("options", [](const SequenceTask& t) { return t.task.options; })
      .def_property_readonly("warnings",
                             [](const SequenceTask& t) { return t.task.problem.warnings; });
  module.def(
      "load_sequence",
      [](const fs::path& path, bool visuals) {
        return read(loadTask(path, {.load_visuals = visuals, .allow_segments = true}), path);
      },
      py::arg("path"), py::arg("visuals"), WithoutGil());
  module.def(
      "parse_sequence",
      [](const std::string& text, const fs::path& path, bool visuals) {
        return read(parseTask(text, path, {.load_visuals = visuals, .allow_segments = true}), path);
      },
      py::arg("text"), py::arg("path"), py::arg("visuals"), WithoutGil());
  py::class_<PlanOfSequence, std::shared_ptr<PlanOfSequence>>(module, "SequencePlan")
      .def_property_readonly("status",
                             [](const PlanOfSequence& p) {
                               std::string name = planStatusName(p.plan.status);
                               std::replace(name.begin(), name.end(), ' ', '_');
                               return name;
                             })
      .def_property_readonly("certified", &PlanOfSequence::isCertified)
      .def_property_readonly("message", [](const PlanOfSequence& p) { return p.plan.message; })
      .def_property_readonly("failed",
                             [](const PlanOfSequence& p) {
                               return p.plan.failure ? std::optional(p.plan.failure->segment)
                                                     : std::nullopt;
                             })
      .def_property_readonly("trajectory",
                             [](const PlanOfSequence& p) {
                               return p.plan.trajectory
                                          ? std::make_shared<NamedTrajectory>(*p.plan.trajectory)
                                          : nullptr;
                             })
      .def_property_readonly("segments", &segmentsOf)
      .def_property_readonly("events", &eventsOf)
      .def("write", &write, py::arg("folder"), WithoutGil())
      .def("report", &report, WithoutGil());
  module.def("plan_sequence", &planOf, py::arg("task"), py::arg("options"), py::arg("progress"));
}

}  // namespace allclear::python
