// The entrances of the certificate. A NaN or an overflow deep inside of a proof is found where a
// bound is compared (core/extremes.h), and then nothing is proven; but nobody could tell why. So
// numbers from which bounds can be made are demanded here, and what is refused is named.
#include "allclear/planner/certificate/boundable.h"

#include <cmath>

#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/planner/problem/boundable_values.h"
#include "allclear/robot_models/kinematics/motion_tree.h"
#include "allclear/trajectories/named_trajectory.h"

namespace allclear {
namespace {

/// Greatest travel of a joint within one span [rad or m]. No robot moves so far in one span, and
/// the number of cells that it takes to bound the motion grows with the travel.
constexpr double kGreatestTravel = 100.0;

std::string shown(double value) { return formatted("%.6g", value); }

std::string during(Interval time) {
  return "from t = " + shown(time.lower) + " s to " + shown(time.upper) + " s";
}

/// Polynomials of a motion (one for each link and piece), some 1.5 kB each: more would take
/// gigabytes.
constexpr double kMostPolynomials = 1.5e6;

/// Written so that NaN is refused.
void requireSmall(const MatX& values, const char* what) {
  if (values.size() == 0 || (values.array().abs() <= TrajectoryLimits::kGreatestValue).all())
    return;
  throw InputError(std::string("the trajectory cannot be bounded: ") + what +
                   " of it is not finite or beyond 1e9");
}

void requireBoundable(const Trajectory& trajectory) {
  requireSmall(MatX::Constant(1, 1, trajectory.duration()), "the duration");
  if (const BSpline* spline = trajectory.bspline()) {
    requireSmall(spline->control(), "a control point");
  } else {
    const HermiteCurve& rows = *trajectory.hermite();
    requireSmall(rows.positions(), "a position");
    if (rows.givenOrder() >= 1) requireSmall(rows.velocities(), "a velocity");
    if (rows.givenOrder() >= 2) requireSmall(rows.accelerations(), "an acceleration");
  }
  // Derivatives divide by the length of their piece: rounding would swamp those of a tiny one.
  for (int i = 0; i < trajectory.spanCount(); ++i) {
    const Interval time = trajectory.spanTime(i);
    if (time.length() >= TrajectoryLimits::kShortestStep) continue;
    throw InputError("the trajectory cannot be bounded: its piece " + during(time) +
                     " is shorter than 1e-9 s");
  }
}

}  // namespace

void requireBoundable(const Problem& problem, const Trajectory& trajectory) {
  for (const Finding& finding : unboundableValues(problem)) {
    throw InputError({problem.source_file, 0, finding.what, ""}, finding.message);
  }
  requireBoundable(trajectory);
  const double links = static_cast<double>(problem.robot->links().size());
  if (!(links * trajectory.spanCount() <= kMostPolynomials)) {
    throw InputError(
        formatted("the trajectory has %d pieces, more than the %.0f that memory holds "
                  "of a robot of %.0f links: thin its rows, or certify it in parts",
                  trajectory.spanCount(), kMostPolynomials / links, links));
  }
}

void requireShortTravel(const RobotModel& robot, Interval time, const MatX& control) {
  const auto require = [&](const std::string& name, int coordinate, double factor) {
    const auto row = control.row(coordinate);
    const double travel = std::abs(factor) * (row.maxCoeff() - row.minCoeff());
    if (travel <= kGreatestTravel) return;
    throw InputError("the trajectory cannot be bounded: joint '" + name + "' moves by " +
                     shown(travel) + " rad or m " + during(time) +
                     ", more than 100 in one polynomial piece");
  };
  for (int c = 0; c < robot.dimension(); ++c) require(robot.coordinates()[c].name, c, 1.0);
  for (const Joint& joint : robot.joints()) {
    if (joint.mimic) require(joint.name, joint.mimic->coordinate, joint.mimic->multiplier);
  }
}

void requireFinite(const BodyCurve& curve, const std::string& name) {
  double sum = curve.position_error + curve.rotation_error;
  for (const Pose& X : curve.control) sum += X.R.sum() + X.p.sum();
  for (int n = 0; n < 3; ++n) sum += curve.bounds.linear[n] + curve.bounds.angular[n];
  if (std::isfinite(sum)) return;
  throw InputError("the motion of " + name + " " + during(curve.time) +
                   " is too fast or too large to be bounded");
}

}  // namespace allclear
