#pragma once

#include <cmath>
#include <limits>

#include "allclear/core/types.h"

namespace allclear {

/// Remembers the cheapest usable iterate of a solve, and tells when no better one has come for a
/// while: the last tenths of a percent of the cost are not worth their iterations, nor is waiting
/// for a solver that went astray.
class UsableIterate {
 public:
  explicit UsableIterate(int idle) : idle_(idle) {}
  /// `number` counts iterates from 0, the start, which is no result of the solve.
  void offer(int number, const VecX& point, double cost) {
    if (number == 0 || !(cost < best_)) return;
    if (cost < best_ - kWorthwhile * std::fabs(best_)) last_gain_ = number;
    best_ = cost;
    point_ = point;
  }
  bool exists() const { return point_.size() > 0; }
  bool isFinal(int number) const { return exists() && number >= last_gain_ + idle_; }
  const VecX& point() const { return point_; }

 private:
  static constexpr double kWorthwhile = 2e-3;  // share of the cost that counts as a gain
  int idle_;                                   ///< iterations without a gain that end the solve
  double best_ = std::numeric_limits<double>::max();
  int last_gain_ = 0;
  VecX point_;
};

}  // namespace allclear
