#pragma once

#include <string>
#include <utility>
#include <vector>

#include "allclear/exports/report/cables.h"
#include "allclear/exports/report/clearance.h"
#include "allclear/exports/report/contacts.h"
#include "allclear/exports/report/frames.h"
#include "allclear/exports/report/impacts.h"
#include "allclear/exports/report/scene.h"
#include "allclear/exports/report/verdict.h"

namespace allclear {

/// Everything that a report holds.
struct ReportData {
  std::string title;
  ReportVerdict verdict;
  std::vector<std::pair<std::string, std::string>> facts;
  ReportFrames frames;
  ReportScene scene;
  ReportClearance clearance;
  ReportJoints joints;                ///< empty without a trajectory
  ReportContacts contacts;            ///< empty without contacts
  std::vector<ReportCable> cables;    ///< by stretch
  std::vector<ReportRegion> impacts;  ///< empty without a trajectory or contact limits
  std::vector<PlanProgress> history;  ///< of the solver
  const Certificate* certificate = nullptr;
};

/// The page: markup, style, scripts and data in one text.
std::string formatReportHtml(const Problem& problem, const ReportData& data);

}  // namespace allclear
