// Covers the duration with cells of time, each with a proven lower bound of a pair's distance.
//
// Idea. For one cell of time and one direction n, `CertifiedMotion::lowerBound` proves a bound of
// the distance at every instant of the cell. The direction that proves most is the normal of the
// closest points at about the middle of the cell. A bound over a long cell is loose, because the
// bodies turn and the normal with them; halving the cell makes it tight. So there are two searches:
//
// 1. `decide`, per pair of pieces: halve the cells (first half first) until each bound reaches the
//    margin, or an instant is found where the distance is below it. That refutes these pieces;
//    finer ones, which enclose the bodies more closely, may still be clear (`coverPair`).
// 2. `bracketMinimum`, over all pairs at once: best first, halve the cell with the least bound
//    until it is within the tolerance of the least distance seen.
//
// Of a clear motion `rankPairs` (ranking.cpp) then says which pairs come nearest to their margins.
//
// Symbols. lower: proven bound of the distance during a cell. least: the least distance seen at any
// instant evaluated. target: what a bound has to reach for the cell to be done.
//
// Invariants. The cells of a pair always cover the whole duration without a gap: a cell is only
// ever replaced by two halves. A cell's `lower` never decreases, and it is a true bound from the
// start (-infinity), so the searches may stop anywhere.

#include "allclear/planner/certificate/cover.h"

#include <algorithm>
#include <queue>

#include "allclear/core/extremes.h"
#include "allclear/planner/certificate/cell_search.h"
#include "allclear/planner/certificate/fidelity.h"
#include "allclear/planner/certificate/ranking.h"
#include "allclear/planner/certificate/relief.h"
#include "allclear/planner/certificate/tube.h"

namespace allclear {
namespace {

/// Width [m] of the bracket of the least distance when a pair is refused: the message gives the
/// depth in mm with a few digits, which is enough to find the fault.
constexpr double kToleranceWhenRefused = 1e-3;

/// Proofs tried with longer and longer stretches near the ends: the first begins where the distance
/// at the cells' bounds reaches the margin, and between two of them it seldom falls again.
constexpr int kReliefTrials = 4;

class CoverSearch {
 public:
  CoverSearch(const CertifiedGeometry& geometry, double tolerance, const CoverOptions& options,
              CertifiedMotion& motion)
      : geometry_(geometry),
        tolerance_(tolerance),
        options_(options),
        motion_(motion),
        cells_(tolerance, options, motion) {}

  Cover run() {
    for (int p = 0; p < static_cast<int>(geometry_.pairs.size()); ++p) {
      if (!geometry_.pairs[p].fixed) coverPair(p);
    }
    // Before the bracket: the tube may put finer solids in place of others, and the least distance
    // is to be that of the solids that stay.
    if (options_.widest_tube && cover_.isClear()) {
      widenTube(geometry_, options_, cells_, &cover_);
    }
    bracketMinimum();
    if (cover_.isClear()) {
      rankPairs(geometry_, tolerance_, cells_, &cover_);
      cover_.minimum.upper = std::min(cover_.minimum.upper, leastSeen());
      findClosest();
    }
    for (PieceCover& piece : cover_.pieces) {
      std::sort(piece.cells.begin(), piece.cells.end(),
                [](const CoverCell& x, const CoverCell& y) { return x.time.lower < y.time.lower; });
      piece.is_clear = cells_.isProven(piece);
    }
    return std::move(cover_);
  }

 private:
  /// Decides a pair at the coarsest fidelity that proves its margin; if none does, keeps the proof
  /// of the finest.
  void coverPair(int p) {
    const CertifiedPair& pair = geometry_.pairs[p];
    std::vector<PieceCover> best;
    int solids = 0;  // pairs of pieces at the level before
    refineUntil([&](MeshFidelity fidelity) {
      const int count =
          motion_.ensurePieces(pair.a, fidelity) * motion_.ensurePieces(pair.b, fidelity);
      // A level that cuts neither body into more pieces is the level before: nothing to gain.
      const bool is_finer =
          fidelity == MeshFidelity::kSurface ? haveSurfaces(pair) : count > solids;
      if (!is_finer) return false;
      solids = count;
      std::vector<PieceCover> pieces = decideWithRelief(p, fidelity);
      // Where exact meshes overlap, their bound of the depth is coarse. The convex pieces tell it
      // better, so their cells (which refute the pair as well) stay; but only if the meshes overlap
      // where the pieces do, or the verdict would name an instant at which the bodies are apart.
      const bool meet = std::any_of(pieces.begin(), pieces.end(),
                                    [](const PieceCover& piece) { return piece.surfaces_meet; });
      if (!meet || !overlapWhereSeen(pair, best)) best = std::move(pieces);
      return std::all_of(best.begin(), best.end(),
                         [](const PieceCover& piece) { return piece.isClear(); });
    });
    for (PieceCover& piece : best) cover_.pieces.push_back(std::move(piece));
  }

  /// Whether the exact bodies touch or overlap where these pieces were seen nearest.
  bool overlapWhereSeen(const CertifiedPair& pair, const std::vector<PieceCover>& pieces) {
    const auto nearest = std::min_element(
        pieces.begin(), pieces.end(),
        [](const PieceCover& x, const PieceCover& y) { return x.least < y.least; });
    return nearest != pieces.end() &&
           motion_.bodyDistanceAt(pair.a, pair.b, nearest->t_least, MeshFidelity::kSurface) <= 0.0;
  }

  /// Whether the finest level has exact meshes: a pair of primitives, or of filled ones, has none.
  bool haveSurfaces(const CertifiedPair& pair) {
    constexpr MeshFidelity kSurface = MeshFidelity::kSurface;
    for (int i = 0; i < motion_.ensurePieces(pair.a, kSurface); ++i) {
      for (int j = 0; j < motion_.ensurePieces(pair.b, kSurface); ++j) {
        const PieceIndex a{pair.a, i, kSurface}, b{pair.b, j, kSurface};
        // A cloud is the same at every level: the other body decides.
        if (motion_.haveCloud(a, b) ? motion_.isMesh(a) : motion_.areSurfaces(a, b)) return true;
      }
    }
    return false;
  }

  /// The proof with the shortest stretches near the ends that leads to one; where the pair keeps
  /// its margin there, with none. Stretches end at bounds of the motion's cells.
  std::vector<PieceCover> decideWithRelief(int p, MeshFidelity fidelity) {
    const ReliefSearch search(geometry_.pairs[p], fidelity, motion_);
    std::vector<PieceCover> pieces;
    for (int trial = 0; trial < kReliefTrials; ++trial) {
      const std::optional<EndRelief> relief = search.stretches(trial);
      if (!relief) break;
      pieces = decideAll(p, fidelity, *relief);
      const bool is_clear = std::all_of(pieces.begin(), pieces.end(),
                                        [](const PieceCover& piece) { return piece.isClear(); });
      if (is_clear || !relief->isNeeded()) break;
    }
    return pieces;
  }

  /// Every piece of one body against every piece of the other.
  std::vector<PieceCover> decideAll(int p, MeshFidelity fidelity, const EndRelief& relief) {
    std::vector<PieceCover> pieces = cells_.piecesOf(p, geometry_.pairs[p], fidelity);
    for (PieceCover& piece : pieces) {
      piece.relief = relief;
      decide(&piece);
    }
    return pieces;
  }

  /// Halves cells until each bound reaches the margin, or the pair is refuted or too expensive.
  void decide(PieceCover* piece) {
    const bool surfaces = motion_.areSurfaces(piece->a, piece->b);
    std::vector<CoverCell> open = cells_.firstCells(surfaces);
    for (int evaluations = 0; !open.empty(); ++evaluations) {
      CoverCell cell = open.back();
      open.pop_back();
      const double demand = cells_.demand(*piece, cell.time);
      cells_.evaluate(piece, &cell, demand);
      // Between exact meshes a depth is coarse, so contact alone ends the search.
      const bool is_coarse = surfaces && !motion_.haveCloud(piece->a, piece->b);
      const bool refuted = is_coarse ? piece->surfaces_meet : piece->least_room < 0.0;
      const bool stop = refuted || evaluations >= options_.evaluations_per_pair;
      if (cell.lower >= demand || stop || surfaces || cells_.isShort(cell)) {
        piece->cells.push_back(cell);
        if (stop) break;
      } else {
        CoverCell first, second;
        cells_.split(cell, &first, &second);
        open.push_back(second);
        open.push_back(first);
      }
    }
    // What was not evaluated stays with the bound that it has, so that no instant is left out.
    piece->cells.insert(piece->cells.end(), open.begin(), open.end());
    piece->is_clear = cells_.isProven(*piece);
  }

  struct OpenCell {
    int piece;
    CoverCell cell;
    /// A priority queue gives its greatest entry: here the cell with the least bound.
    bool operator<(const OpenCell& other) const { return cell.lower > other.cell.lower; }
  };
  using CellQueue = std::priority_queue<OpenCell>;

  double leastSeen() const {
    double least = std::numeric_limits<double>::infinity();
    for (const PieceCover& piece : cover_.pieces) {
      if (!piece.touchesAtContact()) least = std::min(least, piece.least);
    }
    return least;
  }

  /// Moves the cells of all pairs, but of those that touch at a contact, into one queue.
  CellQueue takeCells() {
    CellQueue queue;
    for (std::size_t p = 0; p < cover_.pieces.size(); ++p) {
      if (cover_.pieces[p].touchesAtContact()) continue;
      for (const CoverCell& cell : cover_.pieces[p].cells) queue.push({static_cast<int>(p), cell});
      cover_.pieces[p].cells.clear();
    }
    return queue;
  }

  /// Brackets the least distance of all pairs: halves the cell with the least bound until that
  /// bound is within the tolerance of the least distance seen. The bracket is then [least bound of
  /// all cells, least distance seen].
  void bracketMinimum() {
    const double tolerance =
        cover_.isClear() ? tolerance_ : std::max(tolerance_, kToleranceWhenRefused);
    double least = leastSeen();
    // The cell on top has the least bound of all, so that bound is the lower end of the bracket:
    // only dividing this cell can raise it.
    CellQueue open = takeCells();
    int evaluations = 0;
    while (!open.empty() && open.top().cell.lower < least - tolerance &&
           evaluations < options_.evaluations_of_minimum && !cells_.isShort(open.top().cell)) {
      const OpenCell top = open.top();
      open.pop();
      CoverCell halves[2];
      cells_.split(top.cell, &halves[0], &halves[1]);
      PieceCover& piece = cover_.pieces[top.piece];
      for (CoverCell& half : halves) {
        // A bound above `least - tolerance` cannot hold up the bracket any more; one below the
        // margin would leave the pair unproven.
        cells_.evaluate(&piece, &half,
                        std::max(least - tolerance, cells_.demand(piece, half.time)));
        least = std::min(least, piece.least);
        open.push({top.piece, half});
        evaluations += motion_.areSurfaces(piece.a, piece.b) ? kSurfaceCost : 1;
      }
    }
    if (open.empty()) return;
    cover_.minimum = {open.top().cell.lower, least};
    for (; !open.empty(); open.pop()) {
      cover_.pieces[open.top().piece].cells.push_back(open.top().cell);
    }
    findClosest();
  }

  void findClosest() {
    cover_.closest = -1;
    for (std::size_t p = 0; p < cover_.pieces.size(); ++p) {
      if (cover_.pieces[p].touchesAtContact()) continue;
      const bool is_closest =
          cover_.closest < 0 || cover_.pieces[p].least < cover_.pieces[cover_.closest].least;
      if (is_closest) cover_.closest = static_cast<int>(p);
    }
  }

  const CertifiedGeometry& geometry_;
  const double tolerance_;
  const CoverOptions& options_;
  CertifiedMotion& motion_;
  const CellSearch cells_;
  Cover cover_;
};

}  // namespace

double PieceCover::lower() const {
  double bound = std::numeric_limits<double>::infinity();
  for (const CoverCell& cell : cells) bound = lowered(bound, cell.lower);
  return bound;
}

bool Cover::isClear() const {
  return std::all_of(pieces.begin(), pieces.end(),
                     [](const PieceCover& piece) { return piece.isClear(); });
}

Cover coverPairs(const CertifiedGeometry& geometry, double tolerance, const CoverOptions& options,
                 CertifiedMotion& motion) {
  return CoverSearch(geometry, tolerance, options, motion).run();
}

}  // namespace allclear
