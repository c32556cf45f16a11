#pragma once

#include <algorithm>
#include <cmath>

#include "allclear/core/types.h"

namespace allclear {

/// Nearest points of the segments p + s u, s in [-1, 1], and t v, t in [-1, 1]. `parallel`: they
/// face each other along a whole stretch, of which s and t are the middle.
struct SegmentPoints {
  double s;
  double t;
  bool parallel;
};

/// Minimises |p + s u - t v|. Zero-length segments are points.
///
/// The nearest points of the lines have s = -(p x v).(u x v) / |u x v|^2, with a cross product in
/// place of the cancelling uu vv - uv^2. Of near-parallel lines s is inaccurate, but the distance
/// is hardly affected: the best t for that s, and then the best s for that t, make up for it.
inline SegmentPoints nearestOnSegments(const Vec3& p, const Vec3& u, const Vec3& v) {
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v);
  const double up = u.dot(p), vp = v.dot(p);
  const Vec3 cross = u.cross(v);
  const double det = cross.squaredNorm();  // uu vv - uv^2 without its cancellation
  // Squared sine. Taking lines within 1e-12 rad as parallel moves points by that share of the
  // length; beyond, s_line has a few digits.
  constexpr double kParallel = 1e-24;
  const auto clampTo = [](double x) { return std::clamp(x, -1.0, 1.0); };
  const auto bestT = [&](double s) { return vv > 0.0 ? clampTo((vp + s * uv) / vv) : 0.0; };
  const auto bestS = [&](double t) { return uu > 0.0 ? clampTo((t * uv - up) / uu) : 0.0; };
  if (!(det > kParallel * uu * vv)) {
    // Parallel: s at the two ends of v's shadow on u, clamped; between them all is equally near,
    // and the middle is taken.
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
