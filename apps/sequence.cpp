// Tasks with `segments`: plan, check, certify, report. What the subcommands do with one motion they
// do here with several: the verdict is about the whole, and so is the exit code; a folder takes the
// place of the single files, as each segment has files of its own.
#include "allclear/apps/sequence.h"

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "allclear/apps/assumptions_json.h"
#include "allclear/apps/command_checks.h"
#include "allclear/apps/commands.h"
#include "allclear/apps/json_text.h"
#include "allclear/apps/plan_json.h"
#include "allclear/core/file.h"
#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/exports/output_files.h"
#include "allclear/exports/report.h"
#include "allclear/planner/problem/sequence_state.h"
#include "allclear/planner/workcell.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Of the command.
int exitCode(PlanStatus status) {
  switch (status) {
    case PlanStatus::kCertified:
      return kDone;
    case PlanStatus::kNotFound:
      return kNoPlan;
    case PlanStatus::kTimedOut:
      return kOutOfTime;
    case PlanStatus::kInterrupted:
      return kInterrupted;
  }
  return kInternalError;
}

/// The assumptions of all segments, each said once, with the segments that make it.
std::vector<std::pair<std::string, std::string>> assumptionsOf(
    const SequenceCertificate& certificate) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const SequenceSegment& segment : certificate.segments) {
    const std::string brief = assumptionsInBrief(segment.certificate);
    if (brief.empty()) continue;
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&](const auto& said) { return said.second == brief; });
    if (same == out.end()) {
      out.emplace_back("'" + segment.name + "'", brief);
    } else {
      same->first += ", '" + segment.name + "'";
    }
  }
  return out;
}

/// One line for each.
void printAssumptions(const SequenceCertificate& certificate) {
  for (const auto& [segments, brief] : assumptionsOf(certificate)) {
    std::cout << segments << ": " << brief << "\n";
  }
}

/// What was proven of each segment.
Json segmentsJson(const SequenceCertificate& certificate) {
  Json out = Json::array();
  for (const SequenceSegment& segment : certificate.segments) {
    const Certificate& c = segment.certificate;
    out.push_back({{"name", segment.name},
                   {"start", segment.start_time},
                   {"duration", c.trajectory.trajectory.duration()},
                   {"message", c.message},
                   {"minimum_clearance", {c.minimum_clearance.lower, c.minimum_clearance.upper}},
                   {"assumptions", assumptionsJson(c)}});
    if (c.goal) out.back()["goal"] = reachedJson(*c.goal);
  }
  return out;
}

/// When objects change hands.
Json eventsJson(const SequenceCertificate& certificate) {
  Json out = Json::array();
  for (const SequenceEvent& event : certificate.events) {
    out.push_back({{event.attaches ? "attach" : "detach", event.object},
                   {"link", event.link},
                   {"time", event.time}});
  }
  return out;
}

/// All figures of a plan, found or not.
Json planJson(const SequencePlan& plan) {
  const SequenceStatistics& s = plan.statistics;
  Json out = {{"status", planStatusName(plan.status)},
              {"message", plan.message},
              {"seconds", s.seconds},
              {"plans", s.plans},
              {"returns", s.returns},
              {"looks", s.looks},
              {"longest_call", longestCallJson(s.longest_call, s.longest_call_seconds)}};
  if (plan.failure) out["failed"] = plan.failure->segment;
  if (!plan.certificate.clear) return out;
  out["duration"] = plan.certificate.duration;
  out["segments"] = segmentsJson(plan.certificate);
  out["events"] = eventsJson(plan.certificate);
  return out;
}

/// Makes the folders of files that are to be written.
void makeFolders(const NamedTexts& files) {
  for (const auto& [path, text] : files) {
    std::error_code code;  // a failure shows at the file
    if (path.has_parent_path()) fs::create_directories(path.parent_path(), code);
  }
}

/// An earlier run's files must not pass for this one's.
void removeEarlier(const std::string& folder, const NamedTexts& kept) {
  if (folder.empty()) return;
  for (const fs::path& file : filesOfEarlierSequence(folder)) {
    const bool stays = std::any_of(kept.begin(), kept.end(), [&](const auto& item) {
      return item.first.lexically_normal() == file.lexically_normal();
    });
    std::error_code code;
    if (stays || !fs::remove(file, code)) continue;
    std::cerr << "removed, as it was of an earlier plan: " << file.string() << "\n";
    if (fs::is_empty(file.parent_path(), code)) fs::remove(file.parent_path(), code);
  }
}

/// Each line once.
std::vector<std::string> notInProofs(const SequenceCertificate& certificate) {
  std::vector<std::string> lines;
  for (const SequenceSegment& segment : certificate.segments) {
    for (const std::string& line : notInProof(segment.problem)) {
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace

/// Before the planning, as for one motion.
void prepareSequenceOutputs(const SequenceOutputs& outputs) {
  const OutputSettings& output = outputs.output;
  if (!output.report.empty()) requireReports();
  requireSequenceOutputs(output, outputs.task_file);
  if (!output.certificate.empty() || !output.proof.empty()) {
    throw InputError({outputs.task_file, 0, "output", ""},
                     "a task with 'segments' has a certificate and a proof for each of them: give "
                     "a folder (-o FOLDER)");
  }
  std::error_code code;  // a failure shows at the files in it
  if (!outputs.folder.empty()) fs::create_directories(outputs.folder, code);
  std::vector<std::string> names{output.csv, output.trajectory, output.ros2, output.report};
  if (!outputs.folder.empty()) {
    names.push_back((fs::path(outputs.folder) / kSequenceFile).string());
  }
  requireOutputs(names, {outputs.task_file});
}

/// Files first, so that the lines that name them are true.
int finishSequence(const Task& task, const SequencePlan& plan, const SequenceOutputs& outputs,
                   const CommandTime& time, const std::function<bool()>& interrupted) {
  const bool is_clear = plan.certificate.clear;
  NamedTexts files;
  std::vector<std::string> warnings;
  if (is_clear) {
    if (!outputs.folder.empty()) {
      const auto format = [&] {
        return formatSequenceFiles(outputs.output, outputs.folder, *task.sequence, plan.certificate,
                                   &warnings);
      };
      files = time.filesInTime(format, interrupted);
    }
    OutputSettings alone = outputs.output;
    if (!outputs.folder.empty()) alone.ros2.clear();
    for (auto& file : formatWholeFiles(alone, *task.sequence, plan.certificate)) {
      files.push_back(std::move(file));
    }
  }
  for (const std::string& warning : warnings) std::cerr << "warning: " << warning << "\n";
  if (is_clear || plan.status != PlanStatus::kInterrupted) removeEarlier(outputs.folder, files);
  if (!outputs.output.report.empty()) {
    files.emplace_back(outputs.output.report,
                       is_clear       ? formatSequenceReport(*task.sequence, plan.certificate)
                       : plan.failure ? formatPlanReport(plan.failure->problem, plan.failure->plan)
                                      : formatTaskReport(task.problem, {plan.message}));
  }
  makeFolders(files);
  writeFiles(files);
  if (outputs.json) {
    std::cout << jsonText(planJson(plan));
    return exitCode(plan.status);
  }
  std::cout << plan.message << "\n";
  if (is_clear) printAssumptions(plan.certificate);
  if (outputs.quiet) return exitCode(plan.status);
  for (const auto& [file, text] : files) std::cout << "written: " << file.string() << "\n";
  if (is_clear && !outputs.folder.empty()) {
    for (const std::string& line : notInProofs(plan.certificate)) std::cout << line << "\n";
  }
  return exitCode(plan.status);
}

int checkSequence(const Task& task, const std::string& report, bool as_json) {
  // The first motion is the one whose start is known; of the others the keys are, which the reader
  // has checked.
  const Sequence& sequence = *task.sequence;
  SequenceState state = sequenceStart(sequence);
  std::vector<std::string> faults;
  Json segments = Json::array();
  std::string text;
  for (int s = 0; s < static_cast<int>(sequence.steps.size()); ++s) {
    const auto* motion = std::get_if<SequenceMotion>(&sequence.steps[s].what);
    if (motion == nullptr) {
      state = afterEvent(sequence, sequence.steps[s], state);
      continue;
    }
    const Problem problem = segmentProblem(sequence, s, state);
    const ProblemCheck check = checkProblem(problem);
    for (const std::string& fault : check.faults) {
      faults.push_back("segment '" + motion->name + "': " + fault);
    }
    segments.push_back({{"name", motion->name},
                        {"planned_joints", problem.plannedCount()},
                        {"pairs", check.moving_pairs},
                        {"fixed_pairs", check.fixed_pairs}});
    text += "segment '" + motion->name + "': " + std::to_string(problem.plannedCount()) +
            " planned joints, " + std::to_string(check.moving_pairs) + " pairs\n";
    const auto* joints = std::get_if<JointTarget>(&problem.goal);
    if (joints == nullptr) {
      segments.back()["end"] = "known when it is planned";
      text += "note: where '" + motion->name +
              "' ends is known when it is planned; distances beyond it are not looked at\n";
      break;
    }
    state.q = problem.configuration(joints->values);
  }
  if (!report.empty()) writeTaskReport(report, task.problem, faults);
  if (as_json) {
    std::cout << jsonText(Json{{"task", task.problem.source_file},
                               {"robot", task.problem.robot->name()},
                               {"well_posed", faults.empty()},
                               {"faults", faults},
                               {"segments", segments},
                               {"warnings", task.problem.warnings}});
    return faults.empty() ? kDone : kNoPlan;
  }
  for (const std::string& warning : task.problem.warnings) {
    std::cerr << "warning: " << warning << "\n";
  }
  std::cout << task.problem.source_file << ": robot '" << task.problem.robot->name() << "', "
            << sequence.steps.size() << " steps\n"
            << text;
  if (faults.empty()) std::cout << "The task is well posed.\n";
  for (const std::string& fault : faults) std::cout << "At fault: " << fault << "\n";
  if (!report.empty()) std::cout << "written: " << report << "\n";
  return faults.empty() ? kDone : kNoPlan;
}

namespace {

/// In the order of the file.
std::vector<Trajectory> trajectoriesOf(const SequenceFolder& folder) {
  std::vector<Trajectory> out;
  for (const NamedTrajectory& named : folder.trajectories) out.push_back(named.trajectory);
  return out;
}

/// Each must be about the trajectory beside it.
std::vector<Certificate> certificatesOf(const SequenceFolder& folder) {
  std::vector<Certificate> out;
  for (std::size_t i = 0; i < folder.certificates.size(); ++i) {
    out.push_back(readCertificateJson(folder.certificates[i]));
    if (!isSameTrajectory(out.back().trajectory, folder.trajectories[i])) {
      throw InputError({folder.certificates[i].string(), 0, "trajectory", ""},
                       "is not that of the trajectory.json beside it");
    }
  }
  return out;
}

/// The verdict, and the exit code.
int say(bool is_good, const std::string& message, bool as_json, const Json& more) {
  if (as_json) {
    Json out = {{"clear", is_good}, {"message", message}};
    for (const auto& [key, value] : more.items()) out[key] = value;
    std::cout << jsonText(out);
  } else {
    std::cout << message << "\n";
  }
  return is_good ? kDone : kNotClear;
}

/// Also the certificate files have to be those of their segments: their hashes are stated.
int verifyFolder(const Task& task, const SequenceFolder& folder, bool as_json,
                 const CertificateOptions& options) {
  const std::vector<Certificate> certificates = certificatesOf(folder);
  CertificateVerdict verdict = verifySequence(*task.sequence, certificates, options);
  if (verdict.valid) {
    SequenceCertificate laid = layOut(*task.sequence, trajectoriesOf(folder));
    for (std::size_t i = 0; i < certificates.size(); ++i) {
      const std::string sent = sentFault(laid.segments[i].problem, certificates[i]);
      if (!sent.empty())
        verdict = {false, "segment '" + laid.segments[i].name + "': " + sent + "."};
    }
    const std::string fault = sequenceFault(folder, *task.sequence, laid);
    if (!fault.empty()) verdict = {false, "The sequence does not hold: " + fault + "."};
  }
  return say(verdict.valid, verdict.message, as_json, Json::object());
}

}  // namespace

/// Proves the motions anew; the files of the folder must be theirs.
int certifySequenceFolder(const Task& task, const std::string& path, bool verify, bool as_json,
                          const CertificateOptions& options) {
  const SequenceFolder folder = readSequenceFolder(path);
  if (verify) return verifyFolder(task, folder, as_json, options);
  SequenceCertificate certificate;
  try {
    certificate = certifySequence(*task.sequence, trajectoriesOf(folder), options);
  } catch (const InputError& error) {
    return say(false, std::string("Not clear: ") + error.what() + ".", as_json, Json::object());
  }
  // The motions are clear: now the files must say the same.
  if (certificate.clear) {
    const std::string fault = sequenceFault(folder, *task.sequence, certificate);
    if (!fault.empty()) {
      return say(false, "Not clear: " + folder.file.string() + ": " + fault + ".", as_json,
                 Json::object());
    }
  }
  const int code =
      say(certificate.clear, certificate.message, as_json,
          {{"segments", segmentsJson(certificate)}, {"events", eventsJson(certificate)}});
  if (!as_json && certificate.clear) printAssumptions(certificate);
  return code;
}

/// Certifies, and draws what there is, clear or not.
int reportSequenceFolder(const Task& task, const std::string& path, const std::string& output,
                         const CertificateOptions& options) {
  requireReports();
  const SequenceFolder folder = readSequenceFolder(path);
  const fs::path file =
      output.empty() ? folder.file.parent_path() / "sequence.html" : fs::path(output);
  requireOutputs({file.string()}, {task.problem.source_file, folder.file.string()});
  const SequenceCertificate certificate =
      certifySequence(*task.sequence, trajectoriesOf(folder), options);
  writeFileAtomically(file, formatSequenceReport(*task.sequence, certificate));
  std::cout << certificate.message << "\nwritten: " << file.string() << "\n";
  return certificate.clear ? kDone : kNotClear;
}

}  // namespace allclear
