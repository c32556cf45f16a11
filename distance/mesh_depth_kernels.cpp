#include "allclear/distance/mesh_depth_kernels.h"

#include <cmath>
#include <limits>

#include "allclear/core/multiversion.h"
#include "allclear/distance/mesh_pair.h"

namespace allclear::mesh {
namespace {

/// Edges of a box are at right angles to rounding in single precision.
constexpr double kSkew = 2e-6;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Volumes in lanes.
template <int N>
struct VolumeLanes {
  double box[3][N];
  double axis[3][3][N];  ///< [which][xyz]
};

ALLCLEAR_ALWAYS_INLINE void load(const MeshNode& node, VolumeLanes<kWidth>* out) {
  for (int k = 0; k < 3; ++k) {
    for (int l = 0; l < kWidth; ++l) {
      out->box[k][l] = static_cast<double>(node.box[k][l]);
      for (int i = 0; i < 3; ++i) {
        out->axis[i][k][l] = static_cast<double>(node.box[3 + 3 * i + k][l]);
      }
    }
  }
}

ALLCLEAR_ALWAYS_INLINE void load(const MeshVolume& volume, VolumeLanes<1>* out) {
  for (int k = 0; k < 3; ++k) {
    out->box[k][0] = volume.box[k];
    for (int i = 0; i < 3; ++i) out->axis[i][k][0] = volume.axis[i][k];
  }
}

ALLCLEAR_ALWAYS_INLINE double greaterOf(double a, double b) { return a > b ? a : b; }
ALLCLEAR_ALWAYS_INLINE double lesserOf(double a, double b) { return a < b ? a : b; }

ALLCLEAR_ALWAYS_INLINE double awayFromZero(double w) {
  return std::copysign(greaterOf(std::abs(w), 1e-300), w);
}

/// Boxes apart along one of their six edge directions do not meet: each direction leaves an
/// interval of s.
template <int NA, int NB>
ALLCLEAR_ALWAYS_INLINE void boxIntervals(const LineMotion& m, const VolumeLanes<NA>& A,
                                         const VolumeLanes<NB>& B, LaneIntervals* result) {
  constexpr int N = NA > NB ? NA : NB;
  const double* R = m.R;
  double a[3][3][NA], along_A[3][NA], between[3][N];
  for (int i = 0; i < 3; ++i) {
    for (int l = 0; l < NA; ++l) {
      for (int k = 0; k < 3; ++k) {
        a[i][k][l] = R[3 * k] * A.axis[i][0][l] + R[3 * k + 1] * A.axis[i][1][l] +
                     R[3 * k + 2] * A.axis[i][2][l];
      }
      along_A[i][l] = a[i][0][l] * m.v[0] + a[i][1][l] * m.v[1] + a[i][2][l] * m.v[2];
    }
  }
  for (int k = 0; k < 3; ++k) {
    for (int l = 0; l < N; ++l) {
      const int la = NA == 1 ? 0 : l, lb = NB == 1 ? 0 : l;
      between[k][l] = R[3 * k] * A.box[0][la] + R[3 * k + 1] * A.box[1][la] +
                      R[3 * k + 2] * A.box[2][la] + (m.T[k] - B.box[k][lb]);
    }
  }
  double length_A[3][NA], length_B[3][NB], sum_A[NA], sum_B[NB], shared[3][3][N];
  for (int l = 0; l < NA; ++l) sum_A[l] = 0.0;
  for (int l = 0; l < NB; ++l) sum_B[l] = 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int l = 0; l < NA; ++l) {
      length_A[i][l] =
          std::sqrt(a[i][0][l] * a[i][0][l] + a[i][1][l] * a[i][1][l] + a[i][2][l] * a[i][2][l]);
      sum_A[l] += length_A[i][l];
    }
    for (int l = 0; l < NB; ++l) {
      length_B[i][l] =
          std::sqrt(B.axis[i][0][l] * B.axis[i][0][l] + B.axis[i][1][l] * B.axis[i][1][l] +
                    B.axis[i][2][l] * B.axis[i][2][l]);
      sum_B[l] += length_B[i][l];
    }
    for (int j = 0; j < 3; ++j) {
      for (int l = 0; l < N; ++l) {
        const int la = NA == 1 ? 0 : l, lb = NB == 1 ? 0 : l;
        shared[i][j][l] = std::abs(a[i][0][la] * B.axis[j][0][lb] + a[i][1][la] * B.axis[j][1][lb] +
                                   a[i][2][la] * B.axis[j][2][lb]);
      }
    }
  }
  double in[N], out[N];
  for (int l = 0; l < N; ++l) {
    in[l] = -kInfinity;
    out[l] = kInfinity;
  }
  const auto clip = [&](int l, double at, double speed, double reach) ALLCLEAR_INLINE_LAMBDA {
    const double w = 1.0 / awayFromZero(speed);
    const double s0 = (-reach - at) * w, s1 = (reach - at) * w;
    in[l] = greaterOf(in[l], lesserOf(s0, s1));
    out[l] = lesserOf(out[l], greaterOf(s0, s1));
  };
  for (int j = 0; j < 3; ++j) {
    for (int l = 0; l < N; ++l) {
      const int lb = NB == 1 ? 0 : l;
      const double x = B.axis[j][0][lb], y = B.axis[j][1][lb], z = B.axis[j][2][lb];
      const double own = length_B[j][lb] + kSkew * sum_B[lb] + m.offset;
      const double reach =
          length_B[j][lb] * own + shared[0][j][l] + shared[1][j][l] + shared[2][j][l];
      clip(l, x * between[0][l] + y * between[1][l] + z * between[2][l],
           x * m.v[0] + y * m.v[1] + z * m.v[2], reach);
    }
  }
  for (int j = 0; j < 3; ++j) {
    for (int l = 0; l < N; ++l) {
      const int la = NA == 1 ? 0 : l;
      const double x = a[j][0][la], y = a[j][1][la], z = a[j][2][la];
      const double own = length_A[j][la] + kSkew * sum_A[la] + m.offset;
      const double reach =
          length_A[j][la] * own + shared[j][0][l] + shared[j][1][l] + shared[j][2][l];
      clip(l, x * between[0][l] + y * between[1][l] + z * between[2][l], along_A[j][la], reach);
    }
  }
  for (int l = 0; l < N; ++l) {
    result->in[l] = in[l];
    result->out[l] = out[l];
  }
}

/// Normals of A and of B; edges of A times edges of B; edges of either times its own normal, which
/// count when the triangles are parallel; the rest is zero.
constexpr int kAxes = 20;

struct Axes {
  double x[kAxes], y[kAxes], z[kAxes];
};

ALLCLEAR_ALWAYS_INLINE void setCross(Axes* axes, int at, const double* a, const double* b) {
  axes->x[at] = a[1] * b[2] - a[2] * b[1];
  axes->y[at] = a[2] * b[0] - a[0] * b[2];
  axes->z[at] = a[0] * b[1] - a[1] * b[0];
}

ALLCLEAR_ALWAYS_INLINE void trianglesAxes(const double (*a)[3], const double (*b)[3], Axes* axes) {
  setCross(axes, 0, a[0], a[1]);
  setCross(axes, 1, b[0], b[1]);
  const double n[3] = {axes->x[0], axes->y[0], axes->z[0]};
  const double k[3] = {axes->x[1], axes->y[1], axes->z[1]};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) setCross(axes, 2 + 3 * i + j, a[i], b[j]);
    setCross(axes, 11 + i, n, a[i]);
    setCross(axes, 14 + i, k, b[i]);
  }
  for (int l = 17; l < kAxes; ++l) axes->x[l] = axes->y[l] = axes->z[l] = 0.0;
}

}  // namespace

ALLCLEAR_MULTIVERSION
void intervalsOpeningA(const LineMotion& m, const MeshNode& A, const MeshVolume& B,
                       LaneIntervals* out) {
  VolumeLanes<kWidth> a;
  VolumeLanes<1> b;
  load(A, &a);
  load(B, &b);
  boxIntervals(m, a, b, out);
}

ALLCLEAR_MULTIVERSION
void intervalsOpeningB(const LineMotion& m, const MeshVolume& A, const MeshNode& B,
                       LaneIntervals* out) {
  VolumeLanes<1> a;
  VolumeLanes<kWidth> b;
  load(A, &a);
  load(B, &b);
  boxIntervals(m, a, b, out);
}

ALLCLEAR_MULTIVERSION
void sweepTriangles(const LineMotion& m, const TriangleCorners& A, const TriangleCorners& B,
                    TriangleSweep* result) {
  double a[3][3], b[3][3], q[3], least_A = 0.0, least_B = 0.0;
  for (int i = 0; i < 3; ++i) {
    double of_A = 0.0, of_B = 0.0;
    for (int k = 0; k < 3; ++k) {
      a[i][k] = A.p[(i + 1) % 3][k] - A.p[i][k];
      b[i][k] = B.p[(i + 1) % 3][k] - B.p[i][k];
      of_A += a[i][k] * a[i][k];
      of_B += b[i][k] * b[i][k];
    }
    least_A = greaterOf(least_A, of_A);
    least_B = greaterOf(least_B, of_B);
  }
  for (int k = 0; k < 3; ++k) q[k] = A.p[0][k] + m.T[k] - B.p[0][k];
  Axes axes;
  trianglesAxes(a, b, &axes);
  // Shorter ones are rounding: of products of two edges, and of three.
  const double longest = greaterOf(least_A, least_B);
  const double two = 1e-26 * least_A * least_B, own = 1e-26 * longest * longest,
               three = own * longest;
  double at[kAxes], speed[kAxes], low[kAxes], high[kAxes];
  for (int l = 0; l < kAxes; ++l) {
    const double x = axes.x[l], y = axes.y[l], z = axes.z[l];
    const double squared = x * x + y * y + z * z;
    const double noise = l < 2 ? 0.0 : (l < 11 ? two : three);
    const double scale = squared > noise ? 1.0 / std::sqrt(greaterOf(squared, 1e-300)) : 0.0;
    const double nx = x * scale, ny = y * scale, nz = z * scale;
    axes.x[l] = nx;
    axes.y[l] = ny;
    axes.z[l] = nz;
    at[l] = nx * q[0] + ny * q[1] + nz * q[2];
    speed[l] = nx * m.v[0] + ny * m.v[1] + nz * m.v[2];
    const double a1 = nx * a[0][0] + ny * a[0][1] + nz * a[0][2];
    const double a2 = -(nx * a[2][0] + ny * a[2][1] + nz * a[2][2]);
    const double b1 = nx * b[0][0] + ny * b[0][1] + nz * b[0][2];
    const double b2 = -(nx * b[2][0] + ny * b[2][1] + nz * b[2][2]);
    // They meet along the axis while low <= at + s speed <= high.
    low[l] = lesserOf(0.0, lesserOf(b1, b2)) - greaterOf(0.0, greaterOf(a1, a2));
    high[l] = greaterOf(0.0, greaterOf(b1, b2)) - lesserOf(0.0, lesserOf(a1, a2));
  }
  double in[kAxes], out[kAxes], gap[kAxes], side[kAxes];
  for (int l = 0; l < kAxes; ++l) {
    const double w = 1.0 / awayFromZero(speed[l]);
    const double s0 = (low[l] - m.offset - at[l]) * w, s1 = (high[l] + m.offset - at[l]) * w;
    in[l] = lesserOf(s0, s1);
    out[l] = greaterOf(s0, s1);
    const double below = low[l] - at[l], above = at[l] - high[l];
    gap[l] = greaterOf(below, above);
    side[l] = above >= below ? 1.0 : -1.0;
  }
  int i = 0, o = 0, g = 0;
  for (int l = 1; l < 17; ++l) {
    i = in[l] > in[i] ? l : i;
    o = out[l] < out[o] ? l : o;
    // Facets of one triangle before edges of both, when they are as good.
    g = gap[l] > gap[g] + (l < 2 ? 0.0 : 1e-15 * std::abs(at[l])) ? l : g;
  }
  result->in = in[i];
  result->out = out[o];
  result->gap = gap[g];
  const double towards = speed[i] < 0.0 ? 1.0 : -1.0, away = speed[o] < 0.0 ? -1.0 : 1.0;
  const double n_in[3] = {axes.x[i], axes.y[i], axes.z[i]};
  const double n_out[3] = {axes.x[o], axes.y[o], axes.z[o]};
  const double n_gap[3] = {axes.x[g], axes.y[g], axes.z[g]};
  for (int k = 0; k < 3; ++k) {
    result->normal_in[k] = towards * n_in[k];
    result->normal_out[k] = away * n_out[k];
    result->normal_gap[k] = side[g] * n_gap[k];
  }
}

}  // namespace allclear::mesh
