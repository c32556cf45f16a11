// Bounds of one cell of time, by boxes, by the room along one direction, or between exact meshes by
// a search of its own; and where to divide a cell.
#include "allclear/planner/certificate/cell_search.h"

#include <algorithm>

#include "allclear/core/stop_scope.h"

namespace allclear {
namespace {

void raise(CoverCell* cell, double lower, const Vec3& normal) {
  if (lower > cell->lower) {
    cell->lower = lower;
    cell->normal = normal;
  }
}

}  // namespace

double CellSearch::demand(const PieceCover& piece, Interval time) const {
  const double allowance = motion_.allowance(piece.a, piece.b, time);
  // The padding is for a checker whose rounding differs, as that of the bounds themselves.
  const double margin = piece.relief.marginDuring(time, piece.margin);
  return allowance == 0.0 ? margin : margin + allowance + kCoverPadding;
}

bool CellSearch::isProven(const PieceCover& piece) const {
  return std::all_of(piece.cells.begin(), piece.cells.end(),
                     [&](const CoverCell& cell) { return cell.lower >= demand(piece, cell.time); });
}

/// Notes a distance that the planned motion has at some instant.
Sighting CellSearch::see(PieceCover* piece, double distance, double t) const {
  if (distance < piece->least) {
    piece->least = distance;
    piece->t_least = t;
  }
  const double room = distance - demand(*piece, {t, t});
  if (room < piece->least_room) {
    piece->least_room = room;
    piece->t_room = t;
  }
  return {distance, t};
}

std::vector<PieceCover> CellSearch::piecesOf(int index, const CertifiedPair& pair,
                                             MeshFidelity fidelity) const {
  const int count_a = motion_.ensurePieces(pair.a, fidelity);
  const int count_b = motion_.ensurePieces(pair.b, fidelity);
  std::vector<PieceCover> pieces;
  for (int i = 0; i < count_a; ++i) {
    for (int j = 0; j < count_b; ++j) {
      PieceCover piece;
      piece.pair = index;
      piece.a = {pair.a, i, fidelity};
      piece.b = {pair.b, j, fidelity};
      piece.margin = pair.margin;
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

std::vector<CoverCell> CellSearch::firstCells(bool surfaces) const {
  std::vector<CoverCell> cells(1);
  cells[0].time = {0.0, motion_.duration()};
  if (surfaces) {
    // The search between exact meshes takes one cell of the motion at a time and divides it
    // itself: its bound is as tight as asked for, so halving the cell would gain nothing.
    cells.resize(motion_.cells().size());
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i].time = motion_.cells().rbegin()[i];
  }
  return cells;
}

Sighting CellSearch::evaluate(PieceCover* piece, CoverCell* cell, double target) const {
  throwIfStopped();
  // Boxes along the world's axes are far cheaper than a distance, and enough for pairs that are
  // far apart.
  const CertifiedMotion::BoxGap gap = motion_.boxGap(piece->a, piece->b, cell->time);
  raise(cell, gap.distance - kCoverPadding, gap.normal);
  if (cell->lower >= target) return {};
  return motion_.areSurfaces(piece->a, piece->b) ? evaluateSurfaces(piece, cell, target)
                                                 : evaluateSolids(piece, cell);
}

/// Exact meshes: a certified search over the cell. The threshold is what the bound has to reach
/// before the paddings are subtracted; a quarter of the tolerance leaves the rest to the search
/// of the minimum over all pairs.
Sighting CellSearch::evaluateSurfaces(PieceCover* piece, CoverCell* cell, double target) const {
  const DistanceBracket bracket = motion_.surfaceBracket(
      piece->a, piece->b, cell->time, target + kSurfacePadding, 0.25 * tolerance_);
  raise(cell, bracket.lower - kSurfacePadding - kCoverPadding, bracket.normal);
  piece->surfaces_meet = piece->surfaces_meet || bracket.penetrating;
  return bracket.evaluated ? see(piece, bracket.upper, bracket.t_star) : Sighting{};
}

/// Convex pieces: the room along the normal of the closest points at the middle of the cell.
Sighting CellSearch::evaluateSolids(PieceCover* piece, CoverCell* cell) const {
  const double t = cell->time.middle();
  const SignedDistance at = motion_.distanceAt(piece->a, piece->b, t);
  // `distance` is what the normal proves at t; the true distance is at most `gap` more. An upper
  // bound is needed here, or a pair could be refuted that is clear.
  const Sighting seen = see(piece, at.distance + at.gap, t);
  // No direction proves more for the cell than for the instant t inside it.
  if (at.distance < cell->lower) return seen;
  raise(cell, motion_.lowerBound(piece->a, piece->b, at.normal, cell->time) - kCoverPadding,
        at.normal);
  return seen;
}

/// Where to divide a cell: at the boundary between two cells of the motion that is nearest to the
/// middle, else in the middle. A bound over whole cells of the motion needs no de Casteljau
/// steps, and a cell that reaches over a boundary is bounded by the worse of two polynomials.
double CellSearch::splitTime(Interval time) const {
  // `next` is the first cell that begins at or after the middle; the boundary nearest to the
  // middle is its beginning or that of the cell before.
  const auto& cells = motion_.cells();
  const auto next = std::lower_bound(cells.begin(), cells.end(), time.middle(),
                                     [](const Interval& c, double t) { return c.lower < t; });
  double best = time.middle();
  double offset = time.length();
  for (auto c = next == cells.begin() ? next : next - 1; c != cells.end() && c <= next; ++c) {
    const bool inside = c->lower > time.lower && c->lower < time.upper;
    if (inside && std::abs(c->lower - time.middle()) < offset) {
      best = c->lower;
      offset = std::abs(c->lower - time.middle());
    }
  }
  return best;
}

void CellSearch::split(const CoverCell& cell, CoverCell* first, CoverCell* second) const {
  *first = *second = cell;
  first->time.upper = second->time.lower = splitTime(cell.time);
}

}  // namespace allclear
