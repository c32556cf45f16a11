#pragma once

// The method of H. S. Kim, "An animation speed-independent collision detection algorithm" (2004),
// as it is printed: the first contact of a polyhedron that turns at a constant rate with the plane
// z = 0. The rival of `firstContact` in bench_half_space.
//
// The diagram: the region of a corner v is the polygon on the sphere of directions whose corners
// are the normals of v's faces. Seen from the body the way down is a curve m(t) on the sphere. An
// interval of time has one region when both ends are in it and an ellipse about them, as long as
// the curve can be at most, is inside; it has two when the arc between the ends crosses their
// common side and an ellipse about it is inside of both. All others are halved. On an interval with
// one or two regions the distance is that of one or two corners, whose first root is found by
// interval Newton steps.

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/distance/geometry/support_corners.h"

namespace allclear::bench {

/// z(t) = z0 + vz t + az t^2 of the centre, turning by `omega` about it from the identity.
struct Fall {
  double z0, vz, az;
  Vec3 omega;

  double height(double t) const { return z0 + t * (vz + az * t); }
  Mat3 rotation(double t) const {
    return Eigen::AngleAxisd(omega.norm() * t, omega.normalized()).toRotationMatrix();
  }
  Vec3 down(double t) const { return -rotation(t).row(2).transpose(); }
};

class KimDiagram {
 public:
  /// `speed_factor` times |omega| bounds the speed of m: sqrt(3) as printed; 1 is true as well.
  KimDiagram(const std::vector<Vec3>& points, const Fall& fall, double speed_factor)
      : fall_(fall), speed_(speed_factor * fall.omega.norm()) {
    const ConvexHull hull = convexHull(points);
    corners_ = points;
    regions_.resize(points.size());
    // The faces of a corner in order about it: the face that has the edge (v, a) is followed by
    // the one that has (v, b) where the first is the triangle (v, a, b).
    std::vector<std::vector<Face>> faces(points.size());
    for (const Triangle& f : hull.facets) {
      const Vec3 n = (corners_[f[1]] - corners_[f[0]]).cross(corners_[f[2]] - corners_[f[0]]);
      for (int k = 0; k < 3; ++k) {
        faces[f[k]].push_back({f[(k + 1) % 3], f[(k + 2) % 3], n.normalized()});
      }
    }
    for (std::size_t v = 0; v < points.size(); ++v) {
      for (const Face& face : faces[v]) {
        for (const Face& next : faces[v]) {
          if (next.a == face.b) regions_[v].push_back({face.normal, next.normal, face.b});
        }
      }
    }
  }

  /// The first root of the distance in [0, end].
  std::optional<double> firstContact(double end) {
    stuck_ = 0;
    return search(0.0, end);
  }
  /// Intervals that came down to the least width without a region.
  int stuck() const { return stuck_; }

 private:
  static constexpr double kLeastWidth = 1e-9;
  struct Side {
    Vec3 start, end;  ///< directions
    int neighbour;
  };

  /// A triangle (v, a, b) about the corner v.
  struct Face {
    int a, b;
    Vec3 normal;
  };

  int cornerAt(const Vec3& m) const {  // point location: by a walk from the last answer
    int best = last_;
    if (regions_[best].empty()) {
      for (std::size_t i = 0; i < regions_.size(); ++i) {
        if (!regions_[i].empty()) best = static_cast<int>(i);
      }
    }
    for (int previous = -1; best != previous;) {
      previous = best;
      for (const Side& side : regions_[previous]) {
        if (m.dot(corners_[side.neighbour]) > m.dot(corners_[best])) best = side.neighbour;
      }
    }
    return last_ = best;
  }

  static double angle(const Vec3& a, const Vec3& b) {
    return std::atan2(a.cross(b).norm(), a.dot(b));
  }

  /// Least sum of the distances from a and b to a point of the arc from s to e, both on one side.
  static double leastSum(const Vec3& a, const Vec3& b, const Vec3& s, const Vec3& e) {
    const double ends = std::min(angle(a, s) + angle(b, s), angle(a, e) + angle(b, e));
    Vec3 n = s.cross(e);
    if (n.norm() < 1e-12) return ends;
    n.normalize();
    const Vec3 mirrored = b - 2.0 * n.dot(b) * n;
    // The great circle through a and the mirrored b meets that of the arc here.
    Vec3 x = a.cross(mirrored).cross(n);
    if (x.norm() < 1e-14) return ends;
    x.normalize();
    for (const Vec3& p : {x, Vec3(-x)}) {
      if (s.cross(p).dot(n) >= 0.0 && p.cross(e).dot(n) >= 0.0) {
        return std::min(ends, angle(a, p) + angle(b, p));
      }
    }
    return ends;
  }

  double borderSum(int v, const Vec3& a, const Vec3& b) const {
    double least = 10.0;
    for (const Side& side : regions_[v]) {
      least = std::min(least, leastSum(a, b, side.start, side.end));
    }
    return least;
  }

  bool isAdjacent(int v, int w, const Vec3& a, const Vec3& b, double length) const {
    const Vec3 pole = a.cross(b).normalized();
    for (const Side& side : regions_[v]) {
      if (side.neighbour != w) continue;
      if (pole.dot(side.start) * pole.dot(side.end) > 0.0) return false;  // no crossing
      const double r_a = 0.5 * borderSum(v, a, a), r_b = 0.5 * borderSum(w, b, b);
      const double r_1 = std::asin(std::min(1.0, std::abs(pole.dot(side.start))));
      const double r_2 = std::asin(std::min(1.0, std::abs(pole.dot(side.end))));
      const double r = std::min({r_a, r_b, r_1, r_2});
      const double sum = 2.0 * std::acos(std::cos(0.5 * angle(a, b)) * std::cos(r));
      return length <= sum;
    }
    return false;
  }

  std::optional<double> search(double t0, double t1) {
    const Vec3 a = fall_.down(t0), b = fall_.down(t1);
    const int v = cornerAt(a), w = cornerAt(b);
    const double length = speed_ * (t1 - t0);
    bool done = v == w ? length <= borderSum(v, a, b) : isAdjacent(v, w, a, b, length);
    if (!done && t1 - t0 < kLeastWidth) {
      ++stuck_;
      done = true;
    }
    if (done) {
      const auto first = firstRoot(v, t0, t1), second = v == w ? first : firstRoot(w, t0, t1);
      if (!first || (second && *second < *first)) return second;
      return first;
    }
    const double middle = 0.5 * (t0 + t1);
    const auto left = search(t0, middle);
    return left ? left : search(middle, t1);
  }

  double cornerHeight(int v, double t) const {
    return fall_.height(t) - fall_.down(t).dot(corners_[v]);
  }

  /// Interval Newton: the rate is within those of the fall and of the corner's turning.
  std::optional<double> firstRoot(int v, double t0, double t1) const {
    if (t1 - t0 < 1e-12) {
      if (cornerHeight(v, t1) <= 0.0) return t1;
      return std::nullopt;
    }
    const double turn = fall_.omega.cross(corners_[v]).norm();
    const double rate0 = fall_.vz + 2.0 * fall_.az * t0, rate1 = fall_.vz + 2.0 * fall_.az * t1;
    const double low = std::min(rate0, rate1) - turn, high = std::max(rate0, rate1) + turn;
    const double middle = 0.5 * (t0 + t1), value = cornerHeight(v, middle);
    if (low <= 0.0 && high >= 0.0) {
      // A rate that may be zero parts the interval: what is nearer than these steps has no root.
      const double before = high > 0.0 ? middle - value / high : -HUGE_VAL;
      const double after = low < 0.0 ? middle - value / low : HUGE_VAL;
      const double gap0 = std::min(before, after), gap1 = std::max(before, after);
      if (value > 0.0) {
        if (gap0 > t0) {
          if (const auto left = firstRoot(v, t0, std::min(gap0, middle))) return left;
        }
        if (gap1 < t1) return firstRoot(v, std::max(gap1, middle), t1);
        return std::nullopt;
      }
      return firstRoot(v, t0, middle);
    }
    const double x0 = middle - value / low, x1 = middle - value / high;
    const double n0 = std::max(t0, std::min(x0, x1)), n1 = std::min(t1, std::max(x0, x1));
    if (n0 > n1) return std::nullopt;
    if (n1 - n0 > 0.5 * (t1 - t0)) {
      const auto left = firstRoot(v, n0, 0.5 * (n0 + n1));
      return left ? left : firstRoot(v, 0.5 * (n0 + n1), n1);
    }
    return firstRoot(v, n0, n1);
  }

  Fall fall_;
  double speed_;
  std::vector<Vec3> corners_;
  std::vector<std::vector<Side>> regions_;  ///< by corner: its border, side by side
  mutable int last_ = 0;
  int stuck_ = 0;
};

}  // namespace allclear::bench
