// Analytic derivatives of inverse dynamics, after J. Carpentier and N. Mansard, "Analytical
// derivatives of rigid body dynamics algorithms" (RSS 2018), in the form with composite matrices of
// S. Singh, R. Russell and P. Wensing, "Efficient analytical derivatives of rigid-body dynamics
// using spatial vector algebra" (RA-L 2022).
//
// Spatial vectors (Featherstone's) are (angular, linear) about the world origin, in world axes, so
// that those of different bodies add up without transformation. v x is the cross product with a
// motion, v x* the one with a force. Of node i: S the motion axis, v and a velocity and
// acceleration (the base's a is minus gravity), I inertia, f = I a + v x* I v the force that moves
// the body. λ is the parent, and
//   psi' = v_λ x S          psi'' = a_λ x S + v_λ x psi'      2B = v x* I - I v x + (I v) x*
// (psi' is dS/dt, because a node has one scalar motion). When ancestor j of a body, or its own
// node, turns a little, the whole subtree turns with it. The body's force changes by
//   S_j x* f + I psi''_j + 2B psi'_j,    and with the rate of j by    2 I psi'_j + 2B S_j.
// Summed over the subtree of j (capitals: I_j, B_j, F_j), for i on the path from the base to j:
//   dtau_i/dq_j = S_i . (S_j x* F_j + I_j psi''_j + 2B_j psi'_j)
//   dtau_i/dv_j = S_i . (2 I_j psi'_j + 2B_j S_j)
//   dtau_j/dq_i = (I_j S_j) . psi''_i + (2B_j^T S_j) . psi'_i          (i above j)
//   dtau_j/dv_i = 2 (I_j S_j) . psi'_i + (2B_j^T S_j) . S_i            (i above j)
//   M_ij        = S_i . (I_j S_j)
// About the world origin 2B has only two blocks, [K 0; -2 P^ 0], with P the linear momentum and ^
// the matrix of a cross product, so it is summed as 12 numbers.
//
// Everything that i contributes is S, psi' and psi'' of the path. They are kept as rows by depth,
// so that one sweep over the depths, as vector code, makes all products of node j with its
// ancestors. Nodes are visited in reverse depth-first order: the path of the next node mostly
// shares its beginning, and only rows that changed are rewritten.
#include <algorithm>

#include "allclear/core/assert.h"
#include "allclear/core/simd.h"
#include "allclear/robot_models/kinematics/builtin.h"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear {
namespace {

constexpr int kPathRows = 18;  // S, psi', psi''; six components each
constexpr int kProductRows = 5;

ALLCLEAR_INLINE void crossMotion(const Pack4* v, const Pack4* m, Pack4* out) {
  const Pack4 angular = cross(v[0], m[0]);
  out[1] = cross(v[0], m[1]) + cross(v[1], m[0]);
  out[0] = angular;
}

/// Sets inertia, momentum, K and force of the node's own body, about the world origin.
ALLCLEAR_INLINE void bodyQuantities(const KernelNode& node, const Frame4& F, DerivativeNode* d) {
  const Pack4 zero = pack(0, 0, 0);
  if (!node.has_inertia) {
    d->inertia = {{zero, zero, zero}};
    d->K = {{zero, zero, zero}};
    d->h = d->momentum = d->force[0] = d->force[1] = zero;
    d->mass = 0.0;
    return;
  }
  const Pack4 c = F.c[3] + rotate(F, node.p_NC);
  const double m = node.mass;
  const Pack4 h = c * m;
  Columns4 I = worldInertia(F, node.inertia_C);
  const Pack4 unit[3] = {pack(1, 0, 0), pack(0, 1, 0), pack(0, 0, 1)};
  const double hc = dot(h, c);
  for (int k = 0; k < 3; ++k) I.c[k] += unit[k] * hc - h * c[k];
  const Pack4 w = d->velocity[0];
  const Pack4 v = d->velocity[1];
  const Pack4 L = I * w + cross(h, v);
  const Pack4 P = v * m - cross(h, w);
  const double hv2 = 2.0 * dot(h, v);
  // K = w^ I - I w^ - (h v^T + v h^T - 2 h.v 1) - L^, by columns.
  const Pack4 Iw[3] = {I.c[2] * w[1] - I.c[1] * w[2], I.c[0] * w[2] - I.c[2] * w[0],
                       I.c[1] * w[0] - I.c[0] * w[1]};
  for (int k = 0; k < 3; ++k) {
    d->K.c[k] = cross(w, I.c[k]) + Iw[k] - h * v[k] - v * h[k] + unit[k] * hv2 + cross(unit[k], L);
  }
  const Pack4 al = d->acceleration[0];
  const Pack4 a = d->acceleration[1];
  d->force[0] = I * al + cross(h, a) + cross(w, L) + cross(v, P);
  d->force[1] = a * m - cross(h, al) + cross(w, P);
  d->inertia = I;
  d->h = h;
  d->mass = m;
  d->momentum = P;
}

ALLCLEAR_INLINE void storeSpatial(const Pack4* spatial, double* out) {
  for (int k = 0; k < 3; ++k) {
    out[k] = spatial[0][k];
    out[3 + k] = spatial[1][k];
  }
}

/// The six components at one depth of six rows.
ALLCLEAR_INLINE void storeRows(double* rows, int stride, int at, const Pack4* spatial) {
  for (int k = 0; k < 3; ++k) rows[k * stride + at] = spatial[0][k];
  for (int k = 0; k < 3; ++k) rows[(3 + k) * stride + at] = spatial[1][k];
}

/// Outward: motion axes, their rates and the motion of every node, and its own body's quantities.
ALLCLEAR_MULTIVERSION
void forwardKernel(const KernelNode* nodes, int count, const Frame4* frames, const double* v,
                   const double* a, const double* gravity, DerivativeNode* derivative) {
  const Pack4 zero = pack(0, 0, 0);
  const Pack4 minus_gravity = -pack(gravity);
  for (int i = 0; i < count; ++i) {
    const KernelNode& node = nodes[i];
    const Frame4& F = frames[i];
    DerivativeNode& d = derivative[i];
    const Pack4 z = axisOf(node, F);
    d.S[0] = node.turns ? z : zero;
    d.S[1] = node.turns ? cross(F.c[3], z) : z;
    const bool based = node.parent < 0;
    // The base stands still and accelerates against gravity.
    const Pack4 still[2] = {zero, zero};
    const Pack4 falling[2] = {zero, minus_gravity};
    const Pack4* pv = based ? still : derivative[node.parent].velocity;
    const Pack4* pa = based ? falling : derivative[node.parent].acceleration;
    crossMotion(pv, d.S, d.psi_dot);
    Pack4 second[2];
    crossMotion(pv, d.psi_dot, second);
    crossMotion(pa, d.S, d.psi_ddot);
    for (int k = 0; k < 2; ++k) {
      d.psi_ddot[k] += second[k];
      d.velocity[k] = pv[k] + d.S[k] * v[i];
      d.acceleration[k] = pa[k] + d.S[k] * a[i] + d.psi_dot[k] * v[i];
    }
    bodyQuantities(node, F, &d);
  }
}

/// Inward: sums of inertia, K, momentum and force over subtrees.
ALLCLEAR_MULTIVERSION
void gatherKernel(const KernelNode* nodes, int count, DerivativeNode* derivative) {
  // Vectors about one common point simply add up, from the leaves inward.
  for (int i = count - 1; i >= 0; --i) {
    if (nodes[i].parent < 0) continue;
    const DerivativeNode& d = derivative[i];
    DerivativeNode& p = derivative[nodes[i].parent];
    for (int k = 0; k < 3; ++k) {
      p.inertia.c[k] += d.inertia.c[k];
      p.K.c[k] += d.K.c[k];
    }
    p.h += d.h;
    p.mass += d.mass;
    p.momentum += d.momentum;
    p.force[0] += d.force[0];
    p.force[1] += d.force[1];
  }
}

/// Products of node j with the `depths` nodes of its path, whose vectors are the rows of `path`:
/// rows 0-4 of `products` get dtau_i/dq_j, dtau_i/dv_j, M_ij, dtau_j/dq_i, dtau_j/dv_i.
ALLCLEAR_MULTIVERSION
void productKernel(const DerivativeNode& d, const double* __restrict path, int stride, int depths,
                   double* __restrict products) {
  const auto inertiaTimes = [&](const Pack4* m, Pack4* out) {
    const Pack4 moment = d.inertia * m[0] + cross(d.h, m[1]);
    out[1] = m[1] * d.mass - cross(d.h, m[0]);
    out[0] = moment;
  };
  Pack4 U[2];
  Pack4 G[2];
  Pack4 H[2];
  // U = I S, G = S x* F + I psi'' + 2B psi', H = 2 I psi' + 2B S: the right factors of the
  // formulas.
  inertiaTimes(d.S, U);
  inertiaTimes(d.psi_ddot, G);
  inertiaTimes(d.psi_dot, H);
  const Pack4 P2 = d.momentum * 2.0;
  // S x* F = (w x moment + v x force, w x force); 2B m = (K w, -2 P x w).
  G[0] += cross(d.S[0], d.force[0]) + cross(d.S[1], d.force[1]) + d.K * d.psi_dot[0];
  G[1] += cross(d.S[0], d.force[1]) - cross(P2, d.psi_dot[0]);
  H[0] = H[0] * 2.0 + d.K * d.S[0];
  H[1] = H[1] * 2.0 - cross(P2, d.S[0]);
  // The angular part of 2B^T S (its linear part is zero): K^T S_angular + 2P x S_linear.
  const Pack4 momentum_part = cross(P2, d.S[1]);
  const double W[3] = {dot(d.K.c[0], d.S[0]) + momentum_part[0],
                       dot(d.K.c[1], d.S[0]) + momentum_part[1],
                       dot(d.K.c[2], d.S[0]) + momentum_part[2]};
  double g[6];
  double h[6];
  double u[6];
  storeSpatial(G, g);
  storeSpatial(H, h);
  storeSpatial(U, u);
  const double* __restrict S = path;
  const double* __restrict psi1 = path + 6 * stride;
  const double* __restrict psi2 = path + 12 * stride;
  for (int i = 0; i < depths; ++i) {
    double dq = 0.0, dv = 0.0, mass = 0.0, dq_back = 0.0, dv_back = 0.0;
    for (int k = 0; k < 6; ++k) {
      const double s = S[k * stride + i];
      dq += s * g[k];
      dv += s * h[k];
      mass += s * u[k];
      dq_back += psi2[k * stride + i] * u[k];
      dv_back += psi1[k * stride + i] * u[k];
    }
    dv_back *= 2.0;
    for (int k = 0; k < 3; ++k) {
      dq_back += psi1[k * stride + i] * W[k];
      dv_back += S[k * stride + i] * W[k];
    }
    products[i] = dq;
    products[stride + i] = dv;
    products[2 * stride + i] = mass;
    products[3 * stride + i] = dq_back;
    products[4 * stride + i] = dv_back;
  }
}

}  // namespace

void BuiltinKinematics::updatePath(int node, int stride, Workspace& w) const {
  // Above the first row that fits, all do: a node has one path to the base.
  for (int i = node; i >= 0 && w.path[depth_[i]] != i; i = nodes()[i].parent) {
    const int at = depth_[i];
    w.path[at] = i;
    storeRows(w.path_rows.data(), stride, at, w.derivative_nodes[i].S);
    storeRows(w.path_rows.data() + 6 * stride, stride, at, w.derivative_nodes[i].psi_dot);
    storeRows(w.path_rows.data() + 12 * stride, stride, at, w.derivative_nodes[i].psi_ddot);
  }
}

void BuiltinKinematics::addProducts(int j, int stride, const Workspace& w,
                                    InverseDynamics& out) const {
  const double* products = w.products.data();
  const int cj = coordinate_[j];
  const double mj = multiplier_[j];
  for (int at = 0; at <= depth_[j]; ++at) {
    const int i = w.path[at];
    const int ci = coordinate_[i];
    const double scale = mj * multiplier_[i];
    out.dtau_dq(ci, cj) += scale * products[at];
    out.dtau_dv(ci, cj) += scale * products[stride + at];
    out.dtau_da(ci, cj) += scale * products[2 * stride + at];
    if (i == j) continue;  // the diagonal once
    out.dtau_dq(cj, ci) += scale * products[3 * stride + at];
    out.dtau_dv(cj, ci) += scale * products[4 * stride + at];
    out.dtau_da(cj, ci) += scale * products[2 * stride + at];
  }
}

void BuiltinKinematics::inverseDynamicsDerivatives(const VecX& q, const VecX& v, const VecX& a,
                                                   Workspace& w, InverseDynamics& out) const {
  frames_.place(q, w);
  spreadRates(v, a, w);
  const int count = nodeCount();
  forwardKernel(nodes().data(), count, w.frames.data(), w.node_v.data(), w.node_a.data(),
                gravity_W_.data(), w.derivative_nodes.data());
  gatherKernel(nodes().data(), count, w.derivative_nodes.data());

  const int n = dimension();
  out.tau.setZero(n);
  out.dtau_dq.setZero(n, n);
  out.dtau_dv.setZero(n, n);
  out.dtau_da.setZero(n, n);
  const int stride = (deepest_ + 7) / 8 * 8;  // rows of whole vectors
  w.path_rows.resize(static_cast<std::size_t>(kPathRows) * stride);
  w.products.resize(static_cast<std::size_t>(kProductRows) * stride);
  w.path.assign(deepest_, -1);
  for (int j = count - 1; j >= 0; --j) {
    updatePath(j, stride, w);
    const DerivativeNode& d = w.derivative_nodes[j];
    productKernel(d, w.path_rows.data(), stride, depth_[j] + 1, w.products.data());
    out.tau[coordinate_[j]] += multiplier_[j] * (dot(d.S[0], d.force[0]) + dot(d.S[1], d.force[1]));
    addProducts(j, stride, w, out);
  }
}

}  // namespace allclear
