#include "allclear/planner/certificate_torque.h"

#include <cmath>

#include "allclear/planner/certificate_interval.h"
#include "allclear/robot_models/chain_recursion.h"
#include "allclear/robot_models/kinematics_types.h"

namespace allclear {
namespace {

constexpr int kDeepest = 12;          // halvings of a span
constexpr double kWantedGap = 0.005;  // of the bound to a value reached, relative to the limit
constexpr double kEasy = 0.9;         // of the limit: a bound below this needs no refinement

class TorqueSearch {
 public:
  TorqueSearch(const Problem& problem, const Trajectory& trajectory, const VecX& limits)
      : problem_(problem),
        trajectory_(trajectory),
        limits_(limits),
        tree_(*problem.robot),
        result_(problem.planned.size()),
        reached_(VecX::Zero(limits.size())),
        worst_(VecX::Constant(limits.size(), -1.0)) {
    for (TorqueBound& bound : result_) {
      bound.bound = {std::numeric_limits<double>::infinity(),
                     -std::numeric_limits<double>::infinity()};
    }
  }

  std::vector<TorqueBound> run() {
    for (int i = 0; i < trajectory_.spanCount(); ++i) {
      const Interval time = trajectory_.spanTime(i);
      search(time, enclosed({time.lower, time.lower}), enclosed({time.upper, time.upper}), 0);
    }
    return std::move(result_);
  }

 private:
  using Enclosures = std::vector<EnclosedSeries>;

  /// Torques by planned coordinate and their derivatives, over `time`.
  Enclosures enclosed(Interval time) const {
    std::array<Trajectory::Bounds, 5> d;
    for (int order = 0; order < 5; ++order) d[order] = trajectory_.bounds(order, time);
    Enclosures q, v, a;
    for (int c = 0; c < problem_.robot->dimension(); ++c) {
      q.emplace_back(problem_.start[c]);
      v.emplace_back(0.0);
      a.emplace_back(0.0);
    }
    for (int i = 0; i < problem_.plannedCount(); ++i) {
      const auto of = [&](int order) { return Enclosure{d[order].lower[i], d[order].upper[i]}; };
      const int c = problem_.planned[i];
      q[c] = {of(0), of(1), of(2)};
      v[c] = {of(1), of(2), of(3)};
      a[c] = {of(2), of(3), of(4)};
    }
    const Enclosures tau = inverseDynamicsOf(tree_, q, v, a, kStandardGravity);
    Enclosures planned;
    for (int c : problem_.planned) planned.push_back(tau[c]);
    return planned;
  }

  void search(Interval time, const Enclosures& first, const Enclosures& last, int depth) {
    for (int i = 0; i < limits_.size(); ++i) {
      for (const auto& [t, end] : {std::pair{time.lower, &first}, std::pair{time.upper, &last}}) {
        const Enclosure& value = (*end)[i].value;
        const double size = std::abs(0.5 * (value.lower + value.upper));
        reached_[i] = std::max(reached_[i], size);
        if (size > worst_[i]) {
          worst_[i] = size;
          result_[i].t = t;
        }
      }
    }
    const Enclosures inside = enclosed(time);
    const double factor = time.length() * time.length() / 8.0 * (1.0 + 1e-12);
    std::vector<Enclosure> bounds;
    bool is_fine = true;
    for (int i = 0; i < limits_.size(); ++i) {
      const double bulge = factor * inside[i].second.magnitude();
      bounds.push_back({std::min(first[i].value.lower, last[i].value.lower) - bulge,
                        std::max(first[i].value.upper, last[i].value.upper) + bulge});
      const double size = bounds.back().magnitude();
      const double limit = limits_[i];
      const bool is_near = size <= reached_[i] + kWantedGap * limit;
      is_fine =
          is_fine && (size <= kEasy * limit || (is_near && (size <= limit || reached_[i] > limit)));
    }
    if (!is_fine && depth < kDeepest) {
      const double middle = time.middle();
      const Enclosures half = enclosed({middle, middle});
      search({time.lower, middle}, first, half, depth + 1);
      search({middle, time.upper}, half, last, depth + 1);
      return;
    }
    for (int i = 0; i < limits_.size(); ++i) {
      Interval& all = result_[i].bound;
      all = {std::min(all.lower, bounds[i].lower), std::max(all.upper, bounds[i].upper)};
    }
  }

  const Problem& problem_;
  const Trajectory& trajectory_;
  const VecX& limits_;
  MotionTree tree_;
  std::vector<TorqueBound> result_;
  VecX reached_;
  VecX worst_;
};

}  // namespace

std::vector<TorqueBound> torqueBounds(const Problem& problem, const Trajectory& trajectory,
                                      const VecX& limits) {
  return TorqueSearch(problem, trajectory, limits).run();
}

}  // namespace allclear
