#pragma once

#include <limits>
#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/motion.h"

namespace allclear {

/// The proof for two pieces over the whole duration, and the nearest that they were seen.
struct PieceCover {
  int pair = -1;  ///< index into `CertifiedGeometry::pairs`
  PieceIndex a, b;
  double margin = 0.0;           ///< [m]; below zero where the two touch at a contact
  EndRelief relief;              ///< of it near the ends
  std::vector<CoverCell> cells;  ///< consecutive, from 0 to the duration
  /// Upper bound [m] of the least distance: that of some instant evaluated.
  double least = std::numeric_limits<double>::infinity();
  double t_least = 0.0;  ///< that instant [s]
  /// The least seen of the distance beyond the margin and what may stray [m], and its instant [s].
  double least_room = std::numeric_limits<double>::infinity();
  double t_room = 0.0;
  bool surfaces_meet = false;  ///< exact meshes: they touch or overlap at some instant
  bool is_clear = false;       ///< proven: every cell's bound reaches the margin and what may stray

  /// The least of the cells' bounds: a lower bound of the distance at every instant [m].
  double lower() const;
  bool isClear() const { return is_clear; }
  /// Of these neither the least distance nor the ranking tells anything: they have no margin.
  bool touchesAtContact() const { return margin < 0.0; }
};

/// Where a pair comes nearest to its margin (`RankedPair`).
struct PairRank {
  int pair = -1;  ///< index into `CertifiedGeometry::pairs`
  Interval distance;
  double margin = 0.0;
  double t = 0.0;
};

/// The proof for all pairs that move.
struct Cover {
  std::vector<PieceCover> pieces;
  Interval minimum{std::numeric_limits<double>::infinity(),
                   std::numeric_limits<double>::infinity()};  ///< of the least distance of all [m]
  int closest = -1;               ///< index into `pieces` of the pair that has `minimum.upper`
  std::vector<PairRank> ranking;  ///< of a clear cover: those with the least slack, in order

  bool isClear() const;
};

/// Covers [0, duration] with cells for every pair of bodies that move relative to each other, by
/// branch and bound in time. Each pair is tried at the coarsest fidelity first (refineUntil), until
/// each cell's bound reaches the pair's margin. Then the least distance of all pairs is bracketed
/// to `tolerance` [m], more coarsely when a pair was refused; and, where none was, the pairs with
/// the least slack to their margins are ranked (ranking.h).
Cover coverPairs(const CertifiedGeometry& geometry, double tolerance, const CoverOptions& options,
                 CertifiedMotion& motion);

/// Subtracted from every bound [m], so that a checker on another machine, whose rounding differs,
/// reaches the bound as well. Not needed for truth: `CertifiedMotion::lowerBound` has its own
/// rounding in its errors, and a checker that reaches a claim without any padding proves it. A
/// bound is a sum of some twenty products of lengths up to 10 m: its rounding is below 1e-13 m, ten
/// thousand times less than the padding; and the padding is a hundred thousandth of the default
/// tolerance, so that no plan is refused for it.
inline constexpr double kCoverPadding = 1e-9;

}  // namespace allclear
