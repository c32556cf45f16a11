#pragma once

#include <vector>

#include "allclear/planner/certificate/cover.h"

namespace allclear {

/// A distance [m] that the planned motion has at t [s]; infinite: none was looked at.
struct Sighting {
  double distance = std::numeric_limits<double>::infinity();
  double t = 0.0;
};

/// A search between exact meshes takes about as long as a hundred evaluations of convex pieces. It
/// counts as so many, so that a budget of evaluations is about a budget of time.
inline constexpr int kSurfaceCost = 100;

/// Improves cells of a cover, one at a time: what the searches for a proof, for the least distance
/// and for the widest tube share.
class CellSearch {
 public:
  /// `tolerance` [m] of the distances between exact meshes. Borrows `motion`.
  CellSearch(double tolerance, const CoverOptions& options, CertifiedMotion& motion)
      : tolerance_(tolerance), options_(options), motion_(motion) {}

  CertifiedMotion& motion() const { return motion_; }

  /// What a bound during `time` has to reach: the margin, and what may stray [m].
  double demand(const PieceCover& piece, Interval time) const;

  /// Whether all cells reach what they have to.
  bool isProven(const PieceCover& piece) const;

  /// Every piece of one body of a pair (of index `index`) against every piece of the other, without
  /// cells. The pieces of a body enclose it together, so the bodies keep their margin when every
  /// two pieces do.
  std::vector<PieceCover> piecesOf(int index, const CertifiedPair& pair,
                                   MeshFidelity fidelity) const;

  /// The cells that a search starts with, the first of them last (on top of the stack).
  std::vector<CoverCell> firstCells(bool surfaces) const;

  /// Improves the cell's bound, and the least distance seen, which it also returns. Stops early at
  /// `target`.
  Sighting evaluate(PieceCover* piece, CoverCell* cell, double target) const;

  /// Both halves inherit the bound: it holds at every instant of the cell.
  void split(const CoverCell& cell, CoverCell* first, CoverCell* second) const;

  bool isShort(const CoverCell& cell) const { return cell.time.length() <= options_.shortest_cell; }

 private:
  Sighting evaluateSurfaces(PieceCover* piece, CoverCell* cell, double target) const;
  Sighting evaluateSolids(PieceCover* piece, CoverCell* cell) const;
  Sighting see(PieceCover* piece, double distance, double t) const;
  double splitTime(Interval time) const;

  const double tolerance_;
  const CoverOptions& options_;
  CertifiedMotion& motion_;
};

}  // namespace allclear
