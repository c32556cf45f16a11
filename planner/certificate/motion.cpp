#include "allclear/planner/certificate/motion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/geometry/bernstein.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/minimum/mesh/mesh.h"

namespace allclear {
namespace {

constexpr int kCount = BodyCurve::kDegree + 1;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Travel of a coordinate within one span [rad or m] that no robot makes and that would take too
/// many cells to bound.
constexpr double kGreatestTravel = 100.0;

/// The greatest distance [m] of a point of the geometry from `reference`; 0 for planes, which are
/// given by their frame alone.
double radiusAbout(const Vec3& reference, const Geometry& geometry) {
  if (std::holds_alternative<HalfSpace>(geometry.shape)) return 0.0;
  const Ball ball = boundingBall(geometry.shape);
  return (geometry.X_BG * ball.center - reference).norm() + ball.radius;
}

/// The support function, also for the zero vector that a coefficient of a fast turn may give.
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
    pieceCount(b, MeshFidelity::kHull);
  }
}

int CertifiedMotion::pieceCount(int body, MeshFidelity fidelity) {
  Solids& solids = solids_[static_cast<int>(fidelity)][body];
  if (solids.pieces.empty()) {
    solids.geometry = geometry_.bodies[body].solids(fidelity);
    makePieces(geometry_.bodies[body], fidelity == MeshFidelity::kSurface, &solids);
  }
  return static_cast<int>(solids.pieces.size());
}

/// The span with the coordinates that are not planned at rest.
BernsteinSpan CertifiedMotion::robotSpan(const BernsteinSpan& planned_span) const {
  const MatX& part = planned_span.control();
  MatX control = problem_.start.replicate(1, part.cols());
  double travel = 0.0;
  for (int i = 0; i < problem_.plannedCount(); ++i) {
    control.row(problem_.planned[i]) = part.row(i);
    travel = std::max(travel, part.row(i).maxCoeff() - part.row(i).minCoeff());
  }
  if (!(travel <= kGreatestTravel) || planned_span.degree() > kMotionOrder) {
    throw InputError(
        "the trajectory cannot be bounded: a polynomial piece of it is of a degree "
        "above " +
        std::to_string(kMotionOrder) + " or moves a joint by more than 100 rad or m");
  }
  return {planned_span.time(), std::move(control)};
}

/// Ends of spans, and what obstacles' motions ask for.
std::vector<double> CertifiedMotion::timeBreaks(double tolerance) const {
  const double end = trajectory_.duration();
  std::set<double> breaks{0.0, end};
  for (int i = 1; i < trajectory_.spanCount(); ++i) breaks.insert(trajectory_.spanTime(i).lower);
  for (const Obstacle& obstacle : problem_.obstacles) {
    for (double t : obstacle.breaks({0.0, end}, tolerance)) breaks.insert(t);
  }
  return {breaks.begin(), breaks.end()};
}

void CertifiedMotion::makeLinkCurves(const Problem& problem, const CertifiedGeometry& geometry,
                                     double tolerance) {
  std::set<int> links{problem.robot->rootLink()};
  for (const CertifiedBody& body : geometry.bodies) {
    if (body.link >= 0) links.insert(body.link);
  }
  for (const PathConstraint& constraint : problem.path_constraints) {
    links.insert(std::visit([](const auto& c) { return c.link; }, constraint));
  }
  LinkCurveBuilder::Options options;
  options.links.assign(links.begin(), links.end());
  builder_ = std::make_unique<LinkCurveBuilder>(*problem.robot, options);
  workspace_ = std::make_unique<LinkCurveBuilder::Workspace>(*builder_);
  link_curves_.resize(problem.robot->links().size());

  const std::vector<double> breaks = timeBreaks(tolerance);
  LinkCurves curves;
  for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
    const Interval time{breaks[i], breaks[i + 1]};
    const BernsteinSpan span = trajectory_.span(trajectory_.spanAt(time.middle())).restricted(time);
    // Labelled with our own times: those of the span may differ by a rounding.
    builder_->build(BernsteinSpan(time, robotSpan(span).control()), tolerance, *workspace_,
                    &curves);
    cells_.insert(cells_.end(), curves.cells.begin(), curves.cells.end());
    for (std::size_t l = 0; l < options.links.size(); ++l) {
      const auto part = curves.of(static_cast<int>(l));
      auto& curve = link_curves_[options.links[l]];
      curve.insert(curve.end(), part.begin(), part.end());
    }
  }
  for (std::size_t i = 0; i + 1 < cells_.size(); ++i) {
    ALLCLEAR_ASSERT(cells_[i].upper == cells_[i + 1].lower);
  }
}

const std::vector<BodyCurve>& CertifiedMotion::linkCurve(int link) const {
  ALLCLEAR_ASSERT(!link_curves_[link].empty());
  return link_curves_[link];
}

CertifiedMotion::PieceCell CertifiedMotion::pieceCell(const BodyCurve& curve,
                                                      const Geometry& geometry) {
  PieceCell cell;
  cell.lower.setConstant(kInfinity);
  cell.upper.setConstant(-kInfinity);
  for (int k = 0; k < kCount; ++k) {
    cell.control[k] = curve.control[k] * geometry.X_BG;
    const Pose& X = cell.control[k];
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 w = X.R.row(axis).transpose();
      cell.upper[axis] = std::max(cell.upper[axis], X.p[axis] + supportAlong(geometry.shape, w));
      cell.lower[axis] = std::min(cell.lower[axis], X.p[axis] - supportAlong(geometry.shape, -w));
    }
  }
  const double scale = curve.control[0].p.norm() + curve.control[kCount - 1].p.norm() +
                       radiusAbout(Vec3::Zero(), geometry);
  cell.error = curve.error(radiusAbout(curve.reference_B, geometry)) + 1e3 * kEpsilon * scale;
  cell.lower.array() -= cell.error;
  cell.upper.array() += cell.error;
  return cell;
}

void CertifiedMotion::makePieces(const CertifiedBody& body, bool surfaces, Solids* solids) const {
  const Obstacle* obstacle = body.obstacle < 0 ? nullptr : &problem_.obstacles[body.obstacle];
  std::vector<BodyCurve> curves;
  if (obstacle == nullptr) {
    curves = linkCurve(body.link);
  } else if (obstacle->moves()) {
    for (const Interval& cell : cells_) curves.push_back(obstacle->curve(cell));
  } else {
    curves = {BodyCurve::still(obstacle->X_WO, {0.0, duration()})};
  }
  for (const Geometry& geometry : solids->geometry) {
    Piece piece;
    piece.geometry = &geometry;
    piece.is_plane = std::holds_alternative<HalfSpace>(geometry.shape);
    piece.is_still = obstacle != nullptr && !obstacle->moves();
    for (const BodyCurve& curve : curves) piece.cells.push_back(pieceCell(curve, geometry));
    if (surfaces && !piece.is_plane) piece.body = bodyOf(geometry.shape);
    solids->pieces.push_back(std::move(piece));
  }
  if (surfaces) solids->curves = std::move(curves);
}

int CertifiedMotion::cellAt(double t) const {
  const auto after = std::upper_bound(cells_.begin(), cells_.end(), t,
                                      [](double x, const Interval& c) { return x < c.lower; });
  return std::max(0, static_cast<int>(after - cells_.begin()) - 1);
}

/// How far the piece reaches along n at the Bernstein coefficients of the part [s0, s1] of a cell.
void CertifiedMotion::reach(const Piece& piece, int cell, const Vec3& n, double s0, double s1,
                            std::array<double, kCount>* h) {
  const PieceCell& at = piece.cell(cell);
  if (piece.is_plane) {  // n is its normal: nothing of it lies beyond its own origin
    for (int k = 0; k < kCount; ++k) (*h)[k] = n.dot(at.control[k].p);
    mcd::restrictTo(s0, s1, h);
    return;
  }
  const int distinct = piece.is_still ? 1 : kCount;
  Projected projected;  // n.T and R^T n
  for (int k = 0; k < distinct; ++k) {
    projected[k][0] = n.dot(at.control[k].p);
    projected[k].tail<3>() = at.control[k].R.transpose() * n;
  }
  if (!piece.is_still) mcd::restrictTo(s0, s1, &projected);
  for (int k = 0; k < distinct; ++k) {
    const Vec3 w = projected[k].tail<3>();
    (*h)[k] = projected[k][0] + supportAlong(piece.geometry->shape, w);
  }
  if (piece.is_still) h->fill((*h)[0]);
}

double CertifiedMotion::lowerBound(PieceIndex a, PieceIndex b, const Vec3& n, Interval time) const {
  const Piece &A = piece(a), &B = piece(b);
  double least = kInfinity;
  for (int c = cellAt(time.lower); c < static_cast<int>(cells_.size()); ++c) {
    if (cells_[c].lower >= time.upper && c > cellAt(time.lower)) break;
    Vec3 from_A = n.normalized();
    if (A.is_plane) from_A = A.cell(c).control[0].R.col(2);
    if (B.is_plane) from_A = -B.cell(c).control[0].R.col(2);
    // Widened by more than the rounding of the division.
    const double length = cells_[c].length();
    const double s0 = std::clamp((time.lower - cells_[c].lower) / length - 8.0 * kEpsilon, 0., 1.);
    const double s1 = std::clamp((time.upper - cells_[c].lower) / length + 8.0 * kEpsilon, 0., 1.);
    std::array<double, kCount> h_A, h_B;
    reach(A, c, from_A, s0, s1, &h_A);
    reach(B, c, -from_A, s0, s1, &h_B);
    const double error = A.cell(c).error + B.cell(c).error;
    for (int k = 0; k < kCount; ++k) least = std::min(least, -(h_A[k] + h_B[k]) - error);
  }
  return least;
}

bool CertifiedMotion::areSurfaces(PieceIndex a, PieceIndex b) const {
  const Piece &A = piece(a), &B = piece(b);
  if (A.body == nullptr || B.body == nullptr) return false;
  return std::holds_alternative<TriangleMesh>(A.geometry->shape) ||
         std::holds_alternative<TriangleMesh>(B.geometry->shape);
}

DistanceBracket CertifiedMotion::surfaceBracket(PieceIndex a, PieceIndex b, Interval time,
                                                double threshold, double tolerance) const {
  const Piece &A = piece(a), &B = piece(b);
  const auto curveOf = [&](PieceIndex i, int cell) {
    const auto& curves = solids_[static_cast<int>(i.fidelity)][i.body].curves;
    return curves.size() > 1 || !piece(i).is_still ? curves[cell] : curves[0];
  };
  McdOptions options;
  options.threshold = threshold;
  options.tolerance = tolerance;
  DistanceBracket least;
  least.lower = least.upper = kInfinity;
  for (int c = cellAt(time.lower); c < static_cast<int>(cells_.size()); ++c) {
    const Interval part{std::max(time.lower, cells_[c].lower),
                        std::min(time.upper, cells_[c].upper)};
    if (part.upper <= part.lower && least.lower < kInfinity) break;
    const BodyCurve a_part = A.is_still ? BodyCurve::still(curveOf(a, c).control[0], part)
                                        : curveOf(a, c).restricted(part);
    const BodyCurve b_part = B.is_still ? BodyCurve::still(curveOf(b, c).control[0], part)
                                        : curveOf(b, c).restricted(part);
    const DistanceBracket found =
        minimumDistance(*A.body, {&A.geometry->shape, A.geometry->X_BG, {&a_part, 1}}, *B.body,
                        {&B.geometry->shape, B.geometry->X_BG, {&b_part, 1}}, options);
    const double lower = std::min(least.lower, found.lower);
    if (found.upper < least.upper) least = found;
    least.lower = lower;
    if (cells_[c].upper >= time.upper) break;
  }
  return least;
}

bool CertifiedMotion::staysAbove(PieceIndex a, PieceIndex b, const Vec3& n, Interval time,
                                 double lower) const {
  if (!areSurfaces(a, b)) return lowerBound(a, b, n, time) >= lower;
  return surfaceBracket(a, b, time, lower, 0.5 * kSurfacePadding).lower >= lower;
}

CertifiedMotion::BoxGap CertifiedMotion::boxGap(PieceIndex a, PieceIndex b, Interval time) const {
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
  const Vec3 gap = (lower_B - upper_A).cwiseMax(0.0) - (lower_A - upper_B).cwiseMax(0.0);
  const double distance = gap.norm();
  if (!(distance > 0.0)) return {-kInfinity, Vec3::UnitX()};
  return {distance * (1.0 - 8.0 * kEpsilon), gap / distance};
}

const std::vector<Pose>& CertifiedMotion::linkPoses(double t) {
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

SignedDistance CertifiedMotion::distanceAt(PieceIndex a, PieceIndex b, double t) {
  return signedDistance(piece(a).geometry->shape, pieceFrame(a, t), piece(b).geometry->shape,
                        pieceFrame(b, t));
}

double CertifiedMotion::bodyDistanceAt(int a, int b, double t, MeshFidelity fidelity) {
  double least = kInfinity;
  for (int i = 0; i < pieceCount(a, fidelity); ++i) {
    for (int j = 0; j < pieceCount(b, fidelity); ++j) {
      least = std::min(least, distanceAt({a, i, fidelity}, {b, j, fidelity}, t).distance);
    }
  }
  return least;
}

}  // namespace allclear
