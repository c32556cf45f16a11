#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allclear/trajectories/named_trajectory.h"

namespace allclear {

/// Columns that follow from a curve and are written beside it for those who need them: the pose of
/// a base that the joints carry, say. They are no part of the curve.
struct DerivedColumns {
  std::vector<std::string> names;
  MatX values;  ///< names x rows
};

/// The rows of `curve` as CSV: a header `time,<joint>,..,<joint>_velocity,..,
/// <joint>_acceleration,..` (as much as the curve's rows give), then a line per row; SI units and
/// radians, each number as the shortest text that reads back to the bit. Of a spline, write
/// `controllerRows`. `derived` columns come last. Throws `InputError` when a joint's name cannot be
/// a column's name (comma, quote, space at an end, one of the suffixes above, `time`).
std::string formatTrajectoryCsv(const HermiteCurve& curve,
                                const std::vector<std::string>& joint_names,
                                const DerivedColumns& derived = {});

/// The same, into a file. Throws `InputError` also when it cannot be written.
void writeTrajectoryCsv(const std::filesystem::path& path, const HermiteCurve& curve,
                        const std::vector<std::string>& joint_names);

/// Reads such a file as the curve that a controller runs that is sent its rows. Without
/// `interpolation`, what ROS 2's joint_trajectory_controller does with the columns that are there:
/// - positions: linear between the rows, with a warning;
/// - velocities too: cubic, with a warning;
/// - accelerations too: quintic.
/// Otherwise linear, cubic or quintic as asked, from the columns that this needs.
///
/// Columns may stand in any order; a byte order mark, CRLF, spaces around fields, quotes around the
/// header's names and blank lines at the end are accepted. Times that do not start at 0 are
/// shifted, with a warning. Velocities of some joints only, accelerations without velocities, and a
/// column that `interpolation` needs and is missing are errors.
///
/// `expected_joints`, when not empty, are the joints that the file must have, no more and no less;
/// the result is in their order. Columns named in `ignored` are not read. Throws `InputError` with
/// file, line, column and value.
NamedTrajectory readTrajectoryCsv(const std::filesystem::path& path,
                                  const std::vector<std::string>& expected_joints = {},
                                  std::optional<Interpolation> interpolation = std::nullopt,
                                  const std::vector<std::string>& ignored = {});

/// The same from text; `file` is the name that errors give.
NamedTrajectory parseTrajectoryCsv(std::string_view text, const std::string& file,
                                   const std::vector<std::string>& expected_joints = {},
                                   std::optional<Interpolation> interpolation = std::nullopt,
                                   const std::vector<std::string>& ignored = {});

/// The trajectory itself, not samples of it, as JSON that reads back to the bit:
///
///     {"format": "allclear_trajectory", "version": 1, "type": "bspline",
///      "joint_names": ["a", "b"], "duration": 2.0, "degree": 5,
///      "normalized_knots": [0, 0, 0, 0, 0, 0, 0.5, 1, 1, 1, 1, 1, 1],
///      "control_points": [[0.1, 0.2], ..]}
///
/// knots in units of the duration, a control point (or row) per inner array; or
///
///     {.., "type": "quintic_hermite", "joint_names": [..], "times": [0.0, ..],
///      "positions": [[0.1, 0.2], ..], "velocities": [..], "accelerations": [..]}
///
/// The types "cubic_hermite", without accelerations, and "linear", with positions alone, are rows
/// too: the type says how the curve goes between them.
///
/// Forces at contacts are a curve of the same kinds beside it, with names of rows for the joints:
///
///     "contact_wrenches": {"names": ["r_foot/fx", ..], "type": "bspline", "duration": 2.0, ..}
///
/// SI units and radians. Throws `InputError` when joint names are empty or repeated.
std::string formatTrajectoryJson(const Trajectory& trajectory,
                                 const std::vector<std::string>& joint_names);

/// The same with the forces at contacts, where the trajectory has any.
std::string formatTrajectoryJson(const NamedTrajectory& trajectory);

/// The first, into a file. Throws `InputError` also when it cannot be written.
void writeTrajectoryJson(const std::filesystem::path& path, const Trajectory& trajectory,
                         const std::vector<std::string>& joint_names);

/// Reads such a file. Unknown, missing and repeated keys are errors. `expected_joints`, when not
/// empty, are the joints that the file must have, no more and no less; the result is in their
/// order. Throws `InputError` with the file and the key (or the line, where it is not JSON).
NamedTrajectory readTrajectoryJson(const std::filesystem::path& path,
                                   const std::vector<std::string>& expected_joints = {});

/// The same from text; `file` is the name that errors give.
NamedTrajectory parseTrajectoryJson(std::string_view text, const std::string& file,
                                    const std::vector<std::string>& expected_joints = {});

}  // namespace allclear
