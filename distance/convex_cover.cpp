#include "allclear/distance/convex_cover.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "allclear/distance/convex_hull.h"
#include "allclear/distance/fit_capsule_search.h"
#include "allclear/distance/fit_surface.h"
#include "allclear/distance/mesh_body.h"

namespace allclear {
namespace {

using fitting::Plane;
using fitting::Surface;

constexpr int kEvenOffsets = 32;           // planes tried along each axis
constexpr std::size_t kFacets = 12;        // and along the largest facets across it
constexpr std::size_t kExact = 3;          // of all these, cuts whose hulls are made
constexpr std::size_t kManyCorners = 600;  // more are thinned before they are enclosed in a hull
constexpr int kExtremeDirections = 100;
constexpr double kWinds = 0.1;        // of a turn: the surface goes around a point
constexpr double kBeside = 1e-11;     // of the size of a cell
constexpr double kThickness = 1e-12;  // of the size: as near to a plane counts as in it

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

/// Lowest and highest corner above a plane.
struct Heights {
  double lower = std::numeric_limits<double>::infinity();
  double upper = -std::numeric_limits<double>::infinity();
  void add(double height) {
    lower = std::min(lower, height);
    upper = std::max(upper, height);
  }
};

/// Whether a facet in a plane goes with what is below it: by its normal that is where the solid is;
/// without area, by a rule that is the other way round for the flipped plane.
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

/// The surface inside one convex cell.
struct Part {
  Surface surface;
  std::vector<Plane> planes;
  double volume = 0.0;  ///< of the surface's hull
};

/// Volume of the surface's hull; of many corners, of those farthest in some directions.
double hullVolume(const Surface& surface) {
  if (surface.corners.size() <= kManyCorners) return convexHull(surface.corners).volume;
  std::vector<Vec3> extreme;
  for (int i : fitting::extremePoints(surface.corners, kExtremeDirections)) {
    extreme.push_back(surface.corners[i]);
  }
  return convexHull(extreme).volume;
}

/// Volume of a closed mesh.
double solidVolume(const TriangleMesh& mesh) {
  const Vec3& origin = mesh.vertices()[0];
  double sixfold = 0.0;
  for (const Triangle& t : mesh.triangles()) {
    const Vec3 a = mesh.vertices()[t[0]] - origin, b = mesh.vertices()[t[1]] - origin;
    sixfold += a.dot(b.cross(mesh.vertices()[t[2]] - origin));
  }
  return sixfold / 6.0;
}

/// A cut along one plane, or along two parallel ones: what is between two knobs shows its worth
/// only when both are cut off.
struct Cut {
  Plane plane;
  std::optional<double> second_offset;  ///< above that of the plane
  double score = 0.0;
};

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

/// The mesh's axes and, where they differ, the principal axes of the corners.
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

/// What of a part is below a plane. A facet in the plane goes with one side only, and what merely
/// touches the plane leaves nothing on the other: the solid there is bounded by what reaches into
/// it.
Part cutOff(const Part& part, const Plane& plane) {
  Surface crossing, level;
  double size = 0.0;
  for (const Vec3& p : part.surface.corners) size = std::max(size, p.cwiseAbs().maxCoeff());
  const double thickness = kThickness * size;
  for (int i = 0; i < part.surface.size(); ++i) {
    const std::span<const Vec3> polygon = part.surface.polygon(i);
    Heights heights;
    for (const Vec3& p : polygon) heights.add(plane.height(p));
    if (heights.lower < -thickness) {
      crossing.add(polygon);
    } else if (heights.upper <= thickness && belongsBelow(polygon, plane.normal)) {
      level.add(polygon);
    }
  }
  Part below{crossing.below(plane), part.planes, 0.0};
  for (int i = 0; i < level.size(); ++i) below.surface.add(level.polygon(i));
  below.planes.push_back(plane);
  if (below.surface.size() > 0) below.volume = hullVolume(below.surface);
  return below;
}

/// A part, and the best way found to cut it in two.
struct Candidate {
  Part part;
  double gain = 0.0;  ///< volume that the cut takes off
  std::optional<std::pair<Part, Part>> halves;

  explicit Candidate(Part p) : part(std::move(p)) { findCut(); }

  void findCut() {
    const Surface& surface = part.surface;
    std::vector<Projections> projections;
    projections.reserve(surface.corners.size());
    for (const Vec3& p : surface.corners) projections.push_back(projected(p));
    std::vector<Cut> cuts;
    for (const Vec3& axis : cutAxes(surface)) {
      AxisCuts(surface, projections, axis).addTo(&cuts);
    }
    tryBest(cuts, false);
    tryBest(cuts, true);
  }

  /// Makes the hulls that the most promising cuts (along one plane, or two) lead to.
  void tryBest(const std::vector<Cut>& cuts, bool twofold) {
    std::vector<Cut> best(kExact);
    const auto last = std::partial_sort_copy(
        cuts.begin(), cuts.end(), best.begin(), best.end(), [&](const Cut& a, const Cut& b) {
          if (a.second_offset.has_value() != b.second_offset.has_value()) {
            return a.second_offset.has_value() == twofold;
          }
          return a.score < b.score;
        });
    for (auto cut = best.begin(); cut != last; ++cut) {
      if (cut->second_offset.has_value() != twofold) break;
      Part below = cutOff(part, cut->plane);
      Part above = cutOff(part, cut->plane.flipped());
      if (below.surface.size() == 0 || above.surface.size() == 0) continue;
      double saved = part.volume - below.volume - above.volume;
      if (twofold) {
        const Plane second{cut->plane.normal, *cut->second_offset};
        saved +=
            above.volume - cutOff(above, second).volume - cutOff(above, second.flipped()).volume;
        saved *= 0.5;  // of each cut
      }
      if (saved <= gain) continue;
      gain = saved;
      halves.emplace(std::move(below), std::move(above));
    }
  }
};

ConvexMesh hullMesh(const std::vector<Vec3>& points) {
  std::vector<Vec3> corners;
  for (int i : convexHull(points).vertices) corners.push_back(points[i]);
  return ConvexMesh(std::move(corners));
}

ConvexMesh piece(const Part& part, const Surface& whole) {
  std::vector<Vec3> points = part.surface.corners;
  const std::vector<Vec3> corners = fitting::cellCorners(part.planes);
  Vec3 middle = Vec3::Zero();
  for (const Vec3& corner : corners) middle += corner / static_cast<double>(corners.size());
  for (const Vec3& corner : corners) {
    // Just inside the cell: a corner that lies on the surface is among its points if it matters.
    const Vec3 beside = corner + kBeside * (middle - corner);
    if (std::abs(fitting::windingNumber(whole, beside)) > kWinds) points.push_back(corner);
  }
  return hullMesh(points);
}

}  // namespace

std::vector<ConvexMesh> convexCover(const TriangleMesh& mesh, const ConvexCoverOptions& options) {
  Part whole;
  for (const Triangle& t : mesh.triangles()) {
    const Vec3 corners[] = {mesh.vertices()[t[0]], mesh.vertices()[t[1]], mesh.vertices()[t[2]]};
    whole.surface.add(corners);
  }
  Vec3 lower = whole.surface.corners[0], upper = lower;
  for (const Vec3& p : whole.surface.corners) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  for (int i = 0; i < 3; ++i) {
    whole.planes.push_back({Vec3::Unit(i), upper[i]});
    whole.planes.push_back({-Vec3::Unit(i), -lower[i]});
  }
  const Surface surface = whole.surface;
  whole.volume = hullVolume(whole.surface);
  const double least_gain = options.least_gain * whole.volume;
  const bool is_convex = whyNotClosed(mesh).empty() &&
                         convexHull(mesh.vertices()).volume - solidVolume(mesh) <= least_gain;
  if (is_convex || options.most_pieces < 2) return {hullMesh(mesh.vertices())};

  std::vector<Candidate> parts;
  parts.emplace_back(std::move(whole));
  while (static_cast<int>(parts.size()) < options.most_pieces) {
    const auto best =
        std::max_element(parts.begin(), parts.end(),
                         [](const Candidate& a, const Candidate& b) { return a.gain < b.gain; });
    if (!best->halves || best->gain <= least_gain) break;
    std::pair<Part, Part> halves = std::move(*best->halves);
    *best = Candidate(std::move(halves.first));
    parts.emplace_back(std::move(halves.second));
  }
  std::vector<ConvexMesh> pieces;
  for (const Candidate& candidate : parts) pieces.push_back(piece(candidate.part, surface));
  return pieces;
}

std::vector<Geometry> enclosingSolids(const std::vector<Geometry>& geometry, Closeness closeness) {
  std::vector<Geometry> solids;
  for (const Geometry& part : geometry) {
    const auto* mesh = std::get_if<TriangleMesh>(&part.shape);
    if (mesh == nullptr || (closeness == Closeness::kSurface && mesh->body()->topology().closed)) {
      solids.push_back(part);
    } else if (closeness == Closeness::kHull) {
      solids.push_back({mesh->hull(), part.X_BG});
    } else {
      const bool many = closeness != Closeness::kPieces;
      for (const ConvexMesh& piece : many ? mesh->fineCover() : mesh->cover()) {
        solids.push_back({piece, part.X_BG});
      }
    }
  }
  return solids;
}

}  // namespace allclear
