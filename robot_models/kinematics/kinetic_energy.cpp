// Kinetic energy and its derivatives by one sweep outward and one inward.
//
// With V_i the velocity of node i and h_i the momentum of its subtree, T = sum of V'(own
// momentum)/2 and dT/dẋ_i = S_i'h_i. When x_i grows, the whole subtree turns with it as one body,
// while the velocity V of what carries it stays. Seen from the subtree V turns back by V x S_i, all
// else stays:  dT/dx_i = h_i'(V x S_i). (V x S = V_i x S, because S x S = 0.) Rotors turn with
// their coordinates alone.
#include "allclear/core/assert.h"
#include "allclear/robot_models/kinematics/effective_inertia.h"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear {
namespace {

/// Velocities of all nodes, momenta of their own bodies; returns the energy of the bodies.
ALLCLEAR_MULTIVERSION
double outward(const KernelNode* nodes, int count, const Frame4* frames, const double* rate,
               SpatialPack* velocity, SpatialPack* momentum) {
  const Pack4 zero = pack(0, 0, 0);
  double twice = 0.0;
  for (int i = 0; i < count; ++i) {
    const KernelNode& node = nodes[i];
    const Frame4& F = frames[i];
    SpatialPack V{zero, zero};
    if (node.parent >= 0) {
      V = velocity[node.parent];
      V.linear += cross(V.angular, F.c[3] - frames[node.parent].c[3]);
    }
    const Pack4 motion = axisOf(node, F) * rate[i];
    if (node.turns) {
      V.angular += motion;
    } else {
      V.linear += motion;
    }
    velocity[i] = V;
    momentum[i] = {zero, zero};
    if (!node.has_inertia) continue;
    // The turning part in the node's own axes, where its inertia is constant.
    const Pack4 w = pack(dot(F.c[0], V.angular), dot(F.c[1], V.angular), dot(F.c[2], V.angular));
    const Pack4 c = rotate(F, node.p_NC);
    const Pack4 at_center = V.linear + cross(V.angular, c);
    const Pack4 linear = at_center * node.mass;
    const Pack4 spin = node.inertia_C * w;
    twice += dot(at_center, linear) + dot(w, spin);
    momentum[i] = {rotate(F, spin) + cross(c, linear), linear};
  }
  return 0.5 * twice;
}

/// Sums momenta over subtrees; derivatives by the joint variables and their rates.
ALLCLEAR_MULTIVERSION
void inward(const KernelNode* nodes, int count, const Frame4* frames, const SpatialPack* velocity,
            SpatialPack* momentum, double* by_x, double* by_rate) {
  for (int i = count - 1; i >= 0; --i) {
    const KernelNode& node = nodes[i];
    const Pack4 z = axisOf(node, frames[i]);
    // From the leaves: the subtree's momentum is complete.
    const SpatialPack& h = momentum[i];
    const SpatialPack& V = velocity[i];
    if (node.turns) {
      by_rate[i] = dot(z, h.angular);
      by_x[i] = dot(h.angular, cross(V.angular, z)) + dot(h.linear, cross(V.linear, z));
    } else {
      by_rate[i] = dot(z, h.linear);
      by_x[i] = dot(h.linear, cross(V.angular, z));
    }
    // Momenta of all that hangs below, moved to the parent's origin.
    if (node.parent < 0) continue;
    const Pack4 r = frames[i].c[3] - frames[node.parent].c[3];
    momentum[node.parent].angular += h.angular + cross(r, h.linear);
    momentum[node.parent].linear += h.linear;
  }
}

}  // namespace

double EffectiveInertia::kineticEnergy(const VecX& v, Workspace& w) const {
  ALLCLEAR_ASSERT(w.holds_configuration && v.size() == dimension_);
  for (int i = 0; i < nodeCount(); ++i) w.rate[i] = multiplier_[i] * v[coordinate_[i]];
  double energy = outward(frames_.nodes().data(), nodeCount(), w.frames.data(), w.rate.data(),
                          w.velocity.data(), w.momentum.data());
  for (int c = 0; c < dimension_; ++c) energy += 0.5 * turning_rotor_[c] * v[c] * v[c];
  return energy;
}

void EffectiveInertia::kineticEnergy(const VecX& v, Workspace& w, KineticEnergy& out) const {
  out.value = kineticEnergy(v, w);
  inward(frames_.nodes().data(), nodeCount(), w.frames.data(), w.velocity.data(), w.momentum.data(),
         w.by_x.data(), w.rate.data());
  out.by_q.setZero(dimension_);
  out.by_v = turning_rotor_.cwiseProduct(v);
  for (int i = 0; i < nodeCount(); ++i) {
    out.by_q[coordinate_[i]] += multiplier_[i] * w.by_x[i];
    out.by_v[coordinate_[i]] += multiplier_[i] * w.rate[i];
  }
}

}  // namespace allclear
