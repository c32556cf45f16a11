// Puts a report together: frames of the motion, distances at the frames, the scene, the facts
// beside it and the verdict. What each of these is made of stands in exports/report/.
#include "allclear/exports/report.h"

#include <filesystem>

#include "allclear/core/file.h"
#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/exports/report/assets.h"
#include "allclear/exports/report/html.h"
#include "allclear/exports/report/sequence_view.h"
#include "allclear/planner/certificate/target_met.h"
#include "allclear/planner/problem/alternatives.h"
#include "allclear/planner/problem/end_margin.h"

namespace allclear {
namespace {

/// Pairs whose distances are drawn over time: more curves could not be told apart.
constexpr int kShownPairs = 8;
/// About 1.5 MB. More would hardly show, but make a file that a browser is slow to open.
constexpr int kMostTriangles = 100000;

std::string number(double value, const char* format = "%.4g") { return formatted(format, value); }

/// " 4.05 mm apart at the least ('a' and 'b')" of the pair that comes nearest to its margin, but
/// for pairs that may touch near an end: of those the verdict says more.
std::string nearestText(const SequenceSegment& segment) {
  const CollisionSettings& settings = segment.problem.collision;
  for (const RankedPair& pair : segment.certificate.closest_pairs) {
    if (holdsPair(settings.leaves, pair.a, pair.b) || holdsPair(settings.lands, pair.a, pair.b)) {
      continue;
    }
    return ", " + pair.a + " and " + pair.b + " at least " +
           number(1e3 * pair.distance.lower, "%.3f") + " mm apart, proven";
  }
  return "";
}

/// Collects the data of one report.
class ReportMaker {
 public:
  explicit ReportMaker(const Problem& problem)
      : problem_(problem), geometry_(certifiedGeometry(problem)) {
    data_.title = problem.name.empty() ? problem.robot->name() : problem.name;
    addFact("Task", std::filesystem::path(problem.source_file).filename().string());
    addFact("Robot", problem.robot->name() + ", " + std::to_string(problem.plannedCount()) +
                         " planned joints");
    addFact("Margin", number(1e3 * problem.collision.margin) + " mm");
  }

  void show(const Trajectory& trajectory, const Certificate& certificate) {
    // At the closest instants too: between two frames nobody would see how close.
    std::vector<double> instants;
    for (const RankedPair& pair : certificate.closest_pairs) instants.push_back(pair.t);
    showFrames(motionFrames(problem_, trajectory, instants), &certificate);
    const auto& forces = certificate.trajectory.wrenches;
    const Trajectory* wrenches = forces ? &forces->curve : nullptr;
    data_.joints = reportJoints(problem_, trajectory, wrenches, data_.frames);
    data_.contacts = reportContacts(problem_, trajectory, wrenches, data_.frames);
    data_.impacts = reportRegions(problem_, trajectory, data_.frames);
    addFact("Duration", number(trajectory.duration(), "%.4f") + " s");
    addFact("What slows it", slowedBy(trajectory));
    if (certificate.goal) addFact("Goal", alternativeText(*certificate.goal));
    add(certificate);
  }

  /// A whole of several motions: the proofs are those of its segments.
  void showSequence(const SequenceView& view, const SequenceCertificate& sequence) {
    const Trajectory& trajectory = view.certificate.trajectory.trajectory;
    showFrames(motionFrames(problem_, trajectory), nullptr);
    data_.joints = reportJoints(problem_, trajectory, nullptr, data_.frames);
    data_.certificate = &view.certificate;
    addFact("Duration", number(trajectory.duration(), "%.4f") + " s");
    std::size_t index = 0;
    for (const SequenceSegment& segment : sequence.segments) {
      const Certificate& c = segment.certificate;
      const double end = segment.start_time + c.trajectory.trajectory.duration();
      addFact("Segment " + std::to_string(++index),
              segment.name + ": " + number(segment.start_time, "%.3f") + " to " +
                  number(end, "%.3f") + " s" + nearestText(segment) +
                  (c.goal ? ", to " + alternativeText(*c.goal) : ""));
    }
    for (const SequenceEvent& event : sequence.events) {
      addFact(event.attaches ? "Takes up" : "Lets go of",
              event.object + " (" + event.link + ") at " + number(event.time, "%.3f") + " s");
    }
    if (!sequence.events.empty()) {
      addFact("Note", "torques are drawn without the objects that are taken up on the way");
    }
    addFact("Note", "pairs that may touch in some segment are not drawn");
  }

  void showEnds() {
    showFrames(endFrames(problem_), nullptr);
    data_.contacts = contactPlaces(problem_);
  }

  void add(const PlanStatistics& statistics) {
    data_.history = statistics.history;
    if (statistics.attempts == 0) return;
    addFact("Planned in", number(statistics.seconds, "%.3g") + " s, " +
                              std::to_string(statistics.attempts) +
                              (statistics.attempts == 1 ? " attempt, " : " attempts, ") +
                              std::to_string(statistics.iterations) + " iterations");
    if (!statistics.seed.empty()) addFact("First guess", statistics.seed);
    if (statistics.steps.size() > 1) {
      const PlanStep& first = statistics.steps.front();
      addFact("First plan", number(first.duration, "%.4f") + " s, found in " +
                                number(first.seconds, "%.3g") + " s");
    }
  }

  void addFact(const std::string& name, const std::string& value) {
    if (!value.empty()) data_.facts.emplace_back(name, withoutFolders(value));
  }

  const CertifiedGeometry& geometry() const { return geometry_; }
  const ReportClearance& clearance() const { return data_.clearance; }

  std::string html(ReportVerdict verdict) {
    data_.verdict = std::move(verdict);
    for (const std::string& warning : problem_.warnings) addFact("Warning", warning);
    return formatReportHtml(problem_, data_);
  }

 private:
  void add(const Certificate& certificate) {
    // Facts beside the picture, in the order of interest.
    data_.certificate = &certificate;
    std::size_t cells = 0;
    for (const CertificatePair& pair : certificate.pairs) cells += pair.cells.size();
    if (!certificate.closest_pairs.empty()) {
      const RankedPair& pair = certificate.closest_pairs.front();
      addFact("Nearest to its margin", pair.a + " and " + pair.b + " at " + number(pair.t, "%.3f") +
                                           " s: " + number(1e3 * pair.distance.lower, "%.3f") +
                                           " to " + number(1e3 * pair.distance.upper, "%.3f") +
                                           " mm apart, proven");
    } else if (!certificate.pairs.empty()) {
      addFact("Nearest pair",
              certificate.closest_a + " and " + certificate.closest_b + " at " +
                  number(certificate.closest_t, "%.3f") +
                  " s: " + number(1e3 * certificate.minimum_clearance.upper, "%.3f") + " mm");
    }
    if (certificate.tube) {
      for (const auto& [name, value] : tubeFacts(*certificate.tube)) addFact(name, value);
    }
    addFact("Proof", std::to_string(bodyPairCount(certificate)) + " pairs in " +
                         std::to_string(cells) + " cells, " +
                         std::to_string(certificate.limits.size()) + " limits");
    addFact("Motion", describe(certificate.trajectory.interpolation()));
    for (const std::string& contact : certificate.static_contacts)
      addFact("Constant pair", contact);
    for (const std::string& demand : certificate.not_covered) addFact("Not covered", demand);
  }

  /// The limits that are used up most of the time.
  std::string slowedBy(const Trajectory& trajectory) const {
    constexpr std::size_t kNamed = 3;
    std::string out;
    std::size_t count = 0;
    for (const auto& [name, share] :
         whatSlows(problem_, data_.joints, trajectory, data_.frames, data_.impacts)) {
      if (count++ == kNamed) break;
      out += (out.empty() ? "" : ", ") + name + " (" + number(100.0 * share, "%.0f") +
             " % of the time)";
    }
    return out;
  }

  void showFrames(ReportFrames frames, const Certificate* certificate) {
    data_.frames = std::move(frames);
    data_.cables = reportCables(problem_, data_.frames);
    data_.clearance = reportClearance(problem_, geometry_, data_.frames, certificate, kShownPairs);
    data_.scene = reportScene(problem_, geometry_, data_.frames, data_.clearance, kMostTriangles);
    addFact("Pairs", std::to_string(data_.clearance.pair_count) + " of " +
                         std::to_string(geometry_.bodies.size()) + " bodies");
  }

  const Problem& problem_;
  CertifiedGeometry geometry_;
  ReportData data_;
};

/// Of a goal with alternatives the one that the motion reaches: fifty others would only hide it.
Problem withReachedGoal(const Problem& problem, const Certificate* certificate) {
  if (certificate == nullptr || !certificate->goal) return problem;
  return withAlternative(problem, certificate->goal->alternative);
}

}  // namespace

bool hasReports() { return !kThreeScript.empty(); }

void requireReports() {
  if (hasReports()) return;
  throw InputError(
      "this build of allclear writes no reports: it was configured with ALLCLEAR_WITH_REPORT=OFF. "
      "Install three.js (Debian: libjs-three) and build again without that option");
}

std::string formatPlanReport(const Problem& problem, const Plan& plan) {
  requireReports();
  // A plan that ended early has no certificate: the report shows what is wrong, so it needs one.
  Plan judged = plan;
  if (plan.trajectory && !judged.certificate) {
    const Trajectory* wrenches = plan.wrenches ? &*plan.wrenches : nullptr;
    judged.certificate = certify(problem, *plan.trajectory, wrenches);
  }
  const Problem shown =
      withReachedGoal(problem, judged.certificate ? &*judged.certificate : nullptr);
  ReportMaker maker(shown);
  if (plan.trajectory) {
    maker.show(*plan.trajectory, *judged.certificate);
  } else {
    maker.showEnds();
  }
  maker.add(plan.statistics);
  return maker.html(planVerdict(maker.geometry(), judged, maker.clearance()));
}

std::string formatTrajectoryReport(const Problem& problem, const Certificate& certificate) {
  requireReports();
  const Problem shown = withReachedGoal(problem, &certificate);
  ReportMaker maker(shown);
  maker.show(certificate.trajectory.trajectory, certificate);
  return maker.html(trajectoryVerdict(certificate));
}

std::string formatSequenceReport(const Sequence& sequence, const SequenceCertificate& certificate) {
  requireReports();
  const SequenceView view = sequenceView(sequence, certificate);
  ReportMaker maker(view.problem);
  maker.showSequence(view, certificate);
  return maker.html(trajectoryVerdict(view.certificate));
}

std::string formatTaskReport(const Problem& problem, const std::vector<std::string>& faults) {
  requireReports();
  ReportMaker maker(problem);
  maker.showEnds();
  return maker.html(taskVerdict(faults));
}

void writePlanReport(const std::filesystem::path& path, const Problem& problem, const Plan& plan) {
  writeFileAtomically(path, formatPlanReport(problem, plan));
}

void writeTrajectoryReport(const std::filesystem::path& path, const Problem& problem,
                           const Certificate& certificate) {
  writeFileAtomically(path, formatTrajectoryReport(problem, certificate));
}

void writeTaskReport(const std::filesystem::path& path, const Problem& problem,
                     const std::vector<std::string>& faults) {
  writeFileAtomically(path, formatTaskReport(problem, faults));
}

}  // namespace allclear
