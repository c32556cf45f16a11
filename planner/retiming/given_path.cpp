// What is given as a path: polylines with jumps by whole turns, with ends that are off by a few
// digits, and curves in time, of which some are smooth enough to be followed as they are.
#include "allclear/planner/retiming/given_path.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"

namespace allclear {
namespace {

/// Derivatives that jump by less than this share of what their limit allows are continuous.
constexpr double kContinuous = 1e-6;
/// Derivatives below this are none; and what a division by zero is kept from.
constexpr double kNothing = 1e-9;
constexpr double kLeastSize = 1e-300;
/// Of the tolerance, what a polyline may be away from its curve, and an end from where it belongs.
constexpr double kChordsOfTolerance = 0.1;
constexpr double kEndsOfTolerance = 0.3;
constexpr int kMostHalvings = 12;
/// Ends nearer than this [rad or m] are the same (`CertifiedLimitOptions::end_tolerance`).
constexpr double kSameEnd = 1e-6;

/// Adds whole turns where a coordinate that wraps jumps by half a turn or more.
void unwrap(const Problem& problem, MatX* points) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  for (int k = 0; k < problem.plannedCount(); ++k) {
    if (!problem.robot->coordinates()[problem.planned[k]].wraps) continue;
    double before = problem.start[problem.planned[k]];
    StopSteps stop;
    for (Eigen::Index i = 0; i < points->cols(); ++i) {
      stop.step();
      double& q = (*points)(k, i);
      q += kTurn * std::round((before - q) / kTurn);
      before = q;
    }
  }
}

/// Whole turns that bring the path's first point to the start.
VecX turnsToStart(const Problem& problem, const VecX& first) {
  MatX moved = first;
  unwrap(problem, &moved);
  return moved.col(0) - first;
}

Trajectory shifted(const Trajectory& path, const VecX& by) {
  if (by.isZero(0.0)) return path;
  if (const BSpline* spline = path.bspline()) {
    return spline->withControl(spline->control().colwise() + by);
  }
  const HermiteCurve& rows = *path.hermite();
  MatX positions = rows.positions().colwise() + by;
  return HermiteCurve(rows.times(), std::move(positions), rows.velocities(), rows.accelerations());
}

/// Whether the curve can be moved along as it is: no jump of velocity or acceleration, at rest at
/// both ends.
bool isSmooth(const PlannedLimits& limits, const Trajectory& path) {
  const HermiteCurve* rows = path.hermite();
  if (rows != nullptr && rows->givenOrder() < 2) return false;
  // Relative to its own greatest derivatives: a path may be far too fast.
  for (int order = 1; order <= 2; ++order) {
    const VecX size = path.derivativeBound(order, {0.0, path.duration()}).array() + kLeastSize;
    const auto is_small = [&](const VecX& jump) {
      return (jump.cwiseAbs().cwiseQuotient(size).array() <= kContinuous).all() ||
             jump.isZero(kNothing);
    };
    if (!is_small(path.value(0.0, order)) || !is_small(path.value(path.duration(), order))) {
      return false;
    }
    for (int i = 1; i < path.spanCount(); ++i) {
      throwIfStopped();
      const BernsteinSpan before = path.derivativeSpan(i - 1, order);
      const VecX jump =
          path.derivativeSpan(i, order).control().col(0) - before.control().col(before.degree());
      if (!is_small(jump)) return false;
    }
  }
  return limits.velocity.size() == path.dimension();
}

/// Chords of a span, nearer to it than `within`.
void addChords(const BernsteinSpan& span, double within, int halvings, double place, double share,
               std::vector<VecX>* points, std::vector<double>* places) {
  throwIfStopped();
  const MatX& c = span.control();
  const Eigen::Index last = c.cols() - 1;
  // The difference from the chord walked evenly, in Bernstein form: its coefficients bound it.
  double off = 0.0;
  for (Eigen::Index i = 1; i < last; ++i) {
    const double u = static_cast<double>(i) / static_cast<double>(last);
    const VecX chord = (1.0 - u) * c.col(0) + u * c.col(last);
    off = std::max(off, (c.col(i) - chord).cwiseAbs().maxCoeff());
  }
  if (off <= within || halvings == kMostHalvings) {
    points->emplace_back(c.col(last));
    places->push_back(place + share);
    return;
  }
  const double middle = span.time().middle();
  addChords(span.restricted({span.time().lower, middle}), within, halvings + 1, place, 0.5 * share,
            points, places);
  addChords(span.restricted({middle, span.time().upper}), within, halvings + 1, place + 0.5 * share,
            0.5 * share, points, places);
}

void makePolyline(GivenPath* given, double within) {
  std::vector<VecX> points{given->path.value(0.0)};
  given->places = {0.0};
  for (int i = 0; i < given->path.spanCount(); ++i) {
    addChords(given->path.span(i), within, 0, i, 1.0, &points, &given->places);
  }
  given->points.resize(points[0].size(), static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    given->points.col(static_cast<Eigen::Index>(i)) = points[i];
  }
}

/// Moves an end of the polyline to where it belongs, if that is near.
void moveEnd(const VecX& to, double tolerance, Eigen::Index column, GivenPath* given) {
  const double off = (given->points.col(column) - to).cwiseAbs().maxCoeff();
  if (!(off > kSameEnd && off <= kEndsOfTolerance * tolerance)) return;
  given->points.col(column) = to;
  given->room_share = std::min(given->room_share, 1.0 - kEndsOfTolerance - kChordsOfTolerance);
}

void moveEnds(const Problem& problem, double tolerance, GivenPath* given) {
  moveEnd(problem.plannedPart(problem.start), tolerance, 0, given);
  const auto* goal = std::get_if<JointTarget>(&problem.goal);
  if (goal == nullptr) return;
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const Eigen::Index last = given->points.cols() - 1;
  VecX to = goal->values;
  for (int k = 0; k < problem.plannedCount(); ++k) {
    if (!problem.robot->coordinates()[problem.planned[k]].wraps) continue;
    to[k] += kTurn * std::round((given->points(k, last) - to[k]) / kTurn);
  }
  moveEnd(to, tolerance, last, given);
}

}  // namespace

Trajectory polyline(const MatX& points) {
  std::vector<double> times;
  for (Eigen::Index i = 0; i < points.cols(); ++i) times.push_back(static_cast<double>(i));
  return HermiteCurve(std::move(times), points);
}

GivenPath givenPath(const Problem& problem, const Trajectory& path, double tolerance) {
  if (path.dimension() != problem.plannedCount()) {
    throw InputError("the path has " + std::to_string(path.dimension()) +
                     " joints where the task plans " + std::to_string(problem.plannedCount()));
  }
  if (!isRestToRest(problem)) {
    throw InputError({problem.source_file, 0, "start_state, goal", ""},
                     "retiming needs a start and a goal at rest");
  }
  // Three kinds: a polyline, a curve to be followed as it is, a curve that becomes a polyline.
  const HermiteCurve* rows = path.hermite();
  if (rows != nullptr && rows->givenOrder() == 0) {
    GivenPath given{path, rows->positions(), {}, 1.0};
    unwrap(problem, &given.points);
    given.path = polyline(given.points);
    for (Eigen::Index i = 0; i < given.points.cols(); ++i) {
      given.places.push_back(static_cast<double>(i));
    }
    moveEnds(problem, tolerance, &given);
    return given;
  }
  GivenPath given{shifted(path, turnsToStart(problem, path.value(0.0))), {}, {}, 1.0};
  if (isSmooth(plannedLimits(problem), given.path)) return given;
  if (!(tolerance > 0.0)) {
    throw InputError(
        "the path is a curve whose velocity or acceleration jumps, or that moves at its ends: it "
        "cannot be followed exactly; give a tolerance");
  }
  makePolyline(&given, kChordsOfTolerance * tolerance);
  given.room_share = 1.0 - kChordsOfTolerance;
  moveEnds(problem, tolerance, &given);
  return given;
}

}  // namespace allclear
