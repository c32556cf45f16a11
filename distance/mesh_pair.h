#pragma once

// Lower bounds of the distance of bounding volumes A and B during an interval of time, for one
// volume of one side and up to eight of the other in parallel lanes; B stands still, the pose of A
// is a quadratic polynomial plus a remainder (mcd_mesh_motion.h), or constant.
//
//   position of p = (C0 + C1 s + C2 s^2) p, s in [-1, 1], within E0 + E1 |p| of the true one.
//
// Ball test: with m = C0 + C2 / 2, the centre c is within |C2 c| / 2 of m c + s C1 c (as
// |s^2 - 1/2| <= 1/2), so that the distance is at least
//   |q + s* C1 c| - |C2 c| / 2 - E(c) - r_A - r_B,   q = m c - b,   s* the nearest of [-1, 1].
// Directional test: for a unit n, p -> n.(R p + T) is linear in the pose, and the pose is a convex
// combination of B0 = C0 - C1 + C2, B1 = C0 - C2, B2 = C0 + C1 + C2 (Bernstein): the room along n is
//   min_k min_{p in A} n.(R_k p + T_k) - max_{b in B} n.b - E(largest |p|).

#include <cmath>
#include <limits>

#include "allclear/core/multiversion.h"
#include "allclear/distance/mesh_bvh.h"

namespace allclear::mesh {

/// p -> R p + T, rows of R.
struct Affine {
  double R[9];
  double T[3];
};

struct IntervalPoses {
  Affine middle;      ///< C0 + C2 / 2
  Affine velocity;    ///< C1
  Affine bend;        ///< C2
  Affine control[3];  ///< B0, B1, B2
  double error = 0.0;        ///< E0, rounding included
  double error_slope = 0.0;  ///< E1
};

constexpr int kWidth = MeshNode::kWidth;

/// Bounds per lane, and the direction, B to A, of the best of them (kept when it is the one given).
struct LaneBounds {
  double lower[kWidth];
  double n[3][kWidth];
};

/// Volumes in lanes.
template <int N>
struct VolumeLanes {
  double center[3][N];
  double radius[N];
  double length[N];
  double box[3][N];
  double axis[3][3][N];
};

ALLCLEAR_ALWAYS_INLINE void load(const MeshNode& node, VolumeLanes<kWidth>* out) {
  for (int k = 0; k < 3; ++k) {
    for (int l = 0; l < kWidth; ++l) {
      out->center[k][l] = static_cast<double>(node.ball[k][l]);
      out->box[k][l] = static_cast<double>(node.box[k][l]);
    }
  }
  for (int l = 0; l < kWidth; ++l) {
    out->radius[l] = static_cast<double>(node.ball[3][l]);
    out->length[l] = static_cast<double>(node.ball[4][l]);
  }
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      for (int l = 0; l < kWidth; ++l) {
        out->axis[i][k][l] = static_cast<double>(node.box[3 + 3 * i + k][l]);
      }
    }
  }
}

ALLCLEAR_ALWAYS_INLINE void load(const MeshVolume& volume, VolumeLanes<1>* out) {
  out->radius[0] = volume.radius;
  out->length[0] = volume.length;
  for (int k = 0; k < 3; ++k) {
    out->center[k][0] = volume.center[k];
    out->box[k][0] = volume.box[k];
    for (int i = 0; i < 3; ++i) out->axis[i][k][0] = volume.axis[i][k];
  }
}

ALLCLEAR_ALWAYS_INLINE double larger(double a, double b) { return a > b ? a : b; }
ALLCLEAR_ALWAYS_INLINE double smaller(double a, double b) { return a < b ? a : b; }

/// Ball test. NA and NB are the lanes of A and B: 1 or the same.
template <bool kMoving, int NA, int NB>
ALLCLEAR_ALWAYS_INLINE void ballBounds(const IntervalPoses& m, const VolumeLanes<NA>& A,
                                       const VolumeLanes<NB>& B, double* lower) {
  constexpr int N = NA > NB ? NA : NB;
  const double* R = m.middle.R;
  const double* V = m.velocity.R;
  const double* W = m.bend.R;
  for (int l = 0; l < N; ++l) {
    const int a = NA == 1 ? 0 : l, b = NB == 1 ? 0 : l;
    const double x = A.center[0][a], y = A.center[1][a], z = A.center[2][a];
    double qx = R[0] * x + R[1] * y + R[2] * z + (m.middle.T[0] - B.center[0][b]);
    double qy = R[3] * x + R[4] * y + R[5] * z + (m.middle.T[1] - B.center[1][b]);
    double qz = R[6] * x + R[7] * y + R[8] * z + (m.middle.T[2] - B.center[2][b]);
    double loss = m.error + m.error_slope * A.length[a] + A.radius[a] + B.radius[b];
    if constexpr (kMoving) {
      const double vx = V[0] * x + V[1] * y + V[2] * z + m.velocity.T[0];
      const double vy = V[3] * x + V[4] * y + V[5] * z + m.velocity.T[1];
      const double vz = V[6] * x + V[7] * y + V[8] * z + m.velocity.T[2];
      const double wx = W[0] * x + W[1] * y + W[2] * z + m.bend.T[0];
      const double wy = W[3] * x + W[4] * y + W[5] * z + m.bend.T[1];
      const double wz = W[6] * x + W[7] * y + W[8] * z + m.bend.T[2];
      const double vv = vx * vx + vy * vy + vz * vz;
      const double qv = qx * vx + qy * vy + qz * vz;
      const double s = smaller(larger(-qv / larger(vv, 1e-300), -1.0), 1.0);
      qx += s * vx;
      qy += s * vy;
      qz += s * vz;
      loss += 0.5 * std::sqrt(wx * wx + wy * wy + wz * wz);
    }
    lower[l] = std::sqrt(qx * qx + qy * qy + qz * qz) - loss;
  }
}

/// Directional test with one n for all lanes.
template <bool kMoving, int NA, int NB>
ALLCLEAR_ALWAYS_INLINE void roomAlong(const IntervalPoses& m, const VolumeLanes<NA>& A,
                                      const VolumeLanes<NB>& B, const double* n, double* lower) {
  constexpr int N = NA > NB ? NA : NB;
  constexpr int kControls = kMoving ? 3 : 1;
  double room[N];
  for (int l = 0; l < N; ++l) room[l] = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kControls; ++k) {
    const double* R = m.control[k].R;
    const double* T = m.control[k].T;
    const double wx = R[0] * n[0] + R[3] * n[1] + R[6] * n[2];
    const double wy = R[1] * n[0] + R[4] * n[1] + R[7] * n[2];
    const double wz = R[2] * n[0] + R[5] * n[1] + R[8] * n[2];
    const double shift = n[0] * T[0] + n[1] * T[1] + n[2] * T[2];
    for (int l = 0; l < NA; ++l) {
      double least = shift + wx * A.box[0][l] + wy * A.box[1][l] + wz * A.box[2][l];
      for (int i = 0; i < 3; ++i) {
        least -= std::abs(wx * A.axis[i][0][l] + wy * A.axis[i][1][l] + wz * A.axis[i][2][l]);
      }
      room[l] = smaller(room[l], least);
    }
  }
  for (int l = N - 1; l >= 0; --l) {
    const int a = NA == 1 ? 0 : l, b = NB == 1 ? 0 : l;
    double most = n[0] * B.box[0][b] + n[1] * B.box[1][b] + n[2] * B.box[2][b];
    for (int i = 0; i < 3; ++i) {
      most += std::abs(n[0] * B.axis[i][0][b] + n[1] * B.axis[i][1][b] + n[2] * B.axis[i][2][b]);
    }
    const double error = m.error + m.error_slope * (A.length[a] + A.radius[a]);
    lower[l] = larger(lower[l], room[a] - most - error);
  }
}

/// The point of a box nearest (for orthogonal axes) to (x, y, z).
template <int M>
ALLCLEAR_ALWAYS_INLINE void nearestInBox(const VolumeLanes<M>& V, int l, double* x, double* y,
                                         double* z) {
  const double dx = *x - V.box[0][l], dy = *y - V.box[1][l], dz = *z - V.box[2][l];
  double rx = V.box[0][l], ry = V.box[1][l], rz = V.box[2][l];
  for (int i = 0; i < 3; ++i) {
    const double gx = V.axis[i][0][l], gy = V.axis[i][1][l], gz = V.axis[i][2][l];
    const double along = (gx * dx + gy * dy + gz * dz) / larger(gx * gx + gy * gy + gz * gz, 1e-300);
    const double t = smaller(larger(along, -1.0), 1.0);
    rx += t * gx;
    ry += t * gy;
    rz += t * gz;
  }
  *x = rx;
  *y = ry;
  *z = rz;
}

/// A direction per lane, B to A, by projecting from box to box in the middle of the interval.
template <int NA, int NB>
ALLCLEAR_ALWAYS_INLINE void boxDirections(const IntervalPoses& m, const VolumeLanes<NA>& A,
                                          const VolumeLanes<NB>& B, double (*n)[kWidth]) {
  constexpr int N = NA > NB ? NA : NB;
  const double* R = m.middle.R;
  const double* T = m.middle.T;
  for (int l = 0; l < N; ++l) {
    const int a = NA == 1 ? 0 : l, b = NB == 1 ? 0 : l;
    double zx = B.box[0][b], zy = B.box[1][b], zz = B.box[2][b];
    double px = 0.0, py = 0.0, pz = 0.0;
    for (int step = 0; step < 2; ++step) {
      const double dx = zx - T[0], dy = zy - T[1], dz = zz - T[2];
      double ax = R[0] * dx + R[3] * dy + R[6] * dz;
      double ay = R[1] * dx + R[4] * dy + R[7] * dz;
      double az = R[2] * dx + R[5] * dy + R[8] * dz;
      nearestInBox(A, a, &ax, &ay, &az);
      px = R[0] * ax + R[1] * ay + R[2] * az + T[0];
      py = R[3] * ax + R[4] * ay + R[5] * az + T[1];
      pz = R[6] * ax + R[7] * ay + R[8] * az + T[2];
      zx = px;
      zy = py;
      zz = pz;
      nearestInBox(B, b, &zx, &zy, &zz);
    }
    const double nx = px - zx, ny = py - zy, nz = pz - zz;
    // Rounded down: a length above 1 would overstate the room.
    const double scale = (1.0 - 1e-15) / std::sqrt(larger(nx * nx + ny * ny + nz * nz, 1e-300));
    n[0][l] = nx * scale;
    n[1][l] = ny * scale;
    n[2][l] = nz * scale;
  }
}

/// Directional test with a direction per lane; lanes that gain by it keep it.
template <bool kMoving, int NA, int NB>
ALLCLEAR_ALWAYS_INLINE void roomAlongEach(const IntervalPoses& m, const VolumeLanes<NA>& A,
                                          const VolumeLanes<NB>& B, double (*n)[kWidth],
                                          LaneBounds* out) {
  constexpr int N = NA > NB ? NA : NB;
  constexpr int kControls = kMoving ? 3 : 1;
  double room[N];
  for (int l = 0; l < N; ++l) room[l] = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kControls; ++k) {
    const double* R = m.control[k].R;
    const double* T = m.control[k].T;
    for (int l = 0; l < N; ++l) {
      const int a = NA == 1 ? 0 : l;
      const double nx = n[0][l], ny = n[1][l], nz = n[2][l];
      const double wx = R[0] * nx + R[3] * ny + R[6] * nz;
      const double wy = R[1] * nx + R[4] * ny + R[7] * nz;
      const double wz = R[2] * nx + R[5] * ny + R[8] * nz;
      double least = nx * T[0] + ny * T[1] + nz * T[2] + wx * A.box[0][a] + wy * A.box[1][a] +
                     wz * A.box[2][a];
      for (int i = 0; i < 3; ++i) {
        least -= std::abs(wx * A.axis[i][0][a] + wy * A.axis[i][1][a] + wz * A.axis[i][2][a]);
      }
      room[l] = smaller(room[l], least);
    }
  }
  for (int l = 0; l < N; ++l) {
    const int a = NA == 1 ? 0 : l, b = NB == 1 ? 0 : l;
    const double nx = n[0][l], ny = n[1][l], nz = n[2][l];
    double most = nx * B.box[0][b] + ny * B.box[1][b] + nz * B.box[2][b];
    for (int i = 0; i < 3; ++i) {
      most += std::abs(nx * B.axis[i][0][b] + ny * B.axis[i][1][b] + nz * B.axis[i][2][b]);
    }
    const double error = m.error + m.error_slope * (A.length[a] + A.radius[a]);
    const double lower = room[l] - most - error;
    const bool gains = lower > out->lower[l];
    out->lower[l] = gains ? lower : out->lower[l];
    for (int c = 0; c < 3; ++c) out->n[c][l] = gains ? n[c][l] : out->n[c][l];
  }
}

/// All tests; those that cost more are left out when the others have pushed all lanes to `cutoff`.
template <bool kMoving, int NA, int NB>
ALLCLEAR_ALWAYS_INLINE void bounds(const IntervalPoses& m, const VolumeLanes<NA>& A,
                                   const VolumeLanes<NB>& B, const double* n, double cutoff,
                                   LaneBounds* out) {
  constexpr int N = NA > NB ? NA : NB;
  ballBounds<kMoving>(m, A, B, out->lower);
  double least = out->lower[0];
  for (int l = 1; l < N; ++l) least = smaller(least, out->lower[l]);
  if (least >= cutoff) return;
  roomAlong<kMoving>(m, A, B, n, out->lower);
  for (int c = 0; c < 3; ++c) {
    for (int l = 0; l < N; ++l) out->n[c][l] = n[c];
  }
  least = out->lower[0];
  for (int l = 1; l < N; ++l) least = smaller(least, out->lower[l]);
  if (least >= cutoff) return;
  double each[3][kWidth];
  boxDirections(m, A, B, each);
  roomAlongEach<kMoving>(m, A, B, each, out);
}

// The kernels: one call per node opened.

/// The children of a node of A against one volume of B.
void boundsOpeningA(const IntervalPoses& m, const MeshNode& A, const MeshVolume& B, const double* n,
                    double cutoff, LaneBounds* out);
/// One volume of A against the children of a node of B.
void boundsOpeningB(const IntervalPoses& m, const MeshVolume& A, const MeshNode& B, const double* n,
                    double cutoff, LaneBounds* out);
/// One volume against one (lane 0).
void boundsOfPair(const IntervalPoses& m, const MeshVolume& A, const MeshVolume& B, const double* n,
                  double cutoff, LaneBounds* out);
// The same for a pose that stays: control[0], and `middle` equal to it.
void stillBoundsOpeningA(const IntervalPoses& m, const MeshNode& A, const MeshVolume& B,
                         const double* n, double cutoff, LaneBounds* out);
void stillBoundsOpeningB(const IntervalPoses& m, const MeshVolume& A, const MeshNode& B,
                         const double* n, double cutoff, LaneBounds* out);

}  // namespace allclear::mesh
