#pragma once

#include <cmath>

#include "allclear/core/stop_scope.h"
#include "allclear/core/types.h"
#include "allclear/distance/geometry/triangles.h"

namespace allclear::mesh {

/// Columns: the principal axes of the corners of `count` triangles, orthonormal, the axis of least
/// spread first; the frame's own axes when all corners coincide. `triangleAt(i)` is triangle i.
template <class TriangleAt>
Mat3 principalAxes(const TriangleAt& triangleAt, int count) {
  Vec3 mean = Vec3::Zero();
  StopSteps steps;
  for (int i = 0; i < count; ++i) {
    steps.step();
    const TriangleCorners& t = triangleAt(i);
    for (int k = 0; k < 3; ++k) mean += t.corner(k);
  }
  mean /= 3.0 * count;
  Mat3 spread = Mat3::Zero();
  for (int i = 0; i < count; ++i) {
    steps.step();
    const TriangleCorners& t = triangleAt(i);
    for (int k = 0; k < 3; ++k) {
      const Vec3 r = t.corner(k) - mean;
      spread.noalias() += r * r.transpose();
    }
  }
  // Divided by its largest entry, so that squares inside the solver neither overflow nor vanish.
  const double scale = spread.cwiseAbs().maxCoeff();
  if (!(scale > 0.0) || !std::isfinite(scale)) return Mat3::Identity();
  return Eigen::SelfAdjointEigenSolver<Mat3>(spread / scale).eigenvectors();
}

}  // namespace allclear::mesh
