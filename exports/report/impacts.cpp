#include "allclear/exports/report/impacts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "allclear/planner/problem/impact_energy.h"

namespace allclear {
namespace {

/// Of a limit: what uses this much of it is what the motion waits for. Plans leave a percent or two
/// for their proof.
constexpr double kUsedUp = 0.95;

/// The contact of the greatest force at the frame that `energy` holds.
void addWorst(const ContactLimit& limit, const ImpactModel& model, const std::vector<Pose>& X_WL,
              ImpactEnergy* energy, ReportRegion* region) {
  const ImpactBody* worst = nullptr;
  ImpactEnergy::Touch most;
  for (const ImpactBody& body : model.bodies()) {
    if (!ImpactModel::limits(limit, body)) continue;
    // The cheap bound is above the exact energy: most bodies are done with it.
    if (worst != nullptr && energy->fastest(body, limit.mass).energy <= most.energy) continue;
    ImpactEnergy::Touch touch = energy->worst(body, limit.mass);
    if (worst != nullptr && touch.energy <= most.energy) continue;
    worst = &body;
    most = std::move(touch);
  }
  region->force.push_back(worst == nullptr ? 0.0 : springForce(limit, most.energy));
  region->body.push_back(worst == nullptr ? "" : worst->name);
  Vec3 point = Vec3::Zero(), direction = Vec3::Zero();
  if (worst != nullptr) {
    const Pose X_WN = X_WL[worst->link] * model.tree().mounts()[worst->link].X_NL.inverse();
    Vec3 p = Vec3::Zero();
    for (const auto& [k, weight] : most.at) p += weight * worst->points[k];
    point = X_WN * p;
    const Vec3 push = X_WN.R * most.wrench.tail<3>();
    if (push.norm() > 0.0) direction = push.normalized();
  }
  region->point.push_back(point);
  region->direction.push_back(direction);
}

/// The share of the time that a frame stands for: half of the way to each neighbour.
double timeShare(const ReportFrames& frames, int f) {
  const std::vector<double>& times = frames.times;
  const double before = times[std::max(0, f - 1)];
  const double after = times[std::min(frames.count() - 1, f + 1)];
  return 0.5 * (after - before) / (times.back() - times.front());
}

}  // namespace

std::vector<ReportRegion> reportRegions(const Problem& problem, const Trajectory& trajectory,
                                        const ReportFrames& frames) {
  std::vector<ReportRegion> regions;
  if (problem.limits.contact.empty()) return regions;
  const ImpactModel model(problem);
  ImpactEnergy energy(model);
  for (const ContactLimit& limit : problem.limits.contact) {
    ReportRegion region;
    region.name = limit.region;
    region.limit = limit.forceLimit();
    regions.push_back(std::move(region));
  }
  for (const ImpactCell& cell : impactBounds(problem, model, trajectory).cells) {
    for (std::size_t l = 0; l < regions.size(); ++l) {
      std::vector<double>& proven = regions[l].proven;
      proven.insert(proven.end(), {cell.time.lower, cell.time.upper, cell.force[l]});
    }
  }
  // The curve is of the frames; the band about it is what was proven.
  for (int f = 0; f < frames.count(); ++f) {
    const VecX rates = trajectory.value(frames.times[f], 1);
    VecX v = VecX::Zero(problem.robot->dimension());
    for (int k = 0; k < problem.plannedCount(); ++k) v[problem.planned[k]] = rates[k];
    energy.place(frames.q[f], v);
    for (std::size_t l = 0; l < regions.size(); ++l) {
      addWorst(problem.limits.contact[l], model, frames.X_WL[f], &energy, &regions[l]);
    }
  }
  return regions;
}

std::vector<std::pair<std::string, double>> whatSlows(const Problem& problem,
                                                      const ReportJoints& joints,
                                                      const Trajectory& trajectory,
                                                      const ReportFrames& frames,
                                                      const std::vector<ReportRegion>& regions) {
  const PlannedLimits limits = plannedLimits(problem);
  std::map<std::string, double> shares;
  for (int f = 0; f < frames.count(); ++f) {
    std::string most;
    double used = kUsedUp;
    const auto visit = [&](const std::string& name, double share) {
      if (!(share > used)) return;
      used = share;
      most = name;
    };
    // What uses most of its limit at this frame is what the motion waits for there.
    const VecX jerk = trajectory.value(frames.times[f], 3);
    for (int k = 0; k < problem.plannedCount(); ++k) {
      const std::string of = " of " + problem.robot->coordinates()[problem.planned[k]].name;
      visit("velocity" + of, std::abs(joints.velocity(k, f)) / limits.velocity[k]);
      visit("acceleration" + of, std::abs(joints.acceleration(k, f)) / limits.acceleration[k]);
      visit("jerk" + of, std::abs(jerk[k]) / limits.jerk[k]);
      visit("torque" + of, std::abs(joints.torque(k, f)) / limits.effort[k]);
    }
    for (const ReportRegion& region : regions) {
      visit("contact with " + region.name, region.force[f] / region.limit);
    }
    if (!most.empty()) shares[most] += timeShare(frames, f);
  }
  std::vector<std::pair<std::string, double>> list(shares.begin(), shares.end());
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return list;
}

}  // namespace allclear
