// Extreme points along many directions: all points are projected on each, eight at a time, and the
// first one with the least and with the greatest height counts. Repeats are left out beforehand.
#include "allclear/distance/fit/extreme_points.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "allclear/core/simd.h"
#include "allclear/core/stop_scope.h"

namespace allclear::fitting {
namespace {

// Heights of points along d and their range. `coordinates`: all x, all y, all z. Minima and maxima
// run in lanes, so that the loop becomes vector code.
ALLCLEAR_MULTIVERSION
Interval project(const double* coordinates, int count, const double* d, double* heights) {
  constexpr int kLanes = 8;
  const double* x = coordinates;
  const double* y = x + count;
  const double* z = y + count;
  for (int i = 0; i < count; ++i) heights[i] = d[0] * x[i] + d[1] * y[i] + d[2] * z[i];
  // A pass of its own over the heights, which the caller reads too.
  double lower[kLanes];
  double upper[kLanes];
  for (int k = 0; k < kLanes; ++k) lower[k] = upper[k] = heights[0];
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) {
      const double h = heights[i + k];
      lower[k] = h < lower[k] ? h : lower[k];
      upper[k] = h > upper[k] ? h : upper[k];
    }
  }
  for (; i < count; ++i) {
    lower[0] = heights[i] < lower[0] ? heights[i] : lower[0];
    upper[0] = heights[i] > upper[0] ? heights[i] : upper[0];
  }
  for (int k = 1; k < kLanes; ++k) {
    lower[0] = lower[k] < lower[0] ? lower[k] : lower[0];
    upper[0] = upper[k] > upper[0] ? upper[k] : upper[0];
  }
  return {lower[0], upper[0]};
}

/// The first place of `height` in the heights, which have it. Blocks of comparisons without a
/// branch become vector code.
ALLCLEAR_MULTIVERSION
int placeOf(double height, const double* heights, int count) {
  constexpr int kBlock = 32;
  int i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    int equal = 0;
    for (int k = 0; k < kBlock; ++k) equal |= heights[i + k] == height;
    if (equal != 0) break;
  }
  while (i + 1 < count && heights[i] != height) ++i;
  return i;
}

/// Indices of the points without repeats, ascending: the first of equal ones. Corners of a surface
/// repeat once per polygon, about six times.
std::vector<int> firstOfEqual(std::span<const Vec3> points) {
  // A table of open addressing, at most half full: -1 is a free place.
  const std::size_t size = std::bit_ceil(2 * points.size() + 1);
  std::vector<int> table(size, -1);
  std::vector<int> first;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3& p = points[i];
    std::uint64_t hash = 0;
    // Multiplying spreads the bits upward, the shift brings them down. (0 and -0 are equal.)
    for (double x : p) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(x + 0.0)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    }
    std::size_t at = hash & (size - 1);
    while (table[at] >= 0 && points[table[at]] != p) at = (at + 1) & (size - 1);
    if (table[at] >= 0) continue;
    table[at] = static_cast<int>(i);
    first.push_back(static_cast<int>(i));
  }
  return first;
}

}  // namespace

Vec3 fanDirection(int i, int count) {
  const double z = (i + 0.5) / count;
  const double angle = i * std::numbers::pi * (3.0 - std::sqrt(5.0));
  const double r = std::sqrt(1.0 - z * z);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

std::vector<int> extremePoints(std::span<const Vec3> points, int directions) {
  const std::vector<int> distinct = firstOfEqual(points);
  const int count = static_cast<int>(distinct.size());
  if (count == 0) return {};
  std::vector<double> coordinates(3 * distinct.size());  // all x, all y, all z
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < 3; ++k) coordinates[k * distinct.size() + i] = points[distinct[i]][k];
  }
  std::vector<double> heights(distinct.size());
  std::vector<int> extremes;
  for (int k = 0; k < directions; ++k) {
    throwIfStopped();
    const Vec3 d = fanDirection(k, directions);
    const Interval range = project(coordinates.data(), count, d.data(), heights.data());
    for (double height : {range.lower, range.upper}) {
      extremes.push_back(distinct[placeOf(height, heights.data(), count)]);
    }
  }
  std::sort(extremes.begin(), extremes.end());
  extremes.erase(std::unique(extremes.begin(), extremes.end()), extremes.end());
  return extremes;
}

}  // namespace allclear::fitting
