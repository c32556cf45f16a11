#pragma once

#include <limits>
#include <span>
#include <vector>

#include "allclear/core/types.h"

namespace allclear::fitting {

template <int Dimension>
struct SmallestBall {
  Eigen::Matrix<double, Dimension, 1> center = Eigen::Matrix<double, Dimension, 1>::Zero();
  double radius = -1.0;  ///< -1: of no point
};

/// The smallest circle (2) or ball (3) about points, to rounding (1e-12 of its radius). E. Welzl,
/// Smallest enclosing disks (balls and ellipsoids), 1991, with the points that mattered moved to
/// the front. Expected time is linear.
template <int Dimension>
class SmallestBallFinder {
 public:
  using Point = Eigen::Matrix<double, Dimension, 1>;

  explicit SmallestBallFinder(std::span<const Point> points)
      : points_(points.begin(), points.end()) {}

  SmallestBall<Dimension> find() {
    support_.clear();
    return about(points_.size());
  }

 private:
  static constexpr double kTolerance = 1e-13;

  // The smallest ball about the first `count` points that has all of the support on its boundary.
  SmallestBall<Dimension> about(std::size_t count) {
    SmallestBall<Dimension> ball = through();
    if (support_.size() == Dimension + 1) return ball;
    for (std::size_t i = 0; i < count; ++i) {
      const Point p = points_[i];
      if (ball.radius >= 0.0 && (p - ball.center).norm() <= ball.radius * (1.0 + kTolerance)) {
        continue;
      }
      support_.push_back(p);
      const SmallestBall<Dimension> larger = about(i);
      support_.pop_back();
      // Among nearly cospherical points rounding can make the "larger" ball smaller.
      if (larger.radius <= ball.radius) continue;
      ball = larger;
      std::rotate(points_.begin(), points_.begin() + i, points_.begin() + i + 1);
    }
    return ball;
  }

  // The smallest ball with the support on its boundary, its centre in the support's affine span.
  SmallestBall<Dimension> through() const {
    SmallestBall<Dimension> ball;
    if (support_.empty()) return ball;
    const int edges = static_cast<int>(support_.size()) - 1;
    using Edges = Eigen::Matrix<double, Dimension, Eigen::Dynamic, 0, Dimension, Dimension>;
    Edges E(Dimension, edges);
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, Dimension, 1> half(edges);
    for (int i = 0; i < edges; ++i) {
      E.col(i) = support_[i + 1] - support_[0];
      half[i] = 0.5 * E.col(i).squaredNorm();
    }
    ball.center = support_[0];
    if (edges > 0) {
      // Centre = s0 + E y with E' E y = half: the shortest solution of E' x = half.
      ball.center += E.transpose().completeOrthogonalDecomposition().solve(half);
    }
    for (const Point& p : support_) ball.radius = std::max(ball.radius, (p - ball.center).norm());
    return ball;
  }

  std::vector<Point> points_;
  std::vector<Point> support_;
};

}  // namespace allclear::fitting
