// The files of a plan hold one curve and its proof. Rows for controllers are not samples of a curve
// that was proven: they are the curve that was proven, at the joints of its polynomials, with the
// times that the files can hold. So nothing has to be said about the difference between them.
#include "allclear/exports/output_files.h"

#include "allclear/core/file.h"
#include "allclear/core/formatted.h"
#include "allclear/core/sha256.h"
#include "allclear/core/stop_scope.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/planner/problem/derived_base.h"
#include "allclear/trajectories/trajectory_files.h"

namespace allclear {
namespace {

/// Rows that memory holds a few times over, of any robot.
constexpr double kMostRows = 2e6;
/// Other rows of the same curve follow a path as well as it does, to rounding and this factor.
constexpr double kFollowsAsWell = 1.05;

/// The rows that are sent. Those that are there already stay to the bit.
HermiteCurve rowsToSend(const Trajectory& trajectory, double rate) {
  if (!(trajectory.duration() * rate <= kMostRows)) {
    throw InputError({"", 0, "output.rate", formatted("%g", rate)},
                     formatted("would make %.3g rows of a trajectory of %.4g s, more than %g",
                               trajectory.duration() * rate, trajectory.duration(), kMostRows));
  }
  const HermiteCurve rows = controllerRows(trajectory, rate);
  const HermiteCurve* given = trajectory.hermite();
  const bool are_there =
      given != nullptr && given->givenOrder() == 2 && given->times() == rows.times();
  return are_there ? *given : rows;
}

std::string ros2Text(const Problem& problem, const HermiteCurve& rows) {
  const RobotModel& robot = *problem.robot;
  return formatRos2Trajectory(rows, plannedNames(problem), robot.links()[robot.rootLink()].name);
}

/// With the pose of the base of a robot that stands, which its joints carry, and the forces at its
/// contacts.
std::string csvText(const Problem& problem, const HermiteCurve& rows,
                    const std::optional<ContactWrenches>& wrenches) {
  DerivedColumns beside = derivedBaseColumns(problem, rows.positions());
  if (wrenches) {
    // At the instants of the motion's rows, whatever their own are.
    const auto count = static_cast<Eigen::Index>(rows.times().size());
    const Eigen::Index first = beside.values.rows();
    beside.names.insert(beside.names.end(), wrenches->names.begin(), wrenches->names.end());
    beside.values.conservativeResize(first + wrenches->curve.dimension(), count);
    for (Eigen::Index i = 0; i < count; ++i) {
      beside.values.col(i).tail(wrenches->curve.dimension()) =
          wrenches->curve.value(rows.times()[i]);
    }
  }
  return formatTrajectoryCsv(rows, plannedNames(problem), beside);
}

/// Beyond what a reader takes (1e9), a file would hold another curve or none.
void requireReadsBack(const Problem& problem, const std::string& csv, const NamedTrajectory& sent) {
  const NamedTrajectory motion{sent.trajectory, sent.joint_names, {}};
  if (!isSameTrajectory(
          parseTrajectoryCsv(csv, "CSV", {}, std::nullopt, columnsBesideJoints(problem)), motion)) {
    throw InputError("the trajectory would not read back from CSV as it is");
  }
}

/// A certificate of the rows: the one given when it is, else a new one, which must be clear.
Certificate certificateOf(const Problem& problem, const NamedTrajectory& sent,
                          const Certificate& given, double rate) {
  if (isSameTrajectory(given.trajectory, sent)) return given;
  Certificate certificate = certify(problem, sent.trajectory, sent.wrenchCurve());
  if (given.follows) {
    certifyFollows(problem, given.follows->path, kFollowsAsWell * given.follows->within,
                   &certificate);
  }
  if (!certificate.clear && given.clear) {
    throw InputError({problem.source_file, 0, "output.rate", formatted("%f", rate)},
                     "the rows cannot be certified: " + certificate.message);
  }
  return certificate;
}

/// Nothing when the caller has no time left for it (core/stop_scope.h), with a warning: the
/// certificate says as much, and the proof can be made later.
std::optional<Proof> proofInTime(const StopHelper& callers, const Problem& problem,
                                 const Certificate& certificate, const OutputSettings& output,
                                 std::vector<std::string>* warnings) {
  try {
    const StopHelper::Entered in_callers_time = callers.enter();
    return makeProof(problem, certificate);
  } catch (const Stopped&) {
    warnings->push_back(
        "no " + output.proof +
        ": there was no time left to make it; 'allclear certify' with --proof does");
    return std::nullopt;
  }
}

}  // namespace

DerivedColumns derivedBaseColumns(const Problem& problem, const MatX& positions) {
  DerivedColumns base{derivedBaseNames(problem), {}};
  if (!base.names.empty()) base.values = derivedBase(problem, positions);
  return base;
}

std::vector<std::string> columnsBesideJoints(const Problem& problem) {
  std::vector<std::string> names = derivedBaseNames(problem);
  for (std::string& name : wrenchNames(problem)) names.push_back(std::move(name));
  return names;
}

std::string incompleteProof(const std::string& file, const Proof& proof) {
  return "no " + file + ": the certificate proves " + proof.unproven.front() +
         (proof.unproven.size() > 1 ? " and others" : "") +
         " apart, but the simpler bound of a proof does not";
}

NamedTexts formatOutputFiles(const OutputSettings& output, const std::filesystem::path& folder,
                             const Problem& problem, const Trajectory& trajectory,
                             const Certificate* certificate, std::vector<std::string>* warnings) {
  // Without its files there is no plan: all but the proof take the time they take.
  const StopHelper callers;
  const StopScope to_the_end({});
  const HermiteCurve rows = rowsToSend(trajectory, output.rate);
  NamedTrajectory sent{rows, plannedNames(problem), {}};
  if (certificate != nullptr && certificate->trajectory.wrenches) {
    const ContactWrenches& wrenches = *certificate->trajectory.wrenches;
    sent.wrenches = ContactWrenches{rowsToSend(wrenches.curve, output.rate), wrenches.names};
  }
  const std::string csv = output.csv.empty() ? "" : csvText(problem, rows, sent.wrenches);
  const std::string ros2 = output.ros2.empty() ? "" : ros2Text(problem, rows);
  if (!csv.empty()) requireReadsBack(problem, csv, sent);
  std::optional<Certificate> of_rows;
  if (certificate != nullptr) {
    of_rows = certificateOf(problem, sent, *certificate, output.rate);
    if (!csv.empty()) of_rows->sent["csv"] = sha256(csv);
    if (!ros2.empty()) of_rows->sent["ros2"] = sha256(ros2);
  }
  std::optional<Proof> proof;
  if (of_rows && !output.proof.empty()) {
    proof = proofInTime(callers, problem, *of_rows, output, warnings);
  }
  NamedTexts files;
  const auto add = [&](const std::string& name, const auto& text) {
    if (!name.empty()) files.emplace_back(folder / name, text());
  };
  add(output.csv, [&] { return csv; });
  add(output.trajectory, [&] { return formatTrajectoryJson(sent); });
  if (of_rows) add(output.certificate, [&] { return formatCertificateJson(*of_rows); });
  if (proof && proof->unproven.empty()) add(output.proof, [&] { return proof->text; });
  if (proof && !proof->unproven.empty()) {
    warnings->push_back(incompleteProof(output.proof, *proof));
  }
  add(output.ros2, [&] { return ros2; });
  if (output.tool_csv) {
    add(output.tool_csv->file, [&] { return formatToolCsv(problem, rows, *output.tool_csv); });
  }
  return files;
}

std::vector<std::filesystem::path> writeOutputFiles(const OutputSettings& output,
                                                    const std::filesystem::path& folder,
                                                    const Problem& problem,
                                                    const Trajectory& trajectory,
                                                    const Certificate* certificate,
                                                    std::vector<std::string>* warnings) {
  const NamedTexts files =
      formatOutputFiles(output, folder, problem, trajectory, certificate, warnings);
  writeFiles(files);
  std::vector<std::filesystem::path> written;
  for (const auto& [path, text] : files) written.push_back(path);
  return written;
}

std::string sentFault(const Problem& problem, const Certificate& certificate) {
  const HermiteCurve* rows = certificate.trajectory.trajectory.hermite();
  for (const auto& [kind, hash] : certificate.sent) {
    const bool is_rows = rows != nullptr && rows->givenOrder() == 2;
    if (is_rows && kind == "csv" &&
        hash == sha256(csvText(problem, *rows, certificate.trajectory.wrenches))) {
      continue;
    }
    if (is_rows && kind == "ros2" && hash == sha256(ros2Text(problem, *rows))) continue;
    return "the hash of the file that was sent ('" + kind + "') is not that of its trajectory";
  }
  return "";
}

NamedTrajectory readTrajectoryFile(const std::filesystem::path& path, const Problem& problem,
                                   std::optional<Interpolation> interpolation) {
  const std::vector<std::string> joints = plannedNames(problem);
  if (path.extension() != ".json") {
    return readTrajectoryCsv(path, joints, interpolation, columnsBesideJoints(problem));
  }
  NamedTrajectory trajectory = readTrajectoryJson(path, joints);
  if (interpolation && *interpolation != trajectory.interpolation()) {
    throw InputError({path.string(), 0, "type", ""}, "this file's motion is " +
                                                         describe(trajectory.interpolation()) +
                                                         ", not " + describe(*interpolation));
  }
  return trajectory;
}

}  // namespace allclear
