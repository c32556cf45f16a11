// Kinematics and the recursive Newton-Euler algorithm in world axes: velocities and accelerations
// pass from parent to child without rotation, only inertias are rotated. One 3-vector per register.
#include "allclear/robot_models/kinematics/builtin.h"

#include <cstring>

#include "allclear/core/assert.h"
#include "allclear/core/simd.h"
#include "allclear/core/sincos.h"
#include "allclear/robot_models/kinematics/builtin_impl.h"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear {
namespace {

using Impl = BuiltinKinematics::Impl;
using Scratch = BuiltinKinematics::Workspace::Impl;

Columns4 packColumns(const Mat3& M) {
  return {{pack(Vec3(M.col(0))), pack(Vec3(M.col(1))), pack(Vec3(M.col(2)))}};
}

KernelNode kernelNode(const MotionNode& node) {
  KernelNode k{};
  for (int i = 0; i < 3; ++i) k.fixed[i] = pack(Vec3(node.X_PF.R.col(i)));
  k.fixed[3] = pack(node.X_PF.p);
  k.inertia_C = packColumns(node.inertia.I_C);
  k.p_NC = pack(node.inertia.p_LC);
  k.mass = node.inertia.mass;
  k.parent = node.parent;
  k.axis = node.axis;
  k.turns = node.turns;
  k.rotated = node.X_PF.R != Mat3::Identity();
  k.has_inertia = node.has_inertia;
  return k;
}

KernelMount kernelMount(const LinkMount& mount) {
  KernelMount k{};
  for (int i = 0; i < 3; ++i) k.X_NL[i] = pack(Vec3(mount.X_NL.R.col(i)));
  k.X_NL[3] = pack(mount.X_NL.p);
  k.node = mount.node;
  k.identity = mount.is_identity;
  return k;
}

ALLCLEAR_INLINE Frame4 identityFrame() {
  return {{pack(1, 0, 0), pack(0, 1, 0), pack(0, 0, 1), pack(0, 0, 0)}};
}

ALLCLEAR_MULTIVERSION
void frameKernel(const KernelNode* nodes, int count, const double* x, const double* sines,
                 const double* cosines, Frame4* frames) {
  for (int i = 0; i < count; ++i) {
    const KernelNode& node = nodes[i];
    const Frame4 parent = node.parent < 0 ? identityFrame() : frames[node.parent];
    Frame4 F = parent;
    if (node.rotated) {
      for (int k = 0; k < 3; ++k) F.c[k] = rotate(parent, node.fixed[k]);
    }
    F.c[3] = parent.c[3] + rotate(parent, node.fixed[3]);
    const double s = sines[i];
    const double c = cosines[i];
    // Spelt out by axis: indexing registers by a variable would send them through memory.
    if (!node.turns) {
      F.c[3] += (node.axis == 0 ? F.c[0] : node.axis == 1 ? F.c[1] : F.c[2]) * x[i];
    } else if (node.axis == 2) {
      const Pack4 a = F.c[0];
      F.c[0] = a * c + F.c[1] * s;
      F.c[1] = F.c[1] * c - a * s;
    } else if (node.axis == 1) {
      const Pack4 a = F.c[2];
      F.c[2] = a * c + F.c[0] * s;
      F.c[0] = F.c[0] * c - a * s;
    } else {
      const Pack4 a = F.c[1];
      F.c[1] = a * c + F.c[2] * s;
      F.c[2] = F.c[2] * c - a * s;
    }
    frames[i] = F;
  }
}

ALLCLEAR_INLINE void store(const Frame4& F, Pose* X) {
  double* R = X->R.data();
  double* p = X->p.data();
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) R[3 * k + i] = F.c[k][i];
  }
  for (int i = 0; i < 3; ++i) p[i] = F.c[3][i];
}

ALLCLEAR_MULTIVERSION
void mountKernel(const KernelMount* mounts, int count, const Frame4* frames, Pose* X_WL) {
  for (int l = 0; l < count; ++l) {
    const KernelMount& mount = mounts[l];
    const Frame4 N = mount.node < 0 ? identityFrame() : frames[mount.node];
    if (mount.identity) {
      store(N, &X_WL[l]);
      continue;
    }
    Frame4 L;
    for (int k = 0; k < 3; ++k) L.c[k] = rotate(N, mount.X_NL[k]);
    L.c[3] = N.c[3] + rotate(N, mount.X_NL[3]);
    store(L, &X_WL[l]);
  }
}

struct RneaData {
  const KernelNode* nodes;
  const Frame4* frames;
  const double* v;
  const double* a;
  RneaNode* scratch;
};

/// Newton-Euler; `forces` receives the generalised force of each node. Returns through force[0..]
/// and moment[0..] the loads at each node; loads on the world are summed into `root_force/moment`.
ALLCLEAR_MULTIVERSION
void rneaKernel(const RneaData& d, int count, const double* gravity, double* forces,
                Pack4* root_force, Pack4* root_moment) {
  const Pack4 zero = pack(0, 0, 0);
  const Pack4 minus_gravity = -pack(gravity);
  for (int i = 0; i < count; ++i) {
    const KernelNode& node = d.nodes[i];
    const Frame4& F = d.frames[i];
    const bool based = node.parent < 0;
    const Pack4 z = node.axis == 0 ? F.c[0] : node.axis == 1 ? F.c[1] : F.c[2];
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
  for (int i = count - 1; i >= 0; --i) {
    const KernelNode& node = d.nodes[i];
    const Frame4& F = d.frames[i];
    const Pack4 z = node.axis == 0 ? F.c[0] : node.axis == 1 ? F.c[1] : F.c[2];
    forces[i] = dot(z, node.turns ? d.scratch[i].moment : d.scratch[i].force);
    const bool based = node.parent < 0;
    const Pack4 r = based ? F.c[3] : F.c[3] - d.frames[node.parent].c[3];
    Pack4& parent_force = based ? *root_force : d.scratch[node.parent].force;
    Pack4& parent_moment = based ? *root_moment : d.scratch[node.parent].moment;
    parent_force += d.scratch[i].force;
    parent_moment += d.scratch[i].moment + cross(r, d.scratch[i].force);
  }
}

RneaData rneaData(const Impl& impl, Scratch& w) {
  return {impl.nodes.data(), w.frames.data(), w.node_v.data(), w.node_a.data(),
          w.rnea_nodes.data()};
}

}  // namespace

BuiltinKinematics::Impl::Impl(const RobotModel& model, const Vec3& gravity)
    : tree(model), gravity_W(gravity) {
  std::vector<int> users(tree.dimension(), 0);
  for (const MotionNode& node : tree.nodes()) {
    nodes.push_back(kernelNode(node));
    coordinate.push_back(node.coordinate);
    multiplier.push_back(node.multiplier);
    offset.push_back(node.offset);
    depth.push_back(node.parent < 0 ? 0 : depth[node.parent] + 1);
    deepest = std::max(deepest, depth.back() + 1);
    shared_coordinates = shared_coordinates || ++users[node.coordinate] > 1;
  }
  for (const LinkMount& mount : tree.mounts()) mounts.push_back(kernelMount(mount));
}

void computeFrames(const Impl& impl, const VecX& q, Scratch& w) {
  ALLCLEAR_ASSERT(q.size() == impl.tree.dimension());
  const int count = impl.nodeCount();
  for (int i = 0; i < count; ++i) {
    w.x[i] = impl.multiplier[i] * q[impl.coordinate[i]] + impl.offset[i];
  }
  sinCos(w.x.data(), static_cast<int>(w.x.size()), w.sines.data(), w.cosines.data());
  frameKernel(impl.nodes.data(), count, w.x.data(), w.sines.data(), w.cosines.data(),
              w.frames.data());
}

void spreadRates(const Impl& impl, const VecX& v, const VecX& a, Scratch& w) {
  ALLCLEAR_ASSERT(v.size() == impl.tree.dimension() && a.size() == impl.tree.dimension());
  for (int i = 0; i < impl.nodeCount(); ++i) {
    w.node_v[i] = impl.multiplier[i] * v[impl.coordinate[i]];
    w.node_a[i] = impl.multiplier[i] * a[impl.coordinate[i]];
  }
}

BuiltinKinematics::BuiltinKinematics(const RobotModel& model, const Vec3& gravity_W)
    : impl_(std::make_unique<const Impl>(model, gravity_W)) {}
BuiltinKinematics::BuiltinKinematics(BuiltinKinematics&&) noexcept = default;
BuiltinKinematics::~BuiltinKinematics() = default;

BuiltinKinematics::Workspace::Workspace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BuiltinKinematics::Workspace::Workspace(Workspace&&) noexcept = default;
BuiltinKinematics::Workspace& BuiltinKinematics::Workspace::operator=(Workspace&&) noexcept =
    default;
BuiltinKinematics::Workspace::~Workspace() = default;

int BuiltinKinematics::dimension() const { return impl_->tree.dimension(); }
int BuiltinKinematics::linkCount() const { return static_cast<int>(impl_->mounts.size()); }

BuiltinKinematics::Workspace BuiltinKinematics::makeWorkspace() const {
  auto w = std::make_unique<Workspace::Impl>();
  const int count = impl_->nodeCount();
  const int filled = (count + 7) / 8 * 8;  // whole vectors
  for (VecX* v : {&w->x, &w->sines, &w->cosines}) v->setZero(filled);
  for (VecX* v : {&w->node_v, &w->node_a}) v->setZero(count);
  w->frames.resize(count);
  w->rnea_nodes.resize(count);
  w->derivative_nodes.resize(count);
  return Workspace(std::move(w));
}

void BuiltinKinematics::linkPoses(const VecX& q, Workspace& workspace,
                                  std::vector<Pose>& X_WL) const {
  computeFrames(*impl_, q, *workspace.impl_);
  X_WL.resize(impl_->mounts.size());
  mountKernel(impl_->mounts.data(), linkCount(), workspace.impl_->frames.data(), X_WL.data());
}

void BuiltinKinematics::pointJacobian(const Workspace& workspace, int link, const Vec3& p_WQ,
                                      Jacobian& J) const {
  ALLCLEAR_ASSERT(link >= 0 && link < linkCount());
  J.setZero(6, dimension());
  const Pack4 point = pack(p_WQ);
  for (int i = impl_->mounts[link].node; i >= 0; i = impl_->nodes[i].parent) {
    const KernelNode& node = impl_->nodes[i];
    const Frame4& F = workspace.impl_->frames[i];
    const Pack4 z = F.c[node.axis] * impl_->multiplier[i];
    double* column = J.col(impl_->coordinate[i]).data();
    const Pack4 velocity = node.turns ? cross(z, point - F.c[3]) : z;
    for (int k = 0; k < 3; ++k) column[k] += velocity[k];
    if (node.turns) {
      for (int k = 0; k < 3; ++k) column[3 + k] += z[k];
    }
  }
}

void BuiltinKinematics::inverseDynamics(const VecX& q, const VecX& v, const VecX& a,
                                        Workspace& workspace, VecX& tau) const {
  Workspace::Impl& w = *workspace.impl_;
  computeFrames(*impl_, q, w);
  spreadRates(*impl_, v, a, w);
  Pack4 root_force;
  Pack4 root_moment;
  // The sines are spent: their room takes the forces by node.
  rneaKernel(rneaData(*impl_, w), impl_->nodeCount(), impl_->gravity_W.data(), w.sines.data(),
             &root_force, &root_moment);
  tau.setZero(dimension());
  for (int i = 0; i < impl_->nodeCount(); ++i) {
    tau[impl_->coordinate[i]] += impl_->multiplier[i] * w.sines[i];
  }
}

Wrench BuiltinKinematics::groundReaction(const VecX& q, const VecX& v, const VecX& a,
                                         Workspace& workspace) const {
  Workspace::Impl& w = *workspace.impl_;
  computeFrames(*impl_, q, w);
  spreadRates(*impl_, v, a, w);
  Pack4 force;
  Pack4 moment;
  rneaKernel(rneaData(*impl_, w), impl_->nodeCount(), impl_->gravity_W.data(), w.sines.data(),
             &force, &moment);
  const Inertia& still = impl_->tree.worldInertia();
  const Vec3 weight = -still.mass * impl_->gravity_W;
  return {unpack(force) + weight, unpack(moment) + still.p_LC.cross(weight)};
}

Vec3 BuiltinKinematics::centerOfMass(const Workspace& workspace) const {
  const Inertia& still = impl_->tree.worldInertia();
  double mass = still.mass;
  Vec3 sum = still.mass * still.p_LC;
  for (int i = 0; i < impl_->nodeCount(); ++i) {
    const KernelNode& node = impl_->nodes[i];
    const Frame4& F = workspace.impl_->frames[i];
    mass += node.mass;
    sum += node.mass * unpack(F.c[3] + rotate(F, node.p_NC));
  }
  return mass > 0.0 ? Vec3(sum / mass) : Vec3::Zero();
}

void BuiltinKinematics::centerOfMassJacobian(const Workspace& workspace, Mat3X& J) const {
  J.setZero(3, dimension());
  double total = impl_->tree.worldInertia().mass;
  for (const KernelNode& node : impl_->nodes) total += node.mass;
  if (total <= 0.0) return;
  // Mass and first moment of each subtree, gathered from the leaves.
  const int count = impl_->nodeCount();
  std::vector<RneaNode>& scratch = workspace.impl_->rnea_nodes;
  VecX& mass = workspace.impl_->sines;  // spent by now
  mass.setZero();
  for (RneaNode& node : scratch) node.moment = pack(0, 0, 0);
  for (int i = count - 1; i >= 0; --i) {
    const KernelNode& node = impl_->nodes[i];
    const Frame4& F = workspace.impl_->frames[i];
    mass[i] += node.mass;
    scratch[i].moment += (F.c[3] + rotate(F, node.p_NC)) * node.mass;
    if (node.parent >= 0) {
      mass[node.parent] += mass[i];
      scratch[node.parent].moment += scratch[i].moment;
    }
    const Pack4 z = F.c[node.axis] * (impl_->multiplier[i] / total);
    const Pack4 column = node.turns ? cross(z, scratch[i].moment - F.c[3] * mass[i]) : z * mass[i];
    J.col(impl_->coordinate[i]) += unpack(column);
  }
}

}  // namespace allclear
