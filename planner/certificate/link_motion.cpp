// The motion of the links of a `CertifiedMotion`: curves with error bounds.
//
// Cells. Time is cut where a span of the trajectory ends, where an obstacle's motion has a knot,
// and wherever `LinkCurveBuilder` needs shorter cells to keep its poses within the tolerance. All
// bodies share the cells, so that the coefficients of two pieces belong to the same weights.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/deforming_mesh.h"
#include "allclear/planner/certificate/boundable.h"
#include "allclear/planner/certificate/motion.h"
#include "allclear/planner/problem/after_end.h"

namespace allclear {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Rounding of the instants at which the spans of a trajectory begin and end, in machine epsilons
/// of the instant: knots are multiplied by the duration (half an epsilon at either end), and the
/// place in a span is a quotient of differences of such instants.
constexpr double kTimeRoundings = 4.0;

}  // namespace

/// The span with the coordinates that are not planned at rest.
BernsteinSpan CertifiedMotion::robotSpan(const BernsteinSpan& planned_span) const {
  // A constant coordinate has the same value as every Bernstein coefficient.
  const MatX& part = planned_span.control();
  MatX control = problem_.start.replicate(1, part.cols());
  for (int i = 0; i < problem_.plannedCount(); ++i) {
    control.row(problem_.planned[i]) = part.row(i);
  }
  if (planned_span.degree() > kMotionOrder) {
    throw InputError("the trajectory cannot be bounded: a polynomial piece of it is of degree " +
                     std::to_string(planned_span.degree()) + ", above " +
                     std::to_string(kMotionOrder));
  }
  requireShortTravel(*problem_.robot, planned_span.time(), control);
  return {planned_span.time(), std::move(control)};
}

/// How far the coordinates of the span may be from the trajectory's: by the rounding of its
/// Bernstein coefficients, of a cut at a break of the motion (as in `SpanCoefficients::restrict`),
/// and of its instants.
VecX CertifiedMotion::coordinateError(int span, const BernsteinSpan& robot_span) const {
  const MatX& control = robot_span.control();
  const double degree = robot_span.degree();
  const double t = std::max(std::abs(robot_span.time().lower), std::abs(robot_span.time().upper));
  VecX error = VecX::Zero(control.rows());
  for (int i = 0; i < problem_.plannedCount(); ++i) {
    const auto row = control.row(problem_.planned[i]);
    const SpanCoefficients whole = coefficientsOf(trajectory_, span, 0, i);
    const double range = row.maxCoeff() - row.minCoeff();
    const double rate = coefficientsOf(trajectory_, span, 1, i).magnitude();
    error[problem_.planned[i]] =
        whole.error + kEpsilon * (4.0 * (degree + 1.0) * whole.magnitude() + 4.0 * degree * range +
                                  kTimeRoundings * t * rate);
  }
  return error;
}

/// The instants that a cell may not contain in its inside: ends of spans, where the polynomial of
/// the coordinates changes, and those that the obstacles' motions ask for. While the robot rests
/// after the end of the trajectory, only obstacles ask for any.
std::vector<double> CertifiedMotion::timeBreaks(double tolerance) const {
  const double end = coveredUntil(problem_, trajectory_.duration());
  std::set<double> breaks{0.0, trajectory_.duration(), end};
  for (int i = 1; i < trajectory_.spanCount(); ++i) breaks.insert(trajectory_.spanTime(i).lower);
  for (const Obstacle& obstacle : problem_.obstacles) {
    for (double t : obstacle.breaks({0.0, end}, tolerance)) breaks.insert(t);
    if (obstacle.deforming == nullptr) continue;
    for (double t : obstacle.deforming->breaks({0.0, end})) breaks.insert(t);
  }
  return {breaks.begin(), breaks.end()};
}

/// The planned coordinates during `time`, which no break divides; at rest after the trajectory.
BernsteinSpan CertifiedMotion::plannedSpan(Interval time) const {
  if (time.lower < trajectory_.duration()) {
    return trajectory_.span(trajectory_.spanAt(time.middle())).restricted(time);
  }
  const MatX last = trajectory_.span(trajectory_.spanCount() - 1).control().rightCols(1);
  return {time, last.replicate(1, 2)};
}

/// The cells of time, and the curves of all links over them: of those that carry bodies, of those
/// that path constraints name, that hold cables, and of the root.
void CertifiedMotion::makeLinkCurves(const Problem& problem, const CertifiedGeometry& geometry,
                                     double tolerance) {
  std::set<int> links{problem.robot->rootLink()};
  for (const CertifiedBody& body : geometry.bodies) {
    if (body.link >= 0) links.insert(body.link);
  }
  for (const PathConstraint& constraint : problem.path_constraints) {
    links.insert(std::visit([](const auto& c) { return c.link; }, constraint));
    const auto* kept = std::get_if<KeepPose>(&constraint);
    if (kept != nullptr && kept->relative_to >= 0) links.insert(kept->relative_to);
  }
  for (const Cable& cable : problem.cables) {
    for (const CableClip& clip : cable.clips) links.insert(clip.link);
  }
  // One builder for all: their curves share cells.
  LinkCurveBuilder::Options options;
  options.links.assign(links.begin(), links.end());
  builder_ = std::make_unique<LinkCurveBuilder>(*problem.robot, options);
  workspace_ = std::make_unique<LinkCurveBuilder::Workspace>(*builder_);
  link_curves_.resize(problem.robot->links().size());
  cells_ = addCurves(*builder_, timeBreaks(tolerance), tolerance, *workspace_, &link_curves_);
}

std::vector<BodyCurve> CertifiedMotion::curvesOf(int link, double tolerance) const {
  LinkCurveBuilder::Options options;
  options.links = {link};
  const LinkCurveBuilder builder(*problem_.robot, options);
  LinkCurveBuilder::Workspace workspace(builder);
  std::vector<double> breaks{0.0};
  for (int i = 0; i < trajectory_.spanCount(); ++i) breaks.push_back(trajectory_.spanTime(i).upper);
  std::vector<std::vector<BodyCurve>> curves(problem_.robot->links().size());
  addCurves(builder, breaks, tolerance, workspace, &curves);
  return std::move(curves[link]);
}

/// Adds the curves of the builder's links between the breaks, by link; returns their cells.
std::vector<Interval> CertifiedMotion::addCurves(
    const LinkCurveBuilder& builder, const std::vector<double>& breaks, double tolerance,
    LinkCurveBuilder::Workspace& workspace, std::vector<std::vector<BodyCurve>>* by_link) const {
  std::vector<Interval> cells;
  LinkCurves curves;
  for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
    throwIfStopped();
    const Interval time{breaks[i], breaks[i + 1]};
    // The span of the trajectory; its last one while the robot rests after the end.
    const int index = trajectory_.spanAt(time.middle());
    // Labelled with our own times: those of the restricted span may differ by a rounding, and cells
    // must join without a gap.
    const BernsteinSpan span(time, robotSpan(plannedSpan(time)).control());
    const VecX error = coordinateError(index, span);
    builder.build(span, tolerance, workspace, &curves);
    cells.insert(cells.end(), curves.cells.begin(), curves.cells.end());
    for (std::size_t l = 0; l < builder.links().size(); ++l) {
      const int link = builder.links()[l];
      for (BodyCurve curve : curves.of(static_cast<int>(l))) {
        builder.addCoordinateError(span, static_cast<int>(l), error, &curve);
        requireFinite(curve, "link '" + problem_.robot->links()[link].name + "'");
        (*by_link)[link].push_back(curve);
      }
    }
  }
  for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
    ALLCLEAR_ASSERT(cells[i].upper == cells[i + 1].lower);
  }
  return cells;
}

}  // namespace allclear
