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
  CoarsePoses out;
  out.middle = single(poses.middle);
  out.velocity = single(poses.velocity);
  out.bend = single(poses.bend);
  double far = norm(poses.middle.T, 3) + norm(poses.velocity.T, 3) + norm(poses.bend.T, 3);
  double stretch = norm(poses.middle.R, 9) + norm(poses.velocity.R, 9) + norm(poses.bend.R, 9);
  for (int k = 0; k < 3; ++k) out.control[k] = single(poses.control[k]);
  addRounding(far, stretch, poses.error, poses.error_slope, reach_A, reach_B, &out);
  return out;
}

CoarsePoses coarsen(const Affine& pose, double error, double reach_A, double reach_B) {
  CoarsePoses out{};
  out.middle = out.control[0] = single(pose);
  addRounding(norm(pose.T, 3), norm(pose.R, 9), error, 0.0, reach_A, reach_B, &out);
  return out;
}

ALLCLEAR_MULTIVERSION
void boundsOpeningA(const CoarsePoses& m, const MeshNode& A, const CoarseVolumes<float>& B,
                    const float* n, float cutoff, LaneBounds* out) {
  CoarseVolumes<Lanes> a;
  load(A, &a);
  bounds<true>(m, a, B, n, cutoff, out);
}

ALLCLEAR_MULTIVERSION
void boundsOpeningB(const CoarsePoses& m, const CoarseVolumes<float>& A, const MeshNode& B,
                    const float* n, float cutoff, LaneBounds* out) {
  CoarseVolumes<Lanes> b;
  load(B, &b);
  bounds<true>(m, A, b, n, cutoff, out);
}

ALLCLEAR_MULTIVERSION
void boundsOfPair(const CoarsePoses& m, const CoarseVolumes<float>& A,
                  const CoarseVolumes<float>& B, const float* n, float cutoff, LaneBounds* out) {
  bounds<true>(m, A, B, n, cutoff, out);
}

ALLCLEAR_MULTIVERSION
void stillBoundsOpeningA(const CoarsePoses& m, const MeshNode& A, const CoarseVolumes<float>& B,
                         const float* n, float cutoff, LaneBounds* out) {
  CoarseVolumes<Lanes> a;
  load(A, &a);
  bounds<false>(m, a, B, n, cutoff, out);
}

ALLCLEAR_MULTIVERSION
void stillBoundsOpeningB(const CoarsePoses& m, const CoarseVolumes<float>& A, const MeshNode& B,
                         const float* n, float cutoff, LaneBounds* out) {
  CoarseVolumes<Lanes> b;
  load(B, &b);
  bounds<false>(m, A, b, n, cutoff, out);
}

}  // namespace allclear::mesh
