// How a tree answers to impulses, by the factors of inertia_sweeps.cpp.
//
// An impulse F on the subtree of node i (moment; force, about the node's origin) is sent inward as
// the momentum p = −F that the joint must still supply:
//   u = −S'p     p_λ += p + U u / D      a free joint passes on what it cannot take
//   p_λ += p + U ẋ                       a held or shared joint, its rate ẋ given
// and outward all joints answer to the motion V of the body that carries them:
//   ẋ = (u − U'V) / D     V_i = V + S ẋ.
// Off the path from the impulse to the base u is zero: only the outward sweep visits all nodes.
// Three turns that are taken as one ball (inertia_sweeps.cpp) pass on no moment, p_λ += p + K'n
// with n = -p's moment, and turn by w = J^-1 n - K v, K = J^-1 G', whatever the parent's turn is.
//
// Shared coordinates add, along each orthogonal direction y of their inverse mass (a motion of all
// nodes), y (y'F).
#include "allclear/robot_models/kinematics/impulse_sweeps.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear {
namespace {

using Answer = EffectiveInertia::Workspace::Answer;
using Inverse = EffectiveInertia::Workspace::Inverse;

/// The answer of a body with the inverse mass W to an impulse.
ALLCLEAR_INLINE SpatialPack answerOf(const Inverse& W, const SpatialPack& impulse) {
  const Pack4 n = impulse.angular;
  return {W.a * n + W.b * impulse.linear,
          pack(dot(W.b.c[0], n), dot(W.b.c[1], n), dot(W.b.c[2], n)) + W.d * impulse.linear};
}

}  // namespace

/// Momenta of the path's nodes to those of the base. Rates of free joints on the path become
/// their u; rates of shared joints are given.
template <int N>
ALLCLEAR_INLINE void EffectiveInertia::Sweeps::sendInward(const Sweeps& s, const int* path,
                                                          int length) {
  for (int step = 0; step < length; ++step) {
    const int i = path[step];
    const Answer& joint = s.answer[i];
    if (joint.motion == Motion::kBase || joint.motion == Motion::kPassedBy) continue;
    if (joint.motion == Motion::kBall) {
      const Answer& first = s.answer[i - 2];
      for (int n = 0; n < N && first.parent >= 0; ++n) {
        const SpatialPack& p = s.momentum[N * i + n];
        SpatialPack& parent = s.momentum[N * first.parent + n];
        const Columns4& K = s.ball[i].K;
        const Pack4 passed =
            pack(dot(K.c[0], p.angular), dot(K.c[1], p.angular), dot(K.c[2], p.angular));
        const Pack4 linear = p.linear - passed;
        parent.angular += cross(first.r, linear);
        parent.linear += linear;
      }
      continue;
    }
    for (int n = 0; n < N; ++n) {
      // The joint takes its share of the momentum; the rest goes on to the parent.
      const SpatialPack& p = s.momentum[N * i + n];
      double& rate = s.rate[N * i + n];
      double share = rate;
      // A free joint gives way; one whose rate is given passes its share on.
      if (joint.motion == Motion::kFree) {
        rate = -alongJoint(joint, p);
        share = rate * joint.inverse_D;
      }
      if (joint.parent < 0) continue;
      SpatialPack& parent = s.momentum[N * joint.parent + n];
      const Pack4 linear = p.linear + joint.U.linear * share;
      parent.angular += p.angular + joint.U.angular * share + cross(joint.r, linear);
      parent.linear += linear;
    }
  }
}

/// Of a ball, at its last node; what is between the turns gets no velocity.
template <int N>
ALLCLEAR_INLINE void EffectiveInertia::Sweeps::visitBall(const Sweeps& s, int i) {
  const Answer& first = s.answer[i - 2];
  const Workspace::BallJoint& ball = s.ball[i];
  for (int n = 0; n < N; ++n) {
    SpatialPack V = still();
    if (first.parent >= 0) {
      V = s.velocity[N * first.parent + n];
      if (!first.coincides) V.linear += cross(V.angular, first.r);
    }
    // What arrives as a moment it cannot pass on, and what its centre's motion would make it turn
    // by.
    const Pack4 w = -(ball.inverse_J * s.momentum[N * i + n].angular) - ball.K * V.linear;
    const Pack4 rates = ball.rates * (w - V.angular);
    for (int k = 0; k < 3; ++k) s.rate[N * (i - 2 + k) + n] = rates[k];
    s.velocity[N * i + n] = {w, V.linear};
  }
}

/// Velocity of a node and rate of its free joint, once the parent's are known.
template <int N>
ALLCLEAR_INLINE void EffectiveInertia::Sweeps::visit(const Sweeps& s, int i) {
  const Answer& joint = s.answer[i];
  if (joint.motion == Motion::kPassedBy) return;
  if (joint.motion == Motion::kBall) {
    visitBall<N>(s, i);
    return;
  }
  for (int n = 0; n < N; ++n) {
    // A base answers to all that arrived, another node to its parent's motion and its own joint.
    SpatialPack V = still();
    if (joint.motion == Motion::kBase) {
      const SpatialPack& p = s.momentum[N * i + n];
      V = answerOf(s.base_inverse[i], {-p.angular, -p.linear});
    } else {
      if (joint.parent >= 0) {
        // The parent's velocity at this joint's place.
        V = s.velocity[N * joint.parent + n];
        if (!joint.coincides) V.linear += cross(V.angular, joint.r);
      }
      double& rate = s.rate[N * i + n];
      if (joint.motion == Motion::kFree) rate = (rate - product(joint.U, V)) * joint.inverse_D;
      const Pack4 motion = joint.z * rate;
      if (joint.turns) {
        V.angular += motion;
      } else {
        V.linear += motion;
      }
    }
    s.velocity[N * i + n] = V;
  }
}

ALLCLEAR_MULTIVERSION
void EffectiveInertia::Sweeps::inward(const Sweeps& s, const int* path, int length) {
  sendInward<1>(s, path, length);
}

ALLCLEAR_MULTIVERSION
void EffectiveInertia::Sweeps::outward(const Sweeps& s, int count) {
  for (int i = 0; i < count; ++i) visit<1>(s, i);
}
/// In and out along a path alone.
ALLCLEAR_MULTIVERSION
void EffectiveInertia::Sweeps::alongPath(const Sweeps& s, const int* path, int length) {
  sendInward<3>(s, path, length);
  for (int step = length - 1; step >= 0; --step) visit<3>(s, path[step]);
}

/// The path's momenta and rates of three impulses, all zero.
ALLCLEAR_MULTIVERSION
void EffectiveInertia::Sweeps::clearPath(const Sweeps& s, const int* path, int length) {
  for (int step = 0; step < length; ++step) {
    const int i = path[step];
    if (s.answer[i].motion == Motion::kPassedBy) continue;  // nothing arrives there
    for (int k = 3 * i; k < 3 * i + 3; ++k) {
      s.momentum[k] = still();
      s.rate[k] = 0.0;
    }
  }
}

/// Adds the velocity at p of the last node's body, which is carried by all of `node` inward.
ALLCLEAR_MULTIVERSION
void EffectiveInertia::Sweeps::carry(const KernelNode* nodes, const Frame4* frames,
                                     const int* coordinate, const double* multiplier,
                                     const double* v, int node, Pack4* velocity_at_p,
                                     const Pack4* p_W) {
  Pack4 sum = *velocity_at_p;
  for (int i = node; i >= 0; i = nodes[i].parent) {
    const Pack4 motion = axisOf(nodes[i], frames[i]) * (multiplier[i] * v[coordinate[i]]);
    sum += nodes[i].turns ? cross(motion, *p_W - frames[i].c[3]) : motion;
  }
  *velocity_at_p = sum;
}

/// Nodes from either of two nodes (or -1) to the base, the last first. Questions about one contact
/// follow each other: the path is made once for them.
void EffectiveInertia::setPath(int node, int other, Workspace& w) const {
  if (w.path_from[0] == node && w.path_from[1] == other) return;
  w.path_from = {node, other};
  w.path.clear();
  while (node >= 0 || other >= 0) {
    const int last = std::max(node, other);
    w.path.push_back(last);
    const int parent = frames_.nodes()[last].parent;
    if (node == last) node = parent;
    if (other == last) other = parent;
  }
}

namespace {

/// Velocity at p of a node's body that moves by V.
ALLCLEAR_INLINE Vec3 velocityAt(const NodeFrames::Workspace& w, int node, const SpatialPack& V,
                                const Vec3& p_W) {
  return unpack(V.linear + cross(V.angular, pack(p_W) - w.frames[node].c[3]));
}

/// An impulse on a node (or -1) at p, as momentum that its joint must supply.
ALLCLEAR_INLINE void push(const NodeFrames::Workspace& w, int node, const Vec3& p_W, const Vec3& P,
                          SpatialPack* momentum) {
  if (node < 0) return;
  const Pack4 force = pack(P);
  momentum->angular -= cross(pack(p_W) - w.frames[node].c[3], force);
  momentum->linear -= force;
}

/// How fast two bodies (or -1) part at p, of motions that stand `stride` apart.
ALLCLEAR_INLINE Vec3 parting(const NodeFrames::Workspace& w, int node, int other,
                             const SpatialPack* motions, int stride, const Vec3& p_W) {
  Vec3 v = Vec3::Zero();
  if (node >= 0) v += velocityAt(w, node, motions[node * stride], p_W);
  if (other >= 0) v -= velocityAt(w, other, motions[other * stride], p_W);
  return v;
}

}  // namespace

Mat3 EffectiveInertia::contactInverseMass(int link, int other, const Vec3& p_W,
                                          Workspace& w) const {
  ALLCLEAR_ASSERT(link >= 0 && link < linkCount() && other < linkCount());
  const int node = mounts_[link].node;
  const int other_node = other < 0 ? -1 : mounts_[other].node;
  computeFactors(w, !isInBall(node) && !isInBall(other_node));
  setPath(node, other_node, w);
  const int length = static_cast<int>(w.path.size());
  Sweeps::clearPath(Sweeps::ofThree(w), w.path.data(), length);
  for (int k = 0; k < 3; ++k) {
    push(w, node, p_W, Vec3::Unit(k), &w.momentum_of_three[3 * std::max(node, 0) + k]);
    push(w, other_node, p_W, -Vec3::Unit(k), &w.momentum_of_three[3 * std::max(other_node, 0) + k]);
  }
  Sweeps::alongPath(Sweeps::ofThree(w), w.path.data(), length);
  Mat3 K;
  for (int k = 0; k < 3; ++k) {
    K.col(k) = parting(w, node, other_node, &w.velocity_of_three[k], 3, p_W);
  }
  const int shared = static_cast<int>(shared_.size());
  for (int o = 0; o < shared; ++o) {
    const Vec3 part = parting(w, node, other_node, &w.shared_motion[o], shared, p_W);
    K += part * part.transpose();
  }
  // Rounding alone makes it unsymmetric.
  return 0.5 * (K + K.transpose());
}

void EffectiveInertia::applyImpulse(int link, int other, const Vec3& p_W, const Vec3& P,
                                    Workspace& w, VecX& dv) const {
  ALLCLEAR_ASSERT(link >= 0 && link < linkCount() && other < linkCount());
  const int node = mounts_[link].node;
  const int other_node = other < 0 ? -1 : mounts_[other].node;
  computeFactors(w, !isInBall(node) && !isInBall(other_node));
  w.rate.setZero();
  setPath(node, other_node, w);
  // A base or a ball that is not on the path answers to no impulse.
  for (int i : many_ways_) w.momentum[i] = still();
  for (int i : w.path) w.momentum[i] = still();
  push(w, node, p_W, P, &w.momentum[std::max(node, 0)]);
  push(w, other_node, p_W, -P, &w.momentum[std::max(other_node, 0)]);
  Sweeps::inward(Sweeps(w), w.path.data(), static_cast<int>(w.path.size()));
  Sweeps::outward(Sweeps(w), nodeCount());
  const int shared = static_cast<int>(shared_.size());
  const SpatialPack* y = w.shared_motion.data();
  for (int o = 0; o < shared; ++o) {
    const double share = P.dot(parting(w, node, other_node, y + o, shared, p_W));
    for (int i = 0; i < nodeCount(); ++i) {
      w.velocity[i].angular += y[i * shared + o].angular * share;
      w.velocity[i].linear += y[i * shared + o].linear * share;
    }
  }
  changesOfRates(w, dv);
}

/// The rate of a node's joint from the velocities of all nodes.
double EffectiveInertia::rateOf(int i, const Workspace& w) const {
  const Answer& joint = w.answer[i];
  SpatialPack V = w.velocity[i];
  if (joint.parent >= 0) {
    const SpatialPack& carried = w.velocity[joint.parent];
    V.angular -= carried.angular;
    V.linear -= carried.linear + cross(carried.angular, joint.r);
  }
  return alongJoint(joint, V);
}

/// Rates of all coordinates from the velocities of the nodes.
void EffectiveInertia::changesOfRates(Workspace& w, VecX& dv) const {
  dv.setZero(dimension_);
  if (shared_.empty()) {
    // The sweep left all rates but those of floating bases.
    for (int i = 0; i < nodeCount(); ++i) dv[coordinate_[i]] = w.rate[i] * inverse_multiplier_[i];
  }
  for (int i : shared_.empty() ? many_ways_ : all_) {
    const Answer& joint = w.answer[i];
    if (shared_.empty() && joint.motion != Motion::kBase) continue;
    if (joint.motion == Motion::kPassedBy || multiplier_[i] == 0.0) continue;
    if (joint.motion == Motion::kBase) {
      // Three slides along the axes of the first node's frame, three turns about their own axes.
      const Vec3 linear = unpack(w.velocity[i].linear);
      Mat3 axes;
      for (int k = 0; k < 3; ++k) axes.col(k) = unpack(w.answer[i - 2 + k].z);
      const Vec3 turns = axes.inverse() * unpack(w.velocity[i].angular);
      for (int k = 0; k < 3; ++k) {
        const int slide = i - 5 + k, turn = i - 2 + k;
        dv[coordinate_[slide]] = unpack(w.answer[slide].z).dot(linear) / multiplier_[slide];
        dv[coordinate_[turn]] = turns[k] / multiplier_[turn];
      }
      continue;
    }
    dv[coordinate_[i]] = rateOf(i, w) / multiplier_[i];
  }
}

BodyVelocity EffectiveInertia::velocityChange(int link, const Workspace& w) const {
  const LinkMount& mount = mounts_[link];
  if (mount.node < 0) return {};
  SpatialPack V = w.velocity[mount.node];
  if (w.has_balls && isInBall(mount.node)) {
    // Between the turns of a ball: what carries it, and the turns up to here.
    int first = mount.node;
    while (isInBall(frames_.nodes()[first].parent)) first = frames_.nodes()[first].parent;
    V = still();
    const int parent = frames_.nodes()[first].parent;
    if (parent >= 0) V = w.velocity[parent];
    V.linear += cross(V.angular, w.answer[first].r);
    for (int i = first; i <= mount.node; ++i) V.angular += w.answer[i].z * w.rate[i];
  }
  const Pack4 arm = rotate(w.frames[mount.node], pack(mount.X_NL.p));
  return {unpack(V.angular), unpack(V.linear + cross(V.angular, arm))};
}

Pose EffectiveInertia::linkPose(int link, const Workspace& w) const {
  const LinkMount& mount = mounts_[link];
  if (mount.node < 0) return mount.X_NL;
  const Frame4& F = w.frames[mount.node];
  Pose X_WN{Mat3(), unpack(F.c[3])};
  for (int k = 0; k < 3; ++k) X_WN.R.col(k) = unpack(F.c[k]);
  return X_WN * mount.X_NL;
}

Vec3 EffectiveInertia::pointVelocity(int link, const Vec3& p_W, const VecX& v,
                                     const Workspace& w) const {
  ALLCLEAR_ASSERT(w.holds_configuration && v.size() == dimension_);
  const Pack4 p = pack(p_W);
  Pack4 velocity = pack(0, 0, 0);
  Sweeps::carry(frames_.nodes().data(), w.frames.data(), coordinate_.data(), multiplier_.data(),
                v.data(), mounts_[link].node, &velocity, &p);
  return unpack(velocity);
}

}  // namespace allclear
