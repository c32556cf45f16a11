#pragma once

#include <vector>

#include "allclear/distance/mesh/distance.h"
#include "allclear/distance/minimum/instant.h"
#include "allclear/distance/minimum_distance.h"

namespace allclear::mcd {

/// The motion of A's centre frame seen from B's on one cell: sum_k C_k s^k, s in [-1, 1], with the
/// true (rigid) position of every point u of A within error + error_slope |u| of it.
struct RelativeCurve {
  static constexpr int kCount = BodyCurve::kDegree + 1;
  double C[kCount][12];  ///< rows of the 3x3 part, then the translation
  double error = 0.0;
  double error_slope = 0.0;
  double scale = 0.0;  ///< bound of the translation [m]

  mesh::Affine at(double s) const;
  /// Derivative by s.
  mesh::Affine rateAt(double s) const;
};

/// The quadratic part of a relative curve on [s0, s1], what the cubic leaves, and the rest in the
/// errors (Chebyshev economisation), `extra` added to the constant one.
void economise(const RelativeCurve& curve, double s0, double s1, double extra,
               mesh::IntervalPoses* out);

/// Where two leaves that `leaf` found nearest at s are nearest, by a Newton step of the distance of
/// their two points, at most `width` away and within the cell.
struct NextInstant {
  double s;
  double gain;  ///< of the distance, to first order
};
NextInstant nextInstant(const RelativeCurve& curve, const mesh::LeafDistance& leaf, double s,
                        double width);

/// Two moving bodies of which at least A has triangles. Borrows all that it is made from.
class MeshMotion {
 public:
  MeshMotion(const MeshBody& A, const MovingShape& a, const MeshBody& B, const MovingShape& b);

  const MeshBody& A() const { return A_; }
  const MeshBody& B() const { return B_; }
  int cells() const { return cells_; }
  Interval cellTime(int cell) const { return timeCurve(cell).time; }

  /// Lower bound of the distance over a cell from the bodies' balls.
  double sweptBound(int cell) const;
  /// Upper bound of the distance at the first instant, from the same.
  double coarseDistance() const;
  RelativeCurve relative(int cell) const;
  /// The pose of B's centre frame in the world.
  Pose frameOfB(Place place) const;
  double timeAt(Place place) const;

  // For the thesis's searches (mcd_algorithms.h): static distances and isotropic speeds.
  Instant at(Place place) const;
  /// The true distance is within this of the one of `at`.
  double error() const;
  double floor() const { return 0.0; }
  double leverSpeed(int cell) const;
  double jump(int cell) const;
  double approachSpeed(int cell, const Instant&, bool) const { return leverSpeed(cell); }
  bool witnessIsUnique(const Instant&) const { return false; }
  mutable MeshCache cache;
  mutable long node_tests = 0;
  mutable long triangle_tests = 0;

 private:
  const BodyCurve& curveA(int cell) const { return a_.curves[a_.curves.size() > 1 ? cell : 0]; }
  const BodyCurve& curveB(int cell) const { return b_.curves[b_.curves.size() > 1 ? cell : 0]; }
  const BodyCurve& timeCurve(int cell) const { return timed_by_b_ ? curveB(cell) : curveA(cell); }
  const RelativeCurve& known(int cell) const;

  const MeshBody& A_;
  const MeshBody& B_;
  const MovingShape& a_;
  const MovingShape& b_;
  Pose X_AC_, X_BC_;  ///< centre frames in their bodies'
  int cells_;
  bool timed_by_b_;
  mutable std::vector<RelativeCurve> known_;
  mutable std::vector<char> is_known_;
};

/// A curve whose controls are all the same: a body at rest.
bool isStill(const BodyCurve& curve);

}  // namespace allclear::mcd
