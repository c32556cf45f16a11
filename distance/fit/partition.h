#pragma once

#include <span>
#include <vector>

#include "allclear/distance/fit/capsule_search.h"
#include "allclear/distance/fit/surface.h"

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

/// Cells that together fill space, and the volume of the union of their capsules.
struct Partition {
  std::vector<Cell> cells;
  double volume = 0.0;
};

/// The best partitions found into 1, 2, ... up to `max_count` cells: those whose capsules have the
/// smallest union. Positions of unit order. Ends early after a partition of at most
/// `enough_volume`, or when no cell can be cut.
std::vector<Partition> searchPartitions(const std::vector<Bit>& bits, int max_count,
                                        double enough_volume);

/// Moves and tilts the partition's planes, one at a time, while that makes the union smaller.
void polishPartition(const std::vector<Bit>& bits, Partition* partition);

// For the two above.

/// Balls whose hull is about that of the bits.
std::vector<Ball> hullBalls(const std::vector<Bit>& bits);

/// A quickly found capsule about the bits.
CapsuleFit quickCapsule(const std::vector<Bit>& bits, std::span<const Vec3> axes);

/// Volume of the union of capsules by a coarse grid of lines.
double unionVolume(std::span<const Cell> cells, int lines);

/// Partitions along the axes into equal slabs, columns and blocks, up to `max_count` of them.
std::vector<Partition> gridPartitions(const std::vector<Bit>& bits, const Mat3& axes,
                                      int max_count);

}  // namespace allclear::fitting
