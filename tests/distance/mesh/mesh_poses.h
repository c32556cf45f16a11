#pragma once

#include "allclear/distance/mesh/volume_bounds.h"

namespace allclear::test {

/// One of B0, B1, B2, C3 / 4.
inline mesh::Affine control(const mesh::IntervalPoses& poses, int which) {
  mesh::Affine X;
  for (int c = 0; c < 9; ++c) X.R[c] = poses.controls[c][which];
  for (int c = 0; c < 3; ++c) X.T[c] = poses.controls[9 + c][which];
  return X;
}

}  // namespace allclear::test
