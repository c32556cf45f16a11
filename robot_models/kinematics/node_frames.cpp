// Frames of a tree of scalar motions (builtin.cpp has the formula). One 3-vector per register. The
// sines of all nodes are taken at once, before the recursion: they vectorise, the recursion does
// not.
#include "allclear/robot_models/kinematics/node_frames.h"

#include "allclear/core/assert.h"
#include "allclear/core/sincos.h"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear {
namespace {

Columns4 packColumns(const Mat3& M) {
  return {{pack(Vec3(M.col(0))), pack(Vec3(M.col(1))), pack(Vec3(M.col(2)))}};
}

/// A node for the kernels. Identity turns and missing inertias are marked: they are skipped.
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
  k.stays = node.X_PF.p == Vec3::Zero();
  k.has_inertia = node.has_inertia;
  return k;
}

/// World frames of all nodes, from the sines and cosines of their variables.
ALLCLEAR_MULTIVERSION
void frameKernel(const KernelNode* nodes, int count, const double* x, const double* sines,
                 const double* cosines, Frame4* frames) {
  Frame4 F = identityFrame();  // of the node before
  for (int i = 0; i < count; ++i) {
    const KernelNode& node = nodes[i];
    if (node.parent != i - 1) F = node.parent < 0 ? identityFrame() : frames[node.parent];
    const Frame4 parent = F;
    if (node.rotated) {
      for (int k = 0; k < 3; ++k) F.c[k] = rotate(parent, node.fixed[k]);
    }
    if (!node.stays) F.c[3] = parent.c[3] + rotate(parent, node.fixed[3]);
    const double s = sines[i];
    const double c = cosines[i];
    // A turn about an axis by x: u' = u cos x + v sin x, v' = v cos x - u sin x of the other two.
    if (!node.turns) {
      F.c[3] += axisOf(node, F) * x[i];
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

constexpr int kVectorWidth = 8;  // doubles of the widest registers

}  // namespace

NodeFrames::NodeFrames(const MotionTree& tree) : dimension_(tree.dimension()) {
  for (const MotionNode& node : tree.nodes()) {
    nodes_.push_back(kernelNode(node));
    coordinate_.push_back(node.coordinate);
    multiplier_.push_back(node.multiplier);
    offset_.push_back(node.offset);
  }
}

NodeFrames::Workspace NodeFrames::makeWorkspace() const {
  Workspace w;
  const int padded = (count() + kVectorWidth - 1) / kVectorWidth * kVectorWidth;
  for (VecX* v : {&w.x, &w.sines, &w.cosines}) v->setZero(padded);
  w.frames.resize(count());
  return w;
}

void NodeFrames::place(const VecX& q, Workspace& w) const {
  ALLCLEAR_ASSERT(q.size() == dimension_);
  for (int i = 0; i < count(); ++i) w.x[i] = multiplier_[i] * q[coordinate_[i]] + offset_[i];
  // Over the padding too: whole vectors, no rest of a loop.
  sinCos(w.x.data(), static_cast<int>(w.x.size()), w.sines.data(), w.cosines.data());
  frameKernel(nodes_.data(), count(), w.x.data(), w.sines.data(), w.cosines.data(),
              w.frames.data());
}

}  // namespace allclear
