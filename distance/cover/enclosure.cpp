// Does a cover enclose its mesh? The question is asked of covers that were not made here but read:
// nothing in them is trusted.
//
// Solids. Any sequence of planes divides space into convex cells. Let S be the solid and C a cell.
// The extreme points of the hull of S and C's common part are points of the surface in C, or
// corners of C that are in S: a piece that holds all of these encloses it. So the cells are cut
// again by the cuts that came with the cover, and each piece has to hold the surface in its cell
// and those corners. Wrong cuts give other cells, of which the pieces hold less: they can only
// lose, not deceive. (Planes are to be unit, as the corners of cells are found with that.)
//
// Surfaces. A convex piece that holds the corners of a polygon holds all of it. A triangle that no
// piece holds is cut by the planes that came with the cover, one after the other, until pieces hold
// all of its parts.
//
// A piece holds a point when some mean of the piece's corners, with weights that are not negative,
// is the point, to `kOutside`: the search for the nearest point (convex/gjk.h) proposes weights,
// and the mean is computed anew.
//
// Whether a corner of a cell is in the solid: of a closed surface, by the signed crossings of a
// ray, which are its winding number. Triangles whose box the ray does not meet are skipped, and
// where the ray comes near an edge the crossings do not decide: then solid angles do, as for
// surfaces with rims. The ray is oblique: planes along the axes, in which corners of cells lie,
// hold edges.
#include "allclear/distance/cover/enclosure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/convex/gjk.h"
#include "allclear/distance/cover/cells.h"

namespace allclear::cover {
namespace {

using fitting::Plane;
using fitting::Surface;

/// A plane's normal is unit to this: rounding of a product of few factors.
constexpr double kUnit = 1e-9;
/// Of the areas that it is compared with: a ray this near to an edge does not decide. Above their
/// rounding, some 1e-15.
constexpr double kNearEdge = 1e-9;
/// Turns the ray into the x axis: any rotation that takes no axis or diagonal of a mesh to another.
const Mat3 kTurn = Eigen::AngleAxisd(1.0, Vec3(1.0, 2.0, 3.5).normalized()).toRotationMatrix();
/// Trial normals for the nearest point: when rounding in a flat simplex spoils one search, another
/// one goes along other corners.
const std::array<Vec3, 3> kTrials{Vec3(0.48, 0.6, 0.64), Vec3(-0.6, 0.64, -0.48),
                                  Vec3(0.64, -0.48, 0.6)};

double diagonalOf(const TriangleMesh& mesh) {
  Vec3 lower = mesh.vertices().front(), upper = lower;
  for (const Vec3& p : mesh.vertices()) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  return (upper - lower).norm();
}

/// A convex piece that is asked which points it holds.
class Holder {
 public:
  Holder(const ConvexMesh& piece, double tolerance)
      : core_(coreOf(piece)), tolerance_(tolerance), lower_(piece.points()[0]), upper_(lower_) {
    for (const Vec3& p : piece.points()) {
      lower_ = lower_.cwiseMin(p);
      upper_ = upper_.cwiseMax(p);
    }
    lower_.array() -= tolerance;
    upper_.array() += tolerance;
    for (const Vec3& p : piece.points()) corners_.insert(p);
  }

  bool holds(const Vec3& p) const {
    if (!((p.array() >= lower_.array()).all() && (p.array() <= upper_.array()).all())) return false;
    return corners_.count(p) > 0 || isMean(p);
  }

 private:
  struct Hash {
    std::size_t operator()(const Vec3& p) const {
      std::uint64_t bits[3], hash = 0xcbf29ce484222325ULL;
      std::memcpy(bits, p.data(), sizeof bits);
      for (std::uint64_t b : bits) hash = (hash ^ b ^ b >> 31) * 0x9e3779b97f4a7c15ULL;
      return hash ^ hash >> 32;
    }
  };

  /// Whether p is a mean of the piece's corners.
  bool isMean(const Vec3& p) const {
    const CorePair pair(ConvexCore{}, {Mat3::Identity(), p}, core_, Pose{});
    GjkOptions options;
    options.enough = tolerance_;
    for (const Vec3& trial : kTrials) {
      const GjkResult nearest = gjk(pair, trial, options);
      if (nearest.lower > tolerance_) return false;  // beyond a plane that the piece is behind
      Vec3 mean = Vec3::Zero();
      double sum = 0.0;
      bool is_mean = nearest.size > 0;
      for (int i = 0; i < nearest.size; ++i) {
        is_mean = is_mean && nearest.weight[i] >= 0.0;
        mean += nearest.weight[i] * nearest.simplex[i].b;
        sum += nearest.weight[i];
      }
      // In the frame of the pair the point is the origin.
      if (is_mean && sum > 0.0 && (mean / sum).norm() <= tolerance_) return true;
    }
    return false;
  }

  ConvexCore core_;
  double tolerance_;
  Vec3 lower_, upper_;
  std::unordered_set<Vec3, Hash> corners_;
};

/// Tells which points are inside of a surface.
class Inside {
 public:
  Inside(const TriangleMesh& mesh, const Surface& surface, bool is_closed)
      : surface_(surface), is_closed_(is_closed) {
    for (const Triangle& t : mesh.triangles()) {
      Turned turned{kTurn * mesh.vertices()[t[0]], kTurn * mesh.vertices()[t[1]],
                    kTurn * mesh.vertices()[t[2]], Vec3::Zero(), Vec3::Zero()};
      turned.lower = turned.a.cwiseMin(turned.b).cwiseMin(turned.c);
      turned.upper = turned.a.cwiseMax(turned.b).cwiseMax(turned.c);
      triangles_.push_back(turned);
    }
  }

  bool holds(const Vec3& p) const {
    if (const auto count = crossings(kTurn * p)) return *count != 0;
    return std::abs(fitting::windingNumber(surface_, p)) > kWinds;
  }

 private:
  struct Turned {
    Vec3 a, b, c;
    Vec3 lower, upper;
  };

  /// Of the ray from p along x, in the turned frame, with triangles that face either way; nothing
  /// when it is too near to an edge, or p to a triangle, to tell.
  std::optional<int> crossings(const Vec3& p) const {
    if (!is_closed_) return std::nullopt;
    int count = 0;
    for (const Turned& t : triangles_) {
      if (p.y() < t.lower.y() || p.y() > t.upper.y() || p.z() < t.lower.z() ||
          p.z() > t.upper.z() || p.x() > t.upper.x()) {
        continue;
      }
      // Areas, seen along x, of the triangles between p and each edge.
      const Vec3 a = t.a - p, b = t.b - p, c = t.c - p;
      const auto area = [](const Vec3& u, const Vec3& v) { return u.y() * v.z() - u.z() * v.y(); };
      const double ab = area(a, b), bc = area(b, c), ca = area(c, a);
      const Vec3 size = t.upper - t.lower;
      const double least = kNearEdge * (size.y() + size.z()) * (size.y() + size.z());
      if (!(std::min({std::abs(ab), std::abs(bc), std::abs(ca)}) > least)) return std::nullopt;
      const bool out = ab > 0.0 && bc > 0.0 && ca > 0.0, in = ab < 0.0 && bc < 0.0 && ca < 0.0;
      if (!out && !in) continue;
      const double x = (bc * a.x() + ca * b.x() + ab * c.x()) / (ab + bc + ca);
      if (!(std::abs(x) > kNearEdge * size.norm())) return std::nullopt;
      if (x > 0.0) count += out ? 1 : -1;
    }
    return count;
  }

  const Surface& surface_;
  bool is_closed_;
  std::vector<Turned> triangles_;
};

bool isUnit(const Plane& plane) {
  return std::abs(plane.normal.squaredNorm() - 1.0) <= kUnit && std::isfinite(plane.offset);
}

bool holdsSurface(const Holder& piece, const Surface& surface) {
  // Neighbours have corners in common: each is asked about once, if it comes again soon.
  constexpr std::size_t kRemembered = 64;
  std::array<Vec3, kRemembered> last;
  last.fill(Vec3::Constant(std::nan("")));
  StopSteps steps;
  for (std::size_t i = 0; i < surface.corners.size(); ++i) {
    steps.step();
    const Vec3& p = surface.corners[i];
    if (std::find(last.begin(), last.end(), p) != last.end()) continue;
    if (!piece.holds(p)) return false;
    last[i % kRemembered] = p;
  }
  return true;
}

/// Whether the pieces, one for each cell, enclose a solid.
bool enclosesSolid(const TriangleMesh& solid, bool is_closed, std::span<const Holder> pieces,
                   const std::vector<CoverCuts::CellCut>& cuts) {
  std::vector<Cell> cells{wholeCell(solid)};
  const Surface whole = cells[0].surface;
  for (const CoverCuts::CellCut& cut : cuts) {
    if (cut.cell < 0 || cut.cell >= static_cast<int>(cells.size()) || !isUnit(cut.plane)) {
      return false;
    }
    Cell above = cellBelow(cells[cut.cell], cut.plane.flipped());
    cells[cut.cell] = cellBelow(cells[cut.cell], cut.plane);
    cells.push_back(std::move(above));
  }
  if (cells.size() != pieces.size()) return false;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!holdsSurface(pieces[i], cells[i].surface)) return false;
  }
  if (cuts.empty()) return true;  // one convex piece holds the surface, and so what is inside
  const Inside inside(solid, whole, is_closed);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (const CellCorner& corner : cornersOf(cells[i])) {
      throwIfStopped();
      if (!pieces[i].holds(corner.place) && inside.holds(corner.beside)) return false;
    }
  }
  return true;
}

/// Whether pieces hold a polygon, each all of it or all of a part that planes from number `next` on
/// cut off.
bool holdPolygon(std::span<const Holder> pieces, const Surface& polygon,
                 const std::vector<Plane>& planes, std::size_t next, double thickness) {
  const auto holds = [&](const Holder& piece) {
    return std::all_of(polygon.corners.begin(), polygon.corners.end(),
                       [&](const Vec3& p) { return piece.holds(p); });
  };
  if (std::any_of(pieces.begin(), pieces.end(), holds)) return true;
  for (std::size_t k = next; k < planes.size(); ++k) {
    Heights heights;
    for (const Vec3& p : polygon.corners) heights.add(planes[k].height(p));
    if (!(heights.lower < -thickness && heights.upper > thickness)) continue;
    return holdPolygon(pieces, polygon.below(planes[k]), planes, k + 1, thickness) &&
           holdPolygon(pieces, polygon.below(planes[k].flipped()), planes, k + 1, thickness);
  }
  return false;
}

bool enclosesShell(const TriangleMesh& shell, std::span<const Holder> pieces,
                   const std::vector<Plane>& planes) {
  double size = 0.0;
  for (const Vec3& p : shell.vertices()) size = std::max(size, p.cwiseAbs().maxCoeff());
  StopSteps steps;
  for (const Triangle& t : shell.triangles()) {
    steps.step();
    const Vec3 corners[] = {shell.vertices()[t[0]], shell.vertices()[t[1]], shell.vertices()[t[2]]};
    Surface polygon;
    polygon.add(corners);
    if (!holdPolygon(pieces, polygon, planes, 0, kThickness * size)) return false;
  }
  return true;
}

}  // namespace

bool encloses(const TriangleMesh& mesh, const std::vector<ConvexMesh>& pieces,
              const CoverCuts& cuts) {
  if (!std::all_of(cuts.sheets.begin(), cuts.sheets.end(), isUnit)) return false;
  const double tolerance = kOutside * diagonalOf(mesh);
  std::vector<Holder> holders;
  holders.reserve(pieces.size());
  for (const ConvexMesh& piece : pieces) holders.emplace_back(piece, tolerance);
  const CoveredParts parts = coveredParts(mesh);
  const std::size_t cells = parts.solid ? cuts.cells.size() + 1 : 0;
  if (holders.size() < cells || (parts.shell && holders.size() == cells)) return false;
  const std::span<const Holder> all(holders);
  if (parts.solid && !enclosesSolid(*parts.solid, parts.is_closed, all.first(cells), cuts.cells)) {
    return false;
  }
  return !parts.shell || enclosesShell(*parts.shell, all.subspan(cells), cuts.sheets);
}

}  // namespace allclear::cover
