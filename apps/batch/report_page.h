#pragma once

#include <string>

#include "allclear/apps/batch/report_data.h"

namespace allclear::batch {

/// The page of a run: one HTML text that needs no network. Links are relative to the run's folder.
std::string formatRunReport(const std::string& title, const RunReport& report);

}  // namespace allclear::batch
