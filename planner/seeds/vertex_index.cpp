// Nearest neighbours by brute force over blocks of eight vertices. Coordinates come in the order of
// their reach: after the first few most blocks are farther than the best so far and are left.
//
// Symbols: d the difference of one coordinate, p its period. Both ends are within [0, p), so |d| is
// below p and the shorter way round is min(|d|, p - |d|): no remainder, no branch. A coordinate
// that does not wrap has p infinite.
#include "allclear/planner/seeds/vertex_index.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "allclear/core/assert.h"
#include "allclear/core/simd.h"

namespace allclear {
namespace {

constexpr int kLanes = VertexIndex::kLanes;

/// Stands in lanes without a vertex: farther than anything, and its square is finite or infinite,
/// never NaN.
constexpr double kNowhere = 1e150;

/// For each lane the least sum of squares over all blocks, and the block that has it. `first` of
/// the n coordinates decide whether a block is looked at further.
ALLCLEAR_MULTIVERSION
void leastByLane(const double* data, int blocks, int n, int first, const double* q,
                 const double* period, double* least, double* block_of) {
  double best = std::numeric_limits<double>::infinity();
  for (int b = 0; b < blocks; ++b) {
    const double* v = data + static_cast<long>(b) * n * kLanes;
    double sum[kLanes] = {};
    for (int k = 0; k < n; ++k, v += kLanes) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const double way = std::fabs(q[k] - v[lane]);
        const double other = period[k] - way;
        const double shorter = way < other ? way : other;
        sum[lane] += shorter * shorter;
      }
      if (k + 1 != first) continue;
      double nearest = sum[0];
      for (int lane = 1; lane < kLanes; ++lane) {
        nearest = sum[lane] < nearest ? sum[lane] : nearest;
      }
      if (nearest > best) break;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      // A block that was left has a sum above the best: it changes nothing that counts.
      const bool is_less = sum[lane] < least[lane];
      least[lane] = is_less ? sum[lane] : least[lane];
      block_of[lane] = is_less ? b : block_of[lane];
    }
    for (int lane = 0; lane < kLanes; ++lane) best = least[lane] < best ? least[lane] : best;
  }
}

}  // namespace

VertexIndex::VertexIndex(const ConfigurationSpace& space)
    : reach_(space.reach()),
      period_(VecX::Constant(space.dimension(), std::numeric_limits<double>::infinity())),
      order_(space.dimension()) {
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](int i, int j) { return reach_[i] > reach_[j]; });
  for (int k = 0; k < space.dimension(); ++k) {
    if (space.wraps(order_[k])) period_[k] = 2.0 * std::numbers::pi * reach_[order_[k]];
  }
}

void VertexIndex::scale(const VecX& q, double* out, int stride) const {
  for (int k = 0; k < q.size(); ++k) {
    const double x = q[order_[k]] * reach_[order_[k]];
    out[static_cast<long>(k) * stride] =
        std::isfinite(period_[k]) ? x - period_[k] * std::floor(x / period_[k]) : x;
  }
}

void VertexIndex::add(const VecX& q) {
  ALLCLEAR_ASSERT(q.size() == reach_.size());
  const auto n = static_cast<std::size_t>(q.size());
  const int lane = size_ % kLanes;
  if (lane == 0) data_.resize(data_.size() + n * kLanes, kNowhere);
  scale(q, data_.data() + data_.size() - n * kLanes + lane, kLanes);
  ++size_;
}

VertexIndex::Nearest VertexIndex::nearest(const VecX& q) const {
  ALLCLEAR_ASSERT(size_ > 0);
  VecX scaled(q.size());
  scale(q, scaled.data(), 1);
  double least[kLanes], block_of[kLanes] = {};
  for (double& x : least) x = std::numeric_limits<double>::infinity();
  const int n = static_cast<int>(q.size());
  leastByLane(data_.data(), (size_ + kLanes - 1) / kLanes, n, (n + 1) / 2, scaled.data(),
              period_.data(), least, block_of);
  // Lanes come from different blocks: among equals the vertex that was added first counts.
  Nearest best{0, std::numeric_limits<double>::infinity()};
  for (int lane = 0; lane < kLanes; ++lane) {
    const int index = static_cast<int>(block_of[lane]) * kLanes + lane;
    if (least[lane] < best.distance || (least[lane] == best.distance && index < best.index)) {
      best = {index, least[lane]};
    }
  }
  best.distance = std::sqrt(best.distance);
  return best;
}

}  // namespace allclear
