#pragma once

#include <vector>

#include "allclear/distance/minimum/mesh/mesh.h"

namespace allclear::mcd {

/// A motion of two meshes as searches by static distances see it: distances at instants of the
/// polynomial motion, each query starting from where the previous one ended.
class SampledMeshMotion {
 public:
  /// `motion` is borrowed.
  explicit SampledMeshMotion(const MeshMotion& motion);

  const MeshMotion& motion() const { return motion_; }
  const RelativeCurve& relative(int cell) const { return curves_[cell]; }
  int cells() const { return motion_.cells(); }
  Interval cellTime(int cell) const { return motion_.cellTime(cell); }
  double leverSpeed(int cell) const { return motion_.leverSpeed(cell); }
  /// The true distance is within this of the one of `at`.
  double error() const { return error_; }

  Instant at(TimePoint when);

  long node_tests() const { return node_tests_; }
  long triangle_tests() const { return triangle_tests_; }

 private:
  const MeshMotion& motion_;
  std::vector<RelativeCurve> curves_;
  double error_;
  MeshCache cache_;
  long node_tests_ = 0, triangle_tests_ = 0;
};

/// Equidistant samples, as many as the tolerance needs.
MeshSearchResult meshSampling(SampledMeshMotion* motion, const McdOptions& options);

/// The thesis's algorithm 4.1 with (4.6)-(4.8), or with `extrema` (4.9), which is no bound: see
/// docs/algorithms/mesh-distance.md.
MeshSearchResult meshSubdivision(SampledMeshMotion* motion, const McdOptions& options,
                                 bool extrema);

}  // namespace allclear::mcd
