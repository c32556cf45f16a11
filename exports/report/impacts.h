#pragma once

#include <string>
#include <utility>
#include <vector>

#include "allclear/exports/report/frames.h"
#include "allclear/planner/certificate/impact_bounds.h"

namespace allclear {

/// What an unplanned contact with one region of a person would do, over a motion.
struct ReportRegion {
  std::string name;
  double limit = 0.0;             ///< [N]
  std::vector<double> force;      ///< by frame: of the worst contact [N]
  std::vector<std::string> body;  ///< by frame: the body that it is with
  std::vector<Vec3> point;        ///< by frame: where, in the world
  std::vector<Vec3> direction;    ///< by frame: unit, of the push on the person
  std::vector<double> proven;     ///< cells: start, end and bound of each
};

/// Per region of `LimitSettings::contact`; empty without any.
std::vector<ReportRegion> reportRegions(const Problem& problem, const Trajectory& trajectory,
                                        const ReportFrames& frames);

/// What a motion waits for: by name of a limit the share of the time in which it is the one that is
/// used up, the greatest first.
std::vector<std::pair<std::string, double>> whatSlows(const Problem& problem,
                                                      const ReportJoints& joints,
                                                      const Trajectory& trajectory,
                                                      const ReportFrames& frames,
                                                      const std::vector<ReportRegion>& regions);

}  // namespace allclear
