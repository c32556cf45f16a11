#pragma once

#include <limits>
#include <vector>

#include "allclear/planner/seeds/configuration_space.h"

namespace allclear {

/// Finds the nearest of many configurations, in the lengths of a `ConfigurationSpace`.
///
/// It looks at all of them, eight at a time. A tree of boxes would prune
/// little in 7 to 14 dimensions; this loop takes a few microseconds for the thousands of vertices
/// of a search, less than one edge (bench_seeds prints the time per query).
class VertexIndex {
 public:
  explicit VertexIndex(const ConfigurationSpace& space);

  void add(const VecX& q);
  int size() const { return size_; }

  struct Nearest {
    int index = -1;         ///< in the order of `add`; the lowest among equals
    double distance = 0.0;  ///< [m]
  };
  /// Pre: not empty.
  Nearest nearest(const VecX& q) const;

  static constexpr int kLanes = 8;

 private:
  /// Scaled by reach, in the order of `order_`; wrapping coordinates within [0, period).
  void scale(const VecX& q, double* out, int stride) const;

  VecX reach_;
  VecX period_;               ///< of scaled coordinates; infinite for those that do not wrap
  std::vector<int> order_;    ///< coordinates, the one of the longest reach first
  std::vector<double> data_;  ///< blocks of `kLanes` vertices: coordinate by coordinate
  int size_ = 0;
};

}  // namespace allclear
