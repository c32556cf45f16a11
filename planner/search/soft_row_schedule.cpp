#include "allclear/planner/search/soft_row_schedule.h"

#include <algorithm>
#include <cmath>

namespace allclear {
namespace {

/// Pairs deeper than this share of the smaller body's radius get a soft row: about there the
/// nearest way out changes sides.
constexpr double kDeep = 0.3;
/// Softness by solve, as a share of the same radius: coarse first, then close to the distance.
constexpr double kSoftness[] = {0.1, 0.03, 0.01};
/// The softened distance is below the distance by up to about 7 times the softness. Most of that is
/// added to the row, so that it does not ask for more room than there is.
constexpr double kRaise = 5.0;

}  // namespace

void SoftRowSchedule::learn(const std::vector<Clearance>& near,
                            const std::vector<ClearanceRow>& rows, bool is_center) {
  latest_ = depths(near);
  if (is_center) at_center_ = latest_;
  for (const ClearanceRow& row : rows) {
    if (row.softness == 0.0) continue;
    const double depth = depthIn(latest_, row.pair, row.span);
    lacking_[{row.pair, row.span}] += std::max(0.0, depth + model_.pairs[row.pair].margin);
  }
  ++solves_;
}

ClearanceRow SoftRowSchedule::row(int pair, int span) const {
  ClearanceRow out{pair, span};
  if (mode_ == DistanceMode::kEuclidean || !soft_.isKnown(pair)) return out;
  const double size = soft_.pairSize(pair);
  const double depth = std::max(depthIn(at_center_, pair, span), depthIn(latest_, pair, span));
  if (depth <= (mode_ == DistanceMode::kSoft ? 0.0 : kDeep * size)) return out;
  out.softness = size * kSoftness[std::min(solves_, 2)];
  if (soft_.hasGauge(pair)) return out;  // never below the distance: nothing to raise
  const auto lacking = lacking_.find({pair, span});
  out.raise =
      std::max(0.0, kRaise * out.softness - (lacking == lacking_.end() ? 0.0 : lacking->second));
  return out;
}

SoftRowSchedule::Depths SoftRowSchedule::depths(const std::vector<Clearance>& near) {
  Depths out;
  for (const Clearance& c : near) out[{c.pair, c.span}] = -c.upper;
  return out;
}

/// Pairs that are not near have no entry: minus infinity, never deep.
double SoftRowSchedule::depthIn(const Depths& depths, int pair, int span) {
  const auto it = depths.find({pair, span});
  return it == depths.end() ? -HUGE_VAL : it->second;
}

}  // namespace allclear
