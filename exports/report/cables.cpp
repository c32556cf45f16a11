// Where the clips of cables are at the frames of a report. What the cable can reach between them
// follows from that, and is drawn by cables.js.
#include "allclear/exports/report/cables.h"

#include "allclear/planner/problem/cables.h"

namespace allclear {

std::vector<ReportCable> reportCables(const Problem& problem, const ReportFrames& frames) {
  std::vector<ReportCable> cables;
  const auto& links = problem.robot->links();
  for (const CableStretch& stretch : cableStretches(problem)) {
    ReportCable cable;
    cable.name = problem.cables[stretch.cable].id + ": " + links[stretch.a.link].name + " to " +
                 links[stretch.b.link].name;
    cable.length = stretch.length;
    cable.reserve = stretch.reserve;
    cable.radius = stretch.radius;
    // Clips alone: the viewer draws what follows from them.
    for (const std::vector<Pose>& poses : frames.X_WL) {
      cable.a.push_back(poses[stretch.a.link] * stretch.a.p_L);
      cable.b.push_back(poses[stretch.b.link] * stretch.b.p_L);
      cable.span.push_back((cable.a.back() - cable.b.back()).norm());
    }
    cables.push_back(std::move(cable));
  }
  return cables;
}

}  // namespace allclear
