// Small improvements of a partition's planes, and partitions by regular grids.
//
// A plane usually bounds several cells: all of one side of an early cut. It must move for all of
// them at once, or gaps open between the cells. So the planes are counted once each (an
// arrangement), and a cell says on which side of which planes it is. Invariant: the cells cover
// space. A cut has one cell below it and one above; of slabs in a row the first one that a point is
// below holds it. Tilted slabs may overlap.
//
// The polish is a pattern search: each plane in turn is moved along its normal and tilted about two
// axes, in both senses; a change stays when the union of the capsules becomes smaller; the step
// halves after each pass over all planes.
#include <algorithm>
#include <limits>

#include "allclear/distance/fit/enclose.h"
#include "allclear/distance/fit/partition.h"

namespace allclear::fitting {
namespace {

constexpr int kLines = 32;             // for unions
constexpr int kIterations = 8;         // a cell changes little: its capsule is a good start
constexpr double kLargestMove = 0.12;  // unit coordinates and radians
constexpr double kSmallestMove = 0.02;
constexpr double kGain = 1e-6;  // relative: the grid of lines does not resolve less

// A partition with its planes counted once; each cell says on which side of which planes it is.
class Arrangement {
 public:
  Arrangement(const std::vector<Sample>& samples, const Partition& partition) : samples_(samples) {
    for (const Cell& cell : partition.cells) {
      std::vector<Side> sides;
      for (const Plane& plane : cell.planes) sides.push_back(sideOf(plane));
      sides_.push_back(std::move(sides));
    }
  }

  int planeCount() const { return static_cast<int>(planes_.size()); }
  const Plane& plane(int i) const { return planes_[i]; }

  // The middle of the samples in all cells that the plane bounds: it is tilted about a point near
  // it.
  Vec3 middle(int plane, const Partition& partition) const {
    Vec3 sum = Vec3::Zero();
    std::size_t count = 0;
    for (std::size_t c = 0; c < sides_.size(); ++c) {
      if (!isBoundedBy(c, plane)) continue;
      for (const Sample& b : partition.cells[c].samples) sum += b.key;
      count += partition.cells[c].samples.size();
    }
    return count > 0 ? Vec3(sum / static_cast<double>(count)) : sum;
  }

  // Replaces plane i if that makes the union of the capsules smaller, and updates the partition:
  // the samples and capsules of every cell that the plane bounds. Else leaves both unchanged and
  // returns false, as it does when a cell would have no samples.
  bool replaceIfSmaller(int i, const Plane& plane, Partition* partition) {
    const Plane before = planes_[i];
    planes_[i] = plane;
    // The cells that the plane bounds change: their samples, and their capsules from the old ones
    // on.
    Partition next = *partition;
    for (std::size_t c = 0; c < sides_.size(); ++c) {
      if (!isBoundedBy(c, i)) continue;
      assignSamples(c, &next.cells[c]);
      if (next.cells[c].samples.empty()) {
        planes_[i] = before;
        return false;
      }
      next.cells[c].fit =
          refineCapsule(hullBalls(next.cells[c].samples), next.cells[c].fit, kIterations);
    }
    next.volume = unionVolume(next.cells, kLines);
    if (next.volume < partition->volume * (1.0 - kGain)) {
      *partition = std::move(next);
      return true;
    }
    planes_[i] = before;
    return false;
  }

 private:
  struct Side {
    int plane;
    bool below;
  };

  // Which plane of the arrangement this is, and which side of it is below; adds a new one. Cuts
  // share planes exactly, so equal planes are equal to the bit.
  Side sideOf(const Plane& plane) {
    const auto same = [](const Plane& a, const Plane& b) {
      return a.normal == b.normal && a.offset == b.offset;
    };
    for (int i = 0; i < planeCount(); ++i) {
      if (same(planes_[i], plane)) return {i, true};
      if (same(planes_[i], plane.flipped())) return {i, false};
    }
    planes_.push_back(plane);
    return {planeCount() - 1, true};
  }

  bool isBoundedBy(std::size_t cell, int plane) const {
    return std::any_of(sides_[cell].begin(), sides_[cell].end(),
                       [&](const Side& s) { return s.plane == plane; });
  }

  // Recomputes the planes of a cell and the samples in it.
  void assignSamples(std::size_t index, Cell* cell) const {
    cell->planes.clear();
    for (const Side& s : sides_[index]) {
      cell->planes.push_back(s.below ? planes_[s.plane] : planes_[s.plane].flipped());
    }
    cell->samples.clear();
    for (const Sample& b : samples_) {
      const bool inside =
          std::all_of(cell->planes.begin(), cell->planes.end(),
                      [&](const Plane& plane) { return plane.height(b.key) <= 0.0; });
      if (inside) cell->samples.push_back(b);
    }
  }

  const std::vector<Sample>& samples_;
  std::vector<Plane> planes_;
  std::vector<std::vector<Side>> sides_;
};

// The plane changed in one of six ways: moved along its normal (0, 1) or tilted about one of two
// axes in it (2 to 5), in either sense.
Plane changed(const Plane& plane, int way, double step, const Vec3& middle) {
  const double sign = way % 2 == 0 ? 1.0 : -1.0;
  if (way < 2) return {plane.normal, plane.offset + sign * step};
  // Tilted about the point of the plane nearest to the middle.
  const Vec3 pivot = middle - plane.height(middle) * plane.normal;
  const Mat3 R = poseAlong(Vec3::Zero(), plane.normal).R;
  const Vec3 normal = (plane.normal + sign * 2.0 * step * R.col(way / 2 - 1)).normalized();
  return {normal, normal.dot(pivot)};
}

// Cuts the range along a normal into `count` equal parts; the planes that bound each of them.
std::vector<std::vector<Plane>> slabs(const Vec3& normal, const Interval& range, int count) {
  std::vector<std::vector<Plane>> result(count);
  for (int i = 1; i < count; ++i) {
    const Plane plane{normal, range.lower + range.length() * i / count};
    result[i - 1].push_back(plane);
    result[i].push_back(plane.flipped());
  }
  return result;
}

// Blocks by `counts` slabs along each axis, with their samples; without capsules.
Partition grid(const std::vector<Sample>& samples, const Mat3& axes,
               const std::array<Interval, 3>& range, const std::array<int, 3>& counts) {
  std::array<std::vector<std::vector<Plane>>, 3> parts;
  for (int k = 0; k < 3; ++k) parts[k] = slabs(axes.col(k), range[k], counts[k]);
  Partition partition;
  for (const auto& x : parts[0]) {
    for (const auto& y : parts[1]) {
      for (const auto& z : parts[2]) {
        Cell cell;
        for (const auto* planes : {&x, &y, &z}) {
          cell.planes.insert(cell.planes.end(), planes->begin(), planes->end());
        }
        partition.cells.push_back(std::move(cell));
      }
    }
  }
  for (const Sample& b : samples) {
    for (Cell& cell : partition.cells) {
      const bool inside =
          std::all_of(cell.planes.begin(), cell.planes.end(),
                      [&](const Plane& plane) { return plane.height(b.key) <= 0.0; });
      if (!inside) continue;
      cell.samples.push_back(b);
      break;  // a key on a plane is in the cells of both sides: the first one gets it
    }
  }
  return partition;
}

}  // namespace

void polishPartition(const std::vector<Sample>& samples, Partition* partition) {
  Arrangement arrangement(samples, *partition);
  partition->volume = unionVolume(partition->cells, kLines);
  for (double step = kLargestMove; step > kSmallestMove; step *= 0.5) {
    for (int i = 0; i < arrangement.planeCount(); ++i) {
      const Vec3 middle = arrangement.middle(i, *partition);
      for (int way = 0; way < 6; ++way) {
        arrangement.replaceIfSmaller(i, changed(arrangement.plane(i), way, step, middle),
                                     partition);
      }
    }
  }
}

std::vector<Partition> gridPartitions(const std::vector<Sample>& samples, const Mat3& axes,
                                      int max_count) {
  std::array<Interval, 3> range;
  for (int k = 0; k < 3; ++k) {
    range[k] = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const Sample& b : samples) {
      const double height = axes.col(k).dot(b.key);
      range[k].lower = std::min(range[k].lower, height);
      range[k].upper = std::max(range[k].upper, height);
    }
  }
  // All counts i x j x k of up to max_count blocks, but for the single one; empty blocks rule a
  // grid out.
  const Vec3 directions[] = {axes.col(0), axes.col(1), axes.col(2)};
  std::vector<Partition> result;
  for (int i = 1; i <= max_count; ++i) {
    for (int j = 1; i * j <= max_count; ++j) {
      for (int k = std::max(1, i * j == 1 ? 2 : 1); i * j * k <= max_count; ++k) {
        Partition partition = grid(samples, axes, range, {i, j, k});
        bool filled = true;
        for (Cell& cell : partition.cells) {
          filled = filled && !cell.samples.empty();
          if (filled) cell.fit = quickCapsule(cell.samples, directions);
        }
        if (!filled) continue;
        partition.volume = unionVolume(partition.cells, kLines);
        result.push_back(std::move(partition));
      }
    }
  }
  return result;
}

}  // namespace allclear::fitting
