// What the recursions know of the nodes, and the answers that they leave (inertia_sweeps.cpp has
// the mathematics, impulse_sweeps.cpp that of impulses).
#include "allclear/robot_models/kinematics/effective_inertia.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/assert.h"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear {

EffectiveInertia::EffectiveInertia(const MotionTree& tree, const VecX& rotor_inertia)
    : frames_(tree), mounts_(tree.mounts()), dimension_(tree.dimension()) {
  ALLCLEAR_ASSERT(rotor_inertia.size() == 0 || rotor_inertia.size() == dimension_);
  rotor_ = rotor_inertia.size() == 0 ? VecX(VecX::Zero(dimension_)) : rotor_inertia;
  ALLCLEAR_ASSERT((rotor_.array() >= 0.0).all());
  // A rotor without bound holds its coordinate, whose rate is 0: infinity times 0 would be NaN.
  turning_rotor_ = rotor_.unaryExpr([](double r) { return std::isinf(r) ? 0.0 : r; });
  classifyNodes(tree);
}

void EffectiveInertia::classifyNodes(const MotionTree& tree) {
  std::vector<std::vector<int>> users(dimension_);
  for (int i = 0; i < nodeCount(); ++i) {
    const MotionNode& node = tree.nodes()[i];
    users[node.coordinate].push_back(i);
    coordinate_.push_back(node.coordinate);
    multiplier_.push_back(node.multiplier);
    inverse_multiplier_.push_back(1.0 / node.multiplier);
    // Joints at one place (wrists, balls made of three turns): nothing has to be shifted between
    // them.
    const bool coincides = node.turns && node.parent >= 0 && node.X_PF.p == Vec3::Zero();
    // The rotor turns with the coordinate: T = rotor q̇²/2 = rotor/multiplier² ẋ²/2. A multiplier of
    // zero makes the node fixed, as if by a rotor without bound.
    const double rotor = rotor_[node.coordinate] / (node.multiplier * node.multiplier);
    inertial_.push_back({rotor, coincides, Motion::kFree, node.last_descendant});
  }
  // Subtrees are contiguous: an only child comes right after its parent, and ends where it ends.
  for (int i = 0; i < nodeCount(); ++i) {
    const int parent = tree.nodes()[i].parent;
    if (parent < 0) continue;
    ++inertial_[parent].children;
    const bool is_last = tree.nodes()[i].last_descendant == tree.nodes()[parent].last_descendant;
    inertial_[i].is_only_child = is_last && i == parent + 1;
    inertial_[i].is_last_child = is_last && i != parent + 1;
  }
  // A coordinate that moves several nodes (mimic joints), or its one node by a multiplier of 0, has
  // no answer that belongs to a single node. Its nodes are held in the sweeps, and it is freed with
  // the other shared ones afterwards; its rotor counts once, there. Paths run inward, children
  // first.
  for (int c = 0; c < dimension_; ++c) {
    const bool own = users[c].size() == 1 && multiplier_[users[c][0]] != 0.0;
    if (own || users[c].empty()) continue;
    SharedCoordinate shared{c, users[c], {}};
    std::vector<bool> on_path(nodeCount(), false);
    for (int user : users[c]) {
      inertial_[user].rotor = 0.0;
      inertial_[user].motion = Motion::kShared;
      for (int i = user; i >= 0; i = tree.nodes()[i].parent) on_path[i] = true;
    }
    for (int i = nodeCount() - 1; i >= 0; --i) {
      if (on_path[i]) shared.path.push_back(i);
    }
    shared_.push_back(std::move(shared));
  }
  for (int i = 0; i + 5 < nodeCount(); ++i) {
    if (!isFloatingBase(tree, i)) continue;
    for (int k = 0; k < 5; ++k) inertial_[i + k].motion = Motion::kPassedBy;
    inertial_[i + 5].motion = Motion::kBase;
  }
  findBalls(tree);
  for (int i = 0; i < nodeCount(); ++i) {
    all_.push_back(i);
    if (inertial_[i].motion == Motion::kBase || inertial_[i].ends_ball) many_ways_.push_back(i);
  }
}

/// Coordinates that are shared need the turns one by one.
void EffectiveInertia::findBalls(const MotionTree& tree) {
  if (!shared_.empty()) return;
  for (int i = 0; i + 2 < nodeCount(); ++i) {
    if (!isBall(tree, i)) continue;
    inertial_[i].is_in_ball = inertial_[i + 1].is_in_ball = true;
    inertial_[i + 2].ends_ball = has_balls_ = true;
    i += 2;
  }
}

/// Whether the three nodes from `first` are turns about one place with no mass, rotor or branch
/// between them: together they are a ball joint wherever their axes are not near one plane.
bool EffectiveInertia::isBall(const MotionTree& tree, int first) const {
  for (int k = 0; k < 3; ++k) {
    const MotionNode& node = tree.nodes()[first + k];
    const InertialNode& inertia = inertial_[first + k];
    const bool turns = node.turns && inertia.motion == Motion::kFree && inertia.rotor == 0.0;
    const bool in_chain = k == 0 || (node.parent == first + k - 1 && inertia.coincides);
    const bool is_empty = k == 2 || (!node.has_inertia && inertia.children == 1);
    if (!turns || !in_chain || !is_empty) return false;
  }
  return true;
}

/// Whether the six nodes from `first` are a floating joint on the world: slides along x, y, z, then
/// turns about z, y, x, without a body or a branch between them.
/// Such a base moves freely in all six directions whatever its angles are, but its joints do not
/// show that everywhere: at a pitch of 90 degrees two of the turns have the same axis. It is freed
/// along the axes of the world instead (`setBase` in inertia_sweeps.cpp), which needs no angles.
/// Anything unusual is refused and goes the general way.
bool EffectiveInertia::isFloatingBase(const MotionTree& tree, int first) const {
  if (tree.nodes()[first].parent >= 0) return false;
  constexpr int kAxes[] = {0, 1, 2, 2, 1, 0};
  for (int k = 0; k < 6; ++k) {
    const MotionNode& node = tree.nodes()[first + k];
    const bool in_chain = k == 0 || node.parent == first + k - 1;
    const bool in_place = k == 0 || (node.X_PF.R == Mat3::Identity() && node.X_PF.p.isZero(0.0));
    const bool alone = k == 5 || !node.has_inertia;
    const bool answers = inertial_[first + k].motion == Motion::kFree &&
                         inertial_[first + k].rotor == 0.0 &&
                         node.last_descendant == tree.nodes()[first].last_descendant;
    if (!in_chain || !in_place || !alone || !answers || node.axis != kAxes[k] ||
        node.turns != (k >= 3)) {
      return false;
    }
  }
  // A link on one of the first five, or a second child of them, would need its own answer.
  for (const LinkMount& mount : tree.mounts()) {
    if (mount.node >= first && mount.node < first + 5) return false;
  }
  for (const MotionNode& node : tree.nodes()) {
    if (&node > &tree.nodes()[first + 5] && node.parent >= first && node.parent < first + 5) {
      return false;
    }
  }
  return true;
}

EffectiveInertia::Workspace EffectiveInertia::makeWorkspace() const {
  Workspace w;
  static_cast<NodeFrames::Workspace&>(w) = frames_.makeWorkspace();
  // All that any call needs, so that none allocates.
  w.below.resize(nodeCount());
  w.answer.resize(nodeCount());
  w.path.reserve(nodeCount());
  w.inverse.resize(nodeCount());
  w.base_inverse.resize(nodeCount());
  w.ball.resize(has_balls_ ? nodeCount() : 0);
  w.momentum.resize(nodeCount());
  w.velocity.resize(nodeCount());
  w.momentum_of_three.resize(3 * nodeCount());
  w.velocity_of_three.resize(3 * nodeCount());
  w.rate_of_three.resize(3 * nodeCount());
  w.rate.setZero(nodeCount());
  w.by_x.setZero(nodeCount());
  w.shared_motion.resize(nodeCount() * shared_.size());
  w.shared_mass.setZero(shared_.size(), shared_.size());
  w.shared_factor = w.shared_mass;
  return w;
}

/// Sweeps are left until something asks for them: energies need none, impulses the inward one
/// alone, and all questions at one configuration share theirs.
void EffectiveInertia::place(const VecX& q, Workspace& w) const {
  frames_.place(q, w);
  w.holds_configuration = true;
  w.has_factors = w.has_inverse = false;
}

void EffectiveInertia::computeFactors(Workspace& w, bool by_balls) const {
  ALLCLEAR_ASSERT(w.holds_configuration);
  if (w.has_factors && (by_balls || !w.has_balls)) return;
  w.has_factors = true;
  w.has_balls = by_balls && has_balls_ && sweepInward(w, true);
  if (w.has_balls) return;
  sweepInward(w, false);
  if (!shared_.empty()) factorShared(w);
}

void EffectiveInertia::computeInverseMasses(Workspace& w) const {
  computeFactors(w);
  if (w.has_inverse) return;
  sweepOutward(w);
  if (!shared_.empty()) addShared(w);
  w.has_inverse = true;
}

namespace {

/// d − [r]b' − ([r]b)', b' = b + a[r]: Ω at a point r from the node's origin.
Mat3 inverseMassAt(const EffectiveInertia::Workspace::Inverse& W, const Vec3& r) {
  Mat3 a, b, d;
  for (int k = 0; k < 3; ++k) {
    a.col(k) = unpack(W.a.c[k]);
    b.col(k) = unpack(W.b.c[k]);
    d.col(k) = unpack(W.d.c[k]);
  }
  Mat3 ar, C;
  for (int k = 0; k < 3; ++k) ar.col(k) = a * r.cross(Vec3::Unit(k));
  for (int k = 0; k < 3; ++k) C.col(k) = r.cross(b.col(k) + 0.5 * ar.col(k));
  return d - C - C.transpose();
}

}  // namespace

Mat3 EffectiveInertia::inverseMass(int link, const Vec3& p_W, Workspace& w) const {
  ALLCLEAR_ASSERT(link >= 0 && link < linkCount());
  computeInverseMasses(w);
  const int node = mounts_[link].node;
  if (node < 0) return Mat3::Zero();
  return inverseMassAt(w.inverse[node], p_W - unpack(w.frames[node].c[3]));
}

double EffectiveInertia::effectiveMass(int link, const Vec3& p_W, const Vec3& n,
                                       Workspace& w) const {
  const double mobility = n.dot(inverseMass(link, p_W, w) * n);
  return mobility > 0.0 ? 1.0 / mobility : std::numeric_limits<double>::infinity();
}

}  // namespace allclear
