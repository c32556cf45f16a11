#pragma once

#include <limits>
#include <vector>

#include "allclear/planner/certificate_motion.h"

namespace allclear {

/// During `time` the signed distance is at least `lower` [m]: so much room there is along `normal`.
/// (Of meshes as they are the normal is that of the closest instant, and proves nothing.)
struct CoverCell {
  Interval time;
  double lower = -std::numeric_limits<double>::infinity();
  Vec3 normal = Vec3::UnitX();
};

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

struct CoverOptions {
  double tolerance = 1e-4;          ///< wanted width of the bracket of the least distance [m]
  double shortest_cell = 1e-6;      ///< [s]: nothing moves farther meanwhile than rounding matters
  int evaluations_per_pair = 5000;  ///< to decide one pair of pieces
  int evaluations_of_minimum = 20000;  ///< to bracket the least distance of all
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
