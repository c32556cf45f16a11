// The files of a sequence. Each segment has its own trajectory, certificate and proof, which hold
// by themselves for the segment's problem; what makes them one motion are the states that join
// them, and these follow from the task and the trajectories. So `sequence.json` claims nothing that
// a checker takes from it: it names the files by their hashes, and all else in it is made anew from
// the task and the segments' trajectories and compared.
#include "allclear/exports/output_files.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "allclear/core/file.h"
#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/core/sha256.h"
#include "allclear/core/stop_scope.h"
#include "allclear/trajectories/trajectory_files.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr const char* kCertificateFile = "certificate.json";
constexpr const char* kTrajectoryFile = "trajectory.json";

/// Files as `sequence.json` has them: names and hashes.
using Hashes = std::vector<std::pair<std::string, std::string>>;

/// A map of names.
Json json(const Hashes& hashes) {
  Json out = Json::object();
  for (const auto& [name, hash] : hashes) out[name] = hash;
  return out;
}

/// "3_close": the number keeps the order, and two names never become one folder.
std::string folderOf(const SequenceSegment& segment, std::size_t index) {
  std::string name = std::to_string(index + 1) + "_";
  for (char c : segment.name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
    name += is_plain ? c : '_';
  }
  return name;
}

/// As `sequence.json` has it.
Json eventJson(const SequenceEvent& event) {
  return {{event.attaches ? "attach" : "detach", event.object},
          {"link", event.link},
          {"time", event.time},
          {"before_segment", event.before_segment}};
}

/// All of `sequence.json` but for the hashes of files, which the caller knows.
Json stateOf(const Sequence& sequence, const SequenceCertificate& certificate, const Hashes& whole,
             const std::vector<Hashes>& of_segments) {
  const Problem& shared = sequence.shared;
  Json out = {{"format", "allclear_sequence"},
              {"version", kVersion},
              {"tool", certificate.segments.front().certificate.tool},
              {"message", certificate.message},
              {"robot_sha256", shared.robot->sourceSha256()},
              {"task_sha256", shared.source_sha256},
              {"duration", certificate.duration},
              {"joints", wholeTrajectory(shared, certificate.segments).joint_names},
              {"files", json(whole)}};
  out["segments"] = Json::array();
  for (std::size_t i = 0; i < certificate.segments.size(); ++i) {
    const SequenceSegment& segment = certificate.segments[i];
    const bool is_last = i + 1 == certificate.segments.size();
    out["segments"].push_back(
        {{"name", segment.name},
         {"folder", folderOf(segment, i)},
         {"start", segment.start_time},
         {"end", is_last ? certificate.duration : certificate.segments[i + 1].start_time},
         {"joints", plannedNames(segment.problem)},
         {"files", json(of_segments[i])}});
  }
  out["events"] = Json::array();
  for (const SequenceEvent& event : certificate.events) out["events"].push_back(eventJson(event));
  return out;
}

const HermiteCurve& rowsOf(const NamedTrajectory& whole) { return *whole.trajectory.hermite(); }

/// The rows of the whole.
std::string csvOf(const NamedTrajectory& whole) {
  return formatTrajectoryCsv(rowsOf(whole), whole.joint_names);
}

/// The same as a message.
std::string ros2Of(const Problem& shared, const NamedTrajectory& whole) {
  return formatRos2Trajectory(rowsOf(whole), whole.joint_names,
                              shared.robot->links()[shared.robot->rootLink()].name);
}

/// Text of this format and version.
Json parse(const fs::path& path, const std::string& text) {
  const Json out = Json::parse(text, nullptr, false);
  if (out.is_discarded() || !out.is_object() ||
      out.value("format", Json()) != "allclear_sequence") {
    throw InputError({path.string(), 0, "", ""}, "is no sequence.json of allclear");
  }
  if (out.value("version", Json()) != kVersion) {
    throw InputError({path.string(), 0, "version", ""}, "this program reads version 1");
  }
  return out;
}

/// A path that stays in the folder.
fs::path inFolder(const fs::path& folder, const std::string& name, const fs::path& file) {
  const fs::path path(name);
  const bool leaves =
      name.empty() || path.is_absolute() ||
      std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
  if (leaves) throw InputError({file.string(), 0, "", name}, "names a file outside of its folder");
  return folder / path;
}

/// A key that must be there.
const Json& member(const Json& object, const char* key, const fs::path& file) {
  const auto it = object.is_object() ? object.find(key) : object.end();
  if (it == object.end()) throw InputError({file.string(), 0, key, ""}, "is missing");
  return *it;
}

/// A value that must be a text.
std::string textOf(const Json& value, const char* key, const fs::path& file) {
  if (!value.is_string()) throw InputError({file.string(), 0, key, ""}, "must be a text");
  return value.get<std::string>();
}

/// Requires that each named file has its hash.
void checkFiles(const fs::path& folder, const Json& files, const fs::path& file) {
  if (!files.is_object()) throw InputError({file.string(), 0, "files", ""}, "must be a map");
  for (const auto& [name, hash] : files.items()) {
    const fs::path path = inFolder(folder, name, file);
    if (sha256(readFile(path)) != textOf(hash, "files", file)) {
      throw InputError(
          {path.string(), 0, "", ""},
          "is not the file that " + file.filename().string() + " names: its SHA-256 differs");
    }
  }
}

/// The key of the first difference between what is stated and what follows; empty without one.
std::string differenceOf(const Json& stated, const Json& follows) {
  for (const auto& [key, value] : follows.items()) {
    if (key == "tool" || key == "message") continue;
    if (!stated.contains(key) || stated[key] != value) return key;
  }
  for (const auto& [key, value] : stated.items()) {
    if (!follows.contains(key)) return key;
  }
  return "";
}

/// Segments and events one by one, so that the message can name the one.
std::string differenceText(const Json& stated, const Json& follows) {
  const std::string key = differenceOf(stated, follows);
  if (key.empty()) return "";
  const bool is_list = (key == "segments" || key == "events") && stated.contains(key) &&
                       stated[key].is_array() && stated[key].size() == follows[key].size();
  if (!is_list) return "'" + key + "' is not what the task and the segments' motions lead to";
  for (std::size_t i = 0; i < follows[key].size(); ++i) {
    const Json& a = stated[key][i];
    const Json& b = follows[key][i];
    if (a == b) continue;
    const std::string inner = a.is_object() ? differenceOf(a, b) : "";
    return (key == "segments" ? "segment " : "event ") + std::to_string(i + 1) + ": '" + inner +
           "' is not what the task and the segments' motions lead to";
  }
  return "";
}

/// Names and hashes as they are stated.
Hashes hashesOf(const Json& files) {
  Hashes out;
  for (const auto& [name, hash] : files.items()) out.emplace_back(name, hash.get<std::string>());
  return out;
}

}  // namespace

/// A rate would make other rows, which nothing has certified.
void requireSequenceOutputs(const OutputSettings& output, const std::string& task_file) {
  if (output.rate > 0.0) {
    throw InputError({task_file, 0, "output.rate", ""},
                     "a task with 'segments' writes the rows of its curves alone");
  }
}

/// The curve of all joints, in each format that is asked for.
NamedTexts formatWholeFiles(const OutputSettings& output, const Sequence& sequence,
                            const SequenceCertificate& certificate) {
  const NamedTrajectory whole = wholeTrajectory(sequence.shared, certificate.segments);
  NamedTexts files;
  if (!output.csv.empty()) files.emplace_back(output.csv, csvOf(whole));
  if (!output.trajectory.empty()) {
    files.emplace_back(output.trajectory, formatTrajectoryJson(whole));
  }
  if (!output.ros2.empty()) files.emplace_back(output.ros2, ros2Of(sequence.shared, whole));
  return files;
}

/// The whole, each segment in a folder of its own, and what ties them together.
NamedTexts formatSequenceFiles(const OutputSettings& output, const fs::path& folder,
                               const Sequence& sequence, const SequenceCertificate& certificate,
                               std::vector<std::string>* warnings) {
  requireSequenceOutputs(output, sequence.shared.source_file);
  // As of one motion: all but the proofs takes the time it takes.
  const StopHelper callers;
  const StopScope to_the_end({});
  OutputSettings whole_output;
  whole_output.csv = "trajectory.csv";
  whole_output.trajectory = kTrajectoryFile;
  if (!output.ros2.empty()) whole_output.ros2 = fs::path(output.ros2).filename().string();
  NamedTexts files;
  Hashes whole;
  for (auto& [name, text] : formatWholeFiles(whole_output, sequence, certificate)) {
    whole.emplace_back(name.string(), sha256(text));
    files.emplace_back(folder / name, std::move(text));
  }
  OutputSettings of_segment;
  of_segment.csv = "trajectory.csv";
  of_segment.trajectory = kTrajectoryFile;
  of_segment.certificate = kCertificateFile;
  of_segment.proof = "plan.proof";
  // Segments are written as a plan of one motion is.
  std::vector<Hashes> of_segments;
  for (std::size_t i = 0; i < certificate.segments.size(); ++i) {
    const SequenceSegment& segment = certificate.segments[i];
    const std::string name = folderOf(segment, i);
    std::vector<std::string> left_out;
    Hashes hashes;
    NamedTexts of_this;
    {
      const StopHelper::Entered in_callers_time = callers.enter();
      of_this = formatOutputFiles(of_segment, "", segment.problem,
                                  segment.certificate.trajectory.trajectory, &segment.certificate,
                                  &left_out);
    }
    for (auto& [file, text] : of_this) {
      hashes.emplace_back(file.string(), sha256(text));
      files.emplace_back(folder / name / file, std::move(text));
    }
    for (const std::string& warning : left_out) warnings->push_back(name + ": " + warning);
    of_segments.push_back(std::move(hashes));
  }
  files.emplace_back(folder / kSequenceFile,
                     stateOf(sequence, certificate, whole, of_segments).dump(1) + "\n");
  return files;
}

/// Reads what is named, and no more; each file must have its hash.
SequenceFolder readSequenceFolder(const fs::path& path) {
  SequenceFolder out;
  out.file = fs::is_directory(path) ? path / kSequenceFile : path;
  out.stated = readFile(out.file);
  const Json stated = parse(out.file, out.stated);
  const fs::path folder = out.file.parent_path();
  checkFiles(folder, member(stated, "files", out.file), out.file);
  const Json& segments = member(stated, "segments", out.file);
  if (!segments.is_array())
    throw InputError({out.file.string(), 0, "segments", ""}, "must be a list");
  for (const Json& segment : segments) {
    const std::string name = textOf(member(segment, "folder", out.file), "folder", out.file);
    const fs::path at = inFolder(folder, name, out.file);
    const Json& files = member(segment, "files", out.file);
    checkFiles(at, files, out.file);
    for (const char* needed : {kTrajectoryFile, kCertificateFile}) member(files, needed, out.file);
    std::vector<std::string> joints;
    for (const Json& joint : member(segment, "joints", out.file)) {
      joints.push_back(textOf(joint, "joints", out.file));
    }
    out.trajectories.push_back(readTrajectoryJson(at / kTrajectoryFile, joints));
    out.certificates.push_back(at / kCertificateFile);
  }
  return out;
}

/// Makes the whole text anew, with the hashes that are stated, and compares.
std::string sequenceFault(const SequenceFolder& folder, const Sequence& sequence,
                          const SequenceCertificate& certificate) {
  const Json stated = parse(folder.file, folder.stated);
  for (std::size_t i = 0; i < certificate.segments.size(); ++i) {
    const HermiteCurve* rows = folder.trajectories[i].trajectory.hermite();
    if (rows == nullptr || rows->givenOrder() != 2) {
      return "segment " + std::to_string(i + 1) +
             ": its trajectory is no rows of positions, velocities and accelerations";
    }
  }
  const Hashes whole = hashesOf(stated["files"]);
  std::vector<Hashes> of_segments;
  for (const Json& segment : stated["segments"]) of_segments.push_back(hashesOf(segment["files"]));
  if (of_segments.size() != certificate.segments.size()) return "not the segments of the task";
  const std::string difference =
      differenceText(stated, stateOf(sequence, certificate, whole, of_segments));
  if (!difference.empty()) return difference;
  // The files of the whole must be these segments, one after the other.
  const NamedTrajectory joined = wholeTrajectory(sequence.shared, certificate.segments);
  for (const auto& [name, hash] : whole) {
    const std::string text = name == "trajectory.csv"  ? csvOf(joined)
                             : name == kTrajectoryFile ? formatTrajectoryJson(joined)
                                                       : ros2Of(sequence.shared, joined);
    if (hash != sha256(text)) return "'" + name + "' is not the motion of the segments";
  }
  return "";
}

/// Of a file that cannot be read, itself alone.
std::vector<fs::path> filesOfEarlierSequence(const fs::path& folder) {
  std::vector<fs::path> files;
  const fs::path file = folder / kSequenceFile;
  std::error_code code;
  if (!fs::is_regular_file(file, code)) return files;
  try {
    const Json stated = parse(file, readFile(file));
    const auto add = [&](const fs::path& at, const Json& names) {
      for (const auto& [name, hash] : names.items()) files.push_back(inFolder(at, name, file));
    };
    add(folder, member(stated, "files", file));
    for (const Json& segment : member(stated, "segments", file)) {
      const fs::path at =
          inFolder(folder, textOf(member(segment, "folder", file), "folder", file), file);
      add(at, member(segment, "files", file));
    }
  } catch (const InputError&) {
    files.clear();
  }
  files.push_back(file);
  return files;
}

}  // namespace allclear
