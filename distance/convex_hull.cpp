#include "allclear/distance/convex_hull.h"

#include <algorithm>

#include "allclear/distance/convex_shell.h"

namespace allclear {
namespace {

using Shell = ConvexShell<std::vector<Vec3>, std::vector<ShellFace>, std::vector<ShellEdge>,
                          std::vector<int>>;

constexpr double kFlat = 1e-12;

class HullBuilder {
 public:
  explicit HullBuilder(const std::vector<Vec3>& points) : points_(points) {}

  ConvexHull build() {
    if (!start()) return {};
    for (std::size_t f = 0; f < shell_.faces().size(); ++f) {
      while (shell_.faces()[f].alive && !waiting_[f].empty()) {
        if (!raise(static_cast<int>(f))) return {};
        // New faces may have taken smaller numbers: look at everything again.
        f = lowest_;
      }
    }
    return result();
  }

 private:
  int farthest(const Vec3& along) const {
    int best = 0;
    for (std::size_t i = 1; i < points_.size(); ++i) {
      if (points_[i].dot(along) > points_[best].dot(along)) best = static_cast<int>(i);
    }
    return best;
  }

  /// A large tetrahedron among the points, and the others handed out to its faces.
  bool start() {
    const int a = farthest(-Vec3::UnitX());
    const auto farthestBy = [&](const auto& measure) {
      int best = a;
      for (std::size_t i = 0; i < points_.size(); ++i) {
        if (measure(points_[i] - points_[a]) > measure(points_[best] - points_[a])) {
          best = static_cast<int>(i);
        }
      }
      return best;
    };
    const int b = farthestBy([](const Vec3& w) { return w.squaredNorm(); });
    const Vec3 ab = points_[b] - points_[a];
    const double size = ab.norm();
    if (!(size > 0.0)) return false;
    shell_.tolerance = 2e-15 * size;
    const int c = farthestBy([&](const Vec3& w) { return w.cross(ab).squaredNorm(); });
    const Vec3 n = ab.cross(points_[c] - points_[a]);
    if (!(n.norm() > kFlat * size * size)) return false;
    const int d = farthestBy([&](const Vec3& w) { return std::abs(w.dot(n)); });
    const double height = (points_[d] - points_[a]).dot(n) / n.norm();
    if (!(std::abs(height) > kFlat * size)) return false;
    shell_.start(points_[a], points_[b], points_[c], points_[d], height > 0.0);
    source_ = {a, height > 0.0 ? c : b, height > 0.0 ? b : c, d};
    waiting_.resize(4);
    std::vector<int> all;
    for (std::size_t i = 0; i < points_.size(); ++i) all.push_back(static_cast<int>(i));
    handOut(all, {0, 1, 2, 3});
    return true;
  }

  void handOut(const std::vector<int>& candidates, const std::vector<int>& faces) {
    for (int i : candidates) {
      int best = -1;
      double highest = shell_.tolerance;
      for (int f : faces) {
        const double height = shell_.height(f, points_[i]);
        if (height > highest) {
          highest = height;
          best = f;
        }
      }
      if (best >= 0) waiting_[best].push_back(i);
    }
  }

  /// Extends the hull by the point waiting highest over face f.
  bool raise(int f) {
    std::vector<int>& waiting = waiting_[f];
    std::size_t top = 0;
    for (std::size_t i = 1; i < waiting.size(); ++i) {
      if (shell_.height(f, points_[waiting[i]]) > shell_.height(f, points_[waiting[top]])) top = i;
    }
    const int point = waiting[top];
    const double height = shell_.height(f, points_[point]);
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(top));
    lowest_ = static_cast<std::size_t>(f);
    if (!shell_.extend(f, points_[point])) {
      // Only a point that hardly stands out may be given up.
      return height <= 1e3 * shell_.tolerance;
    }
    source_.push_back(point);
    waiting_.resize(shell_.faces().size());
    std::vector<int> orphans;
    for (int g : shell_.buried()) {
      orphans.insert(orphans.end(), waiting_[g].begin(), waiting_[g].end());
      waiting_[g].clear();
    }
    handOut(orphans, shell_.made());
    for (int g : shell_.made()) lowest_ = std::min(lowest_, static_cast<std::size_t>(g));
    return true;
  }

  ConvexHull result() const {
    ConvexHull hull;
    std::vector<int> number(source_.size(), -1);
    for (const ShellFace& face : shell_.faces()) {
      if (!face.alive) continue;
      std::array<int, 3> corners;
      for (int e = 0; e < 3; ++e) {
        int& index = number[face.corner[e]];
        if (index < 0) {
          index = static_cast<int>(hull.corners.size());
          hull.corners.push_back(source_[face.corner[e]]);
        }
        corners[e] = index;
      }
      hull.faces.push_back(corners);
    }
    return hull;
  }

  const std::vector<Vec3>& points_;
  Shell shell_;
  std::vector<int> source_;  // of each corner of the shell
  std::vector<std::vector<int>> waiting_;
  std::size_t lowest_ = 0;
};

int farthestFrom(const std::vector<Vec3>& points, const auto& measure) {
  int best = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (measure(points[i]) > measure(points[best])) best = static_cast<int>(i);
  }
  return best;
}

}  // namespace

PlanarHull planarHull(const std::vector<Vec3>& points) {
  PlanarHull hull;
  const Vec3& o = points[0];
  const int a = farthestFrom(points, [&](const Vec3& p) { return (p - o).squaredNorm(); });
  const Vec3& from = points[a];
  const int b = farthestFrom(points, [&](const Vec3& p) { return (p - from).squaredNorm(); });
  hull.corners = {a};
  const Vec3 x = points[b] - from;
  const double size = x.norm();
  if (size == 0.0) return hull;
  const int c = farthestFrom(points, [&](const Vec3& p) { return x.cross(p - from).squaredNorm(); });
  const Vec3 n = x.cross(points[c] - from);
  if (n.norm() <= kFlat * size * size) {
    hull.corners = {a, b};
    return hull;
  }
  hull.normal = n.normalized();
  // Gift wrapping: from one corner to the next, the one that leaves all others on the left.
  for (int at = a;;) {
    int next = -1;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3 w = points[i] - points[at];
      if (w.norm() <= kFlat * size) continue;
      if (next < 0) {
        next = static_cast<int>(i);
        continue;
      }
      const Vec3 best = points[next] - points[at];
      const double turn = hull.normal.dot(best.cross(w));
      const double level = kFlat * best.norm() * w.norm();
      if (turn < -level || (turn <= level && w.norm() > best.norm())) next = static_cast<int>(i);
    }
    if ((points[next] - from).norm() <= kFlat * size) break;
    if (hull.corners.size() > points.size()) return {{a, b}, hull.normal};
    hull.corners.push_back(next);
    at = next;
  }
  return hull;
}

ConvexHull convexHull(const std::vector<Vec3>& points) { return HullBuilder(points).build(); }

}  // namespace allclear
