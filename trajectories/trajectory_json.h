#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "allclear/trajectories/named_trajectory.h"

namespace allclear {

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
