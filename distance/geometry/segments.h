#pragma once

#include <algorithm>
#include <cmath>

#include "allclear/core/types.h"

namespace allclear {

/// Nearest points of the segments p + s u, s in [-1, 1], and t v, t in [-1, 1].
struct SegmentPoints {
  double s;
  double t;
  bool parallel;
};

/// Minimises |p + s u - t v|. Near-parallel segments are solved from whichever end is better, so
/// that rounding never shows in the distance. Zero-length segments are points.
inline SegmentPoints nearestOnSegments(const Vec3& p, const Vec3& u, const Vec3& v) {
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v);
  const double up = u.dot(p), vp = v.dot(p);
  const Vec3 cross = u.cross(v);
  const double det = cross.squaredNorm();  // uu vv - uv^2 without its cancellation
  constexpr double kParallel = 1e-24;
  const auto clampTo = [](double x) { return std::clamp(x, -1.0, 1.0); };
  const auto bestT = [&](double s) { return vv > 0.0 ? clampTo((vp + s * uv) / vv) : 0.0; };
  const auto bestS = [&](double t) { return uu > 0.0 ? clampTo((t * uv - up) / uu) : 0.0; };
  if (!(det > kParallel * uu * vv)) {
    // Parallel: the overlap of the two along u; its middle is taken.
    if (!(uu > 0.0)) return {0.0, bestT(0.0), false};
    if (!(vv > 0.0)) return {bestS(0.0), 0.0, false};
    const double ends[2] = {(-uv - up) / uu, (uv - up) / uu};
    const double lower = clampTo(std::min(ends[0], ends[1]));
    const double upper = clampTo(std::max(ends[0], ends[1]));
    const double s = 0.5 * (lower + upper);
    return {s, bestT(s), upper > lower};
  }
  // Lines: the point of u's line nearest to v's, from the cross product.
  const double s_line = -p.cross(v).dot(cross) / det;
  double s = clampTo(s_line);
  double t = bestT(s);
  s = bestS(t);
  t = bestT(s);
  return {s, t, false};
}

}  // namespace allclear
