// Quadratic program in three unknowns by exchange of its basis: the plane violated most enters,
// and the best of the (at most seven) sets of up to three planes with it takes over. The distance
// grows at every exchange, so that none comes back.

#include "allclear/distance/mesh_depth/nearest_beyond.h"

#include <array>
#include <cmath>

namespace allclear::mesh {
namespace {

/// The point of the intersection of `count` planes nearest to the origin, when all hold it there.
bool footOn(const std::vector<ContactPlane>& planes, double margin, const int* set, int count,
            Vec3* foot) {
  const auto normal = [&](int i) -> const Vec3& { return planes[set[i]].normal; };
  const auto height = [&](int i) { return planes[set[i]].least + margin; };
  if (count == 1) {
    if (!(height(0) >= 0.0)) return false;
    *foot = height(0) * normal(0);
    return true;
  }
  if (count == 2) {
    const double cosine = normal(0).dot(normal(1));
    const double det = normal(0).cross(normal(1)).squaredNorm();
    if (!(det > 1e-18)) return false;
    const double x = (height(0) - cosine * height(1)) / det;
    const double y = (height(1) - cosine * height(0)) / det;
    *foot = x * normal(0) + y * normal(1);
    return x >= 0.0 && y >= 0.0;
  }
  const Vec3 yz = normal(1).cross(normal(2)), zx = normal(2).cross(normal(0)),
             xy = normal(0).cross(normal(1));
  const double det = normal(0).dot(yz);
  if (!(std::abs(det) > 1e-12)) return false;
  const Vec3 p = (height(0) * yz + height(1) * zx + height(2) * xy) / det;
  *foot = p;
  // p = sum of multiples of the normals, none negative.
  return p.dot(yz) * det >= 0.0 && p.dot(zx) * det >= 0.0 && p.dot(xy) * det >= 0.0;
}

}  // namespace

std::optional<NearestBeyond> nearestBeyond(const std::vector<ContactPlane>& planes, double margin) {
  NearestBeyond now;
  const int most_steps = 20 + 4 * static_cast<int>(planes.size());
  for (int step = 0; step < most_steps; ++step) {
    const double tolerance = 1e-12 * now.point.norm() + 1e-3 * margin;
    int worst = -1;
    double most = tolerance;
    for (std::size_t i = 0; i < planes.size(); ++i) {
      const double lacks = planes[i].least + margin - planes[i].normal.dot(now.point);
      if (lacks <= most) continue;
      most = lacks;
      worst = static_cast<int>(i);
    }
    if (worst < 0) return now;
    int known[4];
    int count = 0;
    for (int i = 0; i < now.active; ++i) {
      if (now.plane[i] == worst) return std::nullopt;  // rounding: it cannot be met
      known[count++] = now.plane[i];
    }
    std::optional<NearestBeyond> best;
    for (int mask = 0; mask < 1 << count; ++mask) {
      NearestBeyond trial;
      int set[4];
      for (int i = 0; i < count; ++i) {
        if (mask >> i & 1) set[trial.active++] = known[i];
      }
      set[trial.active++] = worst;
      if (trial.active > 3) continue;
      if (!footOn(planes, margin, set, trial.active, &trial.point)) continue;
      bool holds = true;
      for (int i = 0; i < count; ++i) {
        const ContactPlane& plane = planes[known[i]];
        holds = holds && plane.normal.dot(trial.point) >= plane.least + margin - tolerance;
      }
      if (!holds) continue;
      std::copy(set, set + trial.active, trial.plane);
      if (!best || trial.point.squaredNorm() < best->point.squaredNorm()) best = trial;
    }
    if (!best) return std::nullopt;
    now = *best;
  }
  return std::nullopt;
}

}  // namespace allclear::mesh
