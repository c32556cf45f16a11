#pragma once

#include <filesystem>
#include <vector>

#include "allclear/exports/output_settings.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/problem.h"

namespace allclear {

/// Writes the files that `output` names, but for the report: the CSV and the ROS 2 trajectory at
/// its rate, the trajectory itself, the certificate (when it is given). Each is written atomically.
/// Relative names are taken from `folder`. Returns the files written, in this order. Throws
/// `InputError` when one cannot be written.
std::vector<std::filesystem::path> writeOutputFiles(const OutputSettings& output,
                                                    const std::filesystem::path& folder,
                                                    const Problem& problem,
                                                    const Trajectory& trajectory,
                                                    const Certificate* certificate);

/// A trajectory file by its name's ending: `.json`, or CSV. In the order of the planned
/// coordinates. Throws `InputError`.
NamedTrajectory readTrajectoryFile(const std::filesystem::path& path, const Problem& problem);

}  // namespace allclear
