// The demands of cables as rows of the program: values and gradients in units of `kMetres`. What
// strays lowers the values; that it changes with the configuration is left out of the gradients.
#include "allclear/planner/program/cable_demands.h"

#include <limits>

namespace allclear {
namespace {

/// [units] What is farther from its limit may be rough: above what gets a row (`refinement.cpp`).
constexpr double kFar = 0.5;
/// [units] Stands for a demand that nothing can violate, such as on an obstacle that is not there.
constexpr double kNever = 10.0;

}  // namespace

CableDemands::CableDemands(const Problem& problem) : problem_(problem), model_(problem) {}

void CableDemands::values(const VecX& q, const std::vector<Pose>& X_WL, std::optional<double> t,
                          Eigen::Ref<VecX> out, const std::vector<bool>* only) const {
  std::optional<StrayReach::Placement> at;
  if (model_.isUncertain()) at = model_.reach().place(q);
  for (int d = 0; d < count(); ++d) {
    if (only != nullptr && !(*only)[d]) continue;
    const double enough =
        only != nullptr ? std::numeric_limits<double>::infinity() : kFar * kMetres;
    double value = model_.measure(d, X_WL, t, enough).value;
    if (at) value -= model_.allowance(d, *at);
    out[d] = std::min(kNever, value / kMetres);
  }
}

void CableDemands::gradients(const Kinematics& kinematics, const Kinematics::Workspace& workspace,
                             const std::vector<Pose>& X_WL, std::optional<double> t,
                             Eigen::Ref<MatX> by_q, Eigen::Ref<VecX> by_t,
                             const std::vector<bool>* only) {
  by_q.setZero();
  by_t.setZero();
  for (int d = 0; d < count(); ++d) {
    if (only != nullptr && !(*only)[d]) continue;
    const CableModel::Measure measure =
        model_.measure(d, X_WL, t, std::numeric_limits<double>::infinity());
    if (!(measure.value < kNever * kMetres)) continue;
    // A term is the velocity of a point along a direction: its Jacobian, seen along that.
    for (const CableModel::Term& term : measure.terms) {
      const Vec3 direction = term.direction / kMetres;
      if (term.link >= 0) {
        kinematics.pointJacobian(workspace, term.link, term.p_W, J_);
        for (int k = 0; k < problem_.plannedCount(); ++k) {
          by_q(d, k) += direction.dot(J_.col(problem_.planned[k]).head<3>());
        }
      } else if (term.obstacle >= 0 && t) {
        by_t[d] += direction.dot(problem_.obstacles[term.obstacle].pointVelocity(*t, term.p_W));
      }
    }
  }
}

}  // namespace allclear
