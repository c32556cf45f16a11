#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "allclear/trajectories/named_trajectory.h"

namespace allclear {

/// The rows of `curve` as CSV: a header `time,<joint>,..,<joint>_velocity,..,
/// <joint>_acceleration,..`, then a line per row; SI units and radians, 17 significant digits, so
/// that every number is read back to the bit. Of another trajectory, write `sampledAtRate`. Throws
/// `InputError` when a joint's name cannot be a column's name (comma, quote, space at an end, one
/// of the suffixes above, `time`).
std::string formatTrajectoryCsv(const QuinticHermite& curve,
                                const std::vector<std::string>& joint_names);

/// The same, into a file. Throws `InputError` also when it cannot be written.
void writeTrajectoryCsv(const std::filesystem::path& path, const QuinticHermite& curve,
                        const std::vector<std::string>& joint_names);

/// Reads such a file as the piecewise quintic Hermite curve through its rows: what a joint
/// trajectory controller executes.
///
/// Columns may stand in any order; a byte order mark, CRLF, spaces around fields, quotes around the
/// header's names and blank lines at the end are accepted. Where the file says less than the curve
/// needs, it is read as follows, with a warning:
/// - no accelerations: those that make the jerk continuous, zero at both ends;
/// - no velocities either: the C4 quintic spline through the positions, from rest to rest;
/// - times that do not start at 0: shifted.
/// Velocities of some joints only, or accelerations without velocities, are errors.
///
/// `expected_joints`, when not empty, are the joints that the file must have, no more and no less;
/// the result is in their order. Throws `InputError` with file, line, column and value.
NamedTrajectory readTrajectoryCsv(const std::filesystem::path& path,
                                  const std::vector<std::string>& expected_joints = {});

/// The same from text; `file` is the name that errors give.
NamedTrajectory parseTrajectoryCsv(std::string_view text, const std::string& file,
                                   const std::vector<std::string>& expected_joints = {});

}  // namespace allclear
