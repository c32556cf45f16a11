#pragma once

// What a plan of a whole-body task is measured by: certified bounds, CPU times, the room of the
// zero-moment point, and samples by another path.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/robot_models/kinematics.h"
#include "bench/support/bench_report.h"
#include "bench/support/whole_body_calls.h"
#include "bench/support/whole_body_samples.h"

namespace allclear::bench {

constexpr int kZmpSamples = 2000;     ///< instants at which the zero-moment point is looked at
constexpr double kNoTimeLimit = 1e6;  ///< [s]
constexpr int kSamples = 20000;       ///< intervals, of the check by the free base

struct Figures {
  std::string status;
  int pairs = 0;
  double straight = 0, iterations = 0, solve = 0, certify = 0, clearance = 0;
  double drift = 0, turn = 0, zmp = 0, torque = 0;
  std::optional<SampledBounds> sampled;
};

/// The convex hull's room for a point, in the plane: negative outside. Every pair of corners with
/// all others on one side is an edge; few enough corners to try all.
inline double roomInHull(const std::vector<Eigen::Vector2d>& corners, const Eigen::Vector2d& p) {
  double room = HUGE_VAL;
  const auto side = [](const auto& a, const auto& b, const auto& c) {
    return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
  };
  for (const Eigen::Vector2d& a : corners) {
    for (const Eigen::Vector2d& b : corners) {
      if ((b - a).norm() < 1e-9) continue;
      const bool is_edge = std::all_of(corners.begin(), corners.end(),
                                       [&](const auto& c) { return side(a, b, c) >= -1e-12; });
      if (is_edge) room = std::min(room, side(a, b, p) / (b - a).norm());
    }
  }
  return room;
}

/// The least room of the zero-moment point of what the feet bear in the hull of the soles [m], at
/// samples; the force at a leaning hand is taken off.
inline double zmpMargin(const Problem& problem, const Plan& plan) {
  const ContactSet contacts(problem);
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Eigen::Vector2d> corners;
  for (const PlacedContact& c : contacts.all()) {
    if (c.rows() != 6) continue;
    for (const double x : {-1.0, 1.0}) {
      for (const double y : {-1.0, 1.0}) {
        const Vec3 p = c.X_WC * Vec3(x * c.contact.half_size.x(), y * c.contact.half_size.y(), 0);
        corners.push_back(p.head<2>());
      }
    }
  }
  double least = HUGE_VAL;
  VecX v = VecX::Zero(problem.robot->dimension()), a = v;
  for (int i = 0; i <= kZmpSamples; ++i) {
    const double t = plan.trajectory->duration() * i / kZmpSamples;
    for (int k = 0; k < problem.plannedCount(); ++k) {
      v[problem.planned[k]] = plan.trajectory->value(t, 1)[k];
      a[problem.planned[k]] = plan.trajectory->value(t, 2)[k];
    }
    Wrench whole = kinematics.groundReaction(problem.configuration(plan.trajectory->value(t)), v, a,
                                             workspace);
    for (const PlacedContact& c : contacts.all()) {
      if (c.rows() != 3 || !plan.wrenches) continue;
      const Vec3 force = plan.wrenches->value(t).segment<3>(c.first_wrench);
      whole.force -= force;
      whole.moment -= c.X_WC.p.cross(force);
    }
    const auto zmp = zeroMomentPoint(whole, contacts.base()->X_WC.p, Vec3::UnitZ());
    least = std::min(least, zmp ? roomInHull(corners, zmp->head<2>()) : -HUGE_VAL);
  }
  return least;
}

/// The clearance of the straight line between the ends through joint space, as certified [m].
inline double straightLine(const Problem& problem, const Plan& plan) {
  const double end = plan.trajectory->duration();
  MatX ends(problem.plannedCount(), 2);
  ends << plan.trajectory->value(0.0), plan.trajectory->value(end);
  const MatX zero = MatX::Zero(problem.plannedCount(), 2);
  Problem free = problem;  // of interest is the distance alone
  free.contacts.clear();
  free.balance.reset();
  free.limits.torque = false;
  return certify(free, Trajectory(HermiteCurve({0.0, end}, ends, zero, zero)))
      .minimum_clearance.lower;
}

/// The share of the clock's time that the process was given between the iterations of the solves.
/// Statistics are by the clock; with this they become CPU time.
class CpuShare {
 public:
  void note(const PlanProgress& progress) {
    const double wall = secondsNow(), cpu = cpuSeconds();
    if (progress.round == round_ && progress.attempt == attempt_) {
      wall_ += wall - last_wall_;
      cpu_ += cpu - last_cpu_;
    }
    round_ = progress.round;
    attempt_ = progress.attempt;
    last_wall_ = wall;
    last_cpu_ = cpu;
  }
  double value() const { return wall_ > 0.0 ? std::min(1.0, cpu_ / wall_) : 1.0; }

 private:
  int round_ = -1, attempt_ = -1;
  double wall_ = 0.0, cpu_ = 0.0, last_wall_ = 0.0, last_cpu_ = 0.0;
};

/// CPU time of certifying the plan once more [s].
inline double certifyAgain(const Problem& problem, const Plan& plan) {
  const double start = cpuSeconds();
  keep(certify(problem, *plan.trajectory, plan.wrenches ? &*plan.wrenches : nullptr));
  return cpuSeconds() - start;
}

/// The robot of the tasks with its base free; null: nothing is sampled.
inline Figures planOne(const Problem& problem, PlanOptions options, const RobotModel* free_robot) {
  options.threads = 1;
  options.improve = Improve::kNone;
  // Attempts are what ends a search, not a clock that other work on the machine can run down.
  options.time_limit = kNoTimeLimit;
  Figures out;
  CpuShare share;
  PlanHooks hooks;
  hooks.progress = [&](const PlanProgress& progress) { share.note(progress); };
  const Plan plan = allclear::plan(problem, options, hooks);
  for (const CertifiedPair& pair : certifiedGeometry(problem).pairs) out.pairs += !pair.fixed;
  out.status = plan.status == PlanStatus::kCertified ? "certified" : planStatusName(plan.status);
  out.iterations = plan.statistics.iterations;
  out.solve = share.value() * plan.statistics.solve_seconds;
  if (plan.status != PlanStatus::kCertified) {
    std::fprintf(stderr, "%s: %s\n", problem.name.c_str(), plan.message.c_str());
    return out;
  }
  out.certify = certifyAgain(problem, plan);
  out.clearance = plan.certificate->minimum_clearance.lower;
  for (const CertifiedLimit& limit : plan.certificate->limits) {
    if (limit.quantity == "drift of the contact") out.drift = std::max(out.drift, limit.upper);
    if (limit.quantity == "turn of the contact") out.turn = std::max(out.turn, limit.upper);
    if (limit.quantity == "torque") {
      const double most = std::max(-limit.lower, limit.upper);
      out.torque = std::max(out.torque, most / limit.upper_limit);
    }
  }
  out.straight = straightLine(problem, plan);
  out.zmp = zmpMargin(problem, plan);
  if (free_robot != nullptr) {
    out.sampled = FreeBaseSamples(problem, *free_robot, plan).run(kSamples);
  }
  return out;
}

}  // namespace allclear::bench
