// Proves bounds of every limited quantity along the whole trajectory.
//
// Idea. A joint's position, velocity, acceleration or jerk is a polynomial on each span of the
// trajectory. In Bernstein form it lies between the least and the greatest of its coefficients, and
// both ends are values that it takes. Halving the span (de Casteljau) moves the coefficients
// towards the curve, with the square of the length; so a few halvings make the bound as tight as
// wanted. The coefficients carry a bound of their own rounding (SpanCoefficients::error), which is
// part of every bound: it holds for the polynomial that exact arithmetic would give.
//
// Kept axes and boxes are linear functions of a link's pose, and that is a polynomial too, to
// within the error of its curve, which takes the place of the rounding. Held poses and lines:
// held_limits.h. Torques are no polynomials: torque.h.
#include "allclear/planner/certificate/limits.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/core/extremes.h"
#include "allclear/core/stop_scope.h"
#include "allclear/planner/certificate/cable_limits.h"
#include "allclear/planner/certificate/contact_drift.h"
#include "allclear/planner/certificate/contact_limits.h"
#include "allclear/planner/certificate/held_limits.h"
#include "allclear/planner/certificate/impact_limits.h"
#include "allclear/planner/certificate/interpolation.h"
#include "allclear/planner/certificate/torque.h"
#include "allclear/trajectories/bernstein_span.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How tight the bounds are made, relative to the size of the limit: a tenth of the default
/// `limit_tolerance`, so that a curve along its limit is not refused for a loose bound.
constexpr double kBoundTightness = 1e-10;

/// A polynomial piece of one function of time.
struct Piece {
  double start;  ///< [s]
  SpanCoefficients polynomial;
};

/// A bracket of the maximum of a function: an upper bound, and the greatest value seen.
struct Maximum {
  double bound = -kInfinity;
  double reached = -kInfinity;
  double t = 0.0;  ///< where `reached` is [s]
};

void addValue(double value, double t, Maximum* maximum) {
  if (!(value > maximum->reached)) return;  // a NaN is no value seen
  maximum->reached = value;
  maximum->t = t;
}

/// Halves the piece until its greatest coefficient exceeds a value that the function takes by at
/// most `tolerance`. Ends: the excess falls to a quarter with each halving, until it is below the
/// tolerance or below the error of the coefficients.
void boundPiece(const Piece& piece, double tolerance, Maximum* maximum) {
  const SpanCoefficients& p = piece.polynomial;
  const double first = p.coefficient[0], last = p.coefficient[p.degree];
  // The first and the last coefficient are the values at the ends.
  addValue(first, piece.start, maximum);
  addValue(last, piece.start + p.length, maximum);
  const double top = p.upper() - p.error;
  if (!std::isfinite(top)) {
    maximum->bound = kInfinity;
    return;
  }
  // Halving does not reduce the error of the coefficients: near it there is nothing to gain.
  const bool is_flat = top <= std::max(first, last) + tolerance + p.error;
  if (top <= maximum->reached + tolerance || is_flat) {
    maximum->bound = raised(maximum->bound, p.upper());
    return;
  }
  Piece half{piece.start, p};
  half.polynomial.restrict(0.0, 0.5, 0.0);
  boundPiece(half, tolerance, maximum);
  half = {piece.start + 0.5 * p.length, p};
  half.polynomial.restrict(0.5, 1.0, 0.0);
  boundPiece(half, tolerance, maximum);
}

/// The maximum over all pieces of the function (sign 1) or of minus the function (sign -1).
Maximum maximumOf(const std::vector<Piece>& pieces, double sign, double tolerance) {
  std::vector<Piece> signed_pieces = pieces;
  // The values at all starts first: the greater the value seen, the fewer pieces need halving.
  Maximum maximum;
  for (Piece& piece : signed_pieces) {
    for (double& c : piece.polynomial.coefficient) c *= sign;
    addValue(piece.polynomial.coefficient[0], piece.start, &maximum);
  }
  for (const Piece& piece : signed_pieces) boundPiece(piece, tolerance, &maximum);
  return maximum;
}

/// Bounds of the function against its limits. The time is that of the side nearer to its limit.
CertifiedLimit limitOf(const std::vector<Piece>& pieces, Interval limits, double tolerance) {
  double size = 1.0;
  for (double limit : {limits.lower, limits.upper}) {
    if (std::isfinite(limit)) size = std::max(size, std::abs(limit));
  }
  // The minimum is minus the maximum of minus the function.
  const Maximum most = maximumOf(pieces, 1.0, kBoundTightness * size);
  const Maximum least = maximumOf(pieces, -1.0, kBoundTightness * size);
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

void addJointLimits(const Problem& problem, const Trajectory& trajectory,
                    const CertifiedLimitOptions& options, std::vector<CertifiedLimit>* out) {
  static constexpr const char* kQuantity[] = {"position", "velocity", "acceleration", "jerk"};
  const PlannedLimits limits = plannedLimits(problem);
  const std::array<const VecX*, 4> upper{&limits.upper, &limits.velocity, &limits.acceleration,
                                         &limits.jerk};
  for (int k = 0; k < problem.plannedCount(); ++k) {
    // Derivatives beyond that have no value where pieces meet (interpolation.h).
    for (int order = 0; order <= requiredContinuity(trajectory) + 1; ++order) {
      // Limits of the derivatives are symmetric; that of the position is a range.
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

/// Torques, when the problem limits them and the robot says by how much. Where the velocity jumps
/// they are infinite, or whatever the drives make of it. Those of a robot that stands come with the
/// forces at its contacts.
void addTorques(const Problem& problem, const Trajectory& trajectory,
                const CertifiedLimitOptions& options, std::vector<CertifiedLimit>* out) {
  const VecX effort = plannedLimits(problem).effort;
  if (!problem.limits.torque || usesWrenches(problem)) return;
  if (!(effort.array() < kInfinity).any() || requiredContinuity(trajectory) == 0) return;
  addTorqueLimits(problem, torqueBounds(problem, trajectory, effort), effort, options, out);
}

/// The room that the ground's wrench keeps from every edge of the support polygon: the least of
/// all.
void addBalance(const Problem& problem, const Trajectory& trajectory,
                std::vector<CertifiedLimit>* out) {
  if (!problem.balance || problem.balance->criterion == Balance::Criterion::kForces) return;
  const bool at_rest = problem.balance->criterion == Balance::Criterion::kCom;
  if (!at_rest && requiredContinuity(trajectory) == 0) return;
  const SupportPolygon polygon = supportPolygon(problem, *problem.balance);
  const std::vector<DynamicsBound> bounds = balanceBounds(problem, trajectory, polygon);
  // Inside the polygon means inside of every edge, so the least room of all edges is the one that
  // counts.
  CertifiedLimit limit;
  limit.quantity = "room in the support polygon";
  limit.lower = limit.upper_limit = kInfinity;
  limit.upper = -kInfinity;
  for (const DynamicsBound& edge : bounds) {
    if (edge.bound.lower < limit.lower) limit.t = edge.t;
    limit.lower = lowered(limit.lower, edge.bound.lower);
    limit.upper = raised(limit.upper, edge.bound.upper);
  }
  limit.lower_limit = 0.0;
  limit.kept = limit.lower >= 0.0;
  out->push_back(limit);
}

/// The polynomials, along a link's curve, of direction . x + offset, where x is the body point u in
/// the world, or the body vector u rotated into the world. Pre: `direction` is a unit vector, so
/// the error of x is also that of its part along it.
std::vector<Piece> projectedCurve(const std::vector<BodyCurve>& curves, const Vec3& direction,
                                  const Vec3& u, bool is_point, double offset) {
  std::vector<Piece> pieces;
  for (const BodyCurve& curve : curves) {
    // A linear function of a pose in Bernstein form has the function of its coefficients as
    // coefficients.
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

/// Bounds the angle between a link's axis and a direction of the world. Its cosine is linear in the
/// link's pose, the angle itself is not.
void addPathConstraint(const Problem& problem, const KeepAxis& keep, double tolerance,
                       const CertifiedMotion& motion, std::vector<CertifiedLimit>* out) {
  const std::vector<Piece> cosine =
      projectedCurve(motion.linkCurve(keep.link), keep.direction_W.normalized(),
                     keep.axis_L.normalized(), false, 0.0);
  CertifiedLimit limit = limitOf(cosine, {std::cos(keep.tolerance), kInfinity}, 0.0);
  // The cosine falls as the angle grows: its least value belongs to the greatest angle.
  const double least = limit.lower, most = limit.upper;
  limit.subject = problem.robot->links()[keep.link].name;
  limit.quantity = "angle of the kept axis";
  limit.lower = std::acos(std::clamp(most, -1.0, 1.0));
  limit.upper = std::acos(std::clamp(least, -1.0, 1.0));
  limit.lower_limit = 0.0;
  limit.upper_limit = keep.tolerance;
  limit.kept = limit.upper <= keep.tolerance + tolerance;  // of the angle, not of its cosine
  out->push_back(limit);
}

/// Bounds a link's point along the three axes of a box.
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

void addPathConstraint(const Problem& problem, const KeepPose& keep, double tolerance,
                       const CertifiedMotion& motion, std::vector<CertifiedLimit>* out) {
  addHeldPose(problem, keep, tolerance, motion, out);
}

void addPathConstraint(const Problem& problem, const KeepOnLine& line, double tolerance,
                       const CertifiedMotion& motion, std::vector<CertifiedLimit>* out) {
  addLine(problem, line, tolerance, motion, out);
}

}  // namespace

std::vector<CertifiedLimit> certifiedLimits(const Problem& problem, const Trajectory& trajectory,
                                            const Trajectory* wrenches,
                                            const CertifiedLimitOptions& options,
                                            const CertifiedMotion& motion) {
  std::vector<CertifiedLimit> limits;
  // The order is that of the certificate; `checkLimits` compares entry by entry.
  const DurationBounds& duration = problem.duration;
  const double slack = options.limit_tolerance * std::max(1.0, duration.max);
  const double T = trajectory.duration();
  limits.push_back({"", "duration", T, T, duration.min, duration.max, T,
                    T >= duration.min - slack && T <= duration.max + slack});
  addJointLimits(problem, trajectory, options, &limits);
  throwIfStopped();
  addTorques(problem, trajectory, options, &limits);
  throwIfStopped();
  addContactLimits(problem, trajectory, wrenches, options, &limits);
  throwIfStopped();
  addBalance(problem, trajectory, &limits);
  for (const PathConstraint& constraint : problem.path_constraints) {
    std::visit(
        [&](const auto& keep) {
          addPathConstraint(problem, keep, options.path_tolerance, motion, &limits);
        },
        constraint);
  }
  for (CertifiedLimit& drift : contactDrifts(problem, motion)) limits.push_back(std::move(drift));
  addImpactLimits(problem, trajectory, &limits);
  addCableLimits(problem, trajectory, motion, &limits);
  return limits;
}

}  // namespace allclear
