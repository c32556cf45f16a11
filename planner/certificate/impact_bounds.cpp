// Bounds the forces of unplanned contacts over a whole trajectory, at all points and in all
// directions.
//
// Idea. The energy of the worst contact with point p is the least, over rates y of the coordinates,
// of T(q, y) + m |J (v - y)|^2 / 2 (impact_energy.cpp). So for every choice of y(t), however it was
// found,
//     g(t) = T(q, y) + m |J (v - y)|^2 / 2
// is an upper bound, and of a convex part of the surface the greatest g of its corners. Sums and
// products of sines, cosines, the coordinates and their rates: the recursion of twists
// (speed_recursion.h) on enclosures of value and two derivatives gives g at the ends of a cell and
// sup |g''| over it, and with them a bound for all t (dynamics_search.h).
//
// Cheap: y = theta v with the best number theta gives T K / (T + K), K = m |J v|^2 / 2. It grows
// with T and with K, so T and |J v|^2 are bounded one by one, once for all regions.
// Tight: y linear in time between the best rates at both ends of the cell. One recursion for each
// region and part; only where the cheap bound, already at an end of the cell, does not decide.
//
// Where the velocity jumps (rows joined by straight lines) the enclosures over the cell bound g by
// themselves: less tight, but they need no derivative.
//
// Robots that stand. More constraints leave less choice of y, hence more energy. The robot hangs on
// the world by its first contact; another one that holds is a constraint that the tight form's y
// would break. y = theta v keeps every constraint that v keeps: the cheap form holds whichever
// contacts hold or give way.
//
// Rounding. Enclosures are rounded outward; the few operations after them are raised by kRaised.
#include "allclear/planner/certificate/impact_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "allclear/core/extremes.h"
#include "allclear/core/stop_scope.h"
#include "allclear/planner/certificate/dynamics_search.h"
#include "allclear/planner/certificate/interpolation.h"
#include "allclear/planner/problem/body_regions.h"
#include "allclear/planner/problem/impact_energy.h"
#include "allclear/robot_models/kinematics/speed_recursion.h"

namespace allclear {
namespace {

/// More than ten roundings (2^-53 each), of the operations that follow the enclosures.
constexpr double kRaised = 1.0 + 1e-14;
/// A bound this near to a value seen, relative to it, is tight enough: 0.9 % of the energy.
constexpr double kTightEnough = 0.0045;
/// A bound below this share of the limit need not be tight: a robot at rest has nothing but
/// rounding to be close to.
constexpr double kNegligible = 0.01;
/// Instants per piece at which to look for the greatest force before any cell is cut.
constexpr int kLooks = 4;

/// T K / (T + K), rounded up; 0 where both are.
double together(double T, double K) {
  if (T <= 0.0 || K <= 0.0) return 0.0;
  return std::isfinite(T + K) ? T * (K / (T + K)) * kRaised
                              : std::numeric_limits<double>::infinity();
}

/// The coordinates and rates of a cell or an instant, and what the cheap bound needs of them.
struct Moving {
  EnclosedState state;
  std::vector<NodeMotion<EnclosedSeries>> motions;
  std::vector<Twist<EnclosedSeries>> twists;  ///< by node
  Enclosures energy;                          ///< by branch (the number of its root node)
  std::vector<Enclosures> speed;              ///< squared, by body and point; empty: not yet
};

/// The best rates for one region and one part of a body's surface, at one instant, and the bound g
/// of each of its points there.
struct BestRates {
  VecX y;
  Enclosures g;
};

class ImpactSearch {
 public:
  struct Instant {
    double t = 0.0;
    Moving at;
    std::map<std::array<int, 3>, BestRates> best;  ///< by limit, body and part
  };
  struct Cell {
    Interval time;
    std::vector<double> force;  ///< by entry
    bool is_tight = false;
  };

  ImpactSearch(const Problem& problem, const ImpactModel& model, const Trajectory& trajectory,
               const ImpactBoundOptions& options)
      : problem_(problem),
        model_(model),
        trajectory_(trajectory),
        options_(options),
        is_smooth_(requiredContinuity(trajectory) >= 1),
        energy_(model),
        reached_(problem.limits.contact.size()) {
    // Balls about the parts of all bodies, made once: they bound the speed of a whole part.
    may_be_tight_ = options.tight && model.mayBeExact();
    for (const ImpactBody& body : model.bodies()) {
      std::vector<Ball>& balls = balls_.emplace_back();
      for (const ImpactCore& core : body.cores) {
        const auto first = body.points.begin() + core.first;
        balls.push_back(ballAbout({first, first + core.count}));
      }
    }
    for (std::size_t l = 0; l < reached_.size(); ++l) {
      for (std::size_t b = 0; b < model.bodies().size(); ++b) {
        if (!ImpactModel::limits(problem.limits.contact[l], model.bodies()[b])) continue;
        result_.bounds.push_back({static_cast<int>(l), static_cast<int>(b)});
      }
    }
  }

  ImpactBounds run() {
    const std::vector<double> times = timesOfPieces(trajectory_, nullptr);
    for (std::size_t i = 1; i < times.size(); ++i) {
      for (int k = 0; k < kLooks; ++k) {
        throwIfStopped();
        look(times[i - 1] + (times[i] - times[i - 1]) * k / kLooks);
      }
    }
    CellHalving(*this, options_.most_halvings).run(times);
    return std::move(result_);
  }

  Instant at(double t) {
    look(t);
    return {t, moving({t, t}), {}};
  }

  bool bound(Interval time, Instant& first, Instant& last, Cell* cell) {
    // The cheap bound first; rates at the ends are solved for only where it cannot decide.
    Moving inside = moving(time);
    bool is_fine = true;
    cell->time = time;
    for (const ImpactBound& entry : result_.bounds) {
      const ImpactBody& body = model_.bodies()[entry.body];
      double force = 0.0;
      for (std::size_t core = 0; core < body.cores.size(); ++core) {
        double of_core = cheap(entry, core, time, first, last, inside);
        if (!isGoodEnough(entry.limit, of_core) && needsTight(entry, core, first, last)) {
          of_core = std::min(of_core, tight(entry, core, time, first, last, inside));
          cell->is_tight = true;
        }
        force = raised(force, of_core);
      }
      is_fine = is_fine && isGoodEnough(entry.limit, force);
      cell->force.push_back(force);
    }
    return is_fine;
  }

  void take(const Cell& cell) {
    ImpactCell& proven = result_.cells.emplace_back();
    proven.time = cell.time;
    proven.force.assign(reached_.size(), 0.0);
    result_.tight_cells += cell.is_tight;
    for (std::size_t i = 0; i < cell.force.size(); ++i) {
      ImpactBound& bound = result_.bounds[i];
      bound.upper = raised(bound.upper, cell.force[i]);
      proven.force[bound.limit] = raised(proven.force[bound.limit], cell.force[i]);
    }
  }

 private:
  struct Reached {
    double cheap = 0.0;  ///< [N] the greatest value of the cheap bound at an instant
    double exact = 0.0;  ///< [N] the greatest force at an instant
  };

  const ContactLimit& limit(int l) const { return problem_.limits.contact[l]; }
  double mass(int l) const { return limit(l).mass; }
  double forceOf(int l, double energy) const { return springForce(limit(l), energy) * kRaised; }

  /// Evaluates an instant without proof: where forces are great, and how great.
  void look(double t) {
    VecX v = VecX::Zero(problem_.robot->dimension());
    const VecX rates = trajectory_.value(t, 1);
    for (int k = 0; k < problem_.plannedCount(); ++k) v[problem_.planned[k]] = rates[k];
    energy_.place(problem_.configuration(trajectory_.value(t)), v);
    for (ImpactBound& entry : result_.bounds) {
      const ImpactBody& body = model_.bodies()[entry.body];
      const double cheap =
          springForce(limit(entry.limit), energy_.fastest(body, mass(entry.limit)).energy);
      Reached& reached = reached_[entry.limit];
      reached.cheap = std::max(reached.cheap, cheap);
      double force = cheap;
      // The exact force is at most the cheap one, so only that of promising bodies counts.
      if (may_be_tight_ && cheap > reached.exact) {
        force = springForce(limit(entry.limit), energy_.worst(body, mass(entry.limit)).energy);
        reached.exact = std::max(reached.exact, force);
      }
      if (!(force > entry.reached)) continue;
      entry.reached = force;
      entry.t = t;
    }
  }

  /// Whether a bound of this force needs no halving: it keeps the limit, and is close to a value
  /// seen; or a value seen breaks the limit, and the bound is close to that. Where
  /// the tight bound may be had, only a force that it has seen breaks a limit.
  bool isGoodEnough(int l, double force) const {
    const double most = limit(l).forceLimit();
    const double surely = may_be_tight_ ? reached_[l].exact : reached_[l].cheap;
    const bool is_tight = force <= surely * (1.0 + kTightEnough);
    if (force <= kNegligible * most) return true;
    if (options_.everywhere || surely > most) return is_tight;
    return force <= most && force <= reached_[l].cheap * (1.0 + kTightEnough);
  }

  Moving moving(Interval time) const {
    Moving out;
    out.state = enclosedState(problem_, trajectory_, nullptr, time, StateRates::kSpeeds);
    out.motions = nodeMotions(model_.tree(), out.state.q);
    nodeTwists(model_.tree(), out.motions, out.state.v, model_.moves(), &out.twists);
    out.energy = energies(out.twists, out.state.v);
    out.speed.resize(model_.bodies().size());
    return out;
  }

  /// Squared speeds of a body's points; slow bodies never need them.
  const Enclosures& speeds(Moving& at, int body) const {
    Enclosures& of = at.speed[body];
    const ImpactBody& with = model_.bodies()[body];
    if (of.empty()) {
      for (const Vec3& p : with.points) {
        of.push_back(squaredLength(pointVelocity(at.twists[with.node], p)));
      }
    }
    return of;
  }

  /// Bounds the speed of a whole core over a cell, by the ball about it: |v| at its centre, and its
  /// radius times the angular speed.
  double ballSpeed(const ImpactBody& body, const Ball& ball, const Moving& inside) const {
    const Twist<EnclosedSeries>& twist = inside.twists[body.node];
    const auto length = [](const Vec3T<EnclosedSeries>& x) {
      return Vec3(x[0].value.magnitude(), x[1].value.magnitude(), x[2].value.magnitude()).norm();
    };
    const double v = length(pointVelocity(twist, ball.center));
    return (v + ball.radius * length(twist.angular) * kRaised) * kRaised;
  }

  /// Kinetic energies of the branches; of one alone where it is named.
  Enclosures energies(const std::vector<Twist<EnclosedSeries>>& twists, const Enclosures& rates,
                      int only = -1) const {
    // Bodies of another branch cannot push this one: each branch has an energy of its own.
    const MotionTree& tree = model_.tree();
    Enclosures out(tree.nodes().size(), EnclosedSeries(0.0));
    for (std::size_t i = 0; i < twists.size(); ++i) {
      const int branch = model_.branch()[i];
      if (!model_.moves()[i] || (only >= 0 && branch != only)) continue;
      if (tree.nodes()[i].has_inertia) out[branch] += bodyEnergy(tree.nodes()[i], twists[i]);
    }
    for (int c : problem_.planned) {
      const double rotor = tree.rotorInertia()[c];
      if (rotor > 0.0) out[model_.coordinateBranch()[c]] += squared(rates[c]) * (0.5 * rotor);
    }
    return out;
  }

  /// The greatest value of a function over a cell.
  double most(const EnclosedSeries& first, const EnclosedSeries& last, const EnclosedSeries& inside,
              Interval time) const {
    if (!is_smooth_) return inside.value.upper;
    if (options_.remainder == 1.0) return boundBetween(first, last, inside, time).upper;
    const double bulge = time.length() * time.length() / 8.0 * inside.second.magnitude();
    return raised(first.value.upper, last.value.upper) + options_.remainder * bulge;
  }

  double cheap(const ImpactBound& entry, std::size_t core, Interval time, Instant& first,
               Instant& last, Moving& inside) const {
    const ImpactBody& body = model_.bodies()[entry.body];
    const double T = most(first.at.energy[body.branch], last.at.energy[body.branch],
                          inside.energy[body.branch], time);
    // The ball about the part first: it is enough for parts that are slow.
    const double of_ball = ballSpeed(body, balls_[entry.body][core], inside);
    const double rough =
        forceOf(entry.limit, together(T, 0.5 * mass(entry.limit) * of_ball * of_ball * kRaised));
    if (isGoodEnough(entry.limit, rough)) return rough;
    double speed = 0.0;
    const Enclosures &a = speeds(first.at, entry.body), &b = speeds(last.at, entry.body);
    const Enclosures& c = speeds(inside, entry.body);
    for (int p = body.cores[core].first, k = 0; k < body.cores[core].count; ++p, ++k) {
      speed = raised(speed, most(a[p], b[p], c[p], time));
    }
    return forceOf(entry.limit, together(T, 0.5 * mass(entry.limit) * speed * kRaised));
  }

  /// Whether halving the cell cannot help the cheap bound, as its value at an end shows.
  bool needsTight(const ImpactBound& entry, std::size_t core, Instant& first, Instant& last) const {
    if (!may_be_tight_) return false;
    const ImpactBody& body = model_.bodies()[entry.body];
    for (Instant* end : {&first, &last}) {
      double speed = 0.0;
      for (int p = body.cores[core].first, k = 0; k < body.cores[core].count; ++p, ++k) {
        speed = raised(speed, speeds(end->at, entry.body)[p].value.upper);
      }
      const double T = end->at.energy[body.branch].value.upper;
      const double force = forceOf(entry.limit, together(T, 0.5 * mass(entry.limit) * speed));
      if (!isGoodEnough(entry.limit, force)) return true;
    }
    return false;
  }

  /// g of every point of the part, with these rates y.
  Enclosures boundOfRates(const ImpactBound& entry, std::size_t core, const Moving& at,
                          const Enclosures& y) const {
    const ImpactBody& body = model_.bodies()[entry.body];
    // (4.2): the energy of y, and that of the region at the speed that y leaves over.
    Enclosures left = at.state.v;
    for (std::size_t c = 0; c < left.size(); ++c) left[c] -= y[c];
    std::vector<Twist<EnclosedSeries>> twists;
    nodeTwists(model_.tree(), at.motions, y, model_.moves(), &twists);
    const EnclosedSeries T = energies(twists, y, body.branch)[body.branch];
    nodeTwists(model_.tree(), at.motions, left, model_.moves(), &twists);
    Enclosures out;
    for (int p = body.cores[core].first, k = 0; k < body.cores[core].count; ++p, ++k) {
      const auto speed = squaredLength(pointVelocity(twists[body.node], body.points[p]));
      out.push_back(T + speed * (0.5 * mass(entry.limit)));
    }
    return out;
  }

  const BestRates& bestAt(const ImpactBound& entry, std::size_t core, Instant& instant) {
    const auto [it, is_new] =
        instant.best.try_emplace({entry.limit, entry.body, static_cast<int>(core)});
    if (!is_new) return it->second;
    // Any rates prove a bound, so the middles of the enclosures do: no rounding has to be minded.
    const ImpactBody& body = model_.bodies()[entry.body];
    VecX v = VecX::Zero(problem_.robot->dimension()), q = v;
    for (Eigen::Index c = 0; c < v.size(); ++c) {
      const Enclosure &qc = instant.at.state.q[c].value, &vc = instant.at.state.v[c].value;
      q[c] = 0.5 * (qc.lower + qc.upper);
      v[c] = 0.5 * (vc.lower + vc.upper);
    }
    energy_.place(q, v);
    it->second.y =
        energy_.bestRates(body, energy_.worst(body, body.cores[core], mass(entry.limit)));
    Enclosures y;
    for (double rate : it->second.y) y.emplace_back(rate);
    it->second.g = boundOfRates(entry, core, instant.at, y);
    return it->second;
  }

  double tight(const ImpactBound& entry, std::size_t core, Interval time, Instant& first,
               Instant& last, const Moving& inside) {
    const BestRates& a = bestAt(entry, core, first);
    const BestRates& b = bestAt(entry, core, last);
    // The straight line between the rates at the ends; two roundings and that of the length are
    // less than what `outward` adds.
    Enclosures y;
    for (Eigen::Index c = 0; c < a.y.size(); ++c) {
      const double slope = (b.y[c] - a.y[c]) / time.length();
      y.emplace_back(Enclosure{std::min(a.y[c], b.y[c]), std::max(a.y[c], b.y[c])},
                     Enclosure::outward(slope, slope), Enclosure{0.0, 0.0});
    }
    const Enclosures g = boundOfRates(entry, core, inside, y);
    double energy = 0.0;
    for (std::size_t p = 0; p < g.size(); ++p) {
      energy = raised(energy, most(a.g[p], b.g[p], g[p], time));
    }
    return forceOf(entry.limit, energy);
  }

  const Problem& problem_;
  const ImpactModel& model_;
  const Trajectory& trajectory_;
  const ImpactBoundOptions options_;
  const bool is_smooth_;
  std::vector<std::vector<Ball>> balls_;  ///< about the cores of each body
  bool may_be_tight_ = true;
  ImpactEnergy energy_;
  std::vector<Reached> reached_;  ///< by limit
  ImpactBounds result_;
};

}  // namespace

ImpactBounds impactBounds(const Problem& problem, const ImpactModel& model,
                          const Trajectory& trajectory, const ImpactBoundOptions& options) {
  return ImpactSearch(problem, model, trajectory, options).run();
}

}  // namespace allclear
