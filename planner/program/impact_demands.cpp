#include "allclear/planner/program/impact_demands.h"

#include "allclear/planner/problem/impact_share.h"

namespace allclear {
namespace {

/// Of the energy limit: below, the cheap bound T K / (T + K) will do.
constexpr double kNear = 0.8;
/// Of the energy limit: below, a demand is far from having a row.
constexpr double kSlow = 0.5;

}  // namespace

ImpactDemands::ImpactDemands(const Problem& problem)
    : problem_(problem), model_(problem), energy_(model_) {
  for (std::size_t l = 0; l < problem.limits.contact.size(); ++l) {
    const ContactLimit& limit = problem.limits.contact[l];
    for (std::size_t b = 0; b < model_.bodies().size(); ++b) {
      if (!ImpactModel::limits(limit, model_.bodies()[b])) continue;
      demands_.push_back({static_cast<int>(l), static_cast<int>(b), energyLimit(limit)});
    }
  }
}

std::string ImpactDemands::name(int demand) const {
  const Demand& of = demands_[demand];
  return "'" + model_.bodies()[of.body].name + "': force of a contact with " +
         problem_.limits.contact[of.limit].region;
}

void ImpactDemands::place(const VecX& q, const VecX& v) {
  VecX rates = VecX::Zero(problem_.robot->dimension());
  for (int k = 0; k < problem_.plannedCount(); ++k) rates[problem_.planned[k]] = v[k];
  energy_.place(problem_.configuration(q), rates);
}

double ImpactDemands::energyOf(const Demand& demand) {
  const ImpactBody& body = model_.bodies()[demand.body];
  const double mass = problem_.limits.contact[demand.limit].mass;
  fastest_ = energy_.fastest(body, mass);
  is_exact_ = model_.mayBeExact() && fastest_.energy > kNear * demand.energy;
  if (!is_exact_) return fastest_.energy;
  touch_ = energy_.worst(body, mass);
  return touch_.energy;
}

void ImpactDemands::values(const VecX& q, const VecX& v, Eigen::Ref<VecX> out,
                           const std::vector<bool>* only) {
  place(q, v);
  for (int i = 0; i < count(); ++i) {
    if (only != nullptr && !(*only)[i]) continue;
    const Demand& demand = demands_[i];
    if (only == nullptr) {
      // Who asks for all looks for those that are near: of slow bodies a rough value will do.
      const double rough = energy_.roughly(model_.bodies()[demand.body],
                                           problem_.limits.contact[demand.limit].mass) /
                           demand.energy;
      if (rough < kSlow) {
        out[i] = 1.0 - kImpactRoom - rough;
        continue;
      }
    }
    out[i] = 1.0 - kImpactRoom - energyOf(demand) / demand.energy;
  }
}

VecX ImpactDemands::planned(const VecX& all) const {
  VecX out(problem_.plannedCount());
  for (int k = 0; k < problem_.plannedCount(); ++k) out[k] = all[problem_.planned[k]];
  return out;
}

void ImpactDemands::gradients(const VecX& q, const VecX& v, Eigen::Ref<MatX> by_q,
                              Eigen::Ref<MatX> by_v, const std::vector<bool>* only) {
  place(q, v);
  VecX of_q, of_v;
  for (int i = 0; i < count(); ++i) {
    if (only != nullptr && !(*only)[i]) continue;
    const Demand& demand = demands_[i];
    const ImpactBody& body = model_.bodies()[demand.body];
    // Leaves the contact that it found, of which the gradient is taken.
    energyOf(demand);
    if (is_exact_) {
      energy_.gradient(body, touch_, &of_q, &of_v);
    } else {
      energy_.gradient(body, problem_.limits.contact[demand.limit].mass, fastest_, &of_q, &of_v);
    }
    by_q.row(i) = -planned(of_q).transpose() / demand.energy;
    by_v.row(i) = -planned(of_v).transpose() / demand.energy;
  }
}

}  // namespace allclear
