// Poses, Jacobians and the centre of mass of a tree of scalar motions, in world axes.
//
// Node i of the `MotionTree` has the parent λ, the frame N_i, and one motion: with F_i the frame at
// x_i = 0, fixed in the parent,
//   X_WN_i = X_WN_λ * X_PF_i * M_i(x_i),   M_i a turn about, or a slide along, an axis of N_i.
// Because the axis is an axis of the frame itself, M_i mixes two columns of the rotation (a turn)
// or shifts the origin along one (a slide): no general rotation matrix is built.
//
// With z_i the axis and p_i the origin of N_i, the velocity of a point Q on a link per unit of ẋ_i
// is z_i × (p_Q − p_i) for a turn and z_i for a slide, for every node i between the link and the
// base. A joint variable is x_i = multiplier_i q[coordinate_i] + offset_i (mimic joints share a
// coordinate), so that column coordinate_i of a Jacobian collects multiplier_i times this.
#include "allclear/robot_models/kinematics/builtin.h"

#include <algorithm>

#include "allclear/core/assert.h"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear {
namespace {

KernelMount kernelMount(const LinkMount& mount) {
  KernelMount k{};
  for (int i = 0; i < 3; ++i) k.X_NL[i] = pack(Vec3(mount.X_NL.R.col(i)));
  k.X_NL[3] = pack(mount.X_NL.p);
  k.node = mount.node;
  k.identity = mount.is_identity;
  return k;
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
    // X_WL = X_WN X_NL; most links coincide with their node.
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

}  // namespace

BuiltinKinematics::BuiltinKinematics(const RobotModel& model, const Vec3& gravity_W)
    : tree_(model), gravity_W_(gravity_W), frames_(tree_) {
  for (const MotionNode& node : tree_.nodes()) {
    coordinate_.push_back(node.coordinate);
    multiplier_.push_back(node.multiplier);
    depth_.push_back(node.parent < 0 ? 0 : depth_[node.parent] + 1);
    deepest_ = std::max(deepest_, depth_.back() + 1);
  }
  for (const LinkMount& mount : tree_.mounts()) mounts_.push_back(kernelMount(mount));
}

BuiltinKinematics::Workspace BuiltinKinematics::makeWorkspace() const {
  Workspace w;
  static_cast<NodeFrames::Workspace&>(w) = frames_.makeWorkspace();
  const int count = nodeCount();
  for (VecX* v : {&w.node_v, &w.node_a, &w.node_force, &w.subtree_mass}) v->setZero(count);
  w.rnea_nodes.resize(count);
  w.derivative_nodes.resize(count);
  return w;
}

void BuiltinKinematics::linkPoses(const VecX& q, Workspace& workspace,
                                  std::vector<Pose>& X_WL) const {
  frames_.place(q, workspace);
  X_WL.resize(mounts_.size());
  mountKernel(mounts_.data(), linkCount(), workspace.frames.data(), X_WL.data());
}

void BuiltinKinematics::pointJacobian(const Workspace& workspace, int link, const Vec3& p_WQ,
                                      Jacobian& J) const {
  ALLCLEAR_ASSERT(link >= 0 && link < linkCount());
  J.setZero(6, dimension());
  // Only the nodes between the link and the base move the point; the other columns stay zero.
  const Pack4 point = pack(p_WQ);
  for (int i = mounts_[link].node; i >= 0; i = nodes()[i].parent) {
    const KernelNode& node = nodes()[i];
    const Frame4& F = workspace.frames[i];
    const Pack4 z = F.c[node.axis] * multiplier_[i];
    double* column = J.col(coordinate_[i]).data();
    const Pack4 velocity = node.turns ? cross(z, point - F.c[3]) : z;
    for (int k = 0; k < 3; ++k) column[k] += velocity[k];
    if (node.turns) {
      for (int k = 0; k < 3; ++k) column[3 + k] += z[k];
    }
  }
}

Vec3 BuiltinKinematics::centerOfMass(const Workspace& workspace) const {
  const Inertia& still = tree_.worldInertia();
  double mass = still.mass;
  Vec3 sum = still.mass * still.p_LC;
  for (int i = 0; i < nodeCount(); ++i) {
    const KernelNode& node = nodes()[i];
    const Frame4& F = workspace.frames[i];
    mass += node.mass;
    sum += node.mass * unpack(F.c[3] + rotate(F, node.p_NC));
  }
  return mass > 0.0 ? Vec3(sum / mass) : Vec3::Zero();
}

// Moving node i moves its whole subtree as one body, of mass m and first moment h = sum of m_k c_k:
// the centre of mass moves by z × (h − m p_i) / total for a turn, by z m / total for a slide.
void BuiltinKinematics::centerOfMassJacobian(Workspace& workspace, Mat3X& J) const {
  J.setZero(3, dimension());
  double total = tree_.worldInertia().mass;
  for (const KernelNode& node : nodes()) total += node.mass;
  if (total <= 0.0) return;
  std::vector<RneaNode>& scratch = workspace.rnea_nodes;  // its moment holds h
  VecX& mass = workspace.subtree_mass;
  mass.setZero();
  for (RneaNode& node : scratch) node.moment = pack(0, 0, 0);
  // From the leaves: a node's sums are complete when its turn comes.
  for (int i = nodeCount() - 1; i >= 0; --i) {
    const KernelNode& node = nodes()[i];
    const Frame4& F = workspace.frames[i];
    mass[i] += node.mass;
    scratch[i].moment += (F.c[3] + rotate(F, node.p_NC)) * node.mass;
    if (node.parent >= 0) {
      mass[node.parent] += mass[i];
      scratch[node.parent].moment += scratch[i].moment;
    }
    const Pack4 z = F.c[node.axis] * (multiplier_[i] / total);
    const Pack4 column = node.turns ? cross(z, scratch[i].moment - F.c[3] * mass[i]) : z * mass[i];
    J.col(coordinate_[i]) += unpack(column);
  }
}

}  // namespace allclear
