// Bounds of pairs that no single direction proves, exact meshes and clouds: from searches of their
// own over the motion's curves.
#include <algorithm>
#include <limits>

#include "allclear/core/extremes.h"
#include "allclear/distance/cloud.h"
#include "allclear/distance/minimum/mesh/mesh.h"
#include "allclear/distance/support.h"
#include "allclear/planner/certificate/motion.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

bool CertifiedMotion::haveCloud(PieceIndex a, PieceIndex b) const {
  return piece(a).cloud != nullptr || piece(b).cloud != nullptr;
}

bool CertifiedMotion::areSurfaces(PieceIndex a, PieceIndex b) const {
  const Piece &A = piece(a), &B = piece(b);
  if (haveCloud(a, b)) return !A.is_plane && !B.is_plane;
  if (A.body == nullptr || B.body == nullptr) return false;
  return std::holds_alternative<TriangleMesh>(A.geometry->shape) ||
         std::holds_alternative<TriangleMesh>(B.geometry->shape);
}

/// A still body has one curve for all cells.
BodyCurve CertifiedMotion::curveDuring(PieceIndex i, int c, Interval time) const {
  const auto& curves = solids_[static_cast<int>(i.fidelity)][i.body].curves;
  if (piece(i).is_still) return BodyCurve::still(curves[0].control[0], time);
  return curves[c].restricted(time);
}

/// One search per cell of the motion.
DistanceBracket CertifiedMotion::surfaceBracket(PieceIndex a, PieceIndex b, Interval time,
                                                double threshold, double tolerance) const {
  const Piece &A = piece(a), &B = piece(b);
  // A spread counts as the ball about it.
  const double grown = B.spread == nullptr ? 0.0 : spreadRadius(b, time);
  McdOptions options;
  options.threshold = threshold + grown;
  options.tolerance = tolerance;
  // Cell by cell: the least of the lower bounds, and the instant of the least upper bound.
  DistanceBracket least;
  least.lower = least.upper = kInfinity;
  for (int c = cellAt(time.lower); c < static_cast<int>(cells_.size()); ++c) {
    const Interval part{std::max(time.lower, cells_[c].lower),
                        std::min(time.upper, cells_[c].upper)};
    if (part.upper <= part.lower && least.lower < kInfinity) break;
    // The search takes the curves of this part of the cell alone, with their errors as they are.
    const BodyCurve a_part = curveDuring(a, c, part), b_part = curveDuring(b, c, part);
    const MovingShape of_a{&A.geometry->shape, A.geometry->X_BG, {&a_part, 1}};
    const MovingShape of_b{&B.geometry->shape, B.geometry->X_BG, {&b_part, 1}};
    const DistanceBracket found = B.cloud != nullptr
                                      ? minimumDistance(of_a, {B.cloud, {&b_part, 1}}, options)
                                      : minimumDistance(*A.body, of_a, *B.body, of_b, options);
    const double lower = lowered(least.lower, found.lower - grown);
    if (found.upper < least.upper) least = found;
    least.lower = lower;
    if (cells_[c].upper >= time.upper) break;
  }
  if (B.spread != nullptr && least.evaluated && least.upper > 0.0) {
    // What was seen: the witnesses, B's displaced towards A as far as it may be at that instant.
    const Mat3 K = B.spread->spreadAt(least.t_star);
    const Vec3 way = least.witness_B - least.witness_A;
    const double error = raised(0.0, least.upper - way.norm());
    least.upper =
        lowered(least.upper, (way - farthestDisplacement(K, least.normal)).norm() + error);
  }
  return least;
}

/// A radius that the displacements of an obstacle do not exceed during `time`.
double CertifiedMotion::spreadRadius(PieceIndex i, Interval time) const {
  double radius = 0.0;
  for (int c = cellAt(time.lower); c < static_cast<int>(cells_.size()); ++c) {
    const PieceCell& cell = piece(i).cell(c);
    radius = raised(radius, displacementRadius(cell.spread_start));
    radius = raised(radius, displacementRadius(cell.spread_end));
    if (cells_[c].upper >= time.upper) break;
  }
  return radius;
}

}  // namespace allclear
