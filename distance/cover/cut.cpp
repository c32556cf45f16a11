#include "allclear/distance/cover/cut.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace allclear::cover {
namespace {

using fitting::Surface;

constexpr int kEvenOffsets = 32;     // planes tried along each axis
constexpr std::size_t kFacets = 12;  // and along the largest facets across it

constexpr int kDirections = 9;
constexpr int kFrames[4][3] = {{0, 1, 2}, {0, 3, 4}, {1, 5, 6}, {2, 7, 8}};

using Projections = std::array<double, kDirections>;

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

/// Extents along all directions.
struct Extents {
  Projections lower, upper;
  Extents() {
    lower.fill(std::numeric_limits<double>::infinity());
    upper.fill(-std::numeric_limits<double>::infinity());
  }
  void add(const Projections& p) {
    for (int i = 0; i < kDirections; ++i) {
      lower[i] = std::min(lower[i], p[i]);
      upper[i] = std::max(upper[i], p[i]);
    }
  }
  void add(const Extents& other) {
    for (int i = 0; i < kDirections; ++i) {
      lower[i] = std::min(lower[i], other.lower[i]);
      upper[i] = std::max(upper[i], other.upper[i]);
    }
  }
  /// Of the smallest box of the frames: stands for the volume of the hull while cuts are sought.
  double volume() const {
    if (lower[0] > upper[0]) return 0.0;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& frame : kFrames) {
      double product = 1.0;
      for (int i : frame) product *= upper[i] - lower[i];
      least = std::min(least, product);
    }
    return least;
  }
};

Extents merged(Extents a, const Extents& b) {
  a.add(b);
  return a;
}

/// Cuts across one axis and how much the boxes of both sides hold.
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
    for (int i = 0; i < surface.size(); ++i) {
      Heights range;
      for (int c = surface.first[i]; c < surface.first[i + 1]; ++c) range.add(heights_[c]);
      ranges_.push_back(range);
    }
  }

  void addTo(std::vector<Cut>* cuts) const {
    const std::vector<double> offsets = offsetsToTry();
    const int count = static_cast<int>(offsets.size());
    const std::vector<Extents> layers = layersBetween(offsets);
    std::vector<Extents> at;  // cross-sections
    for (double offset : offsets) at.push_back(crossSection(offset));
    std::vector<double> below(count), above(count);
    Extents low, high;
    for (int k = 0; k < count; ++k) {
      low.add(layers[k]);
      below[k] = merged(low, at[k]).volume();
      high.add(layers[count - k]);
      above[count - 1 - k] = merged(high, at[count - 1 - k]).volume();
    }
    for (int k = 0; k < count; ++k) {
      cuts->push_back({{axis_, offsets[k]}, std::nullopt, below[k] + above[k]});
      Extents slab = at[k];
      for (int l = k + 1; l < count; ++l) {
        slab.add(layers[l]);
        const double middle = merged(slab, at[l]).volume();
        cuts->push_back({{axis_, offsets[k]}, offsets[l], below[k] + middle + above[l]});
      }
    }
  }

 private:
  std::vector<double> offsetsToTry() const {
    const auto [low, high] = std::minmax_element(heights_.begin(), heights_.end());
    const double range = *high - *low;
    std::vector<double> offsets;
    if (!(range > 0.0)) return offsets;
    for (int i = 1; i < kEvenOffsets; ++i) offsets.push_back(*low + range * i / kEvenOffsets);
    std::vector<std::pair<double, double>> facets;  // area, offset
    for (int i = 0; i < surface_.size(); ++i) {
      const auto corner = surface_.polygon(i);
      const double height = heights_[surface_.first[i]];
      bool level = corner.size() > 2;
      for (int c = surface_.first[i]; c < surface_.first[i + 1]; ++c) {
        level = level && std::abs(heights_[c] - height) < 1e-4 * range;
      }
      if (!level || height - *low < 1e-3 * range || *high - height < 1e-3 * range) continue;
      Vec3 area = Vec3::Zero();
      for (std::size_t k = 2; k < corner.size(); ++k) {
        area += (corner[k - 1] - corner[0]).cross(corner[k] - corner[0]);
      }
      facets.emplace_back(area.norm(), height);
    }
    // Facets at one height count together.
    std::sort(facets.begin(), facets.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<std::pair<double, double>> levels;
    for (const auto& [area, height] : facets) {
      if (!levels.empty() && height - levels.back().second < 1e-3 * range) {
        levels.back().first += area;
      } else {
        levels.emplace_back(area, height);
      }
    }
    std::sort(levels.rbegin(), levels.rend());
    if (levels.size() > kFacets) levels.resize(kFacets);
    for (const auto& level : levels) offsets.push_back(level.second);
    std::sort(offsets.begin(), offsets.end());
    return offsets;
  }

  /// Of the corners before the first offset, between it and the second, ..., after the last one;
  /// those at an offset count where their facet is.
  std::vector<Extents> layersBetween(const std::vector<double>& offsets) const {
    std::vector<Extents> layers(offsets.size() + 1);
    for (int i = 0; i < surface_.size(); ++i) {
      const Heights& range = ranges_[i];
      const bool is_level = range.upper - range.lower <= thickness_;
      const bool is_below = is_level && belongsBelow(surface_.polygon(i), axis_);
      for (int c = surface_.first[i]; c < surface_.first[i + 1]; ++c) {
        const double height = heights_[c];
        auto first = std::lower_bound(offsets.begin(), offsets.end(), height - thickness_);
        auto last = std::upper_bound(first, offsets.end(), height + thickness_);
        const bool below = is_level ? is_below : range.lower < height - thickness_;
        const bool above = is_level ? !is_below : range.upper > height + thickness_;
        if (first != last && !below) first = last;
        if (first != last && !above) last = first;
        for (auto at = first - offsets.begin(); at <= last - offsets.begin(); ++at) {
          layers[at].add(projections_[c]);
        }
      }
    }
    return layers;
  }

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
  Vec3 area = Vec3::Zero();
  for (std::size_t k = 2; k < facet.size(); ++k) {
    area += (facet[k - 1] - facet[0]).cross(facet[k] - facet[0]);
  }
  const double side = area.dot(plane_normal);
  if (side != 0.0) return side > 0.0;
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
    if (axis.allFinite() && axis.cwiseAbs().maxCoeff() < 0.995) axes.push_back(axis);
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
