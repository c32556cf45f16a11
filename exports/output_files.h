#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allclear/exports/output_settings.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/problem.h"
#include "allclear/trajectories/hermite.h"
#include "allclear/trajectories/trajectory_files.h"

namespace allclear {

/// Files with what is to stand in them.
using NamedTexts = std::vector<std::pair<std::filesystem::path, std::string>>;

/// The files that `output` names, except the report: the rows for controllers as CSV, the
/// trajectory itself, the certificate and the proof (when the certificate is given), and the rows
/// for ROS 2, and the motion of a tool, in this order. Relative names are relative to `folder`. A
/// proof that could not be completed is left out, as one is that the thread's time limit left no
/// time for, and `warnings` says so. Writes nothing.
///
/// All of them hold one curve, the rows as a controller runs them: `trajectory` when it is rows of
/// positions, velocities and accelerations at whole nanoseconds (as `plan` returns it) and no rate
/// is asked for, else `controllerRows` of it. The certificate written is of this curve: the one
/// given, or a new one when that is of another curve. It carries the hashes of both files of rows.
///
/// Throws `InputError` when a certificate is given but the rows cannot be certified or would not
/// read back to the bit, and for a rate of millions of rows.
NamedTexts formatOutputFiles(const OutputSettings& output, const std::filesystem::path& folder,
                             const Problem& problem, const Trajectory& trajectory,
                             const Certificate* certificate, std::vector<std::string>* warnings);

/// Writes these files, all or none, each atomically, and returns their paths. Throws `InputError`
/// when one cannot be written, too.
std::vector<std::filesystem::path> writeOutputFiles(const OutputSettings& output,
                                                    const std::filesystem::path& folder,
                                                    const Problem& problem,
                                                    const Trajectory& trajectory,
                                                    const Certificate* certificate,
                                                    std::vector<std::string>* warnings);

/// The motion of a tool's frame P, fixed to a link, as CSV at a rate: a header
/// `time,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz`, then a line per instant. Position of P's origin [m],
/// its orientation as a unit quaternion that does not change sign from line to line, the velocity
/// of the origin [m/s] and the angular velocity [rad/s], all in the world's axes. Instants are
/// k / rate [Hz] and the end. Each number is the shortest text that reads back to the bit. Throws
/// `InputError` for an unknown link, and for a rate of millions of rows.
std::string formatToolCsv(const Problem& problem, const Trajectory& trajectory,
                          const ToolCsvSettings& tool);

/// Columns of the CSV that are no joints': the pose of a base that the joints carry, forces at
/// contacts. They are not read back.
std::vector<std::string> columnsBesideJoints(const Problem& problem);

/// Of these the pose of the base (x, y, z, then roll, pitch, yaw), where the planned coordinates
/// are the columns of `positions`. Empty where the joints carry none.
DerivedColumns derivedBaseColumns(const Problem& problem, const MatX& positions);

/// Why a file with this proof is not written. Pre: something is unproven.
std::string incompleteProof(const std::string& file, const Proof& proof);

/// What is wrong with `Certificate::sent`; empty when each hash is that of the file which
/// `writeOutputFiles` makes of the certificate's trajectory.
std::string sentFault(const Problem& problem, const Certificate& certificate);

/// Reads a trajectory file: JSON if its name ends in `.json`, else CSV as the curve that a
/// controller runs, or as `interpolation` says (trajectory_files.h). A JSON file says itself what
/// its curve is, and `interpolation` may not differ. The joints come in the order of the planned
/// coordinates. Throws `InputError`.
NamedTrajectory readTrajectoryFile(const std::filesystem::path& path, const Problem& problem,
                                   std::optional<Interpolation> interpolation = std::nullopt);

/// The name of the file that ties the files of a sequence together.
inline constexpr const char* kSequenceFile = "sequence.json";

/// The files of a certified sequence in `folder`: the whole as `trajectory.csv`, `trajectory.json`
/// and, where `output` names it, ROS 2 rows; a folder for each segment, `1_reach`, with the files
/// of `formatOutputFiles` for it; and `sequence.json`:
///
///     {"format": "allclear_sequence", "version": 1, "tool": "allclear 0.2.0", "message": "..",
///      "robot_sha256": "..", "task_sha256": "..", "duration": 7.3, "joints": ["joint1", ..],
///      "files": {"trajectory.csv": sha256, ..},
///      "segments": [{"name": "reach", "folder": "1_reach", "start": 0.0, "end": 1.2,
///                    "joints": [..], "files": {"trajectory.csv": sha256, ..}}, ..],
///      "events": [{"attach": "part", "link": "hand", "time": 2.4, "before_segment": 3}, ..]}
///
/// `warnings` says which proofs are left out. Writes nothing. Throws `InputError` for outputs that
/// a sequence cannot have (`output: rate`, a single certificate or proof).
NamedTexts formatSequenceFiles(const OutputSettings& output, const std::filesystem::path& folder,
                               const Sequence& sequence, const SequenceCertificate& certificate,
                               std::vector<std::string>* warnings);

/// The files alone that `output` names besides a folder: `csv`, `trajectory` and `ros2` of the
/// whole.
NamedTexts formatWholeFiles(const OutputSettings& output, const Sequence& sequence,
                            const SequenceCertificate& certificate);

/// Throws `InputError` where `output` asks for what a sequence does not have.
void requireSequenceOutputs(const OutputSettings& output, const std::string& task_file);

/// What a folder of a sequence holds, as it says itself.
struct SequenceFolder {
  std::filesystem::path file;                 ///< sequence.json
  std::string stated;                         ///< its text
  std::vector<NamedTrajectory> trajectories;  ///< of the segments, from their trajectory.json
  std::vector<std::filesystem::path> certificates;
};

/// Reads `sequence.json` (or the one in a folder) and the trajectories that it names, and checks
/// that every file which it names is there and has the hash that it states. Throws `InputError`.
SequenceFolder readSequenceFolder(const std::filesystem::path& path);

/// What `sequence.json` and the files of the whole state and the segments do not bear out: order
/// and times of segments, joints, events, hashes of task and robot, files of the whole that are not
/// these segments' motions. Empty when all is borne out.
std::string sequenceFault(const SequenceFolder& folder, const Sequence& sequence,
                          const SequenceCertificate& certificate);

/// The files that the `sequence.json` of an earlier run in this folder names, and itself; none
/// where there is none that can be read.
std::vector<std::filesystem::path> filesOfEarlierSequence(const std::filesystem::path& folder);

/// Rows of a trajectory as the YAML of a ROS 2 `trajectory_msgs/msg/JointTrajectory`, as
/// `ros2 topic pub` takes it: positions, velocities and accelerations (those that the rows give)
/// and `time_from_start` per row, each number as the shortest text that reads back to the bit. A
/// time is rounded to the message's nanosecond; those of `controllerRows` are whole ones.
/// `frame_id` is the root link. Throws `InputError` when two rows fall into the same nanosecond.
std::string formatRos2Trajectory(const HermiteCurve& rows,
                                 const std::vector<std::string>& joint_names,
                                 const std::string& frame_id);

/// The same, into a file, atomically. Throws `InputError` when it cannot be written.
void writeRos2Trajectory(const std::filesystem::path& path, const HermiteCurve& rows,
                         const std::vector<std::string>& joint_names, const std::string& frame_id);

}  // namespace allclear
