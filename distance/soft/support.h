#pragma once

#include <vector>

#include "allclear/distance/convex/core.h"

namespace allclear {

/// Columns of numbers, for kernels that run over many directions or corners at once.
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

/// A convex core (without its ball) made ready for supports along many directions.
struct SoftCore {
  static constexpr int kBlock = 8;

  ConvexCore core;
  /// Of a convex mesh, about the core's origin, then repeats of the last one that fill up a block.
  Columns corners;
  int corner_count = 0;
};

/// The support function h of the core (without its ball) at each direction (unit): out[k] = h(d_k).
void hardSupports(const SoftCore& core, const Columns& directions, double* out);

struct SoftSupport {
  double value = 0.0;
  Vec3 point = Vec3::Zero();  ///< derivative of `value` by the direction; a point of the core
};

/// A smooth function of the direction d (unit) that is never below the core's support function
/// h(d): corners meet in a soft maximum, rims and flat ellipsoids are rounded off, all over the
/// length `softness` [m]. Above h by at most softness * log(corners) for a convex mesh, 3 log(2)
/// softness for a box, 3 softness for the others. `hard` is h(d).
SoftSupport softSupport(const SoftCore& core, const Vec3& d, double softness, double hard);

}  // namespace allclear
