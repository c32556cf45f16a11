#include <algorithm>
#include <limits>

#include "allclear/distance/fit/enclose.h"
#include "allclear/distance/fit/partition.h"

namespace allclear::fitting {
namespace {

constexpr int kLines = 32;      // for unions
constexpr int kIterations = 8;  // a cell changes little: its capsule is a good start
constexpr double kLargestMove = 0.12;
constexpr double kSmallestMove = 0.02;  // unit coordinates and radians

// The partition with its planes counted once: cells say on which side of which plane they are.
class Arrangement {
 public:
  Arrangement(const std::vector<Bit>& bits, const Partition& partition) : bits_(bits) {
    for (const Cell& cell : partition.cells) {
      std::vector<Side> sides;
      for (const Plane& plane : cell.planes) sides.push_back(sideOf(plane));
      sides_.push_back(std::move(sides));
    }
  }

  int planeCount() const { return static_cast<int>(planes_.size()); }
  const Plane& plane(int i) const { return planes_[i]; }

  // The middle of the bits that the plane divides.
  Vec3 middle(int plane, const Partition& partition) const {
    Vec3 sum = Vec3::Zero();
    std::size_t count = 0;
    for (std::size_t c = 0; c < sides_.size(); ++c) {
      if (!touches(c, plane)) continue;
      for (const Bit& b : partition.cells[c].bits) sum += b.key;
      count += partition.cells[c].bits.size();
    }
    return count > 0 ? Vec3(sum / static_cast<double>(count)) : sum;
  }

  // True when the plane in place of plane i makes the union smaller; the partition is then so.
  bool tryPlane(int i, const Plane& plane, Partition* partition) {
    const Plane before = planes_[i];
    planes_[i] = plane;
    Partition next = *partition;
    for (std::size_t c = 0; c < sides_.size(); ++c) {
      if (!touches(c, i)) continue;
      fill(c, &next.cells[c]);
      if (next.cells[c].bits.empty()) {
        planes_[i] = before;
        return false;
      }
      next.cells[c].fit =
          refineCapsule(hullBalls(next.cells[c].bits), next.cells[c].fit, kIterations);
    }
    next.volume = unionVolume(next.cells, kLines);
    if (next.volume < partition->volume * (1.0 - 1e-6)) {
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

  bool touches(std::size_t cell, int plane) const {
    return std::any_of(sides_[cell].begin(), sides_[cell].end(),
                       [&](const Side& s) { return s.plane == plane; });
  }

  void fill(std::size_t index, Cell* cell) const {
    cell->planes.clear();
    for (const Side& s : sides_[index]) {
      cell->planes.push_back(s.below ? planes_[s.plane] : planes_[s.plane].flipped());
    }
    cell->bits.clear();
    for (const Bit& b : bits_) {
      const bool inside =
          std::all_of(cell->planes.begin(), cell->planes.end(),
                      [&](const Plane& plane) { return plane.height(b.key) <= 0.0; });
      if (inside) cell->bits.push_back(b);
    }
  }

  const std::vector<Bit>& bits_;
  std::vector<Plane> planes_;
  std::vector<std::vector<Side>> sides_;
};

Plane moved(const Plane& plane, int way, double move, const Vec3& middle) {
  const double sign = way % 2 == 0 ? 1.0 : -1.0;
  if (way < 2) return {plane.normal, plane.offset + sign * move};
  // Tilted about the point of the plane nearest to the middle.
  const Vec3 pivot = middle - plane.height(middle) * plane.normal;
  const Mat3 R = poseAlong(Vec3::Zero(), plane.normal).R;
  const Vec3 normal = (plane.normal + sign * 2.0 * move * R.col(way / 2 - 1)).normalized();
  return {normal, normal.dot(pivot)};
}

// Cuts [0, 1] into `count` equal parts along one axis.
std::vector<std::vector<Plane>> slabs(const Vec3& normal, const Interval& range, int count) {
  std::vector<std::vector<Plane>> result(count);
  for (int i = 1; i < count; ++i) {
    const Plane plane{normal, range.lower + range.length() * i / count};
    result[i - 1].push_back(plane);
    result[i].push_back(plane.flipped());
  }
  return result;
}

Partition grid(const std::vector<Bit>& bits, const Mat3& axes, const std::array<Interval, 3>& range,
               const std::array<int, 3>& counts) {
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
  for (const Bit& b : bits) {
    for (Cell& cell : partition.cells) {
      const bool inside =
          std::all_of(cell.planes.begin(), cell.planes.end(),
                      [&](const Plane& plane) { return plane.height(b.key) <= 0.0; });
      if (!inside) continue;
      cell.bits.push_back(b);
      break;
    }
  }
  return partition;
}

}  // namespace

void polishPartition(const std::vector<Bit>& bits, Partition* partition) {
  Arrangement arrangement(bits, *partition);
  partition->volume = unionVolume(partition->cells, kLines);
  for (double move = kLargestMove; move > kSmallestMove; move *= 0.5) {
    for (int i = 0; i < arrangement.planeCount(); ++i) {
      const Vec3 middle = arrangement.middle(i, *partition);
      for (int way = 0; way < 6; ++way) {
        arrangement.tryPlane(i, moved(arrangement.plane(i), way, move, middle), partition);
      }
    }
  }
}

std::vector<Partition> gridPartitions(const std::vector<Bit>& bits, const Mat3& axes,
                                      int max_count) {
  std::array<Interval, 3> range;
  for (int k = 0; k < 3; ++k) {
    range[k] = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const Bit& b : bits) {
      const double height = axes.col(k).dot(b.key);
      range[k].lower = std::min(range[k].lower, height);
      range[k].upper = std::max(range[k].upper, height);
    }
  }
  const Vec3 directions[] = {axes.col(0), axes.col(1), axes.col(2)};
  std::vector<Partition> result;
  for (int i = 1; i <= max_count; ++i) {
    for (int j = 1; i * j <= max_count; ++j) {
      for (int k = std::max(1, i * j == 1 ? 2 : 1); i * j * k <= max_count; ++k) {
        Partition partition = grid(bits, axes, range, {i, j, k});
        bool filled = true;
        for (Cell& cell : partition.cells) {
          filled = filled && !cell.bits.empty();
          if (filled) cell.fit = quickCapsule(cell.bits, directions);
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
