#pragma once

#include <limits>
#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/motion.h"

namespace allclear {

/// Two pieces over the whole duration.
struct PieceCover {
  int pair = -1;  ///< index into `CertifiedGeometry::pairs`
  PieceIndex a, b;
  double margin = 0.0;
  std::vector<CoverCell> cells;                            ///< consecutive, from 0 to the duration
  double least = std::numeric_limits<double>::infinity();  ///< distance met [m]
  double t_least = 0.0;                                    ///< and when
  bool surfaces_meet = false;                              ///< of meshes as they are

  /// Least of the cells' bounds.
  double lower() const;
  bool isClear() const { return lower() >= margin; }
};

/// What is known of all pairs that move.
struct Cover {
  std::vector<PieceCover> pieces;
  Interval minimum{std::numeric_limits<double>::infinity(),
                   std::numeric_limits<double>::infinity()};  ///< of the least distance of all [m]
  int closest = -1;  ///< index into `pieces` of the pair that has `minimum.upper`

  bool isClear() const;
};

/// Covers [0, T] for every pair of bodies by branch and bound in time: by the hulls of the two or,
/// where these come too near, by solids that follow them more closely, at last by the meshes
/// themselves; for each pair of these first
/// until each cell's bound reaches its margin (or an instant below the margin is met), then until
/// the least distance of all is bracketed.
Cover coverPairs(const CertifiedGeometry& geometry, const CoverOptions& options,
                 CertifiedMotion& motion);

/// Taken off every bound, so that another machine's rounding reaches it as well [m].
inline constexpr double kCoverPadding = 1e-9;

}  // namespace allclear
