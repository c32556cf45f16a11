#pragma once

#include <functional>
#include <span>
#include <vector>

#include "allclear/distance/fit_capsule_search.h"
#include "allclear/distance/fit_surface.h"

namespace allclear::fitting {

/// A point or ball that stands for a bit of the solids while cuts are searched. Bits with one `key`
/// stay together: the side of the key counts.
struct Bit {
  Ball ball;
  Vec3 key;
};

/// One convex cell of a partition of space, the bits in it and a capsule about them.
struct Cell {
  std::vector<Plane> planes;  ///< the cell is below all of them
  std::vector<Bit> bits;
  CapsuleFit fit;
};

/// Partitions of space into 1, 2, ... up to `max_count` cells, each made from the one before it by
/// the cut that makes the sum of the capsules' volumes least; positions of unit order. Ends early
/// when no cell can be cut or `enough` says so of the latest partition.
std::vector<std::vector<Cell>> growPartitions(
    std::vector<Bit> bits, int max_count,
    const std::function<bool(const std::vector<Cell>&)>& enough);

/// Volume of the union of the cells' capsules.
double unionVolume(std::span<const Cell> cells, int lines);

}  // namespace allclear::fitting
