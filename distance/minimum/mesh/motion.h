#pragma once

#include <span>
#include <vector>

#include "allclear/distance/minimum/instant.h"
#include "allclear/distance/minimum/mesh/relative_curve.h"
#include "allclear/distance/minimum_distance.h"

namespace allclear::mcd {

/// Two moving bodies of which at least A has triangles. Borrows all its arguments; immutable.
class MeshMotion {
 public:
  MeshMotion(const MeshBody& A, const MovingShape& a, const MeshBody& B, const MovingShape& b);

  const MeshBody& A() const { return A_; }
  const MeshBody& B() const { return B_; }
  int cells() const { return cells_; }
  Interval cellTime(int cell) const { return timeCurve(cell).time; }

  /// Lower bound [m] of the signed distance over a cell from the balls about the bodies.
  double sweptBound(int cell) const;
  /// Upper bound [m] of the distance at the first instant, from the same balls.
  double coarseDistance() const;
  /// A's centre frame seen from B's. Computed anew at each call.
  RelativeCurve relative(int cell) const;
  /// The pose of B's centre frame in the world.
  Pose frameOfB(TimePoint when) const;
  double timeAt(TimePoint when) const;  ///< [s]

  /// `relative` of every cell, for queries that need them more than once.
  std::vector<RelativeCurve> relativeCurves() const;
  /// The true distance is within this of that between the rigid poses nearest to `curves`, which
  /// are `relativeCurves()`.
  double error(std::span<const RelativeCurve> curves) const;
  /// Upper bound of |d(distance)/dt| [m/s] over the cell from lever arms.
  double leverSpeed(int cell) const;

 private:
  const BodyCurve& curveA(int cell) const { return a_.curves[a_.curves.size() > 1 ? cell : 0]; }
  const BodyCurve& curveB(int cell) const { return b_.curves[b_.curves.size() > 1 ? cell : 0]; }
  const BodyCurve& timeCurve(int cell) const { return timed_by_b_ ? curveB(cell) : curveA(cell); }

  const MeshBody& A_;
  const MeshBody& B_;
  const MovingShape& a_;
  const MovingShape& b_;
  Pose X_AC_, X_BC_;  ///< centre frames in their bodies'
  int cells_;
  bool timed_by_b_;  ///< a single still curve of A may span other times
};

}  // namespace allclear::mcd
