// Inverse dynamics by the recursive Newton-Euler algorithm (J. Luh, M. Walker, R. Paul, "On-line
// computational scheme for mechanical manipulators", 1980; R. Featherstone, "Rigid Body Dynamics
// Algorithms", 2008, chapter 5), in world axes: velocities and accelerations pass from parent to
// child without rotation, only inertias are rotated.
//
// Node i has the parent λ, the axis z, the rates v, a along it, and the origin p; r = p_i − p_λ
// (from the world's origin for a node of the base). Outward:
//   s_i = s_λ + α_λ × r + ω_λ × (ω_λ × r)     acceleration of the origin, minus gravity
//   turn:   ω_i = ω_λ + z v    α_i = α_λ + z a + ω_λ × z v
//   slide:  s_i += z a + 2 ω_λ × z v          (Coriolis: z turns with the parent)
// The base starts with s = −g: a robot that accelerates upwards instead of resisting gravity needs
// the same forces. The load that moves the body, at its origin, with c from p to its centre of
// mass:
//   f = m (s + α × c + ω × (ω × c))      n = I α + ω × I ω + c × f
// Inward: the joint carries the load of its whole subtree, and of it the motor supplies the share
// along the axis:
//   τ_i = z · n_i (turn) or z · f_i (slide)     f_λ += f_i     n_λ += n_i + r × f_i
// What arrives at the base is what the ground must supply, about the world's origin.
#include "allclear/core/assert.h"
#include "allclear/robot_models/kinematics/builtin.h"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear {
namespace {

struct RneaData {
  const KernelNode* nodes;
  const Frame4* frames;
  const double* v;  ///< by node
  const double* a;  ///< by node
  RneaNode* scratch;
};

/// Runs the recursion. `forces` receives the generalised force of each node; the loads on the
/// world are summed into `root_force` and `root_moment`.
ALLCLEAR_MULTIVERSION
void rneaKernel(const RneaData& d, int count, const double* gravity, double* forces,
                Pack4* root_force, Pack4* root_moment) {
  const Pack4 zero = pack(0, 0, 0);
  const Pack4 minus_gravity = -pack(gravity);
  for (int i = 0; i < count; ++i) {
    const KernelNode& node = d.nodes[i];
    const Frame4& F = d.frames[i];
    const bool based = node.parent < 0;
    const Pack4 z = axisOf(node, F);
    Pack4 w = based ? zero : d.scratch[node.parent].omega;
    Pack4 al = based ? zero : d.scratch[node.parent].alpha;
    const Pack4 r = based ? F.c[3] : F.c[3] - d.frames[node.parent].c[3];
    Pack4 acc = based ? minus_gravity : d.scratch[node.parent].linear;
    acc += cross(al, r) + cross(w, cross(w, r));
    const Pack4 zv = z * d.v[i];
    if (node.turns) {
      al += z * d.a[i] + cross(w, zv);
      w += zv;
    } else {
      acc += z * d.a[i] + cross(w, zv) * 2.0;
    }
    d.scratch[i].omega = w;
    d.scratch[i].alpha = al;
    d.scratch[i].linear = acc;
    if (node.has_inertia) {
      const Pack4 c = rotate(F, node.p_NC);
      const Pack4 f = (acc + cross(al, c) + cross(w, cross(w, c))) * node.mass;
      const Columns4 I = worldInertia(F, node.inertia_C);
      d.scratch[i].force = f;
      d.scratch[i].moment = I * al + cross(w, I * w) + cross(c, f);
    } else {
      d.scratch[i].force = zero;
      d.scratch[i].moment = zero;
    }
  }
  *root_force = zero;
  *root_moment = zero;
  // Children come after their parents: a subtree's loads are complete when its root's turn comes.
  for (int i = count - 1; i >= 0; --i) {
    const KernelNode& node = d.nodes[i];
    const Frame4& F = d.frames[i];
    const Pack4 z = axisOf(node, F);
    forces[i] = dot(z, node.turns ? d.scratch[i].moment : d.scratch[i].force);
    const bool based = node.parent < 0;
    const Pack4 r = based ? F.c[3] : F.c[3] - d.frames[node.parent].c[3];
    Pack4& parent_force = based ? *root_force : d.scratch[node.parent].force;
    Pack4& parent_moment = based ? *root_moment : d.scratch[node.parent].moment;
    parent_force += d.scratch[i].force;
    parent_moment += d.scratch[i].moment + cross(r, d.scratch[i].force);
  }
}

}  // namespace

void BuiltinKinematics::spreadRates(const VecX& v, const VecX& a, Workspace& w) const {
  ALLCLEAR_ASSERT(v.size() == dimension() && a.size() == dimension());
  for (int i = 0; i < nodeCount(); ++i) {
    w.node_v[i] = multiplier_[i] * v[coordinate_[i]];
    w.node_a[i] = multiplier_[i] * a[coordinate_[i]];
  }
}

Wrench BuiltinKinematics::newtonEuler(const VecX& q, const VecX& v, const VecX& a,
                                      Workspace& w) const {
  frames_.place(q, w);
  spreadRates(v, a, w);
  const RneaData data{nodes().data(), w.frames.data(), w.node_v.data(), w.node_a.data(),
                      w.rnea_nodes.data()};
  Pack4 force;
  Pack4 moment;
  rneaKernel(data, nodeCount(), gravity_W_.data(), w.node_force.data(), &force, &moment);
  return {unpack(force), unpack(moment)};
}

void BuiltinKinematics::inverseDynamics(const VecX& q, const VecX& v, const VecX& a,
                                        Workspace& workspace, VecX& tau) const {
  newtonEuler(q, v, a, workspace);
  tau.setZero(dimension());
  for (int i = 0; i < nodeCount(); ++i) {
    tau[coordinate_[i]] += multiplier_[i] * workspace.node_force[i];
  }
}

Wrench BuiltinKinematics::groundReaction(const VecX& q, const VecX& v, const VecX& a,
                                         Workspace& workspace) const {
  const Wrench moving = newtonEuler(q, v, a, workspace);
  // Links that never move only weigh.
  const Inertia& still = tree_.worldInertia();
  const Vec3 weight = -still.mass * gravity_W_;
  return {moving.force + weight, moving.moment + still.p_LC.cross(weight)};
}

}  // namespace allclear
