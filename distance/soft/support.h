#pragma once

#include <vector>

#include "allclear/distance/convex/core.h"

namespace allclear {

/// Vectors stored by coordinate, for kernels that run over many directions or corners at once.
struct Columns {
  std::vector<double> x, y, z;

  int count() const { return static_cast<int>(x.size()); }
  Vec3 operator[](int i) const { return {x[i], y[i], z[i]}; }
  void add(const Vec3& v) {
    x.push_back(v.x());
    y.push_back(v.y());
    z.push_back(v.z());
  }
};

/// A convex core prepared for supports along many directions. The supports below leave out the
/// core's ball.
struct SoftCore {
  static constexpr int kBlock = 8;  ///< lanes of a kernel

  ConvexCore core;
  /// Of a convex mesh, relative to the core's origin; padded to whole blocks with the last one.
  Columns corners;
  int corner_count = 0;
};

/// The support function h of the core at each unit direction: out[k] = h(d_k) = max p.d_k over its
/// points p.
void hardSupports(const SoftCore& core, const Columns& directions, double* out);

struct SoftSupport {
  double value = 0.0;
  Vec3 point = Vec3::Zero();  ///< derivative of `value` by the direction; a point of the core
};

/// A smooth function of the unit direction d that is never below the support function h(d) of the
/// core. Corners are blended by a soft maximum, rims and flat ellipsoids are rounded off, over the
/// length `softness` [m]. It exceeds h by at most softness * log(corners) for a convex mesh,
/// 3 log(2) softness for a box, 3 softness for the others. `hard` is h(d).
SoftSupport softSupport(const SoftCore& core, const Vec3& d, double softness, double hard);

}  // namespace allclear
