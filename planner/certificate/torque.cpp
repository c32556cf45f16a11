#include "allclear/planner/certificate/torque.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "allclear/planner/certificate/interval_series.h"
#include "allclear/robot_models/kinematics/chain_recursion.h"
#include "allclear/robot_models/kinematics_types.h"

namespace allclear {
namespace {

constexpr int kDeepest = 12;          // halvings of a span
constexpr double kWantedGap = 0.005;  // of the bound to a value reached, relative to the limit
constexpr double kEasy = 0.1;         // inside of the limit, relative: needs no refinement

using Enclosures = std::vector<EnclosedSeries>;

/// The coordinates of the robot and their derivatives over a cell of time.
struct EnclosedState {
  Enclosures q, v, a;
};

/// Bounds functions of the state over the whole of a trajectory.
class DynamicsSearch {
 public:
  using Functions = std::function<Enclosures(const EnclosedState&)>;

  DynamicsSearch(const Problem& problem, const Trajectory& trajectory, Functions functions,
                 std::vector<Interval> limits, std::vector<double> scales)
      : problem_(problem),
        trajectory_(trajectory),
        functions_(std::move(functions)),
        limits_(std::move(limits)),
        scales_(std::move(scales)),
        result_(limits_.size()),
        reached_(limits_.size(), -std::numeric_limits<double>::infinity()) {
    for (DynamicsBound& bound : result_) {
      bound.bound = {std::numeric_limits<double>::infinity(),
                     -std::numeric_limits<double>::infinity()};
    }
  }

  std::vector<DynamicsBound> run() {
    for (int i = 0; i < trajectory_.spanCount(); ++i) {
      const Interval time = trajectory_.spanTime(i);
      search(time, enclosed({time.lower, time.lower}), enclosed({time.upper, time.upper}), 0);
    }
    return std::move(result_);
  }

 private:
  Enclosures enclosed(Interval time) const {
    std::array<Trajectory::Bounds, 5> d;
    for (int order = 0; order < 5; ++order) d[order] = trajectory_.bounds(order, time);
    EnclosedState state;
    for (int c = 0; c < problem_.robot->dimension(); ++c) {
      state.q.emplace_back(problem_.start[c]);
      state.v.emplace_back(0.0);
      state.a.emplace_back(0.0);
    }
    for (int i = 0; i < problem_.plannedCount(); ++i) {
      const auto of = [&](int order) { return Enclosure{d[order].lower[i], d[order].upper[i]}; };
      const int c = problem_.planned[i];
      state.q[c] = {of(0), of(1), of(2)};
      state.v[c] = {of(1), of(2), of(3)};
      state.a[c] = {of(2), of(3), of(4)};
    }
    return functions_(state);
  }

  /// By how much a range goes beyond the limits of function i, in its scale; negative inside.
  double excess(std::size_t i, double lower, double upper) const {
    return std::max(upper - limits_[i].upper, limits_[i].lower - lower) / scales_[i];
  }

  void search(Interval time, const Enclosures& first, const Enclosures& last, int depth) {
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      for (const auto& [t, end] : {std::pair{time.lower, &first}, std::pair{time.upper, &last}}) {
        const Enclosure& value = (*end)[i].value;
        const double middle = 0.5 * (value.lower + value.upper);
        const double beyond = excess(i, middle, middle);
        if (beyond > reached_[i]) {
          reached_[i] = beyond;
          result_[i].t = t;
        }
      }
    }
    const Enclosures inside = enclosed(time);
    const double factor = time.length() * time.length() / 8.0 * (1.0 + 1e-12);
    std::vector<Enclosure> bounds;
    bool is_fine = true;
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const double bulge = factor * inside[i].second.magnitude();
      bounds.push_back({std::min(first[i].value.lower, last[i].value.lower) - bulge,
                        std::max(first[i].value.upper, last[i].value.upper) + bulge});
      const double beyond = excess(i, bounds.back().lower, bounds.back().upper);
      const bool is_near = beyond <= reached_[i] + kWantedGap;
      is_fine = is_fine && (beyond <= -kEasy || (is_near && (beyond <= 0.0 || reached_[i] > 0.0)));
    }
    if (!is_fine && depth < kDeepest) {
      const double middle = time.middle();
      const Enclosures half = enclosed({middle, middle});
      search({time.lower, middle}, first, half, depth + 1);
      search({middle, time.upper}, half, last, depth + 1);
      return;
    }
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      Interval& all = result_[i].bound;
      all = {std::min(all.lower, bounds[i].lower), std::max(all.upper, bounds[i].upper)};
    }
  }

  const Problem& problem_;
  const Trajectory& trajectory_;
  Functions functions_;
  std::vector<Interval> limits_;
  std::vector<double> scales_;
  std::vector<DynamicsBound> result_;
  std::vector<double> reached_;  ///< greatest excess met
};

}  // namespace

std::vector<DynamicsBound> torqueBounds(const Problem& problem, const Trajectory& trajectory,
                                        const VecX& limits) {
  const MotionTree tree(*problem.robot);
  std::vector<Interval> ranges;
  for (double limit : limits) ranges.push_back({-limit, limit});
  std::vector<double> scales(limits.begin(), limits.end());
  for (double& scale : scales) {
    if (!std::isfinite(scale)) scale = 1.0;
  }
  const auto torques = [&](const EnclosedState& state) {
    const Enclosures tau = inverseDynamicsOf(tree, state.q, state.v, state.a, kStandardGravity);
    Enclosures planned;
    for (int c : problem.planned) planned.push_back(tau[c]);
    return planned;
  };
  return DynamicsSearch(problem, trajectory, torques, std::move(ranges), std::move(scales)).run();
}

std::vector<DynamicsBound> balanceBounds(const Problem& problem, const Trajectory& trajectory,
                                         const SupportPolygon& polygon) {
  const MotionTree tree(*problem.robot);
  const bool at_rest = problem.balance->criterion == Balance::Criterion::kCom;
  const double scale = 1.0 / (robotWeight(*problem.robot) * polygon.radius);
  const auto rooms = [&](const EnclosedState& state) {
    GroundWrench<EnclosedSeries> ground;
    const Enclosures zero(state.q.size(), EnclosedSeries(0.0));
    inverseDynamicsOf(tree, state.q, at_rest ? zero : state.v, at_rest ? zero : state.a,
                      kStandardGravity, &ground);
    Enclosures out;
    for (const SupportPolygon::Edge& edge : polygon.edges) {
      // As `SupportPolygon::room`, on enclosures.
      const EnclosedSeries nx(scale * edge.inward.x()), ny(scale * edge.inward.y());
      const EnclosedSeries height(polygon.height);
      const EnclosedSeries offset(scale * (edge.offset + problem.balance->margin));
      out.push_back(nx * (height * ground.force.x() - ground.moment.y()) +
                    ny * (ground.moment.x() + height * ground.force.y()) -
                    offset * ground.force.z());
    }
    return out;
  };
  const std::size_t count = polygon.edges.size();
  const Interval limit{0.0, std::numeric_limits<double>::infinity()};
  return DynamicsSearch(problem, trajectory, rooms, std::vector<Interval>(count, limit),
                        std::vector<double>(count, 1.0))
      .run();
}

}  // namespace allclear
