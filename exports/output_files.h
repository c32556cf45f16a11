#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allclear/exports/output_settings.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/problem.h"

namespace allclear {

/// Files with what is to stand in them.
using NamedTexts = std::vector<std::pair<std::filesystem::path, std::string>>;

/// The files that `output` names, except the report: the rows for controllers as CSV, the
/// trajectory itself, the certificate and the proof (when the certificate is given), and the rows
/// for ROS 2, and the motion of a tool, in this order. Relative names are relative to `folder`. A
/// proof that could not be completed is left out, and `warnings` says so. Writes nothing.
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

/// Why a file with this proof is not written. Pre: something is unproven.
std::string incompleteProof(const std::string& file, const Proof& proof);

/// What is wrong with `Certificate::sent`; empty when each hash is that of the file which
/// `writeOutputFiles` makes of the certificate's trajectory.
std::string sentFault(const Problem& problem, const Certificate& certificate);

/// Reads a trajectory file: JSON if its name ends in `.json`, else CSV as the curve that a
/// controller runs, or as `interpolation` says (trajectory_csv.h). A JSON file says itself what its
/// curve is, and `interpolation` may not differ. The joints come in the order of the planned
/// coordinates. Throws `InputError`.
NamedTrajectory readTrajectoryFile(const std::filesystem::path& path, const Problem& problem,
                                   std::optional<Interpolation> interpolation = std::nullopt);

}  // namespace allclear
