// Turns a trajectory into polynomial poses of every piece, with error bounds, and these into lower
// bounds of distances. The inequality behind `lowerBound` is derived in motion.h.
//
// The cells and the curves of links are made in link_motion.cpp.
//
// Errors. A true point of a piece is within `PieceCell::error` of the polynomial's: the remainder
// of the pose and the rounding of poses, coordinates and times (docs/algorithms/motion-bounds.md)
// at the piece's farthest point, plus 1000 machine epsilons of the lengths involved for what is
// computed here with them.
#include "allclear/planner/certificate/motion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "allclear/core/assert.h"
#include "allclear/core/extremes.h"
#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/cloud.h"
#include "allclear/distance/geometry/bernstein.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/minimum/mesh/mesh.h"
#include "allclear/distance/support.h"
#include "allclear/planner/certificate/boundable.h"
#include "allclear/planner/problem/after_end.h"

namespace allclear {
namespace {

constexpr int kCount = BodyCurve::kDegree + 1;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Poses of all links are kept for the times that were asked for, up to so many bytes: the same few
/// times are asked for by all pairs.
constexpr std::size_t kMostPoseBytes = std::size_t{64} << 20;

/// Rounding of a piece's poses, supports and sums, in machine epsilons of the lengths involved. A
/// reach is some twenty products and sums behind a chain of up to about thirty joints; a few
/// hundred roundings are the most that add up.
constexpr double kRoundings = 1e3;

/// More than the rounding, relative, of a difference and a quotient, or of the norm of a vector.
constexpr double kFewRoundings = 8.0 * kEpsilon;

/// Upper bound of the distance [m] of a point of the geometry from `reference`, both in the body's
/// frame. 0 for planes, whose bound uses their frame alone.
double radiusAbout(const Vec3& reference, const Geometry& geometry) {
  if (std::holds_alternative<HalfSpace>(geometry.shape)) return 0.0;
  const Ball ball = boundingBall(geometry.shape);
  return (geometry.X_BG * ball.center - reference).norm() + ball.radius;
}

/// The support function. The coefficients R_k are no rotations, and over a fast turn R_k^T n may
/// vanish: then every point of the shape gives 0.
double supportAlong(const Shape& shape, const Vec3& w) {
  return w.isZero(0.0) ? 0.0 : supportValue(shape, w);
}

}  // namespace

CertifiedMotion::CertifiedMotion(const Problem& problem, const CertifiedGeometry& geometry,
                                 const Trajectory& trajectory, double tolerance)
    : problem_(problem), geometry_(geometry), trajectory_(trajectory) {
  ALLCLEAR_ASSERT(trajectory.dimension() == problem.plannedCount() && tolerance > 0.0);
  makeLinkCurves(problem, geometry, tolerance);
  for (auto& by_body : solids_) by_body.resize(geometry.bodies.size());
  for (int b = 0; b < static_cast<int>(geometry.bodies.size()); ++b) {
    ensurePieces(b, MeshFidelity::kHull);
  }
}

int CertifiedMotion::ensurePieces(int body, MeshFidelity fidelity) {
  throwIfStopped();
  Solids& solids = solids_[static_cast<int>(fidelity)][body];
  if (solids.pieces.empty()) {
    solids.geometry = geometry_.bodies[body].solids(fidelity);
    if (const auto& mesh = geometry_.bodies[body].deforming) {
      solids.patches = patchesOf(*mesh, fidelity);
    }
    makePieces(geometry_.bodies[body], fidelity == MeshFidelity::kSurface, &solids);
  }
  return static_cast<int>(solids.pieces.size());
}

const std::vector<BodyCurve>& CertifiedMotion::linkCurve(int link) const {
  ALLCLEAR_ASSERT(!link_curves_[link].empty());
  return link_curves_[link];
}

/// The pieces of an obstacle with a spread keep K in the frame that it is given in: the world's, or
/// the obstacle's, which the curve turns.
CertifiedMotion::PieceCell CertifiedMotion::pieceCell(const BodyCurve& curve,
                                                      const Geometry& geometry,
                                                      const Obstacle* spread) {
  PieceCell cell;
  double displaced = 0.0;
  if (spread != nullptr) {
    cell.spread_start = spread->spread.at(curve.time.lower);
    cell.spread_end = spread->spread.at(curve.time.upper);
    displaced = raised(displacementRadius(cell.spread_start), displacementRadius(cell.spread_end));
  }
  // Along w, in the frame of the spread.
  const auto reached = [&](const Vec3& w) {
    return spread == nullptr ? 0.0
                             : raised(upperDisplacementReach(cell.spread_start, w),
                                      upperDisplacementReach(cell.spread_end, w));
  };
  // The box: the piece's reach along +-x, +-y, +-z, the greatest over the coefficients (motion.h).
  cell.lower.setConstant(kInfinity);
  cell.upper.setConstant(-kInfinity);
  for (int k = 0; k < kCount; ++k) {
    cell.control[k] = curve.control[k] * geometry.X_BG;
    const Pose& X = cell.control[k];
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 w = X.R.row(axis).transpose();
      const bool turns = spread != nullptr && spread->spread.in_obstacle;
      const double more =
          reached(turns ? Vec3(curve.control[k].R.row(axis)) : Vec3(Vec3::Unit(axis)));
      cell.upper[axis] =
          raised(cell.upper[axis], X.p[axis] + supportAlong(geometry.shape, w) + more);
      cell.lower[axis] =
          lowered(cell.lower[axis], X.p[axis] - supportAlong(geometry.shape, -w) - more);
    }
  }
  double scale = curve.control[0].p.norm() + curve.control[kCount - 1].p.norm();
  for (const Pose& X : curve.control) scale = raised(scale, X.p.norm());
  scale += radiusAbout(Vec3::Zero(), geometry) + displaced;
  cell.error = curve.error(radiusAbout(curve.reference_B, geometry) + displaced) +
               kRoundings * kEpsilon * scale;
  cell.lower.array() -= cell.error;
  cell.upper.array() += cell.error;
  return cell;
}

/// The curves of a body: one per cell, or a single one for an obstacle at rest.
std::vector<BodyCurve> CertifiedMotion::bodyCurves(const Obstacle* obstacle, int link) const {
  if (obstacle == nullptr) return linkCurve(link);
  if (!obstacle->moves()) return {BodyCurve::still(obstacle->X_WO, {0.0, duration()})};
  std::vector<BodyCurve> curves;
  for (const Interval& cell : cells_) {
    curves.push_back(obstacle->curve(cell));
    requireFinite(curves.back(), "obstacle '" + obstacle->id + "'");
  }
  return curves;
}

void CertifiedMotion::makePieces(const CertifiedBody& body, bool surfaces, Solids* solids) const {
  if (body.deforming != nullptr) return makePatches(body, solids);
  const Obstacle* obstacle = body.obstacle < 0 ? nullptr : &problem_.obstacles[body.obstacle];
  std::vector<BodyCurve> curves = bodyCurves(obstacle, body.link);
  for (const Geometry& geometry : solids->geometry) {
    Piece piece;
    piece.geometry = &geometry;
    piece.is_plane = std::holds_alternative<HalfSpace>(geometry.shape);
    piece.is_still = obstacle != nullptr && !obstacle->moves();
    // All places at which the obstacle may be count as the piece.
    if (obstacle != nullptr && !obstacle->spread.isEmpty()) piece.spread = obstacle;
    for (const BodyCurve& curve : curves) {
      throwIfStopped();
      piece.cells.push_back(pieceCell(curve, geometry, piece.spread));
    }
    piece.cloud = body.cloud.get();
    if (surfaces && !piece.is_plane && !piece.cloud) piece.body = bodyOf(geometry.shape);
    solids->pieces.push_back(std::move(piece));
  }
  const bool has_clouds =
      std::any_of(geometry_.bodies.begin(), geometry_.bodies.end(),
                  [](const CertifiedBody& other) { return other.cloud != nullptr; });
  if (surfaces || has_clouds) solids->curves = std::move(curves);
}

int CertifiedMotion::cellAt(double t) const {
  const auto after = std::upper_bound(cells_.begin(), cells_.end(), t,
                                      [](double x, const Interval& c) { return x < c.lower; });
  return std::max(0, static_cast<int>(after - cells_.begin()) - 1);
}

/// How far the spread reaches along n, as seen from the frame that it is given in, at any instant
/// of the part [s0, s1] of a cell.
double CertifiedMotion::spreadReach(const Piece& piece, const PieceCell& cell, const Vec3& n,
                                    double s0, double s1) {
  if (piece.spread == nullptr) return 0.0;
  const Mat3 rise = cell.spread_end - cell.spread_start;
  return raised(upperDisplacementReach(cell.spread_start + s0 * rise, n),
                upperDisplacementReach(cell.spread_start + s1 * rise, n));
}

/// h_k of motion.h: how far the piece reaches along n at the Bernstein coefficients of the part
/// [s0, s1] of a cell. The coefficients of the numbers n.T and R^T n are restricted, four rows
/// instead of the twelve of the whole pose: restriction is linear, so this is the same.
void CertifiedMotion::reach(const Piece& piece, int cell, const Vec3& n, double s0, double s1,
                            std::array<double, kCount>* h) {
  const PieceCell& at = piece.cell(cell);
  if (piece.deforming != nullptr) {  // the line between the values at both ends
    const double from = patchReach(piece, at, n, s0), to = patchReach(piece, at, n, s1);
    for (int k = 0; k < kCount; ++k) (*h)[k] = from + (to - from) * k / (kCount - 1);
    return;
  }
  const bool turns = piece.spread != nullptr && piece.spread->spread.in_obstacle;
  const double in_world = turns ? 0.0 : spreadReach(piece, at, n, s0, s1);
  if (piece.is_plane) {  // n is its normal, and no point of it lies beyond its origin along n
    const Vec3 seen = turns ? Vec3(piece.spread->pose(0.0).R.transpose() * n) : n;
    const double spread = turns ? spreadReach(piece, at, seen, s0, s1) : in_world;
    for (int k = 0; k < kCount; ++k) (*h)[k] = n.dot(at.control[k].p);
    mcd::restrictTo(s0, s1, h);
    for (double& reached : *h) reached += spread;
    return;
  }
  const int distinct = piece.is_still ? 1 : kCount;
  Projected projected;  // row k: n.T_k, then R_k^T n
  for (int k = 0; k < distinct; ++k) {
    projected[k][0] = n.dot(at.control[k].p);
    projected[k].tail<3>() = at.control[k].R.transpose() * n;
  }
  if (!piece.is_still) mcd::restrictTo(s0, s1, &projected);
  for (int k = 0; k < distinct; ++k) {
    const Vec3 w = projected[k].tail<3>();
    (*h)[k] = projected[k][0] + supportAlong(piece.geometry->shape, w) + in_world;
    // From the piece's frame to that of the obstacle, which is the spread's.
    if (turns) (*h)[k] += spreadReach(piece, at, piece.geometry->X_BG.R * w, s0, s1);
  }
  if (piece.is_still) h->fill((*h)[0]);
}

/// The inequality of motion.h, over all cells of the motion that `time` touches.
double CertifiedMotion::lowerBound(PieceIndex a, PieceIndex b, const Vec3& n, Interval time) const {
  const Piece &A = piece(a), &B = piece(b);
  double least = kInfinity;
  for (int c = cellAt(time.lower); c < static_cast<int>(cells_.size()); ++c) {
    if (cells_[c].lower >= time.upper && c > cellAt(time.lower)) break;
    Vec3 from_A = n.normalized();
    if (A.is_plane) from_A = A.cell(c).control[0].R.col(2).normalized();
    if (B.is_plane) from_A = -B.cell(c).control[0].R.col(2).normalized();
    // The part of this cell that belongs to `time`, in units of the cell, widened by its rounding.
    const double length = cells_[c].length();
    const double s0 = std::clamp((time.lower - cells_[c].lower) / length - kFewRoundings, 0., 1.);
    const double s1 = std::clamp((time.upper - cells_[c].lower) / length + kFewRoundings, 0., 1.);
    std::array<double, kCount> h_A, h_B;
    reach(A, c, from_A, s0, s1, &h_A);
    reach(B, c, -from_A, s0, s1, &h_B);
    const double error = A.cell(c).error + B.cell(c).error;
    for (int k = 0; k < kCount; ++k) least = lowered(least, -(h_A[k] + h_B[k]) - error);
  }
  return least;
}

bool CertifiedMotion::staysAbove(PieceIndex a, PieceIndex b, const Vec3& n, Interval time,
                                 double lower) const {
  if (!areSurfaces(a, b)) return lowerBound(a, b, n, time) >= lower;
  // Boxes that touch the bodies where these are nearest prove all of the distance, which the search
  // finds but for its tolerance.
  if (boxGap(a, b, time).distance >= lower) return true;
  // To half of the padding: see kSurfacePadding.
  return surfaceBracket(a, b, time, lower, 0.5 * kSurfacePadding).lower >= lower;
}

CertifiedMotion::BoxGap CertifiedMotion::boxGap(PieceIndex a, PieceIndex b, Interval time) const {
  // The box over an interval: the union of those of all cells that it touches.
  const auto boxOf = [&](const Piece& piece, Vec3* lower, Vec3* upper) {
    lower->setConstant(kInfinity);
    upper->setConstant(-kInfinity);
    for (int c = cellAt(time.lower); c < static_cast<int>(cells_.size()); ++c) {
      *lower = lower->cwiseMin(piece.cell(c).lower);
      *upper = upper->cwiseMax(piece.cell(c).upper);
      if (piece.is_still || cells_[c].upper >= time.upper) break;
    }
  };
  Vec3 lower_A, upper_A, lower_B, upper_B;
  boxOf(piece(a), &lower_A, &upper_A);
  boxOf(piece(b), &lower_B, &upper_B);
  // Along each axis at most one of the two terms is positive. The vector of gaps is that between
  // the nearest points of the boxes, so its length is their distance and its direction separates
  // them.
  const Vec3 gap = (lower_B - upper_A).cwiseMax(0.0) - (lower_A - upper_B).cwiseMax(0.0);
  const double distance = gap.norm();
  if (!(distance > 0.0)) return {-kInfinity, Vec3::UnitX()};
  return {distance * (1.0 - kFewRoundings), gap / distance};  // less the rounding of the norm
}

/// Many pairs are measured at the same instants, so poses are kept by time.
const std::vector<Pose>& CertifiedMotion::linkPoses(double t) {
  const std::size_t bytes = problem_.robot->links().size() * sizeof(Pose);
  if (poses_.size() * bytes > kMostPoseBytes && !poses_.contains(t)) poses_.clear();
  const auto [entry, is_new] = poses_.try_emplace(t);
  if (is_new) {
    builder_->kinematics().linkPoses(problem_.configuration(trajectory_.value(t)),
                                     workspace_->kinematics, entry->second);
  }
  return entry->second;
}

Pose CertifiedMotion::pieceFrame(PieceIndex i, double t) {
  const CertifiedBody& body = geometry_.bodies[i.body];
  const Pose X_WB =
      body.link >= 0 ? linkPoses(t)[body.link] : problem_.obstacles[body.obstacle].pose(t);
  return X_WB * piece(i).geometry->X_BG;
}

Vec3 CertifiedMotion::pointAt(PieceIndex i, double t) {
  return pieceFrame(i, t) * support(piece(i).geometry->shape, Vec3::UnitX());
}

SignedDistance CertifiedMotion::distanceAt(PieceIndex a, PieceIndex b, double t) {
  if (const Piece& B = piece(b); B.deforming != nullptr) {
    return signedDistance(piece(a).geometry->shape, pieceFrame(a, t),
                          hullAt(*B.deforming, B.patch, t).shape, B.X_WO);
  }
  if (const Piece& B = piece(b); B.cloud != nullptr) {
    const Pose X_WO = problem_.obstacles[geometry_.bodies[b.body].obstacle].pose(t);
    SignedDistance d = signedDistance(piece(a).geometry->shape, pieceFrame(a, t), *B.cloud, X_WO);
    // The ball about all displacements: less than the distance, by up to `gap`.
    if (B.spread != nullptr) {
      const double grown = displacementRadius(B.spread->spreadAt(t));
      d.distance -= grown;
      d.gap += 2.0 * grown;
    }
    return d;
  }
  // Only obstacles have a spread, and these come second.
  const Obstacle* spread = piece(b).spread;
  const Mat3 K = spread == nullptr ? Mat3::Zero() : spread->spreadAt(t);
  DistanceOptions options;
  if (spread != nullptr) options.spread = &K;
  return signedDistance(piece(a).geometry->shape, pieceFrame(a, t), piece(b).geometry->shape,
                        pieceFrame(b, t), nullptr, options);
}

double CertifiedMotion::bodyDistanceAt(int a, int b, double t, MeshFidelity fidelity) {
  double least = kInfinity;
  for (int i = 0; i < ensurePieces(a, fidelity); ++i) {
    for (int j = 0; j < ensurePieces(b, fidelity); ++j) {
      least = lowered(least, distanceAt({a, i, fidelity}, {b, j, fidelity}, t).distance);
    }
  }
  return least;
}

}  // namespace allclear
