#include "allclear/distance/broad_phase.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

// Roundings of the control points and of the distances between them, relative to their size.
constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();

}  // namespace

BroadPhase::BroadPhase(std::span<const SweptBody> bodies) {
  bodies_.reserve(bodies.size());
  for (const SweptBody& body : bodies) {
    ALLCLEAR_ASSERT(!body.curves.empty());
    Body entry;
    entry.first = static_cast<int>(cells_.size());
    entry.count = static_cast<int>(body.curves.size());
    const double own = body.ball_B.radius;
    Vec3 whole_low = Vec3::Constant(std::numeric_limits<double>::infinity());
    Vec3 whole_high = -whole_low;
    for (const BodyCurve& curve : body.curves) {
      // The centre's curve stays in the hull of its control points.
      const auto points = curve.pointCurve(body.ball_B.center);
      const Vec3 low = points.rowwise().minCoeff(), high = points.rowwise().maxCoeff();
      Swept swept;
      swept.center = 0.5 * (low + high);
      swept.radius = own;
      if (std::isfinite(own)) {
        ALLCLEAR_ASSERT(points.allFinite());
        swept.radius += (points.colwise() - swept.center).colwise().norm().maxCoeff() +
                        curve.error((body.ball_B.center - curve.reference_B).norm() + own) +
                        kRounding * (own + points.cwiseAbs().maxCoeff());
      }
      cells_.push_back(swept);
      whole_low = whole_low.cwiseMin(low);
      whole_high = whole_high.cwiseMax(high);
    }
    entry.whole.center = 0.5 * (whole_low + whole_high);
    for (int i = 0; i < entry.count; ++i) {
      const Swept& swept = cells_[entry.first + i];
      entry.whole.radius =
          std::max(entry.whole.radius,
                   ((swept.center - entry.whole.center).norm() + swept.radius) * (1.0 + kRounding));
    }
    bodies_.push_back(entry);
  }
}

double BroadPhase::lowerDistance(int a, int b) const {
  const Body &A = bodies_[a], &B = bodies_[b];
  const int count = std::max(A.count, B.count);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count; ++i) {
    least = std::min(least, gap(cells_[A.first + (A.count > 1 ? i : 0)],
                                cells_[B.first + (B.count > 1 ? i : 0)]));
  }
  return least;
}

bool BroadPhase::mayBeNear(int a, int b, double threshold) const {
  const Body &A = bodies_[a], &B = bodies_[b];
  ALLCLEAR_ASSERT(A.count == B.count || A.count == 1 || B.count == 1);
  return !(gap(A.whole, B.whole) >= threshold) && !(lowerDistance(a, b) >= threshold);
}

std::vector<int> BroadPhase::survivors(std::span<const std::pair<int, int>> pairs,
                                       double threshold) const {
  std::vector<int> near;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (mayBeNear(pairs[i].first, pairs[i].second, threshold)) near.push_back(static_cast<int>(i));
  }
  return near;
}

}  // namespace allclear
