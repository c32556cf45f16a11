#pragma once

#include <string>
#include <utility>
#include <vector>

#include "allclear/exports/report/clearance.h"
#include "allclear/planner/planner.h"

namespace allclear {

/// The top of a report: verdict, faults and what to do about them.
struct ReportVerdict {
  bool is_good = false;
  std::string title;
  std::string message;
  std::vector<std::string> faults;
  std::vector<std::string> advice;  ///< what to try when the verdict is bad
};

/// The verdict on a plan, certified or not. `clearance` is that of its trajectory, or of start and
/// goal.
ReportVerdict planVerdict(const CertifiedGeometry& geometry, const Plan& plan,
                          const ReportClearance& clearance);

/// The verdict on a trajectory, by its certificate.
ReportVerdict trajectoryVerdict(const Certificate& certificate);

/// The text with the names of files in place of their whole paths.
std::string withoutFolders(const std::string& text);

/// What a proven tube says, as names and values beside the picture.
std::vector<std::pair<std::string, std::string>> tubeFacts(const ProvenTube& tube);

/// The verdict on a task before it is planned.
ReportVerdict taskVerdict(const std::vector<std::string>& faults);

}  // namespace allclear
