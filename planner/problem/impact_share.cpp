#include "allclear/planner/problem/impact_share.h"

#include <algorithm>

#include "allclear/planner/problem/contacts.h"

namespace allclear {

ImpactShare::ImpactShare(const Problem& problem)
    : problem_(problem), model_(problem), energy_(model_) {}

double ImpactShare::at(const VecX& q, const VecX& v, double least) {
  VecX rates = VecX::Zero(problem_.robot->dimension());
  for (int k = 0; k < problem_.plannedCount(); ++k) rates[problem_.planned[k]] = v[k];
  energy_.place(problem_.configuration(q), rates);
  double most = least;
  for (const ContactLimit& limit : problem_.limits.contact) {
    const double bears = energyLimit(limit);
    // From the tips, which are the fastest: then the others need no more than a rough look.
    for (auto it = model_.bodies().rbegin(); it != model_.bodies().rend(); ++it) {
      const ImpactBody& body = *it;
      if (!ImpactModel::limits(limit, body)) continue;
      // The exact energy is at most the cheap one: it matters only where that would be the most.
      if (energy_.roughly(body, limit.mass) <= most * bears) continue;
      double energy = energy_.fastest(body, limit.mass).energy;
      if (energy <= most * bears) continue;
      if (model_.mayBeExact()) energy = energy_.worst(body, limit.mass).energy;
      most = std::max(most, energy / bears);
    }
  }
  return most;
}

double ImpactShare::along(const Trajectory& curve, int samples, double least) {
  double most = least;
  for (int i = 0; i < curve.spanCount(); ++i) {
    const Interval time = curve.spanTime(i);
    for (int k = 0; k < samples; ++k) {
      const double t = time.lower + time.length() * k / samples;
      most = at(curve.value(t), curve.value(t, 1), most);
    }
  }
  return most;
}

bool maySlowDown(const Problem& problem) {
  return isRestToRest(problem) && !problem.duration.isFixed() && !usesWrenches(problem) &&
         std::none_of(problem.waypoints.begin(), problem.waypoints.end(),
                      [](const Waypoint& waypoint) { return waypoint.time.has_value(); }) &&
         (problem.limits.slow_down ||
          std::none_of(problem.obstacles.begin(), problem.obstacles.end(),
                       [](const Obstacle& obstacle) { return obstacle.moves(); }));
}

bool isKeptByPace(const Problem& problem) {
  const bool balances = problem.balance && problem.balance->criterion == Balance::Criterion::kZmp;
  return !balances && maySlowDown(problem) &&
         std::none_of(problem.obstacles.begin(), problem.obstacles.end(),
                      [](const Obstacle& obstacle) { return obstacle.moves(); });
}

Trajectory slowedDown(const Trajectory& trajectory, double factor) {
  const Trajectory rows = controllerRows(trajectory);
  const HermiteCurve& curve = *rows.hermite();
  std::vector<double> times = curve.times();
  for (double& t : times) t *= factor;
  // The times are rounded to whole nanoseconds again.
  return controllerRows(
      Trajectory(HermiteCurve(std::move(times), curve.positions(), curve.velocities() / factor,
                              curve.accelerations() / (factor * factor))));
}

}  // namespace allclear
