#include "allclear/planner/program/curve_cost.h"

#include <algorithm>
#include <cmath>

namespace allclear {
namespace {

/// A guess that stays where it is has no energy: the scale then is not below this.
constexpr double kLeastEnergy = 1e-9;

}  // namespace

CurveCost::CurveCost(const Problem& problem, const BSpline& guess) {
  const ObjectiveWeights& weights = problem.objective;
  duration_weight_ = weights.duration / guess.duration();
  const double by_order[] = {weights.velocity, weights.acceleration, weights.jerk};
  // Each weight is divided by the energy of the guess: then weights compare, whatever the units.
  for (int order = 1; order <= 3; ++order) {
    if (by_order[order - 1] <= 0.0) continue;
    EnergyTerm term{order, by_order[order - 1], guess.basis().energy(order)};
    const double on_guess = (guess.control() * term.Q).cwiseProduct(guess.control()).sum() *
                            std::pow(guess.duration(), 1 - 2 * order);
    term.weight /= std::max(on_guess, kLeastEnergy);
    energy_.push_back(std::move(term));
  }
}

double CurveCost::value(const BSpline& curve) const {
  const MatX& C = curve.control();
  double value = duration_weight_ * curve.duration();
  for (const EnergyTerm& term : energy_) {
    value += term.weight * std::pow(curve.duration(), 1 - 2 * term.order) *
             (C * term.Q).cwiseProduct(C).sum();
  }
  return value;
}

// With p = 1 - 2k and E = T^p tr(C Q C^T), where C itself depends on T through its fixed columns:
//   dE/dC = 2 T^p C Q,  dE/dT = T^p (p/T tr(C Q C^T) + 2 tr(C Q C'^T)).
void CurveCost::gradient(const CurveVariables& variables, const MatX& C, double T, const MatX& dC,
                         Eigen::Ref<VecX> out) const {
  out.setZero();
  double by_duration = duration_weight_;
  for (const EnergyTerm& term : energy_) {
    const double p = 1 - 2 * term.order;
    const MatX CQ = C * term.Q;
    const double power = term.weight * std::pow(T, p);
    // The last three control points of a pose goal are one variable: their parts add up.
    for (int l = CurveVariables::kEnds; l < variables.controls(); ++l) {
      for (int j = 0; j < variables.joints(); ++j) {
        const int v = variables.of(l, j);
        if (v >= 0) out[v] += 2.0 * power * CQ(j, l);
      }
    }
    by_duration += power * (p / T * CQ.cwiseProduct(C).sum() + 2.0 * CQ.cwiseProduct(dC).sum());
  }
  out[variables.duration()] += by_duration;
}

double CurveCost::controlCurvature(double factor, double T, int l, int k) const {
  double sum = 0.0;
  for (const EnergyTerm& term : energy_) {
    sum += 2.0 * factor * term.weight * std::pow(T, 1 - 2 * term.order) * term.Q(l, k);
  }
  return sum;
}

// The derivatives of `gradient` by T, with C'' = dC/dT of C'.
void CurveCost::addDurationCurvature(double factor, const MatX& C, double T, const MatX& dC,
                                     const MatX& ddC, DurationCurvature* out) const {
  for (const EnergyTerm& term : energy_) {
    const double p = 1 - 2 * term.order;
    const double power = factor * term.weight * std::pow(T, p);
    const MatX CQ = C * term.Q;
    const MatX dCQ = dC * term.Q;
    out->cross += 2.0 * power * (p / T * CQ + dCQ);
    out->twice += power * (p * (p - 1) / (T * T) * CQ.cwiseProduct(C).sum() +
                           4.0 * p / T * CQ.cwiseProduct(dC).sum() +
                           2.0 * (dCQ.cwiseProduct(dC).sum() + CQ.cwiseProduct(ddC).sum()));
  }
}

}  // namespace allclear
