// Curves that keep contacts.
//
// A foot that stays where it is makes six equations of the joints between it and the foot that the
// robot stands on. A spline has finitely many control points, so it cannot meet them at every
// instant: it meets them at as many instants as it has free control points, their Greville points,
// where its values determine it (I. J. Schoenberg, A. Whitney, "On Polya frequency functions III",
// 1953: each lies inside the support of its basis function). Between them the error is that of
// interpolating a smooth function by a quintic spline: O(h^6), a 64th for spans of half the length.
#include "allclear/planner/seeds/contact_fit.h"

#include <cmath>
#include <memory>

#include "allclear/core/assert.h"
#include "allclear/trajectories/spline_fit.h"

namespace allclear {
namespace {

/// Control points that position, velocity and acceleration fix at each end.
constexpr int kEnds = 3;

/// [rad or m] A joint whose control points come nearer to a limit keeps its curve. Others change by
/// what mends the drift of a solved curve, 5e-5 m at the most, and so stay within their limits.
constexpr double kNearLimit = 1e-3;

/// 10 s^3 - 15 s^4 + 6 s^5: from 0 to 1, at rest at both ends.
double smoothStep(double s) { return s * s * s * (10.0 - s * (15.0 - 6.0 * s)); }
/// (4 s (1 - s))^3: 1 half way; position, velocity and acceleration 0 at both ends.
double bump(double s) { return std::pow(4.0 * s * (1.0 - s), 3); }

EndState stateAt(const BSpline& curve, double t) {
  return {curve.value(t), curve.value(t, 1), curve.value(t, 2)};
}

}  // namespace

std::vector<double> middlesOfSpans(const BSplineBasis& basis) {
  std::vector<double> middles;
  for (int i = 0; i < basis.spanCount(); ++i) middles.push_back(basis.span(i).middle());
  return middles;
}

std::optional<BSpline> ContactFit::along(const VecX& start, const VecX& goal, const VecX& bend,
                                         int spans, double duration) {
  const auto basis = std::make_shared<const BSplineBasis>(BSplineBasis::uniform(spans));
  const std::vector<double> points = freeGrevillePoints(*basis);
  Samples samples;
  samples.values.resize(start.size(), static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    VecX q = start + smoothStep(points[i]) * (goal - start) + bump(points[i]) * bend;
    if (!projection_.project(&q)) return std::nullopt;
    samples.times.push_back(points[i] * duration);
    samples.values.col(static_cast<Eigen::Index>(i)) = q;
  }
  return fitSpline(basis, duration, samples, EndState::atRest(start), EndState::atRest(goal));
}

std::vector<bool> ContactFit::nearLimits(const BSpline& curve) const {
  std::vector<bool> near(curve.dimension());
  for (int k = 0; k < curve.dimension(); ++k) {
    const auto control = curve.control().row(k);
    near[k] = control.minCoeff() < limits_.lower[k] + kNearLimit ||
              control.maxCoeff() > limits_.upper[k] - kNearLimit;
  }
  return near;
}

std::optional<BSpline> ContactFit::refitted(const BSpline& curve) {
  const BSpline halved = curve.withInsertedKnots(middlesOfSpans(curve.basis()));
  // A spline between values within a limit may still swing beyond it.
  const auto within = ledOnto(halved, nearLimits(curve));
  return within ? within : ledOnto(halved, std::vector<bool>(curve.dimension(), false));
}

std::optional<BSpline> ContactFit::ledOnto(const BSpline& curve, const std::vector<bool>& held) {
  const std::vector<double> points = freeGrevillePoints(curve.basis());
  const double T = curve.duration();
  Samples samples;
  samples.values.resize(curve.dimension(), static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    VecX q = curve.value(points[i] * T);
    if (!projection_.project(&q, &held)) return std::nullopt;
    samples.times.push_back(points[i] * T);
    samples.values.col(static_cast<Eigen::Index>(i)) = q;
  }
  const BSpline fit =
      fitSpline(curve.sharedBasis(), T, samples, stateAt(curve, 0.0), stateAt(curve, T));
  // Joints that are not between the contacts, or held, keep their curves to the bit, and all joints
  // their ends.
  MatX control = curve.control();
  const int free = static_cast<int>(control.cols()) - 2 * kEnds;
  for (int k = 0; k < curve.dimension(); ++k) {
    if (!projection_.moves(k) || held[k]) continue;
    control.row(k).segment(kEnds, free) = fit.control().row(k).segment(kEnds, free);
  }
  return curve.withControl(std::move(control));
}

}  // namespace allclear
