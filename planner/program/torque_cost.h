#pragma once

#include <memory>

#include "allclear/planner/problem.h"
#include "allclear/planner/program/curve_variables.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// The torques that a motion needs, as one number: the integral over time of the sum of squared
/// shares of the effort limits of the planned coordinates. A coordinate without a limit, or with
/// one of zero, counts nothing. By Gauss's rule with three instants per span, each one inverse
/// dynamics. Holds scratch: one per thread.
class TorqueEnergy {
 public:
  explicit TorqueEnergy(const Problem& problem);

  double value(const BSpline& curve);
  double value(const Trajectory& curve);
  /// Adds `factor` times the derivatives of the value by the variables of `curve`; `dC` is the
  /// derivative of its control points by the duration at fixed variables.
  void addGradient(double factor, const CurveVariables& variables, const BSpline& curve,
                   const MatX& dC, Eigen::Ref<VecX> out);

 private:
  struct State {
    VecX q, v, a;  ///< all coordinates of the robot
  };
  template <class Curve>
  State stateAt(const Curve& curve, double t) const;
  template <class Curve>
  double integral(const Curve& curve);
  /// Sum of squared shares.
  double weigh(const VecX& torques) const;

  const Problem& problem_;
  std::shared_ptr<const RobotModel> robot_;  ///< with what it carries
  Kinematics kinematics_;
  Kinematics::Workspace workspace_;
  VecX per_effort_;  ///< 1 / effort by planned coordinate; 0 where it counts nothing
  VecX torques_;
  InverseDynamics dynamics_;
};

}  // namespace allclear
