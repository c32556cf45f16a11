#pragma once

#include <string>
#include <vector>

#include "allclear/exports/report/clearance.h"
#include "allclear/planner/planner.h"

namespace allclear {

/// What stands at the top of a report.
struct ReportVerdict {
  bool is_good = false;
  std::string title;
  std::string message;
  std::vector<std::string> faults;
  std::vector<std::string> advice;  ///< what to try, when it is not good
};

/// Of a plan, certified or not. `clearance` is that of its trajectory, or of start and goal.
ReportVerdict planVerdict(const CertifiedGeometry& geometry, const Plan& plan,
                          const ReportClearance& clearance);

/// Of a trajectory that was certified, or was not.
ReportVerdict trajectoryVerdict(const Certificate& certificate);

/// Of a task that nobody has tried to solve.
ReportVerdict taskVerdict(const std::vector<std::string>& faults);

}  // namespace allclear
