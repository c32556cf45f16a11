// Bounds torques, forces at contacts, and the room in the support polygon, over a whole trajectory.
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
// Contacts. A contact's force F and moment M, about a point p that is fixed in the world, are a
// curve in time beside that of the joints: one more enclosure of value and two derivatives. On the
// way from the world to the contact they take -z.(M + (p - p_n) x F) off the torque that turns
// about the axis z through p_n, and z.F off the force that slides along z. The base supplies what
// is left of the ground's wrench. Where pieces of either curve meet, the second derivative may
// jump, so cells never reach over such an instant.
//
// Symbols. bulge: (h^2 / 8) sup |f''|. excess: how far a value is beyond its limit, in units of the
// limit; negative inside. reached: the greatest excess of a value seen.
#include "allclear/planner/certificate/torque.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/core/extremes.h"
#include "allclear/planner/certificate/dynamics_search.h"
#include "allclear/planner/problem/contact_cone.h"
#include "allclear/planner/problem/load.h"
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
/// Bounds several functions of the state (all torques, or the rooms of all edges) over the whole
/// trajectory, together: one run of the recursion gives them all.
class DynamicsSearch {
 public:
  using Functions = std::function<Enclosures(const EnclosedState&)>;
  using Instant = Enclosures;
  using Cell = std::vector<Enclosure>;

  /// `wrenches` may be null.
  DynamicsSearch(const Problem& problem, const Trajectory& trajectory, const Trajectory* wrenches,
                 Functions functions, std::vector<Interval> limits, std::vector<double> scales)
      : problem_(problem),
        trajectory_(trajectory),
        wrenches_(wrenches),
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
    CellHalving(*this, kMostHalvings).run(timesOfPieces(trajectory_, wrenches_));
    return std::move(result_);
  }

  /// Also notes how near to their limits the functions come.
  Enclosures at(double t) {
    Enclosures values = enclosed({t, t});
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const Enclosure& value = values[i].value;
      const double middle = 0.5 * (value.lower + value.upper);
      const double beyond = excess(i, middle, middle);
      if (beyond > reached_[i]) {
        reached_[i] = beyond;
        result_[i].t = t;
      }
    }
    return values;
  }

  /// All functions share the cells: one that needs halving takes the others along, which costs
  /// little.
  bool bound(Interval time, const Enclosures& first, const Enclosures& last, Cell* bounds) const {
    const Enclosures inside = enclosed(time);
    bool is_fine = true;
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      bounds->push_back(boundBetween(first[i], last[i], inside[i], time));
      is_fine = is_fine && isGoodEnough(i, excess(i, bounds->back().lower, bounds->back().upper));
    }
    return is_fine;
  }

  void take(const Cell& bounds) {
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      Interval& all = result_[i].bound;
      all = {lowered(all.lower, bounds[i].lower), raised(all.upper, bounds[i].upper)};
    }
  }

 private:
  /// The functions over `time` as enclosures of value and two derivatives; over a single instant
  /// the values are as tight as rounding allows.
  Enclosures enclosed(Interval time) const {
    return functions_(
        enclosedState(problem_, trajectory_, wrenches_, time, StateRates::kAccelerations));
  }

  /// By how much a range goes beyond the limits of function i, in its scale; negative inside.
  double excess(std::size_t i, double lower, double upper) const {
    return raised(upper - limits_[i].upper, limits_[i].lower - lower) / scales_[i];
  }

  /// Whether a bound with this excess needs no halving: it is far inside the limit; or it is close
  /// to a value seen, and it either keeps the limit or a value seen breaks it anyway.
  bool isGoodEnough(std::size_t i, double beyond) const {
    const bool is_tight = beyond <= reached_[i] + kTightEnough;
    return beyond <= -kFarInside || (is_tight && (beyond <= 0.0 || reached_[i] > 0.0));
  }

  const Problem& problem_;
  const Trajectory& trajectory_;
  const Trajectory* wrenches_;
  Functions functions_;
  std::vector<Interval> limits_;
  std::vector<double> scales_;
  std::vector<DynamicsBound> result_;
  std::vector<double> reached_;  ///< by function: the greatest excess of a value seen
};

using Vector = Vec3T<EnclosedSeries>;

/// Torques, cones and pressing forces as functions of the state; see "Contacts" above.
class ContactForces {
 public:
  ContactForces(const Problem& problem, const ContactSet& contacts, const RobotModel& robot)
      : problem_(problem), contacts_(contacts), tree_(robot), weight_(robotWeight(robot)) {
    for (const PlacedContact& contact : contacts.all()) {
      cones_.push_back(contactCone(contact, weight_));
      paths_.push_back(tree_.pathTo(tree_.mounts()[contact.contact.link].node));
    }
  }

  const std::vector<ContactCone>& cones() const { return cones_; }

  /// Torques of planned coordinates; then for each contact its cone's rows and its pressing force.
  Enclosures operator()(const EnclosedState& state) const {
    const std::vector<PoseT<EnclosedSeries>> X = nodePoses(tree_, state.q);
    GroundWrench<EnclosedSeries> base;
    base.about = contacts_.base()->X_WC.p;
    Enclosures tau = inverseDynamicsAt(tree_, X, state.v, state.a, kStandardGravity, &base);
    for (std::size_t i = 0; i < cones_.size(); ++i) {
      const PlacedContact& contact = contacts_.all()[i];
      if (contact.is_base) continue;
      const auto [F, M] = wrenchOf(contact, state);
      takeOff(paths_[i], X, contact.X_WC.p, F, M, &tau);
      const Vec3 arm = contact.X_WC.p - base.about;
      base.force -= F;
      base.moment -= M + Vector(arm.cast<EnclosedSeries>().cross(F));
    }
    // The base's wrench is what is left once all others have been taken off.
    Enclosures out;
    for (int c : problem_.planned) out.push_back(tau[c]);
    for (std::size_t i = 0; i < cones_.size(); ++i) {
      const PlacedContact& contact = contacts_.all()[i];
      const auto [F, M] =
          contact.is_base ? std::pair(base.force, base.moment) : wrenchOf(contact, state);
      addCone(cones_[i], F, M, &out);
    }
    return out;
  }

 private:
  static std::pair<Vector, Vector> wrenchOf(const PlacedContact& contact,
                                            const EnclosedState& state) {
    std::pair<Vector, Vector> wrench{Vector::Zero(), Vector::Zero()};
    for (int k = 0; k < contact.rows(); ++k) {
      (k < 3 ? wrench.first[k] : wrench.second[k - 3]) = state.w[contact.first_wrench + k];
    }
    return wrench;
  }

  void takeOff(const std::vector<int>& path, const std::vector<PoseT<EnclosedSeries>>& X,
               const Vec3& p_W, const Vector& F, const Vector& M, Enclosures* tau) const {
    for (int n : path) {
      const MotionNode& node = tree_.nodes()[n];
      const Vector z = X[n].R.col(node.axis);
      const Vector arm = p_W.cast<EnclosedSeries>() - X[n].p;
      const EnclosedSeries share = node.turns ? z.dot(Vector(M + arm.cross(F))) : z.dot(F);
      (*tau)[node.coordinate] -= share * EnclosedSeries(node.multiplier);
    }
  }

  void addCone(const ContactCone& cone, const Vector& F, const Vector& M, Enclosures* out) const {
    const auto along = [&](const auto& row) {
      EnclosedSeries sum(0.0);
      for (int k = 0; k < 3; ++k) {
        sum += EnclosedSeries(row[k]) * F[k] + EnclosedSeries(row[k + 3]) * M[k];
      }
      return sum;
    };
    for (int i = 0; i < cone.count(); ++i) out->push_back(along(cone.rows.row(i)));
    Eigen::Matrix<double, 6, 1> press = Eigen::Matrix<double, 6, 1>::Zero();
    press.head<3>() = cone.normal / weight_;
    out->push_back(along(press));
  }

  const Problem& problem_;
  const ContactSet& contacts_;
  const MotionTree tree_;
  double weight_;
  std::vector<ContactCone> cones_;       ///< by contact
  std::vector<std::vector<int>> paths_;  ///< by contact
};

/// Ranges of torques and their scales. A joint without a limit has an infinite range; its scale
/// then only has to be finite.
void addTorqueRanges(const VecX& limits, std::vector<Interval>* ranges,
                     std::vector<double>* scales) {
  for (double limit : limits) {
    ranges->push_back({-limit, limit});
    scales->push_back(std::isfinite(limit) ? limit : 1.0);
  }
}

constexpr Interval kNotNegative{0.0, std::numeric_limits<double>::infinity()};

}  // namespace

ContactForceBounds contactForceBounds(const Problem& problem, const ContactSet& contacts,
                                      const Trajectory& trajectory, const Trajectory* wrenches,
                                      const VecX& limits) {
  ALLCLEAR_ASSERT(contacts.base() != nullptr);
  ALLCLEAR_ASSERT((wrenches == nullptr ? 0 : wrenches->dimension()) == contacts.wrenchCount());
  ALLCLEAR_ASSERT(wrenches == nullptr || wrenches->duration() == trajectory.duration());
  const ContactForces forces(problem, contacts, *loadedRobot(problem));
  std::vector<Interval> ranges;
  std::vector<double> scales;
  addTorqueRanges(limits, &ranges, &scales);
  for (const ContactCone& cone : forces.cones()) {
    ranges.insert(ranges.end(), cone.count() + 1, kNotNegative);
    scales.insert(scales.end(), cone.count() + 1, 1.0);
  }
  const std::vector<DynamicsBound> all =
      DynamicsSearch(problem, trajectory, wrenches, std::cref(forces), std::move(ranges),
                     std::move(scales))
          .run();
  // Sorted out as the functions came.
  ContactForceBounds bounds;
  auto next = all.begin() + problem.plannedCount();
  bounds.torques.assign(all.begin(), next);
  for (const ContactCone& cone : forces.cones()) {
    ContactForceBounds::OfContact& of = bounds.contacts.emplace_back();
    of.cone.assign(next, next + cone.count());
    of.press = next[cone.count()];
    next += cone.count() + 1;
  }
  return bounds;
}

std::vector<DynamicsBound> torqueBounds(const Problem& problem, const Trajectory& trajectory,
                                        const VecX& limits) {
  const MotionTree tree(*loadedRobot(problem));
  std::vector<Interval> ranges;
  std::vector<double> scales;
  addTorqueRanges(limits, &ranges, &scales);
  // No ground: a robot that hangs on the world is carried there, whatever that takes.
  const auto torques = [&](const EnclosedState& state) {
    const Enclosures tau = inverseDynamicsOf(tree, state.q, state.v, state.a, kStandardGravity);
    Enclosures planned;
    for (int c : problem.planned) planned.push_back(tau[c]);
    return planned;
  };
  return DynamicsSearch(problem, trajectory, nullptr, torques, std::move(ranges), std::move(scales))
      .run();
}

/// The functions are the rooms of all edges, scaled so that 1 is the size of the polygon.
std::vector<DynamicsBound> balanceBounds(const Problem& problem, const Trajectory& trajectory,
                                         const SupportPolygon& polygon) {
  const MotionTree tree(*loadedRobot(problem));
  const bool at_rest = problem.balance->criterion == Balance::Criterion::kCom;
  const double scale = 1.0 / (robotWeight(*loadedRobot(problem)) * polygon.radius);
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
  return DynamicsSearch(problem, trajectory, nullptr, rooms,
                        std::vector<Interval>(count, kNotNegative), std::vector<double>(count, 1.0))
      .run();
}

}  // namespace allclear
