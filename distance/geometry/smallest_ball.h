#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "allclear/core/stop_scope.h"
#include "allclear/core/types.h"

namespace allclear::fitting {

/// A circle or ball. Without points its radius is -1.
template <int Dimension>
struct SmallestBall {
  Eigen::Matrix<double, Dimension, 1> center = Eigen::Matrix<double, Dimension, 1>::Zero();
  double radius = -1.0;  ///< [m]
};

/// The smallest circle (2) or ball (3) about points, to rounding.
///
/// Basis exchange with the farthest point entering (B. Gaertner, "Fast and robust smallest
/// enclosing balls", 1999). The smallest ball is that of at most Dimension + 1 of the points, its
/// basis. If some point is outside the basis' ball, the farthest such point joins, and the smallest
/// ball of these few is found by trying every subset, which degenerate points cannot mislead. The
/// ball grows with every exchange, so a handful of passes over the points is enough.
template <int Dimension>
class SmallestBallFinder {
 public:
  using Point = Eigen::Matrix<double, Dimension, 1>;

  static SmallestBall<Dimension> find(std::span<const Point> points) {
    SmallestBallFinder finder;
    if (points.empty()) return finder.ball_;
    finder.ball_ = {points[0], 0.0};
    finder.basis_[0] = points[0];
    finder.count_ = 1;
    // Each exchange enlarges the ball; rounding ends it.
    while (finder.exchange(farthest(points, finder.ball_.center))) {
    }
    finder.ball_.radius = (farthest(points, finder.ball_.center) - finder.ball_.center).norm();
    return finder.ball_;
  }

 private:
  /// Relative growth of the radius below which an exchange is rounding: the end.
  static constexpr double kGrowth = 1e-14;

  static Point farthest(std::span<const Point> points, const Point& center) {
    const Point* best = &points[0];
    double squared = -1.0;
    StopSteps steps;
    for (const Point& p : points) {
      steps.step();
      const double here = (p - center).squaredNorm();
      if (here > squared) {
        squared = here;
        best = &p;
      }
    }
    return *best;
  }

  // Makes the ball the smallest one about the basis and the new point; false when it does not grow.
  // The new point is outside the ball so far, so it is on the new one: every subset holds it.
  bool exchange(const Point& entering) {
    if (count_ == Dimension + 2) return false;
    basis_[count_] = entering;
    const int all = count_ + 1;
    SmallestBall<Dimension> best{ball_.center, std::numeric_limits<double>::infinity()};
    int chosen = 0;
    for (int rest = 0; rest < (1 << count_); ++rest) {
      const int subset = rest | (1 << count_);
      Point center;
      if (!equidistant(subset, all, &center)) continue;
      double radius = 0.0;
      for (int i = 0; i < all; ++i) radius = std::max(radius, (basis_[i] - center).norm());
      if (radius < best.radius) {
        best = {center, radius};
        chosen = subset;
      }
    }
    if (!(best.radius > ball_.radius * (1.0 + kGrowth)) || chosen == 0) return false;
    if (!std::isfinite(best.radius)) return false;
    ball_ = best;
    count_ = 0;
    for (int i = 0; i < all; ++i) {
      if (chosen >> i & 1) basis_[count_++] = basis_[i];
    }
    return true;
  }

  // The point of the subset's affine span that is equally far from all of it: p0 + E y with
  // E' E y = half, E the edges from p0. False for subsets that are too many or dependent.
  bool equidistant(int subset, int all, Point* center) const {
    Eigen::Matrix<double, Dimension, Dimension> E;
    Point half;
    int edges = -1;
    Point first = Point::Zero();
    for (int i = 0; i < all; ++i) {
      if (!(subset >> i & 1)) continue;
      if (++edges == 0) {
        first = basis_[i];
        continue;
      }
      if (edges > Dimension) return false;
      E.col(edges - 1) = basis_[i] - first;
      half[edges - 1] = 0.5 * E.col(edges - 1).squaredNorm();
    }
    *center = first;
    if (edges == 0) return true;
    if (edges == Dimension) {
      *center += E.transpose().inverse() * half;
    } else if (edges == 1) {
      *center += 0.5 * E.col(0);
    } else {
      const Eigen::Matrix<double, Dimension, 2> two = E.template leftCols<2>();
      const Eigen::Matrix2d gram = two.transpose() * two;
      *center += two * (gram.inverse() * half.template head<2>());
    }
    return center->allFinite();
  }

  std::array<Point, Dimension + 2> basis_;
  int count_ = 0;
  SmallestBall<Dimension> ball_;
};

}  // namespace allclear::fitting
