#pragma once

#include <vector>

#include "allclear/planner/program/curve_variables.h"

namespace allclear {

/// Second derivatives of the Lagrangian that involve the duration T. With V the coordinates of the
/// control points: d2/(dV dT) by coordinate and control point, and d2/dT2.
struct DurationCurvature {
  MatX cross;
  double twice = 0.0;
};

/// The cost of a curve: its duration and the integrals over time of its squared velocity,
/// acceleration and jerk, weighted by the problem's objective and each scaled to one on the guess.
class CurveCost {
 public:
  CurveCost(const Problem& problem, const BSpline& guess);

  double value(const BSpline& curve) const;
  /// By all variables; `dC` is the derivative of the control points by the duration.
  void gradient(const CurveVariables& variables, const MatX& C, double T, const MatX& dC,
                Eigen::Ref<VecX> out) const;
  /// Second derivative by two control points of one coordinate, times `factor`.
  double controlCurvature(double factor, double T, int l, int k) const;
  void addDurationCurvature(double factor, const MatX& C, double T, const MatX& dC, const MatX& ddC,
                            DurationCurvature* out) const;

 private:
  /// The integral of |q^(k)|^2 is T^(1 - 2k) tr(C Q C^T), with Q of normalised time.
  struct EnergyTerm {
    int order;      ///< k
    double weight;  ///< over the value on the guess
    MatX Q;
  };
  std::vector<EnergyTerm> energy_;
  double duration_weight_ = 0.0;
};

}  // namespace allclear
