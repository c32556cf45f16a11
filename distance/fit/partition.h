#pragma once

#include <span>
#include <vector>

#include "allclear/distance/fit/capsule_search.h"
#include "allclear/distance/fit/surface.h"

namespace allclear::fitting {

/// A point or ball that stands for a small part of the solids during the search for cuts. It is on
/// the side of a plane where its `key` is: samples of one whole piece share a key, so they stay
/// together.
struct Sample {
  Ball ball;
  Vec3 key;
};

/// One convex cell of a partition of space, the samples in it and a capsule about these.
struct Cell {
  std::vector<Plane> planes;  ///< the cell is below all of these
  std::vector<Sample> samples;
  CapsuleFit fit;
};

/// Cells that together cover space (grids may overlap after a polish), and the volume of the union
/// of their capsules.
struct Partition {
  std::vector<Cell> cells;
  double volume = 0.0;
};

/// The best partitions found with 1, 2, ... up to `max_count` cells: those with the smallest union
/// of capsules. Ends early after a partition of at most `enough_volume`, or when no cell can be
/// cut. Positions must be of unit order.
std::vector<Partition> searchPartitions(const std::vector<Sample>& samples, int max_count,
                                        double enough_volume);

/// Moves and tilts the partition's planes, one at a time, as long as the union becomes smaller.
void polishPartition(const std::vector<Sample>& samples, Partition* partition);

// Parts of the two above.

/// Balls whose hull is about that of the samples: all of them, or the extreme ones of many.
std::vector<Ball> hullBalls(const std::vector<Sample>& samples);

/// A quickly found capsule about the samples.
CapsuleFit quickCapsule(const std::vector<Sample>& samples, std::span<const Vec3> axes);

/// Volume of the union of the cells' capsules, by a coarse grid of `lines` x `lines` lines.
double unionVolume(std::span<const Cell> cells, int lines);

/// Partitions along the axes into equal slabs, columns and blocks, up to `max_count` of them.
std::vector<Partition> gridPartitions(const std::vector<Sample>& samples, const Mat3& axes,
                                      int max_count);

}  // namespace allclear::fitting
