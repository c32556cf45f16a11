// Segments that keep the demands of cables. From the middle of a stretch of a segment no demand
// changes by more than what its clips and its body move relative to each other: by the sum of
// reaches times steps of the joints that do not move both (segment_certifier.h). A demand with more
// than that to spare is proved on the stretch; the others go on to its halves, the earlier stretch
// first.
#include "allclear/planner/seeds/cable_segments.h"

#include <limits>

namespace allclear {
namespace {

constexpr double kPadding = 1e-8;  // [m]: above the rounding of poses and of the least room

}  // namespace

bool CableSegments::isClear(const VecX& q, double extra) const {
  return isClear(q, q, extra, kPadding);
}

bool CableSegments::isClear(const VecX& from, const VecX& to, double extra,
                            double resolution) const {
  struct Stretch {
    double middle, half;
    std::vector<int> demands;
  };
  VecX step = VecX::Zero(problem_.robot->dimension());
  for (int k = 0; k < problem_.plannedCount(); ++k) {
    step[problem_.planned[k]] = std::abs(to[k] - from[k]);
  }
  std::vector<int> all;
  for (std::size_t d = 0; d < model_.demands().size(); ++d) all.push_back(static_cast<int>(d));
  std::vector<Stretch> pending{{0.5, 0.5, std::move(all)}};
  // Breadth first: a demand that is not kept shows soonest in the middle of what is left.
  for (std::size_t next = 0; next < pending.size(); ++next) {
    const Stretch stretch = std::move(pending[next]);
    const VecX q = from + stretch.middle * (to - from);
    const StrayReach::Placement at = model_.reach().place(problem_.configuration(q));
    const std::vector<Pose> poses = model_.linkPoses(at);
    std::vector<int> left;
    for (int d : stretch.demands) {
      const double moved = model_.change(d, at, stretch.half * step);
      const double asked = extra + kPadding + model_.allowance(d, at);
      const double value = model_.measure(d, poses, std::nullopt, asked + moved).value;
      if (value >= asked + moved) continue;
      if (!(value >= asked) || moved < resolution) return false;
      left.push_back(d);
    }
    if (left.empty()) continue;
    const double half = 0.5 * stretch.half;
    pending.push_back({stretch.middle - half, half, left});
    pending.push_back({stretch.middle + half, half, std::move(left)});
  }
  return true;
}

}  // namespace allclear
