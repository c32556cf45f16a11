#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "allclear/planner/planner.h"

namespace allclear {

// Reports: one HTML file each that shows a problem in 3D with everything known about it, and opens
// in a browser without a network.
//
// The robot looks as its visual geometry says where it was loaded (`TaskOptions::load_visuals`),
// else as its collision geometry does. All throw `InputError` when the build has no reports, or the
// file cannot be written; `hasReports` says so before.

/// False in a build without three.js (CMake's ALLCLEAR_WITH_REPORT).
bool hasReports();

/// Throws `InputError` when the build has no reports. Call it before a long computation.
void requireReports();

/// Writes the report of a plan, found or not: of the best trajectory, or of start and goal when
/// there is none.
void writePlanReport(const std::filesystem::path& path, const Problem& problem, const Plan& plan);

/// Writes the report of a certificate's trajectory, clear or not.
void writeTrajectoryReport(const std::filesystem::path& path, const Problem& problem,
                           const Certificate& certificate);

/// Writes the report of a task before it is planned: start, goal and obstacles. `faults` say why it
/// cannot be planned.
void writeTaskReport(const std::filesystem::path& path, const Problem& problem,
                     const std::vector<std::string>& faults);

/// The same reports as text.
std::string formatPlanReport(const Problem& problem, const Plan& plan);
std::string formatTrajectoryReport(const Problem& problem, const Certificate& certificate);
std::string formatTaskReport(const Problem& problem, const std::vector<std::string>& faults);

/// One page that plays all motions of a sequence; objects change hands. Pairs that may touch in
/// some segment are not drawn.
std::string formatSequenceReport(const Sequence& sequence, const SequenceCertificate& certificate);

}  // namespace allclear
