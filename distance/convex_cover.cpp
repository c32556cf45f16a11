// Covers a mesh by convex pieces: cuts space into convex cells, greedily, and encloses what the
// mesh leaves in each cell in a hull.
//
// A `Part` is a cell and the surface inside it. A cut of a part along a plane gives two parts; it
// gains the volume of the part's hull less the volumes of the two new hulls. At each step the part
// with the largest gain is cut, until there are enough pieces or no cut gains enough. `scoredCuts`
// (cover/cut.h) ranks many planes by boxes; the hulls of the few best are then made. A cut with a
// small gain may be what a later one needs (a ring cut in half gains little, in quarters much), so
// two devices look further: cuts along two parallel planes at once, and cuts through the middle
// judged together with the like cuts of both halves.
//
// This is done for what is closed; open parts are covered by cover/shell_cover.h.
//
// Why the pieces contain the mesh: see the header. A piece is the hull of the surface inside its
// cell and of those corners of the cell that are inside the solid. Two rules keep rounding from
// losing points: a facet in a cutting plane goes with exactly one side (`belongsBelow`), and a
// surface is cut with the same arithmetic on both sides (fit/surface.h).

#include "allclear/distance/convex_cover.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/cover/cells.h"
#include "allclear/distance/cover/cut.h"
#include "allclear/distance/cover/enclosure.h"
#include "allclear/distance/cover/shell_cover.h"
#include "allclear/distance/fit/capsule_search.h"
#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/mesh/topology.h"

namespace allclear {
namespace {

using cover::Cell;
using cover::CellCorner;
using cover::CoverCuts;
using cover::CoveredParts;
using cover::Cut;
using cover::cutAxes;
using cover::Heights;
using cover::scoredCuts;
using fitting::Plane;
using fitting::Surface;

/// Number of scored cuts whose hulls are made.
constexpr std::size_t kExact = 3;
/// The hull of more corners is estimated from the extreme ones in `kExtremeDirections` directions.
constexpr std::size_t kManyCorners = 600;
constexpr int kExtremeDirections = 100;
/// Of the mesh's hull: when no cut gains more, cuts through the middle are tried.
constexpr double kPoor = 0.05;
/// One cell and the surface inside it.
struct Part : Cell {
  double volume = 0.0;  ///< of the surface's hull [m^3]
};

/// Volume of the hull of a surface [m^3]; for many corners that of the extreme ones, a little less.
double hullVolume(const Surface& surface) {
  if (surface.corners.size() <= kManyCorners) return convexHull(surface.corners).volume;
  std::vector<Vec3> extreme;
  for (int i : fitting::extremePoints(surface.corners, kExtremeDirections)) {
    extreme.push_back(surface.corners[i]);
  }
  return convexHull(extreme).volume;
}

/// Volume of a closed mesh [m^3].
double solidVolume(const TriangleMesh& mesh) {
  const Vec3& origin = mesh.vertices()[0];
  double sixfold = 0.0;
  for (const Triangle& t : mesh.triangles()) {
    const Vec3 a = mesh.vertices()[t[0]] - origin, b = mesh.vertices()[t[1]] - origin;
    sixfold += a.dot(b.cross(mesh.vertices()[t[2]] - origin));
  }
  return sixfold / 6.0;
}

Part cutOff(const Part& part, const Plane& plane) {
  throwIfStopped();
  Part below{cellBelow(part, plane)};
  // An empty part has no volume, and makes the cut worthless.
  if (below.surface.size() > 0) below.volume = hullVolume(below.surface);
  return below;
}

/// A part, and the best way found to cut it in two.
struct Candidate {
  Part part;
  double gain = 0.0;  ///< volume that the cut saves, a share of it when several cuts save together
  std::optional<std::pair<Part, Part>> halves;
  bool looked_ahead = false;

  explicit Candidate(Part p) : part(std::move(p)) { findCut(); }

  void findCut() {
    const std::vector<Cut> cuts = scoredCuts(part.surface);
    tryBest(cuts, false);
    tryBest(cuts, true);
  }

  /// Where no cut promises anything (a ring, a cup), cuts through the middle are tried, each judged
  /// by what it saves, or by a third of what it saves with the best such cuts of its two halves.
  void lookAhead() {
    for (auto& [below, above] : middleCuts(part)) {
      const double saved = part.volume - below.volume - above.volume;
      const double share = std::max(saved, (saved + middleGain(below) + middleGain(above)) / 3.0);
      if (share <= gain) continue;
      gain = share;  // for each of the three cuts
      halves.emplace(std::move(below), std::move(above));
    }
  }

  /// The part's halves on either side of the planes through its middle.
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
      // A plane that leaves all of the surface on one side is no cut.
      const bool both = halves.first.surface.size() > 0 && halves.second.surface.size() > 0;
      if (both) cuts.push_back(std::move(halves));
    }
    return cuts;
  }

  /// The most that one cut through the middle saves.
  static double middleGain(const Part& part) {
    double best = 0.0;
    for (const auto& [below, above] : middleCuts(part)) {
      best = std::max(best, part.volume - below.volume - above.volume);
    }
    return best;
  }

  /// Makes the hulls of the best-scored cuts along one plane, or along two, and keeps the best cut.
  void tryBest(const std::vector<Cut>& cuts, bool twofold) {
    // The wanted kind first, by score.
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
        saved *= 0.5;  // for each of the two cuts
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

/// The convex piece of a cell: the hull of the surface in it and of its corners inside the solid.
ConvexMesh piece(const Part& part, const Surface& whole) {
  std::vector<Vec3> points = part.surface.corners;
  for (const CellCorner& corner : cornersOf(part)) {
    throwIfStopped();
    const bool is_inside = std::abs(fitting::windingNumber(whole, corner.beside)) > cover::kWinds;
    if (is_inside) points.push_back(corner.place);
  }
  return hullMesh(points);
}

/// The largest part that has not looked ahead yet, or null. Null also when the parts' hulls fit the
/// solid well, or the part is small. `solid` is the mesh's volume, 0 for an open mesh, which has
/// none: such a mesh looks ahead only before its first cut.
Candidate* partToLookAhead(std::vector<Candidate>& parts, double solid, double hull_volume) {
  constexpr double kHollow = 0.25;  // share of the parts' volume that is outside the solid
  constexpr double kLarge = 0.1;    // share of the mesh's hull
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

Part wholeOf(const TriangleMesh& mesh) {
  Part whole{cover::wholeCell(mesh)};
  whole.volume = hullVolume(whole.surface);
  return whole;
}

/// Covers a mesh as if all of it were closed.
std::vector<ConvexMesh> filledCover(const TriangleMesh& mesh, const ConvexCoverOptions& options,
                                    std::vector<CoverCuts::CellCut>* cuts) {
  Part whole = wholeOf(mesh);
  const Surface surface = whole.surface;
  const double hull_volume = whole.volume, least_gain = options.least_gain * hull_volume;
  const bool closed = whyNotClosed(mesh).empty();
  const double solid = closed ? solidVolume(mesh) : 0.0;
  // Nothing to gain by any cut: the mesh fills its hull.
  const bool is_convex = closed && convexHull(mesh.vertices()).volume - solid <= least_gain;
  if (is_convex || options.most_pieces < 2) return {hullMesh(mesh.vertices())};

  std::vector<Candidate> parts;
  parts.emplace_back(std::move(whole));
  while (static_cast<int>(parts.size()) < options.most_pieces) {
    Candidate* best =
        &*std::max_element(parts.begin(), parts.end(),
                           [](const Candidate& a, const Candidate& b) { return a.gain < b.gain; });
    // Before a poor cut is made, another part may have a better one hidden behind its middle.
    if (best->gain <= std::max(least_gain, kPoor * hull_volume)) {
      if (Candidate* const hollow = partToLookAhead(parts, solid, hull_volume)) {
        hollow->looked_ahead = true;
        hollow->lookAhead();
        continue;
      }
      if (best->gain <= least_gain) break;
    }
    std::pair<Part, Part> halves = std::move(*best->halves);
    cuts->push_back({static_cast<int>(best - parts.data()), halves.first.planes.back()});
    *best = Candidate(std::move(halves.first));
    parts.emplace_back(std::move(halves.second));
  }
  std::vector<ConvexMesh> pieces;
  for (const Candidate& candidate : parts) pieces.push_back(piece(candidate.part, surface));
  return pieces;
}

/// The mesh with triangles that agree with their neighbours and, where parts are closed, face
/// outward, whatever way they were given.
TriangleMesh turned(const TriangleMesh& mesh) {
  MeshTopology clean = cleaned(mesh.vertices(), mesh.triangles());
  return PreparedMesh::part(std::move(clean.vertices), std::move(clean.triangles));
}

}  // namespace

CoveredParts cover::coveredParts(const TriangleMesh& mesh) {
  const SolidAndShell& parts = solidAndShellOf(mesh);
  const bool is_fine = parts.is_solid && whyNotClosed(mesh).empty() && solidVolume(mesh) > 0.0;
  if (is_fine) return {mesh, {}, true};
  if (isFilled(mesh)) return {mesh, {}, false};
  if (parts.is_solid) return {turned(mesh), {}, true};
  if (parts.is_shell) return {{}, turned(mesh), true};
  return {parts.solid, parts.shell, true};
}

std::vector<ConvexMesh> cover::tracedCover(const TriangleMesh& mesh,
                                           const ConvexCoverOptions& options, CoverCuts* cuts) {
  *cuts = {};
  const CoveredParts parts = coveredParts(mesh);
  // One piece for surfaces is the hull of everything.
  if (options.most_pieces < 2 && (parts.shell || solidAndShellOf(mesh).solid)) {
    return {hullMesh(mesh.vertices())};
  }
  // Both kinds share the pieces.
  ConvexCoverOptions half = options;
  if (parts.solid && parts.shell) half.most_pieces = options.most_pieces / 2;
  std::vector<ConvexMesh> pieces;
  if (parts.solid) pieces = filledCover(*parts.solid, half, &cuts->cells);
  if (parts.shell) {
    for (ConvexMesh& piece : shellCover(*parts.shell, half, &cuts->sheets)) {
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

std::vector<ConvexMesh> convexCover(const TriangleMesh& mesh, const ConvexCoverOptions& options) {
  cover::CoverCuts ignored;
  return cover::tracedCover(mesh, options, &ignored);
}

}  // namespace allclear
