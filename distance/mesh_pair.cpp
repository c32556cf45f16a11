#include "allclear/distance/mesh_pair.h"

// The lanes are never passed through a real call.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear::mesh {
namespace {

double norm(const double* x, int count) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

AffineOf<float> single(const Affine& X) {
  AffineOf<float> out;
  for (int i = 0; i < 9; ++i) out.R[i] = static_cast<float>(X.R[i]);
  for (int i = 0; i < 3; ++i) out.T[i] = static_cast<float>(X.T[i]);
  return out;
}

/// Adds 64 roundings of all that the numbers of a bound can add up to.
void addRounding(double far, double stretch, double error, double slope, double reach_A,
                 double reach_B, CoarsePoses* out) {
  constexpr double kRounding = 64.0 * 0.5 * std::numeric_limits<float>::epsilon();
  const double most = far + 5.0 * stretch * reach_A + 5.0 * reach_B + error + slope * reach_A;
  out->error = static_cast<float>(error + kRounding * most);
  out->error_slope = static_cast<float>(slope);
}

}  // namespace

CoarsePoses coarsen(const IntervalPoses& poses, double reach_A, double reach_B) {
  Affine control[4];
  for (int k = 0; k < 4; ++k) {
    for (int c = 0; c < 9; ++c) control[k].R[c] = poses.control[c][k];
    for (int c = 0; c < 3; ++c) control[k].T[c] = poses.control[9 + c][k];
  }
  const Affine& rest = control[3];
  CoarsePoses out;
  out.middle = single(poses.middle);
  out.velocity = single(poses.velocity);
  for (int k = 0; k < 3; ++k) out.control[k] = single(control[k]);
  out.rest = single(rest);
  const double ball_error = 0.5 * norm(poses.bend.T, 3) + norm(rest.T, 3);
  const double ball_slope = 0.5 * norm(poses.bend.R, 9) + norm(rest.R, 9);
  out.ball_error = static_cast<float>(ball_error);
  out.ball_error_slope = static_cast<float>(ball_slope);
  out.motion =
      static_cast<float>(norm(poses.velocity.T, 3) + ball_error + poses.error +
                         (norm(poses.velocity.R, 9) + ball_slope + poses.error_slope) * reach_A);
  double far = 0.0, stretch = 0.0;
  for (const Affine* X : {&poses.middle, &poses.velocity, &poses.bend, &rest}) {
    far += norm(X->T, 3);
    stretch += norm(X->R, 9);
  }
  addRounding(far, stretch, poses.error, poses.error_slope, reach_A, reach_B, &out);
  return out;
}

CoarsePoses coarsen(const Affine& pose, double error, double reach_A, double reach_B) {
  CoarsePoses out{};
  out.middle = out.control[0] = single(pose);
  addRounding(norm(pose.T, 3), norm(pose.R, 9), error, 0.0, reach_A, reach_B, &out);
  return out;
}

CoarseTriangle coarseTriangle(const TriangleCorners& triangle, const CoarseVolumes<float>& volume) {
  CoarseTriangle out{};
  for (int c = 0; c < 3; ++c) {
    out.center[c] = out.box[c] = volume.center[c];
    for (int v = 0; v < 3; ++v) out.corner[v][c] = static_cast<float>(triangle.p[v][c]);
  }
  out.radius = volume.radius;
  out.length = volume.length;
  const auto edge = [&](int i, int c) { return out.corner[i + 1][c] - out.corner[0][c]; };
  float aa = 0.0F, ab = 0.0F, bb = 0.0F;
  for (int c = 0; c < 3; ++c) {
    aa += edge(0, c) * edge(0, c);
    ab += edge(0, c) * edge(1, c);
    bb += edge(1, c) * edge(1, c);
  }
  // Without area, or too small for a reciprocal, a corner is as good a point as another.
  const float area = aa * bb - ab * ab;
  if (!(area > std::max(1e-5F * aa * bb, 1e-30F))) return out;
  const float scale = 1.0F / area;
  for (int c = 0; c < 3; ++c) {
    out.dual[0][c] = scale * (bb * edge(0, c) - ab * edge(1, c));
    out.dual[1][c] = scale * (aa * edge(1, c) - ab * edge(0, c));
  }
  return out;
}

ALLCLEAR_MULTIVERSION
double leastAlong(const IntervalPoses& poses, const TriangleCorners& of_A, const double* n) {
  double w[4][4];  // [xyz, then the translation][control]
  for (int k = 0; k < 4; ++k) {
    for (int c = 0; c < 3; ++c) {
      w[c][k] = n[0] * poses.control[c][k] + n[1] * poses.control[3 + c][k] +
                n[2] * poses.control[6 + c][k];
    }
    w[3][k] =
        n[0] * poses.control[9][k] + n[1] * poses.control[10][k] + n[2] * poses.control[11][k];
  }
  double least = std::numeric_limits<double>::infinity();
  for (const auto& p : of_A.p) {
    double at[4];
    for (int k = 0; k < 4; ++k) at[k] = w[3][k] + w[0][k] * p[0] + w[1][k] * p[1] + w[2][k] * p[2];
    least = std::min(least, leastOfQuadratic(at[0], at[1], at[2]) - std::abs(at[3]));
  }
  return least;
}

// With a motion the direction of the pair above would leave 2 % fewer pairs, and take more time
// than they do; at rest it saves time.

template <bool kMoving, class Whole>
ALLCLEAR_ALWAYS_INLINE void openA(const CoarsePoses& m, const MeshNode& A, const Whole& B,
                                  const float* n, float cutoff, LaneBounds* out) {
  CoarseVolumes<Lanes> a;
  load(A, &a);
  bounds<kMoving, !kMoving>(m, a, B, n, cutoff, out);
}
template <bool kMoving, class Whole>
ALLCLEAR_ALWAYS_INLINE void openB(const CoarsePoses& m, const Whole& A, const MeshNode& B,
                                  const float* n, float cutoff, LaneBounds* out) {
  CoarseVolumes<Lanes> b;
  load(B, &b);
  bounds<kMoving, !kMoving>(m, A, b, n, cutoff, out);
}

ALLCLEAR_MULTIVERSION
void boundsOpeningA(const CoarsePoses& m, const MeshNode& A, const CoarseVolumes<float>& B,
                    const float* n, float cutoff, LaneBounds* out) {
  openA<true>(m, A, B, n, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void boundsOpeningB(const CoarsePoses& m, const CoarseVolumes<float>& A, const MeshNode& B,
                    const float* n, float cutoff, LaneBounds* out) {
  openB<true>(m, A, B, n, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void boundsOpeningA(const CoarsePoses& m, const MeshNode& A, const CoarseTriangle& B,
                    const float* n, float cutoff, LaneBounds* out) {
  openA<true>(m, A, B, n, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void boundsOpeningB(const CoarsePoses& m, const CoarseTriangle& A, const MeshNode& B,
                    const float* n, float cutoff, LaneBounds* out) {
  openB<true>(m, A, B, n, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void stillBoundsOpeningA(const CoarsePoses& m, const MeshNode& A, const CoarseVolumes<float>& B,
                         const float* n, float cutoff, LaneBounds* out) {
  openA<false>(m, A, B, n, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void stillBoundsOpeningB(const CoarsePoses& m, const CoarseVolumes<float>& A, const MeshNode& B,
                         const float* n, float cutoff, LaneBounds* out) {
  openB<false>(m, A, B, n, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void stillBoundsOpeningA(const CoarsePoses& m, const MeshNode& A, const CoarseTriangle& B,
                         const float* n, float cutoff, LaneBounds* out) {
  openA<false>(m, A, B, n, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void stillBoundsOpeningB(const CoarsePoses& m, const CoarseTriangle& A, const MeshNode& B,
                         const float* n, float cutoff, LaneBounds* out) {
  openB<false>(m, A, B, n, cutoff, out);
}
ALLCLEAR_MULTIVERSION
void boundsOfPair(const CoarsePoses& m, const CoarseVolumes<float>& A,
                  const CoarseVolumes<float>& B, const float* n, float cutoff, LaneBounds* out) {
  bounds<true, true>(m, A, B, n, cutoff, out);
}

}  // namespace allclear::mesh
