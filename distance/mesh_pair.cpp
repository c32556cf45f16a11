#include "allclear/distance/mesh_pair.h"

namespace allclear::mesh {

ALLCLEAR_MULTIVERSION
void boundsOpeningA(const IntervalPoses& m, const MeshNode& A, const MeshVolume& B, const double* n, double cutoff, LaneBounds* out) {
  VolumeLanes<kWidth> a;
  VolumeLanes<1> b;
  load(A, &a);
  load(B, &b);
  bounds<true>(m, a, b, n, cutoff, out);
}

ALLCLEAR_MULTIVERSION
void boundsOpeningB(const IntervalPoses& m, const MeshVolume& A, const MeshNode& B, const double* n, double cutoff, LaneBounds* out) {
  VolumeLanes<1> a;
  VolumeLanes<kWidth> b;
  load(A, &a);
  load(B, &b);
  bounds<true>(m, a, b, n, cutoff, out);
}

ALLCLEAR_MULTIVERSION
void boundsOfPair(const IntervalPoses& m, const MeshVolume& A, const MeshVolume& B, const double* n, double cutoff, LaneBounds* out) {
  VolumeLanes<1> a;
  VolumeLanes<1> b;
  load(A, &a);
  load(B, &b);
  bounds<true>(m, a, b, n, cutoff, out);
}

ALLCLEAR_MULTIVERSION
void stillBoundsOpeningA(const IntervalPoses& m, const MeshNode& A, const MeshVolume& B, const double* n, double cutoff, LaneBounds* out) {
  VolumeLanes<kWidth> a;
  VolumeLanes<1> b;
  load(A, &a);
  load(B, &b);
  bounds<false>(m, a, b, n, cutoff, out);
}

ALLCLEAR_MULTIVERSION
void stillBoundsOpeningB(const IntervalPoses& m, const MeshVolume& A, const MeshNode& B, const double* n, double cutoff, LaneBounds* out) {
  VolumeLanes<1> a;
  VolumeLanes<kWidth> b;
  load(A, &a);
  load(B, &b);
  bounds<false>(m, a, b, n, cutoff, out);
}

}  // namespace allclear::mesh
