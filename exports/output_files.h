#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "allclear/exports/output_settings.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/problem.h"

namespace allclear {

/// Writes the files that `output` names, except the report: the rows at its rate as CSV, the
/// trajectory itself, the certificate and the proof (when the certificate is given), and the rows
/// for ROS 2. Each is written atomically. Relative names are relative to `folder`. Returns the
/// files written, in this order; a proof that could not be completed is left out, and `warnings`
/// says so. Throws `InputError` when one cannot be written.
std::vector<std::filesystem::path> writeOutputFiles(const OutputSettings& output,
                                                    const std::filesystem::path& folder,
                                                    const Problem& problem,
                                                    const Trajectory& trajectory,
                                                    const Certificate* certificate,
                                                    std::vector<std::string>* warnings);

/// Why a file with this proof is not written. Pre: something is unproven.
std::string incompleteProof(const std::string& file, const Proof& proof);

/// Reads a trajectory file: JSON if its name ends in `.json`, else CSV. The joints come in the
/// order of the planned coordinates. Throws `InputError`.
NamedTrajectory readTrajectoryFile(const std::filesystem::path& path, const Problem& problem);

}  // namespace allclear
