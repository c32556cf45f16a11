#include "allclear/planner/certificate/limits.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "allclear/planner/certificate/torque.h"
#include "allclear/trajectories/span_coefficients.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A polynomial piece of one function of time.
struct Piece {
  double start;  ///< [s]
  SpanCoefficients polynomial;
};

/// A least upper bound of a function, and a value that it takes.
struct Greatest {
  double bound = -kInfinity;
  double reached = -kInfinity;
  double t = 0.0;
};

void meet(double value, double t, Greatest* greatest) {
  if (value <= greatest->reached) return;
  greatest->reached = value;
  greatest->t = t;
}

/// Halves the piece until its coefficients exceed the values met by at most `tolerance`.
void bound(const Piece& piece, double tolerance, Greatest* greatest) {
  const SpanCoefficients& p = piece.polynomial;
  const double first = p.coefficient[0], last = p.coefficient[p.degree];
  meet(first, piece.start, greatest);
  meet(last, piece.start + p.length, greatest);
  const double top = p.upper() - p.error;
  // Halving does not lessen the error of the coefficients; near it there is nothing to gain.
  const bool is_flat = top <= std::max(first, last) + tolerance + p.error;
  if (top <= greatest->reached + tolerance || is_flat) {
    greatest->bound = std::max(greatest->bound, p.upper());
    return;
  }
  Piece half{piece.start, p};
  half.polynomial.restrict(0.0, 0.5, 0.0);
  bound(half, tolerance, greatest);
  half = {piece.start + 0.5 * p.length, p};
  half.polynomial.restrict(0.5, 1.0, 0.0);
  bound(half, tolerance, greatest);
}

Greatest greatestOf(const std::vector<Piece>& pieces, double sign, double tolerance) {
  std::vector<Piece> signed_pieces = pieces;
  Greatest greatest;
  for (Piece& piece : signed_pieces) {
    for (double& c : piece.polynomial.coefficient) c *= sign;
    meet(piece.polynomial.coefficient[0], piece.start, &greatest);
  }
  for (const Piece& piece : signed_pieces) bound(piece, tolerance, &greatest);
  return greatest;
}

/// Bounds of the function against its limits. The time is that of the side nearer to its limit.
CertifiedLimit limitOf(const std::vector<Piece>& pieces, Interval limits, double tolerance) {
  double size = 1.0;
  for (double limit : {limits.lower, limits.upper}) {
    if (std::isfinite(limit)) size = std::max(size, std::abs(limit));
  }
  const Greatest most = greatestOf(pieces, 1.0, 1e-10 * size);
  const Greatest least = greatestOf(pieces, -1.0, 1e-10 * size);
  CertifiedLimit limit;
  limit.lower = -least.bound;
  limit.upper = most.bound;
  limit.lower_limit = limits.lower;
  limit.upper_limit = limits.upper;
  const bool upper_is_nearer = limits.upper - limit.upper <= limit.lower - limits.lower;
  limit.t = upper_is_nearer ? most.t : least.t;
  limit.kept = limit.lower >= limits.lower - tolerance && limit.upper <= limits.upper + tolerance;
  return limit;
}

SpanCoefficients coefficientsOf(const Trajectory& trajectory, int span, int order, int k) {
  if (const BSpline* spline = trajectory.bspline()) return spline->coefficients(span, order, k);
  return trajectory.hermite()->coefficients(span, order, k);
}

void addJointLimits(const Problem& problem, const Trajectory& trajectory,
                    const CertifiedLimitOptions& options, std::vector<CertifiedLimit>* out) {
  static constexpr const char* kQuantity[] = {"position", "velocity", "acceleration", "jerk"};
  const PlannedLimits limits = plannedLimits(problem);
  const std::array<const VecX*, 4> upper{&limits.upper, &limits.velocity, &limits.acceleration,
                                         &limits.jerk};
  for (int k = 0; k < problem.plannedCount(); ++k) {
    for (int order = 0; order < 4; ++order) {
      const double high = (*upper[order])[k];
      const double low = order == 0 ? limits.lower[k] : -high;
      std::vector<Piece> pieces;
      for (int i = 0; i < trajectory.spanCount(); ++i) {
        pieces.push_back({trajectory.spanTime(i).lower, coefficientsOf(trajectory, i, order, k)});
      }
      const double size = std::max({1.0, std::isfinite(low) ? std::abs(low) : 0.0,
                                    std::isfinite(high) ? std::abs(high) : 0.0});
      CertifiedLimit limit = limitOf(pieces, {low, high}, options.limit_tolerance * size);
      limit.subject = problem.robot->coordinates()[problem.planned[k]].name;
      limit.quantity = kQuantity[order];
      out->push_back(limit);
    }
  }
}

void addTorques(const Problem& problem, const Trajectory& trajectory,
                const CertifiedLimitOptions& options, std::vector<CertifiedLimit>* out) {
  const VecX effort = plannedLimits(problem).effort;
  if (!problem.limits.torque || !(effort.array() < kInfinity).any()) return;
  const std::vector<DynamicsBound> bounds = torqueBounds(problem, trajectory, effort);
  for (int k = 0; k < problem.plannedCount(); ++k) {
    CertifiedLimit limit;
    limit.subject = problem.robot->coordinates()[problem.planned[k]].name;
    limit.quantity = "torque";
    limit.lower = bounds[k].bound.lower;
    limit.upper = bounds[k].bound.upper;
    limit.lower_limit = -effort[k];
    limit.upper_limit = effort[k];
    limit.t = bounds[k].t;
    const double tolerance = options.limit_tolerance * std::max(1.0, effort[k]);
    limit.kept = bounds[k].bound.lower >= -effort[k] - tolerance &&
                 bounds[k].bound.upper <= effort[k] + tolerance;
    out->push_back(limit);
  }
}

void addBalance(const Problem& problem, const Trajectory& trajectory,
                std::vector<CertifiedLimit>* out) {
  if (!problem.balance) return;
  const SupportPolygon polygon = supportPolygon(problem, *problem.balance);
  const std::vector<DynamicsBound> bounds = balanceBounds(problem, trajectory, polygon);
  CertifiedLimit limit;
  limit.quantity = "room in the support polygon";
  limit.lower = limit.upper_limit = kInfinity;
  limit.upper = -kInfinity;
  for (const DynamicsBound& edge : bounds) {
    if (edge.bound.lower < limit.lower) limit.t = edge.t;
    limit.lower = std::min(limit.lower, edge.bound.lower);
    limit.upper = std::max(limit.upper, edge.bound.upper);
  }
  limit.lower_limit = 0.0;
  limit.kept = limit.lower >= 0.0;
  out->push_back(limit);
}

/// The polynomials, along a link's curve, of direction . x + offset: x is the body point u in the
/// world, or the body vector u turned into the world.
std::vector<Piece> projectedCurve(const std::vector<BodyCurve>& curves, const Vec3& direction,
                                  const Vec3& u, bool is_point, double offset) {
  std::vector<Piece> pieces;
  for (const BodyCurve& curve : curves) {
    Piece piece{curve.time.lower, {}};
    SpanCoefficients& p = piece.polynomial;
    p.degree = BodyCurve::kDegree;
    p.length = curve.time.length();
    p.error =
        is_point ? curve.error((u - curve.reference_B).norm()) : curve.rotation_error * u.norm();
    for (int k = 0; k <= p.degree; ++k) {
      const Pose& X = curve.control[k];
      const Vec3 at = is_point ? Vec3(X * u) : Vec3(X.R * u);
      p.coefficient[k] = direction.dot(at) + offset;
    }
    pieces.push_back(piece);
  }
  return pieces;
}

void addPathConstraint(const Problem& problem, const KeepAxis& keep, double tolerance,
                       const CertifiedMotion& motion, std::vector<CertifiedLimit>* out) {
  const std::vector<Piece> cosine =
      projectedCurve(motion.linkCurve(keep.link), keep.direction_W.normalized(),
                     keep.axis_L.normalized(), false, 0.0);
  CertifiedLimit limit = limitOf(cosine, {std::cos(keep.tolerance), kInfinity}, 0.0);
  // The cosine's least value is the angle's greatest.
  const double least = limit.lower, most = limit.upper;
  limit.subject = problem.robot->links()[keep.link].name;
  limit.quantity = "angle of the kept axis";
  limit.lower = std::acos(std::clamp(most, -1.0, 1.0));
  limit.upper = std::acos(std::clamp(least, -1.0, 1.0));
  limit.lower_limit = 0.0;
  limit.upper_limit = keep.tolerance;
  limit.kept = limit.upper <= keep.tolerance + tolerance;
  out->push_back(limit);
}

void addPathConstraint(const Problem& problem, const KeepInBox& keep, double tolerance,
                       const CertifiedMotion& motion, std::vector<CertifiedLimit>* out) {
  static constexpr const char* kQuantity[] = {"x in the box", "y in the box", "z in the box"};
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 e = keep.X_WB.R.col(axis);
    const double half = 0.5 * keep.size[axis];
    CertifiedLimit limit =
        limitOf(projectedCurve(motion.linkCurve(keep.link), e, keep.p_L, true, -e.dot(keep.X_WB.p)),
                {-half, half}, tolerance);
    limit.subject = problem.robot->links()[keep.link].name;
    limit.quantity = kQuantity[axis];
    out->push_back(limit);
  }
}

}  // namespace

std::vector<CertifiedLimit> certifiedLimits(const Problem& problem, const Trajectory& trajectory,
                                            const CertifiedLimitOptions& options,
                                            const CertifiedMotion& motion) {
  std::vector<CertifiedLimit> limits;
  const DurationBounds& duration = problem.duration;
  const double slack = options.limit_tolerance * std::max(1.0, duration.max);
  const double T = trajectory.duration();
  limits.push_back({"", "duration", T, T, duration.min, duration.max, T,
                    T >= duration.min - slack && T <= duration.max + slack});
  addJointLimits(problem, trajectory, options, &limits);
  addTorques(problem, trajectory, options, &limits);
  addBalance(problem, trajectory, &limits);
  for (const PathConstraint& constraint : problem.path_constraints) {
    std::visit(
        [&](const auto& keep) {
          addPathConstraint(problem, keep, options.path_tolerance, motion, &limits);
        },
        constraint);
  }
  return limits;
}

}  // namespace allclear
