// Scores planes to cut a surface along, without making hulls.
//
// The volume of a hull is estimated by boxes: the extents of points along nine directions (the axes
// and the diagonals of the coordinate planes) give the boxes of four frames, and the smallest of
// these stands for the hull. Extents of a union are cheap: for each axis, the corners are sorted
// into layers between the offsets to try, running unions from below and from above give both sides
// of every offset, and a third running union the slab between any two of them. The cross-section of
// the surface at an offset belongs to both sides. So all cuts along one axis cost O(corners +
// offsets^2).
//
// Offsets are tried at even steps, and at the largest facets square to the axis: the best cuts of
// man-made parts run along their faces.

#include "allclear/distance/cover/cut.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "allclear/core/simd.h"
#include "allclear/core/stop_scope.h"

namespace allclear::cover {
namespace {

using fitting::Surface;

constexpr int kEvenOffsets = 32;     // planes tried at even steps along each axis
constexpr std::size_t kFacets = 12;  // and at the largest facets square to it
/// Of the range of heights: a facet whose corners differ by less is square to the axis; facets
/// nearer to each other, or to the ends, than `kSameLevel` make no cut of their own.
constexpr double kLevel = 1e-4, kSameLevel = 1e-3;
/// A principal axis with a larger coordinate (within 6 degrees of a mesh's axis) adds nothing.
constexpr double kAlongAxis = 0.995;

constexpr int kDirections = 9;
/// Three mutually orthogonal directions each: the box of a frame has a volume.
constexpr int kFrames[4][3] = {{0, 1, 2}, {0, 3, 4}, {1, 5, 6}, {2, 7, 8}};

using Projections = std::array<double, kDirections>;

/// A point along the axes and along the diagonals of the coordinate planes.
Projections projected(const Vec3& p) {
  constexpr double k = std::numbers::sqrt2 / 2.0;
  return {p.x(),
          p.y(),
          p.z(),
          k * (p.y() + p.z()),
          k * (p.y() - p.z()),
          k * (p.x() + p.z()),
          k * (p.x() - p.z()),
          k * (p.x() + p.y()),
          k * (p.x() - p.y())};
}

/// Along the polygon's normal, twice its area long.
Vec3 doubledArea(std::span<const Vec3> polygon) {
  Vec3 area = Vec3::Zero();
  for (std::size_t k = 2; k < polygon.size(); ++k) {
    area += (polygon[k - 1] - polygon[0]).cross(polygon[k] - polygon[0]);
  }
  return area;
}

/// Extents along all nine directions.
struct Extents {
  Projections lower, upper;
  Extents() {
    lower.fill(std::numeric_limits<double>::infinity());
    upper.fill(-std::numeric_limits<double>::infinity());
  }
  ALLCLEAR_INLINE void add(const Projections& p) {
    for (int i = 0; i < kDirections; ++i) {
      lower[i] = std::min(lower[i], p[i]);
      upper[i] = std::max(upper[i], p[i]);
    }
  }
  ALLCLEAR_INLINE void add(const Extents& other) {
    for (int i = 0; i < kDirections; ++i) {
      lower[i] = other.lower[i] < lower[i] ? other.lower[i] : lower[i];
      upper[i] = other.upper[i] > upper[i] ? other.upper[i] : upper[i];
    }
  }
  /// The volume of the smallest box of the four frames [m^3], which stands for that of the hull.
  ALLCLEAR_INLINE double volume() const {
    if (lower[0] > upper[0]) return 0.0;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& frame : kFrames) {
      double product = 1.0;
      for (int i : frame) product *= upper[i] - lower[i];
      least = product < least ? product : least;
    }
    return least;
  }
};

Extents merged(Extents a, const Extents& b) {
  a.add(b);
  return a;
}

/// Volumes of the slabs from section `first` up to each later one, l: of all layers between, closed
/// by both sections. The same for every instruction set: minima, maxima and products only.
ALLCLEAR_MULTIVERSION
void slabVolumes(const Extents* layers, const Extents* sections, int first, int count,
                 double* volumes) {
  Extents slab = sections[first];
  for (int l = first + 1; l < count; ++l) {
    slab.add(layers[l]);
    Extents closed = slab;
    closed.add(sections[l]);
    volumes[l] = closed.volume();
  }
}

/// Scores the cuts square to one axis.
class AxisCuts {
 public:
  AxisCuts(const Surface& surface, const std::vector<Projections>& projections, const Vec3& axis)
      : surface_(surface), projections_(projections), axis_(axis) {
    heights_.reserve(surface.corners.size());
    double size = 0.0;
    for (const Vec3& p : surface.corners) {
      heights_.push_back(axis.dot(p));
      size = std::max(size, p.cwiseAbs().maxCoeff());
    }
    thickness_ = kThickness * size;
    // The range of heights of each polygon.
    StopSteps steps;
    for (int i = 0; i < surface.size(); ++i) {
      steps.step();
      Heights range;
      for (int c = surface.first[i]; c < surface.first[i + 1]; ++c) range.add(heights_[c]);
      ranges_.push_back(range);
    }
  }

  /// Adds the cut at each offset and at each two offsets, scored by the volume left.
  void addTo(std::vector<Cut>* cuts) const {
    const std::vector<double> offsets = offsetsToTry();
    const int count = static_cast<int>(offsets.size());
    const std::vector<Extents> layers = layersBetween(offsets);
    std::vector<Extents> sections;
    for (double offset : offsets) {
      throwIfStopped();
      sections.push_back(crossSection(offset));
    }
    // Running unions from the lowest layer up and from the highest down, each closed by the section
    // at its offset.
    std::vector<double> below(count), above(count);
    Extents low, high;
    for (int k = 0; k < count; ++k) {
      low.add(layers[k]);
      below[k] = merged(low, sections[k]).volume();
      high.add(layers[count - k]);
      above[count - 1 - k] = merged(high, sections[count - 1 - k]).volume();
    }
    std::vector<double> middle(count);
    for (int k = 0; k < count; ++k) {
      throwIfStopped();
      cuts->push_back({{axis_, offsets[k]}, std::nullopt, below[k] + above[k]});
      // And two cuts: what is between this offset and a higher one.
      slabVolumes(layers.data(), sections.data(), k, count, middle.data());
      for (int l = k + 1; l < count; ++l) {
        cuts->push_back({{axis_, offsets[k]}, offsets[l], below[k] + middle[l] + above[l]});
      }
    }
  }

 private:
  /// Even steps, and the levels of the largest facets; sorted.
  std::vector<double> offsetsToTry() const {
    const auto [low, high] = std::minmax_element(heights_.begin(), heights_.end());
    const double range = *high - *low;
    std::vector<double> offsets;
    if (!(range > 0.0)) return offsets;
    for (int i = 1; i < kEvenOffsets; ++i) offsets.push_back(*low + range * i / kEvenOffsets);
    for (double level : largestLevels(*low, *high)) offsets.push_back(level);
    std::sort(offsets.begin(), offsets.end());
    return offsets;
  }

  /// Heights of the facets square to the axis with the largest area, strictly between the ends.
  std::vector<double> largestLevels(double low, double high) const {
    const double range = high - low;
    std::vector<std::pair<double, double>> facets;  // area, height
    for (int i = 0; i < surface_.size(); ++i) {
      const auto corner = surface_.polygon(i);
      const double height = heights_[surface_.first[i]];
      bool level = corner.size() > 2;
      for (int c = surface_.first[i]; c < surface_.first[i + 1]; ++c) {
        level = level && std::abs(heights_[c] - height) < kLevel * range;
      }
      if (!level || height - low < kSameLevel * range || high - height < kSameLevel * range) {
        continue;
      }
      facets.emplace_back(doubledArea(corner).norm(), height);
    }
    // Facets at one height count together.
    std::sort(facets.begin(), facets.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<std::pair<double, double>> levels;
    for (const auto& [area, height] : facets) {
      if (!levels.empty() && height - levels.back().second < kSameLevel * range) {
        levels.back().first += area;
      } else {
        levels.emplace_back(area, height);
      }
    }
    std::sort(levels.rbegin(), levels.rend());
    if (levels.size() > kFacets) levels.resize(kFacets);
    std::vector<double> heights;
    for (const auto& level : levels) heights.push_back(level.second);
    return heights;
  }

  /// Extents of the corners below the first offset, between it and the second, ..., above the last.
  /// A corner at an offset belongs to the layers that its polygon reaches into; a facet in the
  /// plane to the side where the solid is.
  std::vector<Extents> layersBetween(const std::vector<double>& offsets) const {
    std::vector<Extents> layers(offsets.size() + 1);
    StopSteps steps;
    for (int i = 0; i < surface_.size(); ++i) {
      steps.step();
      const Heights& range = ranges_[i];
      const bool is_level = range.upper - range.lower <= thickness_;
      const bool is_below = is_level && belongsBelow(surface_.polygon(i), axis_);
      for (int c = surface_.first[i]; c < surface_.first[i + 1]; ++c) {
        const double height = heights_[c];
        auto first = std::lower_bound(offsets.begin(), offsets.end(), height - thickness_);
        auto last = std::upper_bound(first, offsets.end(), height + thickness_);
        const bool below = is_level ? is_below : range.lower < height - thickness_;
        const bool above = is_level ? !is_below : range.upper > height + thickness_;
        // Offsets first to last are at the corner: it is in the layers first..last, less those on
        // a side that its polygon does not reach.
        if (first != last && !below) first = last;
        if (first != last && !above) last = first;
        for (auto at = first - offsets.begin(); at <= last - offsets.begin(); ++at) {
          layers[at].add(projections_[c]);
        }
      }
    }
    return layers;
  }

  /// Extents of the points in which polygons cross the plane.
  Extents crossSection(double offset) const {
    Extents section;
    for (int i = 0; i < surface_.size(); ++i) {
      if (!(ranges_[i].lower < offset - thickness_ && ranges_[i].upper > offset + thickness_)) {
        continue;
      }
      const int first = surface_.first[i], last = surface_.first[i + 1];
      for (int c = first; c < last; ++c) {
        const int d = c + 1 == last ? first : c + 1;
        if ((heights_[c] < offset) == (heights_[d] < offset)) continue;
        // Projections are linear: those of the crossing lie between those of the edge's ends.
        const double s = (offset - heights_[c]) / (heights_[d] - heights_[c]);
        Projections at;
        for (int k = 0; k < kDirections; ++k) {
          at[k] = projections_[c][k] + s * (projections_[d][k] - projections_[c][k]);
        }
        section.add(at);
      }
    }
    return section;
  }

  const Surface& surface_;
  const std::vector<Projections>& projections_;
  Vec3 axis_;
  std::vector<double> heights_;
  std::vector<Heights> ranges_;  // by polygon
  double thickness_ = 0.0;       // [m]
};

}  // namespace

bool belongsBelow(std::span<const Vec3> facet, const Vec3& plane_normal) {
  // The outward normal points away from the solid: along the plane's, the solid is below.
  const double side = doubledArea(facet).dot(plane_normal);
  if (side != 0.0) return side > 0.0;
  // No area: the sign of the normal's largest coordinate, which the flipped plane has the other
  // way.
  int axis = 0;
  plane_normal.cwiseAbs().maxCoeff(&axis);
  return plane_normal[axis] > 0.0;
}

std::vector<Vec3> cutAxes(const Surface& surface) {
  std::vector<Vec3> axes{Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : surface.corners) mean += p;
  mean /= static_cast<double>(surface.corners.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& p : surface.corners) spread += (p - mean) * (p - mean).transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(spread);
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = principal.eigenvectors().col(i);
    if (axis.allFinite() && axis.cwiseAbs().maxCoeff() < kAlongAxis) axes.push_back(axis);
  }
  return axes;
}

std::vector<Cut> scoredCuts(const Surface& surface) {
  std::vector<Projections> projections;
  projections.reserve(surface.corners.size());
  for (const Vec3& p : surface.corners) projections.push_back(projected(p));
  std::vector<Cut> cuts;
  for (const Vec3& axis : cutAxes(surface)) {
    AxisCuts(surface, projections, axis).addTo(&cuts);
  }
  return cuts;
}

}  // namespace allclear::cover
