// With s_j = tau_j / effort_j, E = integral over t of sum_j s_j^2. In normalised time the instants
// and their weights w_i are fixed, so E = T sum_i w_i |s(q, v, a)|^2 is a smooth function of the
// control points C and the duration T. With f_k = 2 sum_j s_j ds_j/dq^(k), and the weights b_l^(k)
// of the basis:
//
//   dE/dC_l = T sum_i w_i sum_k T^-k b_l^(k) f_k,
//   dE/dT   = E / T + T sum_i w_i sum_k f_k . (T^-k sum_l b_l^(k) dC_l/dT - k/T q^(k)).
#include "allclear/planner/program/torque_cost.h"

#include <array>
#include <cmath>

#include "allclear/core/stop_scope.h"
#include "allclear/planner/problem/load.h"

namespace allclear {
namespace {

/// Gauss's rule on [0, 1], exact to degree 5.
struct Node {
  double at, weight;
};
const std::array<Node, 3> kNodes{
    {{0.5 - std::sqrt(0.15), 5.0 / 18.0}, {0.5, 8.0 / 18.0}, {0.5 + std::sqrt(0.15), 5.0 / 18.0}}};

VecX inverseEfforts(const Problem& problem) {
  VecX out = VecX::Zero(problem.plannedCount());
  for (int k = 0; k < problem.plannedCount(); ++k) {
    const double effort = problem.robot->coordinates()[problem.planned[k]].effort;
    if (effort > 0.0 && std::isfinite(effort)) out[k] = 1.0 / effort;
  }
  return out;
}

}  // namespace

TorqueEnergy::TorqueEnergy(const Problem& problem)
    : problem_(problem),
      robot_(loadedRobot(problem)),
      kinematics_(*robot_),
      workspace_(kinematics_.makeWorkspace()),
      per_effort_(inverseEfforts(problem)) {}

/// Coordinates that are not planned stay where they are.
template <class Curve>
TorqueEnergy::State TorqueEnergy::stateAt(const Curve& curve, double t) const {
  const VecX zero = VecX::Zero(robot_->dimension());
  State state{problem_.configuration(curve.value(t)), zero, zero};
  const VecX v = curve.value(t, 1), a = curve.value(t, 2);
  for (int k = 0; k < problem_.plannedCount(); ++k) {
    state.v[problem_.planned[k]] = v[k];
    state.a[problem_.planned[k]] = a[k];
  }
  return state;
}

double TorqueEnergy::weigh(const VecX& torques) const {
  return problem_.plannedPart(torques).cwiseProduct(per_effort_).squaredNorm();
}

template <class Curve>
double TorqueEnergy::integral(const Curve& curve) {
  double sum = 0.0;
  for (int i = 0; i < curve.spanCount(); ++i) {
    throwIfStopped();
    const Interval span = curve.spanTime(i);
    for (const Node& node : kNodes) {
      const State state = stateAt(curve, span.lower + node.at * span.length());
      kinematics_.inverseDynamics(state.q, state.v, state.a, workspace_, torques_);
      sum += node.weight * span.length() * weigh(torques_);
    }
  }
  return sum;
}

double TorqueEnergy::value(const BSpline& curve) { return integral(curve); }
double TorqueEnergy::value(const Trajectory& curve) { return integral(curve); }

void TorqueEnergy::addGradient(double factor, const CurveVariables& variables, const BSpline& curve,
                               const MatX& dC, Eigen::Ref<VecX> out) {
  const double T = curve.duration();
  const int n = problem_.plannedCount();
  double& by_duration = out[variables.duration()];
  for (int i = 0; i < curve.spanCount(); ++i) {
    throwIfStopped();
    const Interval span = curve.spanTime(i);
    for (const Node& node : kNodes) {
      const double t = span.lower + node.at * span.length();
      const State state = stateAt(curve, t);
      kinematics_.inverseDynamicsDerivatives(state.q, state.v, state.a, workspace_, dynamics_);
      const double weight = factor * node.weight * span.length();
      // The interval's length is a share of T.
      by_duration += weight / T * weigh(dynamics_.tau);

      // 2 s_j / effort_j: the derivative of the sum by the torques.
      VecX by_torque = VecX::Zero(robot_->dimension());
      for (int k = 0; k < n; ++k) {
        const int c = problem_.planned[k];
        by_torque[c] = 2.0 * per_effort_[k] * per_effort_[k] * dynamics_.tau[c];
      }
      const MatX* const by_order[] = {&dynamics_.dtau_dq, &dynamics_.dtau_dv, &dynamics_.dtau_da};
      for (int order = 0; order < 3; ++order) {
        const VecX f =
            weight * problem_.plannedPart(VecX(by_order[order]->transpose() * by_torque));
        const BasisWeights basis = curve.basis().weights(order, t / T);
        const double scale = std::pow(T, -order);
        for (int w = 0; w < basis.weights.size(); ++w) {
          const int l = basis.first + w;
          const VecX by_control = scale * basis.weights[w] * f;
          by_duration += by_control.dot(dC.col(l));
          for (int k = 0; k < n; ++k) {
            // The last control points of a pose goal are one variable: their parts add up.
            const int variable = l < CurveVariables::kEnds ? -1 : variables.of(l, k);
            if (variable >= 0) out[variable] += by_control[k];
          }
        }
        if (order > 0) by_duration -= order / T * f.dot(curve.value(t, order));
      }
    }
  }
}

}  // namespace allclear
