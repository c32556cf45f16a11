// Bounds torques, and the room in the support polygon, over a whole trajectory.
//
// Idea. Let f be twice differentiable on the cell [t0, t1] of length h, and l the straight line
// through its end values. Then f - l vanishes at both ends, and |f - l| <= (h^2 / 8) sup |f''| (the
// error of linear interpolation). Hence
//
//     min(f(t0), f(t1)) - (h^2 / 8) sup |f''|  <=  f(t)  <=  max(f(t0), f(t1)) + (h^2 / 8) sup
//     |f''|.
//
// f(t0), f(t1) and sup |f''| come from the recursion of Newton and Euler (chain_recursion.h) run on
// numbers that are themselves enclosures, rounded outward, of a value and its first two derivatives
// in time (interval_series.h). The enclosures of position, velocity and acceleration over a cell
// come from the Bernstein coefficients of the trajectory (`Trajectory::bounds`); since the torque
// depends on the acceleration, f'' needs derivatives of the coordinates up to the fourth.
//
// A cell whose bound is neither far inside the limit nor close to a value seen is halved: h^2 and
// the width of the enclosures both shrink. A bound is valid at any depth, so the depth may be
// limited.
//
// Symbols. bulge: (h^2 / 8) sup |f''|. excess: how far a value is beyond its limit, in units of the
// limit; negative inside. reached: the greatest excess of a value seen.
#include "allclear/planner/certificate/torque.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "allclear/core/extremes.h"
#include "allclear/planner/certificate/interval_series.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/chain_recursion.h"

namespace allclear {
namespace {

/// Halvings of a span: cells of a 4096th, whose bulge is 2^-24 of the span's. A torque that is
/// still not proven then is as good as at its limit.
constexpr int kMostHalvings = 12;
/// A bound this near to a value seen, in units of the limit, is tight enough.
constexpr double kTightEnough = 0.005;
/// A bound this far inside the limit, in units of the limit, need not be tight.
constexpr double kFarInside = 0.1;
/// More than the rounding, relative, of the length, its square and the product with the bulge's
/// rest.
constexpr double kBulgeRounding = 1e-12;

using Enclosures = std::vector<EnclosedSeries>;

/// The coordinates of the robot and their derivatives over a cell of time.
struct EnclosedState {
  Enclosures q, v, a;
};

/// Bounds several functions of the state (all torques, or the rooms of all edges) over the whole
/// trajectory, together: one run of the recursion gives them all.
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
  /// The functions over `time` as enclosures of value and two derivatives; over a single instant
  /// the values are as tight as rounding allows.
  Enclosures enclosed(Interval time) const {
    // Position, velocity and acceleration each need two more derivatives: orders 0 to 4.
    // Coordinates that are not planned rest.
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
    return raised(upper - limits_[i].upper, limits_[i].lower - lower) / scales_[i];
  }

  /// Notes how near to their limits the functions come at the instant t.
  void addInstant(double t, const Enclosures& values) {
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const Enclosure& value = values[i].value;
      const double middle = 0.5 * (value.lower + value.upper);
      const double beyond = excess(i, middle, middle);
      if (beyond > reached_[i]) {
        reached_[i] = beyond;
        result_[i].t = t;
      }
    }
  }

  /// Whether a bound with this excess needs no halving: it is far inside the limit; or it is close
  /// to a value seen, and it either keeps the limit or a value seen breaks it anyway.
  bool isGoodEnough(std::size_t i, double beyond) const {
    const bool is_tight = beyond <= reached_[i] + kTightEnough;
    return beyond <= -kFarInside || (is_tight && (beyond <= 0.0 || reached_[i] > 0.0));
  }

  /// Bounds the functions over `time`, whose values at its ends are `first` and `last`.
  void search(Interval time, const Enclosures& first, const Enclosures& last, int depth) {
    addInstant(time.lower, first);
    addInstant(time.upper, last);
    const Enclosures inside = enclosed(time);
    // All functions share the cells: one that needs halving takes the others along, which costs
    // little.
    const double factor = time.length() * time.length() / 8.0 * (1.0 + kBulgeRounding);
    std::vector<Enclosure> bounds;
    bool is_fine = true;
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const double bulge = factor * inside[i].second.magnitude();
      bounds.push_back({lowered(first[i].value.lower, last[i].value.lower) - bulge,
                        raised(first[i].value.upper, last[i].value.upper) + bulge});
      is_fine = is_fine && isGoodEnough(i, excess(i, bounds.back().lower, bounds.back().upper));
    }
    if (!is_fine && depth < kMostHalvings) {
      const double middle = time.middle();
      const Enclosures half = enclosed({middle, middle});
      search({time.lower, middle}, first, half, depth + 1);
      search({middle, time.upper}, half, last, depth + 1);
      return;
    }
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      Interval& all = result_[i].bound;
      all = {lowered(all.lower, bounds[i].lower), raised(all.upper, bounds[i].upper)};
    }
  }

  const Problem& problem_;
  const Trajectory& trajectory_;
  Functions functions_;
  std::vector<Interval> limits_;
  std::vector<double> scales_;
  std::vector<DynamicsBound> result_;
  std::vector<double> reached_;  ///< by function: the greatest excess of a value seen
};

}  // namespace

std::vector<DynamicsBound> torqueBounds(const Problem& problem, const Trajectory& trajectory,
                                        const VecX& limits) {
  // A joint without a limit has an infinite range; its scale then only has to be finite.
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

/// The functions are the rooms of all edges, scaled so that 1 is the size of the polygon.
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
      // `SupportPolygon::room` on enclosures.
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
