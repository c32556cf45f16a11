#pragma once

#include <string>
#include <vector>

#include "allclear/exports/report/frames.h"

namespace allclear {

/// One stretch of a cable at the frames of a report.
struct ReportCable {
  std::string name;                                  ///< "hose: link3 to link7"
  double length = 0.0, reserve = 0.0, radius = 0.0;  ///< [m]
  std::vector<Vec3> a, b;                            ///< by frame: its clips, in the world
  std::vector<double> span;                          ///< by frame: their distance [m]
};

/// All stretches of all cables, in order.
std::vector<ReportCable> reportCables(const Problem& problem, const ReportFrames& frames);

}  // namespace allclear
