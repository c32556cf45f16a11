#include "allclear/distance/convex_cover.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "allclear/distance/cover/cut.h"
#include "allclear/distance/fit/capsule_search.h"
#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/distance/mesh/body.h"

namespace allclear {
namespace {

using cover::belongsBelow;
using cover::Cut;
using cover::cutAxes;
using cover::Heights;
using cover::scoredCuts;
using fitting::Plane;
using fitting::Surface;

constexpr std::size_t kExact = 3;          // of all these, cuts whose hulls are made
constexpr std::size_t kManyCorners = 600;  // more are thinned before they are enclosed in a hull
constexpr int kExtremeDirections = 100;
constexpr double kPoor = 0.05;     // of the hull: before so little is cut off, look ahead
constexpr double kWinds = 0.1;     // of a turn: the surface goes around a point
constexpr double kBeside = 1e-11;  // of the size of a cell

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

/// What of a part is below a plane. A facet in the plane goes with one side only, and what merely
/// touches the plane leaves nothing on the other: the solid there is bounded by what reaches into
/// it.
Part cutOff(const Part& part, const Plane& plane) {
  Surface crossing, level;
  double size = 0.0;
  for (const Vec3& p : part.surface.corners) size = std::max(size, p.cwiseAbs().maxCoeff());
  const double thickness = cover::kThickness * size;
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
  bool looked_ahead = false;

  explicit Candidate(Part p) : part(std::move(p)) { findCut(); }

  void findCut() {
    const std::vector<Cut> cuts = scoredCuts(part.surface);
    tryBest(cuts, false);
    tryBest(cuts, true);
  }

  /// Where no cut promises anything (of a ring, or a cup), the ones through the middle are tried:
  /// each by what it takes off, or together with the like cuts of its halves.
  void lookAhead() {
    for (auto& [below, above] : middleCuts(part)) {
      const double saved = part.volume - below.volume - above.volume;
      const double share = std::max(saved, (saved + middleGain(below) + middleGain(above)) / 3.0);
      if (share <= gain) continue;
      gain = share;  // of each cut
      halves.emplace(std::move(below), std::move(above));
    }
  }

  static std::vector<std::pair<Part, Part>> middleCuts(const Part& part) {
    Vec3 lower = part.surface.corners[0], upper = lower;
    for (const Vec3& p : part.surface.corners) {
      lower = lower.cwiseMin(p);
      upper = upper.cwiseMax(p);
    }
    std::vector<std::pair<Part, Part>> cuts;
    for (const Vec3& axis : cutAxes(part.surface)) {
      const Plane plane{axis, axis.dot(0.5 * (lower + upper))};
      std::pair<Part, Part> halves{cutOff(part, plane), cutOff(part, plane.flipped())};
      const bool both = halves.first.surface.size() > 0 && halves.second.surface.size() > 0;
      if (both) cuts.push_back(std::move(halves));
    }
    return cuts;
  }

  static double middleGain(const Part& part) {
    double best = 0.0;
    for (const auto& [below, above] : middleCuts(part)) {
      best = std::max(best, part.volume - below.volume - above.volume);
    }
    return best;
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

/// The largest part, if it is large and much of the parts is hollow, or none: the solid's volume is
/// 0 where it is not known, and then only a mesh that is still whole is looked at.
Candidate* worthLookingAhead(std::vector<Candidate>& parts, double solid, double hull_volume) {
  constexpr double kHollow = 0.25, kLarge = 0.1;
  double volume = 0.0;
  Candidate* largest = nullptr;
  for (Candidate& candidate : parts) {
    volume += candidate.part.volume;
    if (candidate.looked_ahead || candidate.part.volume < kLarge * hull_volume) continue;
    if (largest == nullptr || candidate.part.volume > largest->part.volume) largest = &candidate;
  }
  const bool known = solid > 0.0;
  if (known ? volume - solid <= kHollow * volume : parts.size() > 1) return nullptr;
  return largest;
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
  const double hull_volume = whole.volume, least_gain = options.least_gain * hull_volume;
  const bool closed = whyNotClosed(mesh).empty();
  const double solid = closed ? solidVolume(mesh) : 0.0;
  const bool is_convex = closed && convexHull(mesh.vertices()).volume - solid <= least_gain;
  if (is_convex || options.most_pieces < 2) return {hullMesh(mesh.vertices())};

  std::vector<Candidate> parts;
  parts.emplace_back(std::move(whole));
  while (static_cast<int>(parts.size()) < options.most_pieces) {
    Candidate* best =
        &*std::max_element(parts.begin(), parts.end(),
                           [](const Candidate& a, const Candidate& b) { return a.gain < b.gain; });
    if (best->gain <= std::max(least_gain, kPoor * hull_volume)) {
      if (Candidate* const hollow = worthLookingAhead(parts, solid, hull_volume)) {
        hollow->looked_ahead = true;
        hollow->lookAhead();
        continue;
      }
      if (best->gain <= least_gain) break;
    }
    std::pair<Part, Part> halves = std::move(*best->halves);
    *best = Candidate(std::move(halves.first));
    parts.emplace_back(std::move(halves.second));
  }
  std::vector<ConvexMesh> pieces;
  for (const Candidate& candidate : parts) pieces.push_back(piece(candidate.part, surface));
  return pieces;
}

std::vector<Geometry> enclosingSolids(const std::vector<Geometry>& geometry,
                                      MeshFidelity fidelity) {
  std::vector<Geometry> solids;
  for (const Geometry& part : geometry) {
    const auto* mesh = std::get_if<TriangleMesh>(&part.shape);
    if (mesh == nullptr ||
        (fidelity == MeshFidelity::kSurface && mesh->body()->topology().closed)) {
      solids.push_back(part);
    } else if (fidelity == MeshFidelity::kHull) {
      solids.push_back({mesh->hull(), part.X_BG});
    } else {
      const bool many = fidelity != MeshFidelity::kPieces;
      for (const ConvexMesh& piece : many ? mesh->fineCover() : mesh->cover()) {
        solids.push_back({piece, part.X_BG});
      }
    }
  }
  return solids;
}

}  // namespace allclear
