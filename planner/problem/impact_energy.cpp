// The worst contact of a moving robot with a mass at rest, at one instant.
//
// Model. A person's body part is a mass m on a spring. It touches point p of the robot with normal
// n; all joints that are planned are free at that instant, the others are locked. At the greatest
// compression both have the same speed along n, and the spring holds
//     (n.u)^2 / (2 (n.W n + 1/m)),   u the velocity of p, W = J M^-1 J^T its mobility.
// Over all n the most is E = u.(W + 1/m)^-1 u / 2, for n along (W + 1/m)^-1 u. That is also
//     E = min over rates y of  T(q, y) + m |J (v - y)|^2 / 2,
// T the kinetic energy; the least is at y = M^-1 J^T f, f = (W + 1/m)^-1 u. So any y gives an upper
// bound, y = theta v the bound T K / (T + K) with K = m |u|^2 / 2.
//
// Many points. For the points of a convex core one y serves all (the bracket is convex in p):
//     min over y, max over vertices p  =  max over weights w, min over y of the weighted sum,
// as for one point with the 6 x 6 matrix Q = sum w P^T P in place of P^T P, P = (-[p], 1) from
// twists to velocities. Vertices are added to the weights one by one, each with the step that is
// best (Frank and Wolfe), until the bracket's greatest value is close to the weighted sum.
//
// Derivatives. By the envelope theorem y and w count as constant: dE/dv = J^T f, and dE/dq comes
// from the twists of y (with momenta) and of v - y (with the force), passed from the leaves to the
// root as the recursion of twists goes from the root to the leaves.
#include "allclear/planner/problem/impact_energy.h"

#include <algorithm>
#include <cmath>

#include "allclear/planner/problem/body_regions.h"

namespace allclear {
namespace {

/// Relative to the greatest entry of its diagonal: keeps a mass matrix invertible where a joint
/// moves next to nothing.
constexpr double kLeastMass = 1e-12;
/// Weights of vertices are good enough when no vertex has more than the sum by this share.
constexpr double kWeightTolerance = 3e-3;
constexpr int kMostVertices = 60;
/// Secants towards the best step to another vertex: the slope is nearly straight.
constexpr int kStepTrials = 2;

Mat3 cross(const Vec3& p) {
  Mat3 out;
  out << 0.0, -p[2], p[1], p[2], 0.0, -p[0], -p[1], p[0], 0.0;
  return out;
}

/// From the twist at a node's origin to the velocity of its point.
Eigen::Matrix<double, 3, 6> velocityAt(const Vec3& p) {
  Eigen::Matrix<double, 3, 6> P;
  P << -cross(p), Mat3::Identity();
  return P;
}

Vec6 asVector(const Twist<double>& twist) {
  Vec6 out;
  out << twist.angular, twist.linear;
  return out;
}

/// The momentum of a node's own body, about the node's origin: the derivative of its energy.
Twist<double> momentum(const MotionNode& node, const Twist<double>& twist) {
  const Vec3& c = node.inertia.p_LC;
  const Vec3 p = node.inertia.mass * (twist.linear + twist.angular.cross(c));
  return {Vec3(node.inertia.I_C * twist.angular + c.cross(p)), p};
}

}  // namespace

double springForce(const ContactLimit& limit, double energy) {
  return std::sqrt(2.0 * limit.stiffness * energy) + ownForce(limit);
}

double energyLimit(const ContactLimit& limit) {
  const double force = limit.forceLimit() - ownForce(limit);
  return force * force / (2.0 * limit.stiffness);
}

ImpactEnergy::ImpactEnergy(const ImpactModel& model) : model_(model) {
  for (int c = 0; c < model.tree().dimension(); ++c) {
    if (model.planned()[c]) planned_.push_back(c);
  }
}

void ImpactEnergy::place(const VecX& q, const VecX& v) {
  const MotionTree& tree = model_.tree();
  v_.assign(v.begin(), v.end());
  motions_ = nodeMotions(tree, std::vector<double>(q.begin(), q.end()));
  nodeTwists(tree, motions_, v_, model_.moves(), &twists_);
  energy_.assign(tree.nodes().size(), 0.0);
  for (std::size_t i = 0; i < twists_.size(); ++i) {
    if (model_.moves()[i]) energy_[model_.branch()[i]] += bodyEnergy(tree.nodes()[i], twists_[i]);
  }
  // A rotor turns with its joint, whatever carries the joint.
  for (int c : planned_) {
    const double rotor = 0.5 * tree.rotorInertia()[c] * v_[c] * v_[c];
    if (rotor > 0.0) energy_[model_.coordinateBranch()[c]] += rotor;
  }
  is_factored_ = false;
  speeds_.resize(model_.bodies().size());
  for (std::vector<Speed>& of : speeds_) of.clear();
}

ImpactEnergy::Speed ImpactEnergy::speedOf(const ImpactBody& body, const ImpactCore& core) const {
  Speed fastest;
  const Twist<double>& twist = twists_[body.node];
  for (int i = core.first; i < core.first + core.count; ++i) {
    const double squared = pointVelocity(twist, body.points[i]).squaredNorm();
    if (squared > fastest.squared) fastest = {i, squared};
  }
  return fastest;
}

const std::vector<ImpactEnergy::Speed>& ImpactEnergy::speeds(const ImpactBody& body) const {
  const std::vector<ImpactBody>& own = model_.bodies();
  const bool is_own = &body >= own.data() && &body < own.data() + own.size();
  std::vector<Speed>& of = is_own ? speeds_[&body - own.data()] : other_;
  if (!is_own) of.clear();
  if (of.empty()) {
    for (const ImpactCore& core : body.cores) of.push_back(speedOf(body, core));
  }
  return of;
}

double ImpactEnergy::cheapEnergy(const ImpactBody& body, double mass, double squared_speed) const {
  const double T = branchEnergy(body), K = 0.5 * mass * squared_speed;
  return T + K > 0.0 ? T * (K / (T + K)) : 0.0;
}

double ImpactEnergy::roughly(const ImpactBody& body, double mass) const {
  const Twist<double>& twist = twists_[body.node];
  const double speed =
      pointVelocity(twist, body.ball.center).norm() + body.ball.radius * twist.angular.norm();
  return cheapEnergy(body, mass, speed * speed);
}

ImpactEnergy::Fastest ImpactEnergy::fastest(const ImpactBody& body, double mass) const {
  Speed most;
  for (const Speed& speed : speeds(body)) {
    if (speed.squared > most.squared) most = speed;
  }
  return {most.point, cheapEnergy(body, mass, most.squared)};
}

/// Twists of all moving nodes by each planned rate.
void ImpactEnergy::placeColumns() {
  const MotionTree& tree = model_.tree();
  const auto n = static_cast<Eigen::Index>(planned_.size());
  J_.resize(tree.nodes().size());
  for (std::size_t i = 0; i < J_.size(); ++i) {
    J_[i].setZero(6, n);
    if (!model_.moves()[i]) continue;
    const MotionNode& node = tree.nodes()[i];
    for (Eigen::Index k = 0; k < n && node.parent >= 0; ++k) {
      const auto column = J_[node.parent].col(k);
      if (column.isZero(0.0)) continue;
      J_[i].col(k) =
          asVector(carried<double>(node, motions_[i], {column.head<3>(), column.tail<3>()}));
    }
    // The node's own coordinate; mimic joints add to the column of their leader.
    const auto own = std::lower_bound(planned_.begin(), planned_.end(), node.coordinate);
    if (own != planned_.end() && *own == node.coordinate) {
      J_[i](node.axis + (node.turns ? 0 : 3), own - planned_.begin()) += node.multiplier;
    }
  }
}

/// The mass matrix of the planned coordinates: the sum of all bodies' J^T G J, and rotors.
void ImpactEnergy::factor() {
  if (is_factored_) return;
  placeColumns();
  const MotionTree& tree = model_.tree();
  const auto n = static_cast<Eigen::Index>(planned_.size());
  MatX M = MatX::Zero(n, n);
  for (std::size_t i = 0; i < J_.size(); ++i) {
    const MotionNode& node = tree.nodes()[i];
    if (!model_.moves()[i] || !node.has_inertia) continue;
    const Mat3 c = cross(node.inertia.p_LC);
    const double m = node.inertia.mass;
    Mat6 G;
    G << node.inertia.I_C - m * c * c, m * c, -m * c, m * Mat3::Identity();
    M.noalias() += J_[i].transpose() * (G * J_[i]);
  }
  for (Eigen::Index k = 0; k < n; ++k) M(k, k) += tree.rotorInertia()[planned_[k]];
  // A coordinate that moves no mass would make M singular; it takes part in no contact.
  M.diagonal().array() += kLeastMass * M.diagonal().maxCoeff();
  mass_.compute(M);
  mobility_.assign(J_.size(), std::nullopt);
  is_factored_ = true;
}

const Mat6& ImpactEnergy::mobility(int node) {
  std::optional<Mat6>& found = mobility_[node];
  if (!found) {
    const MatX half = mass_.matrixL().solve(J_[node].transpose());
    found = half.transpose() * half;
  }
  return *found;
}

ImpactEnergy::Touch ImpactEnergy::worst(const ImpactBody& body, const ImpactCore& core,
                                        double mass) {
  factor();
  if (core.count > 1) return worstOfMany(body, core, mass);
  const Vec3& p = body.points[core.first];
  const auto P = velocityAt(p);
  const Vec3 u = P * asVector(twists_[body.node]);
  // (4.1): the region's mobility 1/m is added to that of the point.
  Mat3 A = P * mobility(body.node) * P.transpose();
  A.diagonal().array() += 1.0 / mass;
  const Vec3 f = A.ldlt().solve(u);
  Touch touch;
  touch.energy = 0.5 * u.dot(f);
  touch.at = {{core.first, 1.0}};
  touch.wrench << p.cross(f), f;
  return touch;
}

ImpactEnergy::Touch ImpactEnergy::worstOfMany(const ImpactBody& body, const ImpactCore& core,
                                              double mass) {
  const Vec6 t = asVector(twists_[body.node]);
  const Mat6& mobile = mobility(body.node);
  const auto gramOf = [&](int point) -> Mat6 {
    const auto P = velocityAt(body.points[point]);
    return mass * P.transpose() * P;
  };
  const auto wrenchOf = [&](const Mat6& Q) -> Vec6 {
    return (Mat6::Identity() + Q * mobile).partialPivLu().solve(Q * t);
  };
  // The vertex with the greatest |velocity|^2 of a twist.
  const auto fastestOf = [&](const Vec6& z, double* speed) {
    int best = core.first;
    *speed = -1.0;
    for (int i = core.first; i < core.first + core.count; ++i) {
      const double s = (z.tail<3>() + z.head<3>().cross(body.points[i])).squaredNorm();
      if (s > *speed) *speed = s, best = i;
    }
    return best;
  };
  Touch touch;
  double speed = 0.0;
  touch.at = {{fastestOf(t, &speed), 1.0}};
  Mat6 Q = gramOf(touch.at[0].first);
  for (int step = 0; step < kMostVertices; ++step) {
    touch.wrench = wrenchOf(Q);
    touch.energy = 0.5 * t.dot(touch.wrench);
    const Vec6 slip = mobile * touch.wrench, z = t - slip;  // of y, and what is left
    const int next = fastestOf(z, &speed);
    const double most = 0.5 * touch.wrench.dot(slip) + 0.5 * mass * speed;
    if (!(most > touch.energy * (1.0 + kWeightTolerance))) break;
    // The weighted sum is concave in the step: its slope falls, and where it is still positive at
    // the end the new vertex takes all.
    const Mat6 D = gramOf(next) - Q;
    const auto slopeAt = [&](double part) {
      const Vec6 left = t - mobile * wrenchOf(Q + part * D);
      return left.dot(D * left);
    };
    double high = 1.0, low = 0.0, of_low = z.dot(D * z), of_high = slopeAt(1.0);
    for (int i = 0; i < kStepTrials && of_high < 0.0; ++i) {
      const double trial = low + (high - low) * of_low / (of_low - of_high);
      const double slope = slopeAt(trial);
      (slope > 0.0 ? low : high) = trial;
      (slope > 0.0 ? of_low : of_high) = slope;
    }
    const double step_size = of_high < 0.0 ? low + (high - low) * of_low / (of_low - of_high) : 1.0;
    Q += step_size * D;
    for (auto& [point, weight] : touch.at) weight *= 1.0 - step_size;
    touch.at.emplace_back(next, step_size);
  }
  return touch;
}

ImpactEnergy::Touch ImpactEnergy::worst(const ImpactBody& body, double mass) {
  // The cheap bound is never less: from the fastest core on, only those whose bound is greater than
  // what was found can be worse.
  const std::vector<Speed> of = speeds(body);
  const auto bySpeed = [](const Speed& a, const Speed& b) { return a.squared < b.squared; };
  const auto first = std::max_element(of.begin(), of.end(), bySpeed) - of.begin();
  Touch most = worst(body, body.cores[first], mass);
  most.core = static_cast<int>(first);
  for (std::size_t k = 0; k < of.size(); ++k) {
    if (static_cast<std::ptrdiff_t>(k) == first) continue;
    if (cheapEnergy(body, mass, of[k].squared) <= most.energy) continue;
    Touch touch = worst(body, body.cores[k], mass);
    if (touch.energy <= most.energy) continue;
    touch.core = static_cast<int>(k);
    most = std::move(touch);
  }
  return most;
}

VecX ImpactEnergy::bestRates(const ImpactBody& body, const Touch& touch) {
  factor();
  const VecX y = mass_.solve(J_[body.node].transpose() * touch.wrench);
  VecX all = VecX::Zero(model_.tree().dimension());
  for (std::size_t k = 0; k < planned_.size(); ++k) {
    all[planned_[k]] = y[static_cast<Eigen::Index>(k)];
  }
  return all;
}

/// A turn by dq turns what the node gets from its parent by -dq about the axis z: d omega = -z x
/// omega, and d v alike. A slide moves its origin: d v = omega x z. Twists of parents count through
/// the transpose of `carried`.
void ImpactEnergy::pullBack(const Twists& twists, Twists* by_twist, VecX* by_q, VecX* by_v) const {
  const std::vector<MotionNode>& nodes = model_.tree().nodes();
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (!model_.moves()[i]) continue;
    const MotionNode& node = nodes[i];
    Vec3 a = (*by_twist)[i].angular, b = (*by_twist)[i].linear;
    const Vec3 z = Vec3::Unit(node.axis);
    const Vec3 &w = twists[i].angular, &v = twists[i].linear;
    const double turned = node.turns ? -z.dot(w.cross(a) + v.cross(b)) : b.dot(w.cross(z));
    (*by_q)[node.coordinate] += turned * node.multiplier;
    if (by_v != nullptr) (*by_v)[node.coordinate] += z.dot(node.turns ? a : b) * node.multiplier;
    if (node.parent < 0) continue;
    // Back from the node's frame to its parent's: the transpose of `carried`.
    if (node.turns) {
      const int j = (node.axis + 1) % 3, k = (node.axis + 2) % 3;
      for (Vec3* x : {&a, &b}) {
        const double xj = (*x)[j], xk = (*x)[k];
        (*x)[j] = xj * motions_[i].cosine - xk * motions_[i].sine;
        (*x)[k] = xj * motions_[i].sine + xk * motions_[i].cosine;
      }
    } else {
      a += motions_[i].x * z.cross(b);
    }
    const Vec3 force = node.X_PF.R * b;
    (*by_twist)[node.parent].linear += force;
    (*by_twist)[node.parent].angular += node.X_PF.R * a + node.X_PF.p.cross(force);
  }
}

void ImpactEnergy::gradient(const ImpactBody& body, double mass, const Fastest& fastest, VecX* by_q,
                            VecX* by_v) {
  by_q->setZero(model_.tree().dimension());
  by_v->setZero(model_.tree().dimension());
  const Vec3& p = body.points[fastest.point];
  const Vec3 u = pointVelocity(twists_[body.node], p);
  const double T = branchEnergy(body), K = 0.5 * mass * u.squaredNorm();
  if (!(T + K > 0.0)) return;
  // d (T K / (T + K)) = (K / (T + K))^2 dT + (T / (T + K))^2 dK.
  const double by_T = K / (T + K) * (K / (T + K)), by_K = T / (T + K) * (T / (T + K));
  Twists by_twist(twists_.size());
  for (std::size_t i = 0; i < twists_.size(); ++i) {
    if (!model_.moves()[i] || model_.branch()[i] != body.branch) continue;
    const Twist<double> h = momentum(model_.tree().nodes()[i], twists_[i]);
    by_twist[i] = {by_T * h.angular, by_T * h.linear};
  }
  // dK by the twist of the body that is touched: a force f at p.
  const Vec3 f = by_K * mass * u;
  by_twist[body.node].linear += f;
  by_twist[body.node].angular += p.cross(f);
  pullBack(twists_, &by_twist, by_q, by_v);
  for (int c : planned_) {
    if (model_.coordinateBranch()[c] != body.branch) continue;
    (*by_v)[c] += by_T * model_.tree().rotorInertia()[c] * v_[c];
  }
}

void ImpactEnergy::gradient(const ImpactBody& body, const Touch& touch, VecX* by_q, VecX* by_v) {
  by_q->setZero(model_.tree().dimension());
  by_v->setZero(model_.tree().dimension());
  // The best rates y stay as they are (they are least: the envelope): only T(q, y) and the speed
  // left over depend on q, and the latter on v.
  const VecX y = bestRates(body, touch);
  std::vector<double> best(y.begin(), y.end()), left = v_;
  for (std::size_t c = 0; c < left.size(); ++c) left[c] -= best[c];
  Twists of_best, of_left;
  nodeTwists(model_.tree(), motions_, best, model_.moves(), &of_best);
  nodeTwists(model_.tree(), motions_, left, model_.moves(), &of_left);
  Twists by_best(of_best.size()), by_left(of_left.size());
  for (std::size_t i = 0; i < of_best.size(); ++i) {
    if (model_.moves()[i]) by_best[i] = momentum(model_.tree().nodes()[i], of_best[i]);
  }
  by_left[body.node] = {touch.wrench.head<3>(), touch.wrench.tail<3>()};
  pullBack(of_best, &by_best, by_q, nullptr);
  pullBack(of_left, &by_left, by_q, by_v);
}

}  // namespace allclear
