// min |x|^2 subject to n_i.x >= h_i + margin for all planes i: a quadratic program in three
// unknowns, solved by exchanging its active set, as in the dual method of Goldfarb and Idnani
// (1983); with three unknowns the sets to exchange for are simply tried.
//
// The optimum is the point nearest to the origin on the intersection of at most three active
// planes, and is a combination of their normals with no negative multiplier (Karush, Kuhn, Tucker).
// While some plane is violated, the one violated most enters the active set together with some of
// the known ones: of the at most seven sets, the nearest point takes over that has no negative
// multiplier and keeps the known planes. |x| grows with every exchange, so no set comes back.

#include "allclear/distance/mesh_depth/nearest_beyond.h"

#include <algorithm>
#include <cmath>

namespace allclear::mesh {
namespace {

/// sin^2 of the angle of two normals, and the determinant of three: below these the planes are
/// parallel to rounding, and their intersection says nothing.
constexpr double kParallel = 1e-18, kCoplanar = 1e-12;
/// A plane counts as kept when the point lacks no more than this share of the point's distance and
/// of the margin.
constexpr double kKeptOfDistance = 1e-12, kKeptOfMargin = 1e-3;

/// The point of the intersection of `count` planes nearest to the origin; false when it is not held
/// there by all of them (a negative multiplier) or the planes are parallel.
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
    if (!(det > kParallel)) return false;
    const double x = (height(0) - cosine * height(1)) / det;
    const double y = (height(1) - cosine * height(0)) / det;
    *foot = x * normal(0) + y * normal(1);
    return x >= 0.0 && y >= 0.0;
  }
  const Vec3 yz = normal(1).cross(normal(2)), zx = normal(2).cross(normal(0)),
             xy = normal(0).cross(normal(1));
  const double det = normal(0).dot(yz);
  if (!(std::abs(det) > kCoplanar)) return false;
  const Vec3 p = (height(0) * yz + height(1) * zx + height(2) * xy) / det;
  *foot = p;
  // p = sum of multiples of the normals, none negative.
  return p.dot(yz) * det >= 0.0 && p.dot(zx) * det >= 0.0 && p.dot(xy) * det >= 0.0;
}

/// The plane that the point violates by more than the tolerance, and by most; -1 when none.
int mostViolated(const std::vector<ContactPlane>& planes, double margin, const Vec3& point,
                 double tolerance) {
  int worst = -1;
  double most = tolerance;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const double lacks = planes[i].least + margin - planes[i].normal.dot(point);
    if (lacks <= most) continue;
    most = lacks;
    worst = static_cast<int>(i);
  }
  return worst;
}

/// The next active set: `entering` with some of the planes of `now`, so that all of these are kept.
std::optional<NearestBeyond> exchanged(const std::vector<ContactPlane>& planes, double margin,
                                       const NearestBeyond& now, int entering, double tolerance) {
  std::optional<NearestBeyond> best;
  for (int mask = 0; mask < 1 << now.active; ++mask) {
    NearestBeyond trial;
    int set[4];
    for (int i = 0; i < now.active; ++i) {
      if (mask >> i & 1) set[trial.active++] = now.plane[i];
    }
    set[trial.active++] = entering;
    // Three planes meet in a point: a fourth cannot be active.
    if (trial.active > 3) continue;
    if (!footOn(planes, margin, set, trial.active, &trial.point)) continue;
    bool keeps_known = true;
    for (int i = 0; i < now.active; ++i) {
      const ContactPlane& plane = planes[now.plane[i]];
      keeps_known =
          keeps_known && plane.normal.dot(trial.point) >= plane.least + margin - tolerance;
    }
    if (!keeps_known) continue;
    std::copy(set, set + trial.active, trial.plane);
    if (!best || trial.point.squaredNorm() < best->point.squaredNorm()) best = trial;
  }
  return best;
}

}  // namespace

std::optional<NearestBeyond> nearestBeyond(const std::vector<ContactPlane>& planes, double margin) {
  // Nothing is active at the origin. Far more exchanges than planes mean that rounding goes round.
  NearestBeyond now;
  const int most_steps = 20 + 4 * static_cast<int>(planes.size());
  for (int step = 0; step < most_steps; ++step) {
    const double tolerance = kKeptOfDistance * now.point.norm() + kKeptOfMargin * margin;
    const int worst = mostViolated(planes, margin, now.point, tolerance);
    if (worst < 0) return now;
    // An active plane that is violated cannot be met: rounding.
    if (std::find(now.plane, now.plane + now.active, worst) != now.plane + now.active) {
      return std::nullopt;
    }
    const std::optional<NearestBeyond> next = exchanged(planes, margin, now, worst, tolerance);
    if (!next) return std::nullopt;
    now = *next;
  }
  return std::nullopt;
}

}  // namespace allclear::mesh
